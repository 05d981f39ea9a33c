"""Explorer 2: the perceptron, one update at a time, on points that can be moved."""

from typing import Any, ClassVar

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray, IntArray
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Widget, chooser, ipywidgets
from linlib.explorers.kit.explorer import Challenge, Verdict
from linlib.explorers.kit.geometry import DIGITS, UNIT, whole_rows
from linlib.explorers.kit.points import NO_POINTS, Stepper
from linlib.explorers.kit.sentences import many
from linlib.explorers.perceptron import snapshot
from linlib.explorers.perceptron.snapshot import BUDGET, Snapshot
from linlib.margins.certificates import Inseparable, Separable, certify
from linlib.perceptron.algorithm import pla, pla_rows
from linlib.perceptron.runs import Run

SEED = 7
SQUARE: scene.View = ((-0.75, 1.75), (-0.75, 1.75))
WIDE: scene.View = ((-6.0, 7.0), (-2.0, 11.0))
SMALL: scene.View = ((-1.25, 1.25), (-1.25, 1.25))
LINE, HULLS = "line", "line and hulls"


def _random() -> data.Points:
    X, y = data.separable(20, 2, np.random.default_rng(SEED))
    return data.Points(X.round(DIGITS), y)


def many_mistakes(
    X: FloatArray, y: IntArray, run: Run | None, verdict: Separable | Inseparable | None
) -> Verdict:
    """Judge "a hundred mistakes with at most four points"."""
    if run is None or len(X) > 4:
        return f"there are {len(X)} points, at most 4 count.", False
    if not run.converged or not (verdict and verdict.separable):
        return "the run must end, so a line must separate the points.", False
    proved = verdict.check(X, y, exact=True)
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
            "force a hundred mistakes with at most four points",
            lambda one: many_mistakes(one.X, one.y, one.run, one.verdict),
        )
    }
    shows: ClassVar = [LINE, HULLS]
    display_only: ClassVar = Stepper.display_only | {"show"}

    def __init__(self, points: str = "AND", **more: Widget) -> None:
        self.order = chooser("Order", ["cyclic", "random", "worst"], "cyclic")
        self.offset = ipywidgets.Checkbox(value=True, description="offset w₀", indent=False)
        self.offset.layout.width = "auto"
        self.show = chooser("Show", self.shows, self.shows[0])
        controls = {"order": self.order, "offset": self.offset, "show": self.show} | more
        super().__init__(points, controls, what="update")

    run: Run | None = None
    verdict: Separable | Inseparable | None = None

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
        self.k = 0
        self.forget()

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
            self.verdict = certify(self.X, self.y, bias=bias)
        self.k = self.last if at_end and self.run and self.run.converged else min(self.k, self.last)

    @property
    def now(self) -> Snapshot | None:
        """The run as it is shown, or None without points."""
        if self.run is None or self.verdict is None:
            return None
        return Snapshot(self.X, self.run, self.path, self.verdict, self.k, bool(self.offset.value))

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
        return bool(self.now and self.now.ended)

    @property
    def counts(self) -> IntArray:
        """How many of the first ``k`` updates each row caused."""
        return self.now.counts if self.now else np.zeros(0, dtype=np.int64)

    @property
    def wrong(self) -> int:
        """How many points the weights have on the wrong side or on the line."""
        return self.now.wrong if self.now else 0

    def python(self) -> str:
        """Return the lines that make this run; exact ones where rounding would make another."""
        if self.run is None:
            return self.data_alone()
        order = self.order.value
        bias = "" if self.offset.value else ", bias=False"
        more = f", order={order!r}" if order != "cyclic" else ""
        more += f", max_updates={BUDGET}"
        seeded = f", rng=np.random.default_rng({SEED})" if order == "random" else ""
        learner, lines = "pla", f"run = pla(X, y{more}{bias}{seeded})"
        if not self._same_in_floats(self.run):
            learner = "pla_rows"
            lines = (
                "# In floats a product that should be 0 is not; in whole numbers it is.\n"
                "from linlib.explorers.kit.geometry import whole_rows\n\n"
                f"Z = whole_rows(X, y, digits={DIGITS}{bias})\n"
                f"run = pla_rows(Z{more}{seeded})"
            )
        return f"from linlib import {learner}\n{self.data_in_python()}{lines}\nrun.path[{self.k}]\n"

    def _same_in_floats(self, run: Run) -> bool:
        rng = np.random.default_rng(SEED)
        order, bias = self.order.value, self.offset.value
        floats = pla(self.X, self.y, max_updates=BUDGET, rng=rng, order=order, bias=bias)
        return bool(np.array_equal(floats.mistakes, run.mistakes))

    def sentence(self) -> str:
        """Return the last update, how many points are wrong, and how it will end."""
        return self.now.in_words() + self.hulls_in_words() if self.now else NO_POINTS

    def hulls_in_words(self) -> str:
        """Return how the hulls lie, where they are shown."""
        through_origin = not self.offset.value
        shown = self.show.value == HULLS
        return self.hulls.in_words(through_origin=through_origin) if shown else ""

    def panels(self) -> list[scene.Panel]:
        """Return the points with the line, and the weights with the last update."""
        return [self.points_panel(330.0), snapshot.weights_panel(self.now, 290.0)]

    def points_panel(self, width: float) -> scene.Panel:
        """Return the points with the line, and with their hulls where these are shown."""
        drawn = self.hulls.drawn(self.looks) if self.show.value == HULLS else []
        if self.now:
            drawn += self.lines(self.now) + snapshot.notes(self.now)
        return self.panel_of_points(f"after {many(self.k, 'update')}", drawn, width)

    def lines(self, now: Snapshot) -> list[scene.Drawable]:
        """Return the line before and after the last update."""
        return snapshot.lines(now, self.view, "new line, new w", before=True)
