// One canvas for all explorers: draws the scene that Python sends, and reports what the reader does.
// No mathematics here. A moved handle is shown at once where the reader put it, with what follows from
// it by the panel's rule (rule.js); what waits for Python is dimmed. At most one event is on its way to
// Python, later moves of the same handle replace each other, and a picture that was computed before
// the newest move never makes the handle jump back. Without Python the last picture stays, with one
// line that says how to bring it to life.
/* global followed */

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 50, TOP = 30, RIGHT = 14, BOTTOM = 46; // pixels around a picture
const LEAST = 250, SIDE = 330, GAP = 12; // the narrowest picture beside another, the words beside them
// Pixels above and below the pictures, about, so that the whole explorer fits into its window.
const TASK = 44, LEGEND = 24; // the line above them, and the one below
const STRIP = 48; // the time line, or the controls that stand beside the picture
const EDGE = 16; // between the explorer and the edge of a window
const WORDS = 120, RUN = 30; // the sentence under them; that on a run is longer by a line
const TALLEST = 980; // on a window as tall as that, larger pictures show nothing more
// An explorer on a slide (its height is that of deck.css), what stands below it there, and its sentence.
const SLIDE = { tall: 540, foot: 76, words: 210 };
const PATIENCE = 10000; // milliseconds until an unanswered event is given up
const SLOW = 1500; // milliseconds until the reader is told that Python is busy
const GLANCE = 1000; // milliseconds between two looks whether the kernel is still there
const GLIMPSE = 250; // milliseconds for which a picture may be older than the hand, and not be dimmed
const SPOKEN = 400; // milliseconds of quiet before the sentence is read aloud
const MANY = 200; // steps of a run whose mistakes can be told apart on a time line
const FEW = 4; // handles that call for attention at the beginning
// What a reader does that changes the picture; copying does not, and steps have a line of their own.
const CHANGES = new Set(["move", "add", "relabel", "remove", "control", "press", "paste", "undo", "redo", "reset", "cancel"]);
const SEEN = 330; // milliseconds in which an update is seen
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
    const again = ["move", "go", "control"].includes(event.type) && last?.type === event.type
      && last.id === event.id && last.name === event.name;
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

  // Whether nothing is on its way.
  get quiet() {
    return this.waiting === null && !this.queue.length;
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

const area = ({ made }) => made.reduce((sum, [w, h]) => sum + w * h, 0);

// How wide and tall each picture is drawn, and whether the words stand beside them. As many pictures
// stand in a row as have room there, and all are so tall that they leave room for words: for `below`
// pixels of them under the pictures. What has more room for pictures is taken, beside if in doubt.
export function layout(sizes, width, room, below) {
  const fit = (wide, tall) => {
    const columns = Math.min(sizes.length, Math.max(1, Math.floor(wide / LEAST)));
    const made = sizes.map(([w, h], k) => {
      const row = sizes.slice(k - (k % columns), k - (k % columns) + columns);
      const free = wide - 1 - columns * (LEFT + RIGHT) - (columns - 1) * GAP; // a full row would break
      const total = row.reduce((sum, [one]) => sum + one, 0) * (columns / row.length);
      return [(free * w) / total, (free * h) / total];
    });
    const highest = Math.max(...made.map(([, h]) => h));
    const shrink = Math.min(1, Math.max(tall, 200) / highest);
    return { columns, made: made.map(([w, h]) => [w * shrink, h * shrink]) };
  };
  const under = fit(width, room - below), beside = fit(width - SIDE - GAP, room);
  const better = width >= 2 * SIDE && beside.columns === sizes.length && area(beside) >= 0.8 * area(under);
  return { ...(better ? beside : under), beside: better };
}

// A scene with a change that Python tells (`difference` of scene.py): what is not told stays.
export function merged(old, change) {
  if (!change.parts) return change.new;
  const made = Array.isArray(old) ? [...old] : { ...old };
  for (const [name, part] of Object.entries(change.parts)) made[name] = merged(old[name], part);
  return made;
}

// What mouse, finger and keyboard do.
export function hint({ edits }) {
  const mouse = ["Mouse or finger: drag a handle", edits && "click adds", edits && "double click relabels"];
  const keys = ["Keyboard: Tab into the picture", "N and P choose a handle (the dashed ring shows it)",
    "arrow keys move it, with Shift five times as far", edits && "A adds", edits && "L relabels",
    edits && "Delete removes", "Escape cancels a drag", "Ctrl+Z undoes"];
  return [mouse, keys].map((parts) => `${parts.filter(Boolean).join(", ")}.`).join(" ");
}

// A picture between two others: what both have under one name moves from where it was.
export function between(old, now, share) {
  const before = new Map(old.filter(({ name }) => name).map((item) => [`${item.kind} ${item.name}`, item]));
  const mix = (a, b) => b.map((to, k) => (Array.isArray(to) ? mix(a[k], to) : a[k] + share * (to - a[k])));
  return now.map((item) => {
    const was = before.get(`${item.kind} ${item.name}`);
    if (!was || item.fill || item.xy?.length > 2 || item.xy?.length !== was.xy?.length) return item;
    const moved = ["xy", "at", "tail", "tip"].filter((key) => item[key] && !item.text);
    return { ...item, ...Object.fromEntries(moved.map((key) => [key, mix(was[key], item[key])])) };
  });
}

// Where words can stand without lying on others: as they are meant to, or mirrored; null for nowhere.
export function spared([x, y], [right, up], anchor, wide, taken, [low, high]) {
  const way = { start: 0, middle: -0.5, end: -1 };
  const mirrored = { start: "end", middle: "middle", end: "start" }[anchor];
  for (const [dx, dy, side] of [[right, up, anchor], [-right, up, mirrored], [right, -up - 8, anchor],
    [-right, -up - 8, mirrored]]) {
    const left = x + dx + way[side] * wide, box = [left, y - dy - 12, left + wide, y - dy + 3];
    const free = taken.every(([a, b, c, d]) => box[2] + 4 <= a || c + 4 <= box[0] || box[3] <= b || d <= box[1]);
    if (free && box[0] >= low && box[2] <= high) return { x: x + dx, y: y - dy, side, box };
  }
  return null;
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
  const hollow = marker === "grip" || marker === "ring"; // a grip is to be moved, a ring points at something
  return make(parent, "path", {
    d: SHAPES[hollow ? "o" : marker](size),
    fill: marker === "ring" ? "none" : hollow ? "#ffffff" : colour,
    stroke: hollow ? colour : "#ffffff",
    "stroke-width": marker === "ring" ? 2 : hollow ? 3 : 1.2,
    ...attributes,
  });
}

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const coarse = () => matchMedia("(pointer: coarse)").matches;

class Panel {
  constructor(parent, clip) {
    this.area = [0, 0]; // pixels, until there is a page to measure
    this.svg = make(parent, "svg", { class: "linlib-panel", role: "group" });
    const rule = make(make(this.svg, "defs"), "clipPath", { id: clip });
    this.window = make(rule, "rect");
    this.back = make(this.svg, "rect", { class: "linlib-back" });
    const inside = { "clip-path": `url(#${clip})`, "aria-hidden": "true" };
    this.ghost = make(this.svg, "g", { ...inside, class: "linlib-ghost" });
    this.drawn = make(this.svg, "g", { ...inside, class: "linlib-drawn" });
    this.frame = make(this.svg, "g", { class: "linlib-frame", "aria-hidden": "true" });
    this.labels = make(this.svg, "g", { "aria-hidden": "true", class: "linlib-drawn" });
    this.grips = make(this.svg, "g");
    // Chromium ignores touch-action on what is inside an SVG: without this, a page that starts to
    // scroll takes the pointer away from a handle. Touches beside handles still scroll.
    this.svg.addEventListener("touchstart", (event) => {
      if (event.target.closest(".linlib-handle")) event.preventDefault();
    }, { passive: false });
  }

  // How large marks are: in a small picture they would hide each other.
  get scale() {
    return Math.min(1.25, Math.max(0.65, this.area[0] / this.data.size[0]));
  }

  update(data, seen = false) {
    const before = this.data;
    this.data = data;
    this.svg.setAttribute("aria-label", data.title || "picture");
    this.back.classList.toggle("linlib-adds", data.adds);
    this.svg.classList.toggle("linlib-ruled", Boolean(data.rule));
    this.rest();
    if (!this.area[0]) return;
    const same = before && String([before.xlim, before.ylim]) === String([data.xlim, data.ylim]);
    if (seen && same && !still()) this.turn(before);
    else this.draw(data.drawables);
    this.axes();
  }

  // Draw what has followed a handle; axes and all around stay.
  follow(data) {
    this.data = data;
    this.rest();
    if (this.area[0]) this.draw(data.drawables);
  }

  // End what moves by itself.
  rest() {
    cancelAnimationFrame(this.frames);
    this.moving = false;
    this.ghost.replaceChildren();
  }

  // Show an update: what moves, moves there; what was, fades.
  turn(before) {
    const began = performance.now();
    this.moving = true;
    this.ghost.replaceChildren(...this.drawn.cloneNode(true).children);
    this.ghost.querySelectorAll("[data-name]").forEach((node) => node.removeAttribute("data-name"));
    const step = (now) => {
      const share = Math.min(Math.max((now - began) / SEEN, 0), 1), eased = share * (2 - share);
      this.moving = share < 1;
      this.ghost.style.opacity = 1 - share;
      this.draw(between(before.drawables, this.data.drawables, eased));
      if (this.moving) this.frames = requestAnimationFrame(step);
      else this.ghost.replaceChildren();
    };
    step(began);
  }

  // Take so many pixels for the picture itself.
  resize([width, height]) {
    this.area = [width, height];
    const whole = [width + LEFT + RIGHT, height + TOP + BOTTOM];
    this.svg.setAttribute("viewBox", `0 0 ${whole[0]} ${whole[1]}`);
    Object.assign(this.svg.style, { width: `${whole[0]}px`, height: `${whole[1]}px` });
    for (const node of [this.window, this.back]) {
      for (const [name, value] of Object.entries({ x: LEFT, y: TOP, width, height })) node.setAttribute(name, value);
    }
    this.update(this.data);
  }

  x(value) {
    const [low, high] = this.data.xlim;
    return LEFT + ((value - low) / (high - low)) * this.area[0];
  }

  y(value) {
    const [low, high] = this.data.ylim;
    return TOP + ((high - value) / (high - low)) * this.area[1];
  }

  // The place under the pointer, in the units of the data.
  place(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      this.svg.getScreenCTM().inverse(),
    );
    const { xlim, ylim } = this.data, [width, height] = this.area;
    return [
      xlim[0] + ((at.x - LEFT) / width) * (xlim[1] - xlim[0]),
      ylim[1] - ((at.y - TOP) / height) * (ylim[1] - ylim[0]),
    ];
  }

  axes() {
    const { data, frame } = this, [width, height] = this.area;
    const bottom = TOP + height, middle = LEFT + width / 2, side = TOP + height / 2;
    frame.replaceChildren();
    if (data.xticks.length || data.yticks.length) make(frame, "path", { d: `M${LEFT},${TOP}v${height}h${width}` });
    let free = -Infinity; // numbers that would lie on each other are left out
    for (const [value, label] of data.xticks) {
      const at = this.x(value), half = 4 * label.length;
      make(frame, "path", { d: `M${at},${bottom}v5` });
      if (at - half < free) continue;
      free = at + half + 4;
      make(frame, "text", { x: at, y: bottom + 19, "text-anchor": "middle" }, label);
    }
    for (const [value, label] of data.yticks) {
      make(frame, "path", { d: `M${LEFT},${this.y(value)}h-5` });
      make(frame, "text", { x: LEFT - 9, y: this.y(value) + 4.5, "text-anchor": "end" }, label);
    }
    const end = { "text-anchor": "middle", class: "linlib-name" };
    make(frame, "text", { x: middle, y: bottom + 38, ...end }, data.xlabel);
    // A short name stands above its axis, where no number is; a long one is turned, beside them.
    const short = data.ylabel.length <= 3;
    const turned = { x: 13, y: side, transform: `rotate(-90 13 ${side})` };
    make(frame, "text", { ...(short ? { x: LEFT - 22, y: 19 } : turned), ...end }, data.ylabel);
    // A long title takes all the room to the right of a short name, in smaller letters if it must.
    const from = short && data.ylabel ? LEFT - 8 : 4, room = width + LEFT + RIGHT - from;
    const long = 8.8 * data.title.length, size = Math.min(14, (14 * room) / long);
    const title = { x: long > width ? from + room / 2 : middle, style: `font-size: ${size}px` };
    make(frame, "text", { ...title, y: 19, ...end, class: "linlib-title" }, data.title);
  }

  draw(items) {
    this.drawn.replaceChildren();
    this.labels.replaceChildren();
    this.taken = this.data.handles.map(({ at, size }) => {
      const [x, y, far] = [this.x(at[0]), this.y(at[1]), size * this.scale];
      return [x - far, y - far, x + far, y + far];
    });
    for (const item of items) this.item(item);
  }

  item(item) {
    const spot = ([x, y]) => `${this.x(x).toFixed(2)},${this.y(y).toFixed(2)}`;
    const stroke = {
      stroke: item.colour, fill: "none", "stroke-width": item.width,
      "stroke-dasharray": item.dash || "none", "stroke-opacity": item.alpha ?? 1,
      "data-name": item.name || item.kind, ...(item.waits && { class: "linlib-waits" }),
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
        shape(this.drawn, { ...item, size: item.size * this.scale }, { ...move, "data-name": item.name || "marks" });
      }
    } else if (item.kind === "ring") {
      const [x, y] = item.at;
      make(this.drawn, "circle", { ...stroke, cx: this.x(x), cy: this.y(y), r: item.size * this.scale });
    } else if (item.kind === "text") {
      this.words(item);
    }
  }

  words({ at, text, offset, anchor, colour, name, waits }) {
    const [a, b] = clamped(at, this.data);
    if (a !== at[0] || b !== at[1]) return; // words about a place outside would stand beside the picture
    const where = [this.x(a), this.y(b)], limits = [LEFT - 4, LEFT + this.area[0] + RIGHT];
    const full = 7.6 * text.length, wide = Math.min(full, this.area[0]); // in smaller letters if it must
    const found = spared(where, offset, anchor, wide, this.taken, limits);
    if (!found) return;
    this.taken.push(found.box);
    const size = wide < full ? { style: `font-size: ${(13.5 * wide) / full}px` } : {};
    const look = { fill: colour, class: `linlib-text ${waits ? "linlib-waits" : ""}`, "data-name": name || "text", ...size };
    make(this.labels, "text", { x: found.x, y: found.y, "text-anchor": found.side, ...look }, text);
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

// ---------------------------------------------------------------- what stands around the pictures

const BAR = "M-7,-7h3v14h-3z", RIGHTWARDS = "M-4,-7L7,0L-4,7z", LEFTWARDS = "M4,-7L-7,0L4,7z";
const ICONS = {
  "To the start": `${BAR}${LEFTWARDS}`, Back: LEFTWARDS, Step: RIGHTWARDS,
  "To the end": `${RIGHTWARDS}M5,-7h3v14h-3z`, Play: "M-6,-8L8,0L-6,8z", Pause: "M-6,-7h4v14h-4zM2,-7h4v14h-4z",
};

function icon(button, name) {
  const svg = make(button, "svg", { viewBox: "-9 -9 18 18", width: 16, height: 16, "aria-hidden": "true" });
  return make(svg, "path", { d: ICONS[name], fill: "currentColor" });
}

// A run: its buttons as one control, and a line over its steps with the mistakes marked on it.
class TimeLine {
  constructor(parent, send) {
    this.send = send;
    this.scrubs = 0;
    this.box = make(parent, "div", { class: "linlib-time", role: "group", "aria-label": "Time line", hidden: "" });
    const keys = make(this.box, "div", { class: "linlib-keys" });
    this.keys = {};
    const aims = { "To the start": () => 0, Back: () => this.aim - 1, Step: () => this.aim + 1, "To the end": () => this.now.last };
    for (const [name, aim] of Object.entries(aims)) {
      const key = make(keys, "button", { type: "button", "aria-label": name, "data-key": name });
      icon(key, name);
      if (name === "Step") make(key, "span", {}, "Step");
      key.addEventListener("click", () => this.go(aim(), `press ${this.scrubs++}`));
      this.keys[name] = key;
    }
    this.play = make(keys, "button", { type: "button" });
    this.sign = icon(this.play, "Play");
    this.play.addEventListener("click", () => this.send({ type: "go", to: !this.now.playing }));
    const line = make(this.box, "div", { class: "linlib-line" });
    this.marks = make(line, "svg", { class: "linlib-marks", "aria-hidden": "true", preserveAspectRatio: "none" });
    this.scrub = make(line, "input", { type: "range", min: 0, step: 1 });
    this.scrub.addEventListener("input", () => this.go(Number(this.scrub.value), this.scrubs));
    this.scrub.addEventListener("change", () => { this.scrubs += 1; });
    this.count = make(this.box, "output", { class: "linlib-count" });
  }

  go(to, gesture) {
    this.aim = Math.min(Math.max(to, 0), this.now.last); // where the reader is before Python answers
    this.show();
    this.send({ type: "go", to: this.aim, gesture });
  }

  update(now, settled) {
    this.box.hidden = !now;
    if (!now) return;
    this.now = now;
    if (settled || this.aim === undefined || this.aim > now.last) this.aim = now.at;
    this.scrub.setAttribute("aria-label", `${now.what}s shown`);
    const name = now.playing ? "Pause" : "Play";
    this.sign.setAttribute("d", ICONS[name]);
    this.play.setAttribute("aria-label", name);
    this.play.title = `${name}: ${now.what} after ${now.what}`;
    if (this.drawn !== now.marks + now.last) this.drawMarks(now);
    this.show();
  }

  show() {
    const { last, what } = this.now, { aim } = this;
    Object.assign(this.scrub, { max: last, value: aim });
    this.scrub.setAttribute("aria-valuetext", `${what} ${aim} of ${last}`);
    this.scrub.style.setProperty("--share", last ? aim / last : 0);
    this.count.textContent = `${aim} of ${last} ${what}s`;
    for (const key of ["To the start", "Back"]) this.keys[key].disabled = aim === 0;
    for (const key of ["Step", "To the end"]) this.keys[key].disabled = aim === last;
    this.play.disabled = !last;
  }

  drawMarks({ marks, last }) {
    this.drawn = marks + last;
    this.marks.replaceChildren();
    this.marks.setAttribute("viewBox", `0 0 ${Math.max(last, 1)} 1`);
    for (const sign of ["+", "-", "!"]) {
      const at = [...marks].flatMap((mark, k) => (mark === sign ? [`M${k + 1},0v1`] : []));
      const thin = last > MANY / 2 ? 1 : 2;
      if (at.length && last <= MANY) make(this.marks, "path", { d: at.join(""), "data-sign": sign, "stroke-width": thin });
    }
  }
}

// The controls of one place: sliders, lists, boxes to tick, and the presets as chips.
class Controls {
  constructor(parent, place, send) {
    Object.assign(this, { place, send, drawn: "", follow: [] });
    this.box = make(parent, "div", { class: `linlib-controls linlib-${place}` });
  }

  update(all, buttons = []) {
    const controls = all.filter(({ place }) => place === this.place);
    const drawn = JSON.stringify([controls.map(({ name, options }) => [name, options]), buttons]);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      this.box.replaceChildren();
      this.follow = controls.map((control) => this[control.kind](control));
      for (const { label, tip } of buttons) {
        make(this.box, "button", { type: "button", title: tip, class: "linlib-press" }, label)
          .addEventListener("click", () => this.send({ type: "press", name: label }));
      }
    }
    this.box.hidden = !this.box.children.length;
    controls.forEach((control, k) => this.follow[k](control));
  }

  set(name, value) {
    this.send({ type: "control", name, value });
  }

  check({ name, label }) {
    const whole = make(this.box, "label", { class: "linlib-control" });
    const input = make(whole, "input", { type: "checkbox" });
    make(whole, "span", {}, label);
    input.addEventListener("change", () => this.set(name, input.checked));
    return ({ value, disabled }) => Object.assign(input, { checked: value, disabled });
  }

  slide({ name, label, min, max, step }) {
    const whole = make(this.box, "label", { class: "linlib-control linlib-slide" });
    make(whole, "span", {}, label);
    const input = make(whole, "input", { type: "range", min, max, step, "aria-label": label });
    const words = make(whole, "output");
    input.addEventListener("input", () => this.set(name, input.valueAsNumber));
    return (now) => {
      // Where Python has not answered the last move yet, the grip stays where the reader has it.
      if (!input.matches(":active")) input.value = now.value;
      input.disabled = now.disabled;
      input.setAttribute("aria-valuetext", now.words);
      words.textContent = now.words;
    };
  }

  choose(control) {
    if (this.place === "chips") return this.chips(control);
    const { name, label, options } = control;
    const whole = make(this.box, "label", { class: "linlib-control" });
    make(whole, "span", {}, label);
    const input = make(whole, "select", { "aria-label": label });
    for (const option of options) make(input, "option", {}, option);
    input.addEventListener("change", () => this.set(name, input.value));
    return ({ value, disabled }) => Object.assign(input, { value, disabled });
  }

  chips({ name, label, options, pictures }) {
    const group = make(this.box, "div", { class: "linlib-choice", role: "group", "aria-label": label });
    make(group, "span", { class: "linlib-label", "aria-hidden": "true" }, label);
    const chips = options.map((option, k) => {
      const chip = make(group, "button", { type: "button", class: "linlib-chip" });
      if (pictures[k]?.length) {
        const small = make(chip, "svg", { viewBox: "-3 -3 34 34", width: 30, height: 30, "aria-hidden": "true" });
        for (const [x, y, marker, colour] of pictures[k]) {
          shape(small, { marker, colour, size: 2.2 }, { transform: `translate(${28 * x} ${28 * (1 - y)})`, stroke: "none" });
        }
      }
      make(chip, "span", {}, option);
      chip.addEventListener("click", () => this.set(name, option));
      return chip;
    });
    return ({ value, disabled }) => chips.forEach((chip, k) => {
      chip.setAttribute("aria-pressed", options[k] === value);
      chip.disabled = disabled;
      chip.hidden = k >= pictures.length && options[k] !== value; // “your own” is not chosen, but made
    });
  }
}

// A challenge: its goal, how far it is, and a moment of joy when linlib certifies it.
class Card {
  constructor(parent, send) {
    this.box = make(parent, "div", { class: "linlib-card", role: "group", "aria-label": "Challenge", hidden: "" });
    this.title = make(this.box, "div", { class: "linlib-label" });
    this.goal = make(this.box, "div", { class: "linlib-goal" });
    this.bar = make(this.box, "div", { class: "linlib-bar", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0, "aria-valuemax": 100 });
    this.words = make(this.box, "div", { class: "linlib-far" });
    this.next = make(this.box, "button", { type: "button" }, "Next challenge");
    this.next.addEventListener("click", () => send({ type: "control", name: "challenge", value: this.now.after }));
  }

  update(card, acted) {
    this.box.hidden = !card;
    if (!card) return;
    const before = this.now, { goal, words, share, done, number, total } = card;
    this.now = card;
    this.title.textContent = total > 1 ? `Challenge ${number} of ${total}` : "Challenge";
    this.goal.textContent = `${goal[0].toUpperCase()}${goal.slice(1)}.`;
    const begun = /^[a-z]+ /.test(words) ? words[0].toUpperCase() + words.slice(1) : words; // w₀ stays w₀
    this.words.textContent = done ? `✓ Done, and certified: ${words}` : begun;
    this.bar.style.setProperty("--share", share);
    this.bar.setAttribute("aria-valuenow", Math.round(100 * share));
    this.box.classList.toggle("linlib-done", done);
    this.next.hidden = !card.after || !done;
    if (!done || before?.goal !== goal) this.cheered = done; // what is won already when it is opened is no surprise
    if (acted) this.cheer();
  }

  // Be glad once, when what is certified is not held any more.
  cheer() {
    if (!this.now?.done || this.cheered) return;
    this.cheered = true;
    if (still()) return;
    const air = make(this.box, "svg", { class: "linlib-cheer", viewBox: "-100 -100 200 200", "aria-hidden": "true" });
    for (let k = 0; k < 18; k++) {
      const [marker, colour] = [["o", "#0072B2"], ["s", "#D55E00"], ["^", "#009E73"]][k % 3], turn = k * 20;
      const way = make(air, "g", { transform: `rotate(${turn})` });
      shape(way, { marker, colour, size: 5 + (k % 4) });
    }
    setTimeout(() => air.remove(), 1200);
  }
}

class View {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.view = Math.random().toString(36).slice(2); // tells two views of one explorer apart
    this.moves = []; // where the reader has put handles, in this order, until Python has answered
    this.grips = new Map(); // by panel and id: points may be shown in several panels
    this.panels = [];
    this.gesture = 0;
    // A page says that it keeps an event until Python has come: no picture will answer it sooner.
    const send = (event) => { if (model.send({ ...event, view: this.view }) === "kept") this.mail.answered(event.number); };
    this.mail = new Mailbox(send, {
      onSlow: (slow) => this.note(slow ? model.busy ?? BUSY : ""), // a page has a line of its own
      onLost: () => { this.failed = true; this.sleep(); },
    });
    this.build();
    this.root.linlibScene = () => JSON.stringify(this.data); // for the browser tests, as the next
    this.root.linlibPending = () => this.mail.waiting !== null || this.mail.queue.length > 0
      || this.panels.some(({ moving }) => moving);
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("focusin", this.quiet);
    this.follow = () => this.scene(shown(model));
    this.given = (content) => this.take(content);
    this.alive = () => setTimeout(() => this.look()); // when ipywidgets has marked the view
    model.on("change:base", this.follow);
    model.on("change:change", this.follow);
    model.on("msg:custom", this.given);
    model.on("comm_live_update", this.alive);
    this.follow();
    this.looking = setInterval(() => this.look(), GLANCE);
    this.resized = new ResizeObserver(() => {
      this.arrange();
      if (this.data) this.drawGrips();
    });
    this.resized.observe(this.root);
  }

  build() {
    this.root = make(this.el, "div", { class: "linlib-canvas", role: "group", tabindex: "-1" });
    this.lost = make(this.root, "div", { class: "linlib-note", role: "status" });
    this.task = make(this.root, "div", { class: "linlib-task" });
    this.body = make(this.root, "div", { class: "linlib-body" });
    const stage = make(this.body, "div", { class: "linlib-stage" });
    const paper = make(stage, "div", { class: "linlib-paper" });
    this.row = make(paper, "div", { class: "linlib-row linlib-fresh" });
    const send = (event) => this.push(event), type = (name) => () => this.push({ type: name });
    this.time = new TimeLine(paper, send);
    this.main = new Controls(paper, "main", send);
    // Below all that is held or pressed: its length changes, and nothing may move away from a finger.
    this.legend = make(paper, "div", { class: "linlib-legend", "aria-hidden": "true" });
    const side = make(this.body, "div", { class: "linlib-side" });
    this.status = make(side, "div", { class: "linlib-status", id: `linlib-${this.view}` });
    // A reader who listens hears the sentence once the picture rests, not at every pixel.
    this.spoken = make(side, "div", { class: "linlib-spoken", role: "status", "aria-live": "polite" });
    this.card = new Card(side, send);
    this.chips = new Controls(side, "chips", send);
    const foot = make(this.root, "div", { class: "linlib-foot" });
    this.tools = make(foot, "div", { class: "linlib-tools", role: "toolbar", "aria-label": "Tools" });
    this.buttons = {};
    const group = () => make(this.tools, "span", { class: "linlib-group" });
    const tool = (parent, name, label, tip, act) => {
      const button = make(parent, "button", { type: "button", title: tip, "data-tool": name }, label);
      button.addEventListener("click", act);
      this.buttons[name] = button;
    };
    const [back, edit, copy] = [group(), group(), group()];
    tool(back, "undo", "Undo", "Undo the last change (Ctrl+Z)", type("undo"));
    tool(back, "redo", "Redo", "Do it again (Ctrl+Y)", type("redo"));
    tool(back, "reset", "Reset", "Everything as it was first shown", type("reset"));
    tool(edit, "add", "Add", "Add a point (A)", () => this.addInMiddle());
    tool(edit, "relabel", "Relabel", "Give the chosen point the next label (L)", () => this.relabel());
    tool(edit, "remove", "Remove", "Remove the chosen point (Delete)", () => this.remove());
    tool(copy, "python", "Copy as Python", "Copy the lines that compute what is shown", type("python"));
    const share = this.model.link ? "Copy a link to what is shown" : "Copy what is shown, to paste it elsewhere";
    tool(copy, "state", "Share", share, type("state"));
    this.copied = make(this.tools, "span", { role: "status" });
    this.more = make(foot, "details", { class: "linlib-more" });
    make(this.more, "summary", {}, "More");
    this.rest = new Controls(this.more, "more", send);
    const more = make(this.more, "div", { class: "linlib-tools" });
    const paste = () => this.push({ type: "paste", text: this.box.value });
    tool(more, "paste", "Show shared state", "Show the state that was pasted into the field below", paste);
    const name = `linlib-text-${this.view}`;
    make(this.more, "label", { for: name }, "What was copied; or paste a shared state here:");
    this.box = make(this.more, "textarea", { id: name, rows: 3, spellcheck: "false" });
    this.hint = make(this.more, "div", { class: "linlib-hint" });
  }

  // JupyterLab's one-key commands (D D deletes a cell) must not fire inside an explorer, its
  // buttons and lists included. JupyterLab looks for this mark on the focused element itself.
  quiet({ target }) {
    target.setAttribute("data-lm-suppress-shortcuts", "true");
  }

  close() {
    this.model.off("change:base", this.follow);
    this.model.off("change:change", this.follow);
    this.model.off("msg:custom", this.given);
    this.model.off("comm_live_update", this.alive);
    this.mail.close();
    this.resized.disconnect();
    clearInterval(this.looking);
    [this.timer, this.speaking, this.dimming].forEach(clearTimeout);
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
    this.mail.close();
    this.settle();
    clearTimeout(this.timer);
    this.note(ASLEEP);
    this.rested(true);
    if (this.given) this.show(this.given);
  }

  wake() {
    this.rested(false);
    this.note("");
    this.follow();
  }

  // Without Python nothing in it can do anything.
  rested(asleep) {
    this.asleep = asleep;
    this.root.classList.toggle("linlib-asleep", asleep);
    for (const part of [this.body, this.tools, this.more]) part.inert = asleep;
  }

  note(words) {
    if (this.asleep && words !== ASLEEP) return;
    if (this.lost.textContent !== words) this.lost.textContent = words;
  }

  // Give every picture its size. It depends on the room alone, not on what is said: nothing moves
  // away from under a finger.
  arrange() {
    const width = this.root.clientWidth, { panels } = this.data ?? {};
    if (!width || !panels?.length) return;
    const run = Boolean(this.data.time), strips = run + !this.main.box.hidden;
    const slide = this.el.closest(".explorer");
    const whole = slide ? SLIDE.tall - SLIDE.foot : this.window() - EDGE;
    const room = Math.min(whole, TALLEST) - TASK - TOP - BOTTOM - LEGEND - STRIP * strips;
    const words = slide ? SLIDE.words : WORDS + RUN * run;
    const { made, columns, beside } = layout(panels.map(({ size }) => size), width, room, words);
    this.body.classList.toggle("linlib-beside", beside);
    this.row.classList.toggle("linlib-stacked", columns < panels.length);
    this.panels.forEach((panel, k) => {
      if (String(panel.area) !== String(made[k])) panel.resize(made[k]);
    });
  }

  // The height of what the reader sees at once: of a page that opens on the explorer, what is left of it.
  window() {
    const notebook = this.el.closest(".jp-WindowedPanel-outer")?.clientHeight;
    if (notebook) return notebook;
    const above = this.el.getBoundingClientRect().top + scrollY;
    const bar = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0; // of the page, on top
    return innerHeight - (above < innerHeight / 2 ? above : bar);
  }

  // ---- from Python

  scene(scene) {
    if (!scene?.panels) return;
    const [view, number] = scene.echo ?? [];
    const settled = view === this.view && this.mail.answered(number);
    // A page keeps moves until Python has come, and says when they have all been made.
    if (scene.waiting === undefined ? settled : !scene.waiting && this.mail.quiet) this.settle();
    else if (view === this.view && !this.model.alone) this.dimLater(); // Python is keeping up
    const before = this.given;
    const stepped = Math.abs((scene.time?.at ?? 0) - (before?.time?.at ?? 0)) === 1;
    this.given = scene;
    this.card.update(scene.card, before && !this.held);
    this.time.update(scene.time, settled || scene.time?.playing);
    this.show(scene, stepped, view === this.view && scene.chosen);
    clearTimeout(this.timer);
    if (scene.beat && !this.asleep) {
      const { wait, number: beat } = scene.beat;
      this.timer = setTimeout(() => this.mail.push({ type: "tick", beat }), wait);
    }
    this.mail.pump();
  }

  // Show a scene of Python's, with what follows from moves that it does not know yet.
  show(given, stepped, added) {
    const scene = this.moves.reduce(followed, given);
    this.data = scene;
    this.root.setAttribute("aria-label", scene.name);
    if (this.task.textContent !== scene.task) this.task.textContent = scene.task;
    while (this.panels.length > scene.panels.length) this.panels.pop().svg.remove();
    while (this.panels.length < scene.panels.length) this.addPanel();
    scene.panels.forEach((panel, k) => this.panels[k].update(panel, stepped));
    this.main.update(scene.controls ?? [], scene.buttons);
    this.chips.update(scene.controls ?? []);
    this.rest.update(scene.controls ?? []);
    this.arrange();
    const ticks = scene.time?.marks.trim() && scene.time.last <= MANY ? [{ tick: true, label: scene.time.tick }] : [];
    this.drawLegend([...scene.legend, ...ticks]);
    if (added) this.chosen = added;
    this.drawGrips(added);
    this.say(scene);
    const how = hint(scene);
    if (this.hint.textContent !== how) this.hint.textContent = how;
    this.drawTools(scene);
    this.root.setAttribute("data-count", scene.count);
  }

  // Python has answered all that the reader did.
  settle() {
    this.moves = [];
    this.brighten();
  }

  // Show as stale what Python has not computed anew: all of it, but for what a rule draws.
  dim() {
    const ruled = this.moves.length && this.data.panels.some(({ rule }) => rule);
    this.root.classList.add("linlib-stale");
    this.root.classList.toggle("linlib-follows", Boolean(ruled));
  }

  brighten() {
    clearTimeout(this.dimming);
    this.dimming = null;
    this.root.classList.remove("linlib-stale");
  }

  dimLater() {
    this.brighten();
    this.dimming = setTimeout(() => this.dim(), GLIMPSE);
  }

  // The sentence, its numbers tied to what shows them in the picture.
  say(scene) {
    this.status.classList.toggle("linlib-right", scene.follows ?? false);
    const done = scene.card?.done && !this.moves.length ? ` Challenge done, and certified.` : "";
    if (this.status.textContent !== scene.text) {
      this.status.replaceChildren();
      for (const [words, name] of scene.pieces ?? [[scene.text, ""]]) {
        if (!name) { this.status.append(words); continue; }
        const number = make(this.status, "span", { class: "linlib-number", "data-for": name }, words);
        number.addEventListener("pointerenter", () => this.light(name, true));
        number.addEventListener("pointerleave", () => this.light(name, false));
      }
      clearTimeout(this.speaking);
      this.speaking = setTimeout(() => { this.spoken.textContent = scene.text + done; }, SPOKEN);
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
      undo: scene.undo, redo: scene.redo, reset: scene.moved, add: scene.edits,
      relabel: scene.edits && this.chosen, remove: scene.edits && this.chosen,
    };
    for (const [name, button] of Object.entries(this.buttons)) {
      button.disabled = this.asleep || (name in can && !can[name]);
      button.hidden = ["add", "relabel", "remove"].includes(name) && !scene.edits;
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
      const wide = Math.max(28, 9 * (entry.text ?? "").length);
      const sample = make(item, "svg", { viewBox: `${-wide / 2} -9 ${wide} 18`, width: wide, height: 18 });
      if (entry.tick) make(sample, "path", { d: "M-6,-4v8M0,-4v8M6,-4v8", stroke: "currentColor", "stroke-width": 2 });
      else if (entry.marker) shape(sample, { ...entry, size: 6 });
      else if (entry.text) make(sample, "text", { y: 5, "text-anchor": "middle", fill: entry.colour }, entry.text);
      else {
        const dash = entry.dash || "none";
        make(sample, "path", {
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
    if (handles.length > FEW) this.row.classList.remove("linlib-fresh");
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
    const size = handle.size * this.panels[handle.panel].scale;
    const look = JSON.stringify([handle.marker, handle.colour, size]);
    if (grip.look !== look) {
      grip.look = look;
      grip.node.replaceChildren();
      make(grip.node, "circle", { r: coarse() ? 22 : 17, class: "linlib-touch" });
      make(grip.node, "circle", { r: size + 8, class: "linlib-focus" });
      shape(grip.node, { ...handle, size });
      if (handle.marker === "grip") make(grip.node, "circle", { r: 2.4, fill: handle.colour });
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
    const [x, y] = this.where(handle);
    node.setAttribute("transform", `translate(${panel.x(x)} ${panel.y(y)})`);
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
      const at = this.where(meant.handle);
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
      node.addEventListener(end, () => { grip.grabbed = this.held = null; this.card.cheer(); });
    }
    node.addEventListener("focus", () => this.choose(grip.handle.id, false));
    node.addEventListener("dblclick", (event) => this.relabel(this.nearest(event, grip).handle.id));
  }

  // The areas that take the pointer overlap where points are close: the nearest handle is meant.
  nearest(event, grip) {
    const panel = this.panels[grip.handle.panel];
    const [x, y] = panel.place(event);
    const far = ({ handle }) => {
      const [a, b] = this.where(handle);
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
    this.keep({ id, at: [x, y], gesture: this.gesture });
    this.push({ type: "move", id, x, y, gesture: this.gesture });
  }

  // Remember a move, and draw at once what follows from it.
  keep(move) {
    const last = this.moves.at(-1);
    if (last?.id === move.id && last.gesture === move.gesture) this.moves.pop();
    this.moves.push(move);
    this.data = followed(this.data, move);
    this.data.panels.forEach((panel, k) => { if (panel.rule) this.panels[k].follow(panel); });
    this.drawGrips(false);
    this.say(this.data);
  }

  // Where a handle is shown: where the reader has put it, or where the rule has moved it since.
  where({ id, at, panel }) {
    const last = this.moves.at(-1), ruled = this.data.panels[panel].rule;
    return (ruled ? [last] : this.moves).findLast((move) => move?.id === id)?.at ?? at;
  }

  relabel(id = this.chosen) {
    if (this.data.edits && id) this.push({ type: "relabel", id });
  }

  remove(id = this.chosen) {
    if (this.data.edits && id) this.push({ type: "remove", id });
  }

  // Escape takes back a drag that goes on.
  cancel() {
    const { held } = this;
    if (!held) return false;
    held.grabbed = null;
    this.held = null;
    this.mail.queue = this.mail.queue.filter(({ type }) => type !== "move");
    this.moves = this.moves.filter(({ gesture }) => gesture !== this.gesture);
    this.show(this.given);
    this.push({ type: "cancel", gesture: this.gesture });
    return true;
  }

  key(event) {
    if (!this.data || this.asleep || event.target === this.box) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      const back = key === "z" && !event.shiftKey, forth = key === "y" || (key === "z" && event.shiftKey);
      if (back && this.data.undo) this.push({ type: "undo" });
      else if (forth && this.data.redo) this.push({ type: "redo" });
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
    else if (key === "l" && this.data.edits && grip) this.relabel();
    else if ((key === "Delete" || key === "Backspace") && grip) this.remove();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  nudge(grip, way, large) {
    const { handle } = grip;
    const step = this.panels[handle.panel].data.step * (large ? 5 : 1);
    this.gesture += 1;
    this.shift(grip, nudged(this.where(handle), way, step, handle.rail));
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
    if (CHANGES.has(event.type) && this.model.alone) this.dim(); // no answer comes soon
    else if (CHANGES.has(event.type) && !this.dimming) this.dimLater();
    this.mail.push(event);
  }

  // ---- what Python hands over: text to copy

  async take({ type, content, view } = {}) {
    if (view !== this.view) return;
    const link = type === "state" && this.model.link;
    this.box.value = link ? await link.call(this.model, content) : content;
    try {
      await navigator.clipboard.writeText(this.box.value);
      this.copied.textContent = link ? "The link is copied." : "Copied.";
    } catch { // not allowed here: the text is selected, and Ctrl+C copies it
      this.more.open = true;
      this.box.select();
      this.copied.textContent = "Press Ctrl+C to copy the selected text.";
    }
    setTimeout(() => { this.copied.textContent = ""; }, 4000);
  }
}

// What Python shows: a whole scene, and what a drag has changed in it since.
function shown(model) {
  const base = model.get("base"), change = model.get("change");
  return change?.parts && change.base === base.count ? merged(base, change) : base;
}

export default {
  merged,
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.close();
  },
};
