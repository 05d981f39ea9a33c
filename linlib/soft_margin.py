"""The minimum of mean hinge loss plus ``penalty/2 ‖w‖²``, with proof that it is the minimum.

Subgradient descent (:mod:`linlib.descent`) gets near it; this solver gets there, through the dual
problem. With λ the penalty, its multipliers ``0 <= α_i <= 1/(n λ)`` with ``Σ α_i y_i = 0`` give
``w = Σ α_i y_i x_i`` and a lower bound for the objective; where bound and objective meet, nothing
better exists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import EPS, FloatArray, IntArray
from linlib.losses import hinge_loss
from linlib.results import Fit
from linlib.rows import blocks, errors, signed_rows
from linlib.shown import number


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SoftMargin(Fit):
    """``value`` is the objective, ``gap`` how far below it the true minimum can be at most.

    ``updates`` counts the pairs that were moved.
    """

    value: float
    gap: float
    multipliers: FloatArray
    updates: int

    @property
    def support(self) -> IntArray:
        """The rows on, inside or beyond the margin boundaries: those with a multiplier."""
        return np.flatnonzero(self.multipliers)


def soft_margin(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float,
    tolerance: float = 1e-9,
    max_updates: int = 100_000,
    start: ArrayLike | None = None,
) -> SoftMargin:
    """Return the hyperplane that minimises ``mean hinge + penalty/2 ‖w‖²``, offset free.

    Sequential minimal optimisation (Platt 1998): two multipliers move at a time, the most violating
    one and the partner that gains most (Fan, Chen & Lin 2005), until no pair violates optimality by
    more than ``tolerance`` or rounding. After each pair, all multipliers between their bounds are
    brought to their joint optimum, without which a small ``penalty`` takes millions of pairs.
    It has converged if the ``gap`` is at most ``tolerance``; if not, its ``value`` is at least no
    worse than that of w = 0, but for rounding. ``start`` are multipliers to begin with, such as
    those found before a point was moved; the minimum does not depend on them.

    >>> fit = soft_margin([[0, 0], [2, 0], [5, 5]], [-1, 1, 1], penalty=0.1)
    >>> fit.weights.round(6), fit.support
    (array([-1.,  1.,  0.]), array([0, 1]))
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so there is no street; give both classes.")
    penalty = checks.positive(penalty, "penalty")
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget = checks.count(max_updates, "max_updates", least=1)
    centre = array.mean(axis=0)
    dual = _Dual(array - centre, labels, 1.0 / (len(array) * penalty))
    shares, offset, updates = dual.maximise(tolerance, budget, dual.begin(start))
    w = shares @ dual.X
    del dual
    weights = np.concatenate([[offset - w @ centre], w])
    value = _value(array, labels, weights, penalty)
    bound = penalty * float(np.abs(shares).sum() - 0.5 * w @ w)
    none = np.zeros(weights.size)  # w = 0, and the larger class everywhere
    none[0] = 1.0 if labels.sum() > 0 else -1.0
    if value > max(_value(array, labels, none, penalty), bound + tolerance):
        # Stopped so early that less of the same w is better; next to none still has two sides.
        share = min(
            (2.0**-k for k in range(50)),
            key=lambda t: _value(array, labels, t * weights + (1 - t) * none, penalty),
        )
        weights, shares = share * weights + (1 - share) * none, share * shares
        value = _value(array, labels, weights, penalty)
    gap = max(value - bound, 0.0)
    status = f"Converged: no weights have a value more than {tolerance:g} below {number(value)}."
    if gap > tolerance:
        status = (
            f"Stopped after {updates} updates: the minimum may be {number(gap)} below "
            f"{number(value)}. Scale the features, or raise max_updates or tolerance."
        )
    return SoftMargin(
        weights=weights,
        converged=gap <= tolerance,
        status=status,
        value=value,
        gap=gap,
        multipliers=np.abs(shares),
        updates=updates,
        _wrong=errors(array, labels, weights, bias=True),
    )


def _value(X: FloatArray, y: FloatArray, weights: FloatArray, penalty: float) -> float:
    """Return mean hinge loss plus ``penalty/2 ‖w‖²``."""
    losses = [
        hinge_loss.of(signed_rows(X[part], y[part]) @ weights).sum() for part in blocks(len(X))
    ]
    return float(sum(losses)) / len(X) + 0.5 * penalty * float(weights[1:] @ weights[1:])


def best_offsets(breaks: FloatArray, plus: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the lowest and the highest offset with the least total hinge loss for some w.

    With w fixed the loss is a polygon in w0, whose slope rises by 1/n at every ``y_i − w · x_i``,
    from ``−n₊/n`` on the far left: it is least between the n₊-th and the next of them in order.
    Which multipliers are at a bound, which may hang on a rounding, is not asked.
    """
    rises = int(np.count_nonzero(plus))
    ordered = np.partition(breaks, [rises - 1, rises])
    return float(ordered[rises - 1]), float(ordered[rises])


class _Dual:
    """The dual problem on centred points, for shares ``α_i y_i`` with ``α_i`` up to ``most``."""

    def __init__(self, X: FloatArray, y: FloatArray, most: float) -> None:
        self.X, self.y, self.plus, self.most = X, y, y > 0, most
        self.lengths = np.concatenate(
            [np.linalg.norm(X[part], axis=1) for part in blocks(len(X), 64)]
        )

    def begin(self, start: ArrayLike | None) -> FloatArray:
        """Return the shares of the multipliers to begin with: 0, unless others are given."""
        if start is None:
            return np.zeros(len(self.X))
        shares = self.y * np.clip(checks.vector(start, "start", len(self.X)), 0.0, self.most)
        if abs(shares.sum()) > 1e-9 * self.most:
            raise ValueError(
                "start: the multipliers of both classes must have the same sum; "
                "take those of a fit with the same labels and penalty, or none."
            )
        return np.asarray(shares)

    def maximise(
        self, tolerance: float, budget: int, shares: FloatArray
    ) -> tuple[FloatArray, float, int]:
        """Return the best shares, the offset that goes with them, and the number of steps."""
        for steps in range(budget + 1):
            i, gaps = self.gaps(shares)
            largest = float(gaps.max())
            rounding = EPS * (np.abs(shares) @ self.lengths) * self.lengths.max()
            if largest <= max(tolerance, rounding) or steps == budget:
                break
            pair = np.array([i, self.partner(i, gaps)])
            shares, _ = self.climb(shares, pair, np.array([1.0, -1.0]))
            shares = self.settle(shares)
        return shares, sum(best_offsets(self.pull(shares), self.plus)) / 2, steps

    def pull(self, shares: FloatArray) -> FloatArray:
        """Return ``y − X w``, the slope in each share: a pair of unequal pulls can gain."""
        pull = self.X @ (shares @ self.X)
        return np.subtract(self.y, pull, out=pull)

    def may_rise(self, shares: FloatArray) -> NDArray[np.bool_]:
        """Tell which shares are below their upper bound."""
        return np.where(self.plus, shares < self.most, shares < 0)

    def may_fall(self, shares: FloatArray) -> NDArray[np.bool_]:
        """Tell which shares are above their lower bound."""
        return np.where(self.plus, shares > 0, shares > -self.most)

    def gaps(self, shares: FloatArray) -> tuple[int, FloatArray]:
        """Return the row that wants most to rise, and by how much its pull exceeds others.

        Where a share cannot fall the gap is −∞.
        """
        pull = self.pull(shares)
        i = int(np.argmax(np.where(self.may_rise(shares), pull, -np.inf)))
        top = float(pull[i])
        gaps = np.subtract(top, pull, out=pull)
        gaps[~self.may_fall(shares)] = -np.inf
        return i, gaps

    def partner(self, i: int, gaps: FloatArray) -> int:
        """Return the row whose share gains most by falling while that of row i rises."""
        bends = self.lengths**2
        bends += self.lengths[i] ** 2
        bends -= self.X @ (2 * self.X[i])
        gains = np.maximum(gaps, 0)
        gains *= gains
        gains /= np.maximum(bends, EPS * (self.lengths.max() ** 2 or 1.0), out=bends)
        return int(np.argmax(gains))

    def climb(
        self, shares: FloatArray, rows: IntArray, direction: FloatArray
    ) -> tuple[FloatArray, bool]:
        """Go to the top along ``direction``; tell whether the bound of a row came first."""
        # Shares add up to 0 and must go on doing so.
        direction = direction - direction.sum() / len(rows)
        plus, up = self.plus[rows], direction > 0
        low, high = np.where(plus, 0.0, -self.most), np.where(plus, self.most, 0.0)
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
            rows = np.flatnonzero(self.may_rise(shares) & self.may_fall(shares))
            if len(rows) < 2:
                break
            free = self.X[rows]
            U, S, _ = np.linalg.svd(free - free.sum(axis=0) / len(rows), full_matrices=False)
            noticed = S / (S[0] or 1.0) > 1e-10
            U, S = U[:, noticed], S[noticed]
            slope = self.pull(shares)[rows]
            slope = slope - slope.sum() / len(rows)
            unnoticed = slope - U @ (U.T @ slope)
            blocked = False
            if np.abs(unnoticed).max() > 1e-10:
                shares, blocked = self.climb(shares, rows, unnoticed)
            if not blocked:
                shares, blocked = self.climb(shares, rows, U @ (U.T @ slope / S**2))
        return shares
