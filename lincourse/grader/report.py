"""Writes down the results: grades, feedback, pages for the one who teaches, files for platforms.

``written.csv`` goes both ways: a person fills in points and comments, the next run enters them.
What a person gave is kept in ``marks.csv``, by student, question and answer, whatever comes later.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from nbformat import NotebookNode

from lincourse.files import put
from lincourse.grader import pages, platforms
from lincourse.grader.records import (
    Details,
    Record,
    harmless,
    points_text,
    put_table,
    read_table,
)
from lincourse.grader.release import TEXT_STUB
from lincourse.grader.template_merge import CellDict

if TYPE_CHECKING:
    from lincourse.grader.scoring import Grading

Found = dict[str, Record]
GRADES = ["total", "of", "late", "attempt", "status", "notes", "file", "grader"]
CHANGES = ["when", "student", "question", "before", "after", "why"]
QUEUE = ["student", "question", "points", "of", "comment", "answer"]
Row = dict[str, str]
Marks = dict[tuple[str, str, str], Row]  # student, question, answer: what a person gave
TAKEN_BACK = "-"  # as points: there are none after all


@dataclass
class Grade:
    """What a student gets: the record of the attempt that counts, with a person's marks."""

    key: str
    record: Record
    points: dict[str, float | None]
    comments: dict[str, str] = field(default_factory=dict)
    percent: float = 0.0  # lost because it was late
    late: str = ""
    gone: bool = False  # graded before, and not in the folder any more

    @property
    def left(self) -> int:
        """How many of the answers a person has to mark yet."""
        return sum(value is None for value in self.points.values())

    @property
    def total(self) -> float:
        earned = sum(value for value in self.points.values() if value is not None)
        return float(round(earned * (100 - self.percent) / 100, 2))


# ---------------------------------------------------------------- everything


def write_all(grading: Grading, found: Found, stream: TextIO) -> int:
    """Write every file; return how many submissions could not be graded."""
    out, possible = grading.out, grading.possible
    marks = enter_marks(out)
    complaints: list[str] = []
    grades = counted(grading, found, marks, complaints)
    away = grading.records.gone({record.student for record in found.values()})
    grades += [replace(grade, gone=True) for grade in counted(grading, away, marks, complaints)]
    waiting = []
    for grade in grades:
        student = grade.record.student
        try:
            details = grading.records.details(grade.key)
            put(out / "feedback" / f"{student}.html", pages.feedback(grading, grade, details.pages))
            if not grade.record.problem:
                waiting += list(written(grading, grade, details, marks))
                put(out / "notebooks" / f"{student}.ipynb", details.notebook)
        except Exception as problem:  # whatever is wrong with one, the others get theirs
            complaints.append(f"{student}: no feedback: {type(problem).__name__}: {problem}"[:300])
    write_grades(out, grades, possible)
    put_table(out / "written.csv", QUEUE, waiting)
    put(out / "written.html", pages.marking(grading, waiting))
    put(out / "summary.html", pages.summary(grading, grades))
    platforms.write(out, grading.homework, grades, possible)
    print(*said_at_the_end(grading, grades, complaints), sep="\n", file=stream)
    return sum(bool(g.record.problem) and not g.gone for g in grades) + len(complaints)


def counted(grading: Grading, found: Found, marks: Marks, said: list[str]) -> list[Grade]:
    """Return one grade for each student: of several attempts the last or the best."""
    by_student: dict[str, list[Grade]] = {}
    for key, record in found.items():
        grade = marked(grading, key, record, marks, said)
        by_student.setdefault(record.student, []).append(grade)
    chosen = []
    for attempts in by_student.values():
        fine = [grade for grade in attempts if not grade.record.problem]
        best = fine if grading.rules.attempts == "best" else []
        chosen.append(max(best, key=lambda grade: grade.total, default=attempts[-1]))
    return chosen


def marked(grading: Grading, key: str, record: Record, marks: Marks, said: list[str]) -> Grade:
    """Return a record as a grade, with the points a person gave."""
    possible = grading.possible
    if record.problem:
        return Grade(key, record, {})
    points: dict[str, float | None] = {q: record.points.get(q) for q in possible}
    grade = Grade(key, record, points)
    grade.percent, grade.late = grading.rules.penalty(record)
    for label in [label for label, value in points.items() if value is None]:
        answer = grading.records.details(key).answers.get(label, "")
        row = marks.get(mark_key(record.student, label, answer))
        if row is None:
            continue
        grade.comments[label] = row["comment"].strip()
        if row["points"].strip() in ("", TAKEN_BACK):
            continue
        points[label] = as_points(row["points"], possible[label])
        if points[label] is None:
            said.append(
                f"{record.student} {label}: points {row['points']!r} in written.csv are not a "
                f"number from 0 to {possible[label]:g}."
            )
    return grade


def as_points(text: str, most: float) -> float | None:
    try:
        value = float(text.strip().lstrip("'").replace(",", "."))
    except ValueError:
        return None
    return value if 0 <= value <= most else None


def said_at_the_end(grading: Grading, grades: list[Grade], complaints: list[str]) -> list[str]:
    """Return what there is to know at the end, line by line."""
    ungraded = [grade.record for grade in grades if grade.record.problem]
    gone = [grade.record for grade in grades if grade.gone]
    fine, left = len(grades) - len(ungraded), sum(grade.left for grade in grades)
    return [
        f"{fine} graded, {len(ungraded)} not, {left} written answers to mark.",
        *(f"NOT THERE {r.student} ({r.name}): graded before, kept in grades.csv." for r in gone),
        *(f"NOT GRADED {record.student}: {record.problem}" for record in ungraded),
        *(f"NOT ENTERED {complaint}" for complaint in complaints),
        f"See {grading.out}: grades.csv, written.html, summary.html, feedback/.",
    ]


# ---------------------------------------------------------------- grades and feedback


def write_grades(out: Path, grades: list[Grade], possible: dict[str, float]) -> None:
    """One line a student; who could not be graded has no points, not 0."""
    lines = []
    for grade in grades:
        record = grade.record
        status = f"not graded: {record.problem}" if record.problem else "complete"
        if grade.left:
            status = f"{grade.left} written to mark"
        if grade.gone:
            status = f"not in the folder any more; {status}"
        row = {"student": record.student, "name": record.name}
        row |= {label: points_text(grade.points.get(label)) for label in possible}
        row |= {
            "total": "" if record.problem else points_text(grade.total),
            "of": points_text(sum(possible.values())),
            "late": grade.late,
            "attempt": str(record.attempt),
            "status": status,
            "notes": " ".join(record.notes),
            "file": record.digest[:12],
            "grader": record.made_by[:12],
        }
        lines.append(row)
    log_changes(out, lines, [*possible, "total"])
    put_table(out / "grades.csv", ["student", "name", *possible, *GRADES], lines)


def log_changes(out: Path, lines: list[Row], labels: list[str]) -> None:
    """Add to ``changes.csv`` the points that differ from the last ones there, and why they do."""
    rows = read_table(out / "changes.csv")
    last = {(row["student"], row["question"]): row["after"] for row in rows}
    before = {row.get("student"): row for row in read_table(out / "grades.csv")}
    when = datetime.now().astimezone().isoformat(timespec="seconds")
    for line in lines:
        student = harmless(line["student"])
        why = "marked, or other rules"
        if student not in before:
            why = "graded for the first time"
        elif before[student].get("file") != line["file"]:
            why = "another file counts"
        elif before[student].get("grader") != line["grader"]:
            why = "the homework or the grader changed"
        for label in labels:
            change = {"before": last.get((student, label), ""), "after": line[label]}
            if change["before"] != change["after"]:
                rows.append(line | change | {"when": when, "question": label, "why": why})
    put_table(out / "changes.csv", CHANGES, rows)


def notebook(template: NotebookNode, ran: list[CellDict]) -> str:
    """Return the notebook as it ran, with nbgrader's labels."""
    labels = {cell.metadata.nbgrader.grade_id: cell.metadata for cell in template.cells}
    cells = []
    for cell in ran:
        one = {"cell_type": cell["type"], "source": cell["source"]}
        one |= {"metadata": labels.get(cell["id"], {}), "id": cell["id"]}
        if cell["type"] == "code":
            one |= {"execution_count": None, "outputs": cell["outputs"]}
        elif cell.get("attachments"):
            one["attachments"] = cell["attachments"]
        cells.append(one)
    whole = {"cells": cells, "metadata": template.metadata}
    return json.dumps(whole | {"nbformat": 4, "nbformat_minor": 5}, ensure_ascii=False)


# ---------------------------------------------------------------- written answers


def mark_key(student: str, question: str, answer: str) -> tuple[str, str, str]:
    """Return what a mark is known by; spaces and a spreadsheet's apostrophe make no difference."""
    return student, question, " ".join(harmless(answer).split())


def read_marks(path: Path) -> Marks:
    """Return what a person gave in a table: rows with points or a comment."""
    rows = [{k: row.get(k, "") for k in QUEUE} for row in read_table(path)]
    given = [row for row in rows if row["points"].strip() or row["comment"].strip()]
    return {mark_key(row["student"], row["question"], row["answer"]): row for row in given}


def enter_marks(out: Path) -> Marks:
    """Add what a person gave in ``written.csv`` to all that was ever given; return all of it."""
    given = read_marks(out / "written.csv")
    marks = read_marks(out / "marks.csv") | given
    if given:
        put_table(out / "marks.csv", QUEUE, list(marks.values()))
    return marks


def written(grading: Grading, grade: Grade, details: Details, marks: Marks) -> Iterator[Row]:
    """Yield the written answers of one submission, with what a person filled in."""
    for label in grading.by_hand:
        answer = details.answers.get(label, "")
        if answer in ("", TEXT_STUB):
            continue
        old = marks.get(mark_key(grade.record.student, label, answer), {})
        yield {
            "student": grade.record.student,
            "question": label,
            "points": old.get("points", "").strip(),
            "of": points_text(grading.possible[label]),
            "comment": old.get("comment", ""),
            "answer": answer,
            "html": details.pictures.get(label, ""),
        }
