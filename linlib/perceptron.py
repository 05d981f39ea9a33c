"""Learn from mistakes: the perceptron learning algorithm.

:func:`corrections` is the loop (:mod:`linlib.loop`) as a stream, and :func:`pla` follows it to its
end. Both work on signed rows (:mod:`linlib.rows`), on which a score of exactly 0 is a mistake: from
``weights = 0`` nothing is ever below 0. The algorithm's relatives are in :mod:`linlib.relatives`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray
from linlib.kesler import KeslerRows
from linlib.loop import CLEAN
from linlib.orders import Order, eta, stream
from linlib.rows import SignedRows
from linlib.runs import Run


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
    events = stream(rows, first, order, eta(step, schedule), rng, None)
    return (Correction(p, visit, i, np.array(w)) for p, visit, i, w in events if i != CLEAN)


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
    events = stream(rows, first, order, eta(step, schedule), rng, max_passes)
    weights: FloatArray | list[float] = first
    passes, clean, out = 0, None, f"max_passes={max_passes}"
    mistakes: list[int] = []
    visits: list[int] = []
    for number, visit, row, after in events:
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
