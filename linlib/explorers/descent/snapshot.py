"""A descent after k steps: where it is, what it costs and what becomes of it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linlib.base.checks import FloatArray
from linlib.descent.gradient import Descent
from linlib.descent.losses import Objective, squared_loss
from linlib.explorers.descent.outlook import Outlook
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
    from linlib.explorers.descent import DescentState

BUDGET = 120  # steps; with one point a step, visits


def in_words(now: DescentState, target: Objective, run: Descent) -> str:
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


def _changed(now: DescentState, target: Objective, run: Descent) -> str:
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
    size = ROUNDING * terms**2 if target.loss is squared_loss else terms
    return without_rounding(run.values[k], of=size)


def step_size(now: DescentState) -> str:
    """Return η, with as many digits as tell it from the limit."""
    if now.bottom is None or now.singly:
        return brief(now.eta)
    return beside(now.eta, now.limit)


def _what_becomes_of_it(now: DescentState, target: Objective, run: Descent) -> str:
    """Return what becomes of this descent, as far as mathematics decides it."""
    if now.outlook is None:
        return _on_kinks(target, run)
    if now.outlook.rank == 0:
        return "All points are 0: the loss is flat, and no step changes it."
    unseen = ""
    if now.outlook.rank < 2:
        unseen = " Some direction is seen by no point: along it the weights stay as they are."
    if now.singly:
        return _by_passes(target.Z, run, now.outlook) + unseen
    return _by_steps(now, run, now.outlook) + unseen


def _on_kinks(target: Objective, run: Descent) -> str:
    """Return how a descent on a loss of straight pieces ended, within the steps made."""
    end = f"It has not come to rest within {BUDGET} steps"
    last = run.path[-1]
    if not target.loss.slope(target.Z @ last).any():
        end = "It comes to rest where the gradient of every point is zero"
    elif run.converged:
        end = "It comes to rest where the gradients of the points cancel"
    kind = f"The {target.loss.name} loss is piecewise linear and never below 0"
    return f"{kind}: no step size diverges. {end}."


def _by_steps(now: DescentState, run: Descent, found: Outlook) -> str:
    """Return what all points at once do in the long run; the limit of η is 2/λmax."""
    step, limit = now.eta, now.limit
    shown = beside(limit, step)
    factor = beside(found.factor, np.copysign(1.0, found.factor))
    if abs(step / limit - 1) <= SAME:
        flips = "a step only changes the sign of the error in the steepest direction"
        return f"η is exactly 2/λmax = {shown}: {flips}."
    if step > limit:
        above = f"η is above 2/λmax = {shown}"
        if _grew(run):
            return f"It diverges: {above}, and a step multiplies the error by {factor}."
        return f"{above}: a step multiplies the error in the steepest direction by {factor}."
    assert found.rest is not None
    arrived = run.converged and now.k == now.last
    kind = "the least-squares weights" if found.rank == 2 else "least-squares weights"
    ends = f"{'has arrived at' if arrived else 'tends to'} {kind}"
    return f"η is below 2/λmax = {shown}. It {ends} {mark('bottom', place(found.rest))}."


def _by_passes(Z: FloatArray, run: Descent, found: Outlook) -> str:
    """Return what a pass of LMS does in the long run."""
    # An eigenvalue that is double carries the square root of the rounding.
    size = without_rounding(found.factor, of=ROUNDING**-0.5)
    longer = f"pass multiplies the error by {beside(size, 1)} in the long run"
    if abs(size - 1) <= SAME:
        return "A pass neither shrinks nor enlarges the error: it never settles."
    if size > 1:
        return f"It diverges: a {longer}." if _grew(run) else f"A {longer}."
    assert found.rest is not None
    nearest = found.rest + np.linalg.lstsq(Z, 1 - Z @ found.rest, rcond=SAME)[0]
    away = float(np.linalg.norm(found.rest - nearest))
    rounding = away < SAME * max(1.0, float(np.abs(found.rest).max()))
    off = "the least-squares weights"
    off = off if rounding else f"{brief(away)} from {off}"
    return f"A {longer}; the passes settle at {mark('rest', place(found.rest))}, {off}."


def _grew(run: Descent) -> bool:
    """Tell whether the run that is shown left its start ever faster."""
    if len(run.path) < 3:
        return False
    steps = np.abs(np.diff(run.path, axis=0)).max(axis=1)
    half = len(steps) // 2
    return float(steps[half:].max()) > float(steps[:half].max())


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
