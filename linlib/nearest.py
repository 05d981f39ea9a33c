"""The point of a convex hull nearest to the origin, by Wolfe's algorithm (1976).

Two of the course's questions are this one question. Signed rows can be separated exactly when
their hull misses the origin, and its nearest point is then the maximum-margin weight vector; the
widest street between two classes is the nearest point of the hull of all differences between them.
The hull is known only through an oracle that returns its lowest vertex in a given direction.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from linlib.checks import FloatArray

Name = TypeVar("Name")
Oracle = Callable[[FloatArray], tuple[Name, FloatArray]]
EPS = float(np.finfo(np.float64).eps)


class Nearest(NamedTuple):
    """The nearest point, as a mixture of named vertices: ``point = shares @ vertices``."""

    point: FloatArray
    names: list[object]
    shares: FloatArray


def nearest_point(
    lowest: Oracle[Name],
    start: FloatArray,
    *,
    enough: Callable[[FloatArray], bool] = lambda point: False,
    max_steps: int = 100_000,
) -> Nearest:
    """Return the point of the hull nearest to the origin.

    ``lowest(u)`` names a vertex v with the least ``u · v`` and gives v itself. ``enough(point)``
    may stop the search early. The mixture that is returned is affinely independent, so it has at
    most one vertex more than there are dimensions.
    """
    name, vertex = lowest(start)
    names: list[object] = [name]
    corral = vertex[None, :]
    shares = np.ones(1)
    point = vertex
    scale = float(np.linalg.norm(vertex))
    for _ in range(max_steps):
        name, vertex = lowest(point)
        scale = max(scale, float(np.linalg.norm(vertex)))
        length = float(np.linalg.norm(point))
        gain = float(point @ point - point @ vertex)
        finished = gain <= 1e-13 * length**2 + EPS * scale * length or length <= EPS * scale
        if finished or name in names or (point @ vertex > 0 and enough(point)):
            break
        names, corral, shares = _minimise(
            [*names, name], np.vstack([corral, vertex]), np.append(shares, 0.0)
        )
        closer = _mixture(corral, shares)
        if not float(closer @ closer) < float(point @ point):
            break
        point = closer
    return Nearest(point, names, shares)


def _mixture(corral: FloatArray, shares: FloatArray) -> FloatArray:
    """Return ``shares @ corral``, without the cancellation where that is nearly zero.

    The nearest point p of an affine hull has ``v · p = p · p`` for every vertex v, so ``p / p · p``
    is the shortest solution of ``corral @ u = 1``; there is one unless p is the origin.
    """
    ones = np.ones(len(corral))
    u = np.linalg.lstsq(corral, ones, rcond=None)[0]
    if np.abs(corral @ u - ones).max() < 1e-6:
        return np.asarray(u / (u @ u))
    return np.asarray(shares @ corral)


def _minimise(
    names: list[object], corral: FloatArray, shares: FloatArray
) -> tuple[list[object], FloatArray, FloatArray]:
    """Move to the nearest point of the corral's affine hull, shedding vertices on the way."""
    while True:
        base, spread = corral[0], corral[1:] - corral[0]
        rest = np.linalg.lstsq(spread.T, -base, rcond=None)[0]
        target = np.concatenate([[1 - rest.sum()], rest])
        inside = target > 1e-14
        if inside.all():
            return names, corral, target
        # Walk from the present shares towards the target, up to where the first share is used up.
        out = np.flatnonzero(~inside)
        reach = shares[out] / np.maximum(shares[out] - target[out], EPS)
        fraction = min(1.0, float(reach.min()))
        shares = np.maximum(fraction * target + (1 - fraction) * shares, 0.0)
        keep = shares > 1e-14
        keep[out[np.argmin(reach)]] = False
        names = [name for name, kept in zip(names, keep, strict=True) if kept]
        corral, shares = corral[keep], shares[keep] / shares[keep].sum()
        if len(names) == 1:
            return names, corral, shares
