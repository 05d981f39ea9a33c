"""Pages for students and for whoever teaches: feedback, summary, marking.

They are templates of Jinja2, in ``pages.html``. Written answers are marked on the only page with a
script, our own; the policy in its head names that script by its digest, so no other one can run.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter

from lincourse.grader.marks import Mark, ticked
from lincourse.grader.records import Details, points_text
from lincourse.grader.rubric import Written, inline

if TYPE_CHECKING:
    from lincourse.grader.report import Grade
    from lincourse.grader.scoring import Grading

HERE = Path(__file__).parent
HARD = 50.0  # percent: a question with a lower mean was too hard, or badly asked
LONGEST = 1500  # characters of an answer that is shown as an example
Row = dict[str, str]


@functools.cache
def templates() -> Any:
    loader = jinja2.FileSystemLoader(HERE)
    made = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    made.filters |= {"code": code, "points": points_text, "worth": worth, "comment": inline}
    made.globals["colours"] = HtmlFormatter().get_style_defs(".highlight")
    return made.get_template("pages.html").module


def code(text: str) -> Markup:
    """Return text with `names` set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def worth(points: float) -> str:
    """Return points with their unit.

    >>> worth(1.0), worth(2.5)
    ('1 point', '2.5 points')
    """
    return f"{points:g} point" if points == 1 else f"{points:g} points"


def feedback(grading: Grading, grade: Grade, details: Details) -> str:
    """Return the page for one student, whose notebook is given as HTML cell by cell."""
    title = f"{grading.homework}: {grade.record.name}"
    limits = grading.options.limits
    standings = {
        label: standing(question, mark, grading.possible[label])
        for label, question in grading.written.items()
        if (mark := grade.marks.get(label))
    }
    return str(templates().feedback(title, grade, grading.possible, standings, details, limits))


def standing(question: Written, mark: Mark, of: float) -> dict[str, Any]:
    """Return how an answer stands line by line, and the sum if the mark is another one.

    Who gave all points or none without a tick decided about every line; who gave some of them
    explained it in a comment, and no line is called met or not met.
    """
    lines = question.rubric
    met: list[bool | None] = [number in mark.met for number in range(1, len(lines) + 1)]
    if not mark.met and mark.points == of:
        met = [True] * len(lines)
    elif not mark.met and mark.points:
        met = [None] * len(lines)
    total = question.worth(mark.met)
    by_hand = bool(mark.met) and total != mark.points
    return {"lines": list(zip(met, lines, strict=True)), "sum": total if by_hand else None}


# ---------------------------------------------------------------- for the one who teaches


def summary(grading: Grading, grades: list[Grade]) -> str:
    """Return how each question went, why points were lost, and what to look at."""
    fine = [grade for grade in grades if not grade.record.problem]
    shares = {
        label: [100 * p / of for g in fine if (p := g.points.get(label)) is not None]
        for label, of in grading.possible.items()
    }
    title = f"{grading.homework}: {len(fine)} graded, {len(grades) - len(fine)} not"
    looks = [(g.record.student, g.record.problem) for g in grades if g.record.problem]
    looks += [(g.record.student, note) for g in grades for note in g.record.notes]
    found = distribution(shares), reasons(grading, fine), looks
    return str(templates().summary(title, *found))


def distribution(shares: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Return for each question how many have none, some, most and all of the points."""
    everyone = max((len(s) for s in shares.values()), default=0)
    rows = []
    for label, s in shares.items():
        counts = [sum(v == 0 for v in s), sum(0 < v <= 50 for v in s)]
        counts += [sum(50 < v < 100 for v in s), sum(v >= 100 for v in s)]
        mean = sum(s) / len(s) if s else None
        hard = mean is not None and mean < HARD and 2 * len(s) >= everyone  # half is marked
        row = {"label": label, "counts": counts, "mean": mean, "hard": hard}
        rows.append(row | {"left": everyone - len(s)})
    return rows


def reasons(grading: Grading, fine: list[Grade]) -> list[tuple[str, int, str, str]]:
    """Return why points were lost, most frequent first; a misconception has an example."""
    found: dict[tuple[str, str], list[Grade]] = defaultdict(list)
    for grade in fine:
        for label, remark in grade.record.remarks.items():
            if grade.record.points.get(label, 0.0) < grading.possible[label]:
                found[label, remark].append(grade)
    rows = []
    for (label, remark), those in sorted(found.items(), key=lambda x: (x[0][0], -len(x[1]))):
        shown = ""
        if any(label in grade.record.known for grade in those):
            # The shortest of some answers shows the idea with the least around it.
            details = [grading.records.details(grade.key) for grade in those[:20]]
            shown = min((one.answers.get(label, "") for one in details), key=len)[:LONGEST]
        rows.append((label, len(those), remark, shown))
    return rows


def marking(grading: Grading, waiting: list[Row]) -> str:
    """Return the written answers question by question, each with its model answer and rubric."""
    script = (HERE / "marking.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    sections = []
    for label, question in grading.written.items():
        cards = [card(row, question) for row in waiting if row["question"] == label]
        # In the order of the answers: that of the names would tell who it is.
        cards.sort(key=lambda one: (one["answer"] == "", one["digest"]))
        sections.append((label, question, cards))
    title = f"{grading.homework}: written answers"
    return str(templates().marking(title, grading.homework, sections, script, digest))


def card(row: Row, question: Written) -> dict[str, Any]:
    """Return one answer as the marking page shows it."""
    try:
        met = ticked(row["met"], question)
    except ValueError:  # a line that is not there; the command has said so
        met = ()
    points = row["points"] or (points_text(question.worth(met)) if met else "")
    digest = hashlib.sha256(f"{row['student']} {row['answer']}".encode()).hexdigest()
    return row | {"ticked": met, "points": points, "digest": digest}
