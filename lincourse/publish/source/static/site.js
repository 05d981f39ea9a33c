// What a page can do by itself: filter tables, ask for predictions, unfold code, print the answers.
"use strict";

for (const form of document.querySelectorAll("form[data-filter]")) {
  const rows = [...document.querySelectorAll(`#${form.dataset.filter} tbody tr`)];
  const filter = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { value } = form.elements.kind;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !(words.every((word) => text.includes(word)) && (!value || row.dataset.kind === value));
    }
    form.querySelector("output").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
}

const questions = document.querySelectorAll("[data-answers]");
if (questions.length) window.linlibPredict.make(document.head, "style", {}, window.linlibPredict.STYLE);
for (const box of questions) {
  box.hidden = false;
  window.linlibPredict.ask(box, JSON.parse(box.dataset.answers), () => {
    for (const answer of document.querySelectorAll(box.dataset.opens)) answer.open = true;
  });
}

const unfold = document.querySelector("[data-unfold]");
if (unfold) {
  unfold.hidden = false;
  unfold.addEventListener("click", () => {
    const open = unfold.textContent.startsWith("Show");
    for (const code of document.querySelectorAll("details.code")) code.open = open;
    unfold.textContent = open ? "Hide the code" : "Show all code";
  });
}

// Sphinx fetches each page it has found, to show some of its words; a page in a folder may not.
if (document.querySelector("#search-results")) {
  const texts = new Promise((resolve) => { window.linlibTexts = resolve; });
  const script = document.createElement("script");
  script.src = "_static/texts.js";
  document.head.append(script);
  window.fetch = async (address) => {
    const page = decodeURI(address).replace(/^\.\//, "").replace(/\.html.*/, "");
    return { text: async () => `<main role="main">${(await texts)[page] ?? ""}</main>` };
  };
}

addEventListener("beforeprint", () => {
  for (const answer of document.querySelectorAll("details:not(.code)")) answer.open = true;
});
