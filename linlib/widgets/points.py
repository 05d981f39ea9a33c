"""What several explorers share: labelled points that can be moved, added, relabelled, removed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import ipywidgets
import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.data import Points
from linlib.hulls import Gap, gap, hull
from linlib.plotting import GREEN
from linlib.widgets import scene
from linlib.widgets.base import Explorer
from linlib.widgets.controls import chooser
from linlib.widgets.history import State
from linlib.widgets.scene import Item

MOST_POINTS = 100
DIGITS = 4  # decimals of a place


class Look(NamedTuple):
    """How the points of one label are drawn and what they are called."""

    marker: str
    colour: str
    name: str


PLUS_MINUS = {
    label: Look(*scene.CLASS_LOOK[label], name) for label, name in ((1, "y = +1"), (-1, "y = −1"))
}


class PointsExplorer(Explorer):
    """Points ``X`` with labels ``y`` in the reader's hands; a subclass learns from them."""

    adds = relabels = removes = True
    kept: ClassVar[tuple[str, ...]] = ("X", "y", "view")
    seen_only: ClassVar = frozenset({"view", "new_label", "challenge", "preset"})
    looks: ClassVar[Mapping[int, Look]] = PLUS_MINUS
    X: FloatArray
    y: IntArray
    view: scene.View

    def __init__(
        self, start: str, controls: Mapping[str, ipywidgets.Widget], *buttons: ipywidgets.Widget
    ) -> None:
        names = [(look.name, label) for label, look in self.looks.items()]
        self.new_label = chooser("A new point is", names, next(iter(self.looks)))
        super().__init__({"new_label": self.new_label} | dict(controls), *buttons, start=start)

    def take(self, points: Points, view: scene.View) -> None:
        """Make these the points shown."""
        self.X, self.y, self.view = np.array(points.X), np.array(points.y), view

    def thaw(self, name: str, value: Any) -> Any:
        """Return a kept attribute from its plain form; there may be no points."""
        if name == "X":
            return np.array(value, dtype=np.float64).reshape(-1, self.X.shape[1])
        return super().thaw(name, value)

    def adopt(self, state: State) -> None:
        """Take another explorer's points; two classes of any names become the first two labels."""
        if "X" not in state or "y" not in state:
            raise ValueError("the copied state has no points to take over.")
        X, y = checks.points(state["X"]), np.asarray(state["y"])
        if X.shape[1] != self.X.shape[1]:
            raise ValueError(f"its points have {X.shape[1]} features, here are {self.X.shape[1]}.")
        if len(X) > MOST_POINTS or len(X) != len(y):
            raise ValueError(f"there is room for {MOST_POINTS} points, one label each.")
        self.y = self._labels(y)
        self.X = X.round(DIGITS) + 0.0
        self.view = scene.around(self.view, self.X)
        self.owned()

    def _labels(self, y: IntArray) -> IntArray:
        known, mine = sorted(set(y.tolist())), list(self.looks)
        if set(known) <= set(mine):
            return np.array(y, dtype=np.int64)
        pairs = {-1: 0, 1: 1} if 0 in mine else {0: -1, 1: 1}
        if not set(known) <= set(pairs):
            raise ValueError(f"its labels are {known}, of which only {mine} are known here.")
        return np.array([pairs[label] for label in y.tolist()], dtype=np.int64)

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move one point."""
        X = self.X.copy()
        X[_row(id)] = [x, y][: X.shape[1]]
        self.X = X
        self.owned()

    def on_add(self, panel: int, x: float, y: float) -> str:
        """Add a point of the chosen class as the last row."""
        if len(self.X) >= MOST_POINTS:
            raise ValueError(f"there are already {len(self.X)} points; remove one first.")
        self.X = np.vstack([self.X, [[x, y][: self.X.shape[1]]]])
        self.y = np.append(self.y, self.new_label.value)
        self.owned()
        return f"p{len(self.X) - 1}"

    def on_relabel(self, id: str) -> None:
        """Give a point the next label."""
        labels, y = list(self.looks), self.y.copy()
        y[_row(id)] = labels[(labels.index(int(y[_row(id)])) + 1) % len(labels)]
        self.y = y
        self.owned()

    def on_remove(self, id: str) -> None:
        """Remove a point; later rows move up."""
        self.X = np.delete(self.X, _row(id), axis=0)
        self.y = np.delete(self.y, _row(id))
        self.owned()

    def fill(self, X: ArrayLike, y: ArrayLike) -> None:
        """Show these points instead, in one change."""
        rows = np.array(X, dtype=np.float64).reshape(-1, self.X.shape[1])
        self.act(self._changed, rows, np.array(y, dtype=np.int64).reshape(-1))

    def _changed(self, X: FloatArray, y: IntArray) -> None:
        if len(X) > MOST_POINTS or len(X) != len(y) or not set(y.tolist()) <= set(self.looks):
            known = list(self.looks)
            raise ValueError(f"give up to {MOST_POINTS} points, each with one label of {known}.")
        self.X, self.y = X.round(DIGITS) + 0.0, y
        self.view = scene.around(self.view, X) if X.shape[1] == 2 else self.view
        self.owned()

    # ---- what is seen

    @property
    def step_of_keys(self) -> float:
        """How far an arrow key moves a point: a round number, more in a larger picture."""
        across = self.view[0][1] - self.view[0][0]
        return 0.05 if across < 3 else 0.1 if across <= 12 else float(f"{across / 26:.0e}")

    def handles_of_points(self, size: float = 8.0) -> list[Item]:
        """Return one handle a point."""
        made = []
        for row, (x, label) in enumerate(zip(self.X, self.y.tolist(), strict=True)):
            look = self.looks[label]
            shown: Item = {"marker": look.marker, "colour": look.colour, "legend": look.name}
            made.append(scene.handle(f"p{row}", f"row {row}, {look.name},", x, size=size, **shown))
        return made

    def hulls(self) -> tuple[list[Item], Gap | None]:
        """Return the hulls of both classes with their nearest points, and these points."""
        drawn: list[Item] = []
        if len(set(self.y.tolist())) < 2:
            return drawn, None
        for label, look in self.looks.items():
            edge: Item = {"colour": look.colour, "fill": look.colour, "opacity": 0.12, "width": 1.4}
            corners = hull(self.X[self.y == label])
            drawn.append(scene.path(corners, closed=True, name=f"hull{label:+d}", **edge))
        found = self._gap()
        if found is None:
            return drawn, None
        ends = np.array([found.positive, found.negative])
        look_of: Item = {"colour": GREEN, "width": 3.0, "label": "nearest points of the hulls"}
        drawn.append(scene.path(ends, name="gap", **look_of))
        drawn.append(scene.marks(ends, size=5, colour=GREEN, name="nearest"))
        return drawn, found

    _gap_of: tuple[object, Gap | None] = None, None

    def _gap(self) -> Gap | None:
        """Return the nearest points of the hulls, found once for picture and sentence."""
        key = self.X.tobytes(), self.y.tobytes()
        if self._gap_of[0] != key:
            self._gap_of = key, self._find_gap()
        return self._gap_of[1]

    def _find_gap(self) -> Gap | None:
        """Return the nearest points of the hulls, decided in whole numbers where places allow."""
        if not np.array_equal(self.X, self.X.round(DIGITS)):
            return gap(self.X, self.y)
        unit = 10.0**DIGITS
        found = gap(np.rint(self.X * unit), self.y)
        if found is None:
            return None
        return Gap(found.positive / unit, found.negative / unit, found.distance / unit)

    def hulls_in_words(self, *, through_origin: bool = False) -> str:
        """Return whether the hulls meet, and how far apart they are otherwise."""
        found = self._gap() if len(set(self.y.tolist())) == 2 else None
        if found is None:
            return ""
        if found.distance == 0:
            return f" The hulls meet, at {scene.mark('nearest', scene.vector(found.positive))}."
        far = scene.mark("gap", scene.brief(found.distance))
        free = ", and its line need not pass through the origin" if through_origin else ""
        return f" The hulls are {far} apart: that is the widest street{free}."

    def data_in_python(self) -> str:
        """Return the lines that make X and y."""
        rows = ", ".join(f"[{', '.join(map(_number, row))}]" for row in self.X.tolist())
        X = f"np.array([{rows}])" if rows else f"np.zeros({self.X.shape})"
        return f"import numpy as np\n\nX = {X}\ny = np.array({self.y.tolist()})\n"

    def data_alone(self) -> str:
        """Return the lines that make X and y, and why nothing follows from them."""
        return f"{self.data_in_python()}# {scene.plain(self.sentence())}\n"


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _row(id: str) -> int:
    return int(id.removeprefix("p"))
