"""The minimum of mean hinge loss plus ``lam/2 ‖w‖²``, with proof that it is the minimum.

Subgradient descent (:mod:`linlib.descent`) gets near it; this solver gets there, through the dual
problem. Its multipliers ``0 <= α_i <= 1/(n lam)`` with ``Σ α_i y_i = 0`` give ``w = Σ α_i y_i x_i``
and a lower bound for the objective; where bound and objective meet, nothing better exists.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.descent import Fit, hinge_objective


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
    X: ArrayLike, y: ArrayLike, *, lam: float, tolerance: float = 1e-9, max_steps: int = 200_000
) -> SoftMargin:
    """Return the hyperplane that minimises ``mean hinge + lam/2 ‖w‖²``, offset free.

    Sequential minimal optimisation (Platt 1998): two multipliers move at a time, the most violating
    one and the partner that gains most (Fan, Chen & Lin 2005), until no pair violates optimality by
    more than ``tolerance``.

    >>> fit = soft_margin([[0, 0], [2, 0], [5, 5]], [-1, 1, 1], lam=0.1)
    >>> fit.weights.round(6), fit.support
    (array([-1.,  1.,  0.]), array([0, 1]))
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so there is no street; give both classes.")
    lam = checks.positive(lam, "lam")
    limit = 1.0 / (len(array) * lam)
    features = array - array.mean(axis=0)
    squares = (features**2).sum(axis=1)
    alpha, pull, converged = np.zeros(len(array)), labels.copy(), False
    for _ in range(checks.count(max_steps, "max_steps", least=1)):
        # pull_i = y_i − w · x_i; raising α_i y_i pays while it is above that of a partner.
        above = np.where(labels > 0, alpha < limit, alpha > 0)
        below = np.where(labels > 0, alpha > 0, alpha < limit)
        i = int(np.argmax(np.where(above, pull, -np.inf)))
        gaps = np.where(below, pull[i] - pull, -np.inf)
        if gaps.max() <= tolerance:
            converged = True
            break
        products = features @ features[i]
        curvature = np.maximum(squares[i] + squares - 2 * products, 1e-12)
        j = int(np.argmax(np.where(gaps > 0, gaps**2 / curvature, -np.inf)))
        room_i = limit - alpha[i] if labels[i] > 0 else alpha[i]
        room_j = alpha[j] if labels[j] > 0 else limit - alpha[j]
        move = min(gaps[j] / curvature[j], room_i, room_j)
        alpha[i] = _bounded(alpha[i] + labels[i] * move, limit, move == room_i)
        alpha[j] = _bounded(alpha[j] - labels[j] * move, limit, move == room_j)
        pull -= move * (products - features @ features[j])
    w = (alpha * labels) @ features
    offset = float(pull[i] - gaps.max() / 2)
    weights = np.concatenate([[offset - w @ array.mean(axis=0)], w])
    value = hinge_objective(array, labels, lam).value(weights)
    lower = lam * float(alpha.sum() - 0.5 * w @ w)
    return SoftMargin(weights, converged, True, value, value - lower, alpha)


def _bounded(value: float, limit: float, at_the_end: bool) -> float:
    """Put a multiplier exactly on its bound when its room is used up, whatever the rounding."""
    if at_the_end:
        return 0.0 if value < limit / 2 else limit
    return min(max(value, 0.0), limit)
