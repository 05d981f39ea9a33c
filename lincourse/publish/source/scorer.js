// A word itself leads to its definition first (Sphinx gives such an entry of the glossary 100, and
// less the more words it has besides); then come lectures: they explain what the library's
// reference only names.
"use strict";

globalThis.Scorer = {
  score: ([page, , , , score]) => {
    if (page === "words") return score < 100 ? score - 70 : score;
    return score + (page.startsWith("lectures/") ? 30 : 0);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
