"""Answers that look alike once names, comments and layout are gone: a reason to talk, no verdict.

Compared are runs of eight tokens of the normal form. What the template gives does not count, nor
does what much of the class wrote; an answer with little left is too short to say anything.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from lincourse.grader.inside.render import normal_form
from lincourse.grader.pages import templates
from lincourse.grader.records import Details

if TYPE_CHECKING:
    from lincourse.grader.scoring import Grading

RUN = 8  # tokens compared together
FEWEST = 24  # runs an answer must have of its own
ALIKE = 0.8  # share of the smaller answer's runs that the other has, too
COMMON = 0.2  # a run in more than this share of all answers is what one writes
MOST = 200  # pairs in the report

Runs = frozenset[tuple[str, ...]]


def runs(tokens: list[str]) -> Runs:
    return frozenset(zip(*(tokens[k:] for k in range(RUN)), strict=False))


@cache
def library() -> dict[str, Runs]:
    """Return the functions of linlib with the runs of their normal forms."""
    import linlib

    found = {}
    folder = Path(linlib.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        if "explorers" in path.parts:  # nothing there answers a question
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                own = runs(["Module", *normal_form(node)])
                if len(own) >= FEWEST:
                    found[f"{path.stem}.{node.name}"] = own
    return found


class Looks:
    """Collects answers and finds the pairs that are alike."""

    def __init__(self, grading: Grading) -> None:
        self.homework = grading.homework
        self.labels = list(grading.questions)
        self.given = frozenset(
            run
            for cell in grading.cells
            if cell["type"] == "code"
            for run in runs(normal_form(cell["source"]))
        )
        self.found: dict[str, dict[str, Runs]] = defaultdict(dict)  # question: student: runs
        self.answers: dict[tuple[str, str], str] = {}
        self.borrowed: list[tuple[str, str, str]] = []  # student, question, function of linlib

    def add(self, student: str, details: Details) -> None:
        """Take in the answers of one student; note code that is the library's."""
        for label in self.labels:
            own = runs(details.forms.get(label, [])) - self.given
            if len(own) < FEWEST:
                continue
            self.found[label][student] = own
            self.answers[label, student] = details.answers.get(label, "")
            for name, theirs in library().items():
                if len(own & theirs) >= ALIKE * min(len(own), len(theirs)):
                    self.borrowed.append((student, label, name))

    def pairs(self) -> list[tuple[float, str, str, str]]:
        """Return share, question and the two students, most alike first."""
        listed = []
        for label, answers in self.found.items():
            usual = Counter(run for own in answers.values() for run in own)
            few = max(COMMON * len(answers), 2)
            rare = {who: {r for r in own if usual[r] <= few} for who, own in answers.items()}
            enough = {who: own for who, own in rare.items() if len(own) >= FEWEST}
            for (one, mine), (other, theirs) in combinations(enough.items(), 2):
                share = len(mine & theirs) / min(len(mine), len(theirs))
                if share >= ALIKE:
                    listed.append((share, label, one, other))
        return sorted(listed, key=lambda pair: (-pair[0], *pair[1:]))

    def page(self, pairs: list[tuple[float, str, str, str]]) -> str:
        """Return the report: pairs side by side."""
        shown = [
            (f"{share:.0%}", label, [(who, self.answers[label, who]) for who in two])
            for share, label, *two in pairs[:MOST]
        ]
        title = f"{self.homework}: answers that are alike"
        return str(templates().similar(title, len(pairs), shown))
