// An exercise in a page: write, run, check. Python is the explorers' own, in their worker.
"use strict";

if (!window.linlibExercise) { // a page may name this script several times
const WORDS = /(#.*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\b(and|as|assert|break|class|continue|def|del|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield)\b|\b(\d[\d.e_]*)\b/g;
const KINDS = ["comment", "string", "keyword", "number"];

const { make } = window.linlibLive;

class Exercise {
  static LIMIT = 5000; // milliseconds that a reader's code may take

  constructor(box) {
    [this.box, this.id, this.live] = [box, box.dataset.exercise, window.linlibLive];
    const shown = box.querySelector("pre");
    this.first = shown.textContent.trim() + "\n";
    // The task stands above the editor too, where it wraps.
    make(box, "p", {}, this.first.match(/"""(.*?)"""/s)?.[1].replace(/\s+/g, " "));
    const frame = make(box, "div", { class: "exercise-editor" });
    shown.remove();
    this.colours = make(frame, "pre", { "aria-hidden": "true" });
    this.text = make(frame, "textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": `Your code: ${box.querySelector("h3, h4").textContent}` });
    make(box, "p", { class: "exercise-hint" }, `Tab indents, Escape and then Tab leaves the editor; Shift+Enter runs, Ctrl+Enter checks. ${box.dataset.promise} Your text is kept in this browser.`);
    const row = make(box, "div", { class: "exercise-row" });
    const button = (label, act) => make(row, "button", { type: "button" }, label).addEventListener("click", act);
    button("Run", () => this.run(false));
    button("Check", () => this.run(true));
    button("Start again", () => { this.put(this.first); this.keep(); });
    button("Download", () => this.save());
    this.says = make(box, "div", { class: "exercise-says", role: "status" });
    this.text.addEventListener("input", () => { this.keep(); this.paint(); });
    this.text.addEventListener("scroll", () => { this.colours.scrollLeft = this.text.scrollLeft; });
    this.text.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("keydown", (event) => event.stopPropagation());
    this.live.users.set(`exercise ${this.id}`, this);
    this.put(this.kept() ?? this.first);
  }

  // ---- the editor: a text area above its own text in colours

  put(text) {
    this.text.value = text;
    this.paint();
  }

  paint(wrong = 0) {
    const { value } = this.text;
    this.colours.replaceChildren();
    value.split("\n").forEach((line, k) => {
      const row = make(this.colours, "span", k + 1 === wrong ? { class: "exercise-wrong" } : {});
      let at = 0;
      for (const found of line.matchAll(WORDS)) {
        row.append(line.slice(at, found.index));
        make(row, "span", { class: `exercise-${KINDS[found.slice(1).findIndex(Boolean)]}` }, found[0]);
        at = found.index + found[0].length;
      }
      row.append(`${line.slice(at)}\n`);
    });
    this.text.rows = value.split("\n").length + 1;
  }

  key(event) {
    const leaving = this.leaving;
    this.leaving = event.key === "Escape";
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) this.run(!event.shiftKey);
    else if (event.key === "Tab" && !leaving && !event.shiftKey) this.insert("    ");
    else if (event.key === "Enter") {
      const line = this.text.value.slice(0, this.text.selectionStart).split("\n").at(-1);
      this.insert(`\n${line.match(/^ */)[0]}${/:\s*$/.test(line) ? "    " : ""}`);
    } else return;
    event.preventDefault();
  }

  insert(words) {
    this.text.setRangeText(words, this.text.selectionStart, this.text.selectionEnd, "end");
    this.keep();
    this.paint();
  }

  // ---- what is kept

  get place() { return `linlib exercise ${this.id}`; }
  kept() { try { return localStorage.getItem(this.place); } catch { return null; } }
  keep() {
    try {
      localStorage.setItem(this.place, this.text.value);
    } catch { /* a browser that keeps nothing */ }
  }

  save() {
    const link = make(this.box, "a", { href: URL.createObjectURL(new Blob([this.text.value])), download: `${this.id}.py` });
    link.click();
    link.remove();
  }

  // ---- Python

  async run(checked) {
    if (this.waiting) return;
    [this.waiting, this.checked] = [true, checked];
    this.paint();
    this.say("Python is on its way …");
    try {
      await this.live.ready();
      this.call();
    } catch (error) {
      this.waiting = false;
      this.say(`No Python here: ${error.message}. Run it in the notebook.`, "wrong");
    }
  }

  call() {
    this.say("Running …");
    this.live.call("run", `exercise ${this.id}`, this.text.value, this.checked ? this.id : "");
  }

  result({ out, line, error, verdict, passed }) {
    this.waiting = false;
    this.paint(line);
    this.says.replaceChildren();
    if (out) make(this.says, "pre", {}, out);
    const words = error ? `${line ? `Line ${line}: ` : ""}${error}` : verdict;
    if (words) make(this.says, "p", { class: passed ? "exercise-right" : "exercise-not" }, words);
    if (!out && !words) make(this.says, "p", {}, "It ran, and printed nothing.");
  }

  say(words, kind = "") { this.says.replaceChildren(); make(this.says, "p", kind && { class: `exercise-${kind}` }, words); }
  failed(words) { this.result({ error: words }); }
  hear(words) { if (this.waiting) this.say(words); }
  idle() {}

  // Python is still at it: its time is limited.
  long(now) {
    clearTimeout(this.timer);
    if (now && this.waiting) this.timer = setTimeout(() => this.live.stop(), Exercise.LIMIT - this.live.LONG);
  }

  // Python is there again, after this or something that it waited for was stopped.
  again(stopped) {
    if (stopped) this.result({ error: `stopped after ${Exercise.LIMIT / 1000} seconds. Does your loop end?` });
    else if (this.waiting) this.call();
  }
}

window.linlibExercise = Exercise;
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("[data-exercise]")) {
    const { missing } = window.linlibLive;
    if (missing) make(box, "p", {}, `To write and check it, run the notebook (${missing}).`);
    else new Exercise(box);
  }
});
}
