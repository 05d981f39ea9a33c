"use strict";
// Marks written answers with the keyboard, offline; "Save" gives the file written.csv.
const cards = [...document.querySelectorAll("article")];
const status = document.querySelector("#status");
let at = 0, saved = true;

function points(card) { return card.querySelector("input.points"); }
function say() {
  const done = cards.filter(card => points(card).value.trim() !== "").length;
  status.textContent = `${done} of ${cards.length} marked${saved ? "" : ", not saved"}`;
}
function go(to, scroll = true) {
  if (!cards.length) return;
  cards[at].classList.remove("now");
  at = Math.max(0, Math.min(cards.length - 1, to));
  cards[at].classList.add("now");
  cards[at].focus({preventScroll: true});
  if (scroll) cards[at].scrollIntoView({block: "start"});
}
function changed() { saved = false; say(); }
function give(card, value) {
  const most = Number(card.dataset.of);
  points(card).value = String(Math.max(0, Math.min(most, value)));
  changed();
}
function fromRubric(card) {
  const boxes = [...card.querySelectorAll("input[type=checkbox]")];
  give(card, boxes.filter(box => box.checked).reduce((sum, box) => sum + Number(box.value), 0));
}
function cell(text) {
  const safe = /^[=+\-@\t\r\n]/.test(text) ? "'" + text : text;
  return '"' + safe.replaceAll('"', '""') + '"';
}
function table() {
  const rows = cards.map(card => [
    card.dataset.student, card.dataset.question, points(card).value.trim(), card.dataset.of,
    card.querySelector("textarea").value, card.querySelector("pre.raw").textContent]);
  return [["student", "question", "points", "of", "comment", "answer"], ...rows]
    .map(row => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff" + table()], {type: "text/csv"}));
  link.download = "written.csv";
  link.click();
  URL.revokeObjectURL(link.href);
  saved = true;
  say();
}

document.addEventListener("keydown", event => {
  const typing = event.target.matches("textarea, input.points");
  if (event.key === "Escape" && typing) { event.target.blur(); cards[at].focus(); return; }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const card = cards[at], key = event.key;
  if (key === "j" || key === "ArrowRight") go(at + 1);
  else if (key === "k" || key === "ArrowLeft") go(at - 1);
  else if (key === "n") go(cards.findIndex(one => points(one).value.trim() === ""));
  else if (/^[0-9]$/.test(key) && card) give(card, Number(key));
  else if (key === "." && card) give(card, Number(points(card).value || 0) + 0.5);
  else if (key === "c" && card) card.querySelector("textarea").focus();
  else if (key === "s") save();
  else if (/^[a-z]$/.test(key) && card) {
    const box = card.querySelector(`input[data-key="${key}"]`);
    if (!box) return;
    box.checked = !box.checked;
    fromRubric(card);
  } else return;
  event.preventDefault();
});
document.addEventListener("change", event => {
  if (event.target.matches("input[type=checkbox]")) fromRubric(event.target.closest("article"));
});
document.addEventListener("input", changed);
document.addEventListener("focusin", event => {
  const card = event.target.closest("article");
  if (card && cards.indexOf(card) !== at) { cards[at].classList.remove("now"); at = cards.indexOf(card); card.classList.add("now"); }
});
document.querySelector("#save").addEventListener("click", save);
window.addEventListener("beforeunload", event => { if (!saved) event.preventDefault(); });
say();
go(0, false);
