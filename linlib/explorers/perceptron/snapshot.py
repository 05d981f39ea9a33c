"""A run of the perceptron after k updates: in words, among the points, and in weight space."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit import scene
from linlib.explorers.kit.geometry import UNIT
from linlib.explorers.kit.sentences import brief, mark, rounded, vector
from linlib.margins.certificates import Inseparable, Separable
from linlib.notebook.colours import BLACK, GREEN, GREY, PURPLE
from linlib.perceptron.runs import Run

BUDGET = 1000  # updates; a run that has not ended by then is shown up to here
TRAIL = 200  # steps of the weights that are drawn


class Snapshot(NamedTuple):
    """A run over whole numbers, ``k`` updates from its start; ``path`` is in the points' units."""

    X: FloatArray
    run: Run
    path: FloatArray
    verdict: Separable | Inseparable
    k: int
    bias: bool

    @property
    def weights(self) -> FloatArray:
        """The weights after ``k`` updates."""
        return np.asarray(self.path[self.k])

    @property
    def ended(self) -> bool:
        """Whether all updates of a run that converged have been made."""
        return bool(self.run.converged and self.k == self.run.updates)

    @property
    def counts(self) -> IntArray:
        """How many of the first ``k`` updates each row caused."""
        rows = self.run.mistakes[: self.k].astype(np.intp)
        return np.bincount(rows, minlength=len(self.X))

    @property
    def wrong(self) -> int:
        """How many points the weights have on the wrong side or on the line."""
        return int(np.count_nonzero(~(self.run.Z @ np.rint(self.weights * UNIT) > 0)))

    def in_words(self) -> str:
        """Return the last update, how many points are wrong, and how it will end."""
        return f"{self._update()} {self._state()} {self._end()}"

    def _update(self) -> str:
        if self.k == 0:
            return f"Before the first update the weights are {vector(self.weights)}."
        row, before = self.run.mistakes[self.k - 1], self.path[self.k - 1]
        z = self.run.Z[row]
        product = float(z @ np.rint(before * UNIT)) / UNIT**2
        return (
            f"Update {self.k}: row {row} at {mark('mistake', vector(self.X[row]))} was a mistake, "
            f"its product {rounded(product)} is not above 0; adding "
            f"{mark('update', vector(z / UNIT))} took the weights "
            f"from {mark('old-w', vector(before))} to {mark('new-w', vector(self.weights))}."
        )

    def _state(self) -> str:
        wrong = self.wrong
        state = f"{wrong} of {len(self.X)} points {'is' if wrong == 1 else 'are'} wrong now."
        if len(self.X) <= 12 and self.k:
            made = mark("count", ", ".join(map(str, self.counts)))
            state += f" Mistakes by row: {made}."
        return state

    def _end(self) -> str:
        if isinstance(self.verdict, Inseparable):
            spent = f"The budget of {BUDGET} updates is spent. " if self.k == BUDGET else ""
            return f"{spent}It can never end: {why_never(self.verdict)}"
        if self.ended:
            return f"It has converged: pass {self.run.passes} over the points is clean."
        if self.run.converged:
            return "It will end: some line separates the points."
        return f"It will end, but not within the {BUDGET} updates shown here."


def why_never(verdict: Inseparable) -> str:
    """Return the multipliers that add the signed rows up to zero."""
    rows = verdict.support
    if len(rows) == 1:
        return f"row {rows[0]} is all zeros, and no weights make its product positive."
    shares = "(" + ", ".join(brief(float(verdict.multipliers[row])) for row in rows) + ")"
    return (
        f"with λ = {mark('lambda', shares)} on rows {', '.join(map(str, rows))} the "
        f"signed rows add up to zero, so no weights make all products positive."
    )


def lines(now: Snapshot, view: scene.View, label: str, *, before: bool) -> list[scene.Drawable]:
    """Return the shaded sides, the last mistake, and the line, also as it was before, dashed."""
    drawn = _sides(now.weights, now.bias, view)
    old = _hyperplane(now.path[now.k - 1], now.bias) if now.k and before else None
    dashed = partial(scene.line, colour=GREY, dash=scene.DASHED, name="old-line")
    drawn += dashed(old, view, label="old line, old w") if old else []
    if now.k:
        drawn.append(scene.Ring(now.X[now.run.mistakes[now.k - 1]], name="mistake"))
    new = _hyperplane(now.weights, now.bias)
    return drawn + (scene.line(new, view, label=label) if new else [])


def notes(now: Snapshot) -> list[scene.Drawable]:
    """Return the mistakes beside every point, and the multipliers of those that clash."""
    made: list[scene.Drawable] = []
    for x, count in zip(now.X, now.counts, strict=True):
        if count:
            made.append(scene.Text(x, f"{count}×", offset=(13, 9), name="count"))
    if isinstance(now.verdict, Inseparable):
        for row in now.verdict.support:
            share = f"λ {brief(now.verdict.multipliers[row])}"
            look = partial(scene.Text, colour=PURPLE, offset=(0, -30), anchor="middle")
            made.append(look(now.X[row], share, name="lambda"))
    return made


def weights_panel(now: Snapshot | None, width: float) -> scene.Panel:
    """Return the plane of (w1, w2): the solutions, where the weights went, the last update."""
    path = now.path[:, -2:] if now else np.zeros((1, 2))
    k = now.k if now else 0
    shown, view = path[: k + 1], _around(path)
    drawn = solutions(now, view) if now else []
    drawn.append(scene.Marks([[0, 0]], size=4, colour=BLACK, name="origin"))
    if k > 1:
        trail = partial(scene.Path, colour=GREY, width=1.2, label="way of w so far", name="trail")
        drawn.append(trail(shown[-TRAIL:]))
    if k:
        old = partial(scene.Arrow, colour=GREY, dash=scene.DASHED, label="old line, old w")
        drawn.append(old([0, 0], shown[-2], name="old-w"))
    drawn.append(scene.Arrow([0, 0], shown[-1], label="new line, new w", name="new-w"))
    if k:
        update = partial(scene.Arrow, colour=GREEN, label="update y x", name="update")
        drawn.append(update(shown[-2], shown[-1]))
    names = partial(scene.Panel, title="w before and after", xlabel="w₁", ylabel="w₂")
    return names(view, drawn, width=width)


def solutions(now: Snapshot, view: scene.View) -> list[scene.Drawable]:
    """Return the weights that get every point right, those with the present offset."""
    rows, offset = now.run.Z / UNIT, now.weights[0] if now.bias else 0.0
    area = scene.solutions(rows[:, -2:], rows[:, 0] * offset, view)
    label = "solutions at this w₀" if now.bias else "cone of solutions"
    look: Any = {"fill": GREEN, "opacity": 0.2, "colour": GREEN, "width": 1.2, "closed": True}
    return [scene.Path(area, label=label, name="solutions", **look)] if len(area) else []


def _hyperplane(weights: FloatArray, bias: bool) -> Hyperplane | None:
    return Hyperplane.from_weights(weights, bias=bias) if weights[-2:].any() else None


def _sides(weights: FloatArray, bias: bool, view: scene.View) -> list[scene.Drawable]:
    h = _hyperplane(weights, bias)
    if h:
        return scene.sides(h, view)
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
