"""The lasso: least squares on the labels with a price on the size of every weight.

Unlike a ridge it sets weights to exactly 0, and so names the features that matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.least_squares import Centre
from linlib.results import Fit
from linlib.rows import errors


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
