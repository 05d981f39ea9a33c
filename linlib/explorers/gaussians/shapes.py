"""Two Gaussian classes as a reader shapes them, and a sample that has exactly their moments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray, IntArray

SAMPLE, SEED = 200, 7
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

    @property
    def covariance(self) -> FloatArray:
        """The covariance matrix."""
        return np.asarray(self.axes @ self.axes.T)

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
