"""A moment of a perceptron's run: what the last update did, in numbers and in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.margins.certificates import Inseparable, Separable
from linlib.perceptron.runs import Run
from linlib.widgets import scene
from linlib.widgets.hulls import UNIT
from linlib.widgets.scene import brief, mark, vector

BUDGET = 1000  # updates; a run that has not ended by then is shown up to here


class Moment(NamedTuple):
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
        return np.bincount(self.run.mistakes[: self.k], minlength=len(self.X))

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
            f"its product {scene.rounded(product)} is not above 0; adding "
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
