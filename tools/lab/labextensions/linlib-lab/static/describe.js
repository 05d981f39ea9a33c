// What JupyterLab leaves out for readers who do not see the page: the alt text that is stored beside
// a figure, names for its editors, and cells that are articles of the feed they stand in.
// It is loaded as it stands: a module of the kind that JupyterLab's own builder would make.
(() => {
  "use strict";

  /** Set an attribute, if it is not set so already. */
  function say(node, name, value) {
    if (node && value && node.getAttribute(name) !== value) node.setAttribute(name, value);
  }

  function describe(cell, index) {
    say(cell.node, "role", "article");
    const kind = cell.model?.type === "code" ? "Code" : "Text";
    say(cell.node.querySelector(".cm-content"), "aria-label", `${kind} of cell ${index + 1}`);
    const outputs = cell.model?.outputs;
    const shown = cell.outputArea?.widgets ?? [];
    for (let at = 0; at < Math.min(outputs?.length ?? 0, shown.length); at += 1) {
      const alt = outputs.get(at).metadata?.["image/png"]?.alt;
      say(shown[at].node.querySelector("img"), "alt", alt);
    }
  }

  function activate(app) {
    let waiting = false;
    const everything = () => {
      waiting = false;
      for (const panel of app.shell.widgets("main")) (panel.content?.widgets ?? []).forEach(describe);
    };
    const news = "img, .jp-Cell, .cm-content";
    const isNew = (node) =>
      node.nodeType === Node.ELEMENT_NODE && (node.matches(news) || node.querySelector(news));
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
