// Draw again at once what follows from where the reader has put a handle: see rule.py, which says
// what a rule is. Python's own scene comes later and takes the place of this one. canvas.js uses it.

const PLACES = 1e4; // places have four decimals: times this they are whole numbers
const FLOAT = 2 ** -52; // the rounding of a float, beside its size
const ON_LINE = 1e-9; // a corner of a shaded side that is no farther from the line lies on it

// A number of a place as a reader can aim at it.
const aimed = (value) => Math.round(value * PLACES) / PLACES;

// A scene after a handle has been put somewhere. `follows` tells whether its sentence is right too.
export function followed(scene, { id, at }) {
  const place = at.map(aimed);
  let words = {};
  const panels = scene.panels.map((panel) => {
    if (!panel.rule || !panel.handles.some((handle) => handle.id === id)) return panel;
    const drawn = ruled(panel, id, place);
    words = drawn.words;
    return drawn.panel;
  });
  return { ...scene, ...words, panels };
}

function ruled(panel, moved, place) {
  const places = Object.fromEntries(panel.handles.map(({ id, at }) => [id, at]));
  places[moved] = place;
  const rule = after(panel.rule, moved, places);
  let line = lineOf(rule, places);
  const marks = (name) => panel.drawables.find((one) => one.name === name)?.xy ?? [];
  const shown = Object.entries(rule.counted?.shown ?? {}).map(([label, name]) => [Number(label), marks(name)]);
  if (line && agreement(line, shown) < 0) line = { w: line.w.map((value) => -value), w0: -line.w0 };

  const corners = cornersOf(panel);
  const ends = line ? edge(line, corners) : [];
  const wrong = line ? shown.map(([label, spots]) => [label, misplaced(line, label, spots)]) : [];
  const measured = line && rule.measured ? measure(line, places[rule.measured.point]) : null;

  const sides = line ? Object.entries(rule.sides).map(([sign, look]) => ({ ...look, xy: cut(corners, line, Number(sign)) })) : [];
  const rings = wrong.flatMap(([, spots]) => spots.map((at) => ({ ...rule.counted.ring, at })));
  const own = new Set([rule.line, rule.counted?.ring, ...Object.values(rule.sides)].map((look) => look?.name));
  const rest = panel.drawables.filter(({ name }) => !own.has(name));
  const spots = { origin: [0, 0], normal: line?.w, ...measured?.spots };
  const drawables = [
    ...sides.filter(({ xy }) => xy.length),
    ...(ends.length ? [{ ...rule.line, xy: ends }] : []),
    ...rest.map((item) => bound(item, rule, spots)).filter(Boolean),
    ...rings,
  ];

  const handles = panel.handles.map((handle) => held(handle, rule, line, measured, places, panel));
  const slots = { ...counts(line, wrong, rule.counted?.others ?? {}), ...measured?.slots };
  slots.side = rule.measured?.sides[measured?.side];
  let what = rule.measured ? (ends.length ? "line" : "outside") : ["0", "1"][rings.length] ?? "many";
  if (!line) what = "no line";
  return { panel: { ...panel, rule, drawables, handles }, words: sentence(rule.says, what, slots) };
}

// ---- the line

// The rule after a handle has been moved: the line now passes through the offset's handle.
function after(rule, moved, places) {
  const { normal } = rule;
  if (moved !== normal?.offset) return rule;
  return { ...rule, normal: { ...normal, w0: 0 - productOf(places[normal.tip], places[moved]) } };
}

// The line as w and w0; null where it has no direction.
function lineOf({ through, normal }, places) {
  if (normal) {
    const w = places[normal.tip];
    return w[0] || w[1] ? { w, w0: normal.w0 } : null;
  }
  // In whole numbers, as linlib computes it: the handles may be close to each other.
  const [[a, b], [c, d]] = through.handles.map((id) => places[id].map((value) => Math.round(value * PLACES)));
  const w = [d - b, a - c];
  return w[0] || w[1] ? { w, w0: ((c - a) * b - (d - b) * a) / PLACES } : null;
}

// A product of two places has twice their decimals; the rest is rounding.
const productOf = (one, other) => Math.round(dot(one, other) * PLACES ** 2) / PLACES ** 2;

const dot = ([a, b], [x, y]) => a * x + b * y;

const score = ({ w, w0 }, spot) => dot(w, spot) + w0;

// +1, −1, or 0 where the score is no larger than the rounding of its terms: side() of geometry.py.
function sideOf({ w, w0 }, spot) {
  const terms = dot(w.map(Math.abs), spot.map(Math.abs)) + Math.abs(w0);
  const value = score({ w, w0 }, spot);
  return Math.abs(value) <= 12 * FLOAT * terms ? 0 : Math.sign(value);
}

// How many more points are right than wrong.
function agreement(line, shown) {
  return shown.reduce((sum, [label, spots]) => spots.reduce((more, at) => more + label * sideOf(line, at), sum), 0);
}

const misplaced = (line, label, spots) => spots.filter((at) => sideOf(line, at) !== label);

// ---- the picture

function cornersOf({ xlim: [left, right], ylim: [low, high] }) {
  return [[left, low], [right, low], [right, high], [left, high]];
}

// The part of a convex polygon where the line says `sign`: clip() of scene.py.
function cut(spots, line, sign) {
  const kept = [];
  spots.forEach((spot, k) => {
    const last = spots.at(k - 1);
    const [here, there] = [sign * score(line, last), sign * score(line, spot)];
    if (here > 0 !== there > 0) {
      const share = here / (here - there);
      kept.push(last.map((value, axis) => value + share * (spot[axis] - value)));
    }
    if (there > 0) kept.push(spot);
  });
  return kept;
}

// The ends of the line in the picture: line() of scene.py.
function edge(line, corners) {
  const area = cut(corners, line, 1), length = Math.hypot(...line.w);
  const near = ON_LINE * Math.max(1, ...area.flat().map(Math.abs));
  const on = area.filter((spot) => Math.abs(score(line, spot)) / length <= near);
  const along = ([x, y]) => line.w[0] * y - line.w[1] * x;
  const sorted = on.toSorted((one, other) => along(one) - along(other));
  return sorted.length > 1 ? [sorted[0], sorted.at(-1)] : [];
}

// A drawable at the places to which it is bound; null where there are none, as without a line.
function bound(item, rule, spots) {
  const names = rule.bound[item.name];
  if (!names) return rule.waits.includes(item.name) ? { ...item, waits: true } : item;
  const places = names.map((name) => spots[name]);
  if (!places.every(Boolean)) return null;
  if (item.kind === "arrow") return { ...item, tail: places[0], tip: places[1] };
  return item.kind === "text" ? { ...item, at: places[0] } : { ...item, xy: places };
}

function held(handle, rule, line, measured, places, { xlim, ylim }) {
  const { normal } = rule, at = places[handle.id];
  if (measured && handle.id === rule.measured.point) {
    const [marker, colour] = rule.measured.looks[measured.side];
    return { ...handle, at, marker, colour };
  }
  if (line && handle.id === normal?.offset) {
    const { w } = line, length = Math.hypot(...w), { base } = measure(line, [0, 0]).spots;
    const aside = [base[0] + (normal.aside * w[1]) / length, base[1] - (normal.aside * w[0]) / length];
    const inside = [xlim, ylim].map(([low, high], axis) => aimed(Math.min(Math.max(aside[axis], low), high)));
    return { ...handle, at: inside, rail: w.map((value) => value / length) };
  }
  return { ...handle, at };
}

// ---- the numbers

function counts(line, wrong, others) {
  const found = { wrong: wrong.reduce((sum, [, spots]) => sum + spots.length, 0) };
  for (const [label, spots] of wrong) found[`wrong${label > 0 ? "+" : ""}${label}`] = spots.length;
  found.missed = line && Object.entries(others).reduce((sum, [label, spots]) => sum + misplaced(line, Number(label), spots).length, 0);
  return found;
}

// What the line says of a place: on which side it is, how far away, where the nearest place is.
function measure(line, point) {
  const { w, w0 } = line, square = dot(w, w), length = Math.hypot(...w);
  const nearest = (spot) => spot.map((value, axis) => value - (score(line, spot) / square) * w[axis]);
  const base = nearest([0, 0]), foot = nearest(point), side = sideOf(line, point);
  const value = side ? score(line, point) : 0, distance = value / length;
  const way = Math.hypot(point[0] - base[0], point[1] - base[1]);
  const cosine = Math.min(Math.max(distance / way, -1), 1);
  const slots = {
    w: vector(w), w0: rounded(w0), shift: rounded(-w0 / length), point: vector(point), score: rounded(value),
    distance: rounded(distance), foot: vector(foot),
    angle: way < 1e-9 ? undefined : degrees((Math.acos(cosine) * 180) / Math.PI),
  };
  return { side, slots, spots: { base, point, foot } };
}

// A number as say() of sentences.py writes it: where it lies halfway, the last digit is even.
function said(value, digits = 2) {
  const exact = Math.abs(value).toFixed(20), end = exact.indexOf(".") + 1 + digits;
  const halfway = /^50*$/.test(exact.slice(end));
  const even = Number(exact[end - 1] === "." ? exact[end - 2] : exact[end - 1]) % 2 === 0;
  const words = halfway && even ? exact.slice(0, digits ? end : end - 1) : Math.abs(value).toFixed(digits);
  const short = words.includes(".") ? words.replace(/\.?0+$/, "") : words;
  return value < 0 && Number(short) ? `−${short}` : short;
}

// A number that rounding would write 0, and that is not, is left to Python.
const rounded = (value) => (value && Math.abs(value) < 0.01 ? undefined : said(value));

// So is a vector whose numbers are all small, and an angle that is hardly a right one.
function vector(values) {
  const largest = Math.max(...values.map(Math.abs));
  return largest && largest < 0.1 ? undefined : `(${values.map((value) => said(value)).join(", ")})`;
}

function degrees(angle) {
  const words = said(angle, 0);
  return words === "90" && Math.abs(angle - 90) > 1e-7 ? undefined : words;
}

// ---- the sentence

function sentence(says, what, slots) {
  if (!Object.keys(says).length) return { follows: true };
  let missing = !says[what];
  const fill = (_, name) => {
    missing ||= slots[name] === undefined;
    return slots[name];
  };
  const pieces = (says[what] ?? []).map(([words, name]) => [words.replaceAll(/\{([^}]+)\}/g, fill), name]);
  return missing ? { follows: false } : { follows: true, pieces, text: pieces.map(([words]) => words).join("") };
}
