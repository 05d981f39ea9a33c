// The parts of canvas.js that need no document: run by tests/test_canvas.py, or `node --test tests`.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { mock, test } from "node:test";

const source = await readFile(new URL("../../linlib/explorers/kit/canvas.js", import.meta.url), "utf8");
const canvas = await import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
const { Mailbox, SHAPES, between, clamped, heir, hint, layout, merged, nudged, onRail, spared } = canvas;

const move = (id, x) => ({ type: "move", id, x, y: 0 });

test("one event is on its way at a time, and moves of one handle replace each other", () => {
  const sent = [], box = new Mailbox((event) => sent.push(event));
  for (const x of [1, 2, 3]) box.push(move("p0", x));
  assert.deepEqual(sent.map(({ x, number }) => [x, number]), [[1, 1]]);
  assert.equal(box.answered(1), false, "a newer move is waiting");
  box.pump();
  assert.deepEqual(sent.map(({ x, number }) => [x, number]), [[1, 1], [3, 2]]);
  assert.equal(box.answered(2), true);
  box.close();
});

test("moves of different handles, and what is no move, are all sent", () => {
  const sent = [], box = new Mailbox(({ type, id, number }) => { sent.push([type, id, number]); });
  box.push(move("p0", 1));
  box.push(move("p1", 1));
  box.push({ type: "relabel", id: "p1" });
  box.push(move("p1", 2));
  for (const number of [1, 2, 3, 4]) { box.answered(number); box.pump(); }
  assert.deepEqual(sent, [["move", "p0", 1], ["move", "p1", 2], ["relabel", "p1", 3], ["move", "p1", 4]]);
  box.close();
});

test("a change is put into a scene, and what it does not name stays the same thing", () => {
  const old = { at: 1, panels: [{ xy: [[0, 0]] }, { xy: [[1, 1]] }], time: null };
  const change = { parts: { panels: { parts: { 1: { parts: { xy: { new: [[2, 2], [3, 3]] } } } } }, time: { new: { at: 2 } } } };
  const now = merged(old, change);
  assert.deepEqual(now, { at: 1, panels: [{ xy: [[0, 0]] }, { xy: [[2, 2], [3, 3]] }], time: { at: 2 } });
  assert.equal(now.panels[0], old.panels[0]);
  assert.deepEqual(old.panels[1], { xy: [[1, 1]] }, "the scene before is still whole");
});

test("an older answer than the one waited for answers nothing", () => {
  const box = new Mailbox(() => {});
  box.push(move("p0", 1));
  assert.equal(box.answered(0), false);
  assert.equal(box.waiting, 1);
  box.close();
});

test("a kernel that is gone empties the box and is told once", () => {
  let lost = 0;
  const box = new Mailbox(() => { throw new Error("Cannot send"); }, { onLost: () => { lost += 1; } });
  assert.doesNotThrow(() => box.push(move("p0", 1)));
  assert.equal(lost, 1);
  assert.equal(box.waiting, null);
  assert.deepEqual(box.queue, []);
});

test("a slow answer is told, and after long patience given up", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const slow = [], sent = [];
  const box = new Mailbox((event) => sent.push(event), { slow: 10, patience: 100, onSlow: (is) => slow.push(is) });
  box.push(move("p0", 1));
  box.push(move("p0", 2));
  mock.timers.tick(11);
  assert.deepEqual(slow, [true]);
  mock.timers.tick(100);
  assert.deepEqual(sent.map(({ x }) => x), [1, 2], "the next event goes out");
  box.close();
  mock.timers.reset();
});

test("a place outside becomes the nearest inside", () => {
  assert.deepEqual(clamped([9, -9], { xlim: [-1, 2], ylim: [-3, 4] }), [2, -3]);
  assert.deepEqual(clamped([0.5, 0], { xlim: [-1, 2], ylim: [-3, 4] }), [0.5, 0]);
});

test("a handle on a rail keeps to it", () => {
  const [x, y] = onRail([3, 7], [1, 1], [0.6, 0.8]);
  const along = (3 - 1) * 0.6 + (7 - 1) * 0.8;
  assert.ok(Math.abs(x - (1 + along * 0.6)) < 1e-12 && Math.abs(y - (1 + along * 0.8)) < 1e-12);
});

test("arrow keys move by a step, on a rail forwards where it goes right or up", () => {
  assert.deepEqual(nudged([1, 1], [1, 0], 0.5, null), [1.5, 1]);
  assert.deepEqual(nudged([0, 0], [1, 0], 1, [-1, 0]), [1, 0]);
  assert.deepEqual(nudged([0, 0], [0, -1], 1, [0, -1]), [0, -1]);
});

test("after a removal the handle that took the place is chosen, at the end the one before", () => {
  assert.equal(heir(["p0", "p1"], "p0", ["p0", "p1", "p2"]), "p0");
  assert.equal(heir(["p0", "p1"], "p2", ["p0", "p1", "p2"]), "p1");
  assert.equal(heir(["p0", "p2"], "p1", ["p0", "p1", "p2"]), "p2");
  assert.equal(heir([], "p0", ["p0"]), undefined);
});

const whole = ({ made }) => made.reduce((sum, [width]) => sum + width + 64, 12 * (made.length - 1));

test("as many pictures stand in a row as have room there, and fill it", () => {
  const three = [[230, 230], [195, 230], [195, 230]];
  for (const width of [360, 700, 950, 1366, 1920]) {
    const { made, columns, beside } = layout(three, width, 500, 100);
    assert.equal(columns, width < 500 ? 1 : width < 750 ? 2 : 3);
    const widest = columns === 3 ? whole({ made }) : whole({ made: made.slice(0, columns) });
    assert.ok(widest <= (beside ? width - 342 : width) + 1e-6, `${widest} in ${width}`);
    assert.ok(Math.max(...made.map(([, h]) => h)) <= 500 + 1e-6);
  }
});

test("a single picture leaves room for the sentence beside it on a laptop, below it on a telephone", () => {
  const laptop = layout([[500, 400]], 950, 470, 96), phone = layout([[500, 400]], 344, 600, 96);
  assert.ok(laptop.beside && laptop.made[0][0] > 500);
  assert.ok(!phone.beside && phone.made[0][0] === 344 - 64 - 1);
});

test("what has a name moves from where it was, the rest is there at once", () => {
  const old = [{ kind: "arrow", name: "w", tail: [0, 0], tip: [1, 0] }];
  const now = [{ kind: "arrow", name: "w", tail: [0, 0], tip: [0, 1] }, { kind: "ring", name: "new", at: [1, 1] }];
  assert.deepEqual(between(old, now, 0.5)[0].tip, [0.5, 0.5]);
  assert.deepEqual(between(old, now, 0.5)[1], now[1]);
  assert.deepEqual(between(old, now, 1), now);
});

test("words that would lie on others are moved, and left out where nothing is free", () => {
  const limits = [0, 200], free = spared([50, 50], [10, 8], "start", 30, [], limits);
  assert.deepEqual([free.x, free.side], [60, "start"]);
  assert.equal(spared([50, 50], [10, 8], "start", 30, [free.box], limits).side, "end");
  assert.equal(spared([50, 50], [10, 8], "start", 30, [[0, 0, 200, 200]], limits), null);
});

test("the hint tells what is possible and no more", () => {
  assert.doesNotMatch(hint({}), /add|label|remove|, ,/i);
  assert.equal(hint({ edits: true }).match(/add/g).length, 2);
  assert.match(hint({ edits: true }), /Delete removes.*\.$/);
});

test("every marker is a closed path", () => {
  for (const [name, draw] of Object.entries(SHAPES)) assert.match(draw(5), /^M.*z$/, name);
});
