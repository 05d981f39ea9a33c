// Predict, then see: ask for a prediction, and tell how far off it was. JupyterLab and the pages of
// the site share this. What is asked, and what is true, was stored by the cell that answers, as an
// Answer (linlib/answers.py). It needs no kernel, and writes nothing anywhere.
(() => {
  "use strict";

  // Borders and letters take the colour of the text around them: light, dark and forced colours.
  const STYLE = `
    .linlib-predict { margin: 0.7em 0 1em; padding: 0.1em 0 0.1em 0.9em; border-left: 3px solid; max-width: 42em; }
    .linlib-predict :is(form, fieldset, p) { margin: 0; padding: 0; border: 0; min-width: 0; }
    .linlib-predict :is(label, fieldset) { display: block; margin: 0 0 0.6em; font: inherit; font-weight: 600; }
    .linlib-predict legend { float: none; width: auto; margin: 0; padding: 0; font: inherit; font-weight: 600; }
    .linlib-predict fieldset label { display: inline-block; font-weight: 400; margin: 0.25em 1.4em 0.25em 0; }
    .linlib-predict input { font: inherit; font-weight: 400; color: inherit; accent-color: auto; }
    .linlib-predict input[type="radio"] { margin: 0 0.5em 0 0.1em; vertical-align: -0.1em; }
    .linlib-predict form > label { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25em 0.7em; }
    .linlib-predict input[type="text"] { box-sizing: border-box; width: 8em; max-width: 100%; padding: 0.25em 0.45em; background: transparent; border: 1px solid; border-radius: 3px; }
    .linlib-predict input.linlib-words { width: 28em; }
    .linlib-predict input[aria-invalid="true"] { border-width: 3px; }
    .linlib-predict button { padding: 0.25em 0.9em; font: inherit; cursor: pointer; color: inherit;
      background: transparent; border: 1px solid; border-radius: 3px; }
    .linlib-predict :is(input, button):focus-visible { outline: 2px solid; outline-offset: 2px; }
    .linlib-predict [role="alert"] { margin: 0 0 0.5em; }
    .linlib-predict [role="status"] { outline: 0; }
    .linlib-predict [role="status"] p { margin: 0.25em 0; }
    @media print { .linlib-predict form { display: none; } }`;
  let groups = 0; // of radio buttons, so that each has a name of its own

  function make(parent, tag, attributes = {}, words = "") {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = words;
    parent.append(node);
    return node;
  }

  // ---- numbers as people write them, and how far off they are

  /** Return a number with one kind of minus and one kind of point, and without gaps. */
  function tidied(words) {
    const text = words.replace(/\s/g, "").replace(/[−–]/g, "-");
    const thousands = /^[-+]?[1-9]\d{0,2}(,\d{3})+$/.test(text);
    return thousands ? text.replaceAll(",", "") : text.replace(",", ".");
  }

  /** Return what somebody wrote as a number: 14, 1,5, −3, 1/4 or 25 %; NaN if it is none. */
  function number(words, question = "") {
    const one = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`;
    const found = tidied(words).match(new RegExp(`^(${one})(?:/(${one}))?(%)?$`, "i"));
    if (!found) return NaN;
    const value = Number(found[1]) / Number(found[2] ?? 1);
    if (!Number.isFinite(value)) return NaN;
    return found[3] && !question.includes("%") ? value / 100 : value;
  }

  function minus(text) {
    return text.replace(/-/g, "−");
  }

  function digits(text) {
    return (text.split(".")[1] ?? "").length;
  }

  /** Tell whether a choice is right; what is more than a word stands in quotation marks. */
  function chosen(said, truth) {
    const long = /\s/.test(said + truth), quoted = (words) => long ? `“${words}”` : words;
    if (said === truth) return `You chose ${quoted(said)}, and so it is.`;
    return `You chose ${quoted(said)}; ${long ? "right" : "it"} is ${quoted(truth)}.`;
  }

  /** Tell how far a prediction is from the truth. */
  function verdict({ ask: question, truth, value, among }, said) {
    if (truth === undefined) return `You predicted: ${said}`;
    if (among) return chosen(said, truth);
    const guess = number(said, question), exact = digits(truth);
    const finer = Math.min(Math.max(exact, digits(String(guess))), exact + 2);
    const off = Number((guess - value).toFixed(finer));
    const mine = `You said ${minus(tidied(said))}`, it = minus(truth);
    if (off === 0) return `${mine}, and so it is.`;
    if (exact && Math.abs(off) < 0.5 * 10 ** -exact) return `${mine}, and so it is, rounded to ${it}.`;
    return `${mine}; it is ${it}: ${Math.abs(off)} too ${off < 0 ? "low" : "high"}.`;
  }

  /** Tell whether the line of a widget states a verdict: it asks no longer, and nothing was refused. */
  function stated(line) {
    return line !== "" && !line.includes("Predict first.") && !line.startsWith("That could not be done:");
  }

  // ---- the form

  /** Ask for one thing; return how to read it, what is wrong with it, and where to write it. */
  function field(form, answer) {
    if (answer.among) {
      const group = make(form, "fieldset"), name = `linlib-prediction-${groups += 1}`;
      make(group, "legend", {}, answer.ask);
      const choices = answer.among.map((choice) => {
        const label = make(group, "label"), button = make(label, "input", { type: "radio", name });
        label.append(choice);
        button.value = choice;
        return button;
      });
      const said = () => choices.find((button) => button.checked)?.value ?? "";
      return { answer, said, first: choices[0], problem: () => said() ? "" : `Choose one: ${answer.ask}` };
    }
    const line = make(make(form, "label", {}, answer.ask), "input", { type: "text", autocomplete: "off" });
    const free = answer.truth === undefined;
    line.classList.toggle("linlib-words", free);
    const said = () => line.value.trim();
    const problem = () => {
      if (!said()) return `Write ${free ? "something" : "a number"} first: ${answer.ask}`;
      return free || Number.isFinite(number(said(), answer.ask)) ? "" : `“${said()}” is no number: ${answer.ask}`;
    };
    line.addEventListener("input", () => line.removeAttribute("aria-invalid"));
    return { answer, said, first: line, problem };
  }

  /** Show what was predicted, and how far off it was. */
  function tell(box, lines) {
    const told = make(box, "div", { role: "status", tabindex: "-1" });
    for (const line of lines) make(told, "p", {}, line);
    return told;
  }

  /** Ask for predictions; once all are there and committed, tell how far off they are. */
  function ask(box, answers, committed) {
    const form = make(box, "form", { novalidate: "" });
    const fields = answers.map((answer) => field(form, answer));
    const missing = make(form, "p", { role: "alert" });
    make(form, "button", { type: "submit" }, "Commit");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const wrong = fields.find(({ problem }) => problem());
      missing.textContent = wrong?.problem() ?? "";
      if (wrong) {
        if (!wrong.answer.among) wrong.first.setAttribute("aria-invalid", "true");
        wrong.first.focus();
        return;
      }
      const lines = fields.map(({ answer, said }) => {
        const lead = answer.truth === undefined ? "" : `${answer.ask} `;
        return lead + verdict(answer, said());
      });
      form.remove();
      committed(lines);
      tell(box, lines).focus();
    });
  }

  globalThis.linlibPredict = { STYLE, make, number, verdict, stated, tell, ask };
})();
