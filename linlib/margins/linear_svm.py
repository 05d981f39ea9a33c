"""The soft margin (lecture 07): least mean hinge loss plus ``penalty/2 ‖w‖²``, with proof.

Subgradient descent (:mod:`linlib.descent.gradient`) gets near the minimum; this solver gets there,
through the dual problem (:mod:`linlib.solvers.dual`). Its multipliers give w and a lower bound for
the objective; where bound and objective meet, nothing better exists. The offset need not be unique:
usually both ends of its range are one number, sometimes they are an interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.frozen import number
from linlib.base.results import Fit
from linlib.base.rows import Centre, errors
from linlib.descent.losses import hinge_objective
from linlib.solvers.dual import Dual, best_offsets


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SoftMargin(Fit):
    """``value`` is the objective, ``gap`` how far below it the true minimum can be at most.

    ``multipliers`` α, one for each row and at most ``1 / (n penalty)``, prove the gap: no objective
    is below ``penalty (Σ α_i − ½ ‖Σ α_i y_i x_i‖²)``. At the minimum ``w = Σ α_i y_i x_i``; stopped
    before it, w may be shorter than that. (:class:`linlib.MaxMargin` has ``shares`` instead, which
    add up to 1 in each class; divided by ``2 margin²`` they are what these multipliers tend to as
    the penalty vanishes.)
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
    worse than that of w = 0, but for rounding. ``start`` are multipliers to begin with (not
    weights), such as those found before a point was moved; the minimum does not depend on them.
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
    shares, offset, updates = dual.maximise(tolerance, budget, dual.begin(start))
    w = shares @ dual.X
    del dual
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
        _wrong=errors(target.Z @ weights),
    )


COARSEST = 1e-3  # a fit that has not converged is described as it is drawn


@dataclass(frozen=True, eq=False)
class Street:
    """A soft margin looked at closely; ``weights`` have the offset in the middle of its range.

    ``support`` are the rows whose multiplier is more than rounding; of them ``edge`` lie on an edge
    of the street, ``inside`` within it or beyond (they pay), and ``wrong`` beyond the line.
    ``known`` is how far w may be from the true minimum.
    """

    weights: FloatArray
    lowest: float
    highest: float
    support: IntArray
    edge: IntArray
    inside: IntArray
    wrong: IntArray
    known: float

    @property
    def free(self) -> bool:
        """Whether the offset can move without cost."""
        return self.highest > self.lowest


def street(fit: SoftMargin, X: ArrayLike, y: ArrayLike, penalty: float) -> Street:
    """Return which rows hold the margin of ``fit``, found with this ``penalty`` on these points.

    The objective is strongly convex in w: with a gap g the true w is at most ``√(2 g / λ)`` away.
    A multiplier whose row moves w by less than that cannot be told from 0, an agreement that this
    changes from above to below 1 cannot be told from 1, and offsets nearer to each other than that
    are one.

    >>> from linlib.margins.linear_svm import soft_margin
    >>> X, y = [[0, 0], [2, 0], [5, 5]], [-1, 1, 1]
    >>> held = street(soft_margin(X, y, penalty=0.1), X, y, 0.1)
    >>> held.support, held.edge, held.free
    (array([0, 1]), array([0, 1]), False)
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty")
    w = fit.weights[1:]
    reach = max(float(np.linalg.norm(Centre.of(array).away(array), axis=1).max()), EPS)
    known = float(np.sqrt(2 * (fit.gap + 4 * EPS * (1 + abs(fit.value))) / penalty))
    blur = 2 * known * reach + 8 * EPS * float(np.abs(array @ w).max(initial=1.0))
    blur = min(blur, COARSEST)
    lowest, highest = offset_range(array, labels, w)
    if highest - lowest <= blur:
        lowest = highest = (lowest + highest) / 2
    weights = np.concatenate([[(lowest + highest) / 2], w])
    agreement = labels * (array @ w + weights[0])
    support = fit.multipliers * reach > min(known, COARSEST)
    pays = agreement < 1 - blur
    return Street(
        weights=weights,
        lowest=lowest,
        highest=highest,
        support=np.flatnonzero(support | pays),
        edge=np.flatnonzero(support & ~pays & (agreement <= 1 + blur)),
        inside=np.flatnonzero(pays),
        wrong=np.flatnonzero(pays & (agreement <= blur)),
        known=known,
    )


def offset_range(X: ArrayLike, y: ArrayLike, w: ArrayLike) -> tuple[float, float]:
    """Return the lowest and the highest offset with the least total hinge loss, for a given w.

    >>> offset_range([[0.0], [4.0]], [-1, 1], [1.0])
    (-3.0, -1.0)
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so no offset is best; give both classes.")
    return best_offsets(labels - array @ checks.vector(w, "w", array.shape[1]), labels > 0)
