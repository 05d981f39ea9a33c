"""Small data sets, each named after what it shows. Randomness is passed in, never hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import Frozen
from linlib.data.real import RealData as RealData
from linlib.data.real import load as load


class Points(NamedTuple):
    """Features ``X`` (n, d) and labels ``y`` (n,).

    >>> Points(np.array([[0.0], [1.0]]), np.array([-1, 1]))
    Points(points 2 × 1; labels -1: 1, +1: 1)
    """

    X: FloatArray
    y: IntArray

    def _facts(self) -> Mapping[str, str]:
        counts = Counter(self.y.tolist())
        sizes = ", ".join(f"{label:+d}: {counts[label]}" for label in sorted(counts))
        return {"points": " × ".join(map(str, self.X.shape)), "labels": sizes}

    __repr__, _repr_html_ = Frozen.__repr__, Frozen._repr_html_  # type: ignore[misc]


_CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def and_gate() -> Points:
    """Return the four corners of the unit square; only (1, 1) is positive.

    >>> and_gate().y
    array([-1, -1, -1,  1])
    """
    return Points(_CORNERS.copy(), np.array([-1, -1, -1, 1]))


def xor_gate() -> Points:
    """Return the four corners with equal labels on each diagonal: no line separates them.

    >>> xor_gate().y
    array([-1,  1,  1, -1])
    """
    return Points(_CORNERS.copy(), np.array([-1, 1, 1, -1]))


def three_points(*, far: bool = False) -> Points:
    """Return three points separable through the origin; ``far`` moves the last one to (−1, 10).

    >>> three_points().X[2], three_points(far=True).X[2]
    (array([-1. ,  1.5]), array([-1., 10.]))
    """
    X = np.array([[-1.0, -1.0], [1.0, 0.0], [-1.0, 10.0 if far else 1.5]])
    return Points(X, np.array([1, -1, 1]))


def separable(n: int, d: int, rng: np.random.Generator, *, margin: float = 0.1) -> Points:
    """Return n points of the cube [−1, 1]^d at least ``margin`` away from a random hyperplane.

    Both labels occur. The hyperplane passes near the origin.

    >>> X, y = separable(50, 3, np.random.default_rng(7))
    >>> X.shape, set(y.tolist()) == {-1, 1}
    ((50, 3), True)
    """
    n, d = checks.count(n, "n", least=2), checks.count(d, "d", least=1)
    margin = checks.positive(margin, "margin", zero=True)
    if margin >= 0.5:
        raise ValueError(f"margin: must be below 0.5 to leave room in the cube, got {margin}.")
    rng = checks.generator(rng, "separable()")
    normal = rng.normal(size=d)
    normal /= np.linalg.norm(normal)
    offset = rng.uniform(-0.2, 0.2)
    kept = np.empty((0, d))
    for _ in range(1_000):
        X = rng.uniform(-1, 1, size=(4 * n, d))
        kept = np.vstack([kept, X[np.abs(X @ normal + offset) > margin]])
        y = np.sign(kept[:n] @ normal + offset).astype(np.int64)
        if len(set(y)) == 2 and len(y) == n:
            return Points(kept[:n].copy(), y)
        if len(y) == n:
            kept = kept[:0]
    raise ValueError(f"margin: {margin} leaves too few points in the cube; choose a smaller one.")


def two_clouds(
    n: int, rng: np.random.Generator, *, distance: float = 4.0, d: int = 2, share: float = 0.5
) -> Points:
    """Return two round Gaussian clouds of variance 1 whose centres are ``distance`` apart.

    ``share`` of the n points are positive, with centre (distance/2, 0, …).

    >>> two_clouds(40, np.random.default_rng(7), share=0.25)
    Points(points 40 × 2; labels -1: 30, +1: 10)
    """
    n, d = checks.count(n, "n", least=2), checks.count(d, "d", least=1)
    rng = checks.generator(rng, "two_clouds()")
    distance = checks.positive(distance, "distance", zero=True)
    positive = round(n * checks.positive(share, "share"))
    if not 0 < positive < n:
        raise ValueError(f"share: {share} of {n} points leaves a class empty; choose another.")
    y = np.repeat([1, -1], [positive, n - positive])
    X = rng.normal(size=(n, d))
    X[:, 0] += y * distance / 2
    return Points(X, y)


def circle(n: int, rng: np.random.Generator, *, radius: float = 0.8) -> Points:
    """Return n points of the square [−1, 1]², positive inside a circle about the origin.

    >>> X, y = circle(100, np.random.default_rng(7))
    >>> bool(np.all((np.linalg.norm(X, axis=1) < 0.8) == (y > 0)))
    True
    """
    X = checks.generator(rng, "circle()").uniform(-1, 1, (checks.count(n, "n", least=1), 2))
    inside = (X**2).sum(axis=1) < checks.positive(radius, "radius") ** 2
    return Points(X, np.where(inside, 1, -1))


def with_outliers(n: int, rng: np.random.Generator, *, outliers: int = 8) -> Points:
    """Return two separate clouds, and positive outliers far out on the right side.

    The outliers come last, at about (16, −14): right by far for the line ``x1 = 0`` between the
    clouds, and yet they turn the line that least squares draws.

    >>> with_outliers(20, np.random.default_rng(7))
    Points(points 28 × 2; labels -1: 10, +1: 18)
    """
    rng = checks.generator(rng, "with_outliers()")
    X, y = two_clouds(n, rng, distance=6.0)
    far = rng.normal(size=(checks.count(outliers, "outliers"), 2)) + np.array([16.0, -14.0])
    return Points(np.vstack([X, far]), np.concatenate([y, np.ones(len(far), dtype=np.int64)]))


def clouds(centres: object, each: int, rng: np.random.Generator, *, spread: float = 1.0) -> Points:
    """Return ``each`` Gaussian points around every centre, labelled 0, 1, 2 and so on.

    >>> X, y = clouds([[0, 0], [5, 0], [0, 5]], 10, np.random.default_rng(7))
    >>> X.shape, y.tolist() == [0] * 10 + [1] * 10 + [2] * 10
    ((30, 2), True)
    """
    middle = checks.points(centres, "centres")  # type: ignore[arg-type]
    each = checks.count(each, "each", least=1)
    y = np.repeat(np.arange(len(middle)), each)
    noise = checks.generator(rng, "clouds()").normal(size=(len(y), middle.shape[1]))
    return Points(middle[y] + checks.positive(spread, "spread", zero=True) * noise, y)


def three_in_a_row(each: int, rng: np.random.Generator) -> Points:
    """Return three clouds along a diagonal: the middle one is masked under least squares.

    Each cloud is moved so that its mean is exactly (−4, −4), (0, 0) or (4, 4). Least squares then
    gives the middle class the score 1/3 everywhere, and on either side another class has more.

    >>> X, y = three_in_a_row(30, np.random.default_rng(7))
    >>> X[y == 2].mean(axis=0).round(9)
    array([4., 4.])
    """
    centres = np.array([[-4.0, -4.0], [0.0, 0.0], [4.0, 4.0]])
    noise, y = clouds(0 * centres, each, checks.generator(rng, "three_in_a_row()"), spread=0.8)
    middles = np.array([noise[y == k].mean(axis=0) for k in range(3)])
    return Points(noise + (centres - middles)[y], y)


def orthonormal(d: int) -> Points:
    """Return the d unit vectors, all positive: d mistakes at margin 1/√d (use ``bias=False``).

    >>> orthonormal(2).X
    array([[1., 0.],
           [0., 1.]])
    """
    return Points(np.eye(checks.count(d, "d", least=1)), np.ones(d, dtype=np.int64))
