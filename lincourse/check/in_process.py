"""Run the code cells of a lecture inside this process: no kernel, no pictures, nothing shown.

A run of a lecture in a kernel costs seconds. ``reseed`` takes 240 runs, and ``falsify`` runs every
lecture on from a hundred edits: here a cell is plain ``exec`` in one dictionary, a failed assert
is noted and stops nothing, and the process can be forked in the middle of a lecture.
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

from nbformat import NotebookNode

from lincourse import garbage
from lincourse.check import outputs, progress

# Before anything imports NumPy: processes share the cores, and their threads would fight.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ["MPLBACKEND"] = "agg"
garbage.seldom()

THIS_RUN = "in this run"  # how the message begins of an assert that speaks of the shown run
RECORD = "__record__"
Task = TypeVar("Task")
Made = TypeVar("Made")


@dataclass
class Outcome:
    """What one run saw: whether each assert held every time, by cell and number; what raised.

    A test that raises counts as one that does not hold; ``errors`` has what it raised.
    """

    held: dict[tuple[str, int], bool] = field(default_factory=dict)
    raised: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def record(self, cell: str, number: int, test: object) -> None:
        if isinstance(test, Exception):
            self.errors[cell], test = f"{type(test).__name__}: {test}", False
        self.held[cell, number] = bool(test) and self.held.get((cell, number), True)


def lectures(folder: Path, chosen: Sequence[Path] = ()) -> list[Path]:
    """Return the chosen lectures, or all of a folder."""
    found = list(chosen) or sorted(folder.glob("[0-9][0-9]-*.ipynb"))
    if not found:
        sys.exit(f"There are no lectures in {folder}.")
    for path in found:
        if not path.is_file():
            sys.exit(f"There is no lecture {path}.")
    return found


def read(path: Path) -> list[NotebookNode]:
    """Return the code cells of a notebook."""
    return list(filter(outputs.runs, outputs.read(path).cells))


def each(work: Callable[[Task], Made], tasks: Sequence[Task], jobs: int) -> Iterator[Made]:
    """Yield what ``work`` makes of each task, so many at a time; one job starts no process."""
    if jobs == 1:
        yield from map(work, tasks)
        return
    with multiprocessing.Pool(jobs) as pool:
        for number, made in enumerate(pool.imap_unordered(work, tasks), start=1):
            progress(f"{number} of {len(tasks)} done")
            yield made
    progress("")


# ---------------------------------------------------------------- asserts that are counted


def speaks_of_this_run(node: ast.Assert) -> bool:
    """Tell whether the message, perhaps an f-string, begins with ``in this run``."""
    message = ast.unparse(node.msg) if node.msg else ""
    return message.lstrip("f'\"").startswith(THIS_RUN)


class _Counted(ast.NodeTransformer):
    """Turn each ``assert test`` of a cell into a call that records the test, and goes on."""

    def __init__(self, cell: str) -> None:
        self.cell, self.numbers = cell, itertools.count(1)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        name = f"{self.cell!r}, {next(self.numbers)}"
        # Statements, not a lambda: the test keeps its scope, and what it assigns stays assigned.
        attempt = ast.parse(
            f"try:\n    {RECORD}({name}, None)\nexcept Exception as e:\n    {RECORD}({name}, e)"
        ).body[0]
        attempt.body[0].value.args[2] = node.test  # type: ignore[attr-defined]
        return ast.copy_location(attempt, node)


# ---------------------------------------------------------------- a run


def fresh_scope() -> dict[str, Any]:
    """Return what a cell finds before the first was run: IPython gives it ``display``."""
    return {"__name__": "__main__", "display": lambda *_: None}


def run_counted(cell: NotebookNode, scope: dict[str, Any], outcome: Outcome) -> None:
    """Run one cell; record its asserts, and the exception if it raises one."""
    scope[RECORD] = outcome.record
    tree = ast.fix_missing_locations(_Counted(cell.id).visit(ast.parse(cell.source)))
    try:
        exec(compile(tree, f"<{cell.id}>", "exec"), scope)
    except Exception as error:
        outcome.raised[cell.id] = f"{type(error).__name__}: {error}"


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Show nothing: no prints, no pictures, no views."""
    import matplotlib.pyplot as plt

    from linlib.notebook import plotting

    try:
        with (
            mock.patch.object(plotting, "show", lambda figure, alt: plt.close(figure)),
            mock.patch("IPython.display.display"),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            yield
    finally:
        plt.close("all")
