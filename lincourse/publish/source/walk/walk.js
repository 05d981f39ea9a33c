// A recorded explorer: scenes that linlib computed, drawn by its own canvas.js.
"use strict";

const make = (parent, tag, attributes = {}, text = "") => {
  const node = parent.appendChild(document.createElement(tag));
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  return node;
};

class Walk {
  constructor(box, { walks, parts }) {
    [this.walks, this.parts, this.name, this.at] = [walks, parts, Object.keys(walks)[0], 0];
    [this.followers, this.echo] = [[], null];
    box.replaceChildren();
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Recorded explorer");
    // In a deck, keys that are meant for a control must not turn the slide.
    box.addEventListener("keydown", (event) => event.stopPropagation());
    const row = make(box, "div", { class: "walk-controls" });
    const choose = make(row, "label", {}, "Show ").appendChild(document.createElement("select"));
    for (const name of Object.keys(walks)) make(choose, "option", {}, name);
    choose.addEventListener("change", () => { this.name = choose.value; this.go(0); });
    this.back = make(row, "button", { type: "button" }, "Back");
    this.next = make(row, "button", { type: "button" }, "Step");
    this.back.addEventListener("click", () => this.go(this.at - 1));
    this.next.addEventListener("click", () => this.go(this.at + 1));
    this.scrub = make(row, "label", {}, "Scrub ").appendChild(document.createElement("input"));
    Object.assign(this.scrub, { type: "range", min: 0, step: 1 });
    this.scrub.addEventListener("input", () => this.go(Number(this.scrub.value)));
    this.count = make(row, "span");
    window.linlibCanvas.render({ model: this, el: make(box, "div") });
    this.go(0);
  }

  // The part of a model that canvas.js asks for.
  get() {
    const scene = this.walks[this.name][this.at];
    const panels = scene.panels.map(({ look, drawables, handles }) => (
      { ...this.parts[look], drawables: drawables.map((part) => this.parts[part]), handles }));
    return { ...scene, panels, echo: this.echo };
  }

  on(event, follow) { if (event === "change:scene") this.followers.push(follow); }
  off() { this.followers = []; }

  // A recording hears only that its handle moved: it shows the nearest picture that it has.
  send({ type, id, x, y, view, number }) {
    const far = (scene) => {
      const { at } = scene.panels.flatMap(({ handles }) => handles).find((one) => one.id === id);
      return Math.hypot(at[0] - x, at[1] - y);
    };
    const places = type === "move" ? this.walks[this.name].map(far) : [];
    this.echo = [view, number];
    this.go(places.length ? places.indexOf(Math.min(...places)) : this.at);
    this.echo = null;
  }

  go(to) {
    const last = this.walks[this.name].length - 1;
    this.at = Math.min(Math.max(to, 0), last);
    Object.assign(this.scrub, { max: last, value: this.at });
    this.scrub.setAttribute("aria-valuetext", `picture ${this.at + 1} of ${last + 1}`);
    [this.back.disabled, this.next.disabled] = [this.at === 0, this.at === last];
    this.count.textContent = `${this.at + 1} of ${last + 1}`;
    for (const follow of this.followers) follow();
  }
}

addEventListener("DOMContentLoaded", () => {
  if (location.search.includes("print-pdf")) return; // paper shows the still picture
  for (const box of document.querySelectorAll("[data-walk]")) {
    const walks = window.linlibWalks?.[box.dataset.walk];
    if (walks && window.linlibCanvas) new Walk(box, walks);
  }
});
