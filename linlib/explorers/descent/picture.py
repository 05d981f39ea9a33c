"""A descent, drawn: over the plane of its two weights, and as a rule among the points."""

from __future__ import annotations

import contourpy
import numpy as np

from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.descent.losses import Objective
from linlib.explorers.descent.moment import Fall
from linlib.explorers.descent.outlook import SETTLES, span
from linlib.explorers.descent.surface import Spot
from linlib.explorers.kit import scene
from linlib.explorers.kit.scene import Item
from linlib.notebook.colours import BLACK, GREEN, GREY, PURPLE

MOST_DOTS = 60  # steps that are drawn as dots besides the line
VIEW: scene.View = ((-4.0, 4.0), (-4.0, 4.0))
FAR = 40.0  # where a path that runs away is cut off, ten times the picture's half
LEVELS = 11
WIDE = 300.0  # pixels, of either panel
NOWHERE = np.zeros((0, 2))


def under(target: Objective) -> list[Item]:
    """Return what depends on points and loss alone: where every point is right, equal losses."""
    drawn = []
    right = scene.solutions(target.Z, np.zeros(len(target.Z)), VIEW)
    if len(right):
        green: Item = {"colour": GREEN, "fill": GREEN, "opacity": 0.2, "width": 1.2}
        edge = np.vstack([right, right[:1]])
        drawn.append(scene.path(edge, label="every point right", name="right", **green))
    grey: Item = {"colour": GREY, "width": 1.0, "alpha": 0.75, "name": "contour"}
    for number, spots in enumerate(_contours(target)):
        drawn.append(scene.path(spots, label="" if number else "equal loss", **grey))
    return drawn


def way(fall: Fall) -> list[Item]:
    """Return the path so far, where it ends or settles, and where it is now."""
    drawn = []
    path = _near(fall.run.path[: fall.k + 1])
    if len(path) > 1:
        drawn.append(scene.path(path, width=1.6, name="path", label="descent"))
        dots = inside(path[1:MOST_DOTS])
        drawn.append(scene.marks(dots, size=2.8, colour=BLACK, name="steps"))
    drawn += _bottom(fall)
    rest = resting(fall)
    drawn += [scene.marks(rest.at, **rest.look)] if len(rest.at) else []
    if fall.k:
        look: Item = {"size": 6.0, "colour": BLACK, "name": "now"}
        drawn.append(scene.marks(inside(fall.weights), **look))
    return drawn


def _bottom(fall: Fall) -> list[Item]:
    """Return the least-squares weights: one place, or a line of them where rows are short."""
    if fall.bottom is None:
        return []
    Z = fall.target.Z
    basis = span(Z) if Z.any() else np.zeros((2, 0))
    if basis.shape[1] == 1:
        seen = basis[:, 0]
        look: Item = {"colour": PURPLE, "label": "least squares", "name": "bottom"}
        return scene.line(Hyperplane(seen, -float(seen @ fall.bottom)), VIEW, **look)
    spot = bottom(fall)
    return [scene.marks(spot.at, **spot.look)]


def bottom(fall: Fall) -> Spot:
    """Return the least-squares weights, where they are one place inside the picture."""
    look: Item = {"marker": "P", "size": 10, "colour": PURPLE}
    look |= {"label": "least squares", "name": "bottom"}
    one = fall.bottom is not None and fall.outlook.rank == 2
    return Spot(inside(fall.bottom if one else NOWHERE), look)


def resting(fall: Fall) -> Spot:
    """Return where passes over single rows settle, if they do so inside the picture."""
    look: Item = {"marker": "D", "size": 6, "colour": GREEN}
    look |= {"label": "passes settle here", "name": "rest"}
    one = fall.bottom is not None and fall.singly and fall.outlook.kind == SETTLES
    return Spot(inside(fall.outlook.rest if one else NOWHERE), look)


def rule(weights: FloatArray, bias: bool, view: scene.View) -> list[Item]:
    """Return the line of the weights, or, over one feature, the graph of their score."""
    size = max(float(np.abs(weights).max()), 1.0)  # a runaway is scaled, not its line
    w = weights / size
    if bias:
        level: Item = {"colour": GREY, "width": 1.0, "name": "level"}
        drawn = [scene.path([[view[0][0], at], [view[0][1], at]], **level) for at in (-1, 0, 1)]
        graph = Hyperplane([w[1], -1.0 / size], float(w[0]))
        return drawn + scene.line(graph, view, label="score w₀ + w₁x", name="line")
    if not w.any():
        return []
    h = Hyperplane(w)
    return scene.sides(h, view) + scene.line(h, view, label="line of the weights")


def _near(path: FloatArray) -> FloatArray:
    """Return the path up to its first place far outside the picture, that place moved nearer.

    Nothing is seen of it but the direction in which the path leaves.
    """
    beyond = np.flatnonzero(~(np.abs(path).max(axis=1) < FAR))
    if not beyond.size:
        return path
    kept = path[: beyond[0] + 1].copy()  # the start is inside, so there is a place before
    way = kept[-1] - kept[-2]
    length = float(np.abs(way).max())
    if length > 3 * FAR:
        kept[-1] = kept[-2] + way * (3 * FAR / length)
    return kept


def inside(spots: FloatArray | None) -> FloatArray:
    """Return the places inside the picture: a marker outside would lie on the words around it."""
    rows: FloatArray = np.asarray(spots).reshape(-1, 2)
    return rows[(np.abs(rows) <= VIEW[0][1]).all(axis=1)]


def _contours(target: Objective) -> list[FloatArray]:
    """Return lines of equal loss: evenly spaced on a bowl, since the levels grow as squares."""
    side = np.linspace(*VIEW[0], 65)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    heights = target.loss.of(grid @ target.Z.T).sum(axis=-1)
    low, high = float(heights.min()), float(heights.max())
    if high - low < 1e-9:
        return []
    levels = low + (high - low) * (np.arange(1, LEVELS) / LEVELS) ** 2
    maker = contourpy.contour_generator(side, side, heights)
    return [np.asarray(line) for level in levels for line in maker.lines(float(level))]
