// A derivation in a page with lines left blank: write one, Enter asks Python, the explorers' own.
"use strict";

if (!window.linlibDerivation) { // a page may name this script several times
const { make } = window.linlibLive;

class Line {
  static LIMIT = 10_000; // milliseconds that an answer may take

  constructor(blank, source, key) {
    [this.source, this.key, this.live] = [source, key, window.linlibLive];
    this.number = Number(blank.dataset.line);
    blank.textContent = "";
    const words = `Line ${this.number}`;
    this.field = make(blank, "input", { type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": words, placeholder: words });
    this.says = make(blank, "p", { class: "written-says", role: "status" });
    this.field.addEventListener("keydown", (event) => {
      event.stopPropagation(); // in a deck, keys turn slides
      if (event.key === "Enter") this.ask();
    });
    this.live.users.set(key, this);
  }

  async ask() {
    if (this.waiting || !this.field.value.trim()) return;
    this.waiting = true;
    this.say("Python is on its way …");
    try {
      await this.live.ready();
      this.call();
    } catch (error) {
      this.waiting = false;
      this.say(`No Python here: ${error.message}. Write it in the notebook.`);
    }
  }

  call() {
    this.live.call("judge", this.key, this.source, this.number, this.field.value);
  }

  judged({ right, said }) {
    this.waiting = false;
    this.say(said, right ? "written-right" : "written-not");
  }

  say(words, kind = "") {
    this.says.textContent = words;
    this.says.className = `written-says ${kind}`;
  }

  // ---- what Python tells whoever asks it

  failed(words) { this.judged({ right: false, said: words }); }
  hear(words) { if (this.waiting) this.say(words); }
  idle() {}

  long(now) {
    clearTimeout(this.timer);
    if (now && this.waiting) this.timer = setTimeout(() => this.live.stop(), Line.LIMIT - this.live.LONG);
  }

  again(stopped) {
    if (stopped) this.failed("This takes too long.");
    else if (this.waiting) this.call();
  }
}

window.linlibDerivation = Line;
addEventListener("DOMContentLoaded", () => {
  const { missing } = window.linlibLive;
  for (const [k, box] of document.querySelectorAll("[data-derivation]").entries()) {
    if (missing) { make(box, "p", {}, `To fill it in, run the notebook (${missing}).`); continue; }
    box.querySelector(".call")?.remove(); // how to answer in Python
    for (const blank of box.querySelectorAll(".blank")) new Line(blank, box.dataset.derivation, `derivation ${k} ${blank.dataset.line}`);
  }
});
}
