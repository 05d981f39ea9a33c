// Lectures first: they explain what the library's reference only names.
"use strict";

globalThis.Scorer = {
  score: ([page, , , , score]) => score + (page.startsWith("lectures/") ? 30 : page === "words" ? -20 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
