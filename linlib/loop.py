"""The perceptron's loop: visit rows, correct mistakes, end after a clean pass.

Row i is a mistake while its score ``z_i · weights`` is not above 0, and a mistake is answered by
``weights + step * z_i``. Few entries are visited one by one, in plain Python. Of many, a block of
rows is scored by one product, because between two mistakes the weights stand still. Either way the
walk is the textbook's to the last bit: a score so near 0 that rounding might decide its sign is
summed again from its first term to its last, as the textbook does.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from linlib.checks import FloatArray, IntArray
from linlib.mistakes import doubt, mistaken, textbook
from linlib.rows import Rows

FEW = 2048  # entries of a pass that plain Python visits sooner than NumPy is called
SMALL, ENTRIES, LARGE = 16, 2**13, 4096  # rows of a block: at least, or so many entries, at most

Step = Callable[[int], float]  # the size of update k = 1, 2, …
Event = tuple[int, int, int, FloatArray | list[float]]
CLEAN = -1  # the row of an event that is no correction: a pass was clean

SCHEDULES: dict[str, Callable[[float], Step]] = {
    "constant": lambda step: lambda k: step,
    "1/k": lambda step: lambda k: step / k,
}


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
