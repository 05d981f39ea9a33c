"""What was decided about each submission, one file each; a log of every change; tables."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from lincourse.files import put

CHANGES = ["when", "student", "question", "before", "after", "why"]


@dataclass
class Record:
    """What was decided about one submission."""

    student: str
    name: str
    digest: str
    attempt: int = 1
    handed_in: float = 0.0
    modified: float = 0.0
    made_by: str = ""  # the fingerprint of homework and grader
    platform: dict[str, str] = field(default_factory=dict)
    problem: str = ""  # why it could not be graded
    notes: list[str] = field(default_factory=list)
    points: dict[str, float] = field(default_factory=dict)  # of the questions that need no person
    remarks: dict[str, str] = field(default_factory=dict)  # question: why it has not all points
    examples: dict[str, str] = field(default_factory=dict)  # question: found and expected
    known: list[str] = field(default_factory=list)  # questions whose remark is a misconception
    seconds: float = 0.0


@dataclass
class Details:
    """What is needed for pages only, and kept on disk until then."""

    pages: list[dict[str, str]] = field(default_factory=list)  # cells as HTML
    answers: dict[str, str] = field(default_factory=dict)  # question: the student's text
    pictures: dict[str, str] = field(default_factory=dict)  # written question: the text as HTML
    notebook: str = ""  # as it ran


class Records:
    """The folder of records; a record counts only for exactly the file it was made from."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.fingerprint = folder, ""

    def open(self, fingerprint: str) -> bool:
        """Prepare the folder; return whether older records were made void by a change."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.fingerprint = fingerprint
        mark = self.folder / ".homework"
        old = mark.read_text(encoding="utf-8") if mark.exists() else fingerprint
        put(mark, fingerprint)
        return old != fingerprint

    def known(self, key: str, digest: str) -> Record | None:
        """Return the record of exactly this file, if homework and grader are still the same."""
        record = self._read(self._path(key))
        current = record and (record.digest, record.made_by) == (digest, self.fingerprint)
        return record if current and self._path(key, "details").exists() else None

    def gone(self, students: set[str]) -> dict[str, Record]:
        """Return the records of everybody who was graded before and is not among ``students``."""
        found = {}
        for path in self.folder.glob("*~*.json"):
            record = None if path.stem.endswith(".details") else self._read(path)
            if record and record.student not in students:
                found[path.stem] = record
        return dict(sorted(found.items(), key=lambda one: (one[1].student, one[1].attempt)))

    def save(self, key: str, record: Record, details: Details) -> None:
        put(self._path(key, "details"), json.dumps(asdict(details)))
        put(self._path(key), json.dumps(asdict(record), indent=1))

    def _read(self, path: Path) -> Record | None:
        try:
            return Record(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def details(self, key: str) -> Details:
        return Details(**json.loads(self._path(key, "details").read_text(encoding="utf-8")))

    def _path(self, key: str, kind: str = "") -> Path:
        return self.folder / (f"{key}.{kind}.json" if kind else f"{key}.json")


# ---------------------------------------------------------------- changes


def log_changes(folder: Path, grades: dict[str, dict[str, Any]], reason: str) -> None:
    """Add to ``changes.csv`` what is different from the last run.

    ``grades`` holds for each student the digest of the file that counts, and the points.
    """
    state = folder / "records" / ".grades"
    before = json.loads(state.read_text(encoding="utf-8")) if state.exists() else {}
    path, when = folder / "changes.csv", datetime.now().astimezone().isoformat(timespec="seconds")
    rows = read_table(path)
    for student, grade in grades.items():
        old = before.get(student, {"digest": "", "points": {}})
        why = reason if old["digest"] == grade["digest"] else "another file counts"
        why = why if student in before else "graded for the first time"
        for label in dict.fromkeys([*grade["points"], *old["points"]]):
            was, new = old["points"].get(label), grade["points"].get(label)
            if was != new:
                values = (when, student, label, points_text(was), points_text(new), why)
                rows.append(dict(zip(CHANGES, values, strict=True)))
    put_table(path, CHANGES, rows)
    put(state, json.dumps({**before, **grades}))


def points_text(points: float | None) -> str:
    return "" if points is None else f"{points:g}"


# ---------------------------------------------------------------- tables for spreadsheets


def harmless(text: str) -> str:
    """Return text that a spreadsheet will not take for a formula."""
    formula = text[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") and text != "-"
    return f"'{text}" if formula else text


def put_table(path: Path, columns: list[str], rows: list[dict[str, str]]) -> None:
    """Write a table as CSV with the mark that spreadsheets need to see UTF-8."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows({key: harmless(value) for key, value in row.items()} for row in rows)
    put(path, "\ufeff" + file.getvalue())


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, if there is one; a cell that is missing is empty."""
    csv.field_size_limit(1 << 27)  # an answer may be long
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
        return [
            {k: v or "" for k, v in row.items() if k is not None} for row in csv.DictReader(file)
        ]
