// An explorer in a page, drawn by its own canvas.js: recorded scenes that linlib computed, until the
// reader touches it or asks for more; then Python itself, in place.
"use strict";

if (!window.linlibWalk) { // a page may name this script several times
const { make } = window.linlibLive;

const RECORDED = "A recording: linlib computed these pictures when the page was made.";
const ALIVE = "Alive: linlib computes this in your browser.";
const COMPUTING = "Python is still computing.";

class Walk {
  constructor(box, key, { walks, parts, controls, source }) {
    [this.walks, this.parts, this.name, this.at] = [walks, parts, Object.keys(walks)[0], 0];
    [this.box, this.key, this.source] = [box, key, source];
    this.followers = { "change:scene": [], "msg:custom": [] };
    this.waiting = []; // what the reader did before Python came
    this.later = []; // and while it computes
    this.busy = ""; // the line below says so
    this.live = window.linlibLive;
    this.missing = this.live.missing || (source ? "" : "it needs more than the page's Python has");
    this.can = !this.missing;
    this.live.users.set(key, this);
    box.replaceChildren();
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Explorer");
    // In a deck, keys that are meant for a control must not turn the slide.
    box.addEventListener("keydown", (event) => event.stopPropagation());
    const el = make(box, "div");
    this.steps = make(box, "div", { class: "walk-controls" });
    this.row = make(box, "div", { class: "walk-controls" });
    this.line = make(box, "p", { class: "walk-line" });
    this.words = make(this.line, "span", { role: "status" });
    this.button = make(this.line, "button", { type: "button", hidden: "" });
    this.button.addEventListener("click", () => this.press());
    const single = Object.values(walks).every((scenes) => scenes.length === 1);
    if (!single) this.drawPlayer();
    else if (this.can) this.drawControls(controls);
    window.linlibCanvas.render({ model: this, el });
    // Below the picture, so that what is being dragged does not move away when these change.
    box.querySelector(".linlib-side").prepend(this.steps, this.row, this.line);
    box.querySelector("[data-tool=picture]").hidden = true; // there is no Matplotlib in the page
    if (this.scrub) this.go(0);
    if (this.can) this.offer();
    else this.progress(`${this.scrub ? RECORDED : "A still picture."} To move everything, run the notebook (${this.missing}).`);
  }

  // ---- the recording

  drawPlayer() {
    const row = this.steps;
    const choose = make(row, "label", {}, "Show ").appendChild(document.createElement("select"));
    for (const name of Object.keys(this.walks)) make(choose, "option", {}, name);
    choose.addEventListener("change", () => { this.name = choose.value; this.go(0); });
    this.back = make(row, "button", { type: "button" }, "Back");
    this.next = make(row, "button", { type: "button" }, "Step");
    this.back.addEventListener("click", () => this.go(this.at - 1));
    this.next.addEventListener("click", () => this.go(this.at + 1));
    this.scrub = make(row, "label", {}, "Scrub ").appendChild(document.createElement("input"));
    Object.assign(this.scrub, { type: "range", min: 0, step: 1 });
    this.scrub.addEventListener("input", () => this.go(Number(this.scrub.value)));
    this.count = make(row, "span");
  }

  go(to) {
    const last = this.walks[this.name].length - 1;
    this.at = Math.min(Math.max(to, 0), last);
    Object.assign(this.scrub, { max: last, value: this.at });
    this.scrub.setAttribute("aria-valuetext", `picture ${this.at + 1} of ${last + 1}`);
    [this.back.disabled, this.next.disabled] = [this.at === 0, this.at === last];
    this.count.textContent = `${this.at + 1} of ${last + 1}`;
    this.follow();
  }

  recorded() {
    const { held, gap, ...scene } = this.walks[this.name][this.at];
    const panels = scene.panels.map(({ look, ...kept }) => {
      const [drawn, handles] = [kept.drawables, kept.handles].map((all) => all.map((part) => this.parts[part]));
      const panel = { ...this.parts[look], drawables: drawn, handles };
      if (gap) panel.step = gap;
      if (this.can) return panel;
      // What nothing would answer is no handle, but for the one whose places are recorded.
      const marks = handles.filter(({ id }) => id !== held).map(({ at, ...rest }) => ({ ...rest, kind: "marks", xy: [at] }));
      return { ...panel, adds: false, drawables: [...drawn, ...marks], handles: handles.filter(({ id }) => id === held) };
    });
    const fixed = this.can ? {} : { adds: false, relabels: false, removes: false, hint: held ? "One handle can be dragged, or moved with the arrow keys." : "" };
    return { ...scene, ...fixed, panels, echo: this.echo };
  }

  // The picture whose handle is nearest to where the reader moved it.
  nearest({ id, x, y }) {
    const far = ({ panels }) => {
      const { at } = panels.flatMap(({ handles }) => handles.map((part) => this.parts[part])).find((one) => one.id === id);
      return Math.hypot(at[0] - x, at[1] - y);
    };
    const places = this.walks[this.name].map(far);
    return places.indexOf(Math.min(...places));
  }

  // ---- the part of a model that canvas.js asks for

  get() { return this.now ?? this.recorded(); }
  on(event, follow) { this.followers[event]?.push(follow); }
  off() {}
  follow() { for (const follow of this.followers["change:scene"]) follow(); }

  send(event) {
    if (this.alive) { this.pass(event); return; }
    const { held } = this.walks[this.name][this.at];
    if (event.type === "move" && event.id === held && !this.now) {
      this.echo = [event.view, event.number];
      this.go(this.nearest(event));
      this.echo = null;
    }
    if (!this.can) return;
    this.waiting = event.type === "move" ? this.waiting.filter(({ id }) => id !== event.id) : this.waiting;
    this.waiting.push(event);
    this.wake();
  }

  // ---- Python

  // Hand an event over, or keep it while Python computes: of the places of a slider only the last.
  pass(event) {
    const slides = typeof event.value === "number";
    if (slides) this.later = this.later.filter(({ control }) => control !== event.control);
    this.later.push(event);
    this.idle();
  }

  idle() {
    if (!this.later.length || this.live.calls.includes(this.key)) return;
    this.live.call("receive", this.key, JSON.stringify(this.later.shift()));
  }

  // Bring Python, and with it this explorer, to life.
  async wake() {
    if (this.waking) return;
    this.waking = true;
    this.button.hidden = true;
    this.progress("Python is on its way …");
    try {
      await this.live.ready();
      this.again();
    } catch (error) { // the page has been told
      console.info(error.message);
    }
  }

  // Show what was shown, in a Python that has just begun.
  again() {
    if (!this.waking) return;
    const { parts } = this, { state } = this.walks[this.name][this.at];
    this.state ??= this.scrub && Object.fromEntries(Object.entries(state).map(([name, part]) => [name, parts[part]]));
    this.live.call("show", this.key, this.source, this.state ? JSON.stringify(this.state) : "");
  }

  scene({ scene, controls, state }) {
    [this.now, this.state] = [scene, state];
    this.drawControls(controls);
    this.follow();
    if (this.alive) return;
    this.alive = true;
    this.box.classList.add("walk-alive");
    this.progress(ALIVE);
    for (const event of this.waiting.splice(0)) this.send(event);
  }

  message(content) { for (const given of this.followers["msg:custom"]) given(content); }
  failed(words) { this.progress(`That could not be done: ${words}`); }

  // ---- the line above the picture

  progress(words) {
    if (this.words.textContent !== words) this.words.textContent = words;
  }

  // Hear how far Python is, or that there will be none.
  hear(words, state) {
    const broken = state === "broken" && this.can;
    if (broken || this.waking) this.progress(words);
    if (broken) { this.can = false; this.label(""); this.follow(); }
  }

  offer() {
    this.progress(this.scrub ? `${RECORDED} Touch the picture and it comes alive.` : "");
    this.label(`Make it live (${this.live.size.toFixed(0)} MB)`);
  }

  label(words) {
    this.button.textContent = words;
    this.button.hidden = !words;
  }

  long(now) {
    if (now) this.progress(COMPUTING);
    else if (this.words.textContent === COMPUTING) this.progress(ALIVE);
    this.label(now ? "Stop" : "");
  }

  press() {
    if (!this.waking) { this.wake(); return; }
    this.label("");
    this.live.stop();
  }

  // ---- the explorer's own controls

  drawControls(controls) {
    const shape = JSON.stringify(controls.map(({ kind, options }) => [kind, options]));
    if (this.shape !== shape) {
      this.shape = shape;
      for (const row of [this.steps, this.row]) row.replaceChildren();
      this.inputs = controls.map((control, number) => this.drawControl(control, number));
    }
    controls.forEach((control, number) => this.inputs[number](control));
  }

  // Draw one control; return the function that shows its value.
  drawControl({ kind, options, min, max, step }, number) {
    const set = (value) => this.send({ control: number, value, type: "control" });
    if (kind === "press" || kind === "toggle") {
      const button = make(this.steps, "button", { type: "button" });
      button.addEventListener("click", () => set(button.getAttribute("aria-pressed") !== "true"));
      return ({ label, tip, disabled, value }) => {
        Object.assign(button, { textContent: label, title: tip, disabled });
        if (kind === "toggle") button.setAttribute("aria-pressed", value);
      };
    }
    if (kind === "radio") {
      const group = make(this.row, "fieldset"), legend = make(group, "legend");
      const inputs = options.map((option) => {
        const label = make(group, "label"), input = make(label, "input", { type: "radio", name: `${this.key}-${number}` });
        label.append(` ${option}`);
        input.addEventListener("change", () => set(option));
        return input;
      });
      return ({ label, value, disabled }) => {
        legend.textContent = label;
        inputs.forEach((input, k) => Object.assign(input, { checked: options[k] === value || input.checked && value === null && !this.alive, disabled }));
      };
    }
    const label = make(this.row, "label"), name = make(label, "span");
    const input = make(label, kind === "choose" ? "select" : "input");
    const words = make(label, "output");
    if (kind === "choose") for (const option of options) make(input, "option", {}, option);
    else Object.assign(input, kind === "check" ? { type: "checkbox" } : { type: "range", min, max, step });
    input.addEventListener("input", () => set(kind === "check" ? input.checked : kind === "slide" ? input.valueAsNumber : input.value));
    return ({ label: text, value, tip, disabled, words: shown = "" }) => {
      name.textContent = `${text} `;
      Object.assign(input, { title: tip, disabled });
      if (kind === "check") input.checked = value;
      else if (!this.later.some(({ control }) => control === number)) input.value = value;
      words.textContent = shown;
    };
  }
}

window.linlibWalk = Walk;
addEventListener("DOMContentLoaded", () => {
  if (location.search.includes("print-pdf")) return; // paper shows the still picture
  for (const box of document.querySelectorAll("[data-walk]")) {
    const recorded = window.linlibWalks?.[box.dataset.walk];
    if (!recorded || !window.linlibCanvas) continue;
    const walk = new Walk(box, box.dataset.walk, recorded);
    // On the front page Python may come by itself, unless the reader saves data.
    const saves = navigator.connection?.saveData || matchMedia("(prefers-reduced-data: reduce)").matches;
    if ("eager" in box.dataset && walk.can && !saves) (window.requestIdleCallback ?? setTimeout)(() => walk.wake());
  }
});
}
