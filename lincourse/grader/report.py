"""Writes down the results: grades, feedback, pages for the one who teaches, files for platforms.

What a person gave is in ``marks``; here it is put beside what the hidden tests gave.
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
from lincourse.grader import RefusedError, pages, platforms
from lincourse.grader.marks import (
    QUEUE,
    TAKEN_BACK,
    Again,
    Mark,
    MarkError,
    Marks,
    enter_marks,
    is_empty,
    keep,
    mark_key,
    read_mark,
)
from lincourse.grader.records import (
    Details,
    Record,
    harmless,
    points_text,
    put_table,
    read_table,
)
from lincourse.grader.template_merge import CellDict

if TYPE_CHECKING:
    from lincourse.grader.scoring import Grading

Found = dict[str, Record]
GRADES = ["total", "of", "late", "attempt", "status", "notes", "file", "grader"]
CHANGES = ["when", "student", "question", "before", "after", "why"]
Row = dict[str, str]


@dataclass
class Grade:
    """What a student gets: the record of the attempt that counts, with a person's marks."""

    key: str
    record: Record
    points: dict[str, float | None]
    marks: dict[str, Mark] = field(default_factory=dict)  # what a person gave
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
    if grading.options.again:
        asked_again(grading, grading.options.again, counted(grading, found, marks, []), marks)
    complaints: list[str] = []
    grades = counted(grading, found, marks, complaints)
    away = grading.records.gone({record.student for record in found.values()})
    grades += [replace(grade, gone=True) for grade in counted(grading, away, marks, complaints)]
    waiting = []
    for grade in grades:
        student = grade.record.student
        try:
            details = grading.records.details(grade.key)
            put(out / "feedback" / f"{student}.html", pages.feedback(grading, grade, details))
            if not grade.record.problem:
                waiting += list(written(grading, grade, details, marks))
                put(out / "notebooks" / f"{student}.ipynb", details.notebook)
        except Exception as problem:  # whatever is wrong with one, the others get theirs
            complaints.append(f"{student}: no feedback: {type(problem).__name__}: {problem}"[:300])
    write_grades(out, grades, possible, grading.options.again)
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
    given = {question for student, question, _ in marks if student == record.student}
    answers = grading.records.details(key).answers if given else {}
    for label in possible:
        row = marks.get(mark_key(record.student, label, answers.get(label, "")))
        if label not in given or row is None:
            continue
        try:
            mark = read_mark(row, possible[label], grading.written.get(label))
        except MarkError as problem:
            said.append(f"{record.student} {label}: {problem}")
            continue
        if mark is not None:
            grade.marks[label] = mark
            points[label] = mark.points
    return grade


def asked_again(grading: Grading, again: Again, grades: list[Grade], marks: Marks) -> None:
    """Enter what was decided about a student's question, and keep it."""
    grade = next(one for one in grades if one.record.student == again.student)
    if grade.record.problem:
        raise RefusedError(f"--again: {again.student} is not graded: {grade.record.problem}")
    label = again.question
    answer = grading.records.details(grade.key).answers.get(label, "")
    of, question = grading.possible[label], grading.written.get(label)
    again.entered(marks, answer, grade.points[label], of, question)
    keep(grading.out, marks)


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


def write_grades(
    out: Path, grades: list[Grade], possible: dict[str, float], again: Again | None = None
) -> None:
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
    log_changes(out, lines, [*possible, "total"], again)
    put_table(out / "grades.csv", ["student", "name", *possible, *GRADES], lines)


def log_changes(out: Path, lines: list[Row], labels: list[str], again: Again | None) -> None:
    """Add to ``changes.csv`` the points that differ from the last ones there, and why they do.

    A mark about which a student asked again is listed even if it stays.
    """
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
        if again and again.student == line["student"]:
            why = f"asked again about {again.question}: {again.message.strip()}"
        for label in labels:
            asked = again and (again.student, again.question) == (line["student"], label)
            change = {"before": last.get((student, label), ""), "after": line[label]}
            if asked or change["before"] != change["after"]:
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


def written(grading: Grading, grade: Grade, details: Details, marks: Marks) -> Iterator[Row]:
    """Yield the written answers of one submission, with what a person filled in."""
    for label in grading.by_hand:
        answer = details.answers.get(label, "")
        empty = is_empty(answer)
        old = marks.get(mark_key(grade.record.student, label, answer), {})
        points = old.get("points", "").strip()
        yield {
            "student": grade.record.student,
            "name": grade.record.name,
            "question": label,
            "points": "" if points == TAKEN_BACK else points,
            "of": points_text(grading.possible[label]),
            "answer": "" if empty else answer,
            "empty": "empty" if empty else "",
            "html": details.pictures.get(label, ""),
            "instead": details.instead.get(label, ""),
            **{name: old.get(name, "") for name in ("met", "comment", "asked", "before")},
        }
