"""The page for the one who teaches: how each question went, why points were lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from html import escape
from typing import TYPE_CHECKING

from lincourse.grader.feedback import code, document

if TYPE_CHECKING:
    from lincourse.grader.report import Grade
    from lincourse.grader.scoring import Grading

HARD = 50.0  # percent: a question with a lower mean was too hard, or badly asked
LONGEST = 1500  # characters of an answer that is shown as an example
REFRESH = "<meta http-equiv='refresh' content='5'>"


def summary(
    grading: Grading,
    grades: list[Grade],
    possible: dict[str, float],
    borrowed: list[tuple[str, str, str]],
    *,
    running: str = "",
) -> str:
    """Return the page; while grading goes on it says how far it is and loads itself again."""
    fine = [grade for grade in grades if not grade.record.problem]
    shares = {
        label: [100 * p / of for g in fine if (p := g.points.get(label)) is not None]
        for label, of in possible.items()
    }
    title = f"{grading.homework}: {len(fine)} graded, {len(grades) - len(fine)} not"
    if running:
        body = f"<p>{escape(running)}</p>{distribution(shares)}"
        return document(title, body, head=REFRESH)
    return document(
        title,
        f"{hard(shares)}<h2>The questions</h2>{distribution(shares)}"
        f"<h2>Why points were lost</h2>{reasons(grading, fine)}"
        f"<h2>Look at these</h2>{to_look_at(grades, borrowed)}",
    )


def hard(shares: dict[str, list[float]]) -> str:
    """Return which questions were too hard."""
    found = [label for label, s in settled(shares).items() if s and sum(s) / len(s) < HARD]
    if not found:
        return "<p>No question was too hard: each has a mean of at least half the points.</p>"
    said = "Too hard, or badly asked</strong> (mean below half the points)"
    return f"<p><strong>{said}: {', '.join(found)}.</p>"


def settled(shares: dict[str, list[float]]) -> dict[str, list[float]]:
    """Return the shares without those of questions that are not marked for half of the class."""
    everyone = max((len(s) for s in shares.values()), default=0)
    return {label: s if 2 * len(s) >= everyone else [] for label, s in shares.items()}


def distribution(shares: dict[str, list[float]]) -> str:
    """Return a table: how many have none, some, most and all of the points of each question."""
    columns = ("nothing", "up to half", "more", "all", "mean", "to mark")
    head = "".join(f"<th>{name}</th>" for name in ("question", *columns))
    everyone = max((len(s) for s in shares.values()), default=0)
    rows = []
    for label, s in shares.items():
        counts = [
            sum(v == 0 for v in s),
            sum(0 < v <= 50 for v in s),
            sum(50 < v < 100 for v in s),
            sum(v >= 100 for v in s),
        ]
        mean = f"{sum(s) / len(s):.0f} %" if s else ""
        bar = f"<td><meter max='100' value='{sum(s) / len(s):.0f}'>{mean}</meter></td>" if s else ""
        cells = [*map(str, counts), mean, str(everyone - len(s))]
        numbers = "".join(f"<td class='number'>{cell}</td>" for cell in cells)
        rows.append(f"<tr><td>{escape(label)}</td>{numbers}{bar}</tr>")
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def reasons(grading: Grading, fine: list[Grade]) -> str:
    """Return the misconceptions, most frequent first, each with one anonymous answer."""
    found: dict[tuple[str, str], list[Grade]] = defaultdict(list)
    for grade in fine:
        for label, remark in grade.record.remarks.items():
            if grade.record.points.get(label, 0.0) < max(grading_points(grading)[label], 0.01):
                found[label, remark].append(grade)
    counts = Counter({key: len(those) for key, those in found.items()})
    parts = []
    for (label, remark), count in sorted(counts.items(), key=lambda x: (x[0][0], -x[1])):
        shown = ""
        if any(label in grade.record.known for grade in found[label, remark]):
            answer = typical(grading, label, found[label, remark])
            shown = f"<details><summary>one of them</summary><pre>{escape(answer)}</pre></details>"
        parts.append(
            f"<tr><td>{escape(label)}</td><td class='number'>{count}</td>"
            f"<td>{code(remark)}{shown}</td></tr>"
        )
    head = "<tr><th>question</th><th>students</th><th>reason</th></tr>"
    return f"<table>{head}{''.join(parts)}</table>"


def typical(grading: Grading, label: str, those: list[Grade]) -> str:
    """Return the shortest of some answers: it shows the idea with the least around it."""
    answers = [grading.records.details(grade.key).answers.get(label, "") for grade in those[:20]]
    return min(answers, key=len)[:LONGEST]


def grading_points(grading: Grading) -> dict[str, float]:
    from lincourse.grader.report import points_possible

    return points_possible(grading.cells)


def to_look_at(grades: list[Grade], borrowed: list[tuple[str, str, str]]) -> str:
    looks = [(g.record.student, g.record.problem) for g in grades if g.record.problem]
    looks += [(g.record.student, note) for g in grades for note in g.record.notes]
    looks += [
        (who, f"{label}: its code is that of linlib's {name}.") for who, label, name in borrowed
    ]
    listed = "".join(f"<li>{escape(who)}: {escape(what)}</li>" for who, what in looks)
    return f"<ul>{listed or '<li>nothing</li>'}</ul>"
