"""Signed rows ``z_i = y_i (1, x_i)``: what every learner of the course works on.

A row is right while ``z_i · weights > 0``, so that learning is one demand, ``Z @ weights > 0``.
:class:`SignedRows` holds the rows of two classes as one array; those of many classes are in
:mod:`linlib.multiclass.kesler`, without their zeros written down.

Scores are computed by products of many rows at once; one so near 0 that rounding might decide its
sign is summed again from its first term to its last, as the textbook does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray

Which = slice | IntArray
LEAST, BLOCK = 256, 1024  # rows worked on together: enough to pay for the call, small in memory


class Rows:
    """What a run needs to know of its rows; none of them is longer than ``longest``."""

    Z: FloatArray  # all rows, written out
    width: int  # how many entries a row has
    longest: float  # the length of the longest row, or a little more

    def __len__(self) -> int:
        raise NotImplementedError

    def scores(self, which: Which, weights: FloatArray) -> FloatArray:
        """Return ``z · weights`` for some rows, summed in any order."""
        raise NotImplementedError

    def take(self, which: Which) -> FloatArray:
        """Return some rows, written out."""
        raise NotImplementedError

    def row(self, i: int) -> FloatArray:
        """Return one row, written out."""
        raise NotImplementedError


def augment(X: ArrayLike) -> FloatArray:
    """Return the rows ``(1, x)``: shape ``(n, d + 1)``, the constant first.

    >>> augment([[2, 3]])
    array([[1., 2., 3.]])
    """
    array = checks.points(X)
    rows = np.empty((len(array), array.shape[1] + 1))
    rows[:, 0], rows[:, 1:] = 1.0, array
    return rows


def signed_rows(X: ArrayLike, y: ArrayLike, *, bias: bool = True) -> FloatArray:
    """Return ``Z`` with rows ``y_i · (1, x_i)``: weights are right iff ``Z @ weights > 0``.

    Without ``bias`` the rows are ``y_i · x_i``, for boundaries through the origin.

    >>> signed_rows([[2, 3], [4, 5]], [1, -1])
    array([[ 1.,  2.,  3.],
           [-1., -4., -5.]])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    first = int(checks.flag(bias, "bias"))
    Z = np.empty((len(array), array.shape[1] + first))
    Z[:, :first] = labels[:, None]
    np.multiply(array, labels[:, None], out=Z[:, first:])
    Z += 0.0  # turns the −0.0 of a negated zero into a plain zero, for tidy printing
    return Z


def errors(X: FloatArray, labels: FloatArray, weights: FloatArray, *, bias: bool) -> int:
    """Return how many rows have no positive ``y (w · x + w0)``."""
    w0 = weights[0] if bias else 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        right = labels * (X @ weights[int(bias) :] + w0) > 0
    return int(len(X) - np.count_nonzero(right))


def blocks(n: int, size: int | None = None) -> Iterator[slice]:
    """Return the parts of ``n`` rows one after the other, by default small against the whole.

    >>> list(blocks(5, 3))
    [slice(0, 3, None), slice(3, 6, None)]
    """
    size = size or min(BLOCK, max(n // 8, LEAST))
    return (slice(at, at + size) for at in range(0, n, size))


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that belongs to its rows alone: neither can be written to."""
    array.setflags(write=False)
    if isinstance(array.base, np.ndarray):  # what it was reshaped from
        array.base.setflags(write=False)
    view: NDArray[Any] = array.view()
    return view


class SignedRows(Rows):
    """Rows that are written out, as the read-only array ``Z``."""

    def __init__(self, Z: FloatArray) -> None:
        self.Z = read_only(Z)
        self.width = int(Z.shape[1])

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["Z"])  # type: ignore[misc]

    @classmethod
    def of(cls, X: ArrayLike, y: ArrayLike, *, bias: bool) -> SignedRows:
        """Return the rows of a sample; later changes of the sample do not reach them."""
        return cls(signed_rows(X, y, bias=bias))

    def __len__(self) -> int:
        return len(self.Z)

    def __repr__(self) -> str:
        return f"SignedRows({len(self)} × {self.width})"

    @cached_property
    def longest(self) -> float:  # type: ignore[override]
        """The length of the longest row, or a little more."""
        return math.sqrt(float(np.einsum("ij,ij->i", self.Z, self.Z).max())) * (1 + 1e-6)

    def scores(self, which: Which, weights: FloatArray) -> FloatArray:
        """Return ``z · weights`` for some rows, by one product."""
        scores: FloatArray = self.Z[which].dot(weights)
        return scores

    def take(self, which: Which) -> FloatArray:
        """Return some rows."""
        rows: FloatArray = self.Z[which]
        return rows

    def row(self, i: int) -> FloatArray:
        """Return one row."""
        row: FloatArray = self.Z[i]
        return row


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


class Centre(NamedTuple):
    """The mean of rows in two parts: the rounded mean, and what rounding took from it.

    To subtract the rounded mean alone leaves every column with a mean of about its last digit. Far
    from the origin that is large enough to be taken for data.
    """

    mean: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, array: FloatArray) -> Centre:
        """Return the centre of rows; that of a constant column is exactly its number."""
        mean = np.where(np.ptp(array, axis=0) == 0, array[0], array.mean(axis=0))
        rest = sum((array[part] - mean).sum(axis=0) for part in blocks(len(array))) / len(array)
        rounded = mean + rest
        return cls(rounded, rest - (rounded - mean))

    def away(self, rows: FloatArray) -> FloatArray:
        """Return the rows less the centre, as a new array."""
        rows = rows - self.mean
        rows -= self.rest
        return rows

    def offset(self, w: FloatArray, level: FloatArray | float) -> FloatArray:
        """Return w0 such that ``w · x + w0`` is ``level`` at the centre; w may be ``(d, K)``."""
        return np.asarray(level - self.rest @ w - self.mean @ w)
