// What JupyterLab leaves out for readers who do not see the page: the alt text that is stored beside
// a figure, names for its editors, and cells that are articles of the feed they stand in. And what it
// leaves out of a notebook that was saved and opened again: the still picture of an explorer. And what
// it does not leave out: the first line of a folded answer, which would give the answer away.
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

  function describe(cell, index) {
    say(cell.node, "role", "article");
    const tags = cell.model?.getMetadata?.("tags") ?? [];
    cell.node.classList.toggle("linlib-answer", tags.includes("answer"));
    const kind = cell.model?.type === "code" ? "Code" : "Text";
    say(cell.node.querySelector(".cm-content"), "aria-label", `${kind} of cell ${index + 1}`);
    const outputs = cell.model?.outputs;
    const shown = cell.outputArea?.widgets ?? [];
    for (let at = 0; at < Math.min(outputs?.length ?? 0, shown.length); at += 1) {
      const output = outputs.get(at);
      still(shown[at].node.querySelector(".jp-OutputArea-output"), output);
      say(shown[at].node.querySelector("img"), "alt", output.metadata?.["image/png"]?.alt);
    }
  }

  function activate(app) {
    const style = document.createElement("style");
    style.textContent = STYLE;
    document.head.append(style);
    let waiting = false;
    const everything = () => {
      waiting = false;
      for (const panel of app.shell.widgets("main")) (panel.content?.widgets ?? []).forEach(describe);
    };
    const news = "img, .jp-Cell, .cm-content";
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
