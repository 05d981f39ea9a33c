"""Which rows are mistakes, as the textbook's own sums say.

A row is a mistake while its score ``z · weights`` is not above 0. Scores are computed by products
of many rows at once; one so near 0 that rounding might decide its sign is summed again from its
first term to its last, as the textbook does.
"""

import math

import numpy as np

from linlib.checks import EPS, FloatArray, IntArray
from linlib.rows import LEAST, Rows, blocks


def textbook(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the score of each row, summed from the first term to the last."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.add.accumulate(rows * weights, axis=-1)[..., -1])


def doubt(rows: Rows, weights: FloatArray) -> float:
    """Return how near 0 a score must be for rounding to have decided its sign.

    A sum of n rounded terms is off by at most ``n EPS ‖z‖ ‖weights‖`` (Higham, section 3.1); both
    ways of summing are, and a lead of Kesler's is a difference of two such sums.
    """
    squares = float(np.vdot(weights, weights))  # vdot overflows without a warning
    return 4 * (rows.width + 8) * EPS * rows.longest * math.sqrt(squares)


def mistaken(rows: Rows, weights: FloatArray) -> IntArray:
    """Return which rows the weights get wrong, as the textbook's own scores say."""
    wrong = np.empty(len(rows), dtype=bool)
    sure = doubt(rows, weights)
    for part in blocks(len(rows), LEAST):
        scores = plain_scores(rows, part, weights)
        # "not above" rather than "below or at": a NaN from overflow must never look right.
        wrong[part] = ~(scores > sure)
        unsure = np.flatnonzero(wrong[part] & ~(scores < -sure)) + part.start
        if unsure.size and sure:
            wrong[unsure] = ~(textbook(rows.take(unsure), weights) > 0)
    return np.flatnonzero(wrong)


def worst(rows: Rows, wrong: IntArray, weights: FloatArray) -> int:
    """Return the row with the lowest score among the mistakes, the first of equals."""
    parts = [wrong[part] for part in blocks(len(wrong), LEAST)]
    lowest = min(float(plain_scores(rows, part, weights).min()) for part in parts)
    found, least = int(wrong[0]), math.inf
    for part in parts:
        near = part[~(plain_scores(rows, part, weights) > lowest + 2 * doubt(rows, weights))]
        exact = textbook(rows.take(near), weights)
        if near.size and exact.min() < least:
            found, least = int(near[exact.argmin()]), float(exact.min())
    return found


def plain_scores(rows: Rows, which: slice | IntArray, weights: FloatArray) -> FloatArray:
    """Return the scores of some rows, summed in any order; an overflow gives no warning."""
    with np.errstate(over="ignore", invalid="ignore"):
        return rows.scores(which, weights)
