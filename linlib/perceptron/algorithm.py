"""The perceptron learning algorithm: visit the rows, correct each mistake, end after a clean pass.

Row i is a mistake while its score ``z_i · weights`` is not above 0, and a mistake is answered by
``weights + step * z_i``. Few entries are visited one by one, in plain Python. Of many, a block of
rows is scored by one product, because between two mistakes the weights stand still. Either way the
run is the textbook's to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base import rows as mistakes
from linlib.base.checks import FloatArray, IntArray
from linlib.base.rows import Rows, SignedRows, doubt, mistaken, textbook
from linlib.perceptron.runs import SCHEDULES, Run, Step

FEW = 2048  # entries of a pass that plain Python visits sooner than NumPy is called
SMALL, ENTRIES, LARGE = 16, 2**13, 4096  # rows of a block: at least, or so many entries, at most

Event = tuple[int, int, int, FloatArray | list[float]]
CLEAN = -1  # the row of an event that is no correction: a pass was clean


def walk(
    rows: Rows, weights: FloatArray, passes: Iterable[IntArray | None], step: Step
) -> Iterator[Event]:
    """Yield ``(pass, visit, row, weights after it)`` of each correction; end with a clean pass.

    ``passes`` gives the rows of each pass in the order of their visits, None for all as they
    stand. The last event of a pass without corrections has the row ``CLEAN``; if there is none,
    the passes ran out.
    """
    few = len(rows) * rows.width <= FEW
    visit = (_in_the_plane if rows.width == 3 else _one_by_one) if few else _in_blocks
    return visit(rows, weights, passes, step)


def _in_the_plane(
    rows: Rows, weights: FloatArray, passes: Iterable[IntArray | None], step: Step
) -> Iterator[Event]:
    """Visit one by one, the sum written out: most data of the course have two features."""
    table: list[list[float]] = rows.take(slice(None)).tolist()
    w0, w1, w2 = weights.tolist()
    seen = k = 0
    for number, order in enumerate(passes, start=1):
        before = k
        visited = table if order is None else [table[i] for i in order.tolist()]
        for place, (z0, z1, z2) in enumerate(visited):
            if not z0 * w0 + z1 * w1 + z2 * w2 > 0:
                k += 1
                size = step(k)
                w0, w1, w2 = w0 + size * z0, w1 + size * z1, w2 + size * z2
                i = place if order is None else int(order[place])
                yield number, seen + place + 1, i, [w0, w1, w2]
        seen += len(visited)
        if k == before:
            yield number, seen, CLEAN, [w0, w1, w2]
            return


def _one_by_one(
    rows: Rows, weights: FloatArray, passes: Iterable[IntArray | None], step: Step
) -> Iterator[Event]:
    table: list[list[float]] = rows.take(slice(None)).tolist()
    present: list[float] = weights.tolist()
    seen = k = 0
    for number, order in enumerate(passes, start=1):
        before = k
        visited = table if order is None else [table[i] for i in order.tolist()]
        for place, row in enumerate(visited):
            score = 0.0
            for entry, weight in zip(row, present):  # noqa: B905 (strict costs a tenth)
                score += entry * weight
            if not score > 0:
                k += 1
                size = step(k)
                present = [weight + size * entry for entry, weight in zip(row, present)]  # noqa: B905
                i = place if order is None else int(order[place])
                yield number, seen + place + 1, i, present
        seen += len(visited)
        if k == before:
            yield number, seen, CLEAN, present
            return


def _in_blocks(
    rows: Rows, weights: FloatArray, passes: Iterable[IntArray | None], step: Step
) -> Iterator[Event]:
    small = max(SMALL, ENTRIES // rows.width)
    seen = k = 0
    sure = doubt(rows, weights)
    for number, order in enumerate(passes, start=1):
        n = len(rows) if order is None else len(order)
        at, size, before = 0, small, k
        while at < n:
            part = slice(at, min(at + size, n))
            with np.errstate(over="ignore", invalid="ignore"):
                scores = rows.scores(part if order is None else order[part], weights)
                right = scores > sure
                first = int(right.argmin())
                if right[first]:
                    at, size = part.stop, min(2 * size, LARGE)
                    continue
                at, size = at + first + 1, small
                i = at - 1 if order is None else int(order[at - 1])
                row = rows.row(i)
                if not scores[first] < -sure and textbook(row, weights) > 0:
                    continue
                k += 1
                weights = weights + step(k) * row
                sure = doubt(rows, weights)
            yield number, seen + at, i, weights
        seen += n
        if k == before:
            yield number, seen, CLEAN, weights
            return


def pick(
    rows: Rows,
    weights: FloatArray,
    passes: Iterable[object],
    step: Step,
    choose: Callable[[IntArray, FloatArray], int],
) -> Iterator[Event]:
    """Look at every row before each update, and let ``choose`` name one of the mistakes.

    Yields what :func:`walk` does; a look at every row is a pass.
    """
    for number, _ in enumerate(passes, start=1):
        wrong = mistaken(rows, weights)
        if not wrong.size:
            yield number, number * len(rows), CLEAN, weights
            return
        row = choose(wrong, weights)
        weights = moved(weights, rows.row(row), step(number))
        yield number, number * len(rows), row, weights


def moved(weights: FloatArray, row: FloatArray, step: float) -> FloatArray:
    """Return the weights after one correction."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(weights + step * row)


Order = str | Sequence[int] | IntArray
VISITING = ("cyclic", "shuffled")
PICKING = ("random", "worst")


def eta(step: float, schedule: str) -> Step:
    """Return the sizes of the updates, once both are in order."""
    size = SCHEDULES[checks.choice(schedule, "schedule", list(SCHEDULES))]
    return size(checks.positive(step, "step"))


def stream(
    rows: Rows,
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
        return walk(rows, weights, (visited for _ in budget), step)
    checks.choice(order, "order", VISITING + PICKING)
    if order == "cyclic":
        return walk(rows, weights, (None for _ in budget), step)
    if order == "worst":
        return pick(rows, weights, budget, step, partial(mistakes.worst, rows))
    chooser = checks.generator(rng, f"order={order!r}")
    if order == "shuffled":
        n = len(rows)
        return walk(rows, weights, (chooser.permutation(n) for _ in budget), step)
    return pick(rows, weights, budget, step, lambda wrong, _: int(chooser.choice(wrong)))


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


def run_on(
    rows: Rows,
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
