"""Explorer 4: descent on a loss over the plane of two weights, with the points it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from linlib import data
from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.descent.gradient import Descent, gradient_descent
from linlib.descent.linear_regression import least_squares
from linlib.descent.losses import Objective, hinge_loss, objective, perceptron_loss, squared_loss
from linlib.explorers.descent import picture as descent_picture
from linlib.explorers.descent import snapshot
from linlib.explorers.descent.outlook import Outlook, outlook
from linlib.explorers.descent.picture import VIEW, WIDE
from linlib.explorers.descent.snapshot import BUDGET
from linlib.explorers.kit import scene, state
from linlib.explorers.kit.controls import MAIN, Choice, Slider
from linlib.explorers.kit.geometry import DIGITS, whole_rows
from linlib.explorers.kit.points import SPEED, PointsState, Stepper, StepsState
from linlib.explorers.kit.sentences import ROUNDING, many
from linlib.explorers.kit.state import Challenge, Event, Move, Verdict, computed
from linlib.margins.certificates import certify
from linlib.perceptron.algorithm import pla_rows

LOSSES = {loss.name: loss for loss in (squared_loss, perceptron_loss, hinge_loss)}
ALL, SINGLY = "all at once", "one by one"
NO_CURVATURE = 1e-12  # λmax of points that are 0 but for rounding
SIX, LINE = "six points", "four on a line"


def _six() -> data.Points:
    X = np.array([[2.0, 1.0], [1.0, -1.0], [1.0, 2.0], [1.0, -2.0], [-2.0, 0.0], [-1.0, -1.0]])
    return data.Points(X, np.array([1, 1, 1, -1, -1, -1]))


def _four() -> data.Points:
    return data.Points(np.array([[-1.0], [0.0], [1.0], [3.0]]), np.array([-1, -1, 1, 1]))


def wrong_and_right(X: FloatArray, y: IntArray, *, bias: bool) -> Verdict:
    """Judge "points that least squares gets wrong and the perceptron right"."""
    if len(X) < 2:
        return "there must be points.", False
    weights = least_squares(X, y, bias=bias).weights
    rows = whole_rows(X, y, digits=DIGITS, bias=bias)
    wrong = int(np.count_nonzero(rows @ weights < -1e-6 * np.abs(rows).max()))
    verdict = certify(X, y, bias=bias)
    if not verdict.separable:
        return "no perceptron gets these points right.", False
    run = pla_rows(rows)
    proved = verdict.check(X, y, exact=True)
    if not run.converged:
        ended = "has not finished"
    else:
        ended = "gets none wrong" if wrong else "none either"
    number = many(wrong, "point") if wrong else "no point"
    words = f"least squares gets {number} wrong, the perceptron {ended}."
    return words, wrong > 0 and run.converged and proved


START = np.array([-3.0, 2.0])


@dataclass(frozen=True, kw_only=True, eq=False)
class DescentState(StepsState):
    """Points, a loss, a step size and a start; of the descent from there ``k`` steps are shown."""

    name: ClassVar = "Descent explorer"
    presets: ClassVar = {SIX: _six, LINE: _four}
    first_view: ClassVar = VIEW
    own_controls: ClassVar = {
        **PointsState.own_controls,
        "loss": Choice("Loss", list(LOSSES), MAIN),
        "pick": Choice("Rows", [ALL, SINGLY], MAIN),
        "eta": Slider("Step size η", 0.005, 1.0, 0.005),
        "speed": SPEED,
    }
    challenges: ClassVar = {
        "wrong and right": Challenge(
            "points that least squares gets wrong and the perceptron right",
            lambda now: wrong_and_right(now.X, now.y, bias=now.bias),
        )
    }

    start: FloatArray = field(default_factory=START.copy)
    loss: str = "squared"
    pick: str = ALL
    eta: float = 0.1

    # ---- what follows from the points and the loss alone

    @computed("X", "y", "loss")
    def target(self) -> Objective | None:
        """The loss over the plane of the weights; None without points."""
        if not len(self.X):
            return None
        return objective(self.X, self.y, LOSSES[self.loss], bias=self.bias)

    @computed("X", "y", "loss")
    def bottom(self) -> FloatArray | None:
        """The least-squares weights, where the loss is the squared one."""
        if self.target is None or self.target.loss is not squared_loss:
            return None
        return least_squares(self.X, self.y, bias=self.bias).weights

    @computed("X", "y", "loss")
    def limit(self) -> float:
        """The step size above which all points at once diverge."""
        if self.target is None or self.bottom is None:
            return float("inf")
        curvature = float(np.linalg.norm(self.target.Z, 2)) ** 2  # λmax of Z'Z
        return 2 / curvature if curvature > NO_CURVATURE else float("inf")

    @computed("X", "y", "loss")
    def background(self) -> list[scene.Drawable]:
        """Where every point is right, and lines of equal loss."""
        return descent_picture.background(self.target) if self.target else []

    @property
    def bias(self) -> bool:
        """Whether one of the two weights is an offset: over one feature."""
        return bool(self.X.shape[1] == 1)

    # ---- what follows from the start and the steps

    @computed("X", "y", "loss", "pick", "eta", "start")
    def run(self) -> Descent | None:
        """The descent from the start."""
        if self.target is None:
            return None
        return gradient_descent(self.target, tolerance=1e-9, **self._options)

    @computed("X", "y", "loss", "pick", "eta", "start")
    def outlook(self) -> Outlook | None:
        """What becomes of the descent in the long run, on the squared loss."""
        if self.target is None or self.bottom is None:
            return None
        return outlook(self.target.Z, self.start, self.eta, one_by_one=self.singly)

    @property
    def _options(self) -> dict[str, Any]:
        order = "cyclic" if self.singly else "all"
        step = self.eta
        return {"step": step, "start": self.start, "order": order, "max_updates": BUDGET}

    @property
    def last(self) -> int:
        """How many steps the descent made: the budget, or fewer if it arrived or blew up."""
        return len(self.run.path) - 1 if self.run else 0

    @property
    def ended(self) -> bool:
        """Whether all steps are shown."""
        return self.run is not None and self.k >= self.last

    @property
    def arrives(self) -> bool:
        """A descent ends at the latest with its budget."""
        return True

    @property
    def singly(self) -> bool:
        """Whether a step sees one row."""
        return self.pick == SINGLY

    @property
    def weights(self) -> FloatArray:
        """The weights after ``k`` steps: ``gradient_descent(...).path[k]``."""
        return np.asarray(self.run.path[self.k]) if self.run else self.start

    @property
    def wrong(self) -> int:
        """How many points the weights have on the wrong side or on the line."""
        if self.target is None:
            return 0
        Z, w = self.target.Z, self.weights
        rounding = (
            ROUNDING * np.abs(Z) @ np.abs(w)
        )  # an agreement that is only rounding counts as 0
        return int(np.count_nonzero(~(Z @ w > rounding)))

    # ---- what may be done

    def with_preset(self, preset: str) -> Self:
        """Return the state with the points of a preset, before the first step."""
        return super().with_preset(preset).changed(k=0)

    def update(self, event: Event) -> Self:
        """Move the start, or a point; a point on a line keeps to it."""
        match event:
            case Move("start", x, y):
                return self.changed(start=np.array([x, y])).follow(self)
        return super().update(event)

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the loss over the plane of the weights, and the points with the rule."""
        title, drawn = f"after {many(self.k, 'step')}", list(self.background)
        if self.target is not None and self.run is not None:
            drawn += descent_picture.path_so_far(self, self.target, self.run)
        start = scene.Handle("start", "start of the descent", self.start, legend="start")
        two = ("w₀", "w₁") if self.bias else ("w₁", "w₂")
        look = partial(scene.Panel, title=title, width=WIDE, step=0.1, xlabel=two[0])
        return [look(VIEW, drawn, [start], ylabel=two[1]), self._points_panel()]

    def _points_panel(self) -> scene.Panel:
        rule = descent_picture.decision_line(self.weights, self.bias, self.view)
        panel = partial(self.panel_of_points, drawn=rule, width=WIDE, step=0.1)
        if not self.bias:
            return panel("data and line")
        places = np.column_stack([self.X, self.y])
        handles = self.handles_of_points(places=places, rail=[1.0, 0.0])
        return panel("data and score", handles=handles, xlabel="x", ylabel="label, score")

    def marks(self) -> str:
        """Return where the loss rose."""
        if self.run is None:
            return ""
        values = self.run.values  # at the bottom they differ by rounding
        return "".join("!" if rose else " " for rose in np.diff(values) > 1e-9 * values[:-1])

    # ---- what it says

    def task(self, *, moved: bool) -> str:
        """Return what to do: step, then try another step size."""
        if self.k < self.last:
            return "Press Step, and watch the weights walk downhill. Or drag their start."
        return "Change the step size η, or drag a point: where does it end now?"

    def sentence(self) -> str:
        """Return where the descent is, what it costs, and what the step size does."""
        if self.target is None or self.run is None:
            return "There are no points: the loss is 0 everywhere. Click, or press Add, to add one."
        return snapshot.in_words(self, self.target, self.run)

    def python(self) -> str:
        """Return the lines that make this descent."""
        if self.run is None or self.target is None:
            return self.data_alone()
        loss, bias = f"{self.loss}_loss", "" if self.bias else ", bias=False"
        given = self._options | {"start": self.start.tolist()}
        options = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return (
            f"from linlib import gradient_descent, objective, {loss}\n{self.data_in_python()}"
            f"target = objective(X, y, {loss}{bias})\n"
            f"run = gradient_descent(target, {options}, tolerance=1e-9)\nrun.path[{self.k}]\n"
        )


class DescentExplorer(Stepper):
    """The path of :func:`linlib.gradient_descent` over its loss; ``k`` of its steps are shown.

    Handles: ``"start"`` in the plane of the weights, ``"p0"``, ``"p1"`` … among the points.

    >>> explorer = DescentExplorer("four on a line", step=0.1)
    >>> explorer.weights.round(4), round(explorer.limit, 4)
    (array([-0.4286,  0.5714]), 0.1652)
    """

    kind = DescentState
    now: DescentState

    def __init__(
        self,
        points: str = SIX,
        *,
        loss: str = "squared",
        step: float = 0.1,
        start: ArrayLike = START,
    ) -> None:
        begin = scene.clamp(checks.vector(start, "start", 2), VIEW)
        first = state.start(DescentState, points, loss=loss, eta=step, start=begin)
        super().__init__(first.at(first.last))
