"""What several explorers share: labelled points that can be moved, added, relabelled, removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, NamedTuple

import ipywidgets
import numpy as np

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.data import Points
from linlib.widgets import scene
from linlib.widgets.base import Explorer
from linlib.widgets.scene import Item

MOST_POINTS = 100
OWN = "your own"


class Look(NamedTuple):
    """How the points of one label are drawn and what they are called."""

    marker: str
    colour: str
    name: str


class EditablePoints(Explorer):
    """Points ``X`` with labels ``y`` in the reader's hands; a subclass takes every change."""

    adds = relabels = removes = True
    X: FloatArray
    y: IntArray
    new_label: ipywidgets.Dropdown

    def labels(self) -> list[int]:
        """Return all labels, in the order in which relabelling goes through them."""
        raise NotImplementedError

    def _changed(self, X: FloatArray, y: IntArray) -> None:
        raise NotImplementedError

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move one point."""
        X = self.X.copy()
        X[_row(id)] = x, y
        self._changed(X, self.y)

    def on_add(self, panel: int, x: float, y: float) -> str:
        """Add a point of the chosen class as the last row."""
        if len(self.X) >= MOST_POINTS:
            raise ValueError(f"there are already {len(self.X)} points; remove one first.")
        self._changed(np.vstack([self.X, [x, y]]), np.append(self.y, self.new_label.value))
        return f"p{len(self.X) - 1}"

    def on_relabel(self, id: str) -> None:
        """Give a point the next label."""
        labels, y = self.labels(), self.y.copy()
        y[_row(id)] = labels[(labels.index(int(y[_row(id)])) + 1) % len(labels)]
        self._changed(self.X, y)

    def on_remove(self, id: str) -> None:
        """Remove a point; later rows move up."""
        self._changed(np.delete(self.X, _row(id), axis=0), np.delete(self.y, _row(id)))


class PointsExplorer(EditablePoints):
    """Points with labels, taken from ``presets``; a subclass learns from them in :meth:`learn`."""

    presets: ClassVar[Mapping[str, Callable[[], Points]]]
    looks: ClassVar[Mapping[int, Look]]

    def __init__(self, points: str, *controls: ipywidgets.Widget) -> None:
        self.started = checks.choice(points, "points", tuple(self.presets))
        self.preset = chooser("Points", [*self.presets, OWN], points)
        names = [(look.name, label) for label, look in self.looks.items()]
        self.new_label = chooser("A new point is", names, next(iter(self.looks)))
        self._load(points)
        super().__init__(
            self.preset,
            self.new_label,
            *controls,
            self.button("Reset", self.reset, "Put points and controls back as they were"),
        )
        self.watch(self.preset, self._load)
        self.watch(self.new_label, lambda _: None)

    def labels(self) -> list[int]:
        """Return the labels that have a look."""
        return list(self.looks)

    def learn(self) -> None:
        """Fit to the points as they are now, within a budget."""
        raise NotImplementedError

    def restore(self) -> None:
        """Put the controls of the subclass back as they were."""

    def reset(self) -> None:
        """Put points and controls back as they were."""
        self.act(self._reset)

    def _reset(self) -> None:
        self.restore()
        self._load(self.started)
        self.preset.value = self.started

    def _load(self, name: str) -> None:
        if name != OWN:
            self.started = name
            self.X, self.y = self.presets[name]()
            self.learn()

    def _changed(self, X: FloatArray, y: IntArray) -> None:
        self.X, self.y = X, y
        self.preset.value = OWN
        self.learn()

    def handles_of_points(self, size: float = 8.0) -> list[Item]:
        """Return one handle a point."""
        made = []
        for row, (x, label) in enumerate(zip(self.X, self.y.tolist(), strict=True)):
            look = self.looks[label]
            shown: Item = {"marker": look.marker, "colour": look.colour, "legend": look.name}
            made.append(scene.handle(f"p{row}", f"row {row}, {look.name},", x, size=size, **shown))
        return made


def chooser(description: str, options: Sequence[object], value: object) -> ipywidgets.Dropdown:
    """Return a labelled list to choose from, as wide as it needs to be."""
    made = ipywidgets.Dropdown(options=options, value=value, description=description)
    made.layout.width = "auto"
    made.style.description_width = "initial"
    return made


def _row(id: str) -> int:
    return int(id.removeprefix("p"))
