"""Lines, their sides and the cone between them, cut off where the picture ends."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit.scene.drawn import path, polygon
from linlib.explorers.kit.scene.kinds import CLASS_LOOK, Item, View


def corners(view: View) -> FloatArray:
    """Return the corners of the view, anticlockwise."""
    (left, right), (low, high) = view
    return np.array([[left, low], [right, low], [right, high], [left, high]])


def clip(polygon_: ArrayLike, h: Hyperplane, sign: int = 1) -> FloatArray:
    """Return the part of a convex polygon on the positive side of ``h``: shape (m, 2), m may be 0.

    With ``sign=-1`` it is the part on the negative side.

    >>> clip([[0, 0], [2, 0], [2, 2], [0, 2]], Hyperplane([1, 0], -1)).tolist()
    [[1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0]]
    """
    array = np.asarray(polygon_, dtype=np.float64).reshape(-1, 2)
    if not len(array):
        return array
    scores = (sign * (array @ h.w + h.w0) / h.norm).tolist()
    spots, kept = array.tolist(), []
    for k in range(len(spots)):
        here, there = scores[k - 1], scores[k]
        if (here > 0) != (there > 0):
            share = here / (here - there)
            kept.append([a + share * (b - a) for a, b in zip(spots[k - 1], spots[k], strict=True)])
        if there > 0:
            kept.append(spots[k])
    return np.array(kept).reshape(-1, 2)


def side(h: Hyperplane, view: View, sign: int, **look: Any) -> list[Item]:
    """Return the shaded half of the view where ``h`` says ``sign``; nothing if there is none."""
    area = clip(corners(view), h, sign)
    shade: Item = {"fill": CLASS_LOOK[sign][1], "name": f"side{sign:+d}"} | look
    return [polygon(area, **shade)] if len(area) else []


def sides(h: Hyperplane, view: View, **look: Any) -> list[Item]:
    """Return both halves of the view, shaded."""
    return [*side(h, view, 1, **look), *side(h, view, -1, **look)]


def line(h: Hyperplane, view: View, **look: Any) -> list[Item]:
    """Return the part of the line ``h = 0`` inside the view; nothing if it passes outside."""
    area = clip(corners(view), h)
    if not len(area):
        return []
    ends = area[np.abs(h.distance(area)) <= 1e-9 * max(1.0, float(np.abs(np.array(view)).max()))]
    along = ends @ np.array([-h.w[1], h.w[0]])
    if len(ends) < 2:
        return []
    return [path(ends[[along.argmin(), along.argmax()]], **({"name": "line"} | look))]


def solutions(normals: FloatArray, offsets: FloatArray, view: View) -> FloatArray:
    """Return the part of the view where ``normals @ w + offsets > 0`` in every row: (m, 2)."""
    area = corners(view)
    for normal, offset in zip(normals, offsets, strict=True):
        if normal.any():
            area = clip(area, Hyperplane(normal, float(offset)))
        elif not offset > 0:  # a row without a direction is right everywhere or nowhere
            return area[:0]
    return area


def around(view: View, spots: ArrayLike) -> View:
    """Return the view, enlarged about its middle by a round factor if it does not hold the spots.

    >>> around(((-5.0, 5.0), (-4.0, 4.0)), [[20.0, 10.0], [0.0, 0.0]])
    ((-20.0, 20.0), (-16.0, 16.0))
    """
    low, high = np.array(view, dtype=np.float64).T
    places = checks.numbers(np.asarray(spots, dtype=np.float64).reshape(-1, 2), "positions")
    half, middle = (high - low) / 2, (low + high) / 2
    needed = float((np.abs(places - middle) / half).max(initial=0.0))
    if needed <= 1:
        return view
    power = 10.0 ** np.floor(np.log10(needed))
    factor = float(power * next(k for k in (1, 2, 4, 5, 10) if k * power >= needed))
    (left, bottom), (right, top) = middle - factor * half, middle + factor * half
    return (float(left), float(right)), (float(bottom), float(top))


def clamp(at: ArrayLike, view: View) -> FloatArray:
    """Return the nearest place inside the view, rounded to what a reader can aim at."""
    low, high = np.array(view, dtype=np.float64).T
    return np.clip(checks.vector(at, "position", 2), low, high).round(4) + 0.0
