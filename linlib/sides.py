"""Sides and runs that the digits of the data decide, not the rounding of binary fractions.

0.1 + 0.2 is not 0.3 in floats, so a point that lies on a line by its decimals may be found a hair
beside it. Scores no larger than the rounding of their own terms count as 0 here; and in units of
their last decimal, points are whole numbers, on which a perceptron runs without rounding.
"""

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import signed_rows

ROUNDING = 1e-12  # of a place, beside its size


def side(h: Hyperplane, X: ArrayLike) -> IntArray:
    """Return +1, −1, or 0 where the score is no larger than the rounding of its terms.

    >>> h = Hyperplane([0.1, 0.2], -0.3)
    >>> h.predict([1.0, 1.0]), side(h, [1.0, 1.0])
    (array(1.), array(0))
    """
    array = np.asarray(X, dtype=np.float64)
    scores = np.asarray(h.score(array))
    terms = np.abs(array) @ np.abs(h.w) + abs(h.w0)
    blur = 4 * (len(h.w) + 1) * EPS * terms
    return np.asarray(np.where(np.abs(scores) <= blur, 0, np.sign(scores)), dtype=np.int64)


def whole_rows(X: ArrayLike, y: ArrayLike, *, digits: int, bias: bool = True) -> FloatArray:
    """Return the signed rows times ``10**digits``, exactly: points must have no more decimals.

    A perceptron on them makes the same mistakes as on the points, and no rounding.

    >>> whole_rows([[0.1, 0.3]], [-1], digits=1)
    array([[-10.,  -1.,  -3.]])
    """
    unit = 10.0 ** checks.count(digits, "digits")
    rows = unit * signed_rows(X, y, bias=bias)
    whole = np.rint(rows)
    off = np.abs(rows - whole) > 1e-6
    if off.any():
        row, column = np.argwhere(off)[0]
        raise ValueError(
            f"X: row {row} has more than {digits} decimals in column {column - bias}; "
            f"round it, np.round(X, {digits})."
        )
    return np.asarray(whole + 0.0)


def difference(a: Hyperplane, b: Hyperplane, at: ArrayLike) -> tuple[float, float]:
    """Return the angle between two lines in degrees, 0 to 90, and how far apart they pass a place.

    A distance that is only the rounding of the places is 0.

    >>> difference(Hyperplane([1, 0], -1), Hyperplane([-2, 0], 6), [0, 0])
    (0.0, 2.0)
    >>> difference(Hyperplane([0.1, 0.2], -0.3), Hyperplane([1, 2], -3), [0.3, 0.7])[1]
    0.0
    """
    cosine = abs(float(a.w @ b.w)) / (a.norm * b.norm)
    degrees = float(np.degrees(np.arccos(min(cosine, 1.0))))
    place = checks.vector(at, "at", len(a.w))
    feet = [h.project(place) for h in (a, b)]
    apart = float(np.linalg.norm(feet[0] - feet[1]))
    size = max(float(np.abs(spot).max()) for spot in (place, *feet))
    return degrees, apart if apart > ROUNDING * size else 0.0
