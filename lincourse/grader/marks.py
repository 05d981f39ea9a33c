"""What a person gave: points, ticked lines of the rubric, a comment; and who asked again.

``written.csv`` goes both ways: a person fills it in, on the marking page or in a spreadsheet, and
the next run enters it. ``marks.csv`` keeps all that was ever given, by student, question and
answer, whatever comes later.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from lincourse.grader import RefusedError
from lincourse.grader.records import harmless, points_text, put_table, read_table
from lincourse.grader.release import TEXT_STUB
from lincourse.grader.rubric import Written

Row = dict[str, str]
Key = tuple[str, str, str]  # student, question, answer
Marks = dict[Key, Row]
GIVEN = ("points", "met", "comment")  # what a person fills in
QUEUE = ["student", "question", "points", "of", "met", "comment", "asked", "before", "answer"]
TAKEN_BACK = "-"  # as points: there are none after all


class MarkError(ValueError):
    """A mark that cannot be entered, and why."""


@dataclass(frozen=True)
class Mark:
    """One mark as the student reads it."""

    points: float
    met: tuple[int, ...] = ()  # numbers of the lines of the rubric
    comment: str = ""
    asked: str = ""  # what the student wrote about an earlier mark
    before: str = ""  # that mark


def is_empty(answer: str) -> bool:
    """Return whether nothing was written: the place for the answer is as it was, or is gone."""
    return answer.strip() in ("", TEXT_STUB)


def mark_key(student: str, question: str, answer: str) -> Key:
    """Return what a mark is known by; spaces and a spreadsheet's apostrophe make no difference."""
    return student, question, "" if is_empty(answer) else " ".join(harmless(answer).split())


def read_marks(path: Path) -> Marks:
    """Return what a person gave in a table: rows in which something is filled in."""
    rows = [{k: row.get(k, "") for k in QUEUE} for row in read_table(path)]
    given = [row for row in rows if any(row[name].strip() for name in GIVEN)]
    return {mark_key(row["student"], row["question"], row["answer"]): row for row in given}


def enter_marks(out: Path) -> Marks:
    """Add what a person gave in ``written.csv`` to all that was ever given; return all of it."""
    given = read_marks(out / "written.csv")
    marks = read_marks(out / "marks.csv")
    for key, row in given.items():
        # A file that was saved before the student asked again does not know of it.
        old = marks.get(key, {})
        marks[key] = row | {name: row[name] or old.get(name, "") for name in ("asked", "before")}
    if given:
        keep(out, marks)
    return marks


def keep(out: Path, marks: Marks) -> None:
    """Write down everything that was ever given."""
    put_table(out / "marks.csv", QUEUE, list(marks.values()))


def read_mark(row: Row, possible: float, question: Written | None) -> Mark | None:
    """Return the mark of a row, None if it holds a comment only; ``MarkError`` says what is wrong.

    A mark that the lines of the rubric do not explain needs a comment: nobody reads "2 of 4" alone.
    """
    text, comment = row["points"].strip(), row["comment"].strip()
    met = ticked(row["met"], question)
    if text == TAKEN_BACK or not (text or met):
        return None
    total = question.worth(met) if question else 0.0
    points = as_points(text, possible) if text else total
    if points is None:
        raise MarkError(f"points {text!r} are not a number from 0 to {possible:g}.")
    explained = question is not None and (points == total or (points == possible and not met))
    if not (explained or comment):
        raise MarkError(
            f"{points:g} of {possible:g} points are not the sum of the lines that are met "
            f"({total:g}): tick the lines, or say in a comment why."
        )
    return Mark(points, met, comment, row["asked"], row["before"])


def ticked(text: str, question: Written | None) -> tuple[int, ...]:
    """Return the numbers of the lines that are met."""
    numbers = sorted({int(number) for number in re.findall(r"\d{1,3}", text)})
    lines = len(question.rubric) if question else 0
    if any(not 1 <= number <= lines for number in numbers):
        raise MarkError(f"met {text!r} names a line that the rubric does not have: it has {lines}.")
    return tuple(numbers)


def as_points(text: str, most: float) -> float | None:
    """Return points as they were typed, None if they are no number from 0 to ``most``."""
    try:
        value = float(text.strip().lstrip("'").replace(",", "."))
    except ValueError:
        return None
    return value if 0 <= value <= most else None


# ---------------------------------------------------------------- a student asks again


@dataclass(frozen=True)
class Again:
    """A student's message about one mark, and what was decided; nothing decided: it stays."""

    student: str
    question: str
    message: str
    met: str | None = None
    points: str | None = None
    comment: str | None = None

    def check(self, students: Collection[str], questions: Collection[str]) -> None:
        """Refuse a student or a question that does not exist, or a message that says nothing."""
        for what, found, known in (
            ("nobody who handed in is", self.student, students),
            ("there is no question", self.question, questions),
        ):
            if found not in known:
                near = difflib.get_close_matches(found, known, n=1)
                said = f"; did you mean {near[0]!r}?" if near else "."
                raise RefusedError(f"--again: {what} {found!r}{said}")
        if not self.message.strip():
            raise RefusedError("--again: the message is empty; give what the student wrote.")

    def entered(
        self, marks: Marks, answer: str, before: float | None, of: float, question: Written | None
    ) -> None:
        """Put the decision into ``marks``, beside the message and the mark until now."""
        place = f"--again: {self.student} {self.question}"
        if before is None:
            raise RefusedError(f"{place}: it is not marked yet; mark it first.")
        key = mark_key(self.student, self.question, answer)
        old = marks.get(key, dict.fromkeys(QUEUE, ""))
        row = old | {
            "student": self.student,
            "question": self.question,
            "answer": answer,
            "of": points_text(of),
            "asked": self.message.strip(),
            "before": points_text(before),
        }
        if self.met is not None:
            row |= {
                "met": self.met,
                "points": "",
            }  # the sum of these lines, unless points are given
        elif self.points is None:
            row["points"] = points_text(before)
        if self.points is not None:
            row["points"] = self.points
        if self.comment is not None:
            row["comment"] = self.comment.strip()
        try:
            if not row["points"]:
                total = question.worth(ticked(row["met"], question)) if question else 0.0
                row["points"] = points_text(total)
            read_mark(row, of, question)
        except MarkError as problem:
            raise RefusedError(f"{place}: {problem}") from problem
        marks[key] = row
