"""Finds what was handed in, and lays the answers on the template.

Nothing of a submission is taken on trust: the notebook that is graded is the template, with the
student's answers in its answer cells and the student's own further cells between them. So it does
not matter whether given cells were edited, moved, copied or deleted.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from grader.course import RELEASE, assignments

LARGEST_FILE = 50 << 20  # bytes
LARGEST_SOURCE = 1 << 20  # characters in all cells together
MOST_CELLS = 500
# Moodle: "Ada Lovelace_123456_assignsubmission_file_"; Canvas: "lovelaceada_LATE_123_456_hw1"
PLATFORM = re.compile(r"_assignsubmission_[a-z]+_?$|(_LATE)?_\d+_\d+_.*$")


class UngradableError(Exception):
    """A submission that cannot be graded, and why."""


@dataclass(frozen=True)
class Submission:
    """One student's file, or why there is none; ``student`` is unique and safe as a file name."""

    student: str
    name: str
    path: Path | None
    problem: str = ""

    @property
    def digest(self) -> str:
        """A fingerprint that changes with the file."""
        data = self.path.read_bytes() if self.path else self.problem.encode()
        return hashlib.sha256(data).hexdigest()


# ---------------------------------------------------------------- finding


def find(folder: Path, homework: str) -> list[Submission]:
    """Return one submission for each file or folder, as a learning platform exports them."""
    found: list[Submission] = []
    taken: set[str] = set()
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        if entry.name.startswith((".", "__MACOSX")):
            continue
        name = PLATFORM.sub("", entry.name if entry.is_dir() else entry.stem) or entry.stem
        student = unique(safe(name), taken)
        try:
            found.append(Submission(student, name, located(entry, homework)))
        except UngradableError as problem:
            found.append(Submission(student, name, None, str(problem)))
    return found


def safe(name: str) -> str:
    """Return a file name made of letters, digits, hyphens and dots inside."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.]+", "-", plain).strip("-.")[:60] or "student"


def unique(name: str, taken: set[str]) -> str:
    candidate, count = name, 1
    while candidate.casefold() in taken:
        count += 1
        candidate = f"{name}-{count}"
    taken.add(candidate.casefold())
    return candidate


def located(entry: Path, homework: str) -> Path:
    """Return the notebook that is meant: the file, or the one in the folder that bears the name."""
    if entry.is_symlink():
        raise UngradableError("it is a link to another file, not a file.")
    if entry.is_file():
        if entry.suffix != ".ipynb":
            raise UngradableError(f"{entry.name} is not a notebook (.ipynb).")
        return entry
    files = [
        path for path in sorted(entry.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts
    ]
    if any(path.is_symlink() or not path.is_file() for path in files):
        raise UngradableError("it holds a link to another file.")
    named = [path for path in files if path.name == f"{homework}.ipynb"] or files
    if not named:
        raise UngradableError("there is no notebook in the folder.")
    if len(named) > 1:
        names = ", ".join(str(path.relative_to(entry)) for path in named[:3])
        raise UngradableError(f"there are {len(named)} notebooks ({names}): leave one.")
    return named[0]


# ---------------------------------------------------------------- reading


def read(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook file: type, source, id and nbgrader's label of each."""
    if path.stat().st_size > LARGEST_FILE:
        raise UngradableError(
            f"the file is larger than {LARGEST_FILE >> 20} MB: clear its outputs."
        )
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        cells = [plain(cell) for cell in raw["cells"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UngradableError("the file cannot be read as a notebook.") from error
    if len(cells) > MOST_CELLS or sum(len(cell["source"]) for cell in cells) > LARGEST_SOURCE:
        raise UngradableError(f"it has more than {MOST_CELLS} cells or 1 MB of text.")
    return cells


def plain(cell: dict[str, Any]) -> dict[str, Any]:
    source = cell.get("source", "")
    source = source if isinstance(source, str) else "".join(source)
    if not isinstance(source, str):
        raise TypeError("a source that is not text")
    source.encode("utf-8")  # half a surrogate pair cannot be stored
    metadata = cell.get("metadata")
    label = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    label = label.get("grade_id") if isinstance(label, dict) else None
    return {
        "type": str(cell.get("cell_type")),
        "source": source,
        "id": str(cell.get("id")),
        "label": label if isinstance(label, str) else None,
    }


# ---------------------------------------------------------------- laying it on the template


def label_of(cell: NotebookNode) -> str:
    return str(cell.metadata.nbgrader.grade_id)


def is_answer(cell: NotebookNode) -> bool:
    return bool(cell.metadata.nbgrader.solution)


def laid_out(
    cells: list[dict[str, Any]], template: NotebookNode, names: dict[str, str]
) -> tuple[NotebookNode, list[str]]:
    """Return the template with these answers, and notes on what a person should look at.

    ``names`` tells which function an answer defines: by it an answer is recognised whose labels
    were lost on the way.
    """
    other = looks_like(cells, template)
    if other:
        raise UngradableError(f"it is {other}, another homework.")
    placed = matched(cells, template, names)
    answers = [label_of(cell) for cell in template.cells if is_answer(cell)]
    if not any(label in placed.values() for label in answers):
        raise UngradableError(
            "none of the answer cells of this homework is in it: another notebook?"
        )
    notes: list[str] = []
    result = NotebookNode({**template, "cells": []})
    extras = between(cells, placed)
    result.cells += [own_cell(cell, f"own-0-{k}") for k, cell in enumerate(extras.get(None, []))]
    for cell in template.cells:
        label = label_of(cell)
        cell = NotebookNode({**cell})
        if is_answer(cell):
            given = [own for own in cells if placed.get(own["id"]) == label]
            cell.source = chosen(cell, given, notes)
        result.cells.append(cell)
        for k, own in enumerate(extras.get(label, [])):
            result.cells.append(own_cell(own, f"own-{label}-{k}"))
    return result, notes


def looks_like(cells: list[dict[str, Any]], template: NotebookNode) -> str:
    """Return the name of another homework if more of its given cells are here; else nothing."""
    sources = {cell["source"].strip() for cell in cells}
    others = {name: released(name) for name in assignments()}
    shared = {name: len(sources & given_sources(other)) for name, other in others.items()}
    closest = max(shared, key=lambda name: shared[name])
    own = len(sources & given_sources(template))
    return closest if shared[closest] > own else ""


def given_sources(notebook: NotebookNode) -> set[str]:
    return {cell.source.strip() for cell in notebook.cells if not is_answer(cell)}


@functools.cache
def released(homework: str) -> NotebookNode:
    return nbformat.read(RELEASE / homework / f"{homework}.ipynb", as_version=4)


def matched(
    cells: list[dict[str, Any]], template: NotebookNode, names: dict[str, str]
) -> dict[str, str]:
    """Return which template cell each cell is, by id made unique here; own cells are left out."""
    for k, cell in enumerate(cells):
        cell["given id"], cell["id"] = cell["id"], str(k)
    known = {label_of(cell) for cell in template.cells}
    placed = {cell["id"]: cell["label"] for cell in cells if cell["label"] in known}
    sources = {
        cell.source.strip(): label_of(cell) for cell in template.cells if not is_answer(cell)
    }
    for cell in cells:
        missing = known - set(placed.values())
        if cell["id"] in placed:
            continue
        if cell["given id"] in missing:
            placed[cell["id"]] = cell["given id"]
        elif sources.get(cell["source"].strip()) is not None:
            placed[cell["id"]] = sources[cell["source"].strip()]
        else:
            for label, name in names.items():
                if label in missing and defines(cell, name):
                    placed[cell["id"]] = label
                    break
    return placed


def defines(cell: dict[str, Any], name: str) -> bool:
    pattern = rf"^(def {re.escape(name)}\b|{re.escape(name)}\s*=)"
    return cell["type"] == "code" and re.search(pattern, cell["source"], re.M) is not None


def between(
    cells: Iterable[dict[str, Any]], placed: dict[str, str]
) -> dict[str | None, list[dict[str, Any]]]:
    """Return the student's own cells by the template cell they follow."""
    extras: dict[str | None, list[dict[str, Any]]] = {}
    after: str | None = None
    for cell in cells:
        if cell["id"] in placed:
            after = placed[cell["id"]]
        elif cell["type"] in ("code", "markdown") and cell["source"].strip():
            extras.setdefault(after, []).append(cell)
    return extras


def chosen(cell: NotebookNode, given: list[dict[str, Any]], notes: list[str]) -> str:
    """Return the student's source for an answer cell; note whatever is not plain."""
    label = label_of(cell)
    if not given:
        notes.append(f"{label}: the answer cell is missing.")
        return "" if cell.cell_type == "code" else str(cell.source)
    if any(own["type"] != cell.cell_type for own in given):
        notes.append(f"{label}: the answer cell was turned into another type of cell.")
    written = [own["source"] for own in given if own["source"].strip() != cell.source.strip()]
    if len(set(written)) > 1:
        notes.append(
            f"{label}: there are {len(written)} different answer cells; the last one counts."
        )
    return str(written[-1] if written else cell.source)


def own_cell(cell: dict[str, Any], identity: str) -> NotebookNode:
    make = new_code_cell if cell["type"] == "code" else new_markdown_cell
    return make(cell["source"], id=identity[:64])
