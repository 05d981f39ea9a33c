"""Labelled points that can be moved, added, relabelled and removed, and a run on them by steps."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray, IntArray
from linlib.data import Points
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Choice, Control
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.geometry import Look
from linlib.explorers.kit.sentences import plain

MOST_POINTS = 100
SPEEDS = {"slow": 1500, "medium": 600, "fast": 120}  # milliseconds a step
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


class PointsExplorer(Explorer):
    """Points ``X`` with labels ``y`` in the reader's hands; a subclass learns from them."""

    edits = True
    state_names: ClassVar[tuple[str, ...]] = ("X", "y", "view")
    display_only: ClassVar = frozenset({"view", "new_label", "challenge", "preset"})
    looks: ClassVar[Mapping[int, Look]] = PLUS_MINUS
    first_view: scene.View = VIEW  # of every preset
    X: FloatArray
    y: IntArray
    view: scene.View

    def __init__(self, start: str, controls: Mapping[str, Control]) -> None:
        names = {look.name: label for label, look in self.looks.items()}
        self.new_label = Choice("A new point is", names, next(iter(self.looks)))
        super().__init__({"new_label": self.new_label} | dict(controls), start=start)

    def points_of(self, preset: str) -> Points:
        """Return the points of a preset."""
        points: Points = self.presets[preset]()
        return points

    def load(self, preset: str) -> None:
        """Show a preset."""
        self.take(self.points_of(preset), self.first_view)

    def thumbnail(self, preset: str) -> scene.Thumbnail:
        """Return the points of a preset, small."""
        return scene.thumbnail(*self.points_of(preset), self.looks)

    def take(self, points: Points, view: scene.View) -> None:
        """Make these the points shown."""
        self.X, self.y, self.view = np.array(points.X), np.array(points.y), view

    def from_plain(self, name: str, value: Any) -> Any:
        """Return a kept attribute from its plain form; there may be no points."""
        if name == "X":
            rows = np.array(value, dtype=np.float64)
            return rows if rows.ndim == 2 else rows.reshape(0, self.X.shape[1])
        return super().from_plain(name, value)

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move one point."""
        X = self.X.copy()
        X[_row(id)] = [x, y][: X.shape[1]]
        self.X = X
        self.become_own()

    def on_add(self, panel: int, x: float, y: float) -> str:
        """Add a point of the chosen class as the last row."""
        if len(self.X) >= MOST_POINTS:
            raise ValueError(f"there are already {len(self.X)} points; remove one first.")
        self.X = np.vstack([self.X, [[x, y][: self.X.shape[1]]]])
        self.y = np.append(self.y, self.new_label.value)
        self.become_own()
        return f"p{len(self.X) - 1}"

    def on_relabel(self, id: str) -> None:
        """Give a point the next label."""
        labels, y = list(self.looks), self.y.copy()
        y[_row(id)] = labels[(labels.index(int(y[_row(id)])) + 1) % len(labels)]
        self.y = y
        self.become_own()

    def on_remove(self, id: str) -> None:
        """Remove a point; later rows move up."""
        self.X = np.delete(self.X, _row(id), axis=0)
        self.y = np.delete(self.y, _row(id))
        self.become_own()

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


class Stepper(PointsExplorer):
    """Points and a run on them, of which ``k`` steps are shown."""

    state_names: ClassVar[tuple[str, ...]] = ("X", "y", "view", "k")
    display_only: ClassVar = PointsExplorer.display_only | {"k", "speed"}
    k = 0

    what = "step"  # a step of the run is
    tick_means = "the loss rose"  # on the time line

    def __init__(self, start: str, controls: Mapping[str, Control]) -> None:
        self.speed = Choice("Speed", list(SPEEDS), "medium")
        super().__init__(start, dict(controls) | {"speed": self.speed})

    run: Any = None

    def forget(self) -> None:
        """Stop playing; a run that had ended says nothing about the next."""
        super().forget()
        self.run, self.playing = None, False

    @property
    def last(self) -> int:
        """How many steps the run has."""
        raise NotImplementedError

    @property
    def beat_wait(self) -> int:  # type: ignore[override]
        """Milliseconds between two steps while playing."""
        return SPEEDS[self.speed.value]

    def time_line(self) -> scene.TimeLine:
        """Return how far the run is shown."""
        shown = partial(scene.TimeLine, self.k, self.last, self.what, self.marks())
        return shown(tick=self.tick_means, playing=self.playing)

    def marks(self) -> str:
        """Return a sign for each step of the run."""
        return ""

    def start_here(self) -> None:
        """Open at the start of the run, unless some steps were asked for."""
        if not self.history.past:
            self.k = 0
        super().start_here()

    def go(self, to: object) -> None:
        """Go to a step, or begin or end to play."""
        if isinstance(to, bool):
            self.act(self._play, to)
        else:
            self.act(self._go, int(str(to)))

    def tick(self, beat: object) -> None:
        """Make the next step, if it is the one that the browser waits for."""
        # Two views of one explorer both ask for the next beat; only the first is meant.
        if self.playing and beat == self._beat:
            self.act(self._go, self.k + 1, gesture="play")
        else:
            self.redraw()

    def step(self) -> None:
        """Make the next step."""
        self.act(self._go, self.k + 1)

    def to_end(self) -> None:
        """Make all steps, or as many as the budget allows."""
        self.act(self._go, self.last)

    def to_start(self) -> None:
        """Go back before the first step, with everything else as it is."""
        self.act(self._go, 0)

    def _go(self, k: int) -> None:
        self.k = min(max(k, 0), self.last)
        self.playing = self.playing and self.k < self.last

    def _play(self, plays: bool) -> None:
        self.playing = plays
        if plays and self.k == self.last:
            self.k = 0  # from the end, play begins again
