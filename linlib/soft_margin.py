"""The minimum of mean hinge loss plus ``lam/2 ‖w‖²``, with proof that it is the minimum.

Subgradient descent (:mod:`linlib.descent`) gets near it; this solver gets there, through the dual
problem. Its multipliers ``0 <= α_i <= 1/(n lam)`` with ``Σ α_i y_i = 0`` give ``w = Σ α_i y_i x_i``
and a lower bound for the objective; where bound and objective meet, nothing better exists.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.descent import Fit, hinge_objective

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class SoftMargin(Fit):
    """``value`` is the objective, ``gap`` how far below it the true minimum can be at most."""

    value: float
    gap: float
    multipliers: FloatArray

    @property
    def support(self) -> IntArray:
        """The rows on, inside or beyond the margin boundaries: those with a multiplier."""
        return np.flatnonzero(self.multipliers)


def soft_margin(
    X: ArrayLike, y: ArrayLike, *, lam: float, tolerance: float = 1e-9, max_steps: int = 100_000
) -> SoftMargin:
    """Return the hyperplane that minimises ``mean hinge + lam/2 ‖w‖²``, offset free.

    Sequential minimal optimisation (Platt 1998): two multipliers move at a time, the most violating
    one and the partner that gains most (Fan, Chen & Lin 2005), until no pair violates optimality by
    more than ``tolerance`` or rounding. After each pair, all multipliers between their bounds are
    brought to their joint optimum, without which a small ``lam`` takes millions of pairs. It has
    converged if the ``gap`` is at most ``tolerance``.

    >>> fit = soft_margin([[0, 0], [2, 0], [5, 5]], [-1, 1, 1], lam=0.1)
    >>> fit.weights.round(6), fit.support
    (array([-1.,  1.,  0.]), array([0, 1]))
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so there is no street; give both classes.")
    lam = checks.positive(lam, "lam")
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget = checks.count(max_steps, "max_steps", least=1)
    centre, ends = array.mean(axis=0), labels * (1.0 / (len(array) * lam))
    dual = _Dual(array - centre, labels, np.minimum(ends, 0), np.maximum(ends, 0))
    lengths = np.linalg.norm(dual.X, axis=1)
    shares = np.zeros(len(array))
    for number in range(budget + 1):
        pull = dual.pull(shares)
        i = int(np.argmax(np.where(shares < dual.high, pull, -np.inf)))
        gaps = np.where(shares > dual.low, pull[i] - pull, -np.inf)
        rounding = EPS * (np.abs(shares) @ lengths) * lengths.max()
        if gaps.max() <= max(tolerance, rounding) or number == budget:
            break
        bends = lengths[i] ** 2 + lengths**2 - 2 * (dual.X @ dual.X[i])
        gains = np.maximum(gaps, 0) ** 2 / np.maximum(bends, EPS * (lengths.max() ** 2 or 1.0))
        pair = np.array([i, np.argmax(gains)])
        shares, _ = dual.climb(shares, pair, np.array([1.0, -1.0]))
        shares = dual.settle(shares)
    w = shares @ dual.X
    offset = float(pull[i] - gaps.max() / 2)
    weights = np.concatenate([[offset - w @ centre], w])
    value = hinge_objective(array, labels, lam).value(weights)
    gap = max(value - lam * float(np.abs(shares).sum() - 0.5 * w @ w), 0.0)
    return SoftMargin(weights, gap <= tolerance, True, value, gap, np.abs(shares))


class _Dual(NamedTuple):
    """The dual problem on centred points, for shares ``α_i y_i`` between ``low`` and ``high``."""

    X: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray

    def pull(self, shares: FloatArray) -> FloatArray:
        """Return ``y − X w``, the slope in each share: a pair of unequal pulls can gain."""
        return self.y - self.X @ (shares @ self.X)

    def climb(
        self, shares: FloatArray, rows: IntArray, direction: FloatArray
    ) -> tuple[FloatArray, bool]:
        """Go to the top along ``direction``; tell whether the bound of a row came first."""
        direction = direction - direction.mean()  # shares add up to 0 and must go on doing so
        low, high, up = self.low[rows], self.high[rows], direction > 0
        with np.errstate(all="ignore"):
            top = self.pull(shares)[rows] @ direction / ((direction @ self.X[rows]) ** 2).sum()
            room = np.where(up, high - shares[rows], shares[rows] - low) / np.abs(direction)
        room[direction == 0] = np.inf
        length = min(top, room.min(initial=np.inf))
        if not 0 < length < np.inf:
            return shares, False
        moved = np.clip(shares[rows] + length * direction, low, high)
        shares = shares.copy()
        # A row that used up its room stands exactly on its bound, whatever the rounding.
        shares[rows] = np.where(room <= length, np.where(up, high, low), moved)
        return shares, bool((room <= length).any())

    def settle(self, shares: FloatArray) -> FloatArray:
        """Bring all shares between their bounds to their joint optimum, where pulls are equal.

        Newton's direction leads there. Where more rows are free than w can notice there may be no
        such point: then what w does not notice of the pulls leads to a bound, and one row less.
        """
        blocked = True
        while blocked:
            rows = np.flatnonzero((self.low < shares) & (shares < self.high))
            if len(rows) < 2:
                break
            U, S, _ = np.linalg.svd(self.X[rows] - self.X[rows].mean(axis=0), full_matrices=False)
            U, S = U[:, S / (S[0] or 1.0) > 1e-10], S[S / (S[0] or 1.0) > 1e-10]
            slope = self.pull(shares)[rows]
            slope = slope - slope.mean()
            unnoticed = slope - U @ (U.T @ slope)
            blocked = False
            if np.abs(unnoticed).max() > 1e-10:
                shares, blocked = self.climb(shares, rows, unnoticed)
            if not blocked:
                shares, blocked = self.climb(shares, rows, U @ (U.T @ slope / S**2))
        return shares
