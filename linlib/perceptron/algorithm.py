"""The perceptron learning algorithm (lecture 02): correct one mistake at a time.

1. Start with all weights 0.
2. Visit the rows ``z = y (1, x)`` one after the other; a pass over all of them is an epoch.
3. A row with ``z · weights <= 0`` is a mistake: add it to the weights.
4. Stop after an epoch without a mistake.

:func:`one_by_one` is these four steps. :func:`in_blocks` makes the same corrections and is for many
rows: it scores a block of them with one product. :func:`look_first` scores all rows before it
chooses which mistake to correct. :func:`pla` runs one of the three and keeps what happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.rows import mistaken, signed_rows
from linlib.perceptron.runs import Run, Step, step_sizes

# For each epoch the rows in the order of their visits; None means as listed.
Epochs = Iterable[IntArray | None]


# A correction: its epoch and visit (both from 1), its row, and the weights after it.
# A clean epoch is the last event of a run, without a row.
Event = tuple[int, int, int | None, FloatArray | list[float]]


def one_by_one(Z: FloatArray, weights: FloatArray, epochs: Epochs, step: Step) -> Iterator[Event]:
    """Yield the corrections of the perceptron as lecture 02 teaches it.

    In plain Python, which is faster than NumPy on the few rows of a lecture.
    """
    rows = Z.tolist()
    w = weights.tolist()
    columns = range(len(w))
    visit = updates = 0
    for epoch, order in enumerate(epochs, start=1):
        clean = True
        visited = range(len(rows)) if order is None else order.tolist()
        for i in visited:
            visit += 1
            z = rows[i]
            score = 0.0
            for j in columns:  # sum() adds floats in another way from Python 3.12 on
                score += z[j] * w[j]
            if not score > 0:  # a score of exactly 0 is a mistake, and so is one that overflowed
                updates += 1
                eta = step(updates)
                w = [w[j] + eta * z[j] for j in columns]
                clean = False
                yield epoch, visit, i, w
        if clean:
            yield epoch, visit, None, w
            return


# Up to this many entries of Z plain Python is done sooner than NumPy.
FEW_ENTRIES = 2048
# A block has enough rows to pay for the call, and few after a mistake: it may be the next one.
LEAST_ROWS, ENTRIES, MOST_ROWS = 16, 2**13, 4096


def in_blocks(Z: FloatArray, weights: FloatArray, epochs: Epochs, step: Step) -> Iterator[Event]:
    """Yield the same corrections; between two mistakes one product scores a block of rows.

    On integers it equals :func:`one_by_one` exactly. On floats the two may add the terms of a score
    in another order, and so decide differently about a score that is 0 but for rounding.
    """
    small = max(LEAST_ROWS, ENTRIES // Z.shape[1])
    seen = updates = 0
    for epoch, order in enumerate(epochs, start=1):
        clean = True
        rows = Z if order is None else Z[order]
        at = 0
        size = small
        while at < len(rows):
            right = rows[at : at + size].dot(weights) > 0
            first = int(right.argmin())
            if right[first]:  # no mistake in this block: take a larger one next
                at += len(right)
                size = min(2 * size, MOST_ROWS)
                continue
            at += first + 1
            size = small
            i = at - 1 if order is None else int(order[at - 1])
            updates += 1
            weights = weights + step(updates) * Z[i]
            clean = False
            yield epoch, seen + at, i, weights
        seen += len(rows)
        if clean:
            yield epoch, seen, None, weights
            return


def look_first(
    Z: FloatArray,
    weights: FloatArray,
    epochs: Iterable[object],
    step: Step,
    rng: np.random.Generator | None,
) -> Iterator[Event]:
    """Score every row before each update; correct a mistake at random, or without rng the worst."""
    for epoch, _ in enumerate(epochs, start=1):
        visit = epoch * len(Z)
        scores = Z @ weights
        wrong = np.flatnonzero(~(scores > 0))
        if not wrong.size:
            yield epoch, visit, None, weights
            return
        # The lowest score of all is a mistake if there is one; of equals argmin takes the first.
        row = int(scores.argmin()) if rng is None else int(rng.choice(wrong))
        weights = weights + step(epoch) * Z[row]
        yield epoch, visit, row, weights


Order = str | Sequence[int] | IntArray
VISITING = ("cyclic", "shuffled")
CHOOSING = ("random", "worst")


def stream(
    Z: FloatArray,
    weights: FloatArray,
    *,
    order: Order = "cyclic",
    step: float = 1.0,
    schedule: str = "constant",
    rng: np.random.Generator | None = None,
    max_passes: int | None = None,
) -> Iterator[Event]:
    """Return the corrections of a run; options as in :func:`pla`."""
    size = step_sizes(step, schedule)
    budget: Iterable[int] = count() if max_passes is None else range(max_passes)
    visit = one_by_one if Z.size <= FEW_ENTRIES else in_blocks
    if not isinstance(order, str):
        visited = row_numbers(order, len(Z))
        return visit(Z, weights, (visited for _ in budget), size)
    checks.choice(order, "order", VISITING + CHOOSING)
    if order == "cyclic":
        return visit(Z, weights, (None for _ in budget), size)
    if order == "worst":
        return look_first(Z, weights, budget, size, None)
    chance = checks.generator(rng, f"order={order!r}")
    if order == "random":
        return look_first(Z, weights, budget, size, chance)
    return visit(Z, weights, (chance.permutation(len(Z)) for _ in budget), size)


def row_numbers(order: Sequence[int] | IntArray, n: int) -> IntArray:
    """Return the rows of a pass; all of them must occur."""
    rows = checks.regular(order, "order")
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


def corrections(
    Z: ArrayLike, weights: ArrayLike, **options: Any
) -> Iterator[tuple[int, FloatArray]]:
    """Yield ``(i, weights)`` after each update; stop once ``Z @ weights > 0`` in every row.

    ``options`` are the order, step, schedule and rng of :func:`pla`.

    >>> [i for i, weights in corrections([[1, 2], [-1, 0]], [0, 0])]
    [0, 1, 1]
    """
    rows = checks.points(Z, "Z").copy()
    events = stream(rows, checks.vector(weights, "weights", rows.shape[1]), **options)
    return ((row, np.array(after)) for _, _, row, after in events if row is not None)


def pla(
    X: ArrayLike,
    y: ArrayLike,
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
    """Learn by correcting one mistake at a time, until a clean pass or the end of a budget.

    ``order`` is "cyclic" (rows as listed), "shuffled" (a fresh order every pass), a sequence of
    rows to visit again and again, "random" (any one of the present mistakes) or "worst" (the row
    with the lowest score, the first of equals). ``start`` are the first weights, by default 0.
    Update k is ``step`` times the row, or ``step / k`` times with the ``schedule`` "1/k".

    If ``converged``, every row is right: a whole pass found no mistake. The same rule as
    scikit-learn's ``Perceptron(shuffle=False, tol=None)``, which does not say whether it converged.

    >>> run = pla([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> run.weights, run.updates, run.passes, run.converged
    (array([-4.,  3.,  2.]), 18, 9, True)
    >>> run
    Run(weights (-4, 3, 2); errors 0; Converged: pass 9 was clean, after 18 updates.)
    """
    Z = signed_rows(X, y, bias=bias)
    Z.setflags(write=False)
    width = Z.shape[1]
    first = np.zeros(width) if start is None else checks.vector(start, "start", width)
    if max_updates is not None:
        checks.count(max_updates, "max_updates")
    if max_passes is not None:
        checks.count(max_passes, "max_passes", least=1)
    weights: FloatArray | list[float] = first
    mistakes: list[int] = []
    visits: list[int] = []
    passes = 0
    clean: int | None = None  # the number of the clean pass
    budget = f"max_passes={max_passes}"
    for epoch, visit, row, after in stream(
        Z, first, order=order, step=step, schedule=schedule, rng=rng, max_passes=max_passes
    ):
        if row is None:
            clean = epoch
            break
        if len(mistakes) == max_updates:
            budget = f"max_updates={max_updates}"
            break
        passes = epoch
        weights = after
        mistakes.append(row)
        visits.append(visit)
    last = np.array(weights)
    return Run(
        weights=last,
        errors=len(mistaken(Z, last)) if clean is None else 0,
        converged=clean is not None,
        status=status_of(clean, len(mistakes), budget, passes),
        bias=bias,
        passes=passes if clean is None else clean,
        Z=Z,
        start=first,
        step=float(step),
        schedule=schedule,
        mistakes=np.array(mistakes, dtype=np.int64),
        visits=np.array(visits, dtype=np.int64),
    )


def pla_rows(Z: ArrayLike, *, bias: bool = True, **options: Any) -> Run:
    """Run :func:`pla` on rows that are signed already: find weights with ``Z @ weights > 0``.

    ``bias`` says whether the first weight is an offset; it changes the hyperplane, not the run.

    >>> pla_rows([[1, 2], [-1, 0]]).weights
    array([-1.,  2.])
    """
    rows = checks.points(Z, "Z")
    run = pla(rows, np.ones(len(rows)), bias=False, **options)
    return replace(run, bias=checks.flag(bias, "bias"))


def status_of(clean: int | None, updates: int, budget: str, passes: int) -> str:
    """Say how a run ended: with which clean pass, or which budget ran out, and what to try."""
    made = "1 update" if updates == 1 else f"{updates} updates"
    if clean is not None:
        return f"Converged: pass {clean} was clean, after {made}."
    return (
        f"Stopped: {budget} ran out in pass {passes}, after {made}. Raise it; or the classes "
        f"overlap, which certify(X, y) can prove, and then pocket keeps the best weights."
    )
