// One canvas for all explorers: draws the scene that Python sends, and reports what the reader does.
// No mathematics here. A moved handle is shown at once where the reader put it; at most one event is
// on its way to Python, later moves of the same handle replace each other, and a picture that was
// computed before the newest move never makes the handle jump back. Without Python the last picture
// stays, with one line that says how to bring it to life.

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 54, TOP = 30, RIGHT = 14, BOTTOM = 48; // around a picture that is not shrunk
const PATIENCE = 10000; // milliseconds until an unanswered event is given up
const SLOW = 1500; // milliseconds until the reader is told that Python is busy
const GLANCE = 1000; // milliseconds between two looks whether the kernel is still there
const SPOKEN = 400; // milliseconds of quiet before the sentence is read aloud
const ASLEEP = "This explorer is asleep: run its cell again (Shift+Enter) to bring it to life.";
const BUSY = "Python is busy with another cell; the picture will follow.";

// ---------------------------------------------------------------- without a document

// Events on their way to Python: one at a time, each with a number; moves of one handle merge.
export class Mailbox {
  constructor(send, { patience = PATIENCE, slow = SLOW, onSlow = () => {}, onLost = () => {} } = {}) {
    Object.assign(this, { post: send, patience, slow, onSlow, onLost });
    this.queue = [];
    this.sent = 0;
    this.waiting = null; // the number of the event that Python has not answered yet
  }

  push(event) {
    const last = this.queue.at(-1);
    const again = event.type === "move" && last?.type === "move" && last.id === event.id;
    if (again) this.queue.pop();
    this.queue.push(event);
    this.pump();
  }

  pump() {
    if (this.waiting !== null || !this.queue.length) return;
    this.sent += 1;
    this.waiting = this.sent;
    this.timers = [
      setTimeout(() => this.onSlow(true), this.slow),
      setTimeout(() => { this.answered(this.waiting); this.pump(); }, this.patience),
    ];
    try {
      this.post({ ...this.queue.shift(), number: this.sent });
    } catch (error) { // the kernel behind this picture is gone
      this.close();
      this.onLost(error);
    }
  }

  // Take an answer; tell whether nothing is on its way any more.
  answered(number) {
    if (this.waiting === null || number < this.waiting) return false;
    this.stop();
    this.waiting = null;
    return !this.queue.length;
  }

  stop() {
    (this.timers ?? []).forEach(clearTimeout);
    this.onSlow(false);
  }

  close() {
    this.stop();
    this.queue = [];
    this.waiting = null;
  }
}

export function clamped([x, y], { xlim, ylim }) {
  return [Math.min(Math.max(x, xlim[0]), xlim[1]), Math.min(Math.max(y, ylim[0]), ylim[1])];
}

// The place on the rail of a handle that is nearest to a place.
export function onRail([x, y], at, rail) {
  const along = (x - at[0]) * rail[0] + (y - at[1]) * rail[1];
  return [at[0] + along * rail[0], at[1] + along * rail[1]];
}

// Where an arrow key moves a handle. On a rail, right and up mean forwards where the rail goes right
// or up.
export function nudged([x, y], [right, up], step, rail) {
  if (!rail) return [x + right * step, y + up * step];
  const sign = right ? right * (Math.sign(rail[0]) || 1) : up * (Math.sign(rail[1]) || 1);
  return [x + sign * step * rail[0], y + sign * step * rail[1]];
}

// Which handle is chosen after the chosen one was removed: the one that took its place.
export function heir(ids, chosen, before) {
  if (ids.includes(chosen)) return chosen;
  const at = Math.max(before.indexOf(chosen), 0);
  return ids[Math.min(at, ids.length - 1)];
}

// How much larger than the picture its letters are drawn, when the picture is shrunk to fit.
export function enlargement(meant, shown) {
  return Math.round(100 * Math.min(Math.max(meant / shown, 1), 1.8)) / 100;
}

export const SHAPES = {
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

// ---------------------------------------------------------------- drawing

function make(parent, tag, attributes = {}, text) {
  const svg = parent.namespaceURI === SVG || tag === "svg";
  const node = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

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
    this.k = 0; // how much larger letters are drawn, 0 until the picture was seen
    this.svg = make(parent, "svg", { class: "linlib-panel", role: "group" });
    const rule = make(make(this.svg, "defs"), "clipPath", { id: clip });
    this.window = make(rule, "rect");
    this.back = make(this.svg, "rect", { class: "linlib-back" });
    this.drawn = make(this.svg, "g", { "clip-path": `url(#${clip})`, "aria-hidden": "true" });
    this.frame = make(this.svg, "g", { class: "linlib-frame", "aria-hidden": "true" });
    this.labels = make(this.svg, "g", { "aria-hidden": "true" });
    this.grips = make(this.svg, "g");
    // Chromium ignores touch-action on what is inside an SVG: without this, a page that starts to
    // scroll takes the pointer away from a handle. Touches beside handles still scroll.
    this.svg.addEventListener("touchstart", (event) => {
      if (event.target.closest(".linlib-handle")) event.preventDefault();
    }, { passive: false });
  }

  update(data) {
    this.data = data;
    const [width, height] = data.size, k = this.k || 1;
    this.left = k * LEFT;
    this.top = k * TOP;
    const area = { x: this.left, y: this.top, width, height };
    const whole = [width + k * (LEFT + RIGHT), height + k * (TOP + BOTTOM)];
    this.svg.setAttribute("viewBox", `0 0 ${whole[0]} ${whole[1]}`);
    this.svg.style.width = `${this.meant()}px`;
    this.svg.setAttribute("aria-label", data.title || "picture");
    for (const node of [this.window, this.back]) {
      for (const [name, value] of Object.entries(area)) node.setAttribute(name, value);
    }
    this.back.classList.toggle("linlib-adds", data.adds);
    this.drawn.replaceChildren();
    this.labels.replaceChildren();
    for (const item of data.drawables) this.draw(item);
    this.axes(width, height);
  }

  // How wide the picture is where there is room for it.
  meant() {
    return this.data.size[0] + LEFT + RIGHT;
  }

  // Draw letters so much larger, and the room for them.
  enlarge(k) {
    if (k === this.k) return;
    this.k = k;
    this.svg.style.setProperty("--linlib-scale", k);
    this.update(this.data);
  }

  x(value) {
    const [low, high] = this.data.xlim;
    return this.left + ((value - low) / (high - low)) * this.data.size[0];
  }

  y(value) {
    const [low, high] = this.data.ylim;
    return this.top + ((high - value) / (high - low)) * this.data.size[1];
  }

  // The place under the pointer, in the units of the data.
  place(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      this.svg.getScreenCTM().inverse(),
    );
    const { xlim, ylim, size } = this.data;
    return [
      xlim[0] + ((at.x - this.left) / size[0]) * (xlim[1] - xlim[0]),
      ylim[1] - ((at.y - this.top) / size[1]) * (ylim[1] - ylim[0]),
    ];
  }

  axes(width, height) {
    const { data, frame, left, top } = this, k = this.k || 1;
    frame.replaceChildren();
    make(frame, "path", { d: `M${left},${top}v${height}h${width}` });
    for (const [value, label] of data.xticks) {
      make(frame, "path", { d: `M${this.x(value)},${top + height}v5` });
      const under = { x: this.x(value), y: top + height + 19 * k, "text-anchor": "middle" };
      make(frame, "text", under, label);
    }
    for (const [value, label] of data.yticks) {
      make(frame, "path", { d: `M${left},${this.y(value)}h-5` });
      const beside = { x: left - 9, y: this.y(value) + 4.5 * k, "text-anchor": "end" };
      make(frame, "text", beside, label);
    }
    const middle = left + width / 2, side = top + height / 2;
    const end = { "text-anchor": "middle", class: "linlib-name" };
    make(frame, "text", { x: middle, y: top + height + 40 * k, ...end }, data.xlabel);
    // A short name stands above its axis, where no number is; a long one is turned, beside them.
    const short = data.ylabel.length <= 3, at = 14 * k;
    const turned = { x: at, y: side, transform: `rotate(-90 ${at} ${side})` };
    make(frame, "text", { ...(short ? { x: left - 24, y: 19 * k } : turned), ...end }, data.ylabel);
    make(frame, "text", { x: middle, y: 19 * k, ...end, class: "linlib-title" }, data.title);
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
      const [a, b] = clamped(item.at, this.data);
      if (a !== x || b !== y) return; // words about a place outside would stand beside the picture
      const at = { x: this.x(x) + right, y: this.y(y) - up, "text-anchor": item.anchor };
      const look = { fill: item.colour, class: "linlib-text", "data-name": item.name || "text" };
      make(this.labels, "text", { ...at, ...look }, item.text);
    }
  }

  arrow(item, stroke) {
    const [from, to] = [item.tail, item.tip].map(([x, y]) => [this.x(x), this.y(y)]);
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
    this.el = el;
    this.view = Math.random().toString(36).slice(2); // tells two views of one explorer apart
    this.local = new Map(); // where the reader put a handle, until Python has answered
    this.grips = new Map(); // by panel and id: points may be shown in several panels
    this.panels = [];
    this.gesture = 0;
    this.mail = new Mailbox((event) => model.send({ ...event, view: this.view }), {
      onSlow: (slow) => this.note(slow ? model.busy ?? BUSY : ""), // a page has a line of its own
      onLost: () => { this.failed = true; this.sleep(); },
    });
    this.build();
    this.root.linlibScene = () => JSON.stringify(this.data); // for the browser tests, as the next
    this.root.linlibPending = () => this.mail.waiting !== null || this.mail.queue.length > 0;
    this.root.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("focusin", this.quiet);
    this.follow = () => this.scene(model.get("scene"));
    this.given = (content) => this.take(content);
    this.alive = () => setTimeout(() => this.look()); // when ipywidgets has marked the view
    model.on("change:scene", this.follow);
    model.on("msg:custom", this.given);
    model.on("comm_live_update", this.alive);
    this.follow();
    // Sliders may come to the page after the first scene: they are named when they are seen.
    this.looking = setInterval(() => { this.look(); this.sliders(); }, GLANCE);
    this.resized = new ResizeObserver(() => { this.scale(); this.sliders(); });
    this.resized.observe(this.root);
  }

  build() {
    this.root = make(this.el, "div", { class: "linlib-canvas", role: "group", tabindex: "-1" });
    this.lost = make(this.root, "div", { class: "linlib-note", role: "status" });
    const both = make(this.root, "div", { class: "linlib-both" });
    const paper = make(both, "div", { class: "linlib-paper" });
    this.row = make(paper, "div", { class: "linlib-row linlib-fresh" });
    // Below the picture: its length changes, and what is being dragged must not move away.
    this.legend = make(paper, "div", { class: "linlib-legend", "aria-hidden": "true" });
    const side = make(both, "div", { class: "linlib-side" });
    this.status = make(side, "div", { class: "linlib-status", id: `linlib-${this.view}` });
    // A reader who listens hears the sentence once the picture rests, not at every pixel.
    this.spoken = make(side, "div", { class: "linlib-spoken", role: "status", "aria-live": "polite" });
    this.tools = make(side, "div", { class: "linlib-tools", role: "toolbar", "aria-label": "Tools" });
    this.buttons = {};
    const tool = (name, label, tip, act) => {
      const button = make(this.tools, "button", { type: "button", title: tip, "data-tool": name }, label);
      button.addEventListener("click", act);
      this.buttons[name] = button;
    };
    const send = (type) => () => this.mail.push({ type });
    tool("undo", "Undo", "Undo the last change (Ctrl+Z)", send("undo"));
    tool("redo", "Redo", "Do it again (Ctrl+Y)", send("redo"));
    tool("reset", "Reset", "Everything as the cell first showed it", send("reset"));
    tool("add", "Add", "Add a point (A)", () => this.addInMiddle());
    tool("relabel", "Relabel", "Give the chosen point the next label (L)", () => this.relabel());
    tool("remove", "Remove", "Remove the chosen point (Delete)", () => this.remove());
    this.more = make(side, "details", { class: "linlib-more" });
    make(this.more, "summary", {}, "Copy, paste, save");
    const more = make(this.more, "div", { class: "linlib-tools" });
    for (const [type, label] of [["python", "Copy as Python"], ["state", "Copy state"],
      ["picture", "Save picture"]]) {
      make(more, "button", { type: "button", "data-tool": type }, label)
        .addEventListener("click", send(type));
    }
    const name = `linlib-text-${this.view}`;
    make(this.more, "label", { for: name }, "Copied text; or paste a state here:");
    this.box = make(this.more, "textarea", { id: name, rows: 3, spellcheck: "false" });
    make(more, "button", { type: "button", "data-tool": "paste" }, "Put in pasted state")
      .addEventListener("click", () => this.mail.push({ type: "paste", text: this.box.value }));
    this.hint = make(side, "div", { class: "linlib-hint" });
  }

  // JupyterLab's one-key commands (D D deletes a cell) must not fire inside an explorer, its
  // buttons and lists included. JupyterLab looks for this mark on the focused element itself.
  quiet({ target }) {
    if (target.closest?.(".linlib-explorer, .linlib-canvas")) {
      target.setAttribute("data-lm-suppress-shortcuts", "true");
    }
  }

  close() {
    this.model.off("change:scene", this.follow);
    this.model.off("msg:custom", this.given);
    this.model.off("comm_live_update", this.alive);
    document.removeEventListener("focusin", this.quiet);
    this.mail.close();
    this.resized.disconnect();
    clearInterval(this.looking);
    [this.timer, this.speaking].forEach(clearTimeout);
  }

  // ---- with and without a kernel

  // ipywidgets marks a view whose model has lost its kernel.
  look() {
    const { widget_manager: manager } = this.model;
    const gone = manager && "kernel" in manager && !manager.kernel; // it was shut down
    if (gone || this.el.closest(".jupyter-widgets-disconnected")) this.sleep();
    else if (this.asleep && !this.failed) this.wake();
  }

  sleep() {
    if (this.asleep) return;
    this.asleep = true;
    this.mail.close();
    this.local.clear();
    clearTimeout(this.timer);
    this.note(ASLEEP);
    if (this.data) this.drawGrips(false);
    this.root.classList.add("linlib-asleep");
    // Nothing in it can do anything any more; its controls would raise errors if they tried.
    const whole = this.el.closest(".linlib-explorer") ?? this.root;
    const boxes = [...whole.querySelectorAll(".widget-box, .linlib-row, .linlib-tools, .linlib-more")];
    this.stopped = boxes.filter((box) => !box.contains(this.root));
    for (const box of this.stopped) box.inert = true;
  }

  wake() {
    this.asleep = false;
    this.note("");
    this.root.classList.remove("linlib-asleep");
    for (const box of this.stopped) box.inert = false;
    this.follow();
  }

  note(words) {
    if (this.asleep && words !== ASLEEP) return;
    if (this.lost.textContent !== words) this.lost.textContent = words;
  }

  // Where the picture is shrunk to fit, letters and what fingers touch are not.
  scale() {
    for (const panel of this.panels) {
      const shown = panel.svg.getBoundingClientRect().width;
      if (shown) panel.enlarge(enlargement(panel.meant(), shown));
    }
    for (const grip of this.grips.values()) this.placeGrip(grip);
  }

  // ---- from Python

  scene(scene) {
    if (!scene?.panels) return;
    const [view, number] = scene.echo ?? [];
    if (view === this.view && this.mail.answered(number)) this.local.clear();
    this.data = scene;
    this.root.setAttribute("aria-label", scene.name);
    while (this.panels.length > scene.panels.length) this.panels.pop().svg.remove();
    while (this.panels.length < scene.panels.length) this.addPanel();
    scene.panels.forEach((panel, k) => this.panels[k].update(panel));
    if (this.panels.some(({ k }) => !k)) this.scale();
    this.drawLegend(scene.legend);
    const added = view === this.view && scene.chosen;
    if (added) this.chosen = scene.chosen;
    this.drawGrips(added);
    this.say(scene);
    if (this.hint.textContent !== scene.hint) this.hint.textContent = scene.hint;
    this.drawTools(scene);
    this.sliders();
    this.root.setAttribute("data-count", scene.count);
    clearTimeout(this.timer);
    if (scene.beat && !this.asleep) {
      const { wait, number: beat } = scene.beat;
      this.timer = setTimeout(() => this.mail.push({ type: "tick", beat }), wait);
    }
    this.mail.pump();
  }

  // The sentence, its numbers tied to what shows them in the picture.
  say(scene) {
    if (this.status.textContent !== scene.text) {
      this.status.replaceChildren();
      for (const [words, name] of scene.pieces ?? [[scene.text, ""]]) {
        if (!name) { this.status.append(words); continue; }
        const number = make(this.status, "span", { class: "linlib-number", "data-for": name }, words);
        number.addEventListener("pointerenter", () => this.light(name, true));
        number.addEventListener("pointerleave", () => this.light(name, false));
      }
      clearTimeout(this.speaking);
      this.speaking = setTimeout(() => { this.spoken.textContent = scene.text; }, SPOKEN);
    }
  }

  light(name, on) {
    const quoted = CSS.escape(name);
    for (const node of this.row.querySelectorAll(`[data-name="${quoted}"], [data-id="${quoted}"]`)) {
      node.classList.toggle("linlib-lit", on);
    }
  }

  drawTools(scene) {
    const can = {
      undo: scene.undo, redo: scene.redo, reset: scene.moved, add: scene.adds,
      relabel: scene.relabels && this.chosen, remove: scene.removes && this.chosen,
    };
    for (const [name, button] of Object.entries(this.buttons)) {
      button.disabled = this.asleep || !can[name];
      button.hidden = { add: !scene.adds, relabel: !scene.relabels, remove: !scene.removes }[name] ?? false;
    }
  }

  // ipywidgets leaves the grip of a slider without a name, and has it speak unrounded numbers.
  sliders() {
    const whole = this.el.closest(".linlib-explorer");
    for (const grip of whole?.querySelectorAll(".widget-slider [role=slider]") ?? []) {
      const slider = grip.closest(".widget-slider");
      const name = slider.querySelector(".widget-label")?.textContent;
      const value = slider.querySelector(".widget-readout")?.textContent;
      if (name && grip.getAttribute("aria-label") !== name) grip.setAttribute("aria-label", name);
      if (value && grip.getAttribute("aria-valuetext") !== value) grip.setAttribute("aria-valuetext", value);
    }
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
      panel.handles.map((handle) => ({ ...handle, panel: k, key: `${k} ${handle.id}` })));
  }

  // What the keyboard goes through: every id once, in the first panel that has it.
  ids() {
    return [...new Set(this.handles().map(({ id }) => id))];
  }

  grip(id) {
    for (const grip of this.grips.values()) if (grip.handle.id === id) return grip;
    return undefined;
  }

  drawGrips(refocus) {
    const handles = this.handles(), keys = new Set(handles.map(({ key }) => key));
    const inside = this.root.contains(document.activeElement);
    const before = this.known ?? [];
    for (const [key, grip] of this.grips) {
      if (!keys.has(key)) {
        grip.node.remove();
        this.grips.delete(key);
      }
    }
    this.known = this.ids();
    this.chosen = heir(this.known, this.chosen, before);
    const first = new Set();
    for (const handle of handles) {
      this.drawGrip(handle, first.has(handle.id));
      first.add(handle.id);
    }
    const lost = !this.root.contains(document.activeElement); // the focused handle was removed
    if (inside && (lost || refocus)) {
      if (this.chosen) this.choose(this.chosen);
      else (this.buttons.add.hidden ? this.root : this.buttons.add).focus({ preventScroll: true });
    }
  }

  drawGrip(handle, twin) {
    let grip = this.grips.get(handle.key);
    if (!grip) {
      grip = { node: make(this.panels[handle.panel].grips, "g", { class: "linlib-handle" }) };
      this.grips.set(handle.key, grip);
      this.listen(grip);
    }
    const look = JSON.stringify([handle.marker, handle.colour, handle.size]);
    if (grip.look !== look) {
      grip.look = look;
      grip.node.replaceChildren();
      make(grip.node, "circle", { r: 17, class: "linlib-touch" });
      make(grip.node, "circle", { r: handle.size + 8, class: "linlib-focus" });
      shape(grip.node, handle);
    }
    Object.assign(grip, { handle, twin });
    grip.node.setAttribute("data-id", handle.id);
    if (twin) grip.node.setAttribute("aria-hidden", "true");
    else grip.node.setAttribute("role", "button");
    this.mark(grip);
    this.placeGrip(grip);
  }

  mark({ node, handle, twin }) {
    const chosen = handle.id === this.chosen;
    if (!twin) node.setAttribute("tabindex", chosen && !this.asleep ? 0 : -1);
    node.classList.toggle("linlib-chosen", chosen);
  }

  placeGrip({ node, handle }) {
    const panel = this.panels[handle.panel];
    const [x, y] = this.local.get(handle.id) ?? handle.at;
    const larger = panel.k > 1 ? ` scale(${panel.k})` : "";
    node.setAttribute("transform", `translate(${panel.x(x)} ${panel.y(y)})${larger}`);
    node.setAttribute("aria-label", `${handle.label} at ${x.toFixed(2)}, ${y.toFixed(2)}`);
  }

  // ---- from the reader

  listen(grip) {
    const { node } = grip;
    node.addEventListener("pointerdown", (event) => {
      if (event.button || this.asleep) return;
      event.preventDefault();
      const meant = this.nearest(event, grip);
      meant.node.setPointerCapture(event.pointerId);
      this.choose(meant.handle.id);
      const at = this.local.get(meant.handle.id) ?? meant.handle.at;
      const [x, y] = this.panels[meant.handle.panel].place(event);
      meant.grabbed = [at[0] - x, at[1] - y];
      this.held = meant;
      this.gesture += 1;
    });
    node.addEventListener("pointermove", (event) => {
      if (!grip.grabbed) return;
      const [x, y] = this.panels[grip.handle.panel].place(event);
      this.shift(grip, [x + grip.grabbed[0], y + grip.grabbed[1]]);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      node.addEventListener(end, () => { grip.grabbed = null; this.held = null; });
    }
    node.addEventListener("focus", () => this.choose(grip.handle.id, false));
    node.addEventListener("dblclick", (event) => this.relabel(this.nearest(event, grip).handle.id));
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
    for (const grip of this.grips.values()) this.mark(grip);
    if (focus) this.grip(id)?.node.focus({ preventScroll: true });
    if (this.data) this.drawTools(this.data);
  }

  shift(grip, [x, y]) {
    const { id, at, rail, panel } = grip.handle;
    if (rail) [x, y] = onRail([x, y], at, rail);
    [x, y] = clamped([x, y], this.panels[panel].data);
    this.local.set(id, [x, y]);
    for (const one of this.grips.values()) if (one.handle.id === id) this.placeGrip(one);
    this.push({ type: "move", id, x, y, gesture: this.gesture });
  }

  relabel(id = this.chosen) {
    if (this.data.relabels && id) this.push({ type: "relabel", id });
  }

  remove(id = this.chosen) {
    if (this.data.removes && id) this.push({ type: "remove", id });
  }

  // Escape takes back a drag that goes on.
  cancel() {
    const { held } = this;
    if (!held) return false;
    held.grabbed = null;
    this.held = null;
    this.mail.queue = this.mail.queue.filter(({ type }) => type !== "move");
    this.local.clear();
    this.mail.push({ type: "cancel", gesture: this.gesture });
    return true;
  }

  key(event) {
    if (!this.data || this.asleep || event.target === this.box) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      const back = key === "z" && !event.shiftKey, forth = key === "y" || (key === "z" && event.shiftKey);
      if (back && this.data.undo) this.mail.push({ type: "undo" });
      else if (forth && this.data.redo) this.mail.push({ type: "redo" });
      else if (!back && !forth) return;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const grip = this.grip(this.chosen), ids = this.ids();
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const next = (by) => this.choose(ids[(ids.indexOf(this.chosen) + by + ids.length) % ids.length]);
    const within = event.target.closest?.(".linlib-row") || event.target === this.root;
    if (key === "Escape") { if (!this.cancel()) return; }
    else if (!within) return;
    else if (arrow[key] && grip) this.nudge(grip, arrow[key], event.shiftKey);
    else if ((key === "n" || key === "]") && ids.length) next(1);
    else if ((key === "p" || key === "[") && ids.length) next(-1);
    else if (key === "a" && this.data.panels.some(({ adds }) => adds)) this.addInMiddle();
    else if (key === "l" && this.data.relabels && grip) this.relabel();
    else if ((key === "Delete" || key === "Backspace") && grip) this.remove();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  nudge(grip, way, large) {
    const { handle } = grip;
    const step = this.panels[handle.panel].data.step * (large ? 5 : 1);
    this.gesture += 1;
    this.shift(grip, nudged(this.local.get(handle.id) ?? handle.at, way, step, handle.rail));
  }

  addInMiddle() {
    const panel = this.data.panels.findIndex(({ adds }) => adds);
    if (panel < 0) return;
    const { xlim, ylim } = this.data.panels[panel];
    this.push({ type: "add", panel, x: (xlim[0] + xlim[1]) / 2, y: (ylim[0] + ylim[1]) / 2 });
  }

  push(event) {
    if (this.asleep) return;
    this.row.classList.remove("linlib-fresh"); // the reader knows by now what can be moved
    this.mail.push(event);
  }

  // ---- what Python hands over: text to copy, a picture to save

  async take({ type, content, view, name } = {}) {
    if (view !== this.view) return;
    if (type === "picture") {
      const link = make(document.body, "a", {
        href: `data:image/png;base64,${content}`, download: `${name.toLowerCase().replaceAll(" ", "-")}.png`,
      });
      link.click();
      link.remove();
      return;
    }
    this.box.value = content;
    this.box.select();
    try {
      await navigator.clipboard.writeText(content);
      this.note("Copied.");
    } catch { // not allowed here: the text is selected, and Ctrl+C copies it
      this.note("Press Ctrl+C to copy the selected text.");
    }
    setTimeout(() => this.note(""), 4000);
  }
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.close();
  },
};
