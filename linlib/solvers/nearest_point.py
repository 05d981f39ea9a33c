"""The point of a convex hull nearest to the origin, by Wolfe's algorithm (1976).

Two of the course's questions are this one question. Signed rows can be separated exactly when
their hull misses the origin, and its nearest point is then the maximum-margin weight vector; the
widest street between two classes is the nearest point of the hull of all differences between them.
The hull is known only through an oracle that returns its lowest vertex in a given direction.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from linlib.base.checks import EPS, FloatArray

Name = TypeVar("Name")
Oracle = Callable[[FloatArray], tuple[Name, FloatArray]]


def norm(v: FloatArray) -> float:
    """Return ‖v‖, for short vectors faster than ``np.linalg.norm``."""
    return math.sqrt(float(np.vdot(v, v)))


class Nearest(NamedTuple):
    """The nearest point, as a mixture of named vertices: ``point = shares @ vertices``."""

    point: FloatArray
    names: list[object]
    shares: FloatArray


def lowest_row(Z: FloatArray) -> Oracle[int]:
    """Return the oracle of the hull of some rows, which names them by their numbers."""

    def lowest(u: FloatArray) -> tuple[int, FloatArray]:
        row = int(np.argmin(Z @ u))
        return row, Z[row]

    return lowest


def nearest_point(
    lowest: Oracle[Name],
    start: FloatArray,
    *,
    enough: Callable[[FloatArray], bool] = lambda point: False,
    max_updates: int = 100_000,
) -> Nearest:
    """Return the point of the hull nearest to the origin.

    ``lowest(u)`` names a vertex v with the least ``u · v`` and gives v itself. ``enough(point)``
    may stop the search early. The mixture that is returned is affinely independent, so it has at
    most one vertex more than there are dimensions.
    """
    name, vertex = lowest(start)
    found = Nearest(vertex, [name], np.ones(1))
    corral = _Corral(vertex)
    scale = norm(vertex)
    for _ in range(max_updates):
        point = found.point
        name, vertex = lowest(point)
        scale = max(scale, norm(vertex))
        length = norm(point)
        gain = float(point @ point - point @ vertex)
        finished = gain <= 1e-13 * length**2 + EPS * scale * length or length <= EPS * scale
        if finished or name in found.names or (point @ vertex > 0 and enough(point)):
            break
        try:
            corral.add(vertex)
            closer = _minimise(corral, [*found.names, name], np.append(found.shares, 0.0))
        except np.linalg.LinAlgError:  # the gain was rounding: the vertex adds no direction
            break
        if not float(closer.point @ closer.point) < float(point @ point):
            break
        found = closer
    return found


class _Corral:
    """Vertices v₀, v₁, … and the factors Q R of the matrix whose columns are their v_k − v₀."""

    def __init__(self, vertex: FloatArray) -> None:
        self.vertices = [vertex]
        self._factor()

    def _factor(self) -> None:
        columns = [vertex - self.vertices[0] for vertex in self.vertices[1:]]
        self.Q, self.R = np.linalg.qr(np.reshape(columns, (-1, self.vertices[0].size)).T)

    def add(self, vertex: FloatArray) -> None:
        """Append one column to the factors, which is far cheaper than to compute them again."""
        column = vertex - self.vertices[0]
        self.vertices.append(vertex)
        along = self.Q.T @ column
        rest = column - self.Q @ along
        again = self.Q.T @ rest  # what rounding left in it of the other columns
        rest -= self.Q @ again
        length = norm(rest)
        if not length > 0:
            raise np.linalg.LinAlgError
        k = len(along)
        R = np.zeros((k + 1, k + 1))
        R[:k, :k], R[:k, k], R[k, k] = self.R, along + again, length
        self.Q, self.R = np.column_stack([self.Q, rest / length]), R

    def drop(self, k: int) -> None:
        del self.vertices[k]
        self._factor()

    def nearest(self) -> tuple[FloatArray, FloatArray]:
        """Return the point of the affine hull nearest to the origin, and its shares."""
        base = self.vertices[0]
        along = self.Q.T @ base
        rest = np.linalg.solve(self.R, along)
        point = base - self.Q @ along
        # Again, because what little may be left of the base is full of its rounding errors.
        point = point - self.Q @ (self.Q.T @ point)
        return point, np.concatenate([[1 + rest.sum()], -rest])


def _minimise(corral: _Corral, names: list[object], shares: FloatArray) -> Nearest:
    """Move to the nearest point of the corral's affine hull, shedding vertices on the way."""
    while True:
        point, target = corral.nearest()
        outside = np.flatnonzero(target <= 0)
        if not outside.size:
            return Nearest(point, names, target)
        # Walk from the present shares towards the target, up to where the first share is used up.
        reach = shares[outside] / np.maximum(shares[outside] - target[outside], EPS)
        fraction = min(1.0, float(reach.min()))
        shares = np.maximum(fraction * target + (1 - fraction) * shares, 0.0)
        shares[outside[np.argmin(reach)]] = 0.0
        for k in reversed(np.flatnonzero(shares <= 0)):
            corral.drop(int(k))
            names = names[:k] + names[k + 1 :]
        shares = shares[shares > 0]
        shares = shares / shares.sum()
