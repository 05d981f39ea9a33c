// What a page can do by itself: filter tables, ask for predictions, print the answers.
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

addEventListener("beforeprint", () => {
  for (const answer of document.querySelectorAll("details")) answer.open = true;
});
