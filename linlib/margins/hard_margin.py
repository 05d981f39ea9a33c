"""The widest street between two classes (lecture 07): of all separating hyperplanes the best.

Its normal is the shortest way between the hulls of the two classes, found by
:mod:`linlib.solvers.nearest_point`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import TINY, FloatArray, IntArray
from linlib.base.frozen import number, vector
from linlib.base.hyperplane import Weighted
from linlib.base.rows import signed_rows, surely_above
from linlib.margins.certificates import Separable, certify
from linlib.solvers.exact import whole
from linlib.solvers.nearest_point import lowest_row, nearest_point


@dataclass(frozen=True, eq=False, repr=False)
class MaxMargin(Weighted):
    """The best separating hyperplane: no other has a larger ``margin``.

    Weights are scaled so that the nearest rows have ``z · weights = 1``. ``shares`` mix the nearest
    points of the two hulls: they add up to 1 within each class, or over all rows in the augmented
    space. They are positive on the ``support`` rows only, and removing any other row changes
    nothing. ``shares / (2 margin²)`` are Lagrange's multipliers, with ``w = Σ α_i y_i x_i`` as in
    :class:`linlib.SoftMargin` (in the augmented space, ``shares / margin²``).
    """

    weights: FloatArray
    margin: float
    shares: FloatArray
    bias: bool

    def _facts(self) -> Mapping[str, str]:
        return {
            "weights": vector(self.weights),
            "margin": number(self.margin),
            "support rows": str(len(self.support)),
        }

    @property
    def support(self) -> IntArray:
        """The rows that hold the hyperplane in place."""
        return np.flatnonzero(self.shares)


def max_margin(
    X: ArrayLike, y: ArrayLike, *, augmented: bool = False, bias: bool = True
) -> MaxMargin:
    """Return the separating hyperplane with the widest street, its offset free.

    ``margin`` is then the distance of the nearest point from the boundary: half the street. With
    ``augmented`` the margin is ``min z · weights / ‖weights‖`` instead, the offset being part of
    the length: that is the γ of the convergence bound, and in general another line.

    scikit-learn's ``SVC(kernel="linear", C=1e10)`` comes near the same line.

    The result is right to four digits or refused, as happens to margins below about 1e-10 of the
    size of the data, where floats cannot hold the hyperplane.

    >>> best = max_margin([[0, 0], [2, 0], [5, 5]], [-1, 1, 1])
    >>> best.hyperplane.weights, best.margin, best.support
    (array([-1.,  1.,  0.]), 1.0, array([0, 1]))
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    through_origin = checks.flag(augmented, "augmented") or not bias
    Z = signed_rows(array, labels, bias=bias)
    if through_origin:
        found = nearest_point(lowest_row(Z), Z.sum(axis=0))
        point, multipliers = found.point, np.zeros(len(Z))
        multipliers[np.array(found.names, dtype=np.int64)] = found.shares
    else:
        point, multipliers = _nearest_difference(array, labels)
    squared = max(float(point @ point), TINY)
    if through_origin:
        weights, margin = point / squared, np.sqrt(squared)
    else:
        w, margin = 2 * point / squared, np.sqrt(squared) / 2
        scores = array @ w  # the offset puts both classes equally far away
        gap = scores[labels > 0].min() + scores[labels < 0].max()
        weights = np.concatenate([[-gap / 2], w])
    # Scores of at least 1 prove that the margin is reached, the mixture that no other is larger.
    reached = surely_above(Z, 1 - 1e-4, weights)
    support = np.flatnonzero(multipliers)
    mixture = (multipliers[support] @ Z[support])[-point.size :]
    largest = np.linalg.norm(mixture - point) <= 1e-4 * np.linalg.norm(point)
    if reached and largest:
        return MaxMargin(weights, float(margin), multipliers, bias)
    if certify(array, labels, bias=bias).separable:
        raise ValueError(
            "X: the classes can be separated, but by a margin too small for floats at this scale; "
            "centre and rescale the features."
        )
    raise ValueError(
        "X, y: no hyperplane separates these classes, so there is no margin; "
        "certify(X, y) gives the proof."
    )


def _nearest_difference(X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the nearest point of the hull of all x₊ − x₋, and the multipliers of its rows."""
    plus, minus = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    if not (plus.size and minus.size):
        raise ValueError("y: holds one class only, so there is no margin; give both classes.")
    signed = y[:, None] * (X - X.mean(axis=0))

    def lowest(u: FloatArray) -> tuple[tuple[int, int], FloatArray]:
        products = signed @ u
        i, j = plus[np.argmin(products[plus])], minus[np.argmin(products[minus])]
        return (int(i), int(j)), signed[i] + signed[j]

    found = nearest_point(lowest, signed.sum(axis=0))
    multipliers = np.zeros(len(y))
    for pair, share in zip(found.names, found.shares, strict=True):
        multipliers[np.array(pair)] += share
    return found.point, multipliers


class Gap(NamedTuple):
    """The points of both hulls nearest to each other; where hulls meet, one point twice."""

    positive: FloatArray
    negative: FloatArray
    distance: float


def hull(X: ArrayLike) -> FloatArray:
    """Return the corners of the convex hull of points in the plane, anticlockwise.

    SciPy's ``ConvexHull`` in floats; here decimals decide whether three points lie on one line.

    >>> hull([[0, 0], [1, 0], [2, 0], [1, 1], [1, 0.5]]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]]
    """
    spots = np.unique(checks.points(X), axis=0)
    if len(spots) < 3:
        return spots
    flat, _ = whole(spots.ravel().tolist())
    integers = list(zip(flat[::2], flat[1::2], strict=True))
    corners: list[int] = []
    for way in (range(len(spots)), range(len(spots))[::-1]):
        chain: list[int] = []
        for spot in way:
            while len(chain) > 1 and _turn(*(integers[k] for k in (*chain[-2:], spot))) <= 0:
                chain.pop()
            chain.append(spot)
        corners += chain[:-1]
    return np.asarray(spots[corners])


def _turn(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
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
            shares = max_margin(array, labels).shares
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
