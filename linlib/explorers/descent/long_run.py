"""What a descent with constant step comes to in the long run, decided and not guessed.

On the squared loss a step, and a pass over the rows one by one, is an affine map of the weights. It
acts only within the span of the rows: what no row sees stays as it was, and inside the span the
eigenvalues decide, as far as the start has a part in their direction. On the perceptron's and
the hinge loss every slope is a constant or 0: a descent rests where no row pulls, repeats itself,
or has done neither yet. On a kink a rounding would decide the next step, so that these two are
walked in whole numbers where decimals allow.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.descent.gradient import Descent, gradient_descent
from linlib.descent.losses import Loss, Objective, hinge_loss, perceptron_loss, squared_loss

NOTHING = 1e-9  # relative to the rows and weights; places and steps have at most seven decimals
RESTS, SETTLES, DIVERGES, SWINGS = "rests", "settles", "diverges", "swings"
CYCLES, GOES_ON = "cycles", "goes on"
PLACES, STEPS = 4, 3  # decimals of rows and start, and of the step, that are whole numbers below


def span(Z: ArrayLike) -> FloatArray:
    """Return an orthonormal basis of what the rows see, as columns: shape (d, rank).

    >>> span([[1.0, 1.0], [2.0, 2.0]]).shape
    (2, 1)
    """
    rows = checks.points(Z, "Z")
    _, sizes, V = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(V[sizes > NOTHING * max(float(sizes[0]), np.finfo(np.float64).tiny)].T)


def pass_of(Z: FloatArray, step: float, one_by_one: bool) -> tuple[FloatArray, FloatArray]:
    """Return A and b of ``w → A w + b``: one step over all rows, or one pass over them in order."""
    d = Z.shape[1]
    A, b = np.eye(d), np.zeros(d)
    for rows in Z[:, None] if one_by_one else Z[None]:
        turn = np.eye(d) - step * rows.T @ rows
        A, b = turn @ A, turn @ b + step * rows.sum(axis=0)
    return A, b


def _largest(A: FloatArray, part: FloatArray, counts: Callable[[NDArray[Any]], Any]) -> float:
    """Return the eigenvalue of largest size in whose direction ``part`` is more than ``counts``.

    A pair of complex eigenvalues turns what is there: then its size, without a sign. 0 for none.
    """
    values, vectors = np.linalg.eig(A)
    if not np.any(values.imag):  # NumPy 2.5 makes all of them complex
        values, vectors = values.real, vectors.real
    if not len(values):
        return 0.0
    if np.iscomplexobj(values) or np.linalg.cond(vectors) > 1e6:
        largest = float(np.abs(values).max())
        return largest if np.abs(part).max() > counts(np.array(-largest)) else 0.0
    seen = values[np.abs(np.linalg.solve(vectors, part)) > counts(values)]
    return float(seen[np.argmax(np.abs(seen))]) if len(seen) else 0.0


def runaway(A: FloatArray, b: FloatArray, start: FloatArray) -> float:
    """Return the largest eigenvalue above 1 in whose direction the first pass moves, 0 for none.

    Moves are multiplied by A, so that no resting place is needed: where A is huge it would be
    rounding. An error e in a direction moves by (λ − 1) e, and e counts beside the start.
    """
    size = NOTHING * max(1.0, float(np.abs(start).max(initial=0.0)))
    found = _largest(A, A @ start + b - start, lambda values: size * np.abs(values - 1))
    return found if abs(found) > 1 + NOTHING else 0.0


def growth(A: FloatArray, error: FloatArray, size: float) -> float:
    """Return the eigenvalue of largest size in whose direction there is an error, 0 for none."""
    return _largest(A, error, lambda _: NOTHING * size)


@dataclass(frozen=True, eq=False)
class LongRun:
    """What becomes of a descent.

    ``kind`` is "rests" (no step changes the weights any more), "settles" (they tend to ``rest``),
    "diverges", "swings" (the error neither shrinks nor grows), "cycles" (the weights repeat every
    ``period`` steps), or "goes on" (none of these within the steps made).

    ``factor`` is what a step, or a pass over the rows, multiplies the error by in the long run,
    with its sign where the map has real eigenvalues; ``rank`` is the dimension of the rows' span.
    ``pulled`` tells of a descent that rests whether rows pull and cancel, or none pulls.
    """

    kind: str
    rest: FloatArray | None = None
    factor: float = np.nan
    period: int = 0
    rank: int = 0
    pulled: bool = False


def long_run_of(target: Objective, run: Descent, *, step: float, one_by_one: bool) -> LongRun:
    """Return what the descent ``run`` on ``target`` comes to if it goes on for ever."""
    step = checks.positive(step, "step")
    if target.loss is not squared_loss or target.penalty:
        return _piecewise(target, run, one_by_one)
    return _affine(target.Z, run.path[0], step, one_by_one)


def exact_descent(
    target: Objective, *, step: float, start: ArrayLike, order: str, max_updates: int
) -> tuple[Descent, LongRun] | None:
    """Return the descent on a loss with kinks as decimals have it, and what it comes to.

    Rows and start have at most four decimals, the step three; in units of the last one every weight
    and score is a whole number that floats hold exactly. None for another loss, for more decimals,
    and where the numbers grow too large.

    >>> from linlib.descent.losses import objective
    >>> target = objective([[0.0], [-4.0]], [-1, -1], hinge_loss)
    >>> way = {"step": 0.1, "start": [0.5, 1.0], "order": "all", "max_updates": 99}
    >>> run, found = exact_descent(target, **way)
    >>> run.updates, run.weights, gradient_descent(target, **way).updates  # −0.1 fifteen times
    (15, array([-1.,  1.]), 16)
    """
    first = checks.vector(start, "start", target.Z.shape[1])
    rows, small = np.rint(target.Z * 10.0**PLACES), np.rint(step * 10.0**STEPS)
    unit = 10.0 ** (PLACES + STEPS)
    begin = np.rint(first * 10.0**PLACES) * 10.0**STEPS
    known = target.loss in (hinge_loss, perceptron_loss) and not (target.penalty or target.average)
    if not known or not small or not _alike(rows, target.Z * 10.0**PLACES):
        return None
    if not (_alike(begin, first * unit) and _alike(small, step * 10.0**STEPS)):
        return None
    level = 10.0**PLACES * unit if target.loss is hinge_loss else 0.0
    whole = Objective(rows, _with_kink(target.loss, level), bias=target.bias)
    run = gradient_descent(
        whole, step=float(small), start=begin, order=order, max_updates=max_updates
    )
    if float((np.abs(run.path) @ np.abs(rows).T).max()) + level >= 2.0**53:
        return None
    found = long_run_of(whole, run, step=float(small), one_by_one=order == "cyclic")
    rest = None if found.rest is None else found.rest / unit
    values = run.values / (10.0**PLACES * unit)
    run = replace(run, weights=run.weights / unit, path=run.path / unit, values=values)
    return run, replace(found, rest=rest)


def _alike(a: ArrayLike, b: ArrayLike) -> bool:
    """Tell whether numbers differ by no more than the rounding of decimals."""
    return bool(np.allclose(a, b, rtol=1e-12, atol=1e-6))


def _with_kink(loss: Loss, level: float) -> Loss:
    """Return the loss with its kink at another level than 1; the perceptron's stays at 0."""
    if loss is perceptron_loss:
        return loss
    return Loss(
        "hinge", lambda s: np.maximum(0.0, level - s), lambda s: np.where(s < level, -1.0, 0.0)
    )


def _affine(Z: FloatArray, start: FloatArray, step: float, one_by_one: bool) -> LongRun:
    """Look at the map in the span of the rows, where alone it does something."""
    U = span(Z) if Z.any() else np.zeros((Z.shape[1], 0))
    rank = U.shape[1]
    unseen = start - U @ (U.T @ start)
    A, b = (U.T @ part for part in pass_of(Z, step, one_by_one))
    A = A @ U
    seen = U.T @ start
    if factor := runaway(A, b, seen):
        return LongRun(DIVERGES, factor=factor, rank=rank)
    moves = np.eye(rank) - A
    size = max(1.0, float(np.abs(A).max(initial=0.0)))
    if rank and np.linalg.svd(moves, compute_uv=False)[-1] <= NOTHING * size:
        return LongRun(SWINGS, factor=1.0, rank=rank)  # a pass whose steps undo each other
    if one_by_one:
        rest = np.linalg.solve(moves, b) if rank else np.zeros(0)
    else:  # the least-squares weights, and more exactly so than by the map
        rest = np.linalg.lstsq(Z @ U, np.ones(len(Z)), rcond=None)[0]
    error = seen - rest
    factor = growth(A, error, size * max(1.0, float(np.abs(rest).max(initial=0.0))))
    place = unseen + U @ rest
    if factor == 0 and not np.abs(error).max(initial=0.0) > NOTHING * size:
        return LongRun(RESTS, rest=place, factor=0.0, rank=rank)
    if abs(factor) < 1 - NOTHING:
        return LongRun(SETTLES, rest=place, factor=factor, rank=rank)
    kind = DIVERGES if abs(factor) > 1 + NOTHING else SWINGS
    return LongRun(kind, rest=place, factor=factor, rank=rank)


def _piecewise(target: Objective, run: Descent, one_by_one: bool) -> LongRun:
    rank = span(target.Z).shape[1] if target.Z.any() else 0
    weights = run.path[-1]
    if one_by_one:
        pulls = [target.gradient(weights, row) for row in range(len(target.Z))]
        still = not np.any(pulls)
    else:
        pull = float(np.abs(target.gradient(weights)).max())
        still = pull <= NOTHING * float(np.abs(target.Z).max())
    if still:
        pulled = bool(np.any(target.loss.slope(target.Z @ weights)))
        return LongRun(RESTS, rest=weights, factor=0.0, rank=rank, pulled=pulled)
    period = _period(run.path, len(target.Z) if one_by_one else 1)
    return LongRun(CYCLES if period else GOES_ON, period=period, rank=rank)


def _period(path: FloatArray, turn: int) -> int:
    """Return after how many steps the end of a path repeats itself, 0 if it does not.

    Rows come in turn, so a period is a multiple of ``turn``; all of it must have been made twice.
    """
    size = NOTHING * max(float(np.abs(path).max()), 1.0)
    for period in range(turn, (len(path) - 1) // 2 + 1, turn):
        late, early = path[-period:], path[-2 * period : -period]
        if np.abs(late - early).max() <= size:
            return period
    return 0
