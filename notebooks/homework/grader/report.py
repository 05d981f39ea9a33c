"""Writes down the results: grades, feedback, the queue of written answers, a summary.

``written.csv`` goes both ways: a person fills in points and comments, the next run enters them.
"""

from __future__ import annotations

import base64
import csv
import io
from collections import Counter
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from grader.course import TEXT_STUB
from grader.feedback import MATH, code, document, mathml, page, rendered
from grader.files import put

if TYPE_CHECKING:
    from grader.grading import Grading, Record

QUEUE = ["student", "question", "points", "of", "comment", "answer"]


@dataclass(frozen=True)
class Written:
    """A written answer that a person has to mark."""

    student: str
    question: str
    of: float
    answer: str


def write_all(grading: Grading, records: list[Record], stream: TextIO) -> int:
    """Write every file; return how many submissions could not be graded."""
    out = grading.out
    ungraded = [record for record in records if record.problem]
    fine = [record for record in records if not record.problem]
    possible = points_possible(grading.template)
    waiting = [answer for record in fine for answer in written_answers(grading, record)]
    complaints = apply_marks(grading, out / "written.csv", waiting)
    points = {record.student: grading.course.points(record.student) for record in fine}
    write_grades(out / "grades.csv", records, points, possible)
    write_queue(grading, out / "written.csv", waiting)
    (out / "feedback").mkdir(exist_ok=True)
    for record in fine:
        text = feedback(grading, record, points[record.student], possible)
        put(out / "feedback" / f"{record.student}.html", text)
    put(out / "written.html", queue_page(grading, waiting))
    put(out / "summary.html", summary(grading, records, points, possible))
    say(grading, ungraded, complaints, points, stream)
    return len(ungraded) + len(complaints)


def say(
    grading: Grading,
    ungraded: list[Record],
    complaints: list[str],
    points: dict[str, dict[str, float | None]],
    stream: TextIO,
) -> None:
    """Print what there is to know at the end."""
    left = sum(value is None for values in points.values() for value in values.values())
    print(
        f"{len(points)} graded, {len(ungraded)} not, {left} written answers to mark.", file=stream
    )
    for record in ungraded:
        print(f"NOT GRADED {record.student}: {record.problem}", file=stream)
    for complaint in complaints:
        print(f"NOT ENTERED {complaint}", file=stream)
    print(f"See {grading.out}: grades.csv, written.csv, summary.html, feedback/.", file=stream)


def points_possible(template: NotebookNode) -> dict[str, float]:
    """Return the points of every question, in order."""
    labels = [cell.metadata.nbgrader for cell in template.cells]
    return {x.grade_id.removesuffix("-tests"): float(x.points) for x in labels if x.grade}


def number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


# ---------------------------------------------------------------- grades


def write_grades(
    path: Path,
    records: list[Record],
    points: dict[str, dict[str, float | None]],
    possible: dict[str, float],
) -> None:
    """One line a student; who could not be graded has no points, not 0."""
    lines = []
    for record in records:
        mine = points.get(record.student, {})
        known = [value for value in mine.values() if value is not None]
        status = f"not graded: {record.problem}" if record.problem else "complete"
        if not record.problem and len(known) < len(mine):
            status = f"{len(mine) - len(known)} written to mark"
        row = {"student": record.student, "name": record.name}
        row |= {label: number(mine.get(label)) for label in possible}
        row |= {
            "total": "" if record.problem else number(sum(known)),
            "of": number(sum(possible.values())),
            "status": status,
            "notes": " ".join(record.notes),
        }
        lines.append(row)
    put_table(path, ["student", "name", *possible, "total", "of", "status", "notes"], lines)


# ---------------------------------------------------------------- written answers


def written_cells(notebook: NotebookNode) -> list[NotebookNode]:
    labelled = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return [c for c in labelled if c.metadata.nbgrader.grade and c.metadata.nbgrader.solution]


def written_answers(grading: Grading, record: Record) -> list[Written]:
    """Return the written answers of one submission that say something."""
    return [
        Written(
            record.student,
            cell.metadata.nbgrader.grade_id,
            float(cell.metadata.nbgrader.points),
            cell.source.strip(),
        )
        for cell in written_cells(grading.course.graded(record.student))
        if cell.source.strip() not in ("", TEXT_STUB)
    ]


def read_marks(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows a person may have filled in, by student and question."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (row.get("student") or "", row.get("question") or ""): {
            key: (row.get(key) or "") for key in QUEUE
        }
        for row in rows
    }


def apply_marks(grading: Grading, path: Path, waiting: list[Written]) -> list[str]:
    """Enter the points of the queue into the gradebook; return why some were not entered."""
    marks = read_marks(path)
    complaints = []
    for answer in waiting:
        row = marks.get((answer.student, answer.question))
        if row is None or not row["points"].strip() or not same_text(row["answer"], answer.answer):
            continue
        try:
            points = float(row["points"].replace(",", "."))
        except ValueError:
            points = -1.0
        if not 0 <= points <= answer.of:
            complaints.append(
                f"{answer.student} {answer.question}: points {row['points']!r} in written.csv "
                f"are not a number from 0 to {answer.of:g}."
            )
            continue
        grading.course.mark(answer.student, answer.question, points, row["comment"].strip())
    return complaints


def same_text(one: str, other: str) -> bool:
    return harmless(one).split() == harmless(other).split()


def write_queue(grading: Grading, path: Path, waiting: list[Written]) -> None:
    """Write the queue again, with all that a person filled in."""
    marks = read_marks(path)
    rows = []
    for answer in waiting:
        old = marks.get((answer.student, answer.question), {})
        if old and not same_text(old["answer"], answer.answer):
            old = {}  # another answer than the one that was marked
        entered = grading.course.points(answer.student)[answer.question]
        rows.append(
            {
                "student": answer.student,
                "question": answer.question,
                "points": old.get("points", "").strip() or number(entered),
                "of": number(answer.of),
                "comment": old.get("comment", ""),
                "answer": answer.answer,
            }
        )
    put_table(path, QUEUE, sorted(rows, key=lambda row: (row["question"], row["student"])))


def queue_page(grading: Grading, waiting: list[Written]) -> str:
    """Return the written answers question by question, each after its rubric."""
    parts = []
    source = {
        cell.metadata.nbgrader.grade_id: cell.source for cell in written_cells(grading.source)
    }
    for question, model in source.items():
        text = "\n".join(line for line in model.splitlines() if not line.startswith("### "))
        model_answer = rendered(new_notebook(cells=[new_markdown_cell(text)]))
        parts.append(f"<h2>{escape(question)}</h2><blockquote>{model_answer}</blockquote>")
        parts += [
            f"<h3>{escape(answer.student)}</h3>{prose(answer.answer)}"
            for answer in sorted(waiting, key=lambda answer: answer.student)
            if answer.question == question
        ]
    intro = "<p>Give points and comments in <code>written.csv</code>, then grade again.</p>"
    return document(f"{grading.homework}: written answers", intro + "".join(parts))


def prose(text: str) -> str:
    """Return text with formulas, in paragraphs; whatever else is in it stays text."""
    shown = escape(text, quote=False)
    return f"<div style='white-space: pre-wrap'>{MATH.sub(mathml, shown)}</div>"


# ---------------------------------------------------------------- feedback and summary


def feedback(
    grading: Grading, record: Record, points: dict[str, float | None], possible: dict[str, float]
) -> str:
    """Return the page for one student."""
    rows = []
    for label, of in possible.items():
        remark = record.remarks.get(label, "")
        if label not in grading.questions:
            remark = grading.course.comment(record.student, label)
            if points[label] is None:
                remark = "This answer is marked by a person."
        rows.append((label, number(points[label]), number(of), remark))
    known = [value for value in points.values() if value is not None]
    rows.append(
        ("total", number(sum(known)), number(sum(possible.values())), " ".join(record.notes))
    )
    notebook = grading.course.graded(record.student)
    return page(f"{grading.homework}: {record.name}", rows, notebook)


def summary(
    grading: Grading,
    records: list[Record],
    points: dict[str, dict[str, float | None]],
    possible: dict[str, float],
) -> str:
    """Return a page for the lecturer: scores, common misconceptions, what needs a look."""
    shares = {
        label: [100 * p[label] / of for p in points.values() if p[label] is not None]
        for label, of in possible.items()
    }
    picture, alt = drawn(shares)
    reasons = Counter((q, remark) for r in records for q, remark in r.remarks.items())
    common = "".join(
        f"<tr><td>{escape(q)}</td><td class='number'>{count}</td><td>{code(remark)}</td></tr>"
        for (q, remark), count in sorted(reasons.items(), key=lambda x: (x[0][0], -x[1]))
    )
    looks = [(r.student, r.problem) for r in records if r.problem]
    looks += [(r.student, note) for r in records for note in r.notes]
    listed = "".join(f"<li>{escape(who)}: {escape(what)}</li>" for who, what in looks)
    return document(
        f"{grading.homework}: {len(points)} graded, {len(records) - len(points)} not",
        f"<img alt='{escape(alt, quote=True)}' src='data:image/png;base64,{picture}'>"
        f"<p>{escape(alt)}</p>"
        "<h2>Why points were lost</h2><table><tr><th>question</th><th>students</th>"
        f"<th>reason</th></tr>{common}</table>"
        f"<h2>Look at these</h2><ul>{listed or '<li>nothing</li>'}</ul>",
    )


def drawn(shares: dict[str, list[float]]) -> tuple[str, str]:
    """Return a picture of the points per question, and the same in words."""
    import matplotlib as mpl

    mpl.use("agg")
    from linlib import plotting

    plotting.use_style()
    figure, ax = plotting.axes(size=(max(5.0, 1.1 * len(shares) + 1.5), 4.2))
    means = {label: sum(s) / len(s) if s else 0.0 for label, s in shares.items()}
    bars = ax.bar(list(means), list(means.values()), color=plotting.SKY, edgecolor=plotting.BLUE)
    labels = [f"{mean:.0f} %" if shares[label] else "to mark" for label, mean in means.items()]
    ax.bar_label(bars, labels=labels, padding=3)
    ax.set(ylim=(0, 112), ylabel="mean share of the points", xlabel="question")
    ax.set_yticks(range(0, 101, 25), [f"{k} %" for k in range(0, 101, 25)])
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
    words = ", ".join(
        f"{label} {means[label]:.0f} %" if s else f"{label} not marked yet"
        for label, s in shares.items()
    )
    return base64.b64encode(file.getvalue()).decode(), f"Mean share of the points: {words}."


# ---------------------------------------------------------------- files


def harmless(text: str) -> str:
    """Return text that a spreadsheet will not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def put_table(path: Path, columns: list[str], rows: list[dict[str, str]]) -> None:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, columns)
    writer.writeheader()
    writer.writerows({key: harmless(value) for key, value in row.items()} for row in rows)
    put(path, "\ufeff" + file.getvalue())
