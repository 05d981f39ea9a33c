// An explorer in a page, drawn by its own canvas.js: scenes that linlib computed when the page was made,
// until the reader touches it or asks for more; then Python itself, in place. Until then canvas.js lets
// a line follow the hand by its rule, and a run can be stepped through.
"use strict";

if (!window.linlibWalk) { // a page may name this script several times
const { make } = window.linlibLive;

const SAVES = navigator.connection?.saveData || matchMedia("(prefers-reduced-data: reduce)").matches;
const RECORDED = "A recording: linlib computed these pictures when the page was made.";
const FOLLOWS = "The line follows your hand; the rest of what moves is computed by Python.";
const STILL = "A still picture: what would move in it is computed by Python.";
const MERGED = new Set(["move", "go", "control"]); // of which the last one counts
const ALIVE = "Alive: linlib computes this in your browser.";
const COMPUTING = "Python is still computing.";
const SHARED = "state-"; // how the part of an address begins that brings a state

class Walk {
  constructor(box, key, { scenes, source }) {
    [this.scenes, this.at] = [scenes, 0];
    [this.box, this.key, this.source] = [box, key, source];
    this.followers = { "change:base": [], "msg:custom": [] };
    this.waiting = []; // what the reader did before Python came
    this.later = []; // and while it computes
    this.live = window.linlibLive;
    this.missing = this.live.missing || (source ? "" : "it needs more than the page's Python has");
    this.can = !this.missing;
    this.recorded = scenes.length > 1;
    this.ruled = scenes[0].panels.some(({ rule }) => rule);
    this.kind = this.recorded ? RECORDED : this.ruled ? FOLLOWS : STILL;
    this.live.users.set(key, this);
    box.replaceChildren();
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Explorer");
    // In a deck, keys that are meant for a control must not turn the slide.
    box.addEventListener("keydown", (event) => event.stopPropagation());
    window.linlibCanvas.render({ model: this, el: make(box, "div") });
    this.line = make(box, "p", { class: "walk-line" });
    this.words = make(this.line, "span", { role: "status" });
    this.button = make(this.line, "button", { type: "button", hidden: "" });
    this.button.addEventListener("click", () => this.press());
    box.querySelector(".linlib-tools").before(this.line);
    box.classList.toggle("walk-fixed", !this.can);
    if (this.can) this.offer();
    else this.progress(`${this.kind} Here it cannot run (${this.missing}): to move everything, run the notebook.`);
  }

  // ---- the recording

  picture() {
    const { state: _, ...scene } = this.scenes[this.at];
    const panels = scene.panels.map((panel) => (this.can || panel.rule ? panel : this.fixed(panel)));
    const edits = this.can && scene.edits;
    const time = scene.time && { ...scene.time, playing: Boolean(this.playing) };
    const beat = this.playing ? { number: this.at, wait: 600 } : null;
    const waiting = this.waiting.length > 0 || Boolean(this.kept);
    return { ...scene, edits, panels, time, beat, echo: this.echo, waiting };
  }

  // What nothing would answer is no handle.
  fixed(panel) {
    const marks = panel.handles.map(({ at, ...rest }) => ({ ...rest, kind: "marks", xy: [at] }));
    return { ...panel, adds: false, drawables: [...panel.drawables, ...marks], handles: [] };
  }

  // Find the recorded picture that answers an event; tell whether there is one.
  answer({ type, to }) {
    const last = this.scenes.length - 1;
    if (!this.recorded || (type !== "go" && type !== "tick")) return false;
    if (typeof to === "number") {
      const away = this.scenes.map(({ time }) => Math.abs(time.at - to));
      this.at = away.indexOf(Math.min(...away));
      return true;
    }
    if (type === "tick") this.at = Math.min(this.at + 1, last);
    else if (to && this.at === last) this.at = 0;
    this.playing = (type === "tick" || to) && this.at < last;
    return true;
  }

  // ---- the part of a model that canvas.js asks for

  get alone() { return !this.alive; } // no Python answers yet
  get(name = "base") { return name === "base" ? this.now ?? this.picture() : null; }
  on(event, follow) { this.followers[event]?.push(follow); }
  off() {}
  follow() { for (const follow of this.followers["change:base"]) follow(); }

  // The address under which this page shows a state again.
  async link(state) {
    const [{ state: first }] = this.scenes;
    const letters = await window.linlibLink.written(JSON.parse(state), first);
    return `${location.href.split("#")[0]}#${SHARED}${this.key}=${letters}`;
  }

  // Show the state that the page's address brings, if it brings one.
  async open() {
    const begin = `#${SHARED}${this.key}=`;
    if (!location.hash.startsWith(begin)) return;
    this.box.scrollIntoView();
    if (!this.can) return;
    try {
      this.state = await window.linlibLink.read(location.hash.slice(begin.length), this.scenes[0].state);
      this.wake();
    } catch (error) {
      this.progress(error instanceof RangeError ? error.message : "The link is damaged: it cannot be shown.");
    }
  }

  // Take an event of canvas.js; "kept" means that the picture stays as it is until Python has come.
  send(event) {
    this.newest = [event.view, event.number];
    if (this.alive) { this.pass(event); return ""; }
    const found = !this.now && this.answer(event);
    const news = this.asked || !found; // Python does not learn it from the recorded state
    if (this.can && news) this.wait(event);
    if (this.can && (news || !SAVES)) this.wake();
    const drawn = this.ruled && event.type === "move";
    this.kept ||= drawn; // the line stays where the reader has put it
    if (drawn || (this.can && !found)) return "kept";
    this.echo = this.newest; // without Python, what no recorded picture answers leaves all as it was
    this.follow();
    this.echo = null;
    return "";
  }

  // Keep an event until Python has come. Only what follows on its like replaces it: where a line goes
  // may depend on which of two handles was moved first, and Escape takes back one gesture.
  wait(event) {
    const last = this.waiting.at(-1);
    const again = last && ["type", "id", "name", "gesture"].every((key) => last[key] === event[key]);
    if (again && MERGED.has(event.type)) this.waiting.pop();
    this.waiting.push(event);
  }

  // ---- Python

  // Hand an event over, or keep it while Python computes.
  pass(event) {
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
    this.asked = true;
    this.state ??= this.recorded && this.scenes[this.at].state;
    this.live.call("show", this.key, this.source, this.state ? JSON.stringify(this.state) : "");
  }

  // Python tells a whole scene, or what a drag has changed in it since.
  scene({ base, change, state }) {
    this.base = base ?? this.base;
    const scene = change ? window.linlibCanvas.merged(this.base, change) : this.base;
    // The first picture answers whatever was asked before: of a Python that was stopped, or of none.
    const echo = this.alive ? scene.echo : this.newest;
    const waiting = this.waiting.length + this.later.length > 0;
    [this.now, this.state] = [{ ...scene, echo, waiting }, state];
    this.follow();
    if (this.alive) return;
    this.alive = true;
    this.box.classList.add("walk-alive");
    this.progress(ALIVE);
    for (const event of this.waiting.splice(0)) this.send(event);
  }

  message(content) { for (const given of this.followers["msg:custom"]) given(content); }
  failed(words) {
    this.progress(`That could not be done: ${words}`);
    if (!this.alive) return;
    this.now = { ...this.now, echo: this.newest, waiting: false }; // the picture stays, and hears again
    this.follow();
  }

  // ---- the line below the picture

  progress(words) {
    if (this.words.textContent !== words) this.words.textContent = words;
  }

  // Hear how far Python is, or that there will be none.
  hear(words, state) {
    const broken = state === "broken" && this.can;
    if (broken) this.stay(words);
    else if (this.waking) this.progress(words);
  }

  // There will be no Python: what cannot move without it is a picture, where it began.
  stay(words) {
    this.can = false;
    this.waiting = [];
    this.progress(`${words} ${this.kind} To move everything, run the notebook.`);
    this.label("");
    this.box.classList.add("walk-fixed");
    this.follow();
  }

  offer() {
    this.progress(`${this.kind} Touch the picture and it comes alive.`);
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
}

window.linlibWalk = Walk;
addEventListener("DOMContentLoaded", () => {
  if (location.search.includes("print-pdf")) return; // paper shows the still picture
  for (const box of document.querySelectorAll("[data-walk]")) {
    const recorded = window.linlibWalks?.[box.dataset.walk];
    if (!recorded || !window.linlibCanvas) continue;
    const walk = new Walk(box, box.dataset.walk, recorded);
    walk.open();
    // On the front page Python may come by itself, unless the reader saves data.
    if ("eager" in box.dataset && walk.can && !SAVES) (window.requestIdleCallback ?? setTimeout)(() => walk.wake());
  }
});
}
