"""Explorer 2: the perceptron, one update at a time, on points that can be moved."""

from __future__ import annotations

import ipywidgets
import numpy as np

from linlib import data
from linlib.checks import FloatArray, IntArray
from linlib.hyperplane import Hyperplane
from linlib.perceptron import pla
from linlib.plotting import BLACK, GREEN, GREY, PURPLE
from linlib.runs import Run
from linlib.separability import Inseparable, Separable, certify
from linlib.widgets import scene
from linlib.widgets.points import OWN, EditablePoints, chooser
from linlib.widgets.scene import Item, say, vector

BUDGET = 1000  # updates; a run that has not ended by then is shown up to here
SEED = 7
SQUARE: scene.View = ((-0.75, 1.75), (-0.75, 1.75))
WIDE: scene.View = ((-6.0, 7.0), (-2.0, 11.0))
UNIT: scene.View = ((-1.25, 1.25), (-1.25, 1.25))


def preset(name: str) -> tuple[data.Points, scene.View, bool]:
    """Return the points of a preset, their view, and whether the rule has an offset."""
    if name == "AND":
        return data.and_gate(), SQUARE, True
    if name == "XOR":
        return data.xor_gate(), SQUARE, True
    if name == "three points":
        return data.three_points(), WIDE, False
    return data.separable(20, 2, np.random.default_rng(SEED)), UNIT, True


class PerceptronExplorer(EditablePoints):
    """The path of :func:`linlib.pla` on the points shown, ``k`` updates from its start.

    >>> explorer = PerceptronExplorer()
    >>> explorer.step()
    >>> explorer.weights
    array([-1.,  0.,  0.])
    >>> explorer.to_end()
    >>> explorer.k, explorer.weights
    (18, array([-4.,  3.,  2.]))
    """

    name = "Perceptron stepper"

    def __init__(self, points: str = "AND") -> None:
        self.preset = chooser("Points", ["AND", "XOR", "three points", "random", OWN], points)
        self.order = chooser("Order", ["cyclic", "random", "worst"], "cyclic")
        self.offset = ipywidgets.Checkbox(value=True, description="offset w₀", indent=False)
        self.new_label = chooser("A new point is", [("+1", 1), ("−1", -1)], 1)
        self.play = ipywidgets.ToggleButton(description="Play", tooltip="Step again and again")
        self.offset.layout.width = self.play.layout.width = "auto"
        self.k = 0
        self._load(points)
        super().__init__(
            self.preset,
            self.order,
            self.offset,
            self.new_label,
            self.button("Step", self.step, "Make the next update"),
            self.button("Back", self.back, "Undo the last update"),
            self.play,
            self.button("To the end", self.to_end, "Make all updates"),
            self.button("Reset", self.reset, "Start again from zero weights"),
        )
        self.watch(self.preset, self._load)
        self.watch(self.order, lambda _: self._restart())
        self.watch(self.offset, lambda _: self._restart())
        self.watch(self.new_label, lambda _: None)
        self.watch(self.play, self._play)

    # ---- the run

    def _load(self, name: str) -> None:
        if name == OWN:
            return
        (self.X, self.y), self.view, bias = preset(name)
        self.offset.value = bias
        self._restart()

    def _restart(self) -> None:
        self.k = 0
        self.play.value = False
        self._learn()

    def _learn(self) -> None:
        """Run linlib's perceptron on the points as they are now."""
        self.run: Run | None = None
        self.verdict: Separable | Inseparable | None = None
        if len(self.X):
            options = {"bias": self.offset.value}
            rng = np.random.default_rng(SEED)
            self.run = pla(
                self.X, self.y, order=self.order.value, max_updates=BUDGET, rng=rng, **options
            )
            self.verdict = certify(self.X, self.y, **options)

    def _changed(self, X: FloatArray, y: IntArray) -> None:
        """Take other points; a run that had ended is shown at its new end."""
        at_end = self.ended
        self.X, self.y = X, y
        self.preset.value = OWN
        self._learn()
        last = self.run.updates if self.run else 0
        self.k = last if at_end and self.run and self.run.converged else min(self.k, last)

    @property
    def weights(self) -> FloatArray:
        """The weights after ``k`` updates: ``pla(...).path[k]``."""
        return self.run.path[self.k] if self.run else np.zeros(2 + self.offset.value)

    @property
    def ended(self) -> bool:
        """Whether all updates of a run that converged have been made."""
        return bool(self.run and self.run.converged and self.k == self.run.updates)

    @property
    def counts(self) -> IntArray:
        """How many of the first ``k`` updates each row caused."""
        made = self.run.mistakes[: self.k] if self.run else np.zeros(0, dtype=np.int64)
        return np.bincount(made, minlength=len(self.X))

    # ---- what the reader does

    def step(self) -> None:
        """Make the next update."""
        self.act(self._go, 1)

    def back(self) -> None:
        """Undo the last update."""
        self.act(self._go, -1)

    def _go(self, by: int) -> None:
        last = self.run.updates if self.run else 0
        self.k = min(max(self.k + by, 0), last)
        if self.k == last:
            self.play.value = False

    def to_end(self) -> None:
        """Make all updates, or as many as the budget allows."""
        self.act(self._go, BUDGET)

    def reset(self) -> None:
        """Start again from zero weights, with the points as they are."""
        self.act(self._restart)

    def _play(self, value: bool) -> None:
        self.play.description = "Pause" if value else "Play"

    @property
    def playing(self) -> bool:
        """Whether the next update comes by itself."""
        return bool(self.play.value)

    def on_tick(self) -> None:
        """Make the next update."""
        self._go(1)

    def labels(self) -> list[int]:
        """Return the two labels."""
        return [1, -1]

    # ---- what is seen

    def sentence(self) -> str:
        """Return the last update, how many points are wrong, and how it will end."""
        if not self.run or not self.verdict:
            return "There are no points. Click into the picture, or press A in it, to add one."
        return " ".join([self._update_in_words(), self._state_in_words(), self._end_in_words()])

    def _update_in_words(self) -> str:
        if self.k == 0:
            return f"Before the first update the weights are {vector(self.weights)}."
        assert self.run
        row, before = self.run.mistakes[self.k - 1], self.run.path[self.k - 1]
        product = float(self.run.Z[row] @ before)
        return (
            f"Update {self.k}: row {row} at {vector(self.X[row])} was a mistake, its product "
            f"{say(product)} is not above 0; adding {vector(self.run.Z[row])} took the weights "
            f"from {vector(before)} to {vector(self.weights)}."
        )

    def _state_in_words(self) -> str:
        assert self.run
        wrong = int(np.count_nonzero(~(self.run.Z @ self.weights > 0)))
        state = f"{wrong} of {len(self.X)} points are wrong now."
        if len(self.X) <= 12 and self.k:
            state += f" Mistakes by row: {', '.join(map(str, self.counts))}."
        return state

    def _end_in_words(self) -> str:
        assert self.run
        if isinstance(self.verdict, Inseparable):
            shares = self.verdict.multipliers[self.verdict.support]
            rows = ", ".join(map(str, self.verdict.support))
            spent = f"The budget of {BUDGET} updates is spent. " if self.k == BUDGET else ""
            return (
                f"{spent}It can never end: with λ = {vector(shares)} on rows {rows} the "
                f"signed rows add up to zero, so no weights make all products positive."
            )
        if self.ended:
            return f"It has converged: pass {self.run.passes} over the points is clean."
        if self.run.converged:
            return "It will end: some line separates the points."
        return f"It will end, but not within the {BUDGET} updates shown here."

    def panels(self) -> list[Item]:
        """Return the points with the line, and the weights with the last update."""
        drawables = self._lines() + self._notes()
        title = f"after {self.k} update{'' if self.k == 1 else 's'}"
        span = self.view[0][1] - self.view[0][0]
        step = 0.05 if span < 3 else 0.5
        points = scene.panel(
            self.view, drawables, self._handles(), title=title, width=400, adds=True, step=step
        )
        return [points, self._weights_panel()]

    def _handles(self) -> list[Item]:
        handles = []
        for row, (x, label) in enumerate(zip(self.X, self.y.tolist(), strict=True)):
            marker, colour = scene.CLASS_LOOK[label]
            look: Item = {
                "marker": marker,
                "colour": colour,
                "legend": f"y = {label:+d}".replace("-", "−"),
            }
            handles.append(scene.handle(f"p{row}", f"row {row}, label {label:+d},", x, **look))
        return handles

    def _lines(self) -> list[Item]:
        """Return the shaded sides, the old line dashed and the new one solid."""
        drawn = _sides(self.weights, self.offset.value, self.view)
        if self.run and self.k:
            old = _hyperplane(self.run.path[self.k - 1], self.offset.value)
            look: Item = {"colour": GREY, "dash": scene.DASHED, "name": "old-line"}
            drawn += scene.line(old, self.view, label="old line, old w", **look) if old else []
            row = self.run.mistakes[self.k - 1]
            drawn.append(scene.ring(self.X[row], name="mistake"))
        new = _hyperplane(self.weights, self.offset.value)
        return drawn + (scene.line(new, self.view, label="new line, new w") if new else [])

    def _notes(self) -> list[Item]:
        """Return the mistakes beside every point, and the multipliers of those that clash."""
        notes = []
        for x, count in zip(self.X, self.counts, strict=True):
            if count:
                notes.append(scene.text(x, f"{count}×", offset=(13, 9), name="count"))
        if isinstance(self.verdict, Inseparable):
            for row in self.verdict.support:
                share = f"λ {say(self.verdict.multipliers[row])}"
                look: Item = {
                    "colour": PURPLE,
                    "offset": (0, -30),
                    "anchor": "middle",
                    "name": "lambda",
                }
                notes.append(scene.text(self.X[row], share, **look))
        return notes

    def _weights_panel(self) -> Item:
        """Return the plane of (w1, w2): where the weights went, and the last update."""
        path = self.run.path[:, -2:] if self.run else np.zeros((1, 2))
        shown = path[: self.k + 1]
        drawn = [scene.marks([[0, 0]], size=4, colour=BLACK, name="origin")]
        if self.k > 1:
            drawn.append(scene.path(shown[-200:], colour=GREY, width=1.2, name="trail"))
        if self.k:
            grey: Item = {"colour": GREY, "dash": scene.DASHED}
            drawn.append(
                scene.arrow([0, 0], shown[-2], label="old line, old w", name="old-w", **grey)
            )
        drawn.append(scene.arrow([0, 0], shown[-1], label="new line, new w", name="new-w"))
        if self.k:
            update: Item = {"colour": GREEN, "label": "update y x", "name": "update"}
            drawn.append(scene.arrow(shown[-2], shown[-1], **update))
        names: Item = {"title": "w before and after", "xlabel": "w₁", "ylabel": "w₂"}
        return scene.panel(_around(path), drawn, width=300, **names)


def _hyperplane(weights: FloatArray, bias: bool) -> Hyperplane | None:
    return Hyperplane.from_weights(weights, bias=bias) if weights[-2:].any() else None


def _sides(weights: FloatArray, bias: bool, view: scene.View) -> list[Item]:
    h = _hyperplane(weights, bias)
    if h:
        return [*scene.side(h, view, 1), *scene.side(h, view, -1)]
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
