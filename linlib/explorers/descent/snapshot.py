"""A descent after k steps: where it is, what it costs and what becomes of it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linlib.base.checks import FloatArray
from linlib.descent.gradient import Descent
from linlib.descent.losses import Objective, squared_loss
from linlib.explorers.descent.long_run import CYCLES, DIVERGES, RESTS, SWINGS, LongRun
from linlib.explorers.kit.sentences import (
    MOST_DIGITS,
    ROUNDING,
    SAME,
    beside,
    brief,
    from_to,
    many,
    mark,
    out_of,
    without_rounding,
)

if TYPE_CHECKING:
    from linlib.explorers.descent import DescentExplorer

BUDGET = 120  # steps; with one point a step, visits


def in_words(now: DescentExplorer, target: Objective, run: Descent) -> str:
    """Return where the descent is, what it costs, and what the step size does."""
    how = "one point a step" if now.singly else "all points at once"
    first = run.path[0]
    words = f"{target.loss.name.capitalize()} loss, {how}, η = {step_size(now)}: "
    if now.k:
        words += f"{many(now.k, 'step')} {_changed(now, target, run)}"
    else:
        loss = brief(_loss(target, run, 0))
        words += f"at the start {mark('start', place(first))} the loss is {loss}"
    count = out_of(now.wrong, len(target.Z), "point")
    return f"{words}; {count} wrong. {_what_becomes_of_it(now, target, run)}"


def _changed(now: DescentExplorer, target: Objective, run: Descent) -> str:
    """Return what the steps made of the weights and of the loss."""
    first, last = run.path[0], now.weights
    before, after = _loss(target, run, 0), _loss(target, run, now.k)
    if np.allclose(first, last, rtol=SAME, atol=0):
        if np.array_equal(run.path[: now.k + 1].min(axis=0), run.path[: now.k + 1].max(axis=0)):
            return (
                f"left the weights at {mark('now', place(first))} and the loss at {brief(before)}"
            )
        back = f"took the weights away from {mark('now', place(first))} and back to it"
        return f"{back}, where the loss is {brief(before)}"
    start, end = place(first), reached(last)
    for digits in range(4, MOST_DIGITS + 1):  # the weights have moved, and it is seen
        if start != end:
            break
        start, end = place(first, digits), place(last, digits)
    moved = f"took the weights from {mark('start', start)} to {mark('now', end)}"
    if abs(after - before) <= SAME * max(after, before):
        return f"{moved} and left the loss at {brief(before)}"
    return f"{moved} and the loss {from_to(before, after)}"


def _loss(target: Objective, run: Descent, k: int) -> float:
    """Return the loss after k steps; what is only the rounding of scores is 0."""
    terms = 1 + float((np.abs(target.Z) @ np.abs(run.path[k])).max())
    # The squared loss squares the rounding, too.
    blur = ROUNDING * terms**2 if target.loss is squared_loss else terms
    return without_rounding(run.values[k], of=blur)


def step_size(now: DescentExplorer) -> str:
    """Return η, with as many digits as tell it from the limit."""
    if now.bottom is None or now.singly:
        return brief(now.eta.value)
    return beside(now.eta.value, now.limit)


def _what_becomes_of_it(now: DescentExplorer, target: Objective, run: Descent) -> str:
    """Return what becomes of this descent, as the library decides it."""
    if now.bottom is None:
        return _on_kinks(target, now.long_run)
    if now.long_run.rank == 0:
        return "All points are 0: the loss is flat, and no step changes it."
    unseen = ""
    if now.long_run.rank < 2:
        unseen = " Some direction is seen by no point: along it the weights stay as they are."
    if now.singly:
        return _by_passes(target.Z, now.long_run) + unseen
    arrived = run.converged and now.k == now.last
    return _by_steps(now.long_run, now.eta.value, now.limit, arrived=arrived) + unseen


def _on_kinks(target: Objective, found: LongRun) -> str:
    """Return what becomes of a descent on a loss of straight pieces."""
    end = f"It has not come to rest within {BUDGET} steps"
    if found.kind == RESTS:
        cancel = "where the gradients of the points cancel"
        where = cancel if found.pulled else "where the gradient of every point is zero"
        end = f"It comes to rest {where}"
    elif found.kind == CYCLES:
        end = f"It never rests: it repeats itself every {found.period} steps"
    kind = f"The {target.loss.name} loss is piecewise linear and never below 0"
    return f"{kind}: no step size diverges. {end}."


def _by_steps(found: LongRun, step: float, limit: float, *, arrived: bool) -> str:
    """Return what all points at once do in the long run; ``limit`` is 2/λmax."""
    exactly, above = abs(step / limit - 1) <= SAME, step > limit * (1 + SAME)
    where = "exactly" if exactly else "above" if above else "below"
    side = f"η is {where} 2/λmax = {beside(limit, step)}"
    if found.kind == DIVERGES:
        factor = beside(found.factor, np.copysign(1.0, found.factor))
        return f"It diverges: {side}, and a step multiplies the error by {factor}."
    if found.kind == SWINGS:
        return f"{side}: it oscillates for ever."
    assert found.rest is not None
    kind = "the least-squares weights" if found.rank == 2 else "least-squares weights"
    rest = f"{kind} {mark('bottom', place(found.rest))}"
    if found.kind == RESTS:
        luck = ", but the start has no error for it to enlarge" if above else ""
        return f"{side}{luck}. It starts at {rest} and stays there."
    luck = ", but in the steepest direction the start has no error" if above else ""
    return f"{side}{luck}. It {'has arrived at' if arrived else 'tends to'} {rest}."


def _by_passes(Z: FloatArray, found: LongRun) -> str:
    """Return what a pass of LMS does in the long run."""
    # An eigenvalue that is double carries the square root of the rounding.
    size = without_rounding(abs(found.factor), of=ROUNDING**-0.5)
    factor = beside(size, 1)
    if found.kind == DIVERGES:
        return f"It diverges: a pass multiplies the error by {factor} in the long run."
    if found.kind == SWINGS:
        return "A pass neither shrinks nor enlarges the error: it never settles."
    assert found.rest is not None
    nearest = found.rest + np.linalg.lstsq(Z, 1 - Z @ found.rest, rcond=SAME)[0]
    away = float(np.linalg.norm(found.rest - nearest))
    rounding = away < SAME * max(1.0, float(np.abs(found.rest).max()))
    off = "the least-squares weights"
    off = off if rounding else f"{brief(away)} from {off}"
    if found.kind == RESTS:
        return f"It starts at {place(found.rest)}, where every pass ends, {off}."
    return (
        f"A pass multiplies the error by {factor} in the long run; the passes settle at "
        f"{mark('rest', place(found.rest))}, {off}."
    )


def place(weights: FloatArray, digits: int = 3) -> str:
    """Return two weights; one that is rounding beside the other is 0."""
    size = float(np.abs(weights).max())
    return f"({', '.join(brief(float(v), digits, of=size) for v in weights)})"


def reached(weights: FloatArray) -> str:
    """Return a place, or how far away it is where one coordinate drowns in the other's rounding."""
    low, high = sorted(np.abs(weights).tolist())
    if high > 1 and low <= ROUNDING * high and low > ROUNDING:
        return f"a length of {brief(float(np.hypot(low, high)))}"
    return place(weights)
