// Fit the blocks of each slide into slides of one size, then start reveal.js.
"use strict";

const [WIDE, HIGH, WORDS] = [1280, 720, 100]; // so much prose is no wall
const PROSE = ":is(p, li):not(.linlib-canvas *, .linlib-predict *)";

const WHOLE = "pre, li, tr, img, math, .highlight, .picture, .explorer, .formula, .linlib-predict"; // are never cut

const heightOf = (node) => node.getBoundingClientRect().height;

function wordsOf(block) {
  const prose = [...block.querySelectorAll(PROSE)].filter((one) => !one.querySelector("p, li"));
  return prose.reduce((sum, one) => sum + one.textContent.split(/\s+/).length, 0);
}

// Cut after the sentence that ends nearest to the middle; nothing if there is only one.
function halveText(paragraph) {
  const ends = [];
  let before = 0;
  for (const node of paragraph.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) {
      for (const end of node.data.matchAll(/[.?!]\)?\s+(?=\p{Lu})/gu)) {
        ends.push({ node, at: end.index + end[0].length, from: before + end.index });
      }
    }
    before += node.textContent.length;
  }
  if (!ends.length) return null;
  const off = (end) => Math.abs(end.from - before / 2);
  const cut = ends.reduce((best, end) => (off(end) < off(best) ? end : best));
  const range = document.createRange();
  range.setStart(cut.node, cut.at);
  range.setEndAfter(paragraph.lastChild);
  const rest = paragraph.cloneNode(false);
  rest.append(range.extractContents());
  return rest;
}

// Move the second half of what a node holds into a copy of it; nothing if it cannot be cut.
function halve(node) {
  if (node.matches(WHOLE)) return null;
  if (node.matches("p")) return halveText(node);
  const copy = node.cloneNode(false);
  const rows = node.matches("table") ? node.tBodies[0] : null;
  const parts = [...(rows ?? node).children];
  if (parts.length < 2) {
    const rest = parts.length ? halve(parts[0]) : null;
    if (rest) copy.append(rest);
    return rest && copy;
  }
  const middle = node.getBoundingClientRect().top + heightOf(node) / 2;
  const off = (part) => Math.abs(part.getBoundingClientRect().top - middle);
  const cut = parts.slice(1).reduce((best, part) => (off(part) < off(best) ? part : best), parts[1]);
  const moved = parts.slice(parts.indexOf(cut));
  if (node.matches("ol")) copy.start = node.start + parts.length - moved.length;
  if (rows) {
    copy.append(...[node.tHead].filter(Boolean).map((head) => head.cloneNode(true)), rows.cloneNode(false));
  }
  (rows ? copy.tBodies[0] : copy).append(...moved);
  return copy;
}

// Cut blocks until each of them fits.
function fitting(blocks, room) {
  const found = [];
  const rest = [...blocks];
  while (rest.length) {
    const block = rest.shift();
    const half = (heightOf(block) > room || wordsOf(block) > WORDS) && halve(block);
    if (half) {
      block.after(half);
      rest.unshift(block, half);
    } else {
      found.push({ block, height: heightOf(block), words: wordsOf(block), leads: "leads" in block.dataset });
    }
  }
  return found;
}

const sum = (blocks, what) => blocks.reduce((total, block) => total + block[what], 0);

function dealt(blocks, room) {
  const fits = (...some) => sum(some, "height") <= room && sum(some, "words") <= WORDS;
  const slides = [[]];
  for (const block of blocks) {
    const last = slides.at(-1);
    if (last.length && !fits(...last, block)) {
      const next = [];
      while (last.length > 1 && last.at(-1).leads && fits(last.at(-1), ...next, block)) next.unshift(last.pop());
      slides.push(next);
    }
    slides.at(-1).push(block);
  }
  return slides;
}

const stranded = (slides) => slides.slice(0, -1).some((blocks) => blocks.at(-1)?.leads);

// As few slides as are needed, and these as even as can be; no line that leads on ends one.
function even(blocks, room) {
  let found = dealt(blocks, room);
  for (let less = room * 0.95; less > 100; less *= 0.95) {
    const next = dealt(blocks, less);
    if (next.length > found.length) break;
    if (stranded(found) || !stranded(next)) found = next;
  }
  return found;
}

function roomOf(section) {
  const edge = parseFloat(getComputedStyle(section).paddingBottom);
  return HIGH - edge - (section.children[1].getBoundingClientRect().top - section.getBoundingClientRect().top);
}

function split(section) {
  const [heading, body, notes] = section.children;
  const room = roomOf(section);
  const [, ...rest] = even(fitting([...body.children], room), room);
  let last = section;
  for (const blocks of rest) {
    const next = section.cloneNode(false);
    next.append(...[heading, body, notes].map((part) => part.cloneNode(part !== body)));
    next.children[0].className = "more";
    next.children[1].append(...blocks.map(({ block }) => block));
    next.querySelector(".minutes")?.remove();
    last.after(next);
    last = next;
  }
}

// Words that are alone on a slide may be larger.
function grow(section) {
  const body = section.querySelector(".body");
  if (body.querySelector("pre, .picture, .explorer, .linlib-predict")) return;
  for (const scale of [1.3, 1.2, 1.1]) {
    body.style.zoom = String(scale);
    const wide = [...body.querySelectorAll(".table, .formula")].some((one) => one.scrollWidth > one.clientWidth);
    if (heightOf(body) < roomOf(section) * 0.9 && !wide) return;
  }
  body.style.zoom = "";
}

// What comes on a click needs something before it.
function uncover(section) {
  const [first] = section.querySelector(".body").children;
  if (!first?.matches(".fragment")) return;
  for (const block of section.querySelectorAll(`[data-fragment-index="${first.dataset.fragmentIndex}"]`)) {
    block.classList.remove("fragment");
    delete block.dataset.fragmentIndex;
  }
}

const frame = () => new Promise((seen) => { requestAnimationFrame(seen); });

const LINE = 40; // in which it tells that Python is on its way

// How much of the slide an explorer's pictures take at some scale; nothing if it does not fit.
async function taken(explorer, walk, scale) {
  walk.style.zoom = String(scale);
  await frame(); // it lays itself out anew
  await frame();
  const panels = [...walk.querySelectorAll("svg.linlib-panel")].map((one) => one.getBoundingClientRect());
  const fits = heightOf(walk) + LINE <= heightOf(explorer);
  return fits ? panels.reduce((sum, { width, height }) => sum + width * height, 1) : 0;
}

// An explorer knows its room only when it is seen: its pictures become as large as can be.
async function fill() {
  for (const explorer of Reveal.getCurrentSlide().querySelectorAll(".explorer")) {
    const walk = explorer.querySelector(".walk");
    let best = [0, 0.6];
    for (const scale of [1.45, 1.3, 1.15, 1, 0.85, 0.7]) {
      const size = await taken(explorer, walk, scale);
      if (size > best[0]) best = [size, scale];
    }
    walk.style.zoom = String(best[1]);
    await frame();
  }
}

function ask(box) {
  box.hidden = false;
  linlibPredict.ask(box, JSON.parse(box.dataset.answers), () => window.Reveal?.nextFragment());
}

window.deckReady = false;
addEventListener("DOMContentLoaded", async () => {
  const printing = location.search.includes("print-pdf");
  await document.fonts.load("26px 'STIX Two Math'").catch(() => {}); // without it another serves
  for (const image of document.images) image.loading = "eager";
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  const questions = printing ? [] : document.querySelectorAll("[data-answers]");
  if (questions.length) linlibPredict.make(document.head, "style", {}, linlibPredict.STYLE);
  questions.forEach(ask);
  document.body.classList.add("measuring");
  document.querySelectorAll(".slides > section").forEach(split);
  document.querySelectorAll(".slides > section").forEach(grow);
  document.querySelectorAll(".slides > section").forEach(uncover);
  document.body.classList.remove("measuring");
  if (!window.Reveal) {
    document.body.classList.add("plain");
    window.deckReady = true;
    return;
  }
  for (const change of ["ready", "slidechanged"]) Reveal.on(change, () => { window.deckFilled = fill(); });
  Reveal.on(printing ? "pdf-ready" : "ready", () => { window.deckReady = true; });
  Reveal.initialize({
    width: WIDE, height: HIGH, margin: 0, center: false, hash: true, transition: "none",
    slideNumber: "c/t", pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1, plugins: [RevealNotes],
  });
});
