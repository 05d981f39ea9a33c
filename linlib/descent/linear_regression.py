"""Least squares on the labels (lecture 06) in closed form, with a ridge or a lasso penalty.

Points are centred first: the best free offset follows from w, and rows far from the origin keep
the digits that they would lose otherwise. Unlike a ridge, the lasso sets weights to exactly 0. Both
penalties are weighed against the *sum* of the squared errors, as in the lecture; from lecture 07 on
a penalty is weighed against a *mean* loss, which is the same as n times the penalty here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.hyperplane import Fit
from linlib.base.rows import Centre, errors


def least_squares(X: ArrayLike, y: ArrayLike, *, penalty: float = 0.0, bias: bool = True) -> Fit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + penalty/2 ‖w‖²``, the offset free.

    Where many weights do equally well (dependent features), those with the shortest ``w``. Moving
    all points changes ``w0`` only. scikit-learn's ``Ridge(alpha=penalty)`` has the same minimum.

    >>> least_squares([[0], [1]], [-1, 1]).weights
    array([-1.,  2.])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    if checks.flag(bias, "bias"):
        centre, level = Centre.of(array), labels.mean()
        rows, targets = centre.away(array), labels - level
        w, rank, v = _solve(rows, targets, penalty)
        weights = np.concatenate([[centre.offset(w, level)], w])
    else:
        rows, targets = array.copy(), labels
        weights, rank, v = _solve(rows, targets, penalty)
    status = "Solved: no weights have a smaller cost."
    if rank < array.shape[1]:
        status = "Solved: of all weights with the least cost, those with the shortest w."
    wrong = _wrong(labels, targets - rows @ v)
    return Fit(weights=weights, converged=True, status=status, bias=bias, errors=wrong)


def indicator_weights(array: FloatArray, codes: IntArray, k: int, penalty: float) -> FloatArray:
    """Return ``(w0, w)`` of each of k classes: least squares on 1 for its rows and 0 for others."""
    centre, indicators = Centre.of(array), codes[:, None] == np.arange(k)
    level = indicators.mean(axis=0)
    w, _, _ = _solve(centre.away(array), indicators - level, penalty)
    return np.concatenate([[centre.offset(w, level)], w]).T


def _solve(
    rows: FloatArray, targets: FloatArray, penalty: float
) -> tuple[FloatArray, int, FloatArray]:
    """Return the shortest least-squares solution w of ``rows @ w = targets``, and its rank.

    Below as many as there are columns, there are other solutions. Every feature is measured in
    units of its largest entry, so that none is too small to be seen: ``rows`` are overwritten, and
    ``rows @ v`` with the last result v are then the scores.
    """
    n, d = rows.shape
    pull = np.sqrt(penalty)
    sizes = np.maximum(np.maximum(rows.max(axis=0), -rows.min(axis=0)), pull)
    sizes[sizes == 0] = 1.0
    rows /= sizes
    system, goals = rows, targets
    if penalty > 0:
        system = np.vstack([rows, pull * np.diag(1 / sizes)])
        goals = np.concatenate([targets, np.zeros((d, *targets.shape[1:]))])
    v, _, rank, _ = np.linalg.lstsq(system, goals, rcond=EPS * max(system.shape))
    v[np.abs(v) <= _rounding(n)] = 0.0  # it changes no score by more than that
    w = (v.T / sizes).T
    if rank < d:  # the part of w that no row sees is taken out
        seen = np.linalg.svd(rows, full_matrices=False)[2][:rank]
        Q = np.linalg.qr(seen.T * sizes[:, None])[0]
        w = Q @ (Q.T @ w)
    return w, int(rank), np.asarray(v, dtype=np.float64)


def _rounding(n: int) -> float:
    """Return how much rounding may change a score, where labels are −1 and +1."""
    return 8 * (n + 8) * EPS


def _wrong(labels: FloatArray, residual: FloatArray) -> int:
    """Return how many rows have no positive ``y g(x)``; what is rounding counts as 0."""
    return errors(1.0 - labels * residual - _rounding(len(labels)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LassoFit(Fit):
    """A fit by coordinate descent; ``passes`` counts its passes over the features."""

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
    changes no score by more than ``tolerance``, and the dual problem proves that the cost is no
    more than n times ``tolerance`` above the minimum. scikit-learn's ``Lasso(alpha=penalty / n)``
    has the same minimum; without a penalty it is :func:`least_squares`.

    >>> lasso([[0, 5], [1, 5], [0, 4], [1, 4]], [-1, 1, -1, 1], penalty=0.1).weights
    array([-0.95,  1.9 ,  0.  ])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget, passes = checks.count(max_passes, "max_passes", least=1), 0
    if penalty == 0:  # descent may crawl here for ever
        return LassoFit(**vars(least_squares(array, labels)), passes=0)
    centre, level = Centre.of(array), labels.mean()
    features = centre.away(array)
    squares = np.einsum("ij,ij->j", features, features)
    w, residual, converged = np.zeros(array.shape[1]), labels - level, False
    enough = len(array) * max(tolerance, _rounding(len(array)))
    while passes < budget and not converged:
        passes += 1
        largest = 0.0
        for j in np.flatnonzero(squares > 0):
            pull = features[:, j] @ residual + squares[j] * w[j]
            new = np.sign(pull) * max(abs(pull) - penalty, 0.0) / squares[j] + 0.0  # never −0.0
            change = (new - w[j]) * features[:, j]
            residual -= change
            largest, w[j] = max(largest, float(np.abs(change).max())), new
        converged = largest <= tolerance and _gap(features, residual, w, penalty) <= enough
    status = f"Stopped after max_passes={budget} passes. Raise max_passes, or scale the features."
    if converged:
        zeros = int(np.count_nonzero(w == 0))
        status = f"Converged in pass {passes}; {zeros} of {len(w)} weights are exactly 0."
    return LassoFit(
        weights=np.concatenate([[centre.offset(w, level)], w]),
        converged=converged,
        status=status,
        passes=passes,
        errors=_wrong(labels, residual),
    )


def _gap(rows: FloatArray, residual: FloatArray, w: FloatArray, penalty: float) -> float:
    """Return how far above the minimum the cost of lasso weights can be.

    Any multiple ``s`` of the residual whose pulls are at most the penalty bounds every cost from
    below, by ``½ ‖t‖² − ½ ‖t − s r‖²`` with t the centred labels and r the residual.
    """
    strongest = float(np.abs(residual @ rows).max())
    s = min(1.0, penalty / strongest) if strongest else 1.0
    fitted = rows @ w
    lost = (1 - s) ** 2 / 2 * residual @ residual
    return float(lost + penalty * np.abs(w).sum() - s * residual @ fitted)
