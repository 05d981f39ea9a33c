"""A moment of a perceptron's run, drawn: among the points, and in the plane of the weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.margins.certificates import Inseparable
from linlib.notebook.plotting import BLACK, GREEN, GREY, PURPLE
from linlib.widgets import scene
from linlib.widgets.hulls import UNIT
from linlib.widgets.moment import Moment
from linlib.widgets.scene import Item, brief

TRAIL = 200  # steps of the weights that are drawn


def lines(now: Moment, view: scene.View) -> list[Item]:
    """Return the shaded sides, the old line dashed and the new one solid."""
    drawn = _sides(now.weights, now.bias, view)
    if now.k:
        old = _hyperplane(now.path[now.k - 1], now.bias)
        look: Item = {"colour": GREY, "dash": scene.DASHED, "name": "old-line"}
        drawn += scene.line(old, view, label="old line, old w", **look) if old else []
        drawn.append(scene.ring(now.X[now.run.mistakes[now.k - 1]], name="mistake"))
    new = _hyperplane(now.weights, now.bias)
    return drawn + (scene.line(new, view, label="new line, new w") if new else [])


def notes(now: Moment) -> list[Item]:
    """Return the mistakes beside every point, and the multipliers of those that clash."""
    made = []
    for x, count in zip(now.X, now.counts, strict=True):
        if count:
            made.append(scene.text(x, f"{count}×", offset=(13, 9), name="count"))
    if isinstance(now.verdict, Inseparable):
        for row in now.verdict.support:
            share = f"λ {brief(now.verdict.multipliers[row])}"
            look: Item = {"colour": PURPLE, "offset": (0, -30), "anchor": "middle"}
            made.append(scene.text(now.X[row], share, name="lambda", **look))
    return made


def weights_panel(now: Moment | None, width: float) -> Item:
    """Return the plane of (w1, w2): the solutions, where the weights went, the last update."""
    path = now.path[:, -2:] if now else np.zeros((1, 2))
    k = now.k if now else 0
    shown, view = path[: k + 1], _around(path)
    drawn = solutions(now, view) if now else []
    drawn.append(scene.marks([[0, 0]], size=4, colour=BLACK, name="origin"))
    if k > 1:
        trail: Item = {"colour": GREY, "width": 1.2, "label": "way of w so far", "name": "trail"}
        drawn.append(scene.path(shown[-TRAIL:], **trail))
    if k:
        old: Item = {"colour": GREY, "dash": scene.DASHED, "label": "old line, old w"}
        drawn.append(scene.arrow([0, 0], shown[-2], name="old-w", **old))
    drawn.append(scene.arrow([0, 0], shown[-1], label="new line, new w", name="new-w"))
    if k:
        update: Item = {"colour": GREEN, "label": "update y x", "name": "update"}
        drawn.append(scene.arrow(shown[-2], shown[-1], **update))
    names: Item = {"title": "w before and after", "xlabel": "w₁", "ylabel": "w₂"}
    return scene.panel(view, drawn, width=width, **names)


def solutions(now: Moment, view: scene.View) -> list[Item]:
    """Return the weights that get every point right, those with the present offset."""
    rows, offset = now.run.Z / UNIT, now.weights[0] if now.bias else 0.0
    area = scene.solutions(rows[:, -2:], rows[:, 0] * offset, view)
    label = "solutions at this w₀" if now.bias else "cone of solutions"
    look: Any = {"fill": GREEN, "opacity": 0.2, "colour": GREEN, "width": 1.2, "closed": True}
    return [scene.path(area, label=label, name="solutions", **look)] if len(area) else []


def _hyperplane(weights: FloatArray, bias: bool) -> Hyperplane | None:
    return Hyperplane.from_weights(weights, bias=bias) if weights[-2:].any() else None


def _sides(weights: FloatArray, bias: bool, view: scene.View) -> list[Item]:
    h = _hyperplane(weights, bias)
    if h:
        return scene.sides(h, view)
    if bias and weights[0]:
        sign = int(np.sign(weights[0]))  # with w = 0 the offset alone decides, everywhere alike
        colour = scene.CLASS_LOOK[sign][1]
        return [scene.polygon(scene.corners(view), fill=colour, name=f"side{sign:+d}")]
    return []


def _around(path: FloatArray) -> scene.View:
    """Return a square view of the whole path and the origin, with some room around them."""
    spots = np.vstack([path, np.zeros((1, 2))])
    middle = (spots.min(axis=0) + spots.max(axis=0)) / 2
    half = max(0.65 * float(np.ptp(spots, axis=0).max()), 0.5)
    (a, b), (c, d) = ((m - half, m + half) for m in middle.round(3).tolist())
    return (a, b), (c, d)
