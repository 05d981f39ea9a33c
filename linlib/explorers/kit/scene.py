"""The scene: what an explorer shows, as numbers and words that two renderers understand.

A scene is a list of panels; a panel holds drawables and handles in the units of the data. The
browser draws it with ``canvas.js``, the still picture with Matplotlib (``still.py``). Every place
is a list of finite numbers, rounded: a NaN would stop the browser without a word, so it is refused
with a sentence instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit.rule import Rule
from linlib.explorers.kit.sentences import pieces, say
from linlib.notebook.colours import BLACK, BLUE, GREEN, GREY, ORANGE

Place = Sequence[float] | FloatArray
Places = Sequence[Place] | FloatArray
Limits = tuple[float, float]
View = tuple[Limits, Limits]
Tick = list[Any]  # a place on an axis, and its label
Thumbnail = Sequence[Sequence[object]]  # marks in the unit square: x, y, marker, colour

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


class _Placed:
    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name in ("at", "tail", "tip", "rail") and value is not None:
                setattr(self, name, _spot(value))
            elif name in ("xy", "offset"):
                setattr(self, name, _spots(value) if name == "xy" else list(value))


@dataclass(kw_only=True)
class Drawable(_Placed):
    """What is drawn: ``label`` is its entry in the legend, ``name`` ties it to the sentence."""

    colour: str = BLACK
    label: str = ""
    name: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the drawable as the browser reads it."""
        return {"kind": type(self).__name__.lower()} | vars(self)


@dataclass
class Path(Drawable):
    """Straight strokes from point to point: segments, curves, contours, filled areas."""

    xy: Places
    _: KW_ONLY
    width: float = 2.2
    dash: str = ""
    alpha: float = 1.0
    closed: bool = False
    fill: str = ""
    opacity: float = 0.16  # of the area inside


@dataclass
class Marks(Drawable):
    """Markers of one look that cannot be moved; ``size`` is a radius in pixels."""

    xy: Places
    _: KW_ONLY
    marker: str = "o"
    colour: str = GREY
    size: float = 5.0


@dataclass
class Arrow(Drawable):
    """A vector."""

    tail: Place
    tip: Place
    _: KW_ONLY
    width: float = 2.4
    dash: str = ""


@dataclass
class Ring(Drawable):
    """A circle of ``size`` pixels around a point, to draw attention to it."""

    at: Place
    _: KW_ONLY
    size: float = 14.0
    width: float = 2.4
    marker: str = "ring"  # in the legend


@dataclass
class Text(Drawable):
    """Words beside a point, ``offset`` pixels to the right and up."""

    at: Place
    text: str
    _: KW_ONLY
    offset: Sequence[float] = (10.0, 8.0)
    anchor: str = "start"


@dataclass
class Handle(_Placed):
    """Something the reader can move; with ``rail``, a unit vector, only along it.

    ``label`` is what a screen reader says; ``legend`` explains the marker beside the picture.
    """

    id: str
    label: str
    at: Place
    _: KW_ONLY
    marker: str = "grip"
    colour: str = BLACK
    size: float = 8.0
    rail: Place | None = None
    legend: str = ""


@dataclass
class Panel:
    """One picture of the scene, ``width`` pixels wide.

    Without ``height`` both axes have the same scale. ``adds`` lets a click add something. An arrow
    key moves a handle by ``step`` (default: a hundredth of the width, rounded).
    """

    view: View
    drawables: Sequence[Drawable]
    handles: Sequence[Handle] = ()
    _: KW_ONLY
    title: str = ""
    xlabel: str = "x₁"
    ylabel: str = "x₂"
    width: float = 420.0
    height: float | None = None
    adds: bool = False
    step: float | None = None
    xticks: Sequence[Tick] | None = None
    yticks: Sequence[Tick] | None = None
    rule: Rule | None = None  # what follows from the handles alone

    def __post_init__(self) -> None:
        (left, right), (low, high) = self.view
        tall = self.width * (high - low) / (right - left) if self.height is None else self.height
        self.size = [float(self.width), float(tall)]
        self.step = float(f"{(right - left) / 100:.0e}") if self.step is None else self.step
        self.xticks = ticks(self.view[0]) if self.xticks is None else self.xticks
        self.yticks = ticks(self.view[1]) if self.yticks is None else self.yticks

    def plain(self) -> dict[str, Any]:
        """Return the panel as the browser reads it."""
        made = {"xlim": list(self.view[0]), "ylim": list(self.view[1])} | vars(self)
        made |= {"drawables": [item.plain() for item in self.drawables]}
        made |= {"handles": list(map(vars, self.handles))}
        made |= {"rule": self.rule and self.rule.plain()}
        return {key: made[key] for key in made if key not in ("view", "width", "height")}


@dataclass
class Entry:
    """A line of the legend: a marker, or how a stroke looks."""

    label: str
    colour: str
    marker: str = ""
    width: float = 2.2
    dash: str = ""
    alpha: float = 1.0
    text: str = ""


@dataclass
class TimeLine:
    """A run of ``last`` steps, of which ``at`` are shown; ``marks`` has one sign for each step."""

    at: int
    last: int
    what: str  # a step is
    marks: str  # + and − a mistake on a point of that class, ! a step to be seen
    tick: str  # what a mark stands for
    playing: bool


@dataclass
class Card:
    """A challenge: its goal, how far the reader is, whether the library certifies it, the next."""

    goal: str
    words: str
    share: float
    done: bool
    number: int
    total: int
    after: str


@dataclass(frozen=True)
class Button:
    """Something to press."""

    label: str
    tip: str


@dataclass
class Scene:
    """All that the browser is told."""

    name: str = ""
    task: str = ""  # what to do now
    panels: Sequence[Panel] = ()
    legend: Sequence[Entry] = ()
    time: TimeLine | None = None
    text: str = ""
    pieces: Sequence[Sequence[str]] = ()  # of the text, each with the name of what it lights up
    card: Card | None = None
    controls: Sequence[dict[str, object]] = ()
    buttons: Sequence[Button] = ()
    edits: bool = False  # points can be added, relabelled and removed
    undo: bool = False
    redo: bool = False
    moved: bool = False  # anything, since the cell was run
    chosen: str | None = None  # the handle that takes the keyboard
    beat: dict[str, int] | None = None  # of an animation: its number, and how long to wait
    echo: Sequence[object] | None = None  # the view and the number of the event answered
    count: int = 0

    def plain(self) -> dict[str, Any]:
        """Return the scene as the browser reads it."""
        made = vars(self) | {"panels": [panel.plain() for panel in self.panels]}
        made |= {"legend": list(map(vars, self.legend))}
        made |= {
            name: part and vars(part) for name, part in (("time", self.time), ("card", self.card))
        }
        return made | {"buttons": list(map(vars, self.buttons))}


def difference(old: Any, new: Any) -> dict[str, Any]:
    """Return what to change in a plain scene to come to another; ``merged`` of canvas.js does it.

    Of records with the same names, and of lists of as many records, only the parts that differ are
    told; anything else, such as the places of a curve, is told as a whole.

    >>> difference({"at": 1, "xy": [1, 2]}, {"at": 1, "xy": [1, 3]})
    {'parts': {'xy': {'new': [1, 3]}}}
    """
    pairs = _pairs(old, new)
    if pairs is None:
        return {"new": new}
    changed = ((name, before, now) for name, before, now in pairs if before != now)
    return {"parts": {name: difference(before, now) for name, before, now in changed}}


def _pairs(old: Any, new: Any) -> list[tuple[str, Any, Any]] | None:
    """Return the parts of two things of one shape, by name; None where they are none."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [(name, old[name], new[name]) for name in new]
    if not (isinstance(old, list) and isinstance(new, list) and len(old) == len(new)):
        return None
    if not all(isinstance(part, dict) for part in (*old, *new)):
        return None
    return [(str(k), *both) for k, both in enumerate(zip(old, new, strict=True))]


def polygon(xy: Places, *, fill: str, opacity: float = 0.16, name: str = "") -> Path:
    """Return a shaded area without an edge."""
    return Path(xy, colour="none", width=0, closed=True, fill=fill, opacity=opacity, name=name)


def ellipse(centre: ArrayLike, axes: ArrayLike, **look: Any) -> Path:
    """Return the closed curve ``centre + axes @ (cos t, sin t)``; ``axes`` is (2, 2), by column."""
    t = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    turned = np.asarray(axes) @ np.array([np.cos(t), np.sin(t)])
    return Path(np.asarray(centre) + turned.T, closed=True, **look)


def ticks(limits: Limits, about: int = 6) -> list[Tick]:
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


def thumbnail(X: FloatArray, y: IntArray, looks: Mapping[int, Sequence[str]]) -> Thumbnail:
    """Return some of the points, small.

    >>> thumbnail(np.array([[1.0, 2.0], [3.0, 2.0]]), np.array([1, -1]), CLASS_LOOK)
    [[0.0, 0.5, 'o', '#0072B2'], [1.0, 0.5, 's', '#D55E00']]
    """
    spots = np.column_stack([X, np.zeros(len(X))])[:, :2]
    low, high = spots.min(axis=0), spots.max(axis=0)
    spots = 0.5 + (spots - (low + high) / 2) / max(float((high - low).max()), 1e-9)
    rows = range(0, len(X), max(1, len(X) // 24))
    return [[*spots[row].round(2).tolist(), *looks[int(y[row])][:2]] for row in rows]


def legend(panels: Sequence[Panel]) -> list[Entry]:
    """Return one entry for each label that occurs, markers first."""
    found: dict[str, Entry] = {}
    for panel in panels:
        named: list[tuple[str, object]] = [(item.legend, item) for item in panel.handles]
        for label, item in named + [(item.label, item) for item in panel.drawables]:
            keys = ("colour", "marker", "width", "dash", "alpha", "text")
            look = {key: value for key, value in vars(item).items() if key in keys}
            if label:
                found.setdefault(label, Entry(label, **look))
    markers = [entry for entry in found.values() if entry.marker]
    lines = [entry for entry in found.values() if not entry.marker]
    return sorted(markers, key=lambda entry: entry.label) + lines  # +1 before −1


def tied(sentence: str, panels: Sequence[Panel]) -> list[list[str]]:
    """Return the parts of a sentence, with names only of what is really in the picture."""
    names = {item.name for panel in panels for item in panel.drawables}
    names |= {item.id for panel in panels for item in panel.handles}
    return [[words, name if name in names else ""] for words, name in pieces(sentence)]


# ---- lines, their sides and the cone between them, cut off where the picture ends


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
    scores = (sign * (array @ h.w + h.w0)).tolist()
    if min(scores) > 0 or max(scores) <= 0:
        return array[: len(array) * (scores[0] > 0)]
    spots, kept = array.tolist(), []
    for k in range(len(spots)):
        here, there = scores[k - 1], scores[k]
        if (here > 0) != (there > 0):
            share = here / (here - there)
            kept.append([a + share * (b - a) for a, b in zip(spots[k - 1], spots[k], strict=True)])
        if there > 0:
            kept.append(spots[k])
    return np.array(kept).reshape(-1, 2)


def segment(h: Hyperplane, area: FloatArray) -> FloatArray:
    """Return the ends of the edge of a convex polygon that lies on the line ``h = 0``: (2, 2).

    Without such an edge the shape is (0, 2).
    """
    on = np.abs(h.distance(area)) <= 1e-9 * max(1.0, float(np.abs(area).max()))
    ends = area[on]
    along = ends @ np.array([-h.w[1], h.w[0]])
    return ends[[along.argmin(), along.argmax()]] if len(ends) > 1 else ends[:0]


def shaded(sign: int, area: Places = (), *, opacity: float = 0.16) -> Path:
    """Return an area shaded in the colour of a side."""
    return polygon(area, fill=CLASS_LOOK[sign][1], opacity=opacity, name=f"side{sign:+d}")


def side(h: Hyperplane, view: View, sign: int, *, opacity: float = 0.16) -> list[Drawable]:
    """Return the shaded half of the view where ``h`` says ``sign``; nothing if there is none."""
    area = clip(corners(view), h, sign)
    return [shaded(sign, area, opacity=opacity)] if len(area) else []


def sides(h: Hyperplane, view: View, *, opacity: float = 0.16) -> list[Drawable]:
    """Return both halves of the view, shaded."""
    return [*side(h, view, 1, opacity=opacity), *side(h, view, -1, opacity=opacity)]


def line(h: Hyperplane, view: View, *, name: str = "line", **look: Any) -> list[Drawable]:
    """Return the part of the line ``h = 0`` inside the view; nothing if it passes outside."""
    area = clip(corners(view), h)
    ends = segment(h, area) if len(area) else area
    return [Path(ends, name=name, **look)] if len(ends) else []


def solutions(normals: FloatArray, offsets: FloatArray, view: View, **look: Any) -> list[Drawable]:
    """Return the part of the view where ``normals @ w + offsets > 0`` in every row, if any."""
    area = corners(view)
    for normal, offset in zip(normals, offsets, strict=True):
        if normal.any():
            area = clip(area, Hyperplane(normal, float(offset)))
        elif not offset > 0:  # a row without a direction is right everywhere or nowhere
            return []
    green = partial(Path, colour=GREEN, fill=GREEN, opacity=0.2, width=1.2, closed=True)
    return [green(area, **look)] if len(area) else []


def inside(spots: ArrayLike, view: View) -> FloatArray:
    """Return the places inside the view: a marker outside would lie on the words around it."""
    low, high = np.array(view, dtype=np.float64).T
    rows = np.asarray(spots, dtype=np.float64).reshape(-1, 2)
    return np.asarray(rows[((low <= rows) & (rows <= high)).all(axis=1)])


def square(spots: FloatArray, *, room: float, least: float, digits: int) -> View:
    """Return a square view around spots, from whose middle it reaches ``room`` times their extent.

    It reaches ``least`` or more; the middle is rounded to so many ``digits``.
    """
    low, high = spots.min(axis=0), spots.max(axis=0)
    half = max(room * float((high - low).max()), least)
    x, y = ((low + high) / 2).round(digits).tolist()
    return (x - half, x + half), (y - half, y + half)


def clamp(at: ArrayLike, view: View) -> FloatArray:
    """Return the nearest place inside the view, rounded to what a reader can aim at."""
    low, high = np.array(view, dtype=np.float64).T
    return np.clip(checks.vector(at, "position", 2), low, high).round(4) + 0.0
