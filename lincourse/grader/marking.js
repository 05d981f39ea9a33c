"use strict";
// Marks written answers with the keyboard, offline. What is given is kept in this browser at once;
// "Save" gives the file written.csv.
const cards = [...document.querySelectorAll("article")];
const status = document.querySelector("#status");
let at = 0, saved = true;

function points(card) { return card.querySelector("input.points"); }
function say() {
  const done = cards.filter(card => points(card).value.trim() !== "").length;
  const kept = drafts() ? "kept in this browser, not in a file yet" : "not saved";
  status.textContent = `${done} of ${cards.length} marked${saved ? "" : `, ${kept}`}`;
}

// A draft counts as long as the page itself holds what it held when the draft was made.
const place = "marks " + location.pathname;
function drafts() {
  try { return JSON.parse(localStorage.getItem(place) || "{}"); } catch { return null; }
}
function raw(card) { return card.querySelector(":scope > pre.raw").textContent; }
function nameOf(card) { return JSON.stringify([card.dataset.student, card.dataset.question, raw(card)]); }
function shown(card) { return [points(card).value, card.querySelector("textarea").value]; }
// As the page was made: a browser that reloads may have put typed text back into the fields.
const given = new Map(cards.map(card => [card, JSON.stringify(
  [points(card).defaultValue, card.querySelector("textarea").defaultValue])]));
function keep(card) {
  const all = drafts();
  if (!all) return;
  all[nameOf(card)] = {was: given.get(card), now: shown(card)};
  try { localStorage.setItem(place, JSON.stringify(all)); } catch { /* full: the file remains */ }
}
function restore() {
  const all = drafts() || {};
  for (const card of cards) {
    const draft = all[nameOf(card)];
    if (!draft || draft.was !== given.get(card)) continue;
    [points(card).value, card.querySelector("textarea").value] = draft.now;
    saved = false;
  }
}
function go(to, scroll = true) {
  if (!cards.length) return;
  cards[at].classList.remove("now");
  at = Math.max(0, Math.min(cards.length - 1, to));
  cards[at].classList.add("now");
  cards[at].focus({preventScroll: true});
  if (scroll) cards[at].scrollIntoView({block: "start"});
}
function changed(card) { keep(card); saved = false; say(); }
function give(card, value) {
  const most = Number(card.dataset.of);
  points(card).value = String(Math.max(0, Math.min(most, value)));
  changed(card);
}
function fromRubric(card) {
  const boxes = [...card.querySelectorAll("input[type=checkbox]")];
  give(card, boxes.filter(box => box.checked).reduce((sum, box) => sum + Number(box.value), 0));
}
function cell(text) {
  const safe = /^[=+\-@\t\r\n]/.test(text) && text !== "-" ? "'" + text : text;
  return '"' + safe.replaceAll('"', '""') + '"';
}
function table() {
  const rows = cards.map(card => [
    card.dataset.student, card.dataset.question, points(card).value.trim(), card.dataset.of,
    card.querySelector("textarea").value, raw(card)]);
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
document.addEventListener("input", event => {
  const card = event.target.closest("article");
  if (card) changed(card);
});
const anonymous = document.querySelector("#anonymous");
function hideNames() { document.body.classList.toggle("anonymous", anonymous.checked); }
anonymous.addEventListener("change", hideNames);
document.addEventListener("focusin", event => {
  const card = event.target.closest("article");
  if (card && cards.indexOf(card) !== at) { cards[at].classList.remove("now"); at = cards.indexOf(card); card.classList.add("now"); }
});
document.querySelector("#save").addEventListener("click", save);
restore();
hideNames();
say();
go(0, false);
