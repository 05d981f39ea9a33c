"use strict";
// Marks written answers with the keyboard, offline. What is given is kept in this browser at once;
// "Save" gives the file written.csv, and a colleague's file can be opened and merged.
const cards = [...document.querySelectorAll("article")];
const COLUMNS = ["student", "question", "points", "of", "met", "comment", "asked", "before", "answer"];
let at = 0;

// ---------------------------------------------------------------- one card

const points = card => card.querySelector("input.points");
const comment = card => card.querySelector("textarea");
const boxes = card => [...card.querySelectorAll("input[type=checkbox]")];
const raw = card => card.querySelector(":scope > pre.raw").textContent;
const ticked = card => boxes(card).filter(box => box.checked).map(box => box.dataset.line).join(" ");
const sum = card => boxes(card).reduce((total, box) => total + (box.checked ? Number(box.value) : 0), 0);
const typed = card => points(card).value.trim().replace(",", ".");
const waits = card => typed(card) === "";
// What was decided about a card, in one form for the page, the browser's storage and a file.
const decided = card => ({ points: typed(card), met: ticked(card), comment: comment(card).value });
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function decide(card, { points: value, met, comment: text }) {
  const lines = met.split(" ");
  for (const box of boxes(card)) box.checked = lines.includes(box.dataset.line);
  points(card).value = value;
  comment(card).value = text;
}
// What has to be mended before a mark counts, as a sentence.
function problem(card) {
  if (waits(card)) return "";
  const value = Number(typed(card)), most = Number(card.dataset.of);
  if (!(value >= 0 && value <= most)) return `not a number from 0 to ${most}`;
  const explained = byHand(card) === false || comment(card).value.trim() !== "";
  return explained ? "" : `by hand, and the lines make ${sum(card)}: say in a comment why`;
}
// All points or none without a tick are a decision about every line.
function byHand(card) {
  const value = Number(typed(card)), all = value === 0 || value === Number(card.dataset.of);
  return value !== sum(card) && !(all && ticked(card) === "");
}
const valid = card => points(card).validity.valid;

// ---------------------------------------------------------------- kept in this browser

const place = "marks " + location.pathname;
const given = new Map(); // card: what the page itself holds, as JSON
const kept = { cards: {}, theirs: {}, comments: {}, anonymous: false, saved: true };
let storage = true;

function keep() {
  try { localStorage.setItem(place, JSON.stringify(kept)); } catch { storage = false; }
}
function changed(card) {
  kept.cards[card.dataset.digest] = { was: given.get(card), now: decided(card) };
  kept.saved = false;
  keep();
  say();
}
function restore() {
  for (const card of cards) {
    // As the page was made: a browser that reloads may have put typed text back into the fields.
    const lines = boxes(card).filter(box => box.defaultChecked).map(box => box.dataset.line).join(" ");
    const was = { points: points(card).defaultValue, met: lines, comment: comment(card).defaultValue };
    given.set(card, JSON.stringify(was));
    decide(card, was);
  }
  try { Object.assign(kept, JSON.parse(localStorage.getItem(place) || "{}")); } catch { storage = false; }
  for (const card of cards) {
    // A draft counts as long as the page holds what it held when the draft was made.
    const draft = kept.cards[card.dataset.digest];
    if (draft?.was === given.get(card)) decide(card, draft.now);
  }
  document.querySelector("#anonymous").checked = kept.anonymous;
}

// ---------------------------------------------------------------- what is said

function say() {
  for (const card of cards) {
    const text = problem(card), theirs = kept.theirs[card.dataset.digest];
    card.querySelector(".note").textContent =
      text || (!waits(card) && byHand(card) ? `by hand; the lines make ${sum(card)}` : "");
    points(card).setCustomValidity(text);
    const other = card.querySelector(".theirs");
    other.hidden = !theirs;
    if (theirs) {
      const lines = theirs.met ? `lines ${theirs.met}` : "no line";
      const words = theirs.comment ? `, “${theirs.comment}”` : "";
      other.querySelector("span").textContent =
        `The opened file has another mark: ${theirs.points || "none"} of ${card.dataset.of}, ${lines}${words}.`;
    }
  }
  const parts = [`${cards.filter(card => !waits(card) && valid(card)).length} of ${cards.length} marked`];
  const wrong = cards.filter(card => !valid(card)).length, differ = cards.filter(card => kept.theirs[card.dataset.digest]).length;
  if (wrong) parts.push(`${wrong} to mend`);
  if (differ) parts.push(`${differ} where the files differ`);
  if (!kept.saved) parts.push(storage ? "kept in this browser, not in a file yet" : "not saved");
  document.querySelector("#status").textContent = parts.join(", ");
}

// ---------------------------------------------------------------- going about

function go(to, scroll = true) {
  if (!cards.length) return;
  cards[at].classList.remove("now");
  at = Math.max(0, Math.min(cards.length - 1, to));
  cards[at].classList.add("now");
  cards[at].focus({ preventScroll: true });
  if (scroll) cards[at].scrollIntoView({ block: "start" });
}
function next() {
  const order = [...cards.slice(at + 1), ...cards.slice(0, at + 1)];
  const card = order.find(one => waits(one) || !valid(one) || kept.theirs[one.dataset.digest]);
  if (card) go(cards.indexOf(card));
}

// ---------------------------------------------------------------- deciding

// The mark follows the lines unless it was changed by hand: then it is not the sum of the old ones.
function tick(card, change) {
  const followed = waits(card) || Number(typed(card)) === sum(card);
  change(boxes(card));
  if (followed) points(card).value = String(sum(card));
  changed(card);
}
function line(card, number) {
  const box = boxes(card)[number - 1];
  if (box) tick(card, () => { box.checked = !box.checked; });
}
function every(card, checked) {
  for (const box of boxes(card)) box.checked = checked;
  points(card).value = String(sum(card));
  changed(card);
}
function undecide(card) {
  for (const box of boxes(card)) box.checked = false;
  points(card).value = "";
  changed(card);
}
function emptyOnes(card) {
  for (const one of cards) {
    const empty = one.querySelector(".empty") && one.dataset.question === card.dataset.question;
    if (empty && waits(one)) every(one, false);
  }
}

// ---------------------------------------------------------------- comments used again

const dialog = document.querySelector("#comments");
// Those of this question, the most frequent first; also ones that stand on no card any more.
function comments(card) {
  const counts = new Map();
  const question = card.dataset.question;
  const here = cards.filter(one => one !== card && one.dataset.question === question);
  for (const text of [...here.map(one => comment(one).value.trim()), ...(kept.comments[question] ?? [])])
    if (text) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]).map(([text]) => text);
}
function remember(card) {
  const text = comment(card).value.trim(), question = card.dataset.question;
  const known = kept.comments[question] ?? [];
  if (text && !known.includes(text)) kept.comments[question] = [text, ...known].slice(0, 50);
  keep();
}
function reuse(card) {
  const texts = comments(card);
  dialog.replaceChildren(...texts.map((text, k) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = k < 9 ? `${k + 1}  ${text}` : text;
    button.addEventListener("click", () => {
      const before = comment(card).value.trim();
      comment(card).value = before ? `${before}\n${text}` : text;
      dialog.close();
      changed(card);
    });
    return button;
  }));
  if (!texts.length) dialog.textContent = "No comment was given to this question yet. Esc closes.";
  dialog.showModal();
}

// ---------------------------------------------------------------- files

function harmless(text) {
  return /^[=+\-@\t\r\n]/.test(text) && text !== "-" ? "'" + text : text;
}
const cell = text => '"' + harmless(text).replaceAll('"', '""') + '"';
function row(card) {
  const { met, ...rest } = decided(card);
  const before = JSON.parse(given.get(card)).points;
  return { student: card.dataset.student, question: card.dataset.question, of: card.dataset.of, met,
    ...rest, points: rest.points || (before ? "-" : ""), answer: raw(card), asked: "", before: "" };
}
function save() {
  const rows = cards.map(card => COLUMNS.map(name => cell(row(card)[name])).join(","));
  const text = "\ufeff" + [COLUMNS.join(","), ...rows].join("\r\n") + "\r\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = "written.csv";
  link.click();
  URL.revokeObjectURL(link.href);
  kept.saved = true;
  keep();
  say();
}
// The rows of a CSV file, by the names of its columns.
function table(text) {
  const found = [[""]];
  let quoted = false;
  const characters = [...text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")];
  characters.forEach((character, k) => {
    const fields = found.at(-1);
    if (character === '"') {
      if (!quoted && characters[k - 1] === '"') fields[fields.length - 1] += '"'; // written twice
      quoted = !quoted;
    } else if (quoted) fields[fields.length - 1] += character;
    else if (character === ",") fields.push("");
    else if (character === "\n") found.push([""]);
    else fields[fields.length - 1] += character;
  });
  const [names = [], ...rows] = found.filter(one => one.length > 1);
  return rows.map(one => Object.fromEntries(names.map((name, k) => [name, one[k] ?? ""])));
}
// Spaces and a spreadsheet's apostrophe make no difference to whose answer it is.
const keyOf = (student, question, answer) =>
  JSON.stringify([student, question, answer].map(text => harmless(text).split(/\s+/).filter(Boolean).join(" ")));
function merge(rows) {
  const mine = new Map(cards.map(card => [keyOf(card.dataset.student, card.dataset.question, raw(card)), card]));
  for (const { student = "", question = "", answer = "", points: value = "", met = "", comment: text = "" } of rows) {
    const card = mine.get(keyOf(student, question, answer));
    const theirs = { points: value.trim().replace(",", ".").replace(/^-$/, ""),
      met: (met.match(/\d+/g) ?? []).join(" "), comment: text };
    const theirComments = kept.comments[question] ?? [];
    if (text && !theirComments.includes(text)) kept.comments[question] = [...theirComments, text].slice(-50);
    if (!card || same(theirs, decided(card)) || same(theirs, { points: "", met: "", comment: "" })) continue;
    if (same(decided(card), { points: "", met: "", comment: "" })) {
      decide(card, theirs);
      changed(card);
    } else kept.theirs[card.dataset.digest] = theirs;
  }
  keep();
  say();
}
function settle(card, take) {
  const theirs = kept.theirs[card.dataset.digest];
  if (!theirs) return;
  if (take) decide(card, theirs);
  delete kept.theirs[card.dataset.digest];
  changed(card);
}

// ---------------------------------------------------------------- keys and buttons

const KEYS = {
  j: () => go(at + 1), ArrowRight: () => go(at + 1), k: () => go(at - 1), ArrowLeft: () => go(at - 1), n: next,
  a: card => every(card, true), 0: card => every(card, false), u: undecide, x: emptyOnes,
  "=": card => { points(card).value = String(sum(card)); changed(card); },
  p: card => points(card).select(), c: card => comment(card).focus(), r: reuse,
  m: card => settle(card, false), t: card => settle(card, true),
  q: card => {
    const question = card.closest("section").querySelector(".question");
    question.open = !question.open;
  },
  s: save, o: () => document.querySelector("#file").click(),
};
document.addEventListener("keydown", event => {
  const typing = event.target.matches("textarea, input.points");
  if (dialog.open) {
    if (/^[1-9]$/.test(event.key)) {
      event.preventDefault();
      dialog.querySelectorAll("button")[Number(event.key) - 1]?.click();
    }
    return;
  }
  if (event.key === "Escape" && typing) { cards[at].focus(); return; }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const card = cards[at];
  if (/^[1-9]$/.test(event.key) && card) line(card, Number(event.key));
  else if (Object.hasOwn(KEYS, event.key) && card) KEYS[event.key](card);
  else return;
  event.preventDefault();
});
document.addEventListener("change", async event => {
  const card = event.target.closest("article");
  if (event.target.matches("article input[type=checkbox]")) {
    const box = event.target;
    box.checked = !box.checked; // as it was, so that the sum before is known
    tick(card, () => { box.checked = !box.checked; });
  } else if (event.target.matches("textarea")) remember(card);
  else if (event.target.id === "anonymous") { kept.anonymous = event.target.checked; keep(); hideNames(); }
  else if (event.target.id === "file") {
    for (const file of event.target.files) merge(table(await file.text()));
    event.target.value = "";
  }
});
document.addEventListener("input", event => {
  if (event.target.matches("textarea, input.points")) changed(event.target.closest("article"));
});
document.addEventListener("click", event => {
  const card = event.target.closest("article"), button = event.target.closest("button");
  if (button?.id === "save") save();
  else if (button?.id === "open") KEYS.o();
  else if (button?.className === "reuse") reuse(card);
  else if (button?.className === "mine" || button?.className === "take") settle(card, button.className === "take");
});
document.addEventListener("focusin", event => {
  const card = event.target.closest("article");
  if (card && cards.indexOf(card) !== at) {
    cards[at].classList.remove("now");
    at = cards.indexOf(card);
    card.classList.add("now");
  }
});
addEventListener("beforeunload", event => { if (!storage && !kept.saved) event.preventDefault(); });
function hideNames() { document.body.classList.toggle("anonymous", kept.anonymous); }
// On a small screen the question would hide the model answer.
if (matchMedia("(max-width: 60rem)").matches)
  for (const question of document.querySelectorAll(".question")) question.open = false;
restore();
hideNames();
say();
go(0, false);
