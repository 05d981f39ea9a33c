"""Tables for spreadsheets, in which nothing is a formula."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from lincourse.files import put


def harmless(text: str) -> str:
    """Return text that a spreadsheet will not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") else text


def put_table(path: Path, columns: list[str], rows: list[dict[str, str]]) -> None:
    """Write a table as CSV with the mark that spreadsheets need to see UTF-8."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, columns)
    writer.writeheader()
    writer.writerows({key: harmless(value) for key, value in row.items()} for row in rows)
    put(path, "\ufeff" + file.getvalue())


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file; a cell that is missing is empty."""
    csv.field_size_limit(1 << 27)  # an answer may be long
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
        return [
            {k: v or "" for k, v in row.items() if k is not None} for row in csv.DictReader(file)
        ]
