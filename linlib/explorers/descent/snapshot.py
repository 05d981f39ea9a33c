"""A descent after k steps: where it is, what it costs and what becomes of it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linlib.base.checks import FloatArray
from linlib.descent.gradient import Descent
from linlib.descent.losses import Objective
from linlib.explorers.descent.long_run import CYCLES, DIVERGES, RESTS, SWINGS, LongRun
from linlib.explorers.kit.sentences import brief, many, mark

if TYPE_CHECKING:
    from linlib.explorers.descent import DescentExplorer

BUDGET = 120  # steps; with one point a step, visits
ROUNDING = 1e-12  # of a weight, beside the other one
NEAR = 1e-9  # relative: two numbers that differ by less are said to be equal


def in_words(now: DescentExplorer, target: Objective, run: Descent) -> str:
    """Return where the descent is, what it costs, and what the step size does."""
    how = "one point a step" if now.singly else "all points at once"
    before, after = (brief(float(run.values[k])) for k in (0, now.k))
    start = mark("start", place(run.path[0]))
    words = f"{target.loss.name.capitalize()} loss, {how}, η = {brief(now.eta.value)}: "
    if now.k:
        words += (
            f"{many(now.k, 'step')} took the weights from {start} to "
            f"{mark('now', reached(now.weights))} and the loss from {before} to {after}"
        )
    else:
        words += f"at the start {start} the loss is {before}"
    count = f"{now.wrong} of {len(target.Z)} points {'is' if now.wrong == 1 else 'are'} wrong"
    return f"{words}; {count}. {_what_becomes_of_it(now, target, run)}"


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
        where = "where the pulls cancel" if found.pulled else "where no point pulls any more"
        end = f"It comes to rest {where}"
    elif found.kind == CYCLES:
        end = f"It never rests: it goes round in a circle of {found.period} steps"
    kind = f"The {target.loss.name} loss is piecewise linear and never below 0"
    return f"{kind}: no step size diverges. {end}."


def _by_steps(found: LongRun, step: float, limit: float, *, arrived: bool) -> str:
    """Return what all points at once do in the long run; ``limit`` is 2/λmax."""
    exactly, above = abs(step / limit - 1) <= NEAR, step > limit * (1 + NEAR)
    where = "exactly" if exactly else "above" if above else "below"
    side = f"η is {where} 2/λmax = {brief(limit)}"
    if found.kind == DIVERGES:
        return f"It diverges: {side}, and a step multiplies the error by {brief(found.factor)}."
    if found.kind == SWINGS:
        return f"{side}: it jumps to and fro for ever."
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
    factor = brief(abs(found.factor))
    if found.kind == DIVERGES:
        return f"It diverges: a pass multiplies the error by {factor} in the long run."
    if found.kind == SWINGS:
        return "A pass neither shrinks nor enlarges the error: it never settles."
    assert found.rest is not None
    nearest = found.rest + np.linalg.lstsq(Z, 1 - Z @ found.rest, rcond=NEAR)[0]
    away = float(np.linalg.norm(found.rest - nearest))
    rounding = away < NEAR * max(1.0, float(np.abs(found.rest).max()))
    off = "the least-squares weights"
    off = off if rounding else f"{brief(away)} from {off}"
    if found.kind == RESTS:
        return f"It starts at {place(found.rest)}, where every pass ends, {off}."
    return (
        f"A pass multiplies the error by {factor} in the long run; the passes settle at "
        f"{mark('rest', place(found.rest))}, {off}."
    )


def place(weights: FloatArray) -> str:
    """Return two weights; one that is rounding beside the other is 0."""
    size = ROUNDING * float(np.abs(weights).max())
    return f"({', '.join(brief(float(v)) if abs(v) > size else '0' for v in weights)})"


def reached(weights: FloatArray) -> str:
    """Return a place, or how far away it is where one coordinate drowns in the other's rounding."""
    low, high = sorted(np.abs(weights).tolist())
    if high > 1 and low <= ROUNDING * high and low > ROUNDING:
        return f"a length of {brief(float(np.hypot(low, high)))}"
    return place(weights)
