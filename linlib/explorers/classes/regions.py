"""Exact regions of a plane: cut the picture by lines, ask a scheme who claims each piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit import scene
from linlib.multiclass.schemes import LinearMachine, OneVsOne, OneVsRest

SLIVER = 1e-9  # a piece with less than this share of the picture is rounding

Scheme = OneVsRest | OneVsOne | LinearMachine


class Region(NamedTuple):
    """A convex piece of the picture and the positions of the classes that claim it."""

    polygon: FloatArray
    claims: tuple[int, ...]

    @property
    def middle(self) -> FloatArray:
        """A place inside."""
        return np.asarray(self.polygon.mean(axis=0))


def area(polygon: ArrayLike) -> float:
    """Return the area of a convex polygon.

    >>> area([[0, 0], [2, 0], [2, 1], [0, 1]])
    2.0
    """
    x, y = np.asarray(polygon, dtype=np.float64).reshape(-1, 2).T
    if not len(x):
        return 0.0
    around = x[:-1] @ y[1:] - y[:-1] @ x[1:] + x[-1] * y[0] - y[-1] * x[0]
    return 0.5 * abs(float(around))


def cells(view: scene.View, lines: Iterable[Hyperplane]) -> list[FloatArray]:
    """Return the pieces into which lines cut the picture.

    >>> len(cells(((0.0, 2.0), (0.0, 2.0)), [Hyperplane([1, 0], -1), Hyperplane([0, 1], -1)]))
    4
    """
    pieces = [scene.corners(view)]
    least = SLIVER * area(pieces[0])
    for h in lines:
        halves = [scene.clip(piece, h, sign) for piece in pieces for sign in (1, -1)]
        pieces = [half for half in halves if area(half) > least]
    return pieces


def regions(scheme: Scheme, view: scene.View) -> list[Region]:
    """Return pieces that fill the picture, each claimed by the same classes throughout."""
    if isinstance(scheme, LinearMachine):
        return list(_of_machine(scheme, view))
    lines = scheme.hyperplanes
    found = cells(view, lines.values() if isinstance(lines, Mapping) else lines)
    return [Region(piece, claims(scheme, piece)) for piece in found]


def _of_machine(machine: LinearMachine, view: scene.View) -> Iterator[Region]:
    """Yield one convex region a class: where it beats every other."""
    least = SLIVER * area(scene.corners(view))
    for k in range(len(machine.classes)):
        piece = scene.corners(view)
        for j in range(len(machine.classes)):
            h = boundary(machine, k, j)
            piece = scene.clip(piece, h) if h else piece
        if area(piece) > least:
            tied = claims(machine, piece)
            if tied[0] == k:  # classes with equal weights share a region; the first one lists it
                yield Region(piece, tied)


def boundary(machine: LinearMachine, a: int, b: int) -> Hyperplane | None:
    """Return where two classes tie, or None where they differ by a constant."""
    alike = np.array_equal(machine.weights[a, 1:], machine.weights[b, 1:])
    return None if alike else machine.boundary(a, b)


def borders(machine: LinearMachine, view: scene.View) -> Iterator[tuple[int, int, FloatArray]]:
    """Yield the classes that meet and the two ends of the segment where they do."""
    found = {region.claims[0]: region.polygon for region in regions(machine, view)}
    for a, b in combinations(sorted(found), 2):
        h = boundary(machine, a, b)
        if h is None:
            continue
        ends = found[a][np.abs(h.distance(found[a])) <= 1e-9 * np.ptp(view)]
        if len(ends) >= 2:
            along = ends @ np.array([-h.w[1], h.w[0]])
            yield a, b, ends[[along.argmin(), along.argmax()]]


def claims(scheme: Scheme, piece: FloatArray) -> tuple[int, ...]:
    """Return the positions of the classes that claim the middle of a piece."""
    found = np.flatnonzero(scheme.claims(piece.mean(axis=0, keepdims=True))[0])
    return tuple(found.tolist())
