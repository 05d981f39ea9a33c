"""The perceptron learning algorithm: visit the rows, correct each mistake, end after a clean pass.

The six lines of lecture 02 are in :func:`one_by_one`. :func:`in_blocks` is the same algorithm for
many rows, equal to the last bit. :func:`pla` follows either to its end.
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
from linlib.base.rows import blur, length, mistaken, signed_rows, textbook, worst
from linlib.perceptron.runs import Run, Step, step_sizes

Passes = Iterable[IntArray | None]  # the rows of each pass in the order of visits, None: as listed
# Pass, visit, row and the weights after its correction; no row: the pass was clean.
Event = tuple[int, int, int | None, FloatArray | list[float]]


def one_by_one(Z: FloatArray, weights: FloatArray, passes: Passes, step: Step) -> Iterator[Event]:
    """Yield the corrections of the perceptron as lecture 02 teaches it."""
    rows, w, columns = Z.tolist(), weights.tolist(), range(len(weights))
    seen = k = 0
    for number, order in enumerate(passes, start=1):
        visited = rows if order is None else [rows[i] for i in order.tolist()]
        before = k
        for place, z in enumerate(visited):
            score = 0.0
            for j in columns:  # from first to last; sum() may add in another way
                score += z[j] * w[j]
            if not score > 0:  # a score of exactly 0 is a mistake
                k += 1
                eta = step(k)
                w = [w[j] + eta * z[j] for j in columns]
                i = place if order is None else int(order[place])
                yield number, seen + place + 1, i, w
        seen += len(visited)
        if k == before:
            yield number, seen, None, w
            return


FEW_ENTRIES = 2048  # up to this size plain Python is done sooner than NumPy
LEAST_ROWS, ENTRIES, MOST_ROWS = 16, 2**13, 4096  # rows of a block: at least, by entries, at most


def in_blocks(Z: FloatArray, weights: FloatArray, passes: Passes, step: Step) -> Iterator[Event]:
    """Yield the same corrections; between two mistakes one product scores a block of rows.

    A score so near 0 that rounding might decide its sign is summed again from its first term to
    its last, as :func:`one_by_one` does.
    """
    small = max(LEAST_ROWS, ENTRIES // Z.shape[1])
    seen, k, unit = 0, 0, blur(Z)
    sure = unit * length(weights)
    for number, order in enumerate(passes, start=1):
        n = len(Z) if order is None else len(order)
        at, size, before = 0, small, k
        while at < n:
            part = slice(at, min(at + size, n))
            with np.errstate(over="ignore", invalid="ignore"):
                scores = Z[part if order is None else order[part]].dot(weights)
                right = scores > sure
                first = int(right.argmin())
                if right[first]:
                    at, size = part.stop, min(2 * size, MOST_ROWS)
                    continue
                at, size = at + first + 1, small
                i = at - 1 if order is None else int(order[at - 1])
                if not scores[first] < -sure and textbook(Z[i], weights) > 0:
                    continue
                k += 1
                weights = weights + step(k) * Z[i]
                sure = unit * length(weights)
            yield number, seen + at, i, weights
        seen += n
        if k == before:
            yield number, seen, None, weights
            return


def look_first(
    Z: FloatArray,
    weights: FloatArray,
    passes: Iterable[object],
    step: Step,
    chance: np.random.Generator | None,
) -> Iterator[Event]:
    """Score every row before each update; correct a mistake at random, or the worst."""
    unit = blur(Z)
    for number, _ in enumerate(passes, start=1):
        wrong = mistaken(Z, weights, unit)
        if not wrong.size:
            yield number, number * len(Z), None, weights
            return
        row = int(chance.choice(wrong)) if chance else worst(Z, wrong, weights, unit)
        with np.errstate(over="ignore", invalid="ignore"):
            weights = weights + step(number) * Z[row]
        yield number, number * len(Z), row, weights


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
    chance = None
    if order in ("shuffled", "random"):
        chance = checks.generator(rng, f"order={order!r}")
    if order in CHOOSING:
        return look_first(Z, weights, budget, size, chance)
    orders = (None if chance is None else chance.permutation(len(Z)) for _ in budget)
    return visit(Z, weights, orders, size)


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
    return ((i, np.array(w)) for _, _, i, w in events if i is not None)


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
    passes, clean, budget = 0, None, f"max_passes={max_passes}"
    mistakes: list[int] = []
    visits: list[int] = []
    for number, visit, row, after in stream(
        Z, first, order=order, step=step, schedule=schedule, rng=rng, max_passes=max_passes
    ):
        if row is None:
            clean = number
        elif len(mistakes) == max_updates:
            budget = f"max_updates={max_updates}"
            break
        else:
            passes, weights = number, after
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
