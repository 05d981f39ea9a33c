"""A descent, drawn: over the plane of its two weights, and as a rule among the points."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import contourpy
import numpy as np

from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.descent.gradient import Descent
from linlib.descent.losses import Objective
from linlib.explorers.descent.outlook import span
from linlib.explorers.kit import scene
from linlib.explorers.kit.sentences import SAME
from linlib.notebook.colours import BLACK, GREEN, GREY, PURPLE

if TYPE_CHECKING:
    from linlib.explorers.descent import DescentState

MOST_DOTS = 60  # steps that are drawn as dots besides the line
VIEW: scene.View = ((-4.0, 4.0), (-4.0, 4.0))
FAR = 40.0  # where a path that runs away is cut off, ten times the picture's half
LEVELS = 11
WIDE = 300.0  # pixels, of either panel


def background(target: Objective) -> list[scene.Drawable]:
    """Return what depends on points and loss alone: where every point is right, equal losses."""
    look = {"label": "every point right", "name": "right"}
    drawn = scene.solutions(target.Z, np.zeros(len(target.Z)), VIEW, **look)
    grey = partial(scene.Path, colour=GREY, width=1.0, alpha=0.75, name="contour")
    for number, spots in enumerate(_contours(target)):
        drawn.append(grey(spots, label="" if number else "equal loss"))
    return drawn


def path_so_far(now: DescentState, target: Objective, run: Descent) -> list[scene.Drawable]:
    """Return the path so far, where it ends or settles, and where it is now."""
    drawn: list[scene.Drawable] = []
    path = _near(run.path[: now.k + 1])
    if len(path) > 1:
        drawn.append(scene.Path(path, width=1.6, name="path", label="descent"))
        dots = scene.inside(path[1:MOST_DOTS], VIEW)
        drawn.append(scene.Marks(dots, size=2.8, colour=BLACK, name="steps"))
    drawn += _least_squares(now, target) if now.outlook else []
    if now.k:
        drawn.append(
            scene.Marks(scene.inside(now.weights, VIEW), size=6.0, colour=BLACK, name="now")
        )
    return drawn


def _least_squares(now: DescentState, target: Objective) -> list[scene.Drawable]:
    """Return the least-squares weights, a line of them where rank is 1, and where passes settle."""
    assert now.outlook
    assert now.bottom is not None
    rank, factor, rest = now.outlook
    if rank == 0:
        return []
    look: Any = {"colour": PURPLE, "label": "least squares", "name": "bottom"}
    drawn: list[scene.Drawable] = []
    if rank == 1:
        seen = span(target.Z)[:, 0]
        drawn += scene.line(Hyperplane(seen, -float(seen @ now.bottom)), VIEW, **look)
    elif len(here := scene.inside(now.bottom, VIEW)):
        drawn.append(scene.Marks(here, marker="P", size=10, **look))
    if now.singly and factor < 1 - SAME and rest is not None and len(scene.inside(rest, VIEW)):
        look = {"colour": GREEN, "label": "passes settle here", "name": "rest"}
        drawn.append(scene.Marks(scene.inside(rest, VIEW), marker="D", size=6, **look))
    return drawn


def decision_line(weights: FloatArray, bias: bool, view: scene.View) -> list[scene.Drawable]:
    """Return the line of the weights, or, over one feature, the graph of their score."""
    size = max(float(np.abs(weights).max()), 1.0)  # a runaway is scaled, not its line
    w = weights / size
    if bias:
        level = partial(scene.Path, colour=GREY, width=1.0, name="level")
        drawn = [level([[view[0][0], at], [view[0][1], at]]) for at in (-1, 0, 1)]
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
