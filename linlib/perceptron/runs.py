"""What the perceptron and its variants return: a run, which knows every mistake it made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from linlib import formal
from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import frozen
from linlib.base.hyperplane import Fit

Step = Callable[[int], float]  # the size of update k = 1, 2, …
SCHEDULES: dict[str, Callable[[float], Step]] = {
    "constant": lambda step: lambda k: step,
    "1/k": lambda step: lambda k: step / k,
}


def step_sizes(step: float, schedule: str) -> Step:
    """Return the size of update k = 1, 2, … as a function of k."""
    size = SCHEDULES[checks.choice(schedule, "schedule", list(SCHEDULES))]
    return size(checks.positive(step, "step"))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Run(Fit):
    """A run over signed rows Z from ``start``, one correction at a time.

    Update k was caused by row ``mistakes[k]`` at visit ``visits[k]``, and moved the weights by η(k)
    times the row: η(k) is ``step``, or ``step / k`` with the ``schedule`` "1/k". ``converged`` says
    whether a whole pass was clean; ``passes`` counts passes over the data, the clean one included.
    """

    Z: FloatArray
    start: FloatArray
    step: float
    schedule: str
    passes: int
    mistakes: IntArray
    visits: IntArray

    @property
    def updates(self) -> int:
        """How many times the weights changed."""
        return len(self.mistakes)

    @property
    def sizes(self) -> FloatArray:
        """The steps η(1), η(2), … of the updates that were made."""
        size = SCHEDULES[self.schedule](self.step)
        return np.array([size(k) for k in range(1, self.updates + 1)], dtype=np.float64)

    @cached_property
    def path(self) -> FloatArray:
        """Weights before the first and after every update: shape ``(updates + 1, d + 1)``.

        Derived from ``mistakes``: the same terms as in the loop, added in the same order.
        """
        moves = self.sizes[:, None] * self.Z[self.mistakes]
        return frozen(np.add.accumulate(np.vstack([self.start, moves])))

    def proof(self, reference: ArrayLike | None = None) -> str:
        """Return this run as a file that the proof assistant Coq checks.

        The file states the corrections and the weights they lead to; where the run converged, also
        that these weights separate, and the mistake bound, which it proves for every order of
        visits. Coq computes exactly, with the decimals that were typed. :mod:`linlib.formal` says
        how the file is made; the folder ``proofs`` has the theorems with their comments.

        Parameters
        ----------
        reference : array_like of shape (d + 1,), optional
            Weights that separate, whose margin gives the bound. Without them the run's own last
            weights serve, with a larger bound than the best ones have.

        Returns
        -------
        str
            The text of the file. ``Path("run.v").write_text(run.proof())``, then ``coqc run.v``.

        Examples
        --------
        >>> from linlib.perceptron.algorithm import pla
        >>> run = pla([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
        >>> run.proof([-3, 2, 2]).splitlines()[-1]
        'Print Assumptions no_run_makes_more.'
        """
        if self.start.any() or self.schedule != "constant":
            raise ValueError(
                "run: the theorem is about runs from zero weights with a constant step; use "
                "pla(X, y) without start and schedule."
            )
        given = self.weights if reference is None else checks.vector(reference, "reference")
        return formal.of_run(self.Z, self.mistakes, self.converged, given.tolist())

    @property
    def mistakes_per_row(self) -> IntArray:
        """How many updates each row of the data caused."""
        return np.bincount(self.mistakes.astype(np.intp), minlength=len(self.Z))

    def steady_after(self, *, window: int = 50, tolerance: float = 0.05) -> int | None:
        """Return the update after which ‖weights‖ had stopped fluctuating, or None.

        That is the first one whose last ``window`` updates changed the length by no more than
        ``tolerance`` times its mean: a rule for stopping where no pass is ever clean.

        >>> from linlib.perceptron.algorithm import pla
        >>> pla([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]).steady_after(tolerance=1.0)
        """
        window = checks.count(window, "window", least=1)
        tolerance = checks.positive(tolerance, "tolerance", zero=True)
        if self.updates < window:
            return None
        lengths = np.linalg.norm(self.path, axis=1)
        seen = np.lib.stride_tricks.sliding_window_view(lengths, window + 1)
        steady = np.ptp(seen, axis=1) <= tolerance * seen.mean(axis=1)
        return int(steady.argmax()) + window if steady.any() else None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PocketRun(Run):
    """``weights`` are the best seen; ``best_errors[k]`` counts their errors after k updates."""

    best_errors: IntArray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AveragedRun(Run):
    """``weights`` are the mean over visits; ``last`` are those after the last one."""

    last: FloatArray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BatchRun(Fit):
    """A run that corrects all mistakes at once; ``mistakes[k]`` are the rows of update k.

    ``path[k]`` are the weights after k updates.
    """

    Z: FloatArray
    path: FloatArray
    mistakes: tuple[IntArray, ...]

    @property
    def updates(self) -> int:
        """How many times the weights changed."""
        return len(self.mistakes)

    @property
    def passes(self) -> int:
        """How many times all rows were scored: once an update, and once more to find none wrong."""
        return self.updates + self.converged
