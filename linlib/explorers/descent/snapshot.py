"""A descent after k steps: where it is, what it costs and what becomes of it, in words."""

from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray
from linlib.descent.gradient import Descent
from linlib.descent.losses import Objective
from linlib.explorers.descent.long_run import CYCLES, DIVERGES, RESTS, SWINGS, LongRun
from linlib.explorers.kit.sentences import brief, many, mark

BUDGET = 120  # steps; with one point a step, visits
ROUNDING = 1e-12  # of a weight, beside the other one
NEAR = 1e-9  # relative: two numbers that differ by less are said to be equal


class Snapshot(NamedTuple):
    """A descent on the loss of some points, ``k`` steps from its start.

    Of the squared loss, ``bottom`` are the least-squares weights and ``limit`` is 2/λmax.
    """

    target: Objective
    run: Descent
    long_run: LongRun
    k: int
    step: float
    singly: bool
    bottom: FloatArray | None
    limit: float

    @property
    def weights(self) -> FloatArray:
        """The weights after ``k`` steps."""
        return np.asarray(self.run.path[self.k])

    @property
    def wrong(self) -> int:
        """How many points the weights have on the wrong side or on the line."""
        Z, w = self.target.Z, self.weights
        blur = ROUNDING * np.abs(Z) @ np.abs(w)  # an agreement that is only rounding counts as 0
        return int(np.count_nonzero(~(Z @ w > blur)))

    def in_words(self) -> str:
        """Return where the descent is, what it costs, and what the step size does."""
        how = "one point a step" if self.singly else "all points at once"
        before, now = (brief(float(self.run.values[k])) for k in (0, self.k))
        start = mark("start", place(self.run.path[0]))
        words = f"{self.target.loss.name.capitalize()} loss, {how}, η = {brief(self.step)}: "
        if self.k:
            words += (
                f"{many(self.k, 'step')} took the weights from {start} to "
                f"{mark('now', reached(self.weights))} and the loss from {before} to {now}"
            )
        else:
            words += f"at the start {start} the loss is {before}"
        are = "is" if self.wrong == 1 else "are"
        count = f"{self.wrong} of {len(self.target.Z)} points {are} wrong"
        return f"{words}; {count}. {self._what_becomes_of_it()}"

    def _what_becomes_of_it(self) -> str:
        """Return what becomes of this descent, as the library decides it."""
        if self.bottom is None:
            return self._on_kinks()
        if self.long_run.rank == 0:
            return "All points are 0: the loss is flat, and no step changes it."
        unseen = ""
        if self.long_run.rank < 2:
            unseen = " Some direction is seen by no point: along it the weights stay as they are."
        return (self._by_passes() if self.singly else self._by_steps()) + unseen

    def _on_kinks(self) -> str:
        """Return what becomes of a descent on a loss of straight pieces."""
        found = self.long_run
        end = f"It has not come to rest within {BUDGET} steps"
        if found.kind == RESTS:
            where = "where the pulls cancel" if found.pulled else "where no point pulls any more"
            end = f"It comes to rest {where}"
        elif found.kind == CYCLES:
            end = f"It never rests: it goes round in a circle of {found.period} steps"
        kind = f"The {self.target.loss.name} loss is piecewise linear and never below 0"
        return f"{kind}: no step size diverges. {end}."

    def _by_steps(self) -> str:
        """Return what all points at once do in the long run."""
        found, exactly = self.long_run, abs(self.step / self.limit - 1) <= NEAR
        above = self.step > self.limit * (1 + NEAR)
        where = "exactly" if exactly else "above" if above else "below"
        side = f"η is {where} 2/λmax = {brief(self.limit)}"
        if found.kind == DIVERGES:
            return f"It diverges: {side}, and a step multiplies the error by {brief(found.factor)}."
        if found.kind == SWINGS:
            return f"{side}: it jumps to and fro for ever."
        if found.kind == RESTS:
            luck = ", but the start has no error for it to enlarge" if above else ""
            return f"{side}{luck}. It starts at {self._rest()} and stays there."
        arrived = self.run.converged and self.k == len(self.run.path) - 1
        luck = ", but in the steepest direction the start has no error" if above else ""
        end = "has arrived at" if arrived else "tends to"
        return f"{side}{luck}. It {end} {self._rest()}."

    def _rest(self) -> str:
        assert self.long_run.rest is not None
        kind = "the least-squares weights" if self.long_run.rank == 2 else "least-squares weights"
        return f"{kind} {mark('bottom', place(self.long_run.rest))}"

    def _by_passes(self) -> str:
        """Return what a pass of LMS does in the long run."""
        found = self.long_run
        factor = brief(abs(found.factor))
        if found.kind == DIVERGES:
            return f"It diverges: a pass multiplies the error by {factor} in the long run."
        if found.kind == SWINGS:
            return "A pass neither shrinks nor enlarges the error: it never settles."
        assert found.rest is not None
        Z = self.target.Z
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
