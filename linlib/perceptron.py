"""Learn from mistakes: the perceptron learning algorithm.

:func:`corrections` is the loop (:mod:`linlib.loop`) as a stream, and :func:`pla` follows it to its
end. Both work on signed rows (:mod:`linlib.rows`), on which a score of exactly 0 is a mistake: from
``weights = 0`` nothing is ever below 0. The algorithm's relatives are in :mod:`linlib.relatives`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks, loop
from linlib.checks import FloatArray, IntArray
from linlib.loop import CLEAN, SCHEDULES, Event, Step
from linlib.rows import KeslerRows, SignedRows
from linlib.runs import Run

Order = str | Sequence[int] | IntArray
VISITING = ("cyclic", "shuffled")
PICKING = ("random", "worst")


class Correction(NamedTuple):
    """One update: the pass and the visit it happened at, the row, and the weights after it."""

    number_of_pass: int
    visit: int
    row: int
    weights: FloatArray


def corrections(
    Z: ArrayLike,
    weights: ArrayLike,
    *,
    order: Order = "cyclic",
    step: float = 1.0,
    schedule: str = "constant",
    rng: np.random.Generator | None = None,
) -> Iterator[Correction]:
    """Yield every update of the perceptron; stop once ``Z @ weights > 0`` in every row.

    ``order`` is "cyclic" (rows as they stand), "shuffled" (a fresh order every pass), a sequence
    of rows to visit again and again, "random" (any one of the present mistakes) or "worst" (the
    row with the lowest score, the first of equals). Update k is ``step`` times the row, or
    ``step / k`` times with the ``schedule`` "1/k".

    >>> [c.row for c in corrections([[1, 2], [-1, 0]], [0, 0])]
    [0, 1, 1]
    """
    rows = SignedRows(checks.points(Z, "Z").copy())
    first = checks.vector(weights, "weights", rows.width)
    stream = _stream(rows, first, order, eta(step, schedule), rng, None)
    return (Correction(p, visit, i, np.array(w)) for p, visit, i, w in stream if i != CLEAN)


def eta(step: float, schedule: str) -> Step:
    """Return the sizes of the updates, once both are in order."""
    size = SCHEDULES[checks.choice(schedule, "schedule", list(SCHEDULES))]
    return size(checks.positive(step, "step"))


def _stream(
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
        return loop.pick(rows, weights, budget, step, partial(loop.worst, rows))
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


def pla(
    X: ArrayLike,
    y: ArrayLike,
    *,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    schedule: str = "constant",
    bias: bool = True,
    max_updates: int = 10_000,
    max_passes: int | None = None,
    rng: np.random.Generator | None = None,
) -> Run:
    """Learn by correcting one mistake at a time, until a clean pass or the end of a budget.

    See :func:`corrections` for ``order`` and ``schedule``. If ``converged``, every row is right:
    a textbook's pass over all of them found no mistake.

    >>> run = pla([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> run.weights, run.updates, run.passes, run.converged
    (array([-4.,  3.,  2.]), 18, 9, True)
    >>> run
    Run(weights (-4, 3, 2); errors 0; Converged: pass 9 was clean, after 18 updates.)
    """
    rows = SignedRows.of(X, y, bias=bias)
    return run_on(
        rows,
        order=order,
        start=start,
        step=step,
        schedule=schedule,
        bias=bias,
        max_updates=max_updates,
        max_passes=max_passes,
        rng=rng,
    )


def pla_rows(
    Z: ArrayLike,
    *,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    schedule: str = "constant",
    max_updates: int = 10_000,
    max_passes: int | None = None,
    rng: np.random.Generator | None = None,
) -> Run:
    """Run :func:`pla` on rows that are signed already: find weights with ``Z @ weights > 0``.

    >>> pla_rows([[1, 2], [-1, 0]]).weights
    array([-1.,  2.])
    """
    return run_on(
        SignedRows(checks.points(Z, "Z").copy()),
        order=order,
        start=start,
        step=step,
        schedule=schedule,
        max_updates=max_updates,
        max_passes=max_passes,
        rng=rng,
    )


def run_on(
    rows: SignedRows | KeslerRows,
    *,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    schedule: str = "constant",
    bias: bool = True,
    max_updates: int | None = 10_000,
    max_passes: int | None = None,
    rng: np.random.Generator | None = None,
) -> Run:
    """Follow the corrections until they end or the next one would exceed a budget."""
    first = start_of(start, rows.width)
    most = None if max_updates is None else checks.count(max_updates, "max_updates")
    if max_passes is not None:
        max_passes = checks.count(max_passes, "max_passes", least=1)
    stream = _stream(rows, first, order, eta(step, schedule), rng, max_passes)
    weights: FloatArray | list[float] = first
    passes, clean, out = 0, None, f"max_passes={max_passes}"
    mistakes: list[int] = []
    visits: list[int] = []
    for number, visit, row, after in stream:
        if row == CLEAN:
            clean = number
        elif len(mistakes) == most:
            out = f"max_updates={most}"
            break
        else:
            passes, weights = number, after
            mistakes.append(row)
            visits.append(visit)
    return Run(
        weights=np.array(weights),
        converged=clean is not None,
        status=status_of(clean, len(mistakes), out, passes),
        bias=bias,
        passes=passes if clean is None else clean,
        rows=rows,
        start=first,
        step=float(step),
        schedule=schedule,
        mistakes=np.array(mistakes, dtype=np.int64),
        visits=np.array(visits, dtype=np.int64),
    )


def start_of(start: ArrayLike | None, width: int) -> FloatArray:
    """Return the weights to begin with: zero unless told otherwise."""
    return np.zeros(width) if start is None else checks.vector(start, "start", width)


def status_of(clean: int | None, updates: int, out: str, passes: int) -> str:
    """Say how a run ended: with which clean pass, or which budget ran out, and what to try."""
    made = "1 update" if updates == 1 else f"{updates} updates"
    if clean is not None:
        return f"Converged: pass {clean} was clean, after {made}."
    return (
        f"Stopped: {out} ran out in pass {passes}, after {made}. Raise it; or the classes "
        f"overlap, which certify(X, y) can prove, and then pocket keeps the best weights."
    )
