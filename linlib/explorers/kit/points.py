"""Labelled points that can be moved, added, relabelled and removed, and a run on them by steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray, IntArray
from linlib.data import Points
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Choice, Control
from linlib.explorers.kit.explorer import Explorer, Show
from linlib.explorers.kit.geometry import Look
from linlib.explorers.kit.sentences import plain
from linlib.explorers.kit.state import (
    OWN,
    Add,
    Choose,
    Event,
    Go,
    Move,
    Relabel,
    Remove,
    State,
)

MOST_POINTS = 100
SPEEDS = {"slow": 1500, "medium": 600, "fast": 120}  # milliseconds a step
SPEED = Choice("Speed", list(SPEEDS))
VIEW: scene.View = ((-4.5, 5.0), (-3.3, 3.7))
NO_POINTS = "There are no points. Click into the picture, or press Add, to add one."


PLUS_MINUS = {
    label: Look(*scene.CLASS_LOOK[label], name) for label, name in ((1, "y = +1"), (-1, "y = −1"))
}


def apart() -> data.Points:
    """Return two clouds that a line separates."""
    X, y = data.clouds([[-1.9, 0.0], [1.9, 0.6]], 14, np.random.default_rng(26), spread=0.85)
    return data.Points(X, np.where(y == 1, 1, -1))


def overlapping() -> data.Points:
    """Return two clouds that none separates."""
    return data.two_clouds(40, np.random.default_rng(7), distance=2.6)


def class_of_new_point(looks: Mapping[int, Look]) -> Choice:
    """Return the control that says which class a new point gets."""
    return Choice("A new point is", {look.name: label for label, look in looks.items()})


@dataclass(frozen=True, kw_only=True, eq=False)
class PointsState(State):
    """Points ``X`` with labels ``y`` in the reader's hands; a subclass learns from them."""

    edits: ClassVar = True
    looks: ClassVar[Mapping[int, Look]] = PLUS_MINUS
    first_view: ClassVar[scene.View] = VIEW  # of every preset
    own_controls: ClassVar[Mapping[str, Control]] = {"new_label": class_of_new_point(PLUS_MINUS)}

    X: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))
    y: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    view: scene.View = VIEW
    new_label: int = 1

    @classmethod
    def points_of(cls, preset: str) -> Points:
        """Return the points of a preset."""
        points: Points = cls.presets[preset]()
        return points

    @classmethod
    def thumbnail(cls, preset: str) -> scene.Thumbnail:
        """Return the points of a preset, small."""
        return scene.thumbnail(*cls.points_of(preset), cls.looks)

    # ---- what may be done

    def with_preset(self, preset: str) -> Self:
        """Return the state with the points of a preset."""
        X, y = self.points_of(preset)
        return self.changed(preset=preset, X=np.array(X), y=np.array(y), view=self.first_view)

    def update(self, event: Event) -> Self:
        """Move, add, relabel or remove a point: from then on the points are the reader's own."""
        match event:
            case Move(id, x, y):
                return self._with_moved(_row(id), x, y)
            case Add(_, x, y):
                return self._with_added(x, y)
            case Relabel(id):
                return self._with_relabelled(_row(id))
            case Remove(id):
                row = _row(id)  # later rows move up
                X, labels = np.delete(self.X, row, axis=0), np.delete(self.y, row)
                return self.changed(X=X, y=labels, preset=OWN)
        return super().update(event)

    def _with_moved(self, row: int, x: float, y: float) -> Self:
        X = self.X.copy()
        X[row] = [x, y][: X.shape[1]]  # one feature, or two
        return self.changed(X=X, preset=OWN)

    def _with_added(self, x: float, y: float) -> Self:
        if len(self.X) >= MOST_POINTS:
            raise ValueError(f"there are already {len(self.X)} points; remove one first.")
        X = np.vstack([self.X, [[x, y][: self.X.shape[1]]]])
        return self.changed(X=X, y=np.append(self.y, self.new_label), preset=OWN)

    def _with_relabelled(self, row: int) -> Self:
        labels, y = list(self.looks), self.y.copy()
        y[row] = labels[(labels.index(int(y[row])) + 1) % len(labels)]
        return self.changed(y=y, preset=OWN)

    def from_plain(self, name: str, value: Any) -> Any:
        """Return a field from its plain form; there may be no points."""
        if name == "X":
            rows = np.array(value, dtype=np.float64)
            return rows if rows.ndim == 2 else rows.reshape(0, self.X.shape[1])
        return super().from_plain(name, value)

    # ---- what is seen

    @property
    def step_of_keys(self) -> float:
        """How far an arrow key moves a point: a round number, more in a larger picture."""
        across = self.view[0][1] - self.view[0][0]
        return 0.05 if across < 3 else 0.1 if across <= 12 else float(f"{across / 26:.0e}")

    def handles_of_points(
        self, size: float = 8.0, places: FloatArray | None = None, rail: scene.Place | None = None
    ) -> list[scene.Handle]:
        """Return one handle a point, where the point is, or at another place."""
        made = []
        spots = self.X if places is None else places
        for row, (at, label) in enumerate(zip(spots, self.y.tolist(), strict=True)):
            look = self.looks[label]
            shown = partial(scene.Handle, marker=look.marker, colour=look.colour, legend=look.name)
            made.append(shown(f"p{row}", f"row {row}, {look.name},", at, size=size, rail=rail))
        return made

    def panel_of_points(
        self, title: str, drawn: Sequence[scene.Drawable], width: float = 500.0, **look: Any
    ) -> scene.Panel:
        """Return a panel of the plane of features, in which points can be moved and added."""
        handles = look.pop("handles", None) or self.handles_of_points()
        step = look.pop("step", self.step_of_keys)
        shown = partial(scene.Panel, title=title, width=width, adds=True, step=step)
        return shown(self.view, drawn, handles, **look)

    def no_fit(self, need: str) -> str:
        """Return why nothing can be fitted to these points."""
        lone = f"All points have {self.looks[int(self.y[0])].name}" if len(self.y) else ""
        return f"{lone or 'There are no points'}: {need} both classes. Add a point, or relabel one."

    def data_in_python(self) -> str:
        """Return the lines that make X and y."""
        rows = ", ".join(f"[{', '.join(map(_number, row))}]" for row in self.X.tolist())
        X = f"np.array([{rows}])" if rows else f"np.zeros({self.X.shape})"
        return f"import numpy as np\n\nX = {X}\ny = np.array({self.y.tolist()})\n"

    def data_alone(self) -> str:
        """Return the lines that make X and y, and why nothing follows from them."""
        return f"{self.data_in_python()}# {plain(self.sentence())}\n"


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _row(id: str) -> int:
    return int(id.removeprefix("p"))


class PointsExplorer(Explorer):
    """An explorer of points."""

    kind: type[PointsState]
    now: PointsState


@dataclass(frozen=True, kw_only=True, eq=False)
class StepsState(PointsState):
    """Points and a run on them, of which ``k`` steps are shown."""

    what: ClassVar[str] = "step"  # a step of the run is
    tick_means: ClassVar[str] = "the loss rose"  # on the time line

    k: int = 0
    speed: str = "medium"

    @property
    def last(self) -> int:
        """How many steps the run has."""
        raise NotImplementedError

    @property
    def ended(self) -> bool:
        """Whether the end of the run is shown, so that its end will be shown of another run too."""
        raise NotImplementedError

    @property
    def beat_wait(self) -> int:
        """Milliseconds between two steps while playing."""
        return SPEEDS[self.speed]

    def time_line(self, *, playing: bool) -> scene.TimeLine:
        """Return how far the run is shown."""
        shown = partial(scene.TimeLine, self.k, self.last, self.what, self.marks())
        return shown(tick=self.tick_means, playing=playing)

    def marks(self) -> str:
        """Return a sign for each step of the run."""
        return ""

    def update(self, event: Event) -> Self:
        """Go to a step; or change the run, and show as much of the new one."""
        match event:
            case Go(k):
                return self.at(k)
            case Choose(name, _) if name in self.restarts:
                return super().update(event)
        return super().update(event).follow(self)

    def at(self, k: int) -> Self:
        """Return the state at a step of the run, or at the nearest that it has."""
        return self.changed(k=min(max(k, 0), self.last))

    def follow(self, before: StepsState) -> Self:
        """Return the state as far in its run as before; a run that had ended stays at its end."""
        return self.at(self.last if before.ended and self.arrives else before.k)

    @property
    def arrives(self) -> bool:
        """Whether there is a run that ends."""
        raise NotImplementedError

    def pasted(self, plain: Mapping[str, Any]) -> Self:
        """Return the state with what was moved and chosen in another one."""
        after = super().pasted(plain)
        return after.at(after.k)


class Stepper(PointsExplorer):
    """An explorer of a run by steps."""

    kind: type[StepsState]
    now: StepsState

    def start_here(self) -> None:
        """Open at the start of the run, unless some steps were asked for."""
        if not self.past:
            self.act(Show(self.now.at(0)))
        super().start_here()

    def step(self) -> None:
        """Make the next step."""
        self.act(Go(self.now.k + 1))

    def to_end(self) -> None:
        """Make all steps, or as many as the budget allows."""
        self.act(Go(self.now.last))

    def to_start(self) -> None:
        """Go back before the first step, with everything else as it is."""
        self.act(Go(0))
