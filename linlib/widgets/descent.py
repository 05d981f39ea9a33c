"""Explorer 4: descent on a loss over the plane of two weights, with the points it comes from."""

from __future__ import annotations

import contourpy
import ipywidgets
import numpy as np
from numpy.typing import ArrayLike

from linlib import checks, data
from linlib.checks import FloatArray
from linlib.descent import Descent, gradient_descent
from linlib.hyperplane import Hyperplane
from linlib.least_squares import least_squares
from linlib.losses import hinge_loss, perceptron_loss, squared_loss
from linlib.objectives import Objective, objective
from linlib.plotting import BLACK, GREEN, GREY, PURPLE
from linlib.widgets import scene
from linlib.widgets.base import Explorer
from linlib.widgets.scene import Item, brief, vector
from linlib.widrow_hoff import PassMap, pass_map

BUDGET = 120  # steps; with one point a step, visits
MOST_DOTS = 60  # steps that are drawn as dots besides the line
VIEW: scene.View = ((-4.0, 4.0), (-4.0, 4.0))
FAR = 40.0  # where a path that runs away is cut off, ten times the picture's half
LOSSES = {loss.name: loss for loss in (squared_loss, perceptron_loss, hinge_loss)}
ALL, SINGLY = "all at once", "one by one"
SIX, LINE, OWN = "six points", "four on a line", "your own"
LEVELS = 11
WIDE = 345.0  # pixels, of either panel


def preset(name: str) -> tuple[data.Points, bool]:
    """Return the lecture's points, and whether their rule has an offset: two weights in all."""
    if name == LINE:
        X = np.array([[-1.0], [0.0], [1.0], [3.0]])
        return data.Points(X, np.array([-1, -1, 1, 1])), True
    X = np.array([[2.0, 1.0], [1.0, -1.0], [1.0, 2.0], [1.0, -2.0], [-2.0, 0.0], [-1.0, -1.0]])
    return data.Points(X, np.array([1, 1, 1, -1, -1, -1])), False


class DescentExplorer(Explorer):
    """The path of :func:`linlib.gradient_descent` over its loss; ``k`` of its steps are shown.

    Handles: ``"start"`` in the plane of the weights, ``"p0"``, ``"p1"`` … among the points.

    >>> explorer = DescentExplorer("four on a line", step=0.1)
    >>> explorer.weights.round(4), round(explorer.limit, 4)
    (array([-0.4286,  0.5714]), 0.1652)
    """

    name = "Descent explorer"

    def __init__(
        self,
        points: str = SIX,
        *,
        loss: str = "squared",
        step: float = 0.1,
        start: ArrayLike = (-3.0, 2.0),
    ) -> None:
        self.preset = ipywidgets.Dropdown(
            options=[SIX, LINE, OWN], value=points, description="Points"
        )
        self.loss = ipywidgets.Dropdown(options=list(LOSSES), value=loss, description="Loss")
        self.pick = ipywidgets.Dropdown(options=[ALL, SINGLY], value=ALL, description="Rows")
        self.eta = ipywidgets.FloatSlider(
            value=step, min=0.005, max=1.0, step=0.005, description="Step η", readout_format=".3f"
        )
        for control in (self.preset, self.loss, self.pick):
            control.layout.width = "auto"
            control.style.description_width = "initial"
        self.eta.style.description_width = "initial"
        self.start: FloatArray = scene.clamp(checks.vector(start, "start", 2), VIEW)
        self.k = BUDGET
        self._load(points)
        super().__init__(
            self.preset,
            self.loss,
            self.pick,
            self.eta,
            self.button("Step", self.step, "Make the next step"),
            self.button("Back", self.back, "Undo the last step"),
            self.button("To the end", self.to_end, f"Make all steps, at most {BUDGET}"),
            self.button("Reset", self.reset, "Go back to the start"),
        )
        self.watch(self.preset, self._load)
        self.watch(self.loss, lambda _: self._shape())
        self.watch(self.pick, lambda _: self._descend())
        self.watch(self.eta, lambda _: self._descend())

    # ---- the descent

    def _load(self, name: str) -> None:
        if name != OWN:
            (self.X, self.y), self.bias = preset(name)
            self._shape()

    def _shape(self) -> None:
        """Compute what depends on the points and the loss alone, then descend."""
        loss = LOSSES[self.loss.value]
        self.target: Objective = objective(self.X, self.y, loss, bias=self.bias)
        self.bottom: FloatArray | None = None
        self.limit = np.inf
        if loss is squared_loss:
            self.bottom = least_squares(self.X, self.y, bias=self.bias).weights
            curvature = float(np.linalg.norm(self.target.Z, 2)) ** 2  # λmax of Z'Z
            self.limit = 2 / curvature if curvature > 1e-12 else np.inf
        self._contours = _contours(self.target)
        self._right = _all_right(self.target.Z)
        self._descend()

    def _descend(self) -> None:
        """Run linlib's descent; one that was shown to its end is shown to its new end."""
        at_end = self.k >= (self.run.path.shape[0] - 1 if self.run else 0)
        options: Item = {"step": float(self.eta.value), "start": self.start}
        singly = self.pick.value == SINGLY
        self.run = gradient_descent(
            self.target,
            order="cyclic" if singly else "all",
            tolerance=1e-9,
            max_updates=BUDGET,
            **options,
        )
        self.map: PassMap | None = None
        if singly and self.bottom is not None:
            self.map = pass_map(self.X, self.y, step=options["step"], bias=self.bias)
        self.k = self.last if at_end else min(self.k, self.last)

    run: Descent | None = None

    @property
    def last(self) -> int:
        """How many steps the descent made: the budget, or fewer if it arrived or blew up."""
        return len(self.run.path) - 1 if self.run else 0

    @property
    def weights(self) -> FloatArray:
        """The weights after ``k`` steps: ``gradient_descent(...).path[k]``."""
        assert self.run
        return np.asarray(self.run.path[self.k])

    # ---- what the reader does

    def step(self) -> None:
        """Make the next step."""
        self.act(self._go, self.k + 1)

    def back(self) -> None:
        """Undo the last step."""
        self.act(self._go, self.k - 1)

    def to_end(self) -> None:
        """Make all steps."""
        self.act(self._go, BUDGET)

    def reset(self) -> None:
        """Go back to the start, with points, loss and step size as they are."""
        self.act(self._go, 0)

    def _go(self, k: int) -> None:
        self.k = min(max(k, 0), self.last)

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move the start, or a point; a point on a line keeps to it."""
        if id == "start":
            self.start = np.array([x, y])
            self._descend()
            return
        X = self.X.copy()
        X[int(id.removeprefix("p"))] = [x, y][: X.shape[1]]
        self.X = X
        self.preset.value = OWN
        self._shape()

    # ---- what is seen

    def sentence(self) -> str:
        """Return where the descent is, what it costs, and what the step size does."""
        assert self.run
        how = "all points at once" if self.pick.value == ALL else "one point a step"
        values = [brief(float(self.run.values[k])) for k in (0, self.k)]
        wrong = int(np.count_nonzero(~(self.target.Z @ self.weights > 0)))
        words = f"{self.loss.value.capitalize()} loss, {how}, η = {brief(self.eta.value)}: "
        if self.k:
            words += (
                f"{self.k} step{'' if self.k == 1 else 's'} took the weights from "
                f"{vector(self.start)} to {_place(self.weights)} and the loss from {values[0]} "
                f"to {values[1]}"
            )
        else:
            words += f"at the start {vector(self.start)} the loss is {values[0]}"
        return f"{words}; {wrong} of {len(self.X)} points are wrong. {self._outlook()}"

    def _outlook(self) -> str:
        """Return what the step size means for this loss."""
        assert self.run
        limit = brief(self.limit)
        if self.bottom is None:
            kind = f"The {self.loss.value} loss has no curvature, so no step size diverges"
            rests = not self.target.gradient(self.run.weights).any()
            end = "It comes to rest where the slope is 0" if rests else "It does not come to rest"
            return f"{kind}. {end}{'' if rests else f' in {BUDGET} steps'}."
        if not np.isfinite(self.limit):
            return "All points are 0: the loss is flat, and no step changes it."
        if self.map is not None:
            return self._passes(self.map)
        factor = brief(abs(1 - 2 * self.eta.value / self.limit))
        if self.eta.value > self.limit:
            return (
                f"It diverges: η is above 2/λmax = {limit}, and along the steepest direction every "
                f"step multiplies the error by −{factor}."
            )
        if self.eta.value == self.limit:
            return f"η is exactly 2/λmax = {limit}: it jumps to and fro for ever."
        rest = "It has arrived at" if self.run.converged and self.k == self.last else "It tends to"
        return (
            f"η is below 2/λmax = {limit}. {rest} the least-squares weights {vector(self.bottom)}."
        )

    def _passes(self, turn: PassMap) -> str:
        """Return what a pass of LMS does in the long run."""
        assert self.bottom is not None
        factor = turn.contraction
        if factor > 1 + 1e-9:
            return f"It diverges: a pass multiplies the error by {brief(factor)} in the long run."
        if factor > 1 - 1e-9:
            return "Some direction is seen by no point: along it the weights stay as they are."
        rest = turn.resting_point
        away = brief(float(np.linalg.norm(rest - self.bottom)))
        return (
            f"A pass multiplies the error by {brief(factor)} in the long run; the passes settle at "
            f"{vector(rest)}, {away} from the least-squares weights."
        )

    def panels(self) -> list[Item]:
        """Return the loss over the plane of the weights, and the points with the rule."""
        return [self._weights_panel(), self._points_panel()]

    def _weights_panel(self) -> Item:
        assert self.run
        drawn = []
        if len(self._right):
            green: Item = {"colour": GREEN, "fill": GREEN, "opacity": 0.2, "width": 1.2}
            edge = np.vstack([self._right, self._right[:1]])
            drawn.append(scene.path(edge, label="every point right", name="right", **green))
        grey: Item = {"colour": GREY, "width": 1.0, "alpha": 0.75, "name": "contour"}
        label = "equal loss"
        for spots in self._contours:
            drawn.append(scene.path(spots, label=label, **grey))
            label = ""
        path = _near(self.run.path[: self.k + 1])
        if len(path) > 1:
            drawn.append(scene.path(path, width=1.6, name="path", label="descent"))
            dots = _inside(path[1:MOST_DOTS])
            drawn.append(scene.marks(dots, size=2.8, colour=BLACK, name="steps"))
        if self.bottom is not None:
            look: Item = {"marker": "P", "colour": PURPLE, "size": 10, "label": "least squares"}
            drawn.append(scene.marks(_inside(self.bottom), name="bottom", **look))
        if self.k:
            look = {"size": 6.0, "colour": BLACK, "name": "now"}
            drawn.append(scene.marks(_inside(self.weights), **look))
        start = scene.handle("start", "start of the descent", self.start, legend="start")
        two = ("w₀", "w₁") if self.bias else ("w₁", "w₂")
        names: Item = dict(zip(("xlabel", "ylabel"), two, strict=True))
        title = f"after {self.k} step{'' if self.k == 1 else 's'}"
        return scene.panel(VIEW, drawn, [start], title=title, width=WIDE, step=0.1, **names)

    def _points_panel(self) -> Item:
        handles = []
        places = np.column_stack([self.X, self.y]) if self.bias else self.X
        for row, (at, label) in enumerate(zip(places, self.y.tolist(), strict=True)):
            marker, colour = scene.CLASS_LOOK[label]
            look: Item = {"marker": marker, "colour": colour}
            look |= {"legend": f"y = {label:+d}".replace("-", "−")}
            look |= {"rail": [1.0, 0.0] if self.bias else None}
            handles.append(scene.handle(f"p{row}", f"row {row}, label {label:+d},", at, **look))
        title = "data and score" if self.bias else "data and line"
        names: Item = {"xlabel": "x", "ylabel": "label, score"} if self.bias else {}
        return scene.panel(VIEW, self._rule(), handles, title=title, width=WIDE, step=0.1, **names)

    def _rule(self) -> list[Item]:
        """Return the line of the weights, or, over one feature, the graph of their score."""
        size = max(float(np.abs(self.weights).max()), 1.0)  # a runaway is scaled, not its line
        w = self.weights / size
        if self.bias:
            level: Item = {"colour": GREY, "width": 1.0, "name": "level"}
            drawn = [scene.path([[VIEW[0][0], at], [VIEW[0][1], at]], **level) for at in (-1, 0, 1)]
            graph = Hyperplane([w[1], -1.0 / size], float(w[0]))
            return drawn + scene.line(graph, VIEW, label="score w₀ + w₁x", name="line")
        if not w.any():
            return []
        h = Hyperplane(w)
        sides = [*scene.side(h, VIEW, 1), *scene.side(h, VIEW, -1)]
        return sides + scene.line(h, VIEW, label="line of the weights")


def _near(path: FloatArray) -> FloatArray:
    """Return the path up to its first place far outside the picture, that place moved nearer.

    Nothing is seen of it but the direction in which the path leaves.
    """
    beyond = np.flatnonzero(~(np.abs(path).max(axis=1) < FAR))
    if not beyond.size:
        return path
    kept = path[: beyond[0] + 1].copy()  # the start is inside, so there is a place before
    way = kept[-1] - kept[-2]
    length = float(np.abs(way).max())
    if length > 3 * FAR:
        kept[-1] = kept[-2] + way * (3 * FAR / length)
    return kept


def _inside(spots: FloatArray) -> FloatArray:
    """Return the places inside the picture: a marker outside would lie on the words around it."""
    rows = spots.reshape(-1, 2)
    return rows[(np.abs(rows) <= VIEW[0][1]).all(axis=1)]


def _place(weights: FloatArray) -> str:
    return f"({', '.join(brief(float(value)) for value in weights)})"


def _contours(target: Objective) -> list[FloatArray]:
    """Return lines of equal loss: evenly spaced on a bowl, since the levels grow as squares."""
    side = np.linspace(*VIEW[0], 65)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    heights = target.loss.of(grid @ target.Z.T).sum(axis=-1)
    low, high = float(heights.min()), float(heights.max())
    if high - low < 1e-9:
        return []
    levels = low + (high - low) * (np.arange(1, LEVELS) / LEVELS) ** 2
    maker = contourpy.contour_generator(side, side, heights)
    return [np.asarray(line) for level in levels for line in maker.lines(float(level))]


def _all_right(Z: FloatArray) -> FloatArray:
    """Return the part of the picture where the weights give every point its label."""
    area = scene.corners(VIEW)
    for z in Z:
        area = scene.clip(area, Hyperplane(z)) if z.any() else area[:0]
    return area
