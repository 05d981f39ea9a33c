"""Least squares on the labels in closed form, with a ridge or lasso penalty.

Points are centred first: the best free offset follows from w, and rows far from the origin keep
the digits that they would lose otherwise. Unlike a ridge, the lasso sets weights to exactly 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray
from linlib.base.results import Fit
from linlib.base.rows import LEAST, augment, blocks, errors


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LassoFit(Fit):
    """A fit by coordinate descent, which took so many ``passes`` over the features."""

    passes: int


def lasso(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float,
    max_passes: int = 10_000,
    tolerance: float = 1e-10,
) -> LassoFit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + penalty Σ |w_j|``, the offset free.

    Coordinate descent: each weight in turn takes its best value, which is exactly 0 when the
    feature's pull on the residual is at most ``penalty``. It has converged when a whole pass
    changes no score by more than ``tolerance``.

    >>> lasso([[0, 5], [1, 5], [0, 4], [1, 4]], [-1, 1, -1, 1], penalty=0.1).weights
    array([-0.95,  1.9 ,  0.  ])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    centre = Centre.of(array)
    features = centre.away(array)
    squares = np.einsum("ij,ij->j", features, features)
    w, residual, converged = np.zeros(array.shape[1]), labels - labels.mean(), False
    budget, passes = checks.count(max_passes, "max_passes", least=1), 0
    while passes < budget and not converged:
        passes += 1
        largest = 0.0
        for j in np.flatnonzero(squares > 0):
            pull = features[:, j] @ residual + squares[j] * w[j]
            new = np.sign(pull) * max(abs(pull) - penalty, 0.0) / squares[j] + 0.0  # never −0.0
            change = (new - w[j]) * features[:, j]
            residual -= change
            largest, w[j] = max(largest, float(np.abs(change).max())), new
        converged = largest <= tolerance
    weights = np.concatenate([[labels.mean() - w @ centre.rest - w @ centre.mean], w])
    status = f"Stopped: max_passes={budget} ran out; raise it, or scale the features."
    if converged:
        zeros = int(np.count_nonzero(w == 0))
        status = f"Converged in pass {passes}; {zeros} of {len(w)} weights are exactly 0."
    wrong = errors(array, labels, weights, bias=True)
    return LassoFit(
        weights=weights, converged=converged, status=status, passes=passes, _wrong=wrong
    )
