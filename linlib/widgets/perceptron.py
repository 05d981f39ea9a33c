"""Explorer 2: the perceptron, one update at a time, on points that can be moved."""

from __future__ import annotations

from typing import Any, ClassVar

import ipywidgets
import numpy as np

from linlib import data
from linlib.certificates import Inseparable, Separable
from linlib.checks import FloatArray, IntArray
from linlib.hyperplane import Hyperplane
from linlib.perceptron import pla, pla_rows
from linlib.plotting import BLACK, GREEN, GREY, PURPLE
from linlib.runs import Run
from linlib.separability import certify
from linlib.sides import whole_rows
from linlib.widgets import scene
from linlib.widgets.base import Challenge
from linlib.widgets.controls import chooser
from linlib.widgets.points import DIGITS
from linlib.widgets.scene import Item, brief, mark, vector
from linlib.widgets.stepper import Stepper

BUDGET = 1000  # updates; a run that has not ended by then is shown up to here
SEED = 7
UNIT = 10.0**DIGITS  # places are whole numbers of its inverse, so the run makes no rounding
SQUARE: scene.View = ((-0.75, 1.75), (-0.75, 1.75))
WIDE: scene.View = ((-6.0, 7.0), (-2.0, 11.0))
SMALL: scene.View = ((-1.25, 1.25), (-1.25, 1.25))
LINE, HULLS = "line", "line and hulls"


def _random() -> data.Points:
    X, y = data.separable(20, 2, np.random.default_rng(SEED))
    return data.Points(X.round(DIGITS), y)


def _many_mistakes(explorer: PerceptronExplorer) -> tuple[str, bool]:
    """Judge "a hundred mistakes with four points"."""
    run, n = explorer.run, len(explorer.X)
    if run is None or n > 4:
        return f"there are {n} points, at most 4 count.", False
    if not run.converged or not (explorer.verdict and explorer.verdict.separable):
        return "the run must end, so a line must separate the points.", False
    whole = np.rint(explorer.X * UNIT)
    proved = explorer.verdict.check(whole, explorer.y, exact=True)
    return f"{run.updates} of 100 mistakes.", proved and run.updates >= 100


class PerceptronExplorer(Stepper):
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
    presets: ClassVar = {
        "AND": (data.and_gate, SQUARE, True),
        "XOR": (data.xor_gate, SQUARE, True),
        "three points": (data.three_points, WIDE, False),
        "random": (_random, SMALL, True),
    }
    challenges: ClassVar = {
        "a hundred mistakes": Challenge(
            "force a hundred mistakes with at most four points", _many_mistakes
        )
    }
    shows: ClassVar = [LINE, HULLS]
    seen_only: ClassVar = Stepper.seen_only | {"show"}

    def __init__(self, points: str = "AND", **more: ipywidgets.Widget) -> None:
        self.order = chooser("Order", ["cyclic", "random", "worst"], "cyclic")
        self.offset = ipywidgets.Checkbox(value=True, description="offset w₀", indent=False)
        self.offset.layout.width = "auto"
        self.show = chooser("Show", self.shows, self.shows[0])
        controls = {"order": self.order, "offset": self.offset, "show": self.show} | more
        super().__init__(points, controls, what="update")

    # ---- the run

    def load(self, preset: str) -> None:
        """Show a preset from zero weights."""
        make, view, bias = self.presets[preset]
        self.take(make(), view)
        self.offset.value = bias
        self._restart()

    def on_choose(self, name: str, value: Any) -> None:
        """Begin again with other rows or another order of them."""
        super().on_choose(name, value)
        if name in ("order", "offset"):
            self._restart()

    def _restart(self) -> None:
        self.k, self.run = 0, None
        self.play.value = False

    run: Run | None = None
    verdict: Separable | Inseparable | None = None

    def forget(self) -> None:
        """Stop playing; a run that had ended says nothing about the next."""
        self.run = None
        self.play.value = False

    def refit(self) -> None:
        """Run linlib's perceptron; a run that had ended is shown at its new end."""
        at_end = self.ended
        self.run, self.verdict = None, None
        self.path = np.zeros((1, 2 + self.offset.value))
        if len(self.X):
            bias = self.offset.value
            rows = whole_rows(self.X, self.y, digits=DIGITS, bias=bias)
            rng = np.random.default_rng(SEED)
            self.run = pla_rows(rows, order=self.order.value, max_updates=BUDGET, rng=rng)
            self.path = self.run.path / UNIT
            self.verdict = certify(np.rint(self.X * UNIT), self.y, bias=bias)
        self.k = self.last if at_end and self.run and self.run.converged else min(self.k, self.last)

    @property
    def last(self) -> int:
        """How many updates the run makes, within its budget."""
        return self.run.updates if self.run else 0

    @property
    def weights(self) -> FloatArray:
        """The weights after ``k`` updates."""
        return np.asarray(self.path[self.k])

    @property
    def ended(self) -> bool:
        """Whether all updates of a run that converged have been made."""
        return bool(self.run and self.run.converged and self.k == self.run.updates)

    @property
    def counts(self) -> IntArray:
        """How many of the first ``k`` updates each row caused."""
        made = self.run.mistakes[: self.k] if self.run else np.zeros(0, dtype=np.int64)
        return np.bincount(made, minlength=len(self.X))

    @property
    def wrong(self) -> int:
        """How many points the weights have on the wrong side or on the line."""
        if self.run is None:
            return 0
        return int(np.count_nonzero(~(self.run.Z @ np.rint(self.weights * UNIT) > 0)))

    def python(self) -> str:
        """Return the lines that make this run; exact ones where rounding would make another."""
        if self.run is None:
            return self.data_alone()
        bias, order = self.offset.value, self.order.value
        more = f", order={order!r}" if order != "cyclic" else ""
        more += f", max_updates={BUDGET}"
        seeded = f", rng=np.random.default_rng({SEED})" if order == "random" else ""
        lines = f"run = pla(X, y{more}{'' if bias else ', bias=False'}{seeded})"
        imported = "pla"
        if self.run and not self._same_in_floats():
            imported = "pla_rows"
            lines = (
                "# In floats a product that should be 0 is not; in whole numbers it is.\n"
                "from linlib.sides import whole_rows\n\n"
                f"Z = whole_rows(X, y, digits={DIGITS}{'' if bias else ', bias=False'})\n"
                f"run = pla_rows(Z{more}{seeded})"
            )
        data_lines = self.data_in_python()
        return f"from linlib import {imported}\n{data_lines}{lines}\nrun.path[{self.k}]\n"

    def _same_in_floats(self) -> bool:
        rng = np.random.default_rng(SEED)
        options: Item = {"order": self.order.value, "bias": self.offset.value}
        floats = pla(self.X, self.y, max_updates=BUDGET, rng=rng, **options)
        assert self.run
        return bool(np.array_equal(floats.mistakes, self.run.mistakes))

    # ---- what is seen

    def sentence(self) -> str:
        """Return the last update, how many points are wrong, and how it will end."""
        if not self.run or not self.verdict:
            return "There are no points. Click into the picture, or press Add, to add one."
        words = " ".join([self._update_in_words(), self._state_in_words(), self._end_in_words()])
        return words + (self._hulls_in_words() if self.show.value == HULLS else "")

    def _hulls_in_words(self) -> str:
        return self.hulls_in_words(through_origin=not self.offset.value)

    def _update_in_words(self) -> str:
        if self.k == 0:
            return f"Before the first update the weights are {vector(self.weights)}."
        assert self.run
        row, before = self.run.mistakes[self.k - 1], self.path[self.k - 1]
        z = self.run.Z[row]
        product = float(z @ np.rint(before * UNIT)) / UNIT**2
        return (
            f"Update {self.k}: row {row} at {mark('mistake', vector(self.X[row]))} was a mistake, "
            f"its product {scene.rounded(product)} is not above 0; adding "
            f"{mark('update', vector(z / UNIT))} took the weights "
            f"from {mark('old-w', vector(before))} to {mark('new-w', vector(self.weights))}."
        )

    def _state_in_words(self) -> str:
        wrong = self.wrong
        state = f"{wrong} of {len(self.X)} points {'is' if wrong == 1 else 'are'} wrong now."
        if len(self.X) <= 12 and self.k:
            made = mark("count", ", ".join(map(str, self.counts)))
            state += f" Mistakes by row: {made}."
        return state

    def _end_in_words(self) -> str:
        assert self.run
        if isinstance(self.verdict, Inseparable):
            spent = f"The budget of {BUDGET} updates is spent. " if self.k == BUDGET else ""
            return f"{spent}It can never end: {self._why_never(self.verdict)}"
        if self.ended:
            return f"It has converged: pass {self.run.passes} over the points is clean."
        if self.run.converged:
            return "It will end: some line separates the points."
        return f"It will end, but not within the {BUDGET} updates shown here."

    def _why_never(self, verdict: Inseparable) -> str:
        """Return the multipliers that add the signed rows up to zero."""
        rows = verdict.support
        if len(rows) == 1:
            return f"row {rows[0]} is all zeros, and no weights make its product positive."
        shares = "(" + ", ".join(brief(float(verdict.multipliers[row])) for row in rows) + ")"
        return (
            f"with λ = {mark('lambda', shares)} on rows {', '.join(map(str, rows))} the "
            f"signed rows add up to zero, so no weights make all products positive."
        )

    def panels(self) -> list[Item]:
        """Return the points with the line, and the weights with the last update."""
        drawables = (self.hulls()[0] if self.show.value == HULLS else []) + self._lines()
        title = f"after {self.k} update{'' if self.k == 1 else 's'}"
        look: Item = {"title": title, "width": 330.0, "adds": True, "step": self.step_of_keys}
        points = scene.panel(self.view, drawables + self._notes(), self.handles_of_points(), **look)
        return [points, self.weights_panel()]

    def _lines(self) -> list[Item]:
        """Return the shaded sides, the old line dashed and the new one solid."""
        drawn = _sides(self.weights, self.offset.value, self.view)
        if self.run and self.k:
            old = _hyperplane(self.path[self.k - 1], self.offset.value)
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
                share = f"λ {brief(self.verdict.multipliers[row])}"
                look: Item = {"colour": PURPLE, "offset": (0, -30), "anchor": "middle"}
                notes.append(scene.text(self.X[row], share, name="lambda", **look))
        return notes

    def weights_panel(self, width: float = 290.0) -> Item:
        """Return the plane of (w1, w2): the solutions, where the weights went, the last update."""
        path = self.path[:, -2:]
        shown, view = path[: self.k + 1], _around(path)
        drawn = self._solutions(view)
        drawn.append(scene.marks([[0, 0]], size=4, colour=BLACK, name="origin"))
        if self.k > 1:
            drawn.append(
                scene.path(
                    shown[-200:], colour=GREY, width=1.2, label="way of w so far", name="trail"
                )
            )
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
        return scene.panel(view, drawn, width=width, **names)

    def _solutions(self, view: scene.View) -> list[Item]:
        """Return the weights that get every point right, those with the present offset."""
        if self.run is None:
            return []
        rows, offset = self.run.Z / UNIT, self.weights[0] if self.offset.value else 0.0
        area = scene.solutions(rows[:, -2:], rows[:, 0] * offset * self.offset.value, view)
        label = "solutions at this w₀" if self.offset.value else "cone of solutions"
        look: Any = {"fill": GREEN, "opacity": 0.2, "colour": GREEN, "width": 1.2, "closed": True}
        return [scene.path(area, label=label, name="solutions", **look)] if len(area) else []


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
