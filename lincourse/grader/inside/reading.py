"""Reads a notebook that anyone may have written.

A file can be made to need far more memory than its size, so it is read in a sandbox as well.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from typing import Any

CellDict = dict[str, Any]
PICTURES = ("image/png", "image/jpeg", "image/gif")
LARGEST_PICTURE = 2_000_000  # characters of one pasted picture
LARGEST_FILE = 50 << 20  # bytes
LARGEST_SOURCE = 1 << 20  # characters in all cells together
MOST_CELLS = 500
BROKEN = (
    "the file cannot be read as a notebook ({why}): open it in JupyterLab, run it, save it, "
    "and hand in that file."
)


class UnreadableError(Exception):
    """A file that is no notebook, and why, in a sentence its student can act on."""


def bears_name(name: str, homework: str) -> bool:
    """Return whether a file is called as its homework is.

    A browser or a platform puts a number behind the name of a second copy; copies may differ.
    """
    pattern = rf"{re.escape(homework)}([ _-]+\(?\d+\)?|\(\d+\))?\.(ipynb|zip)"
    return re.fullmatch(pattern, name, re.I) is not None


def unzipped(data: bytes, homework: str) -> bytes:
    """Return the notebook in a zip: the only one, or the only one that bears the name."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = [
                one
                for one in archive.infolist()
                if one.filename.lower().endswith(".ipynb")
                and not re.search(r"(^|/)(\.|__MACOSX/)", one.filename)
            ]
            named = [one for one in listed if bears_name(last_part(one), homework)] or listed
            if len(named) > 1:
                names = ", ".join(map(last_part, named[:3]))
                raise UnreadableError(
                    f"there are {len(named)} notebooks in the zip ({names}): leave one."
                )
            if not named:
                raise UnreadableError(
                    "there is no notebook in the zip: hand in the file that ends in .ipynb."
                )
            with archive.open(named[0]) as opened:
                return opened.read(LARGEST_FILE + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as problem:
        raise UnreadableError(
            "the zip cannot be unpacked: hand in the file that ends in .ipynb."
        ) from problem


def last_part(member: zipfile.ZipInfo) -> str:
    return member.filename.rpartition("/")[2]


def read(data: bytes, homework: str = "") -> list[CellDict]:
    """Return the cells of a notebook file, which may be zipped."""
    if data[:4] == b"PK\3\4":
        data = unzipped(data, homework)
    if len(data) > LARGEST_FILE:
        raise UnreadableError("the file is larger than 50 MB: clear its outputs and save it again.")
    if not data.strip(b" \t\r\n\0"):
        raise UnreadableError("the file is empty: save the notebook and hand it in again.")
    try:
        content = json.loads(data)  # finds UTF-8 with or without a mark, UTF-16 and UTF-32
    except (ValueError, RecursionError) as problem:
        raise UnreadableError(BROKEN.format(why="it is not JSON")) from problem
    try:
        if not isinstance(content["cells"], list):
            raise TypeError("no list of cells")
        cells = [plain(cell) for cell in content["cells"]]
    except (TypeError, AttributeError, KeyError, ValueError) as problem:
        raise UnreadableError(BROKEN.format(why="its cells are not in order")) from problem
    if len(cells) > MOST_CELLS or sum(len(cell["source"]) for cell in cells) > LARGEST_SOURCE:
        raise UnreadableError(
            f"it has more than {MOST_CELLS} cells or 1 MB of text: remove what is not your answer."
        )
    return cells


def plain(cell: dict[str, Any]) -> CellDict:
    metadata = cell.get("metadata")
    label = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    label = label.get("grade_id") if isinstance(label, dict) else None
    return {
        "type": str(cell.get("cell_type")),
        "source": text_of(cell.get("source", "")),
        "id": str(cell.get("id")),
        "label": label if isinstance(label, str) else None,
        "attachments": pictures(cell.get("attachments")),
    }


def text_of(source: Any) -> str:
    source = source if isinstance(source, str) else "".join(source)
    if not isinstance(source, str):
        raise TypeError("a source that is not text")
    source.encode("utf-8")  # half a surrogate pair cannot be stored
    return source.replace("\r\n", "\n").replace("\r", "\n")


def pictures(attachments: Any) -> dict[str, dict[str, str]]:
    """Return the pictures pasted into a cell, those that are pictures and not too large."""
    kept: dict[str, dict[str, str]] = {}
    for name, given in attachments.items() if isinstance(attachments, dict) else ():
        for kind in PICTURES:
            data = given.get(kind) if isinstance(given, dict) else None
            data = "".join(data) if isinstance(data, list) else data
            if isinstance(data, str) and len(data) <= LARGEST_PICTURE:
                kept.setdefault(str(name), {})[kind] = data
    return dict(list(kept.items())[:20])
