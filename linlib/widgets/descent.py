"""Explorer 4: descent on a loss over the plane of two weights, with the points it comes from."""

from __future__ import annotations

from typing import ClassVar

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
from linlib.outlook import (
    CYCLES,
    DIVERGES,
    RESTS,
    SETTLES,
    SWINGS,
    Outlook,
    exact_descent,
    outlook,
    span,
)
from linlib.perceptron import pla_rows
from linlib.plotting import BLACK, GREEN, GREY, PURPLE
from linlib.separability import certify
from linlib.sides import whole_rows
from linlib.widgets import scene, surface
from linlib.widgets.base import Challenge
from linlib.widgets.controls import chooser
from linlib.widgets.hulls import DIGITS, UNIT
from linlib.widgets.scene import Item, brief, mark
from linlib.widgets.stepper import Stepper

BUDGET = 120  # steps; with one point a step, visits
MOST_DOTS = 60  # steps that are drawn as dots besides the line
VIEW: scene.View = ((-4.0, 4.0), (-4.0, 4.0))
FAR = 40.0  # where a path that runs away is cut off, ten times the picture's half
LOSSES = {loss.name: loss for loss in (squared_loss, perceptron_loss, hinge_loss)}
ALL, SINGLY = "all at once", "one by one"
SIX, LINE = "six points", "four on a line"
CONTOURS, SURFACE = "contours", "surface"
LEVELS = 11
ROUNDING = 1e-12  # of a weight, beside the other one
WIDE = 300.0  # pixels, of either panel


def _six() -> data.Points:
    X = np.array([[2.0, 1.0], [1.0, -1.0], [1.0, 2.0], [1.0, -2.0], [-2.0, 0.0], [-1.0, -1.0]])
    return data.Points(X, np.array([1, 1, 1, -1, -1, -1]))


def _four() -> data.Points:
    return data.Points(np.array([[-1.0], [0.0], [1.0], [3.0]]), np.array([-1, -1, 1, 1]))


def _wrong_and_right(explorer: DescentExplorer) -> tuple[str, bool]:
    """Judge "a line that least squares gets wrong and the perceptron right"."""
    X, y, bias = explorer.X, explorer.y, explorer.bias
    if len(X) < 2:
        return "there must be points.", False
    weights = least_squares(X, y, bias=bias).weights
    rows = whole_rows(X, y, digits=DIGITS, bias=bias)
    wrong = int(np.count_nonzero(rows @ weights < -1e-6 * np.abs(rows).max()))
    verdict = certify(np.rint(X * UNIT), y, bias=bias)
    if not verdict.separable:
        return "no perceptron gets these points right.", False
    run = pla_rows(rows, max_updates=10_000)
    proved = verdict.check(np.rint(X * UNIT), y, exact=True)
    wrongs = f"{wrong} point{'' if wrong == 1 else 's'}"
    ended = "0" if run.converged else "some"
    return f"least squares gets {wrongs} wrong, the perceptron {ended}.", (
        wrong > 0 and run.converged and proved
    )


class DescentExplorer(Stepper):
    """The path of :func:`linlib.gradient_descent` over its loss; ``k`` of its steps are shown.

    Handles: ``"start"`` in the plane of the weights, ``"p0"``, ``"p1"`` … among the points.

    >>> explorer = DescentExplorer("four on a line", step=0.1)
    >>> explorer.weights.round(4), round(explorer.limit, 4)
    (array([-0.4286,  0.5714]), 0.1652)
    """

    name = "Descent explorer"
    presets: ClassVar = {SIX: _six, LINE: _four}
    kept: ClassVar[tuple[str, ...]] = (*Stepper.kept, "start")
    seen_only: ClassVar = Stepper.seen_only | {"show"}
    challenges: ClassVar = {
        "wrong and right": Challenge(
            "points that least squares gets wrong and the perceptron right", _wrong_and_right
        )
    }

    def __init__(
        self,
        points: str = SIX,
        *,
        loss: str = "squared",
        step: float = 0.1,
        start: ArrayLike = (-3.0, 2.0),
    ) -> None:
        self.loss = chooser("Loss", list(LOSSES), loss)
        self.pick = chooser("Rows", [ALL, SINGLY], ALL)
        self.eta = ipywidgets.FloatSlider(
            value=step, min=0.005, max=1.0, step=0.005, description="Step η", readout_format=".3f"
        )
        self.eta.style.description_width = "initial"
        self.show = chooser("Show", [CONTOURS, SURFACE], CONTOURS)
        self.start: FloatArray = scene.clamp(checks.vector(start, "start", 2), VIEW)
        self.k = BUDGET
        controls = {"loss": self.loss, "pick": self.pick, "eta": self.eta, "show": self.show}
        super().__init__(points, controls, what="step")

    # ---- the descent

    def load(self, preset: str) -> None:
        """Show a preset; the descent on it is shown to its end."""
        self.take(self.presets[preset](), VIEW)
        self.k = BUDGET
        self.forget()

    @property
    def bias(self) -> bool:
        """Whether one of the two weights is an offset: over one feature."""
        return bool(self.X.shape[1] == 1)

    def thaw(self, name: str, value: object) -> object:
        """Return a part of the state from its plain form; points may have one feature or two."""
        if name == "X":
            rows = np.array(value, dtype=np.float64)
            return rows if rows.ndim == 2 else rows.reshape(0, self.X.shape[1])
        return super().thaw(name, value)

    def forget(self) -> None:
        """Show the state at its own step."""
        super().forget()
        self.run = None
        self.play.value = False

    def refit(self) -> None:
        """Descend; what depends on points and loss alone is computed only when they change."""
        at_end = bool(self.run) and self.k >= self.last
        key = (self.X.tobytes(), self.y.tobytes(), self.loss.value, self.bias)
        if key != self._shape_of:
            self._shape_of = key
            self._shape()
        self.run = None
        if self.target is not None:
            options: Item = {"step": float(self.eta.value), "start": self.start}
            singly = self.pick.value == SINGLY
            order = "cyclic" if singly else "all"
            exact = exact_descent(self.target, order=order, max_updates=BUDGET, **options)
            if exact:
                self.run, self.outlook = exact
            else:
                self.run = self._in_floats()
                self.outlook = outlook(
                    self.target, self.run, step=options["step"], one_by_one=singly
                )
        self.k = self.last if at_end else min(self.k, self.last)

    _shape_of: object = None
    run: Descent | None = None
    outlook: Outlook

    def _in_floats(self) -> Descent:
        assert self.target is not None
        options: Item = {"step": float(self.eta.value), "start": self.start}
        order = "cyclic" if self.pick.value == SINGLY else "all"
        return gradient_descent(
            self.target, order=order, tolerance=1e-9, max_updates=BUDGET, **options
        )

    def _shape(self) -> None:
        """Compute what depends on the points and the loss alone."""
        loss = LOSSES[self.loss.value]
        self.target: Objective | None = None
        self.bottom: FloatArray | None = None
        self.limit = np.inf
        self._contours, self._right = [], np.zeros((0, 2))
        if not len(self.X):
            return
        self.target = objective(self.X, self.y, loss, bias=self.bias)
        if loss is squared_loss:
            self.bottom = least_squares(self.X, self.y, bias=self.bias).weights
            curvature = float(np.linalg.norm(self.target.Z, 2)) ** 2  # λmax of Z'Z
            self.limit = 2 / curvature if curvature > 1e-12 else np.inf
        self._contours = _contours(self.target)
        Z = self.target.Z
        self._right = scene.solutions(Z, np.zeros(len(Z)), VIEW)

    @property
    def last(self) -> int:
        """How many steps the descent made: the budget, or fewer if it arrived or blew up."""
        return len(self.run.path) - 1 if self.run else 0

    @property
    def weights(self) -> FloatArray:
        """The weights after ``k`` steps: ``gradient_descent(...).path[k]``."""
        return np.asarray(self.run.path[self.k]) if self.run else self.start

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move the start, or a point; a point on a line keeps to it."""
        if id == "start":
            self.start = np.array([x, y])
        else:
            super().on_move(id, x, y)

    def python(self) -> str:
        """Return the lines that make this descent."""
        if self.run is None:
            return self.data_alone()
        order = "cyclic" if self.pick.value == SINGLY else "all"
        loss = f"{self.loss.value}_loss"
        bias = "" if self.bias else ", bias=False"
        options = (
            f"step={self.eta.value!r}, start={self.start.tolist()}, order={order!r}, "
            f"max_updates={BUDGET}"
        )
        names, lines = (
            f"gradient_descent, objective, {loss}",
            (f"run = gradient_descent(target, {options}, tolerance=1e-9)"),
        )
        if not self._same_in_floats():
            names, lines = (
                f"objective, {loss}",
                (
                    "# In floats a score on a kink lies beside it; in whole numbers it does not.\n"
                    f"from linlib.outlook import exact_descent\n\n"
                    f"run, found = exact_descent(target, {options})"
                ),
            )
        return (
            f"from linlib import {names}\n{self.data_in_python()}"
            f"target = objective(X, y, {loss}{bias})\n{lines}\nrun.path[{self.k}]\n"
        )

    def _same_in_floats(self) -> bool:
        if self.run is None:
            return True
        floats = self._in_floats().path
        return bool(floats.shape == self.run.path.shape and np.allclose(floats, self.run.path))

    # ---- what is seen

    @property
    def wrong(self) -> int:
        """How many points the weights have on the wrong side or on the line."""
        if self.target is None:
            return 0
        Z, w = self.target.Z, self.weights
        blur = 1e-12 * np.abs(Z) @ np.abs(w)  # an agreement that is only rounding counts as 0
        return int(np.count_nonzero(~(Z @ w > blur)))

    def sentence(self) -> str:
        """Return where the descent is, what it costs, and what the step size does."""
        if self.run is None:
            return "There are no points: the loss is 0 everywhere. Click, or press Add, to add one."
        how = "all points at once" if self.pick.value == ALL else "one point a step"
        values = [brief(float(self.run.values[k])) for k in (0, self.k)]
        start = mark("start", _place(self.start))
        words = f"{self.loss.value.capitalize()} loss, {how}, η = {brief(self.eta.value)}: "
        if self.k:
            words += (
                f"{self.k} step{'' if self.k == 1 else 's'} took the weights from {start} to "
                f"{mark('now', _reached(self.weights))} and the loss from {values[0]} "
                f"to {values[1]}"
            )
        else:
            words += f"at the start {start} the loss is {values[0]}"
        are = "is" if self.wrong == 1 else "are"
        return f"{words}; {self.wrong} of {len(self.X)} points {are} wrong. {self._outlook()}"

    def _outlook(self) -> str:
        """Return what becomes of this descent, as the library decides it."""
        found = self.outlook
        if self.bottom is None:
            kind = f"The {self.loss.value} loss is piecewise linear and never below 0: "
            kind += "no step size diverges"
            end = f"It has not come to rest within {BUDGET} steps"
            if found.kind == RESTS:
                end = "It comes to rest where no point pulls any more"
                end = "It comes to rest where the pulls cancel" if found.pulled else end
            elif found.kind == CYCLES:
                end = f"It never rests: it goes round in a circle of {found.period} steps"
            return f"{kind}. {end}."
        if found.rank == 0:
            return "All points are 0: the loss is flat, and no step changes it."
        unseen = ""
        if found.rank < 2:
            unseen = " Some direction is seen by no point: along it the weights stay as they are."
        words = self._by_steps(found) if self.pick.value == ALL else self._by_passes(found)
        return words + unseen

    def _by_steps(self, found: Outlook) -> str:
        """Return what all points at once do in the long run."""
        limit = brief(self.limit)
        above = self.eta.value > self.limit * (1 + 1e-9)
        side = "above" if above else "below"
        side = f"η is {side} 2/λmax = {limit}"
        if abs(self.eta.value / self.limit - 1) <= 1e-9:
            side = f"η is exactly 2/λmax = {limit}"
        if found.kind == DIVERGES:
            return f"It diverges: {side}, and a step multiplies the error by {brief(found.factor)}."
        if found.kind == SWINGS:
            return f"{side}: it jumps to and fro for ever."
        if found.kind == RESTS:
            luck = ", but the start has no error for it to enlarge" if above else ""
            return f"{side}{luck}. It starts at {self._rest(found)} and stays there."
        arrived = self.run and self.run.converged and self.k == self.last
        luck = ", but in the steepest direction the start has no error" if above else ""
        end = "has arrived at" if arrived else "tends to"
        return f"{side}{luck}. It {end} {self._rest(found)}."

    def _rest(self, found: Outlook) -> str:
        assert found.rest is not None
        kind = "the least-squares weights" if found.rank == 2 else "least-squares weights"
        return f"{kind} {mark('bottom', _place(found.rest))}"

    def _by_passes(self, found: Outlook) -> str:
        """Return what a pass of LMS does in the long run."""
        factor = brief(abs(found.factor))
        if found.kind == DIVERGES:
            return f"It diverges: a pass multiplies the error by {factor} in the long run."
        if found.kind == SWINGS:
            return "A pass neither shrinks nor enlarges the error: it never settles."
        assert found.rest is not None
        assert self.target is not None
        Z = self.target.Z
        nearest = found.rest + np.linalg.lstsq(Z, 1 - Z @ found.rest, rcond=1e-9)[0]
        away = float(np.linalg.norm(found.rest - nearest))
        away = 0.0 if away < 1e-9 * max(1.0, float(np.abs(found.rest).max())) else away
        off = f", {brief(away)} from the least-squares weights"
        off = off if away else ", the least-squares weights"
        if found.kind == RESTS:
            return f"It starts at {_place(found.rest)}, where every pass ends{off}."
        return (
            f"A pass multiplies the error by {factor} in the long run; the passes settle at "
            f"{mark('rest', _place(found.rest))}{off}."
        )

    def panels(self) -> list[Item]:
        """Return the loss over the plane of the weights, and the points with the rule."""
        if self.show.value == SURFACE and self.target is not None and self.run is not None:
            path = self.run.path[: self.k + 1]
            title = f"after {self.k} step{'' if self.k == 1 else 's'}"
            ends = [self._bottom_spot(), self._resting_spot()]
            return [
                surface.panel(self.target, path, VIEW, title, WIDE, ends),
                self._points_panel(),
            ]
        return [self._weights_panel(), self._points_panel()]

    def _weights_panel(self) -> Item:
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
        path = _near(self.run.path[: self.k + 1]) if self.run else self.start[None]
        if len(path) > 1:
            drawn.append(scene.path(path, width=1.6, name="path", label="descent"))
            dots = _inside(path[1:MOST_DOTS])
            drawn.append(scene.marks(dots, size=2.8, colour=BLACK, name="steps"))
        drawn += self._bottom()
        rest = self._resting_spot()
        drawn += [scene.marks(rest.at, **rest.look)] if len(rest.at) else []
        look: Item
        if self.k:
            look = {"size": 6.0, "colour": BLACK, "name": "now"}
            drawn.append(scene.marks(_inside(self.weights), **look))
        start = scene.handle("start", "start of the descent", self.start, legend="start")
        two = ("w₀", "w₁") if self.bias else ("w₁", "w₂")
        names: Item = dict(zip(("xlabel", "ylabel"), two, strict=True))
        title = f"after {self.k} step{'' if self.k == 1 else 's'}"
        return scene.panel(VIEW, drawn, [start], title=title, width=WIDE, step=0.1, **names)

    def _bottom(self) -> list[Item]:
        """Return the least-squares weights: one place, or a line of them where rows are short."""
        if self.bottom is None or self.target is None:
            return []
        basis = span(self.target.Z) if self.target.Z.any() else np.zeros((2, 0))
        if basis.shape[1] == 1:
            seen = basis[:, 0]
            look: Item = {"colour": PURPLE, "label": "least squares", "name": "bottom"}
            return scene.line(Hyperplane(seen, -float(seen @ self.bottom)), VIEW, **look)
        spot = self._bottom_spot()
        return [scene.marks(spot.at, **spot.look)]

    def _bottom_spot(self) -> surface.Spot:
        """Return the least-squares weights, where they are one place inside the picture."""
        look: Item = {"marker": "P", "size": 10, "colour": PURPLE}
        look |= {"label": "least squares", "name": "bottom"}
        if self.bottom is None or self.run is None or self.outlook.rank < 2:
            return surface.Spot(np.zeros((0, 2)), look)
        return surface.Spot(_inside(self.bottom), look)

    def _resting_spot(self) -> surface.Spot:
        """Return where passes over single rows settle, if they do so inside the picture."""
        look: Item = {"marker": "D", "size": 6, "colour": GREEN}
        look |= {"label": "passes settle here", "name": "rest"}
        one = self.run is not None and self.bottom is not None and self.pick.value == SINGLY
        found = self.outlook.rest if one and self.outlook.kind == SETTLES else None
        return surface.Spot(np.zeros((0, 2)) if found is None else _inside(found), look)

    def _points_panel(self) -> Item:
        handles = []
        places = np.column_stack([self.X, self.y]) if self.bias else self.X
        for row, (at, label) in enumerate(zip(places, self.y.tolist(), strict=True)):
            kind = self.looks[label]
            shown: Item = {"marker": kind.marker, "colour": kind.colour, "legend": kind.name}
            shown["rail"] = [1.0, 0.0] if self.bias else None
            handles.append(scene.handle(f"p{row}", f"row {row}, {kind.name},", at, **shown))
        title = "data and score" if self.bias else "data and line"
        names: Item = {"xlabel": "x", "ylabel": "label, score"} if self.bias else {}
        look: Item = {"title": title, "width": WIDE, "step": 0.1, "adds": True}
        return scene.panel(self.view, self._rule(), handles, **look, **names)

    def _rule(self) -> list[Item]:
        """Return the line of the weights, or, over one feature, the graph of their score."""
        view = self.view
        size = max(float(np.abs(self.weights).max()), 1.0)  # a runaway is scaled, not its line
        w = self.weights / size
        if self.bias:
            level: Item = {"colour": GREY, "width": 1.0, "name": "level"}
            drawn = [scene.path([[view[0][0], at], [view[0][1], at]], **level) for at in (-1, 0, 1)]
            graph = Hyperplane([w[1], -1.0 / size], float(w[0]))
            return drawn + scene.line(graph, view, label="score w₀ + w₁x", name="line")
        if not w.any():
            return []
        h = Hyperplane(w)
        sides = [*scene.side(h, view, 1), *scene.side(h, view, -1)]
        return sides + scene.line(h, view, label="line of the weights")


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
    # A coordinate that is rounding beside the other is 0.
    size = ROUNDING * float(np.abs(weights).max())
    return f"({', '.join(brief(float(v)) if abs(v) > size else '0' for v in weights)})"


def _reached(weights: FloatArray) -> str:
    """Return a place, or how far away it is where one coordinate drowns in the other's rounding.

    >>> _reached(np.array([1.0, -4.42e26])), _reached(np.array([1.0, 1e-17]))
    ('a length of 4.42·10²⁶', '(1, 0)')
    """
    low, high = sorted(np.abs(weights).tolist())
    if high > 1 and low <= ROUNDING * high and low > ROUNDING:
        return f"a length of {brief(float(np.hypot(low, high)))}"
    return _place(weights)


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
