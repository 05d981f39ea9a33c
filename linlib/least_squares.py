"""Least squares on the labels, in closed form, with or without a ridge.

Points are centred first: the best free offset follows from w, and rows far from the origin keep
the digits that they would lose otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import EPS, FloatArray
from linlib.results import Fit
from linlib.rows import LEAST, augment, blocks, errors


def least_squares(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float = 0.0,
    penalise_offset: bool = False,
    bias: bool = True,
) -> Fit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + penalty/2 ‖w‖²``.

    Where many weights do equally well (dependent features), those with the shortest ``w``; with
    ``penalise_offset`` the offset counts in that length too. Moving all points changes ``w0`` only.

    >>> least_squares([[0], [1]], [-1, 1]).weights
    array([-1.,  2.])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    bias = checks.flag(bias, "bias")
    if bias and not checks.flag(penalise_offset, "penalise_offset"):
        weights, rank = affine_solve(array, labels, penalty)
    else:
        weights, rank = _solve(augment(array) if bias else array, labels, penalty)
    status = "Solved: no weights have a smaller cost."
    if rank < len(weights) - (bias and not penalise_offset):
        status = "Solved: of all weights with the least cost, those of the shortest length."
    wrong = errors(array, labels, weights, bias=bias)
    return Fit(weights=weights, converged=True, status=status, bias=bias, _wrong=wrong)


def affine_solve(
    array: FloatArray, targets: NDArray[Any], penalty: float
) -> tuple[FloatArray, int]:
    """Return ``(w0, w)``: the least squares of ``array @ w + w0 − targets``, penalised on w.

    The rank that comes with it is that of the centred rows.
    """
    centre, level = Centre.of(array), targets.mean(axis=0)
    w, rank = _solve(array, targets, penalty, centre, level)
    return np.concatenate([[level - centre.rest @ w - centre.mean @ w], w]), rank


class Centre(NamedTuple):
    """The mean of rows in two parts, the rounded mean and what rounding took from it.

    Taking away only the former leaves every column with a mean of about its last digit. That is
    one dimension more, and far from the origin it is large enough to be taken for data.
    """

    mean: FloatArray | float
    rest: FloatArray | float

    @classmethod
    def of(cls, array: FloatArray) -> Centre:
        """Return the centre of rows; that of a constant column is exactly its number."""
        mean = np.where(np.ptp(array, axis=0) == 0, array[0], array.mean(axis=0))
        rest = sum((array[part] - mean).sum(axis=0) for part in blocks(len(array)))
        return cls(mean, rest / len(array))

    def away(self, rows: FloatArray) -> FloatArray:
        """Return the rows less the centre, as a new array."""
        rows = rows - self.mean
        rows -= self.rest
        return rows


ORIGIN = Centre(0.0, 0.0)


def _solve(
    rows: FloatArray,
    targets: NDArray[Any],
    penalty: float,
    centre: Centre = ORIGIN,
    level: FloatArray | float = 0.0,
) -> tuple[FloatArray, int]:
    """Return the shortest least-squares solution of ``(rows − centre) @ w = targets − level``.

    With it comes the rank: below the number of columns, there are other solutions.
    """
    n, d = rows.shape
    size = max(LEAST, 8 * d)
    if n > 4 * size:
        rows, targets = _condensed(rows, targets, centre, level, size)
    else:
        rows, targets = centre.away(rows), targets - level
    if penalty > 0:
        n += d
        rows = np.vstack([rows, np.sqrt(penalty) * np.eye(d)])
        targets = np.concatenate([targets, np.zeros((d, *targets.shape[1:]))])
    w, _, rank, _ = np.linalg.lstsq(rows, targets, rcond=EPS * max(n, d))
    return w, int(rank)


def _condensed(
    rows: FloatArray, targets: NDArray[Any], centre: Centre, level: FloatArray | float, size: int
) -> tuple[FloatArray, FloatArray]:
    """Return d rows and targets with the same solutions: the triangle R of ``(rows, targets)``.

    The factor Q turns the space and changes no length. Rows join R ``size`` at a time, which
    loses no digits, unlike the products ``rows.T @ rows``.
    """
    d = rows.shape[1]
    triangle = np.empty((0, d + targets[:1].size))
    for part in blocks(len(rows), size):
        block = np.column_stack([centre.away(rows[part]), targets[part] - level])
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, block]), mode="r"))
    return triangle[:d, :d], triangle[:d, d:].reshape(d, *targets.shape[1:])
