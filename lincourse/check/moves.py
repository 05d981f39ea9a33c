"""What ``lincourse reseed`` moves in a lecture: seeds of random numbers, and declared settings."""

from __future__ import annotations

import ast
import contextlib
import random
import re
import sys
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
from nbformat import NotebookNode

# How a cell declares values for which its sentences hold as well: `n = 40  # also holds for 20, 80`
SETTING = re.compile(r"^(\w[\w, ]*) = (.+?) +# also holds for (.+)$", re.MULTILINE)


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
