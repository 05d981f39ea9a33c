"""The questions that a person marks: what is asked, the model answer, and the lines of the rubric.

All of it stands in the source notebook. A line of the rubric is known by its number, from 1 on: an
assistant ticks it, and the student reads it with the word *met* or *not met*.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from nbformat import NotebookNode

from lincourse.grader.inside import render
from lincourse.grader.source import model_answers, source, split_lines

LINE = re.compile(r"^- ([\d.]+) points?: (.*)$", re.M)


@dataclass(frozen=True)
class Line:
    """One line of a rubric: what it asks for, as HTML, and what it is worth."""

    points: float
    html: str


@dataclass(frozen=True)
class Written:
    """A question that a person marks, as HTML."""

    question: str  # with the given cells below it, and what they show
    model: str  # with the plots of the model answer
    rubric: tuple[Line, ...]

    def worth(self, met: tuple[int, ...]) -> float:
        """Return the sum of the points of some lines, given by their numbers."""
        return sum(self.rubric[number - 1].points for number in met)


@functools.cache
def written_questions(homework: str) -> dict[str, Written]:
    """Return the questions of a homework that a person marks, by their labels."""
    answers = model_answers(homework)
    found: dict[str, Written] = {}
    asked: list[str] = []
    worked: list[str] = []
    for cell in source(homework).cells:
        label = cell.metadata.nbgrader
        if label.grade_id.endswith("-question"):
            asked, worked = [], []
        if label.grade and label.solution:
            model, _, rubric = answers[label.grade_id].partition("**Rubric**")
            lines = tuple(Line(float(p), inline(what)) for p, what in LINE.findall(rubric))
            answer = render.markdown(model)
            found[label.grade_id] = Written("".join(asked), "".join([*worked, answer]), lines)
        elif label.solution:
            worked.append(shown(cell, answers[label.grade_id]))
        else:
            asked.append(shown(cell, "\n".join(split_lines(cell)[0])))
    return found


def shown(cell: NotebookNode, text: str) -> str:
    """Return a cell of ours as HTML, with its stored outputs."""
    return render.cell({"type": cell.cell_type, "source": text, "outputs": cell.get("outputs", [])})


def inline(text: str) -> str:
    """Return one paragraph of Markdown as HTML without the element of a paragraph.

    >>> inline("the *margin*")
    'the <em>margin</em>'
    """
    return render.markdown(text).strip().removeprefix("<p>").removesuffix("</p>")
