"""The perceptron learning algorithm and its relatives, as readers of one stream of corrections.

All of them work on signed rows ``z_i = y_i (1, x_i)``. Row i is a mistake while
``z_i · weights <= 0`` (a score of exactly 0 is a mistake: from ``weights = 0`` nothing is ever
below 0), and a mistake is answered by ``weights + step * z_i``. :func:`corrections` is that loop;
:func:`pla` keeps its last weights, :func:`pocket` its best, :func:`averaged` the mean over all
visits. :func:`batch` answers all mistakes of a pass at once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import count, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks, quick
from linlib.checks import FloatArray, IntArray
from linlib.hyperplane import Hyperplane
from linlib.jumps import Jump, Rows, moved

Order = str | Sequence[int] | IntArray
VISITING = ("cyclic", "shuffled")
PICKING = ("random", "worst")


class Correction(NamedTuple):
    """One update: the pass and the visit it happened at, the row, and the weights after it."""

    number_of_pass: int
    visit: int
    row: int
    weights: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(checks.Frozen):
    """What every learner on signed rows returns.

    ``converged`` says whether a whole pass was clean; ``passes`` counts passes over the data, the
    clean one included.
    """

    weights: FloatArray
    converged: bool
    passes: int
    rows: Rows
    start: FloatArray
    step: float
    bias: bool

    @property
    def Z(self) -> FloatArray:
        """The signed rows."""
        Z = self.rows.Z.view()
        Z.setflags(write=False)
        return Z

    @property
    def hyperplane(self) -> Hyperplane:
        """The boundary of ``weights``."""
        return Hyperplane.from_weights(self.weights, bias=self.bias)

    @property
    def errors(self) -> int:
        """How many rows ``weights`` get wrong, a score of 0 included."""
        return int(np.count_nonzero(_wrong(self.Z, self.weights)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Run(Result):
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
        steps = np.vstack([self.start, self.step * self.Z[self.mistakes]])
        return checks.frozen(np.add.accumulate(steps))

    @property
    def mistakes_per_row(self) -> IntArray:
        """How many updates each row of the data caused."""
        return np.bincount(self.mistakes, minlength=len(self.Z))


@dataclass(frozen=True, eq=False, kw_only=True)
class PocketRun(Run):
    """``weights`` are the best seen; ``best_errors[k]`` counts their errors after k updates."""

    best_errors: IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class AveragedRun(Run):
    """``weights`` are the mean over all visits; ``last`` are those after the last one."""

    last: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class BatchRun(Result):
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
        for rows in self.mistakes:
            path.append(path[-1] + self.step * _total(self.Z, rows))
        return checks.frozen(np.array(path))


def _wrong(Z: FloatArray, weights: FloatArray) -> NDArray[np.bool_]:
    # "not above 0" rather than "<= 0": a NaN from overflowing weights must never look right.
    return np.asarray(~(Z @ weights > 0))


def _total(Z: FloatArray, rows: IntArray) -> FloatArray:
    """Return the sum of some rows, never copying more than a block of them."""
    total = np.zeros(Z.shape[1])
    for part in quick.blocks(len(rows)):
        total += Z[rows[part]].sum(axis=0)
    return total


def corrections(
    Z: FloatArray,
    weights: FloatArray,
    *,
    order: Order = "cyclic",
    step: float = 1.0,
    rng: np.random.Generator | None = None,
) -> Iterator[Correction]:
    """Yield every update of the perceptron; stop once ``Z @ weights > 0`` in every row.

    ``order`` is "cyclic" (rows as they stand), "shuffled" (a fresh order every pass), a sequence
    of rows to visit again and again, "random" (any one of the present mistakes) or "worst" (the
    row with the lowest score, the first of equals).
    """
    return _one_by_one(Z, weights, step, _jumps(Rows(Z), weights, order, step, rng))


def _one_by_one(
    Z: FloatArray, weights: FloatArray, step: float, found: Iterator[Jump]
) -> Iterator[Correction]:
    for jump in found:
        for visit, row in zip(jump.visits, jump.rows, strict=True):
            weights = weights + step * Z[row]
            yield Correction(jump.number_of_pass, visit, row, weights)


def _jumps(
    rows: Rows, weights: FloatArray, order: Order, step: float, rng: np.random.Generator | None
) -> Iterator[Jump]:
    """Return the mistakes of a run, several at a time."""
    if isinstance(order, str):
        checks.choice(order, "order", VISITING + PICKING)
        if order in PICKING:
            return _pick(rows.Z, weights, order, step, rng)
    return rows.jumps(weights, _passes(order, len(rows), rng), step)


def _pick(
    Z: FloatArray, weights: FloatArray, order: str, step: float, rng: np.random.Generator | None
) -> Iterator[Jump]:
    """Look at every row before each update and pick one of the mistakes."""
    chooser = checks.generator(rng, "order='random'") if order == "random" else None
    for number in count(1):
        scores = Z @ weights
        wrong = np.flatnonzero(~(scores > 0))
        if not wrong.size:
            return
        row = int(chooser.choice(wrong) if chooser else wrong[np.argmin(scores[wrong])])
        weights = weights + step * Z[row]
        yield Jump(number, [row], [number * len(Z)], weights)


def _passes(order: Order, n: int, rng: np.random.Generator | None) -> Iterator[IntArray | None]:
    """Return the rows of each pass, for ever; None stands for the rows as they are."""
    if isinstance(order, str):
        if order == "cyclic":
            return repeat(None)
        chooser = checks.generator(rng, "order='shuffled'")
        return (chooser.permutation(n) for _ in repeat(None))
    rows = _row_numbers(order, n)
    beyond = rows[(rows < 0) | (rows >= n)]
    if beyond.size:
        raise ValueError(f"order: row {beyond[0]} does not exist; rows run from 0 to {n - 1}.")
    missing = np.setdiff1d(np.arange(n), rows)
    if missing.size:
        raise ValueError(
            f"order: never visits row {missing[0]}, so a clean pass would prove nothing; add it."
        )
    return repeat(rows)


def _row_numbers(order: Sequence[int] | IntArray, n: int) -> IntArray:
    try:
        rows = np.asarray(order)
    except ValueError:
        rows = np.zeros((0, 0))
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        got = " ".join(repr(order).split())[:60]
        raise TypeError(
            f"order: expected a name or a sequence of row numbers, got {got}; "
            f"use 'cyclic', 'shuffled', 'random', 'worst' or range({n})."
        )
    return rows.astype(np.int64)


def pla(
    X: ArrayLike,
    y: ArrayLike,
    *,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    bias: bool = True,
    max_updates: int = 10_000,
    rng: np.random.Generator | None = None,
) -> Run:
    """Learn by correcting one mistake at a time, until a clean pass or ``max_updates``.

    See :func:`corrections` for ``order``. If ``converged``, every score ``Z @ weights`` is
    positive.

    >>> run = pla([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> run.weights, run.updates, run.passes, run.converged
    (array([-4.,  3.,  2.]), 18, 9, True)
    """
    rows = Rows.of(X, y, bias=bias)
    max_updates = checks.count(max_updates, "max_updates")
    return run_on(rows, order, start, step, bias, rng, max_updates=max_updates)


def pla_rows(
    Z: ArrayLike,
    *,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    max_updates: int = 10_000,
    rng: np.random.Generator | None = None,
) -> Run:
    """Run :func:`pla` on rows that are signed already: find weights with ``Z @ weights > 0``.

    >>> pla_rows([[1, 2], [-1, 0]]).weights
    array([-1.,  2.])
    """
    rows = Rows(checks.points(Z, "Z"))
    max_updates = checks.count(max_updates, "max_updates")
    return run_on(rows, order, start, step, True, rng, max_updates=max_updates)


def run_on(
    rows: Rows,
    order: Order,
    start: ArrayLike | None,
    step: float,
    bias: bool,
    rng: np.random.Generator | None,
    *,
    max_updates: float = np.inf,
    max_visits: float = np.inf,
) -> Run:
    """Follow the corrections until they end or the next one would exceed a budget."""
    first, step = _begin(rows.width, start, step)
    weights, passes, converged = first, 0, True
    mistakes, visits = array("q"), array("q")
    for jump in _jumps(rows, first, order, step, rng):
        found, times = jump.rows, jump.visits
        if len(mistakes) + len(found) > max_updates or times[-1] > max_visits:
            allowed = int(min(max_updates - len(mistakes), bisect_right(times, max_visits)))
            found, times, converged = found[:allowed], times[:allowed], False
        passes = jump.number_of_pass if found else passes
        weights = jump.weights if converged else moved(weights, rows.take(found), step)
        mistakes.extend(found)
        visits.extend(times)
        if not converged:
            break
    return Run(
        weights=weights,
        converged=converged,
        passes=passes + converged,
        rows=rows,
        start=first,
        step=step,
        bias=bias,
        mistakes=np.array(mistakes, dtype=np.int64),
        visits=np.array(visits, dtype=np.int64),
    )


def _begin(width: int, start: ArrayLike | None, step: float) -> tuple[FloatArray, float]:
    first = np.zeros(width) if start is None else checks.vector(start, "start", width)
    return checks.frozen(first), checks.positive(step, "step")


def pocket(
    X: ArrayLike,
    y: ArrayLike,
    *,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    bias: bool = True,
    max_updates: int = 1_000,
    rng: np.random.Generator | None = None,
) -> PocketRun:
    """Run :func:`pla` and keep the weights with the fewest errors, the earliest of equals.

    >>> run = pocket([[0], [1], [2], [3]], [-1, 1, -1, 1], max_updates=20)
    >>> run.errors, run.converged
    (1, False)
    >>> run.best_errors
    array([4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    run = pla(
        X, y, order=order, start=start, step=step, bias=bias, max_updates=max_updates, rng=rng
    )
    half = max(run.Z.shape[1] // 2, 1)  # the scores of so many weights are half as large as Z
    errors = np.concatenate([_errors(run.Z, part) for part in _blocks(run.path, half)])
    best = {"weights": run.path[np.argmin(errors)]}
    return PocketRun(**_parts(run) | best, best_errors=np.minimum.accumulate(errors))


def _parts(run: Run) -> dict[str, Any]:
    return {field.name: getattr(run, field.name) for field in fields(run)}


def _blocks(path: FloatArray, size: int) -> Iterator[FloatArray]:
    return (path[at : at + size] for at in range(0, len(path), size))


def _errors(Z: FloatArray, many: FloatArray) -> IntArray:
    return np.asarray(np.count_nonzero(_wrong(Z, many.T), axis=0), dtype=np.int64)


def averaged(
    X: ArrayLike,
    y: ArrayLike,
    *,
    max_passes: int = 10,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    bias: bool = True,
    rng: np.random.Generator | None = None,
) -> AveragedRun:
    """Return the mean of the weights after every visit of ``max_passes`` passes, mistake or not.

    An update at visit t of T is still there in the ``T − t + 1`` means that follow it, so the sum
    over visits is a weighted sum over updates and no visit has to be stored.

    >>> averaged([[1], [-1]], [1, -1], max_passes=1).weights
    array([0.5, 1.5])
    """
    rows = Rows.of(X, y, bias=bias)
    if isinstance(order, str):
        checks.choice(order, "order", VISITING)
    length = len(rows) if isinstance(order, str) else len(_row_numbers(order, len(rows)))
    total = checks.count(max_passes, "max_passes", least=1) * length
    run = run_on(rows, order, start, step, bias, rng, max_visits=total)
    times = (total - run.visits + 1).astype(np.float64)  # how many of the means hold each update
    remaining = np.bincount(run.mistakes, weights=times, minlength=len(rows))
    weights = (total * run.start + run.step * (remaining @ rows.Z)) / total
    clean = run.converged and run.passes <= max_passes
    mean = {"weights": weights, "passes": max_passes, "converged": clean}
    return AveragedRun(**_parts(run) | mean, last=run.weights)


def batch(
    X: ArrayLike,
    y: ArrayLike,
    *,
    start: ArrayLike | None = None,
    step: float = 1.0,
    bias: bool = True,
    max_updates: int = 10_000,
) -> BatchRun:
    """Learn by adding all mistaken rows at once, until there are none or ``max_updates``.

    >>> run = batch([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> run.converged, run.errors
    (True, 0)
    """
    rows = Rows.of(X, y, bias=bias)
    Z = rows.Z
    first, step = _begin(Z.shape[1], start, step)
    budget = checks.count(max_updates, "max_updates")
    weights, mistakes, converged = first, [], False
    for number in range(budget + 1):
        wrong = np.flatnonzero(_wrong(Z, weights))
        converged = wrong.size == 0
        if converged or number == budget:
            break
        weights = weights + step * _total(Z, wrong)
        mistakes.append(wrong)
    return BatchRun(
        weights=weights,
        converged=converged,
        passes=len(mistakes) + converged,
        rows=rows,
        start=first,
        step=step,
        bias=bias,
        mistakes=tuple(mistakes),
    )
