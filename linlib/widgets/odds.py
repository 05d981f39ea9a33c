"""The odds beside a line: lines of equal probability, or the limit where no best line exists."""

from __future__ import annotations

from math import log

from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.logistic_regression.separation import COMPLETE, Overlap
from linlib.notebook.plotting import GREEN, GREY
from linlib.widgets import scene
from linlib.widgets.scene import Item

LEVELS = (0.1, 0.5, 0.9)


def levels(h: Hyperplane, view: scene.View) -> list[Item]:
    """Return the lines of equal probability, each with its number, and the shaded sides."""
    lines = {p: Hyperplane(h.w, h.w0 - log(p / (1 - p))) for p in LEVELS}
    drawn: list[Item] = []
    for p, sign in ((0.9, 1), (0.5, 1), (0.5, -1), (0.1, -1)):
        drawn += scene.side(lines[p], view, sign, opacity=0.1)
    even: Item = {"name": "line", "width": 2.2, "label": "even odds"}
    level: Item = {"name": "level", "width": 1.6, "label": "odds 9 to 1", "dash": scene.DASHED}
    for p, line in lines.items():
        found = scene.line(line, view, **(even if p == 0.5 else level))
        drawn += found
        if found:  # the number stands at the upper end, inside the picture
            top = max(found[0]["xy"], key=lambda spot: (spot[1], spot[0]))
            drawn.append(scene.text(_inside(top, view), str(p), offset=(4.0, -4.0)))
    return drawn


def limit(h: Hyperplane | None, overlap: Overlap, X: FloatArray, view: scene.View) -> list[Item]:
    """Return the line towards which the best one tends, and the points on it."""
    if h is None:
        return []
    apart = overlap.kind == COMPLETE
    label = "middle of the widest street" if apart else "no point on its wrong side"
    look: Item = {"colour": GREEN, "dash": scene.DASHED, "label": label}
    drawn = scene.sides(h, view, opacity=0.1) + scene.line(h, view, name="limit", **look)
    rings = overlap.clashing.tolist()
    return drawn + [scene.ring(X[i], size=13, colour=GREY, name="clash") for i in rings]


def _inside(spot: list[float], view: scene.View) -> list[float]:
    """Return a spot on the frame moved a little into the picture, with room for a label."""
    (left, right), (low, high) = view
    inset = 0.06
    x = min(max(spot[0], left + 0.01 * (right - left)), right - inset * (right - left))
    y = min(max(spot[1], low + inset * (high - low)), high - 0.02 * (high - low))
    return [x, y]
