"""Sides of a line and hulls of two classes, decided by the digits of the data.

0.1 + 0.2 is not 0.3 in floats, so a point that lies on a line by its decimals may be found a hair
beside it. Scores no larger than the rounding of their own terms count as 0 here; and in units of
their last decimal, points are whole numbers, on which a perceptron runs without rounding.
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import signed_rows
from linlib.explorers.kit import scene
from linlib.explorers.kit.sentences import brief, mark, vector
from linlib.margins.hard_margin import gap, hull
from linlib.notebook.colours import GREEN

DIGITS = 4  # decimals of a place
UNIT = 10.0**DIGITS  # places are whole numbers of its inverse
ROUNDING = 1e-12  # of a place, beside its size
FLAT = 1e-9  # a w shorter than this has no direction, only rounding


class Look(NamedTuple):
    """How the points of one label are drawn and what they are called."""

    marker: str
    colour: str
    name: str


def marks(
    X: FloatArray, y: IntArray, looks: Mapping[int, Look], *, size: float
) -> list[scene.Drawable]:
    """Return the points of each label, which cannot be moved; a rule finds them by their names."""
    return [
        scene.Marks(
            X[y == label],
            marker=look.marker,
            colour=look.colour,
            size=size,
            label=look.name,
            name=f"points{label:+d}",
        )
        for label, look in looks.items()
    ]


def hulls(X: FloatArray, y: IntArray, looks: Mapping[int, Look]) -> list[scene.Drawable]:
    """Return the hulls of both classes with their nearest points; nothing without two classes."""
    drawn: list[scene.Drawable] = []
    if len(set(y.tolist())) < 2:
        return drawn
    for label, look in looks.items():
        edge = partial(scene.Path, closed=True, width=1.4, opacity=0.12, name=f"hull{label:+d}")
        drawn.append(edge(hull(X[y == label]), colour=look.colour, fill=look.colour))
    if found := gap(X, y):
        ends = np.array([found.positive, found.negative])
        way = partial(scene.Path, colour=GREEN, width=3.0, label="nearest points of the hulls")
        drawn.append(way(ends, name="gap"))
        drawn.append(scene.Marks(ends, size=5, colour=GREEN, name="nearest"))
    return drawn


def hulls_in_words(X: FloatArray, y: IntArray, *, through_origin: bool = False) -> str:
    """Return whether the hulls meet, and how far apart they are otherwise.

    >>> hulls_in_words(np.array([[0.0, 0.0], [0.3, 0.4]]), np.array([1, -1])).split(":")[0]
    ' The hulls are \ue000gap\ue0010.5\ue002 apart'
    """
    found = gap(X, y) if len(set(y.tolist())) == 2 else None
    if found is None:
        return ""
    if found.distance == 0:
        return f" The hulls meet, at {mark('nearest', vector(found.positive))}."
    far = mark("gap", brief(found.distance))
    free = ", and its line need not pass through the origin" if through_origin else ""
    return f" The hulls are {far} apart: that is the widest street{free}."


def line_of(weights: FloatArray | None, *, bias: bool = True) -> Hyperplane | None:
    """Return the line of ``(w0, w)``, or None where there are no weights or w is zero."""
    if weights is None or np.linalg.norm(weights[int(bias) :]) < FLAT:
        return None
    return Hyperplane.from_weights(weights, bias=bias)


def through(ends: FloatArray) -> Hyperplane:
    """Return the line through two places, computed in whole numbers: they may be close.

    >>> through(np.array([[0.0, 0.0], [1.0, 2.0]])).score([[1.0, 2.0], [1.0, 0.0]])
    array([    0., 20000.])
    """
    (a, b), (c, d) = np.rint(ends * UNIT)
    return Hyperplane([d - b, a - c], ((c - a) * b - (d - b) * a) / UNIT)


def side(h: Hyperplane, X: ArrayLike) -> IntArray:
    """Return +1, −1, or 0 where the score is no larger than the rounding of its terms.

    >>> h = Hyperplane([0.1, 0.2], -0.3)
    >>> h.predict([1.0, 1.0]), side(h, [1.0, 1.0])
    (array(1.), array(0))
    """
    array = np.asarray(X, dtype=np.float64)
    scores = np.asarray(h.score(array))
    terms = np.abs(array) @ np.abs(h.w) + abs(h.w0)
    rounding = 4 * (len(h.w) + 1) * EPS * terms
    return np.asarray(np.where(np.abs(scores) <= rounding, 0, np.sign(scores)), dtype=np.int64)


def whole_rows(X: ArrayLike, y: ArrayLike, *, digits: int, bias: bool = True) -> FloatArray:
    """Return the signed rows times ``10**digits``, for points that have no more decimals.

    A perceptron on them makes the same mistakes as on the points, and no rounding.

    >>> whole_rows([[0.1, 0.3]], [-1], digits=1)
    array([[-10.,  -1.,  -3.]])
    """
    return np.asarray(np.rint(10.0**digits * signed_rows(X, y, bias=bias)) + 0.0)


def difference(a: Hyperplane, b: Hyperplane, at: ArrayLike) -> tuple[float, float]:
    """Return the angle between two lines in degrees, 0 to 90, and how far apart they pass a place.

    A distance that is only the rounding of the places is 0.

    >>> difference(Hyperplane([1, 0], -1), Hyperplane([-2, 0], 6), [0, 0])
    (0.0, 2.0)
    """
    # Of two directions in the plane; an arccosine would lose half the digits of a small angle.
    turn = abs(float(a.w[0] * b.w[1] - a.w[1] * b.w[0]))
    along = abs(float(a.w @ b.w))
    degrees = 0.0 if turn <= ROUNDING * along else float(np.degrees(np.arctan2(turn, along)))
    place = checks.vector(at, "at", len(a.w))
    feet = [h.project(place) for h in (a, b)]
    apart = float(np.linalg.norm(feet[0] - feet[1]))
    size = max(float(np.abs(spot).max()) for spot in (place, *feet))
    return degrees, apart if apart > ROUNDING * size else 0.0
