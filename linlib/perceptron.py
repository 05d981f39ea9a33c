"""The perceptron learning algorithm and its relatives, as readers of one stream of corrections.

All of them work on signed rows ``z_i = y_i (1, x_i)``. Row i is a mistake while
``z_i · weights <= 0`` (a score of exactly 0 is a mistake: from ``weights = 0`` nothing is ever
below 0), and a mistake is answered by ``weights + step * z_i``. :func:`corrections` is that loop;
:func:`pla` keeps its last weights, :func:`pocket` its best, :func:`averaged` the mean over all
visits. :func:`batch` answers all mistakes of a pass at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import count, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.hyperplane import Hyperplane, signed_rows

Order = str | Sequence[int] | IntArray
VISITING = ("cyclic", "shuffled")
PICKING = ("random", "worst")
SMALL, LARGE = 16, 4096


class Correction(NamedTuple):
    """One update: the pass and the visit it happened at, the row, and the weights after it."""

    number_of_pass: int
    visit: int
    row: int
    weights: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """What every learner on signed rows returns.

    ``converged`` says whether a whole pass was clean; ``passes`` counts passes over the data, the
    clean one included.
    """

    weights: FloatArray
    converged: bool
    passes: int
    Z: FloatArray
    start: FloatArray
    step: float
    bias: bool

    def __post_init__(self) -> None:
        checks.lock(self)

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
            path.append(path[-1] + self.step * self.Z[rows].sum(axis=0))
        return checks.frozen(np.array(path))


def _wrong(Z: FloatArray, weights: FloatArray) -> NDArray[np.bool_]:
    # "not above 0" rather than "<= 0": a NaN from overflowing weights must never look right.
    return np.asarray(~(Z @ weights > 0))


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
    if isinstance(order, str):
        checks.choice(order, "order", VISITING + PICKING)
        if order in PICKING:
            return _pick(Z, weights, order, step, rng)
    return _visit(Z, weights, _passes(order, len(Z), rng), step)


def _visit(
    Z: FloatArray, weights: FloatArray, passes: Iterator[IntArray | None], step: float
) -> Iterator[Correction]:
    """Visit rows in order, pass after pass, until a pass is clean.

    Between two mistakes the weights stand still, so a block of rows can be scored at once: the
    first wrong row of the block is the textbook loop's next mistake. Blocks grow while all is well.
    """
    seen = 0
    for number, rows in enumerate(passes, start=1):
        ordered = Z if rows is None else Z[rows]
        at, size, clean = 0, SMALL, True
        while at < len(ordered):
            wrong = _wrong(ordered[at : at + size], weights)
            first = int(wrong.argmax())
            if not wrong[first]:
                at, size = at + len(wrong), min(2 * size, LARGE)
                continue
            row = at + first
            at, size, clean = row + 1, SMALL, False
            weights = weights + step * ordered[row]
            yield Correction(number, seen + at, row if rows is None else int(rows[row]), weights)
        seen += len(ordered)
        if clean:
            # One product over all rows is what callers will check, and it may round otherwise
            # than the blocks did: a row it calls wrong is corrected like any other.
            left = np.flatnonzero(_wrong(Z, weights))
            if not left.size:
                return
            weights = weights + step * Z[left[0]]
            yield Correction(number, seen, int(left[0]), weights)


def _pick(
    Z: FloatArray, weights: FloatArray, order: str, step: float, rng: np.random.Generator | None
) -> Iterator[Correction]:
    """Look at every row before each update and pick one of the mistakes."""
    chooser = checks.generator(rng, "order='random'") if order == "random" else None
    for number in count(1):
        wrong = np.flatnonzero(_wrong(Z, weights))
        if not wrong.size:
            return
        row = int(chooser.choice(wrong) if chooser else wrong[np.argmin(Z[wrong] @ weights)])
        weights = weights + step * Z[row]
        yield Correction(number, number * len(Z), row, weights)


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
    Z = signed_rows(X, y, bias=bias)
    max_updates = checks.count(max_updates, "max_updates")
    return _run(Z, order, start, step, bias, rng, max_updates=max_updates)


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
    rows = checks.points(Z, "Z")
    max_updates = checks.count(max_updates, "max_updates")
    return _run(rows, order, start, step, True, rng, max_updates=max_updates)


def _run(
    Z: FloatArray,
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
    first, step = _begin(Z, start, step)
    weights, passes, converged = first, 0, True
    mistakes: list[int] = []
    visits: list[int] = []
    for correction in corrections(Z, first, order=order, step=step, rng=rng):
        if len(mistakes) >= max_updates or correction.visit > max_visits:
            converged = False
            break
        passes, visit, row, weights = correction
        mistakes.append(row)
        visits.append(visit)
    return Run(
        weights=weights,
        converged=converged,
        passes=passes + converged,
        Z=Z,
        start=first,
        step=step,
        bias=bias,
        mistakes=np.array(mistakes, dtype=np.int64),
        visits=np.array(visits, dtype=np.int64),
    )


def _begin(Z: FloatArray, start: ArrayLike | None, step: float) -> tuple[FloatArray, float]:
    first = np.zeros(Z.shape[1]) if start is None else checks.vector(start, "start", Z.shape[1])
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
    errors = np.concatenate([_errors(run.Z, part) for part in _blocks(run.path)])
    best = {"weights": run.path[np.argmin(errors)]}
    return PocketRun(**_parts(run) | best, best_errors=np.minimum.accumulate(errors))


def _parts(run: Run) -> dict[str, Any]:
    return {field.name: getattr(run, field.name) for field in fields(run)}


def _blocks(path: FloatArray, size: int = 64) -> Iterator[FloatArray]:
    return (path[at : at + size] for at in range(0, len(path), size))


def _errors(Z: FloatArray, many: FloatArray) -> IntArray:
    return np.asarray(np.count_nonzero(_wrong(Z, many.T), axis=0), dtype=np.int64)


def averaged(
    X: ArrayLike,
    y: ArrayLike,
    *,
    passes: int = 10,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    bias: bool = True,
    rng: np.random.Generator | None = None,
) -> AveragedRun:
    """Return the mean of the weights after every visit of ``passes`` passes, mistake or not.

    An update at visit t of T is still there in the ``T − t + 1`` means that follow it, so the sum
    over visits is a weighted sum over updates and no visit has to be stored.

    >>> averaged([[1], [-1]], [1, -1], passes=1).weights
    array([0.5, 1.5])
    """
    Z = signed_rows(X, y, bias=bias)
    if isinstance(order, str):
        checks.choice(order, "order", VISITING)
    length = len(Z) if isinstance(order, str) else len(_row_numbers(order, len(Z)))
    total = checks.count(passes, "passes", least=1) * length
    run = _run(Z, order, start, step, bias, rng, max_visits=total)
    remaining = (total - run.visits + 1).astype(np.float64)
    weights = (total * run.start + run.step * (remaining @ Z[run.mistakes])) / total
    clean = run.converged and run.passes <= passes
    mean = {"weights": weights, "passes": passes, "converged": clean}
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
    Z = signed_rows(X, y, bias=bias)
    first, step = _begin(Z, start, step)
    budget = checks.count(max_updates, "max_updates")
    weights, mistakes, converged = first, [], False
    for number in range(budget + 1):
        rows = np.flatnonzero(_wrong(Z, weights))
        converged = rows.size == 0
        if converged or number == budget:
            break
        weights = weights + step * Z[rows].sum(axis=0)
        mistakes.append(rows)
    return BatchRun(
        weights=weights,
        converged=converged,
        passes=len(mistakes) + converged,
        Z=Z,
        start=first,
        step=step,
        bias=bias,
        mistakes=tuple(mistakes),
    )
