"""In which order a run visits the rows, and how large its updates are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count

import numpy as np

from linlib import checks, loop, mistakes
from linlib.checks import FloatArray, IntArray
from linlib.kesler import KeslerRows
from linlib.loop import SCHEDULES, Event, Step
from linlib.rows import SignedRows

Order = str | Sequence[int] | IntArray
VISITING = ("cyclic", "shuffled")
PICKING = ("random", "worst")


def eta(step: float, schedule: str) -> Step:
    """Return the sizes of the updates, once both are in order."""
    size = SCHEDULES[checks.choice(schedule, "schedule", list(SCHEDULES))]
    return size(checks.positive(step, "step"))


def stream(
    rows: SignedRows | KeslerRows,
    weights: FloatArray,
    order: Order,
    step: Step,
    rng: np.random.Generator | None,
    max_passes: int | None,
) -> Iterator[Event]:
    """Return the corrections of a run, of at most so many passes."""
    budget: Iterable[int] = count() if max_passes is None else range(max_passes)
    if not isinstance(order, str):
        visited = row_numbers(order, len(rows))
        return loop.walk(rows, weights, (visited for _ in budget), step)
    checks.choice(order, "order", VISITING + PICKING)
    if order == "cyclic":
        return loop.walk(rows, weights, (None for _ in budget), step)
    if order == "worst":
        return loop.pick(rows, weights, budget, step, partial(mistakes.worst, rows))
    chooser = checks.generator(rng, f"order={order!r}")
    if order == "shuffled":
        n = len(rows)
        return loop.walk(rows, weights, (chooser.permutation(n) for _ in budget), step)
    return loop.pick(rows, weights, budget, step, lambda wrong, _: int(chooser.choice(wrong)))


def row_numbers(order: Sequence[int] | IntArray, n: int) -> IntArray:
    """Return the rows of a pass; all of them must occur."""
    try:
        rows = np.asarray(order)
    except ValueError:
        rows = np.zeros((0, 0))
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        got = " ".join(repr(order).split())[:60]
        raise TypeError(
            f"order: expected a name or a sequence of row numbers, got {got}; "
            f"use 'cyclic', 'shuffled', 'random', 'worst' or range({n})."
        )
    beyond = rows[(rows < 0) | (rows >= n)]
    if beyond.size:
        raise ValueError(f"order: row {beyond[0]} does not exist; rows run from 0 to {n - 1}.")
    missing = np.setdiff1d(np.arange(n), rows)
    if missing.size:
        raise ValueError(
            f"order: never visits row {missing[0]}, so a clean pass would prove nothing; add it."
        )
    return rows.astype(np.int64)
