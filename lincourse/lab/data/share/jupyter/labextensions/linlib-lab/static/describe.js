// What JupyterLab leaves out for readers who do not see the page: the alt text that is stored beside
// a figure, names for its editors, and cells that are articles of the feed they stand in. And what it
// leaves out of a notebook that was saved and opened again: the still picture of an explorer. And what
// it does not leave out: the first line of a folded answer, which would give the answer away, and code
// that only imports, prepares or draws, which is folded until somebody asks for it.
// Where a lecture says "Predict first", the reader can commit a prediction (predict.js), and sees the
// answer then, and the code that answers. Nothing of it is written into the notebook.
// It is loaded as it stands: a module of the kind that JupyterLab's own builder would make.
(() => {
  "use strict";

  const LIVE = "application/vnd.jupyter.widget-view+json";
  const GONE = "Error displaying widget: model not found"; // as ipywidgets says it
  const ASLEEP = "This explorer is asleep: run its cell again (Shift+Enter) to bring it to life.";

  const FOLDED = { ".jp-InputPlaceholder": "Show the code", ".jp-OutputPlaceholder": "Show the answer" };
  const STYLE = `.linlib-folds .jp-PlaceholderText { display: none; }
    .linlib-folds .jp-Placeholder:focus-visible { outline: 2px solid; outline-offset: -2px; }
    ${Object.entries(FOLDED).map(([part, words]) => `
    .linlib-folds ${part} .jp-Placeholder-contentContainer::before { content: "${words}"; }`).join("")}`;

  const HERE = document.currentScript.src;

  function make(...parts) {
    return window.linlibPredict.make(...parts);
  }

  /** Load the script that lies beside this one. */
  function beside(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      Object.assign(script, { src: new URL(name, HERE), onload: resolve, onerror: reject });
      document.head.append(script);
    });
  }

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
  const ANSWER = "application/vnd.linlib.answer+json";
  const SAID = ".linlib-said > summary { cursor: pointer; font-weight: 600; margin-bottom: 6px; }";
  const asked = new WeakMap(); // by the model of a question, what its answers were when last seen
  const committed = new WeakMap(); // by the model of a question, what was told about the prediction
  const shut = new WeakSet(); // models of answers that nobody has asked for yet
  const guarded = new WeakSet(); // those that are kept shut when they are run
  const covered = new WeakSet(); // cells whose code was folded once, or was in sight with its answer

  function source(cell) {
    return cell?.model?.sharedModel.getSource() ?? "";
  }

  function tags(cell) {
    return cell.model?.getMetadata?.("tags") ?? [];
  }

  function tagged(cell) {
    return tags(cell).includes("answer");
  }

  /** Return what belongs to a question: the cells that answer it, the words after them, a widget. */
  function answers(cells, at) {
    let next = at + 1;
    while (cells[next]?.model?.type === "code") next += 1;
    const code = cells.slice(at + 1, next), found = code.filter(tagged);
    const plain = found.length && !/^[#>]/.test(source(cells[next]));
    return { code: found, words: plain ? cells[next] : null,
      widgets: code.filter((cell) => source(cell).includes("explorers.Predict")) };
  }

  /** Return what the outputs of some cells say was asked, and what is true. */
  function truths(cells) {
    const found = [];
    for (const { model: { outputs } } of cells) {
      for (let at = 0; at < outputs.length; at += 1) found.push(outputs.get(at).data?.[ANSWER]);
    }
    return found.filter(Boolean);
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

  /** Show an answer and its code. */
  function unfold(cell) {
    cell.syncCollapse = false; // it is seen, and the notebook stays as it was
    cell.inputHidden = false;
    cell.outputHidden = false;
  }

  /** Fold the code of a cell, once: who unfolds it has asked for it. */
  function cover(cell, hidden) {
    if (covered.has(cell)) return;
    covered.add(cell);
    if (!hidden) return;
    cell.syncCollapse = false; // the notebook stays as it was
    cell.inputHidden = true;
  }

  /** Return whether widgets have told how far off the prediction was. */
  function verdicts(widgets) {
    const lines = widgets.flatMap(({ node }) => [...node.querySelectorAll(".linlib-status")]);
    return lines.length >= widgets.length && lines.every((line) => window.linlibPredict.stated(line.textContent));
  }

  function failed({ outputs, executionState }) {
    if (executionState === "running") return false;
    return Array.from({ length: outputs.length }, (_, at) => outputs.get(at).type).includes("error");
  }

  /** Keep an answer folded when its cell is run, which unfolds it, unless somebody unfolded it.
   * An error is no answer: it is shown, and the answer that comes of running the cell again is not. */
  function guard(cell, question, look) {
    const { model } = cell;
    if (cell.outputHidden) {
      cell.syncCollapse = false; // folded or not, the notebook stays as it was
      shut.add(model);
    } else if (model.executionState !== "running" && !failed(model)) {
      shut.delete(model);
    }
    if (guarded.has(model)) return;
    guarded.add(model);
    model.stateChanged.connect((_, { name, newValue }) => {
      if (name !== "executionState") return;
      if (newValue === "running" && shut.has(model) && !committed.has(question)) cell.outputHidden = true;
      if (failed(model)) unfold(cell);
      look();
    });
  }

  function shape(wanted) {
    return JSON.stringify(wanted.map(({ ask: words, among }) => [words, among]));
  }

  /** Return what to ask. While the cells that answer are run it is what it was. */
  function wants(question, code) {
    const old = asked.get(question) ?? [], found = truths(code);
    const done = code.every(({ model }) => model.executionCount && model.executionState !== "running");
    if (done && found.length) {
      // The form keeps what is written on it, and looks the truth up when it is committed.
      if (shape(old) === shape(found)) old.forEach((one, at) => Object.assign(one, found[at]));
      else asked.set(question, found.map((one) => ({ ...one })));
    }
    return asked.get(question) ?? [{ ask: "Your prediction" }];
  }

  /** Ask for a prediction below a question that has no widget for it. */
  function ask(question, code, reveal) {
    const page = question.node.querySelector(".jp-RenderedMarkdown");
    if (!page?.firstElementChild) return;
    const wanted = wants(question.model, code), told = committed.get(question.model);
    const key = told ? "told" : shape(wanted), old = page.querySelector(".linlib-predict");
    if (old?.linlibKey === key) return;
    old?.remove();
    // JupyterLab's one-key commands must not fire while somebody writes here.
    const box = make(page, "div", { class: "linlib-predict", "data-lm-suppress-shortcuts": "true" });
    box.linlibKey = key;
    for (const event of ["keydown", "dblclick"]) box.addEventListener(event, (one) => one.stopPropagation());
    if (told) {
      window.linlibPredict.tell(box, told);
      return;
    }
    window.linlibPredict.ask(box, wanted, (lines) => {
      committed.set(question.model, lines);
      box.linlibKey = "told";
      reveal();
    });
  }

  function predictions(cells, look) {
    cells.forEach((cell, at) => {
      if (cell.model?.type !== "markdown" || !source(cell).includes(ASKS)) return;
      const { code, words, widgets } = answers(cells, at);
      fold(words, committed.has(cell.model));
      for (const answer of code) {
        guard(answer, cell.model, look);
        if (!committed.has(cell.model)) cover(answer, answer.outputHidden);
      }
      const reveal = () => {
        code.forEach(unfold);
        fold(words, true);
      };
      for (const asking of widgets) asking.node.classList.add("linlib-asks");
      if (code.length && !widgets.length) ask(cell, code, reveal);
      if (widgets.length && !committed.has(cell.model) && verdicts(widgets)) {
        committed.set(cell.model, []);
        reveal();
      }
    });
  }

  // ---- names

  /** Make a button of what stands for a folded part of a cell: it has a name, and takes keys. */
  function press(cell) {
    for (const [part, words] of Object.entries(FOLDED)) {
      const button = cell.node.querySelector(`:scope.linlib-folds ${part}`);
      if (!button || button.hasAttribute("role")) continue;
      for (const [name, value] of [["role", "button"], ["tabindex", "0"], ["aria-label", words]]) say(button, name, value);
      button.addEventListener("click", () => cell.node.focus({ preventScroll: true })); // it will be gone
    }
  }

  /** Press such a button by a key, before JupyterLab takes the key for one of its commands. */
  function pressed(event) {
    if (!["Enter", " "].includes(event.key) || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!event.target.matches?.(".linlib-folds .jp-Placeholder[role]")) return;
    event.preventDefault();
    event.stopPropagation();
    event.target.click();
  }

  function describe(cell, index) {
    say(cell.node, "role", "article");
    const plumbing = tags(cell).includes("hide-input") || source(cell).includes("plotting.use_style()");
    cell.node.classList.toggle("linlib-folds", plumbing || tagged(cell));
    if (plumbing && !tagged(cell)) cover(cell, true);
    press(cell);
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

  /** Keep a page where it is for some seconds, or until its reader does something: JupyterLab scrolls
   * to the last cell it was told to run, sooner or later, when it has laid out all of them. */
  function hold(page) {
    const { scrollTop } = page;
    const stay = () => { page.scrollTop = scrollTop; };
    page.addEventListener("scroll", stay);
    const acts = ["wheel", "pointerdown", "touchstart", "keydown"];
    const release = () => {
      page.removeEventListener("scroll", stay);
      for (const act of acts) window.removeEventListener(act, release, true);
    };
    for (const act of acts) window.addEventListener(act, release, true);
    setTimeout(release, 5000);
  }

  /** Run every cell once the kernel is there, and leave the reader where the page was. */
  async function runAll(app) {
    const { content, sessionContext } = app.shell.currentWidget ?? {};
    if (!sessionContext) return;
    await sessionContext.ready;
    const { activeCellIndex, outerNode } = content;
    hold(outerNode);
    const done = app.commands.execute("notebook:run-all-cells");
    content.activeCellIndex = activeCellIndex;
    await done;
  }

  function activate(app) {
    app.commands.addCommand("linlib:run-all", {
      label: "Run all", execute: () => runAll(app),
    });
    make(document.head, "style", {}, STYLE + SAID + window.linlibPredict.STYLE);
    let waiting = false;
    const look = () => {
      if (!waiting) requestAnimationFrame(everything);
      waiting = true;
    };
    const everything = () => {
      waiting = false;
      for (const panel of app.shell.widgets("main")) {
        const cells = panel.content?.widgets ?? [];
        cells.forEach(describe);
        predictions(cells, look);
      }
    };
    const line = ".linlib-asks .linlib-status";
    const news = `img, p, .jp-Cell, .jp-OutputArea, .jp-Placeholder, .cm-content, .jp-collapseHeadingButton, mjx-container, ${line}`;
    const isNew = (node) => node.nodeType === Node.ELEMENT_NODE
      ? node.matches(news) || node.querySelector(news)
      : node.textContent === GONE;
    const isNews = ({ target, addedNodes }) => target.matches(line) || [...addedNodes].some(isNew);
    new MutationObserver((changes) => {
      if (!waiting && changes.some(isNews)) look();
    }).observe(document.body, { childList: true, subtree: true });
    window.addEventListener("keydown", pressed, true);
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB["linlib-lab"] = {
    init() {},
    async get() {
      await beside("predict.js");
      return () => ({ __esModule: true, default: { id: "linlib-lab:describe", autoStart: true, activate } });
    },
  };
})();
