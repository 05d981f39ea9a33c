"""Who holds the street of a soft margin, and whether its offset is the only one.

The minimum of ``mean hinge + λ/2 ‖w‖²`` has one w, but its offset need not be unique: see
:func:`linlib.dual.best_offsets`. Both ends are usually one number, sometimes an interval.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import EPS, FloatArray, IntArray
from linlib.dual import best_offsets
from linlib.soft_margin import SoftMargin

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
    """Return who holds the street of ``fit``, found with this ``penalty`` on these points.

    The objective is strongly convex in w: with a gap g the true w is at most ``√(2 g / λ)`` away.
    A multiplier whose row moves w by less than that cannot be told from 0, an agreement that this
    changes from above to below 1 cannot be told from 1, and offsets nearer to each other than that
    are one.

    >>> from linlib.soft_margin import soft_margin
    >>> X, y = [[0, 0], [2, 0], [5, 5]], [-1, 1, 1]
    >>> held = street(soft_margin(X, y, penalty=0.1), X, y, 0.1)
    >>> held.support, held.edge, held.free
    (array([0, 1]), array([0, 1]), False)
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty")
    w = fit.weights[1:]
    reach = max(float(np.linalg.norm(array - array.mean(axis=0), axis=1).max()), EPS)
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
