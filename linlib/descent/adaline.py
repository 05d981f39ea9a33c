"""The least-mean-squares rule (delta rule, Widrow–Hoff, Adaline) of lecture 06: one row at a time.

Each visit does ``w ← w + η (y − w · x) x``. That is affine in w, so a whole pass with constant η is
one affine map ``w → A w + b`` that depends on the data alone. If the map contracts, LMS settles at
its fixed point ``(I − A)⁻¹ b``, which is not the least-squares solution: the distance between the
two is of the order of η.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray
from linlib.base.frozen import Frozen, number
from linlib.base.hyperplane import Fit
from linlib.base.rows import augment, errors
from linlib.perceptron.runs import step_sizes


def one_pass(rows: FloatArray, labels: FloatArray, weights: FloatArray, step: float) -> FloatArray:
    """Return the weights after a visit to every row in order: ``w ← w + η (y − w · x) x``."""
    for x, y in zip(rows, labels, strict=True):
        weights = weights + step * (y - x.dot(weights)) * x
    return weights


@dataclass(frozen=True, eq=False, repr=False)
class PassMap(Frozen):
    """One pass as an affine map: ``w → A @ w + b``, with ``A, b = pass_map(...)``."""

    A: FloatArray
    b: FloatArray

    def __iter__(self) -> Iterator[FloatArray]:
        return iter((self.A, self.b))

    def _facts(self) -> Mapping[str, str]:
        return {"entries": str(len(self.b)), "contraction": number(self.contraction)}

    @property
    def contraction(self) -> float:
        """The largest absolute eigenvalue of A: below 1 the passes settle, above 1 they blow up.

        It is 1 where features depend on each other: a direction that no row sees stays as it was.
        """
        if not np.isfinite(self.A).all():
            return np.inf
        return float(np.abs(np.linalg.eigvals(self.A)).max())

    @property
    def resting_point(self) -> FloatArray:
        """The weights that a pass leaves unchanged, the shortest if there are many."""
        if not np.isfinite(self.A).all():
            raise ValueError("step: one pass overflows, so nothing rests; choose a smaller step.")
        moves = np.eye(len(self.b)) - self.A
        # A was rounded at the size of 1, so what is smaller than that rounding in I − A is nothing.
        rounding = 16 * len(self.b) * EPS
        largest = max(float(np.linalg.norm(moves, 2)), rounding)
        return np.asarray(np.linalg.lstsq(moves, self.b, rcond=rounding / largest)[0])


def _map_of(rows: FloatArray, labels: FloatArray, step: float) -> PassMap:
    """Return A, the product of one factor ``I − η x xᵀ`` a row, and b, where a pass takes 0."""
    A = np.eye(rows.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        for x in rows:
            A -= np.multiply.outer(step * x, x.dot(A))
        return PassMap(A, one_pass(rows, labels, np.zeros(len(A)), step))


MANY = 8  # passes: for more than these it is cheaper to find the map of a pass and apply it


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LMSRun(Fit):
    """``path[p]`` are the weights after p passes; ``diverged`` says whether they blew up."""

    path: FloatArray
    diverged: bool

    @property
    def passes(self) -> int:
        """How many passes were made."""
        return len(self.path) - 1


def lms(
    X: ArrayLike,
    y: ArrayLike,
    *,
    step: float = 0.01,
    schedule: str = "constant",
    max_passes: int = 100,
    start: ArrayLike | None = None,
    bias: bool = True,
    tolerance: float = 0.0,
) -> LMSRun:
    """Run the LMS rule over the rows in order, at most ``max_passes`` times.

    With ``schedule="1/k"`` the step of pass k is ``step / k``. It has converged once a pass moves
    no weight by more than ``tolerance``, and diverged once a weight exceeds 10¹⁰⁰. The rule is that
    of scikit-learn's ``SGDRegressor(penalty=None, shuffle=False)``.

    >>> lms([[0], [1]], [-1, 1], step=0.5, max_passes=1).weights
    array([0.25, 0.75])
    """
    rows, labels = _rows(X, y, bias)
    size = step_sizes(step, schedule)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    width = rows.shape[1]
    first = np.zeros(width) if start is None else checks.vector(start, "start", width).copy()
    budget = checks.count(max_passes, "max_passes")
    path, converged, diverged, known = [first], False, False, None
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, budget + 1):
            if k == 2 and budget > MANY and schedule == "constant":
                known = _map_of(rows, labels, step)
            if known is not None and np.isfinite(known.A).all():
                path.append(known.A @ path[-1] + known.b)
            else:
                path.append(one_pass(rows, labels, path[-1], size(k)))
            converged = float(np.abs(path[-1] - path[-2]).max()) <= tolerance
            diverged = not float(np.abs(path[-1]).max()) < 1e100
            if converged or diverged:
                break
        agreement = labels * (rows @ path[-1])
    status = f"Stopped after max_passes={budget} passes. Raise max_passes, or pass a tolerance."
    if converged:
        status = f"Converged: pass {len(path) - 1} moved no weight by more than {tolerance:g}."
    if diverged:
        status = f"Diverged: in pass {len(path) - 1} a weight exceeded 1e100. Take a smaller step."
    return LMSRun(
        weights=path[-1],
        converged=converged,
        status=status,
        bias=bias,
        path=np.array(path),
        diverged=diverged,
        errors=errors(agreement),
    )


def pass_map(X: ArrayLike, y: ArrayLike, *, step: float, bias: bool = True) -> PassMap:
    """Return the affine map of one constant-step LMS pass.

    >>> A, b = pass_map([[0], [1]], [-1, 1], step=0.5)
    >>> np.allclose(A @ [0, 0] + b, [0.25, 0.75])
    True
    """
    rows, labels = _rows(X, y, bias)
    return _map_of(rows, labels, checks.positive(step, "step"))


def _rows(X: ArrayLike, y: ArrayLike, bias: bool) -> tuple[FloatArray, FloatArray]:
    rows = augment(X) if checks.flag(bias, "bias") else checks.points(X)
    return rows, checks.signs(y, len(rows))
