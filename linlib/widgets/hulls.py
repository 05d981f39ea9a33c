"""The hulls of two classes among the points of an explorer, and their nearest points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.margins.hulls import Gap, gap, hull
from linlib.notebook.plotting import GREEN
from linlib.widgets import scene
from linlib.widgets.scene import Item

DIGITS = 4  # decimals of a place
UNIT = 10.0**DIGITS  # places are whole numbers of its inverse


class Look(NamedTuple):
    """How the points of one label are drawn and what they are called."""

    marker: str
    colour: str
    name: str


class Hulls:
    """The hulls of the points, one a label; their nearest points are found once.

    >>> Hulls(np.array([[0.0, 0.0], [0.3, 0.4]]), np.array([1, -1])).in_words().split(":")[0]
    ' The hulls are \ue000gap\ue0010.5\ue002 apart'
    """

    def __init__(self, X: FloatArray, y: IntArray) -> None:
        self.X, self.y = X, y
        self.key = X.tobytes(), y.tobytes()

    @cached_property
    def gap(self) -> Gap | None:
        """The nearest points; None without two classes."""
        return gap(self.X, self.y) if len(set(self.y.tolist())) == 2 else None

    def drawn(self, looks: Mapping[int, Look]) -> list[Item]:
        """Return the hulls of both classes with their nearest points."""
        drawn: list[Item] = []
        if len(set(self.y.tolist())) < 2:
            return drawn
        for label, look in looks.items():
            edge: Item = {"colour": look.colour, "fill": look.colour, "opacity": 0.12, "width": 1.4}
            corners = hull(self.X[self.y == label])
            drawn.append(scene.path(corners, closed=True, name=f"hull{label:+d}", **edge))
        if self.gap is not None:
            ends = np.array([self.gap.positive, self.gap.negative])
            way: Item = {"colour": GREEN, "width": 3.0, "label": "nearest points of the hulls"}
            drawn.append(scene.path(ends, name="gap", **way))
            drawn.append(scene.marks(ends, size=5, colour=GREEN, name="nearest"))
        return drawn

    def in_words(self, *, through_origin: bool = False) -> str:
        """Return whether the hulls meet, and how far apart they are otherwise."""
        found = self.gap
        if found is None:
            return ""
        if found.distance == 0:
            return f" The hulls meet, at {scene.mark('nearest', scene.vector(found.positive))}."
        far = scene.mark("gap", scene.brief(found.distance))
        free = ", and its line need not pass through the origin" if through_origin else ""
        return f" The hulls are {far} apart: that is the widest street{free}."
