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
from linlib.following import run_on
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
