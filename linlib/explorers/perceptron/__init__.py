"""Explorer 2: the perceptron, one update at a time, on points that can be moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray, IntArray
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Choice, Control
from linlib.explorers.kit.geometry import DIGITS, UNIT, hulls, hulls_in_words, whole_rows
from linlib.explorers.kit.points import NO_POINTS, SPEED, PointsState, Stepper, StepsState
from linlib.explorers.kit.sentences import many
from linlib.explorers.kit.state import Challenge, Choose, Event, Verdict, computed, start
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


@dataclass(frozen=True, kw_only=True, eq=False)
class PerceptronState(StepsState):
    """Points, and a run of the perceptron on them, of which ``k`` updates are shown."""

    name: ClassVar = "Perceptron stepper"
    presets: ClassVar = {
        "AND": (data.and_gate, SQUARE, True),
        "XOR": (data.xor_gate, SQUARE, True),
        "three points": (data.three_points, WIDE, False),
        "random": (_random, SMALL, True),
    }
    challenges: ClassVar = {
        "a hundred mistakes": Challenge(
            "force a hundred mistakes with at most four points",
            lambda now: many_mistakes(now.X, now.y, now.run, now.verdict),
            lambda now: now.last / MANY if now.run and now.run.converged and len(now.X) <= 4 else 0,
        )
    }
    shows: ClassVar[Sequence[str]] = (LINE, HULLS)
    own_controls: ClassVar = {
        **PointsState.own_controls,
        "order": Choice("Order", ["cyclic", "random", "worst"]),
        "offset": Control("offset w₀"),
        "show": Choice("Show", shows),
        "speed": SPEED,
    }
    restarts: ClassVar = frozenset({"preset", "order", "offset"})
    what: ClassVar = "update"
    tick_means: ClassVar = "a mistake, by its class"

    order: str = "cyclic"
    offset: bool = True
    show: str = LINE

    @classmethod
    def points_of(cls, preset: str) -> data.Points:
        """Return the points of a preset."""
        points: data.Points = cls.presets[preset][0]()
        return points

    # ---- what follows from it

    @computed("X", "y", "order", "offset")
    def run(self) -> Run | None:
        """The run of linlib's perceptron, in whole numbers; None without points."""
        if not len(self.X):
            return None
        rows = whole_rows(self.X, self.y, digits=DIGITS, bias=self.offset)
        rng = np.random.default_rng(SEED)
        return pla_rows(rows, order=self.order, max_updates=BUDGET, rng=rng)

    @computed("X", "y", "order", "offset")
    def path(self) -> FloatArray:
        """The weights before the first update and after each."""
        return self.run.path / UNIT if self.run else np.zeros((1, 2 + self.offset))

    @computed("X", "y", "offset")
    def verdict(self) -> Separable | Inseparable | None:
        """Whether some line separates the points, with its certificate."""
        return certify(self.X, self.y, bias=self.offset) if len(self.X) else None

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

    @property
    def arrives(self) -> bool:
        """Whether the run converges within its budget."""
        return bool(self.run and self.run.converged)

    # ---- what may be done

    def with_preset(self, preset: str) -> Self:
        """Return the state with the points of a preset, before the first update."""
        _, view, offset = self.presets[preset]
        return super().with_preset(preset).changed(view=view, offset=offset, k=0)

    def update(self, event: Event) -> Self:
        """Begin again with another order of the rows, or with an offset or without."""
        match event:
            case Choose("order" | "offset" as name, value):
                return self.changed(**{name: value}, k=0)
        return super().update(event)

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the points with the line, and the weights with the last update."""
        return [self.points_panel(330.0), snapshot.weights_panel(self, 330.0)]

    def points_panel(self, width: float) -> scene.Panel:
        """Return the points with the line, and with their hulls where these are shown."""
        drawn = hulls(self.X, self.y, self.looks) if self.show == HULLS else []
        if self.run:
            drawn += self.lines() + snapshot.notes(self)
        return self.panel_of_points(f"after {many(self.k, 'update')}", drawn, width)

    def lines(self) -> list[scene.Drawable]:
        """Return the line before and after the last update."""
        return snapshot.lines(self, "new line, new w", before=True)

    def marks(self) -> str:
        """Return the class of every mistake."""
        rows = self.run.mistakes.tolist() if self.run else []
        return "".join("+" if self.y[row] > 0 else "-" for row in rows)

    # ---- what it says

    def task(self, *, moved: bool) -> str:
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
        if self.show != HULLS:
            return ""
        return hulls_in_words(self.X, self.y, through_origin=not self.offset)

    def python(self) -> str:
        """Return the lines that make this run."""
        if self.run is None:
            return self.data_alone()
        learner, lines = self.run_in_python()
        return f"from linlib import {learner}\n{self.data_in_python()}{lines}run.path[{self.k}]\n"

    def run_in_python(self) -> tuple[str, str]:
        """Return the learner and the lines that make ``run``; exact where rounding would differ."""
        bias = "" if self.offset else ", bias=False"
        order = f", order={self.order!r}" if self.order != "cyclic" else ""
        options = f"{order}, max_updates={BUDGET}"
        seeded = f", rng=np.random.default_rng({SEED})" if self.order == "random" else ""
        if self.run and self._same_in_floats(self.run):
            return "pla", f"run = pla(X, y{options}{bias}{seeded})\n"
        return "pla_rows", (
            "# In floats a product that should be 0 is not; in whole numbers it is.\n"
            "from linlib.explorers.kit.geometry import whole_rows\n\n"
            f"Z = whole_rows(X, y, digits={DIGITS}{bias})\n"
            f"run = pla_rows(Z{options}{seeded})\n"
        )

    def _same_in_floats(self, run: Run) -> bool:
        rng = np.random.default_rng(SEED)
        order, bias = self.order, self.offset
        floats = pla(self.X, self.y, max_updates=BUDGET, rng=rng, order=order, bias=bias)
        return bool(np.array_equal(floats.mistakes, run.mistakes))


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

    kind: type[PerceptronState] = PerceptronState
    now: PerceptronState

    def __init__(self, points: str = "AND") -> None:
        super().__init__(start(self.kind, points))
