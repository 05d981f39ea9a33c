"""Exact regions of a plane: cut the picture by lines, ask who claims each piece, draw it."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit import scene
from linlib.explorers.kit.geometry import Look
from linlib.multiclass.schemes import LinearMachine, OneVsOne, OneVsRest
from linlib.notebook.colours import BLACK, GREY

SLIVER = 1e-9  # a piece with less than this share of the picture is rounding
LABELLED = 0.025  # pieces with at least this share of the picture say who claims them

Scheme = OneVsRest | OneVsOne | LinearMachine


class Region(NamedTuple):
    """A convex piece of the picture and the positions of the classes that claim it."""

    polygon: FloatArray
    claims: tuple[int, ...]


def area(polygon: ArrayLike) -> float:
    """Return the area of a convex polygon."""
    x, y = np.asarray(polygon, dtype=np.float64).reshape(-1, 2).T
    if not len(x):
        return 0.0
    around = x[:-1] @ y[1:] - y[:-1] @ x[1:] + x[-1] * y[0] - y[-1] * x[0]
    return 0.5 * abs(float(around))


def lines_of(scheme: Scheme) -> list[Hyperplane]:
    """Return the lines whose answers a scheme combines; a linear machine has none."""
    if isinstance(scheme, LinearMachine):
        return []
    lines = scheme.hyperplanes
    return list(lines.values() if isinstance(lines, Mapping) else lines)


def cells(view: scene.View, lines: Iterable[Hyperplane]) -> list[FloatArray]:
    """Return the pieces into which lines cut the picture."""
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
    found = cells(view, lines_of(scheme))
    return list(map(Region, found, claims(scheme, found)))


def _of_machine(machine: LinearMachine, view: scene.View) -> Iterator[Region]:
    """Yield one convex region a class: where it beats every other."""
    least = SLIVER * area(scene.corners(view))
    for k in range(len(machine.classes)):
        piece = scene.corners(view)
        for j in range(len(machine.classes)):
            h = boundary(machine, k, j)
            piece = scene.clip(piece, h) if h else piece
        if area(piece) > least:
            (tied,) = claims(machine, [piece])
            if tied[0] == k:  # classes with equal weights share a region; the first one lists it
                yield Region(piece, tied)


def boundary(machine: LinearMachine, a: int, b: int) -> Hyperplane | None:
    """Return where two classes tie, or None where they differ by a constant."""
    alike = np.array_equal(machine.weights[a, 1:], machine.weights[b, 1:])
    return None if alike else machine.boundary(a, b)


def borders(machine: LinearMachine, regions: list[Region]) -> Iterator[tuple[int, int, FloatArray]]:
    """Yield the classes that meet and the two ends of the segment where they do."""
    found = {region.claims[0]: region.polygon for region in regions}
    for a, b in combinations(sorted(found), 2):
        h = boundary(machine, a, b)
        if h is None:
            continue
        ends = scene.segment(h, found[a])
        if len(ends):
            yield a, b, ends


def claims(scheme: Scheme, pieces: list[FloatArray]) -> list[tuple[int, ...]]:
    """Return of every piece the positions of the classes that claim its middle."""
    found = scheme.claims(np.array([piece.mean(axis=0) for piece in pieces]))
    return [tuple(np.flatnonzero(row).tolist()) for row in found]


def drawn(
    name: str,
    scheme: Scheme,
    regions: list[Region],
    view: scene.View,
    looks: Mapping[int, Look],
    X: FloatArray,
) -> list[scene.Drawable]:
    """Return tinted regions, grey where in doubt and darker without a claim, lines and notes."""
    made: list[scene.Drawable] = []
    for region in regions:
        if len(region.claims) == 1:
            label = int(scheme.classes[region.claims[0]])
            tint = partial(scene.polygon, fill=looks[label].colour, name=f"region-{label}")
        else:
            opacity = 0.34 if region.claims else 0.5
            tint = partial(scene.polygon, fill=BLACK, opacity=opacity, name=f"doubt: {name}")
        made.append(tint(region.polygon))
    if isinstance(scheme, LinearMachine):
        border = partial(scene.Path, width=1.8)
        made += [border(ends, name=f"border-{a}{b}") for a, b, ends in borders(scheme, regions)]
    elif isinstance(scheme, OneVsOne):
        for (a, b), h in scheme.hyperplanes.items():
            made += scene.line(h, view, colour=GREY, width=1.6, name=f"line-{a}{b}")
    else:
        for k, h in enumerate(scheme.hyperplanes):
            colour = looks[int(scheme.classes[k])].colour
            made += scene.line(h, view, colour=colour, name=f"line-{k}")
    return made + _notes(scheme, regions, view, X)


def _notes(
    scheme: Scheme, regions: list[Region], view: scene.View, X: FloatArray
) -> list[scene.Drawable]:
    """Return who claims the larger pieces in doubt, written where no point is."""
    made: list[scene.Drawable] = []
    whole = area(scene.corners(view))
    for region in regions:
        if len(region.claims) != 1 and area(region.polygon) > LABELLED * whole:
            classes = [str(scheme.classes[k]) for k in region.claims]
            look = partial(scene.Text, anchor="middle", offset=(0, -5), name="claim")
            spot = _room(region, view, X)
            made.append(look(spot, " or ".join(classes) or "none"))
    return made


def _room(region: Region, view: scene.View, X: FloatArray) -> FloatArray:
    """Return a place inside a region, away from its points and from the frame."""
    (left, right), (low, high) = view
    inner = (
        (0.85 * left + 0.15 * right, 0.15 * left + 0.85 * right),
        (0.93 * low + 0.07 * high, 0.07 * low + 0.93 * high),
    )
    middle = region.polygon.mean(axis=0)
    ways = region.polygon - middle
    spots = [middle, *(middle + t * way for t in (0.3, 0.55) for way in ways)]
    places = np.array([scene.clamp(spot, inner) for spot in spots])
    gaps = np.linalg.norm(places[:, None] - X[None], axis=2).min(axis=1)
    # The middle is best unless a point is near it.
    gaps[0] += 0.08 * (right - left)
    return np.asarray(places[int(gaps.argmax())])
