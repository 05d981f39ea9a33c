"""Run the code cells of a lecture inside this process: no kernel, no pictures, nothing shown.

What ``lincourse refresh`` and validation do with a kernel costs seconds a run. Asking how often a
sentence holds, or whether a wrong one would be noticed, takes hundreds of runs: these are plain
``exec`` in one dictionary, after which a process can be forked and go two ways.
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import multiprocessing
import os
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # processes share the cores; their threads would fight
os.environ["MPLBACKEND"] = "agg"

import numpy as np  # noqa: E402
from nbformat import NotebookNode  # noqa: E402

from lincourse import garbage  # noqa: E402
from lincourse.check import outputs, progress  # noqa: E402

garbage.seldom()

THIS_RUN = "in this run"  # how the message begins of an assert that speaks of the shown run
RECORD = "__record__"
Task = TypeVar("Task")
Made = TypeVar("Made")
# How a cell declares values for which its sentences hold as well: `n = 40  # also holds for 20, 80`
SETTING = re.compile(r"^(\w[\w, ]*) = (.+?) +# also holds for (.+)$", re.MULTILINE)


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


# ---------------------------------------------------------------- settings and seeds that are moved


def settings(cell: NotebookNode) -> dict[str, list[Any]]:
    """Return the settings that a cell declares: the names, and the values that they may have.

    >>> settings(NotebookNode(source="n, d = 40, 2  # also holds for (20, 2), (80, 5)"))
    {'n, d': [(40, 2), (20, 2), (80, 5)]}
    """
    found = {}
    for names, value, others in SETTING.findall(cell.source):
        try:
            found[names] = [ast.literal_eval(value), *ast.literal_eval(f"[{others}]")]
        except (SyntaxError, ValueError):
            raise ValueError(
                f"cell {cell.id}: after “also holds for” stand other values of {names}, separated "
                f"by commas; got {others!r}."
            ) from None
    return found


def moved_settings(cell: NotebookNode, move: int) -> NotebookNode:
    """Return a cell with its settings as they are in a run."""
    chosen = {
        names: random.Random(f"{move} {cell.id} {names}").choice(values)
        for names, values in settings(cell).items()
    }
    source = SETTING.sub(lambda m: f"{m[1]} = {chosen[m[1]]!r}", cell.source)
    return NotebookNode(cell | {"source": source})


@contextlib.contextmanager
def moved_seeds(move: int) -> Iterator[None]:
    """Give every seed another stream.

    Seed k becomes the pair (move, k), so that seeds that were different stay different, and a
    lecture that compares many seeds compares as many others. The points an explorer starts with
    are part of the explorer, as the four corners are of AND: their seeds stay.
    """
    generator = np.random.default_rng

    def default_rng(seed: Any = None) -> np.random.Generator:
        if sys._getframe(1).f_globals.get("__name__", "").startswith("linlib.explorers"):
            return generator(seed)
        return generator(moved(seed, move))

    class RandomState(np.random.RandomState):  # a class: scikit-learn asks isinstance of it
        def __init__(self, seed: Any = None) -> None:
            super().__init__(moved(seed, move))

    with (
        mock.patch.object(np.random, "default_rng", default_rng),
        mock.patch.object(np.random, "RandomState", RandomState),
    ):
        yield


def moved(seed: Any, move: int) -> Any:
    if isinstance(seed, int | np.integer | list | tuple | np.ndarray):
        return [move, *np.ravel(seed).tolist()]
    return seed  # a generator that was moved when it was made, or no seed at all
