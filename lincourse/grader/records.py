"""What was decided about each submission, one file each; tables for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lincourse.files import put


@dataclass
class Record:
    """What was decided about one submission."""

    student: str
    name: str
    digest: str
    attempt: int = 1
    handed_in: float = 0.0
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
    instead: dict[str, str] = field(default_factory=dict)  # the same work with our functions
    notebook: str = ""  # as it ran


class Records:
    """The folder of records; a record counts only for exactly the file it was made from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fingerprint = ""  # of homework and grader as they are now

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
