// One canvas for all explorers: draws the scene that Python sends, and reports what the reader does.
// No mathematics here. A moved handle is shown at once where the reader put it; at most one event is
// on its way to Python, later moves of the same handle replace each other, and a picture that was
// computed before the newest move never makes the handle jump back.

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 54, TOP = 30, RIGHT = 14, BOTTOM = 48;
const PATIENCE = 10000; // milliseconds until an unanswered event is given up

function make(parent, tag, attributes = {}, text) {
  const svg = parent.namespaceURI === SVG || tag === "svg";
  const node = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

const SHAPES = {
  o: (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
  s: (r) => `M${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  "^": (r) => `M0,${-1.25 * r}L${1.2 * r},${r}H${-1.2 * r}z`,
  v: (r) => `M0,${1.25 * r}L${1.2 * r},${-r}H${-1.2 * r}z`,
  D: (r) => `M0,${-1.35 * r}L${1.35 * r},0L0,${1.35 * r}L${-1.35 * r},0z`,
  P: (r) => {
    const a = 1.2 * r, b = 0.42 * r;
    return `M${-b},${-a}H${b}V${-b}H${a}V${b}H${b}V${a}H${-b}V${b}H${-a}V${-b}H${-b}z`;
  },
};

function shape(parent, { marker, colour, size }, attributes = {}) {
  const hollow = marker === "grip";
  return make(parent, "path", {
    d: SHAPES[hollow ? "o" : marker](size),
    fill: hollow ? "#ffffff" : colour,
    stroke: hollow ? colour : "#ffffff",
    "stroke-width": hollow ? 3 : 1.2,
    ...attributes,
  });
}

class Panel {
  constructor(parent, clip) {
    this.svg = make(parent, "svg", { class: "linlib-panel", role: "application" });
    const rule = make(make(this.svg, "defs"), "clipPath", { id: clip });
    this.window = make(rule, "rect");
    this.back = make(this.svg, "rect", { class: "linlib-back" });
    this.drawn = make(this.svg, "g", { "clip-path": `url(#${clip})`, "aria-hidden": "true" });
    this.frame = make(this.svg, "g", { class: "linlib-frame", "aria-hidden": "true" });
    this.labels = make(this.svg, "g", { "aria-hidden": "true" });
    this.grips = make(this.svg, "g");
  }

  update(data, describedby) {
    this.data = data;
    const [width, height] = data.size;
    const area = { x: LEFT, y: TOP, width, height };
    const whole = [width + LEFT + RIGHT, height + TOP + BOTTOM];
    this.svg.setAttribute("viewBox", `0 0 ${whole[0]} ${whole[1]}`);
    this.svg.style.width = `${whole[0]}px`;
    this.svg.setAttribute("aria-label", data.title || "picture");
    this.svg.setAttribute("aria-describedby", describedby);
    for (const node of [this.window, this.back]) {
      for (const [name, value] of Object.entries(area)) node.setAttribute(name, value);
    }
    this.back.classList.toggle("linlib-adds", data.adds);
    this.drawn.replaceChildren();
    this.labels.replaceChildren();
    for (const item of data.drawables) this.draw(item);
    this.axes(width, height);
  }

  x(value) {
    const [low, high] = this.data.xlim;
    return LEFT + ((value - low) / (high - low)) * this.data.size[0];
  }

  y(value) {
    const [low, high] = this.data.ylim;
    return TOP + ((high - value) / (high - low)) * this.data.size[1];
  }

  // The place under the pointer, in the units of the data.
  place(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      this.svg.getScreenCTM().inverse(),
    );
    const { xlim, ylim, size } = this.data;
    return [
      xlim[0] + ((at.x - LEFT) / size[0]) * (xlim[1] - xlim[0]),
      ylim[1] - ((at.y - TOP) / size[1]) * (ylim[1] - ylim[0]),
    ];
  }

  axes(width, height) {
    const { data, frame } = this;
    frame.replaceChildren();
    make(frame, "path", { d: `M${LEFT},${TOP}v${height}h${width}` });
    for (const [value, label] of data.xticks) {
      make(frame, "path", { d: `M${this.x(value)},${TOP + height}v5` });
      make(frame, "text", { x: this.x(value), y: TOP + height + 19, "text-anchor": "middle" }, label);
    }
    for (const [value, label] of data.yticks) {
      make(frame, "path", { d: `M${LEFT},${this.y(value)}h-5` });
      make(frame, "text", { x: LEFT - 9, y: this.y(value) + 4.5, "text-anchor": "end" }, label);
    }
    const middle = LEFT + width / 2, side = TOP + height / 2;
    const end = { "text-anchor": "middle", class: "linlib-name" };
    make(frame, "text", { x: middle, y: TOP + height + 40, ...end }, data.xlabel);
    const turned = { x: 16, y: side, transform: `rotate(-90 16 ${side})`, ...end };
    make(frame, "text", turned, data.ylabel);
    make(frame, "text", { x: middle, y: 19, ...end, class: "linlib-title" }, data.title);
  }

  draw(item) {
    const spot = ([x, y]) => `${this.x(x).toFixed(2)},${this.y(y).toFixed(2)}`;
    const stroke = {
      stroke: item.colour, fill: "none", "stroke-width": item.width,
      "stroke-dasharray": item.dash || "none", "stroke-opacity": item.alpha ?? 1,
      "data-name": item.name || item.kind,
    };
    if (item.kind === "path") {
      const d = `M${item.xy.map(spot).join("L")}${item.closed ? "z" : ""}`;
      const fill = item.fill ? { fill: item.fill, "fill-opacity": item.opacity } : {};
      make(this.drawn, "path", { ...stroke, d, ...fill });
    } else if (item.kind === "arrow") {
      this.arrow(item, stroke);
    } else if (item.kind === "marks") {
      for (const [x, y] of item.xy) {
        const move = { transform: `translate(${this.x(x)} ${this.y(y)})` };
        shape(this.drawn, item, { ...move, "data-name": item.name || "marks" });
      }
    } else if (item.kind === "ring") {
      const [x, y] = item.at;
      make(this.drawn, "circle", { ...stroke, cx: this.x(x), cy: this.y(y), r: item.size });
    } else if (item.kind === "text") {
      const [x, y] = item.at, [right, up] = item.offset;
      const at = { x: this.x(x) + right, y: this.y(y) - up, "text-anchor": item.anchor };
      const look = { fill: item.colour, class: "linlib-text", "data-name": item.name || "text" };
      make(this.labels, "text", { ...at, ...look }, item.text);
    }
  }

  arrow(item, stroke) {
    const [from, to] = [item.from, item.to].map(([x, y]) => [this.x(x), this.y(y)]);
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    if (length < 0.5) return;
    const [ux, uy] = [dx / length, dy / length], head = Math.min(13, length), half = head * 0.42;
    const neck = [to[0] - head * ux, to[1] - head * uy];
    const corners = [to, [neck[0] - half * uy, neck[1] + half * ux],
      [neck[0] + half * uy, neck[1] - half * ux]];
    make(this.drawn, "path", { ...stroke, d: `M${from}L${neck}` });
    const fill = { fill: item.colour, "fill-opacity": item.alpha ?? 1 };
    make(this.drawn, "path", { d: `M${corners.join("L")}z`, ...fill });
  }
}

class View {
  constructor(model, el) {
    this.model = model;
    this.view = Math.random().toString(36).slice(2); // tells two views of one explorer apart
    this.sent = 0;
    this.waiting = null; // the number of the event that Python has not answered yet
    this.queue = [];
    this.local = new Map(); // where the reader put a handle, until Python has answered
    this.grips = new Map();
    this.panels = [];
    this.root = make(el, "div", { class: "linlib-canvas", role: "group" });
    this.row = make(this.root, "div", { class: "linlib-row" });
    // Below the picture: its length changes, and what is being dragged must not move away.
    this.legend = make(this.root, "div", { class: "linlib-legend", "aria-hidden": "true" });
    const status = { class: "linlib-status", role: "status", "aria-live": "polite" };
    this.status = make(this.root, "div", { ...status, id: `linlib-${this.view}` });
    this.hint = make(this.root, "div", { class: "linlib-hint" });
    this.root.linlibScene = () => JSON.stringify(this.data); // for the browser tests, as the next
    this.root.linlibPending = () => this.waiting !== null || this.queue.length > 0;
    this.root.addEventListener("keydown", (event) => this.key(event));
    // JupyterLab's one-key commands (D D deletes a cell) must not fire inside an explorer, its
    // buttons and lists included. JupyterLab looks for this mark on the focused element itself.
    this.quiet = ({ target }) => {
      if (target.closest?.(".linlib-explorer, .linlib-canvas")) {
        target.setAttribute("data-lm-suppress-shortcuts", "true");
        // ipywidgets leaves the grip of a slider without a name.
        const name = target.closest(".widget-slider")?.querySelector(".widget-label")?.textContent;
        if (name && target.getAttribute("role") === "slider") target.setAttribute("aria-label", name);
      }
    };
    document.addEventListener("focusin", this.quiet);
    this.follow = () => this.scene(model.get("scene"));
    model.on("change:scene", this.follow);
    this.follow();
  }

  close() {
    this.model.off("change:scene", this.follow);
    document.removeEventListener("focusin", this.quiet);
    clearTimeout(this.timer);
    clearTimeout(this.given);
  }

  // ---- from Python

  scene(scene) {
    if (!scene.panels) return;
    const [view, number] = scene.echo ?? [];
    if (view === this.view && number >= this.waiting) this.answered();
    this.data = scene;
    this.root.setAttribute("aria-label", scene.name);
    while (this.panels.length > scene.panels.length) this.panels.pop().svg.remove();
    while (this.panels.length < scene.panels.length) this.addPanel();
    scene.panels.forEach((panel, k) => this.panels[k].update(panel, this.status.id));
    this.drawLegend(scene.legend);
    const added = view === this.view && scene.chosen;
    if (added) this.chosen = scene.chosen;
    this.drawGrips(added);
    if (this.status.textContent !== scene.text) this.status.textContent = scene.text;
    if (this.hint.textContent !== scene.hint) this.hint.textContent = scene.hint;
    this.root.setAttribute("data-count", scene.count);
    clearTimeout(this.timer);
    if (scene.beat) {
      const { wait, number: beat } = scene.beat;
      this.timer = setTimeout(() => this.push({ type: "tick", beat }), wait);
    }
    this.pump();
  }

  addPanel() {
    const index = this.panels.length;
    const panel = new Panel(this.row, `linlib-${this.view}-${index}`);
    panel.back.addEventListener("click", (event) => {
      if (!panel.data.adds || event.detail > 1) return;
      const [x, y] = panel.place(event);
      this.push({ type: "add", panel: index, x, y });
    });
    this.panels.push(panel);
  }

  drawLegend(entries) {
    const key = JSON.stringify(entries);
    if (this.key_of_legend === key) return;
    this.key_of_legend = key;
    this.legend.replaceChildren();
    for (const entry of entries) {
      const item = make(this.legend, "span");
      const icon = make(item, "svg", { viewBox: "-14 -9 28 18", width: 28, height: 18 });
      if (entry.marker) shape(icon, { ...entry, size: 6 });
      else {
        const dash = entry.dash || "none";
        make(icon, "path", {
          d: "M-13,0h26", stroke: entry.colour, "stroke-width": Math.min(entry.width, 6),
          "stroke-dasharray": dash, "stroke-opacity": entry.alpha ?? 1,
        });
      }
      make(item, "span", {}, entry.label);
    }
  }

  handles() {
    return this.data.panels.flatMap((panel, k) =>
      panel.handles.map((handle) => ({ ...handle, panel: k })));
  }

  drawGrips(refocus) {
    const handles = this.handles();
    const ids = new Set(handles.map(({ id }) => id));
    const inside = this.root.contains(document.activeElement);
    for (const [id, grip] of this.grips) {
      if (!ids.has(id)) {
        grip.node.remove();
        this.grips.delete(id);
      }
    }
    if (!ids.has(this.chosen)) this.chosen = handles[0]?.id;
    for (const handle of handles) this.drawGrip(handle);
    const lost = !this.root.contains(document.activeElement); // the focused handle was removed
    if (inside && (lost || refocus)) this.choose(this.chosen);
  }

  drawGrip(handle) {
    let grip = this.grips.get(handle.id);
    if (!grip) {
      grip = { node: make(this.panels[handle.panel].grips, "g", { class: "linlib-handle" }) };
      this.grips.set(handle.id, grip);
      this.listen(handle.id, grip);
    }
    const look = JSON.stringify([handle.marker, handle.colour, handle.size]);
    if (grip.look !== look) {
      grip.look = look;
      grip.node.replaceChildren();
      make(grip.node, "circle", { r: 17, class: "linlib-touch" });
      make(grip.node, "circle", { r: handle.size + 8, class: "linlib-focus" });
      shape(grip.node, handle);
    }
    grip.handle = handle;
    const chosen = handle.id === this.chosen;
    grip.node.setAttribute("tabindex", chosen ? 0 : -1);
    grip.node.setAttribute("role", "button");
    grip.node.setAttribute("data-id", handle.id);
    this.placeGrip(grip);
  }

  placeGrip({ node, handle }) {
    const panel = this.panels[handle.panel];
    const [x, y] = this.local.get(handle.id) ?? handle.at;
    node.setAttribute("transform", `translate(${panel.x(x)} ${panel.y(y)})`);
    node.setAttribute("aria-label", `${handle.label} at ${x.toFixed(2)}, ${y.toFixed(2)}`);
  }

  // ---- from the reader

  listen(id, grip) {
    const { node } = grip;
    node.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      const meant = this.nearest(event, grip);
      meant.node.setPointerCapture(event.pointerId);
      this.choose(meant.handle.id);
      const at = this.local.get(meant.handle.id) ?? meant.handle.at;
      const [x, y] = this.panels[meant.handle.panel].place(event);
      meant.grabbed = [at[0] - x, at[1] - y];
    });
    node.addEventListener("pointermove", (event) => {
      if (!grip.grabbed) return;
      const [x, y] = this.panels[grip.handle.panel].place(event);
      this.shift(grip, [x + grip.grabbed[0], y + grip.grabbed[1]]);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      node.addEventListener(end, () => { grip.grabbed = null; });
    }
    node.addEventListener("focus", () => this.choose(id, false));
    node.addEventListener("dblclick", (event) => {
      const meant = this.nearest(event, grip).handle.id;
      if (this.data.relabels) this.push({ type: "relabel", id: meant });
    });
  }

  // The areas that take the pointer overlap where points are close: the nearest handle is meant.
  nearest(event, grip) {
    const panel = this.panels[grip.handle.panel];
    const [x, y] = panel.place(event);
    const far = ({ handle: { id, at } }) => {
      const [a, b] = this.local.get(id) ?? at;
      return Math.hypot(panel.x(a) - panel.x(x), panel.y(b) - panel.y(y));
    };
    const rivals = [...this.grips.values()].filter(({ handle }) => handle.panel === grip.handle.panel);
    return rivals.reduce((best, other) => (far(other) < far(best) ? other : best), grip);
  }

  choose(id, focus = true) {
    this.chosen = id;
    for (const [name, { node }] of this.grips) node.setAttribute("tabindex", name === id ? 0 : -1);
    if (focus) this.grips.get(id)?.node.focus({ preventScroll: true });
  }

  shift(grip, [x, y]) {
    const { id, at, rail, panel } = grip.handle;
    const { xlim, ylim } = this.panels[panel].data;
    if (rail) {
      const along = (x - at[0]) * rail[0] + (y - at[1]) * rail[1];
      [x, y] = [at[0] + along * rail[0], at[1] + along * rail[1]];
    }
    x = Math.min(Math.max(x, xlim[0]), xlim[1]);
    y = Math.min(Math.max(y, ylim[0]), ylim[1]);
    this.local.set(id, [x, y]);
    this.placeGrip(grip);
    this.push({ type: "move", id, x, y });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.data) return;
    const grip = this.grips.get(this.chosen);
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const ids = this.handles().map(({ id }) => id);
    const next = (by) => this.choose(ids[(ids.indexOf(this.chosen) + by + ids.length) % ids.length]);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (arrow[key] && grip) this.nudge(grip, arrow[key], event.shiftKey);
    else if ((key === "n" || key === "]") && ids.length) next(1);
    else if ((key === "p" || key === "[") && ids.length) next(-1);
    else if (key === "a" && this.data.panels.some(({ adds }) => adds)) this.addByKey();
    else if (key === "l" && this.data.relabels && grip) this.push({ type: "relabel", id: this.chosen });
    else if ((key === "Delete" || key === "Backspace") && this.data.removes && grip) {
      this.push({ type: "remove", id: this.chosen });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  nudge(grip, [right, up], large) {
    const { handle } = grip;
    const step = this.panels[handle.panel].data.step * (large ? 5 : 1);
    const [x, y] = this.local.get(handle.id) ?? handle.at;
    const rail = handle.rail;
    if (rail) {
      // On a rail, right and up mean forwards where the rail goes right or up.
      const sign = right ? right * (Math.sign(rail[0]) || 1) : up * (Math.sign(rail[1]) || 1);
      this.shift(grip, [x + sign * step * rail[0], y + sign * step * rail[1]]);
    } else {
      this.shift(grip, [x + right * step, y + up * step]);
    }
  }

  addByKey() {
    const panel = this.data.panels.findIndex(({ adds }) => adds);
    const { xlim, ylim } = this.data.panels[panel];
    this.push({ type: "add", panel, x: (xlim[0] + xlim[1]) / 2, y: (ylim[0] + ylim[1]) / 2 });
  }

  // ---- to Python, one at a time

  push(event) {
    const last = this.queue.at(-1);
    if (event.type === "move" && last?.type === "move" && last.id === event.id) this.queue.pop();
    this.queue.push(event);
    this.pump();
  }

  pump() {
    if (this.waiting !== null || !this.queue.length) return;
    this.sent += 1;
    this.waiting = this.sent;
    this.given = setTimeout(() => { this.answered(); this.pump(); }, PATIENCE);
    this.model.send({ ...this.queue.shift(), view: this.view, number: this.sent });
  }

  answered() {
    clearTimeout(this.given);
    this.waiting = null;
    if (!this.queue.length) this.local.clear();
  }
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.close();
  },
};
