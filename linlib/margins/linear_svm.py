"""The soft margin (lecture 07): least mean hinge loss plus ``penalty/2 ‖w‖²``, with proof.

Subgradient descent (:mod:`linlib.descent.gradient`) gets near the minimum; this solver gets there,
through the :class:`Dual` problem. Its multipliers give w and a lower bound for the objective; where
bound and objective meet, nothing better exists. The offset need not be unique:
usually both ends of its range are one number, sometimes they are an interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.frozen import number
from linlib.base.hyperplane import Fit
from linlib.base.rows import Centre, errors
from linlib.descent.losses import hinge_objective


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SoftMargin(Fit):
    """``value`` is the objective, ``gap`` how far below it the true minimum can be at most.

    ``multipliers`` α, one for each row and at most ``1 / (n penalty)``, prove the gap: no objective
    is below ``penalty (Σ α_i − ½ ‖Σ α_i y_i x_i‖²)``. At the minimum ``w = Σ α_i y_i x_i``; stopped
    before it, w may be shorter than that. ``updates`` counts the pairs that were moved.
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
    multipliers: ArrayLike | None = None,
) -> SoftMargin:
    """Return the hyperplane that minimises ``mean hinge + penalty/2 ‖w‖²``, offset free.

    Sequential minimal optimisation (Platt 1998): two multipliers move at a time, the most violating
    one and the partner that gains most (Fan, Chen & Lin 2005), until no pair violates optimality by
    more than ``tolerance`` or rounding. After each pair, all multipliers between their bounds are
    brought to their joint optimum, without which a small ``penalty`` takes millions of pairs.
    It has converged if the ``gap`` is at most ``tolerance``; if not, its ``value`` is at least no
    worse than that of w = 0, but for rounding. ``multipliers`` to begin with, such as those found
    before a point was moved, save time; the minimum does not depend on them.
    scikit-learn's ``SVC(kernel="linear", C=1 / (n * penalty))`` has the same minimum.

    >>> fit = soft_margin([[0, 0], [2, 0], [5, 5]], [-1, 1, 1], penalty=0.1)
    >>> fit.weights.round(6), fit.support
    (array([-1.,  1.,  0.]), array([0, 1]))
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so there is no margin; give both classes.")
    penalty = checks.positive(penalty, "penalty")
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget = checks.count(max_updates, "max_updates", least=1)
    centre = Centre.of(array)
    dual = Dual(array - centre.mean, labels, 1.0 / (len(array) * penalty))
    shares, offset, updates = dual.maximise(tolerance, budget, dual.begin(multipliers))
    w = shares @ dual.X
    weights = np.concatenate([[offset - w @ centre.mean], w])
    target = hinge_objective(array, labels, penalty)
    value = target.value(weights)
    bound = penalty * float(np.abs(shares).sum() - 0.5 * w @ w)
    none = np.zeros(weights.size)  # w = 0, and the larger class everywhere
    none[0] = 1.0 if labels.sum() > 0 else -1.0
    if value > max(target.value(none), bound + tolerance):
        # Stopped so early that less of the same w is better; next to none still has two sides.
        share = min(
            (2.0**-k for k in range(50)),
            key=lambda t: target.value(t * weights + (1 - t) * none),
        )
        weights = share * weights + (1 - share) * none  # the multipliers still prove the bound
        value = target.value(weights)
    gap = max(value - bound, 0.0)
    status = f"Converged: no weights have a value more than {tolerance:g} below {number(value)}."
    if gap > tolerance:
        why, what = "rounding hides what is left", "raise tolerance or penalty"
        if updates == budget:
            why, what = f"max_updates={budget} was reached", "raise max_updates or tolerance"
        status = (
            f"Stopped after {updates} updates because {why}: the minimum may be {number(gap)} "
            f"below {number(value)}. Scale the features, or {what}."
        )
    return SoftMargin(
        weights=weights,
        converged=gap <= tolerance,
        status=status,
        value=value,
        gap=gap,
        multipliers=np.abs(shares),
        updates=updates,
        errors=errors(target.Z @ weights),
    )


def offset_range(X: ArrayLike, y: ArrayLike, w: ArrayLike) -> tuple[float, float]:
    """Return the lowest and the highest offset with the least total hinge loss, for a given w.

    With w fixed the loss is a polygon in w0, whose slope rises by 1/n at every ``y_i − w · x_i``,
    from ``−n₊/n`` on the far left: it is least between the n₊-th and the next of them in order.
    Which multipliers are at a bound, which may hang on a rounding, is not asked.

    >>> offset_range([[0.0], [4.0]], [-1, 1], [1.0])
    (-3.0, -1.0)
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so no offset is best; give both classes.")
    breaks = labels - array @ checks.vector(w, "w", array.shape[1])
    rises = int(np.count_nonzero(labels > 0))
    ordered = np.partition(breaks, [rises - 1, rises])
    return float(ordered[rises - 1]), float(ordered[rises])


class Dual:
    """The dual problem on centred points: how much of each row makes up w.

    With λ the penalty and n rows, the multipliers ``0 <= α_i <= most = 1/(n λ)`` with
    ``Σ α_i y_i = 0`` give ``w = Σ α_i y_i x_i``; the best of them give the least mean hinge loss
    plus ``λ/2 ‖w‖²``. They are kept as *shares* ``α_i y_i``, which add up to 0.
    """

    def __init__(self, X: FloatArray, y: FloatArray, most: float) -> None:
        self.X, self.y, self.plus, self.most = X, y, y > 0, most
        self.highest, self.lowest = np.where(y > 0, most, 0.0), np.where(y > 0, 0.0, -most)
        self.lengths = np.linalg.norm(X, axis=1)
        self.longest = self.lengths.max()

    def begin(self, multipliers: ArrayLike | None) -> FloatArray:
        """Return the shares of the multipliers to begin with: 0, unless others are given."""
        if multipliers is None:
            return np.zeros(len(self.X))
        shares = self.y * np.clip(
            checks.vector(multipliers, "multipliers", len(self.X)), 0.0, self.most
        )
        if abs(shares.sum()) > 1e-9 * self.most:
            raise ValueError(
                "multipliers: those of both classes must have the same sum; "
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
            rounding = EPS * (np.abs(shares) @ self.lengths) * self.longest
            if largest <= max(tolerance, rounding) or steps == budget:
                break
            pair = np.array([i, self.partner(i, gaps)])
            with np.errstate(all="ignore"):
                shares, _ = self.climb(shares, pair, np.array([1.0, -1.0]), -gaps[pair])
                shares = self.settle(shares)
        return shares, sum(offset_range(self.X, self.y, shares @ self.X)) / 2, steps

    def pull(self, shares: FloatArray) -> FloatArray:
        """Return ``y − X w``, the slope in each share: a pair of unequal pulls can gain."""
        return np.asarray(self.y - self.X @ (shares @ self.X))

    def gaps(self, shares: FloatArray) -> tuple[int, FloatArray]:
        """Return the row that wants most to rise, and by how much its pull exceeds others.

        Where a share cannot fall the gap is −∞.
        """
        pull = self.pull(shares)
        i = int(np.where(shares < self.highest, pull, -np.inf).argmax())
        top = float(pull[i])
        gaps = top - pull
        gaps[shares <= self.lowest] = -np.inf
        gaps[i] = 0.0
        return i, gaps

    def partner(self, i: int, gaps: FloatArray) -> int:
        """Return the row whose share gains most by falling while that of row i rises."""
        # The second derivative along the pair is ‖x_k − x_i‖².
        curvature = self.lengths**2 + self.lengths[i] ** 2 - self.X @ (2 * self.X[i])
        curvature = np.maximum(curvature, EPS * (self.longest**2 or 1.0))
        gains = np.maximum(gaps, 0) ** 2 / curvature
        return int(gains.argmax())

    def climb(
        self, shares: FloatArray, rows: IntArray, direction: FloatArray, pulls: FloatArray
    ) -> tuple[FloatArray, bool]:
        """Go to the top along ``direction``; tell whether the bound of a row came first."""
        # Shares add up to 0 and must go on doing so.
        direction = direction - direction.sum() / len(rows)
        present, low, high = shares[rows], self.lowest[rows], self.highest[rows]
        bound = np.where(direction > 0, high, low)
        top = pulls @ direction / ((direction @ self.X[rows]) ** 2).sum()
        room = (bound - present) / direction
        room[direction == 0] = np.inf
        length = min(top, room.min())
        if not 0 < length < np.inf:
            return shares, False
        stopped = room <= length
        moved = np.minimum(np.maximum(present + length * direction, low), high)
        shares = shares.copy()
        # A row that used up its room stands exactly on its bound, whatever the rounding.
        shares[rows] = np.where(stopped, bound, moved)
        return shares, bool(stopped.any())

    def settle(self, shares: FloatArray) -> FloatArray:
        """Bring all shares between their bounds to their joint optimum, where pulls are equal.

        Newton's direction leads there. Where more rows are free than w can notice there may be no
        such point: then what w does not notice of the pulls leads to a bound, and one row less.
        """
        blocked = True
        while blocked:
            rows = ((shares > self.lowest) & (shares < self.highest)).nonzero()[0]
            if len(rows) < 2:
                break
            free = self.X[rows]
            U, S, _ = np.linalg.svd(free - free.sum(axis=0) / len(rows), full_matrices=False)
            noticed = S / (S[0] or 1.0) > 1e-10
            U, S = U[:, noticed], S[noticed]
            pulls = self.pull(shares)[rows]
            slope = pulls - pulls.sum() / len(rows)
            unnoticed = slope - U @ (U.T @ slope)
            blocked = False
            if np.abs(unnoticed).max() > 1e-10:
                shares, blocked = self.climb(shares, rows, unnoticed, pulls)
                pulls = self.pull(shares)[rows]
            if not blocked:
                shares, blocked = self.climb(shares, rows, U @ (U.T @ slope / S**2), pulls)
        return shares
