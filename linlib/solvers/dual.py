"""The dual problem of the soft margin: how much of each row makes up w.

With λ the penalty and n rows, the multipliers ``0 <= α_i <= 1/(n λ)`` with ``Σ α_i y_i = 0`` give
``w = Σ α_i y_i x_i``; the best of them give the least mean hinge loss plus ``λ/2 ‖w‖²``. They are
kept as *shares* ``α_i y_i``, which add up to 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.rows import blocks


def best_offsets(breaks: FloatArray, plus: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the lowest and the highest offset with the least total hinge loss for some w.

    With w fixed the loss is a polygon in w0, whose slope rises by 1/n at every ``y_i − w · x_i``,
    from ``−n₊/n`` on the far left: it is least between the n₊-th and the next of them in order.
    Which multipliers are at a bound, which may hang on a rounding, is not asked.
    """
    rises = int(np.count_nonzero(plus))
    ordered = np.partition(breaks, [rises - 1, rises])
    return float(ordered[rises - 1]), float(ordered[rises])


class Dual:
    """The dual problem on centred points, for shares ``α_i y_i`` with ``α_i`` up to ``most``."""

    def __init__(self, X: FloatArray, y: FloatArray, most: float) -> None:
        self.X, self.y, self.plus, self.most = X, y, y > 0, most
        self.lengths = np.concatenate(
            [np.linalg.norm(X[part], axis=1) for part in blocks(len(X), 64)]
        )
        self.longest = self.lengths.max()

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
            rounding = EPS * (np.abs(shares) @ self.lengths) * self.longest
            if largest <= max(tolerance, rounding) or steps == budget:
                break
            pair = np.array([i, self.partner(i, gaps)])
            with np.errstate(all="ignore"):
                shares, _ = self.climb(shares, pair, np.array([1.0, -1.0]), -gaps[pair])
                shares = self.settle(shares)
        return shares, sum(best_offsets(self.pull(shares), self.plus)) / 2, steps

    def pull(self, shares: FloatArray) -> FloatArray:
        """Return ``y − X w``, the slope in each share: a pair of unequal pulls can gain."""
        pull = self.X @ (shares @ self.X)
        return np.subtract(self.y, pull, out=pull)

    def highest(self, rows: slice | IntArray = slice(None)) -> FloatArray:
        """Return the upper bounds of some shares."""
        return np.where(self.plus[rows], self.most, 0.0)

    def lowest(self, rows: slice | IntArray = slice(None)) -> FloatArray:
        """Return the lower bounds of some shares."""
        return np.where(self.plus[rows], 0.0, -self.most)

    def gaps(self, shares: FloatArray) -> tuple[int, FloatArray]:
        """Return the row that wants most to rise, and by how much its pull exceeds others.

        Where a share cannot fall the gap is −∞.
        """
        pull = self.pull(shares)
        i = int(np.where(shares < self.highest(), pull, -np.inf).argmax())
        top = float(pull[i])
        gaps = np.subtract(top, pull, out=pull)
        gaps[shares <= self.lowest()] = -np.inf
        gaps[i] = 0.0
        return i, gaps

    def partner(self, i: int, gaps: FloatArray) -> int:
        """Return the row whose share gains most by falling while that of row i rises."""
        bends = self.lengths**2
        bends += self.lengths[i] ** 2
        bends -= self.X @ (2 * self.X[i])
        gains = np.maximum(gaps, 0)
        gains *= gains
        gains /= np.maximum(bends, EPS * (self.longest**2 or 1.0), out=bends)
        return int(gains.argmax())

    def climb(
        self, shares: FloatArray, rows: IntArray, direction: FloatArray, pulls: FloatArray
    ) -> tuple[FloatArray, bool]:
        """Go to the top along ``direction``; tell whether the bound of a row came first."""
        # Shares add up to 0 and must go on doing so.
        direction = direction - direction.sum() / len(rows)
        present, low, high = shares[rows], self.lowest(rows), self.highest(rows)
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
            rows = ((shares > self.lowest()) & (shares < self.highest())).nonzero()[0]
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
