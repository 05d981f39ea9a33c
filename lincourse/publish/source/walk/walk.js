// An explorer in a page, drawn by its own canvas.js: recorded scenes that linlib computed, until the
// reader touches it or asks for more; then Python itself, in place.
"use strict";

if (!window.linlibWalk) { // a page may name this script several times
const { make } = window.linlibLive;

const SAVES = navigator.connection?.saveData || matchMedia("(prefers-reduced-data: reduce)").matches;
const RECORDED = "A recording: linlib computed these pictures when the page was made.";
const ALIVE = "Alive: linlib computes this in your browser.";
const COMPUTING = "Python is still computing.";
const SHARED = "state-"; // how the part of an address begins that brings a state

class Walk {
  constructor(box, key, { scenes, held, gap, source }) {
    [this.scenes, this.held, this.gap, this.at] = [scenes, held, gap, 0];
    [this.box, this.key, this.source] = [box, key, source];
    this.followers = { "change:scene": [], "msg:custom": [] };
    this.waiting = []; // what the reader did before Python came
    this.later = []; // and while it computes
    this.live = window.linlibLive;
    this.missing = this.live.missing || (source ? "" : "it needs more than the page's Python has");
    this.can = !this.missing;
    this.recorded = scenes.length > 1;
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
    else this.progress(`${this.recorded ? RECORDED : "A still picture."} To move everything, run the notebook (${this.missing}).`);
  }

  // ---- the recording

  picture() {
    const { state: _, ...scene } = this.scenes[this.at], { held } = this;
    const panels = scene.panels.map((panel) => {
      const shown = this.gap ? { ...panel, step: this.gap } : panel;
      if (this.can) return shown;
      // What nothing would answer is no handle, but for the one whose places are recorded.
      const fixed = panel.handles.filter(({ id }) => id !== held).map(({ at, ...rest }) => ({ ...rest, kind: "marks", xy: [at] }));
      return { ...shown, adds: false, drawables: [...panel.drawables, ...fixed], handles: panel.handles.filter(({ id }) => id === held) };
    });
    const fixed = this.can ? {} : { edits: false };
    const time = scene.time && { ...scene.time, playing: Boolean(this.playing) };
    const beat = this.playing ? { number: this.at, wait: 600 } : null;
    return { ...scene, ...fixed, panels, time, beat, echo: this.echo, waiting: this.waiting.length > 0 };
  }

  // Find the recorded picture that answers an event; tell whether there is one.
  answer({ type, to, id, x, y }) {
    const last = this.scenes.length - 1;
    const nearest = (far) => {
      const away = this.scenes.map(far);
      this.at = away.indexOf(Math.min(...away));
      return true;
    };
    if (type === "go" && typeof to === "number") return nearest(({ time }) => Math.abs(time.at - to));
    if (type === "go" || type === "tick") {
      if (type === "tick") this.at = Math.min(this.at + 1, last);
      else if (to && this.at === last) this.at = 0;
      this.playing = (type === "tick" || to) && this.at < last;
      return true;
    }
    return type === "move" && id === this.held && nearest(({ panels }) => {
      const { at } = panels.flatMap(({ handles }) => handles).find((one) => one.id === id);
      return Math.hypot(at[0] - x, at[1] - y);
    });
  }

  // ---- the part of a model that canvas.js asks for

  get() { return this.now ?? this.picture(); }
  on(event, follow) { this.followers[event]?.push(follow); }
  off() {}
  follow() { for (const follow of this.followers["change:scene"]) follow(); }

  // The address under which this page shows a state again.
  link(state) {
    const bytes = String.fromCharCode(...new TextEncoder().encode(state));
    const letters = btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    return `${location.href.split("#")[0]}#${SHARED}${this.key}=${letters}`;
  }

  // Show the state that the page's address brings, if it brings one.
  open() {
    const begin = `#${SHARED}${this.key}=`;
    if (!location.hash.startsWith(begin)) return;
    this.box.scrollIntoView();
    if (!this.can) return;
    try {
      const letters = location.hash.slice(begin.length).replaceAll("-", "+").replaceAll("_", "/");
      this.state = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(letters), (one) => one.charCodeAt(0))));
      this.wake();
    } catch {
      this.progress("The link is damaged: it cannot be shown.");
    }
  }

  send(event) {
    if (this.alive) { this.pass(event); return; }
    const found = !this.now && this.answer(event);
    const news = this.asked || !found || event.type === "move"; // Python does not learn it from the recorded state
    if (this.can && news) {
      const again = (one) => one.type === event.type && one.id === event.id && one.name === event.name;
      if (["move", "go", "control"].includes(event.type)) this.waiting = this.waiting.filter((one) => !again(one));
      this.waiting.push(event);
    }
    if (this.can && (news || !SAVES)) this.wake();
    this.echo = [event.view, event.number]; // what no recorded picture answers leaves the picture as it is
    this.follow();
    this.echo = null;
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

  scene({ scene, state }) {
    [this.now, this.state] = [scene, state];
    this.follow();
    if (this.alive) return;
    this.alive = true;
    this.box.classList.add("walk-alive");
    this.progress(ALIVE);
    for (const event of this.waiting.splice(0)) this.send(event);
  }

  message(content) { for (const given of this.followers["msg:custom"]) given(content); }
  failed(words) { this.progress(`That could not be done: ${words}`); }

  // ---- the line below the picture

  progress(words) {
    if (this.words.textContent !== words) this.words.textContent = words;
  }

  // Hear how far Python is, or that there will be none.
  hear(words, state) {
    const broken = state === "broken" && this.can;
    if (broken || this.waking) this.progress(words);
    if (broken) { this.can = false; this.label(""); this.box.classList.add("walk-fixed"); this.follow(); }
  }

  offer() {
    this.progress(this.recorded ? `${RECORDED} Touch the picture and it comes alive.` : "");
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
