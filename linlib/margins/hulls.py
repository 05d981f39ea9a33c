"""The convex hulls of two classes in the plane, and where they are nearest or meet."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.margins.certificates import Separable, certify
from linlib.margins.hard_margin import max_margin
from linlib.solvers.exact import whole


class Gap(NamedTuple):
    """The points of both hulls nearest to each other; where hulls meet, one point twice."""

    positive: FloatArray
    negative: FloatArray
    distance: float


def hull(X: ArrayLike) -> FloatArray:
    """Return the corners of the convex hull of points in the plane, anticlockwise.

    Whether three points lie on one line is decided by their decimals.

    >>> hull([[0, 0], [1, 0], [2, 0], [1, 1], [1, 0.5]]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]]
    """
    spots = np.unique(checks.points(X), axis=0)
    if len(spots) < 3:
        return spots
    integers = np.reshape(
        np.array(whole(spots.ravel().tolist())[0], dtype=object), (-1, 2)
    ).tolist()
    corners: list[int] = []
    for way in (range(len(spots)), range(len(spots))[::-1]):
        chain: list[int] = []
        for spot in way:
            while len(chain) > 1 and _turn(*(integers[k] for k in (*chain[-2:], spot))) <= 0:
                chain.pop()
            chain.append(spot)
        corners += chain[:-1]
    return np.asarray(spots[corners])


def _turn(a: list[int], b: list[int], c: list[int]) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def gap(X: ArrayLike, y: ArrayLike) -> Gap | None:
    """Return the nearest points of the hulls of both classes; None for a margin beyond floats.

    Their distance is the width of the widest street; 0 means that no line separates, and the
    multipliers of the certificate mix the same point out of either class.

    >>> gap([[0, 0], [0, 2], [3, 1]], [-1, -1, 1])
    Gap(positive=array([3., 1.]), negative=array([0., 1.]), distance=3.0)
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    verdict = certify(array, labels)
    if isinstance(verdict, Separable):
        try:
            shares = max_margin(array, labels).multipliers
        except ValueError:  # separable, but by less than floats can hold
            return None
    else:
        shares = verdict.multipliers
    plus, minus = (
        shares[labels == sign] @ array[labels == sign] / max(shares[labels == sign].sum(), 1e-300)
        for sign in (1, -1)
    )
    if not verdict.separable:
        plus = minus = (plus + minus) / 2
    return Gap(plus, minus, float(np.linalg.norm(plus - minus)))
