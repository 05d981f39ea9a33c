"""A run of the perceptron after k updates: in words, among the points, and in weight space."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from linlib.base.checks import FloatArray
from linlib.explorers.kit import scene
from linlib.explorers.kit.geometry import UNIT, line_of
from linlib.explorers.kit.sentences import brief, mark, out_of, rounded, vector
from linlib.margins.certificates import Inseparable
from linlib.notebook.colours import BLACK, GREEN, GREY, PURPLE

if TYPE_CHECKING:
    from linlib.explorers.perceptron import PerceptronState

BUDGET = 1000  # updates; a run that has not ended by then is shown up to here
TRAIL = 200  # steps of the weights that are drawn


def in_words(now: PerceptronState) -> str:
    """Return the last update, how many points are wrong, and how it will end."""
    return f"{_update(now)} {_state(now)} {_end(now)}"


def _update(now: PerceptronState) -> str:
    if now.k == 0:
        return f"Before the first update the weights are {vector(now.weights)}."
    row, before = now.ran.mistakes[now.k - 1], now.path[now.k - 1]
    z = now.ran.Z[row]
    product = float(z @ np.rint(before * UNIT)) / UNIT**2
    return (
        f"Update {now.k}: row {row} at {mark('mistake', vector(now.X[row]))} was a mistake, "
        f"its product {rounded(product)} is not above 0; adding "
        f"{mark('update', vector(z / UNIT))} took the weights "
        f"from {mark('old-w', vector(before))} to {mark('new-w', vector(now.weights))}."
    )


def _state(now: PerceptronState) -> str:
    state = f"{out_of(now.wrong, len(now.X), 'point')} wrong now."
    if len(now.X) <= 12 and now.k:
        made = mark("count", ", ".join(map(str, now.counts)))
        state += f" Mistakes by row: {made}."
    return state


def _end(now: PerceptronState) -> str:
    if isinstance(now.verdict, Inseparable):
        spent = f"The budget of {BUDGET} updates is spent. " if now.k == BUDGET else ""
        return f"{spent}It can never end: {why_never(now.verdict)}"
    if now.ended:
        return f"It has converged: pass {now.ran.passes} over the points is clean."
    if now.ran.converged:
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


def lines(now: PerceptronState, label: str, *, before: bool) -> list[scene.Drawable]:
    """Return the shaded sides, the last mistake, and the line, also as it was before, dashed."""
    view = now.view
    drawn = _sides(now.weights, now.offset, view)
    old = line_of(now.path[now.k - 1], bias=now.offset) if now.k and before else None
    dashed = partial(scene.line, colour=GREY, dash=scene.DASHED, name="old-line")
    drawn += dashed(old, view, label="old line, old w") if old else []
    if now.k:
        ring = partial(scene.Ring, name="mistake", label="last mistake")
        drawn.append(ring(now.X[now.ran.mistakes[now.k - 1]]))
    new = line_of(now.weights, bias=now.offset)
    return drawn + (scene.line(new, view, label=label) if new else [])


def notes(now: PerceptronState) -> list[scene.Drawable]:
    """Return the mistakes beside every point, and the multipliers of those that clash."""
    made: list[scene.Drawable] = []
    count = partial(scene.Text, offset=(13, 9), name="count", label="mistakes on a point")
    made += [count(x, f"{n}×") for x, n in zip(now.X, now.counts, strict=True) if n]
    if isinstance(now.verdict, Inseparable):
        look = partial(scene.Text, colour=PURPLE, offset=(0, -30), anchor="middle", name="lambda")
        shares = now.verdict.multipliers
        made += [look(now.X[row], f"λ {brief(shares[row])}") for row in now.verdict.support]
    return made


def weights_panel(now: PerceptronState, width: float) -> scene.Panel:
    """Return the plane of (w1, w2): the solutions, where the weights went, the last update."""
    path, k = now.path[:, -2:], now.k
    shown, spots = path[: k + 1], np.vstack([path, np.zeros((1, 2))])
    view = scene.square(spots, room=0.65, least=0.5, digits=3)
    drawn = solutions(now, view) if now.run else []
    drawn.append(scene.Marks([[0, 0]], size=4, colour=BLACK, name="origin"))
    if k > 1:
        trail = partial(scene.Path, colour=GREY, width=1.2, label="way of w", name="trail")
        drawn.append(trail(shown[-TRAIL:]))
    if k and shown[-2].any():
        old = partial(scene.Arrow, colour=GREY, dash=scene.DASHED, label="old line, old w")
        drawn.append(old([0, 0], shown[-2], name="old-w"))
    if shown[-1].any():
        drawn.append(scene.Arrow([0, 0], shown[-1], label="new line, new w", name="new-w"))
        drawn.append(scene.Text(shown[-1], "w", offset=(9, 6), name="new-w"))
    if k and (shown[-2] != shown[-1]).any():  # a change of the offset alone is not seen here
        drawn.append(scene.Arrow(shown[-2], shown[-1], colour=GREEN, name="update"))
        added = partial(scene.Text, colour=GREEN, offset=(9, -4), name="update")
        drawn.append(added(shown[-2:].mean(axis=0), "+ y x"))
    names = partial(scene.Panel, title="w before and after", xlabel="w₁", ylabel="w₂")
    return names(view, drawn, width=width)


def solutions(now: PerceptronState, view: scene.View) -> list[scene.Drawable]:
    """Return the weights that get every point right, those with the present offset."""
    if isinstance(now.verdict, Inseparable):  # in floats a bare line may look like an area
        return []
    rows, offset = now.ran.Z / UNIT, now.weights[0] if now.offset else 0.0
    label = "solutions at this w₀" if now.offset else "cone of solutions"
    look = {"label": label, "name": "solutions"}
    return scene.solutions(rows[:, -2:], rows[:, 0] * offset, view, **look)


def _sides(weights: FloatArray, bias: bool, view: scene.View) -> list[scene.Drawable]:
    h = line_of(weights, bias=bias)
    if h:
        return scene.sides(h, view)
    if bias and weights[0]:
        sign = int(np.sign(weights[0]))  # with w = 0 the offset alone decides, everywhere alike
        colour = scene.CLASS_LOOK[sign][1]
        return [scene.polygon(scene.corners(view), fill=colour, name=f"side{sign:+d}")]
    return []
