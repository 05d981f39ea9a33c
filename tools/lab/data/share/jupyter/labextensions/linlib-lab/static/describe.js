// What JupyterLab leaves out for readers who do not see the page: the alt text that is stored beside
// a figure, names for its editors, and cells that are articles of the feed they stand in. And what it
// leaves out of a notebook that was saved and opened again: the still picture of an explorer. And what
// it does not leave out: the first line of a folded answer, which would give the answer away.
// Where a lecture says "Predict first", the reader can commit a prediction, and sees the answer then.
// Nothing of it is written into the notebook.
// It is loaded as it stands: a module of the kind that JupyterLab's own builder would make.
(() => {
  "use strict";

  const LIVE = "application/vnd.jupyter.widget-view+json";
  const GONE = "Error displaying widget: model not found"; // as ipywidgets says it
  const ASLEEP = "This explorer is asleep: run its cell again (Shift+Enter) to bring it to life.";

  const FOLDED = ".linlib-answer .jp-OutputPlaceholder";
  const STYLE = `${FOLDED} .jp-PlaceholderText { display: none; }
    ${FOLDED} .jp-Placeholder-contentContainer::before { content: "Show the answer"; }`;

  /** Set an attribute, if it is not set so already. */
  function say(node, name, value) {
    if (node && value && node.getAttribute(name) !== value) node.setAttribute(name, value);
  }

  /** Show the stored picture where there was a live view whose kernel is gone. */
  function still(node, { data, metadata }) {
    const picture = data?.["image/png"];
    if (!picture || !data[LIVE] || node?.textContent !== GONE) return;
    const note = document.createElement("p");
    note.className = "linlib-note";
    note.textContent = ASLEEP;
    const image = document.createElement("img");
    image.src = `data:image/png;base64,${[picture].flat().join("").replace(/\s/g, "")}`;
    const { width, alt } = metadata?.["image/png"] ?? {};
    if (width) image.width = width;
    say(image, "alt", alt);
    const frame = document.createElement("div");
    frame.className = "jp-RenderedImage jp-needs-light-background";
    frame.append(image);
    node.replaceChildren(note, frame);
  }

  // ---- predict first

  const ASKS = "**Predict first.**";
  const FORMS = `
    .linlib-predict { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 6px 0 10px; }
    .linlib-predict input { flex: 1 1 220px; max-width: 460px; padding: 4px 6px; font: inherit;
      color: var(--jp-ui-font-color1); background: var(--jp-layout-color1); border: 1px solid var(--jp-ui-font-color2); }
    .linlib-predict button { padding: 4px 12px; font: inherit; cursor: pointer; color: var(--jp-ui-font-color1);
      background: var(--jp-layout-color2); border: 1px solid var(--jp-ui-font-color2); border-radius: 3px; }
    .linlib-said > summary { cursor: pointer; font-weight: 600; margin-bottom: 6px; }`;
  const committed = new WeakMap(); // by the model of a question, what the reader predicted

  function source(cell) {
    return cell?.model?.sharedModel.getSource() ?? "";
  }

  function tagged(cell) {
    return (cell.model?.getMetadata?.("tags") ?? []).includes("answer");
  }

  function make(parent, tag, attributes = {}, words = "") {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = words;
    parent.append(node);
    return node;
  }

  /** Return what belongs to a question: the cells that answer it, the words after them, a widget. */
  function answers(cells, at) {
    let next = at + 1;
    while (cells[next]?.model?.type === "code") next += 1;
    const code = cells.slice(at + 1, next), found = code.filter(tagged);
    const plain = found.length && !/^[#>]/.test(source(cells[next]));
    return { code: found, words: plain ? cells[next] : null,
      widget: code.some((cell) => source(cell).includes("widgets.Predict")) };
  }

  /** Fold the paragraph that answers in words, until it is asked for. */
  function fold(cell, open) {
    const page = cell?.node.querySelector(".jp-RenderedMarkdown");
    const old = page?.querySelector(":scope > .linlib-said");
    if (old && open) old.open = true;
    if (old || !page?.firstElementChild) return;
    const inside = [];
    for (const part of page.children) {
      inside.push(part);
      if (part.textContent.length > 20 && /[.?!)]\s*$/.test(part.textContent)) break;
    }
    const box = document.createElement("details");
    box.className = "linlib-said";
    box.open = open;
    page.prepend(box);
    make(box, "summary", {}, "Predicted? Show the answer in words");
    box.append(...inside);
  }

  /** Ask for a prediction below a question that has no widget for it. */
  function ask(question, reveal) {
    const page = question.node.querySelector(".jp-RenderedMarkdown");
    if (!page?.firstElementChild || page.querySelector(".linlib-predict")) return;
    const words = committed.get(question.model);
    if (words !== undefined) {
      make(page, "p", { class: "linlib-predict", role: "status" }, `You predicted: ${words}`);
      return;
    }
    const form = make(page, "form", { class: "linlib-predict" });
    const label = make(form, "label", {}, "Your prediction ");
    // JupyterLab's one-key commands must not fire while somebody writes here.
    const quiet = { "data-lm-suppress-shortcuts": "true" };
    const line = make(label, "input", { type: "text", autocomplete: "off", ...quiet });
    make(form, "button", { type: "submit", ...quiet }, "Commit");
    form.addEventListener("keydown", (event) => event.stopPropagation());
    form.addEventListener("dblclick", (event) => event.stopPropagation());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!line.value.trim()) { line.focus(); return; }
      committed.set(question.model, line.value.trim());
      form.remove();
      reveal();
    });
  }

  function predictions(cells) {
    cells.forEach((cell, at) => {
      if (cell.model?.type !== "markdown" || !source(cell).includes(ASKS)) return;
      const { code, words, widget } = answers(cells, at);
      fold(words, committed.has(cell.model));
      const reveal = () => {
        for (const answer of code) {
          answer.syncCollapse = false; // it is seen, and the notebook stays as it was
          answer.outputHidden = false;
        }
        fold(words, true);
        ask(cell, reveal);
      };
      if (code.length && !widget) ask(cell, reveal);
    });
  }

  // ---- names

  function describe(cell, index) {
    say(cell.node, "role", "article");
    const tags = cell.model?.getMetadata?.("tags") ?? [];
    cell.node.classList.toggle("linlib-answer", tags.includes("answer"));
    const kind = cell.model?.type === "code" ? "Code" : "Text";
    say(cell.node.querySelector(".cm-content"), "aria-label", `${kind} of cell ${index + 1}`);
    say(cell.node.querySelector(".jp-collapseHeadingButton"), "aria-label", "Fold or unfold the section");
    const page = cell.node.querySelector(".jp-RenderedMarkdown");
    // What a wide formula makes scroll must be reached by the keyboard.
    if (page && page.scrollWidth > page.clientWidth) say(page, "tabindex", "0");
    const outputs = cell.model?.outputs;
    const shown = cell.outputArea?.widgets ?? [];
    for (let at = 0; at < Math.min(outputs?.length ?? 0, shown.length); at += 1) {
      const output = outputs.get(at);
      still(shown[at].node.querySelector(".jp-OutputArea-output"), output);
      say(shown[at].node.querySelector("img"), "alt", output.metadata?.["image/png"]?.alt);
    }
  }

  function activate(app) {
    make(document.head, "style", {}, STYLE + FORMS);
    let waiting = false;
    const everything = () => {
      waiting = false;
      for (const panel of app.shell.widgets("main")) {
        const cells = panel.content?.widgets ?? [];
        cells.forEach(describe);
        predictions(cells);
      }
    };
    const news = "img, p, .jp-Cell, .cm-content, .jp-collapseHeadingButton, mjx-container";
    const isNew = (node) => node.nodeType === Node.ELEMENT_NODE
      ? node.matches(news) || node.querySelector(news)
      : node.textContent === GONE;
    new MutationObserver((changes) => {
      if (waiting || !changes.some((change) => [...change.addedNodes].some(isNew))) return;
      waiting = true;
      requestAnimationFrame(everything);
    }).observe(document.body, { childList: true, subtree: true });
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB["linlib-lab"] = {
    init() {},
    async get() {
      return () => ({ __esModule: true, default: { id: "linlib-lab:describe", autoStart: true, activate } });
    },
  };
})();
