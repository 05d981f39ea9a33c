"""What the explorers of a street and of odds share: two clouds, and a line that may be missing."""

from __future__ import annotations

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit import scene

FLAT = 1e-9  # a w shorter than this has no direction, only rounding
VIEW: scene.View = ((-4.5, 5.0), (-3.3, 3.7))


def apart() -> data.Points:
    """Return two clouds that a line separates."""
    X, y = data.clouds([[-1.9, 0.0], [1.9, 0.6]], 14, np.random.default_rng(26), spread=0.85)
    return data.Points(X, np.where(y == 1, 1, -1))


def overlapping() -> data.Points:
    """Return two clouds that none separates."""
    return data.two_clouds(40, np.random.default_rng(7), distance=2.6)


def line_of(weights: FloatArray | None) -> Hyperplane | None:
    """Return the line of ``(w0, w)``, or None where there are no weights or w is zero.

    >>> line_of(np.array([1.0, 0.0, 1e-12])) is None
    True
    """
    if weights is None or np.linalg.norm(weights[1:]) < FLAT:
        return None
    return Hyperplane.from_weights(weights)
