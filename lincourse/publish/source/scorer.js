// The word itself first, if the index of words has it (Sphinx gives such an entry 100, and less the
// more words it has besides); then lectures: they explain what the library's reference only names.
"use strict";

globalThis.Scorer = {
  score: ([page, , , , score]) => {
    if (page === "words") return score - (score < 100 ? 70 : 20);
    return score + (page.startsWith("lectures/") ? 30 : 0);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
