"""The scene: what an explorer shows, as plain numbers and words that two renderers understand.

A scene is a list of panels; a panel holds drawables and handles in the units of the data. The
browser draws it with ``canvas.js``, the still picture with Matplotlib (``still.py``). Everything
here returns plain dictionaries of finite numbers: a NaN would stop the browser without a word, so
it is refused with a sentence instead.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit.sentences import pieces, say
from linlib.notebook.colours import BLACK, BLUE, GREY, ORANGE

Item = dict[str, Any]
Limits = tuple[float, float]
View = tuple[Limits, Limits]

DASHED, DOTTED = "7 5", "2 4"
CLASS_LOOK = {1: ("o", BLUE), -1: ("s", ORANGE)}


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


def panel(
    view: View,
    drawables: Sequence[Item],
    handles: Sequence[Item] = (),
    *,
    title: str = "",
    xlabel: str = "x₁",
    ylabel: str = "x₂",
    width: float = 420.0,
    height: float | None = None,
    adds: bool = False,
    step: float | None = None,
    xticks: Sequence[Sequence[Any]] | None = None,
    yticks: Sequence[Sequence[Any]] | None = None,
) -> Item:
    """Return one picture of the scene, ``width`` pixels wide.

    Without ``height`` both axes have the same scale. ``adds`` lets a click add something. An arrow
    key moves a handle by ``step`` (default: a hundredth of the width, rounded).
    """
    (left, right), (low, high) = view
    if height is None:
        height = width * (high - low) / (right - left)
    if step is None:
        step = float(f"{(right - left) / 100:.0e}")
    return {
        "xlim": [left, right],
        "ylim": [low, high],
        "xticks": ticks(view[0]) if xticks is None else list(xticks),
        "yticks": ticks(view[1]) if yticks is None else list(yticks),
        "size": [float(width), float(height)],
        "title": title,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "adds": adds,
        "step": step,
        "drawables": list(drawables),
        "handles": list(handles),
    }


def ticks(limits: Limits, about: int = 6) -> list[list[Any]]:
    """Return round tick positions inside the limits, with their labels.

    >>> ticks((-1.0, 3.0), about=4)
    [[-1.0, '−1'], [0.0, '0'], [1.0, '1'], [2.0, '2'], [3.0, '3']]
    """
    low, high = limits
    rough = (high - low) / about
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(k for k in (1, 2, 2.5, 5, 10) if k * power >= 0.999 * rough)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    digits = max(0, int(np.ceil(-np.log10(step) - 1e-9)) + (step / power == 2.5))
    return [
        [round(float(k * step), 9) + 0.0, say(k * step, digits)] for k in np.arange(first, last + 1)
    ]


def legend(panels: Sequence[Item]) -> list[Item]:
    """Return one entry for each label that occurs, markers first."""
    found: dict[str, Item] = {}
    for shown in panels:
        for item in [*shown["handles"], *shown["drawables"]]:
            name = item.get("legend") or ("" if "id" in item else item.get("label", ""))
            keys = ("colour", "width", "dash", "alpha")
            look = {"width": 2.2, "dash": "", "alpha": 1.0} | {
                k: item[k] for k in keys if k in item
            }
            if name:
                found.setdefault(name, {"label": name, "marker": item.get("marker", "")} | look)
    markers = [entry for entry in found.values() if entry["marker"]]
    lines = [entry for entry in found.values() if not entry["marker"]]
    return sorted(markers, key=lambda entry: str(entry["label"])) + lines  # +1 before −1


def corners(view: View) -> FloatArray:
    """Return the corners of the view, anticlockwise."""
    (left, right), (low, high) = view
    return np.array([[left, low], [right, low], [right, high], [left, high]])


def clip(polygon_: ArrayLike, h: Hyperplane, sign: int = 1) -> FloatArray:
    """Return the part of a convex polygon on the positive side of ``h``: shape (m, 2), m may be 0.

    With ``sign=-1`` it is the part on the negative side.

    >>> clip([[0, 0], [2, 0], [2, 2], [0, 2]], Hyperplane([1, 0], -1)).tolist()
    [[1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0]]
    """
    array = np.asarray(polygon_, dtype=np.float64).reshape(-1, 2)
    if not len(array):
        return array
    scores = (sign * (array @ h.w + h.w0) / h.norm).tolist()
    spots, kept = array.tolist(), []
    for k in range(len(spots)):
        here, there = scores[k - 1], scores[k]
        if (here > 0) != (there > 0):
            share = here / (here - there)
            kept.append([a + share * (b - a) for a, b in zip(spots[k - 1], spots[k], strict=True)])
        if there > 0:
            kept.append(spots[k])
    return np.array(kept).reshape(-1, 2)


def side(h: Hyperplane, view: View, sign: int, **look: Any) -> list[Item]:
    """Return the shaded half of the view where ``h`` says ``sign``; nothing if there is none."""
    area = clip(corners(view), h, sign)
    shade: Item = {"fill": CLASS_LOOK[sign][1], "name": f"side{sign:+d}"} | look
    return [polygon(area, **shade)] if len(area) else []


def sides(h: Hyperplane, view: View, **look: Any) -> list[Item]:
    """Return both halves of the view, shaded."""
    return [*side(h, view, 1, **look), *side(h, view, -1, **look)]


def line(h: Hyperplane, view: View, **look: Any) -> list[Item]:
    """Return the part of the line ``h = 0`` inside the view; nothing if it passes outside."""
    area = clip(corners(view), h)
    if not len(area):
        return []
    ends = area[np.abs(h.distance(area)) <= 1e-9 * max(1.0, float(np.abs(np.array(view)).max()))]
    along = ends @ np.array([-h.w[1], h.w[0]])
    if len(ends) < 2:
        return []
    return [path(ends[[along.argmin(), along.argmax()]], **({"name": "line"} | look))]


def solutions(normals: FloatArray, offsets: FloatArray, view: View) -> FloatArray:
    """Return the part of the view where ``normals @ w + offsets > 0`` in every row: (m, 2)."""
    area = corners(view)
    for normal, offset in zip(normals, offsets, strict=True):
        if normal.any():
            area = clip(area, Hyperplane(normal, float(offset)))
        elif not offset > 0:  # a row without a direction is right everywhere or nowhere
            return area[:0]
    return area


def around(view: View, spots: ArrayLike) -> View:
    """Return the view, enlarged about its middle by a round factor if it does not hold the spots.

    >>> around(((-5.0, 5.0), (-4.0, 4.0)), [[20.0, 10.0], [0.0, 0.0]])
    ((-20.0, 20.0), (-16.0, 16.0))
    """
    low, high = np.array(view, dtype=np.float64).T
    places = checks.numbers(np.asarray(spots, dtype=np.float64).reshape(-1, 2), "positions")
    half, middle = (high - low) / 2, (low + high) / 2
    needed = float((np.abs(places - middle) / half).max(initial=0.0))
    if needed <= 1:
        return view
    power = 10.0 ** np.floor(np.log10(needed))
    factor = float(power * next(k for k in (1, 2, 4, 5, 10) if k * power >= needed))
    (left, bottom), (right, top) = middle - factor * half, middle + factor * half
    return (float(left), float(right)), (float(bottom), float(top))


def clamp(at: ArrayLike, view: View) -> FloatArray:
    """Return the nearest place inside the view, rounded to what a reader can aim at."""
    low, high = np.array(view, dtype=np.float64).T
    return np.clip(checks.vector(at, "position", 2), low, high).round(4) + 0.0


def tied(sentence: str, panels: Sequence[Item]) -> list[list[str]]:
    """Return the parts of a sentence, with names only of what is really in the picture.

    >>> from linlib.explorers.kit.sentences import mark
    >>> tied("score " + mark("distance", "1.8"), [])
    [['score ', ''], ['1.8', '']]
    """
    drawn = {
        item.get("name") or item.get("id")
        for panel in panels
        for item in [*panel["drawables"], *panel["handles"]]
    }
    return [[words, name if name in drawn else ""] for words, name in pieces(sentence)]
