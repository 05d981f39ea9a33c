// A recorded explorer: scenes that linlib computed, drawn by its own canvas.js.
"use strict";

const make = (parent, tag, attributes = {}, text = "") => {
  const node = parent.appendChild(document.createElement(tag));
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  return node;
};

class Walk {
  constructor(box, walks) {
    [this.box, this.walks, this.name, this.at] = [box, walks, Object.keys(walks)[0], 0];
    this.followers = [];
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

  // The part of a model that canvas.js asks for; a recording hears nothing.
  get() { return this.walks[this.name][this.at]; }
  on(event, follow) { if (event === "change:scene") this.followers.push(follow); }
  off() { this.followers = []; }
  send() {}

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
