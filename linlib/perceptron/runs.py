"""What the perceptron and its variants return: a run, which knows every mistake it made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import frozen
from linlib.base.results import Result
from linlib.base.rows import Rows, blocks, mistaken

Step = Callable[[int], float]  # the size of update k = 1, 2, …
SCHEDULES: dict[str, Callable[[float], Step]] = {
    "constant": lambda step: lambda k: step,
    "1/k": lambda step: lambda k: step / k,
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RowsRun(Result):
    """A run over signed rows from ``start``: update k moved the weights by η(k) times rows.

    ``converged`` says whether a whole pass was clean; ``passes`` counts passes over the data, the
    clean one included. η(k) is ``step``, or ``step / k`` with the ``schedule`` "1/k".
    """

    passes: int
    rows: Rows
    start: FloatArray
    step: float
    schedule: str = "constant"

    @property
    def Z(self) -> FloatArray:
        """The signed rows."""
        return self.rows.Z

    @property
    def errors(self) -> int:
        """How many rows ``weights`` get wrong, a score of 0 included."""
        return len(mistaken(self.rows, self.weights))

    @property
    def updates(self) -> int:
        """How many times the weights changed."""
        raise NotImplementedError

    @property
    def sizes(self) -> FloatArray:
        """The steps η(1), η(2), … of the updates that were made."""
        size = SCHEDULES[self.schedule](self.step)
        return np.array([size(k) for k in range(1, self.updates + 1)], dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Run(RowsRun):
    """A run that corrects one row at a time: ``mistakes[k]`` caused update k at ``visits[k]``."""

    mistakes: IntArray
    visits: IntArray

    @property
    def updates(self) -> int:
        """How many times the weights changed."""
        return len(self.mistakes)

    @cached_property
    def path(self) -> FloatArray:
        """Weights before the first and after every update: shape ``(updates + 1, d + 1)``.

        Derived from ``mistakes``, and equal to the loop's own weights to the last bit: both add
        the same terms in the same order.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            moves = self.sizes[:, None] * self.rows.take(self.mistakes)
            return frozen(np.add.accumulate(np.vstack([self.start, moves])))

    @property
    def mistakes_per_row(self) -> IntArray:
        """How many updates each row of the data caused."""
        return np.bincount(self.mistakes.astype(np.intp), minlength=len(self.rows))

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
class BatchRun(RowsRun):
    """A run that corrects all mistakes at once; ``mistakes[k]`` are the rows of update k."""

    mistakes: tuple[IntArray, ...]

    @property
    def updates(self) -> int:
        """How many times the weights changed."""
        return len(self.mistakes)

    @cached_property
    def path(self) -> FloatArray:
        """Weights before the first and after every update: shape ``(updates + 1, d + 1)``."""
        path = [self.start]
        with np.errstate(over="ignore", invalid="ignore"):
            for size, which in zip(self.sizes, self.mistakes, strict=True):
                path.append(path[-1] + size * total(self.rows, which))
        return frozen(np.array(path))


def total(rows: Rows, which: IntArray) -> FloatArray:
    """Return the sum of some rows, never copying more than a block of them."""
    result = np.zeros(rows.width)
    for part in blocks(len(which)):
        result += rows.take(which[part]).sum(axis=0)
    return result
