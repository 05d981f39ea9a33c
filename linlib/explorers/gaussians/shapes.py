"""Two Gaussian classes as a reader shapes them, and the part of their boundary in the picture."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from contourpy import ContourGenerator, FillType, contour_generator

from linlib.base.checks import FloatArray, IntArray
from linlib.discriminants import quadric
from linlib.discriminants.quadric import Quadric
from linlib.explorers.kit import scene

SAMPLE, SEED = 200, 7
VIEW: scene.View = ((-5.0, 5.0), (-4.0, 4.0))
GRID = (201, 161)  # less than three pixels apart
SPOTS = 361  # corners of an ellipse
THINNEST = 0.15  # the shortest semi-axis: no covariance is singular


class Shape(NamedTuple):
    """A class: its mean, one semi-axis of its ellipse, and the length of the other."""

    mean: tuple[float, float]
    axis: tuple[float, float]
    width: float

    @property
    def axes(self) -> FloatArray:
        """Both semi-axes as columns; ``axes @ axes.T`` is the covariance."""
        x, y = self.axis
        share = self.width / float(np.hypot(x, y))
        return np.array([[x, -share * y], [y, share * x]])

    def turned(self, reach: FloatArray) -> Shape:
        """Return the shape with its axis turned and stretched to a place, seen from the mean."""
        length = float(np.linalg.norm(reach))
        way = reach / length if length > 0 else np.array(self.axis) / np.hypot(*self.axis)
        right, up = (max(length, THINNEST) * way).tolist()
        return self._replace(axis=(right, up))

    @property
    def across(self) -> FloatArray:
        """The unit vector across the axis."""
        return np.asarray(self.axes[:, 1] / self.width)

    def widened(self, reach: FloatArray) -> Shape:
        """Return the shape as wide as a place, seen from the mean, is off the axis."""
        return self._replace(width=max(abs(float(self.across @ reach)), THINNEST))


Shapes = tuple[Shape, Shape]
PRESETS = {
    "different shapes": (Shape((-1.4, -0.8), (1.1, 0.5), 0.6), Shape((1.2, 0.6), (-0.4, 1.0), 0.5)),
    "same shape": (Shape((-1.4, -0.6), (1.2, 0.6), 0.6), Shape((1.4, 0.6), (1.2, 0.6), 0.6)),
    "small in large": (Shape((0.0, 0.0), (1.9, 0.0), 1.6), Shape((0.4, 0.2), (0.6, 0.0), 0.5)),
    "crossed": (Shape((0.0, 0.0), (2.0, 0.0), 0.5), Shape((0.8, 0.6), (0.0, 1.6), 0.5)),
}


def sample(shapes: Shapes, positive: int) -> tuple[FloatArray, IntArray]:
    """Return points of both classes, so many of class 1, with exactly these means and shapes.

    >>> X, y = sample(PRESETS["crossed"], 50)
    >>> bool(np.allclose(X[y == 1].mean(axis=0), PRESETS["crossed"][1].mean))
    True
    """
    noise = np.random.default_rng(SEED).normal(size=(2, SAMPLE, 2))
    counts = (SAMPLE - positive, positive)
    clouds = [
        np.array(shape.mean) + _standard(part[:count]) @ shape.axes.T
        for shape, part, count in zip(shapes, noise, counts, strict=True)
    ]
    return np.vstack(clouds), np.repeat([0, 1], counts)


def _standard(noise: FloatArray) -> FloatArray:
    """Return the points moved and sheared so that their mean is 0 and their covariance 1."""
    centred = noise - noise.mean(axis=0)
    L = np.linalg.cholesky(centred.T @ centred / len(centred))
    return np.asarray(np.linalg.solve(L, centred.T).T)


def in_python(shapes: Shapes, positive: int) -> str:
    """Return the lines that make the same sample."""
    means, axes = (
        [np.asarray(part).tolist() for part in parts]
        for parts in ([s.mean for s in shapes], [s.axes for s in shapes])
    )
    return (
        f"rng = np.random.default_rng({SEED})\nX, y = [], []\n"
        f"for k, (mean, axes, count) in enumerate(\n    zip({means},\n        "
        f"{axes},\n        {[SAMPLE - positive, positive]})\n):\n"
        f"    noise = rng.normal(size=({SAMPLE}, 2))[:count]\n"
        "    noise = noise - noise.mean(axis=0)\n"
        "    L = np.linalg.cholesky(noise.T @ noise / count)\n"
        "    X += (mean + np.linalg.solve(L, noise.T).T @ np.transpose(axes)).tolist()\n"
        "    y += [k] * count\n"
    )


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
    return bool(len(scene.inside(curve.origin + end * curve.axes[:, 0], VIEW)))


def traced(curve: Quadric) -> list[FloatArray]:
    """Return the curve in the picture: by its formula where a grid might miss it."""
    bends, flat = curve.bends, int(np.argmin(np.abs(curve.bends)))
    if curve.kind == quadric.POINT:
        return [curve.origin[None]]
    if curve.kind == quadric.ELLIPSE and min(semi := np.sqrt(-curve.level / bends)) < 10:
        turn = np.linspace(0, 2 * np.pi, SPOTS)
        oval = np.column_stack([np.cos(turn), np.sin(turn)]) * semi
        return [curve.origin + oval @ curve.axes.T]
    if curve.kind in (quadric.PARALLEL, quadric.DOUBLE):
        along, across = curve.axes[:, flat], curve.axes[:, 1 - flat]
        reach = (float(np.linalg.norm(curve.origin)) + 20.0) * np.array([[-1.0], [1.0]]) * along
        away = float(np.sqrt(max(-curve.level / bends[1 - flat], 0.0)))
        return [curve.origin + side * across + reach for side in sorted({away, -away})]
    return [np.asarray(part) for part in _grid(curve).lines(0.0)]


def tinted(curve: Quadric) -> list[tuple[int, FloatArray]]:
    """Return areas of the picture with the class to which QDA gives each."""
    if curve.kind in (quadric.NONE, quadric.EVERYWHERE):
        return [(int(curve.sign > 0), scene.corners(VIEW))]
    grid, found = _grid(curve), []
    for k, limits in ((0, (-np.inf, 0.0)), (1, (0.0, np.inf))):
        for points, starts in zip(*grid.filled(*limits), strict=True):
            rings = [points[a:b] for a, b in pairwise(starts)]
            # A hole is cut by going round it on the way, there and back by the same line.
            found.append((k, np.vstack([part for ring in rings for part in (ring, rings[0][:1])])))
    return found


def _grid(curve: Quadric) -> ContourGenerator:
    across, up = (np.linspace(*limits, number) for limits, number in zip(VIEW, GRID, strict=True))
    t = (np.stack(np.meshgrid(across, up), axis=-1) - curve.origin) @ curve.axes
    heights = t**2 @ curve.bends + t @ curve.slopes + curve.level
    return contour_generator(across, up, heights, fill_type=FillType.OuterOffset)
