"""The part of a curve of second degree that a picture shows."""

from __future__ import annotations

import numpy as np
from contourpy import contour_generator
from numpy.typing import NDArray

from linlib.base.checks import FloatArray
from linlib.discriminants import quadric
from linlib.discriminants.quadric import Quadric
from linlib.explorers.kit import scene

VIEW: scene.View = ((-5.0, 5.0), (-4.0, 4.0))
FAR = 60.0  # a curve whose centre is farther away is drawn from its log odds on a grid
GRID = (151, 121)


def meets(curve: Quadric) -> bool:
    """Tell whether any of a curve lies inside the picture.

    Along an edge of the picture the left side is a parabola in one number: its roots are where the
    curve crosses. A curve that crosses no edge is inside as a whole or not at all.
    """
    corners = scene.corners(VIEW)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        low, half, high = (curve.value(start + t * (end - start)) for t in (0.0, 0.5, 1.0))
        if min(low, half, high) <= 0 <= max(low, half, high):
            return True
        bend, slope = 2 * (low - 2 * half + high), 4 * half - 3 * low - high
        top = -slope / (2 * bend) if bend else -1.0
        if 0 < top < 1 and (low + slope * top / 2) * low <= 0:
            return True
    if curve.kind not in (quadric.ELLIPSE, quadric.POINT):
        return False  # the others reach beyond every frame
    end = np.sqrt(max(-curve.level / curve.bends[0], 0.0))
    return bool(inside((curve.origin + end * curve.axes[:, 0])[None])[0])


def traced(curve: Quadric) -> list[FloatArray]:
    """Return the curve in and around the picture: by its formula, or, if it is large, on a grid."""
    away = float(np.linalg.norm(curve.origin))
    steps = np.abs(curve.bends[curve.bends != 0])
    size = float(np.sqrt(abs(curve.level) / steps.min())) if len(steps) else 0.0
    if away + size < FAR or curve.kind in (quadric.LINE, quadric.PARALLEL, quadric.DOUBLE):
        return quadric.trace(curve, away + 20.0, spots=361)
    across, up = (np.linspace(*limits, number) for limits, number in zip(VIEW, GRID, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1)
    t = (grid - curve.origin) @ curve.axes
    heights = t**2 @ curve.bends + t @ curve.slopes + curve.level
    return [np.asarray(part) for part in contour_generator(across, up, heights).lines(0.0)]


def near(xy: FloatArray) -> list[FloatArray]:
    """Return the pieces of a curve in or near the picture: the rest is cut off by its frame."""
    (left, right), (low, high) = VIEW
    room = 0.5 * (right - left)
    x, y = xy.T
    seen = (x > left - room) & (x < right + room) & (y > low - room) & (y < high + room)
    cuts = np.flatnonzero(np.diff(seen.astype(int))) + 1
    parts = np.split(np.arange(len(xy)), cuts)
    return [xy[part] for part in parts if seen[part[0]] and len(part) > 1]


def inside(X: FloatArray) -> NDArray[np.bool_]:
    """Tell of every place whether it lies inside the picture."""
    (left, right), (low, high) = VIEW
    x, y = X.T
    return np.asarray((x >= left) & (x <= right) & (y >= low) & (y <= high))
