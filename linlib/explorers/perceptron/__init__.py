"""Explorer 2: the perceptron, one update at a time, on points that can be moved."""

from typing import Any, ClassVar

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray, IntArray
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Choice, Control
from linlib.explorers.kit.explorer import Challenge, Verdict
from linlib.explorers.kit.geometry import DIGITS, UNIT, hulls, hulls_in_words, whole_rows
from linlib.explorers.kit.points import NO_POINTS, Stepper
from linlib.explorers.kit.sentences import many
from linlib.explorers.perceptron import snapshot
from linlib.explorers.perceptron.snapshot import BUDGET
from linlib.margins.certificates import Inseparable, Separable, certify
from linlib.perceptron.algorithm import pla, pla_rows
from linlib.perceptron.runs import Run

SEED = 7
MANY = 100  # mistakes that the challenge asks for
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
        return f"there are {many(len(X), 'point')}; one to four are allowed.", False
    if not run.converged or not (verdict and verdict.separable):
        return "the run must end, so a line must separate the points.", False
    proved = verdict.check(X, y, exact=True)
    made = many(run.updates, "mistake")
    if run.updates >= MANY:
        return f"{made}; {MANY} were asked for.", proved
    return f"{made}; {MANY} are asked for.", False


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
            lambda one: one.last / MANY if one.run and one.run.converged and len(one.X) <= 4 else 0,
        )
    }
    shows: ClassVar = [LINE, HULLS]
    display_only: ClassVar = Stepper.display_only | {"show"}

    what = "update"
    tick_means = "a mistake, by its class"

    def __init__(self, points: str = "AND") -> None:
        self.order = Choice("Order", ["cyclic", "random", "worst"], "cyclic")
        self.offset = Control("offset w₀", True)
        self.show = Choice("Show", self.shows, self.shows[0])
        controls = {"order": self.order, "offset": self.offset, "show": self.show}
        super().__init__(points, controls)

    run: Run | None = None
    verdict: Separable | Inseparable | None = None

    def points_of(self, preset: str) -> data.Points:
        """Return the points of a preset."""
        points: data.Points = self.presets[preset][0]()
        return points

    def load(self, preset: str) -> None:
        """Show a preset from zero weights."""
        _, view, self.offset.value = self.presets[preset]
        self.take(self.points_of(preset), view)
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
    def ran(self) -> Run:
        """The run, where there are points."""
        assert self.run
        return self.run

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
        rows = self.run.mistakes[: self.k] if self.run else np.zeros(0)
        return np.bincount(rows.astype(np.intp), minlength=len(self.X))

    @property
    def wrong(self) -> int:
        """How many points the weights have on the wrong side or on the line."""
        rows = self.run.Z @ np.rint(self.weights * UNIT) if self.run else np.zeros(0)
        return int(np.count_nonzero(~(rows > 0)))

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

    def marks(self) -> str:
        """Return the class of every mistake."""
        rows = self.run.mistakes.tolist() if self.run else []
        return "".join("+" if self.y[row] > 0 else "-" for row in rows)

    def task(self) -> str:
        """Return what to do: step, and at the end of a run move a point."""
        if isinstance(self.verdict, Inseparable) and self.k:
            return "This run never ends. Drag a point until a line separates the classes."
        if self.ended:
            return "The run has ended. Drag a point, and see how the run changes."
        again = "and watch w turn towards the mistake" if self.k else "to correct the first mistake"
        return f"Press Step {again}."

    def sentence(self) -> str:
        """Return the last update, how many points are wrong, and how it will end."""
        return snapshot.in_words(self) + self.hulls_in_words() if self.run else NO_POINTS

    def hulls_in_words(self) -> str:
        """Return how the hulls lie, where they are shown."""
        if self.show.value != HULLS:
            return ""
        return hulls_in_words(self.X, self.y, through_origin=not self.offset.value)

    def panels(self) -> list[scene.Panel]:
        """Return the points with the line, and the weights with the last update."""
        return [self.points_panel(330.0), snapshot.weights_panel(self, 330.0)]

    def points_panel(self, width: float) -> scene.Panel:
        """Return the points with the line, and with their hulls where these are shown."""
        drawn = hulls(self.X, self.y, self.looks) if self.show.value == HULLS else []
        if self.run:
            drawn += self.lines() + snapshot.notes(self)
        return self.panel_of_points(f"after {many(self.k, 'update')}", drawn, width)

    def lines(self) -> list[scene.Drawable]:
        """Return the line before and after the last update."""
        return snapshot.lines(self, "new line, new w", before=True)
