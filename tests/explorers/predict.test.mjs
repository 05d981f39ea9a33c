// The parts of predict.js that need no document: run by tests/test_canvas.py, or `node --test tests`.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const place = "../../lincourse/lab/data/share/jupyter/labextensions/linlib-lab/static/predict.js";
const source = await readFile(new URL(place, import.meta.url), "utf8");
await import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
const { number, verdict, stated } = globalThis.linlibPredict;

const count = { ask: "How many?", truth: "14", value: 14, among: null };
const share = { ask: "What share, in %?", truth: "25.2", value: 25.2, among: null };
const below = { ask: "What is w₀?", truth: "-3", value: -3, among: null };
const order = { ask: "Which order?", truth: "worst", value: null, among: ["cyclic", "random", "worst"] };
const fate = { ask: "What next?", truth: "it ends", value: null, among: ["it ends", "it goes on"] };

test("numbers are read as people write them", () => {
  for (const [words, value] of [
    ["14", 14], [" 14 ", 14], ["+14", 14], ["-3", -3], ["−3", -3], ["– 3", -3], ["1.5", 1.5], ["1,5", 1.5],
    [",5", 0.5], ["0,500", 0.5], ["1 000", 1000], ["1,000", 1000], ["12,345,678", 12345678], ["1e-3", 0.001],
    ["1/4", 0.25], ["−1/4", -0.25], ["25 %", 0.25], ["2,5%", 0.025],
  ]) assert.equal(number(words), value, words);
  assert.equal(number("25 %", share.ask), 25, "where per cent are asked for");
  assert.equal(number("25", share.ask), 25);
});

test("what is no number is not taken for one", () => {
  for (const words of ["", " ", "-", "abc", "14 or 15", "1..5", "1,5,7", "1/0", "%", "1e999", "Infinity", "0x10"]) {
    assert.ok(Number.isNaN(number(words)), words);
  }
});

test("a number is told how far off it is, and on which side", () => {
  assert.equal(verdict(count, "10"), "You said 10; it is 14: 4 too low.");
  assert.equal(verdict(count, " 16"), "You said 16; it is 14: 2 too high.");
  assert.equal(verdict(count, "14"), "You said 14, and so it is.");
  assert.equal(verdict(count, "13,5"), "You said 13.5; it is 14: 0.5 too low.");
  assert.equal(verdict(below, "-1"), "You said −1; it is −3: 2 too high.");
  assert.equal(verdict(below, "−3.0"), "You said −3.0, and so it is.");
  assert.equal(verdict(share, "25"), "You said 25; it is 25.2: 0.2 too low.");
  assert.equal(verdict(share, "30,3 %"), "You said 30.3%; it is 25.2: 5.1 too high.");
  assert.equal(verdict({ ...count, truth: "0.64", value: 0.64 }, "1/3"), "You said 1/3; it is 0.64: 0.3067 too low.");
});

test("a number that is as near as the truth is rounded is right", () => {
  assert.equal(verdict(share, "25.18"), "You said 25.18, and so it is, rounded to 25.2.");
  assert.equal(verdict(share, "25.3"), "You said 25.3; it is 25.2: 0.1 too high.");
  assert.equal(verdict({ ...count, truth: "0.3", value: 0.3 }, "0.30000000000000004"), "You said 0.30000000000000004, and so it is.");
});

test("a choice is right or not; what is more than a word is quoted", () => {
  assert.equal(verdict(order, "cyclic"), "You chose cyclic; it is worst.");
  assert.equal(verdict(order, "worst"), "You chose worst, and so it is.");
  assert.equal(verdict(fate, "it goes on"), "You chose “it goes on”; right is “it ends”.");
  assert.equal(verdict(fate, "it ends"), "You chose “it ends”, and so it is.");
});

test("words that nothing can be compared with are repeated", () => {
  assert.equal(verdict({ ask: "Your prediction" }, "it ends"), "You predicted: it ends");
});

test("a widget has told once its line neither asks nor refuses", () => {
  assert.ok(stated("Which line has w₀ = +3? You chose A, and so it is."));
  for (const line of [
    "", "Predict first. Which line has w₀ = +3? Choose an answer, then press Commit.",
    "That could not be done: choose an answer first. Predict first. Which line has w₀ = +3? Choose an answer, then press Commit.",
    "That could not be done: truth: 'D' is none of the answers; give one of them.",
  ]) assert.ok(!stated(line), line);
});
