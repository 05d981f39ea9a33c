"""Run a notebook from top to bottom and store its outputs, with the versions that made them."""

from __future__ import annotations

import copy
import itertools
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbsame.comparison import Rules, compare
from nbsame.kernel import StoppedError, uncoloured
from nbsame.notebook import OURS, asked, code_cells, error_of, kind, language, read, stored_versions
from nbsame.run import Run
from nbsame.settings import Settings

Refuse = Callable[[NotebookNode, list[NotebookNode]], str]


class RefusedError(Exception):
    """A notebook that is left as it is, and why."""


def refresh(path: Path, settings: Settings) -> bool:
    """Bring one notebook up to date; return whether its file changed."""
    try:
        stored = read(path)
    except (OSError, ValueError) as problem:
        raise RefusedError(f"it cannot be read: {problem}") from None
    if language(stored) not in ("python", "python3", "ipython"):
        raise RefusedError(f"its kernel is for {language(stored)}: only Python is run")
    return written(path, executed(stored, path, settings))


def executed(
    stored: NotebookNode, path: Path, settings: Settings, refuse: Refuse | None = None
) -> NotebookNode:
    """Return a copy of a notebook with the outputs of a fresh kernel.

    An output that counts as the same is kept as it is stored, so that a second refresh changes no
    byte. ``refuse`` may say why the fresh outputs of a cell must not be stored, or ``""``.
    """
    fresh = copy.deepcopy(stored)
    refuse = refuse or unexpected_error
    run = Run(fresh, path.parent, seconds=settings.timeout, tags=settings.tags)
    try:
        for number, cell in enumerate(run.cells, start=1):
            outputs = run.upto(number)
            reason = refuse(cell, outputs)
            if reason:
                raise RefusedError(f"cell {number} {reason}")
        versions = run.versions()
    except StoppedError as reason:
        raise RefusedError(str(reason)) from None
    finally:
        run.stop()
    store(fresh, run.outputs, versions, settings)
    return fresh


def unexpected_error(cell: NotebookNode, outputs: list[NotebookNode]) -> str:
    """Refuse an error that is neither stored nor asked for by a tag or comment."""
    error = error_of(outputs)
    if error is None or error_of(cell.outputs) or "raises" in asked(cell):
        return ""
    return f"raises {error.ename}: {error.evalue}\n\n{uncoloured(chr(10).join(error.traceback))}\n"


def store(
    notebook: NotebookNode,
    outputs: Sequence[list[NotebookNode]],
    versions: dict[str, str],
    settings: Settings,
) -> None:
    """Put fresh outputs, counts and versions into a notebook.

    The versions stay while every output counts as the same: they are those of what is stored.
    """
    changed = not stored_versions(notebook)
    count = 0
    for cell, fresh in zip(code_cells(notebook), outputs, strict=True):
        if settings.tags and "skip" in asked(cell):
            continue
        count += 1
        kept = keep_stored(cell.outputs, fresh, cell.source, settings.rules())
        changed = changed or kept != cell.outputs
        cell.outputs, cell.execution_count = kept, count
        for output in kept:
            if output.output_type == "execute_result":
                output.execution_count = count
    if changed:
        notebook.metadata[OURS] = {"versions": versions}


def keep_stored(
    stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode], source: str, rules: Rules
) -> list[NotebookNode]:
    """Return the fresh outputs, but a stored one wherever the two count as the same."""

    def same(old: NotebookNode, new: NotebookNode) -> bool:
        alike = kind(old) == kind(new) and old.get("metadata") == new.get("metadata")
        return alike and not compare([old], [new], source, rules=rules)

    pairs = itertools.zip_longest(stored[: len(fresh)], fresh)
    return [old if old and same(old, new) else new for old, new in pairs]


def written(path: Path, notebook: NotebookNode) -> bool:
    """Write a notebook whole, at every moment the old file or the new one; say if it changed."""
    content = nbformat.v4.writes(notebook)
    content = content.rstrip("\n") + "\n"
    if path.read_text(encoding="utf-8") == content:
        return False
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(content)
        os.chmod(name, path.stat().st_mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return True
