"""What is drawn in a panel, and what in it can be moved: plain dictionaries of finite numbers."""

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.explorers.kit.scene.kinds import Item
from linlib.notebook.colours import BLACK, GREY


def _spot(at: ArrayLike) -> list[float]:
    x, y = np.asarray(at, dtype=np.float64).tolist()
    if not (isfinite(x) and isfinite(y)):
        checks.vector(at, "position", 2)  # says which
    return [round(x, 6) + 0.0, round(y, 6) + 0.0]


def _spots(xy: ArrayLike) -> list[list[float]]:
    array = np.asarray(xy, dtype=np.float64).reshape(-1, 2)
    return [[x + 0.0, y + 0.0] for x, y in checks.numbers(array, "positions").round(6).tolist()]


def path(
    xy: ArrayLike,
    *,
    colour: str = BLACK,
    width: float = 2.2,
    dash: str = "",
    alpha: float = 1.0,
    closed: bool = False,
    fill: str = "",
    opacity: float = 0.16,
    label: str = "",
    name: str = "",
) -> Item:
    """Return straight strokes from point to point: segments, curves, contours, filled areas."""
    look = {"colour": colour, "width": width, "dash": dash, "alpha": alpha, "label": label}
    area = {"closed": closed, "fill": fill, "opacity": opacity}
    return {"kind": "path", "xy": _spots(xy), "name": name} | look | area


def polygon(xy: ArrayLike, *, fill: str, opacity: float = 0.16, name: str = "") -> Item:
    """Return a shaded area without an edge."""
    shade: Item = {"closed": True, "fill": fill, "opacity": opacity}
    return path(xy, colour="none", width=0, name=name, **shade)


def ellipse(centre: ArrayLike, axes: ArrayLike, **look: Any) -> Item:
    """Return the closed curve ``centre + axes @ (cos t, sin t)``; ``axes`` is (2, 2), by column."""
    t = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    turned = np.asarray(axes) @ np.array([np.cos(t), np.sin(t)])
    return path(np.asarray(centre) + turned.T, closed=True, **look)


def arrow(
    tail: ArrayLike,
    tip: ArrayLike,
    *,
    colour: str = BLACK,
    width: float = 2.4,
    dash: str = "",
    label: str = "",
    name: str = "",
) -> Item:
    """Return a vector from ``tail`` to ``tip``."""
    look = {"colour": colour, "width": width, "dash": dash, "label": label, "name": name}
    return {"kind": "arrow", "from": _spot(tail), "to": _spot(tip)} | look


def marks(
    xy: ArrayLike,
    *,
    marker: str = "o",
    colour: str = GREY,
    size: float = 5.0,
    label: str = "",
    name: str = "",
) -> Item:
    """Return markers of one look that cannot be moved; ``size`` is a radius in pixels."""
    look = {"marker": marker, "colour": colour, "size": size, "label": label, "name": name}
    return {"kind": "marks", "xy": _spots(xy)} | look


def ring(
    at: ArrayLike, *, colour: str = BLACK, size: float = 14.0, label: str = "", name: str = ""
) -> Item:
    """Return a circle of ``size`` pixels around a point, to draw attention to it."""
    look = {"colour": colour, "size": size, "width": 2.4, "marker": "grip"}  # hollow in the legend
    return {"kind": "ring", "at": _spot(at), "label": label, "name": name} | look


def text(
    at: ArrayLike,
    words: str,
    *,
    colour: str = BLACK,
    offset: tuple[float, float] = (10.0, 8.0),
    anchor: str = "start",
    name: str = "",
) -> Item:
    """Return words beside a point, ``offset`` pixels to the right and up."""
    place = {"at": _spot(at), "offset": list(offset), "anchor": anchor}
    return {"kind": "text", "text": words, "colour": colour, "name": name} | place


def handle(
    id: str,
    label: str,
    at: ArrayLike,
    *,
    marker: str = "grip",
    colour: str = BLACK,
    size: float = 8.0,
    rail: ArrayLike | None = None,
    legend: str = "",
) -> Item:
    """Return something the reader can move; with ``rail``, a unit vector, only along it.

    ``label`` is what a screen reader says; ``legend`` explains the marker beside the picture.
    """
    look = {"marker": marker, "colour": colour, "size": size, "legend": legend}
    line = None if rail is None else _spot(rail)
    return {"id": id, "label": label, "at": _spot(at), "rail": line} | look
