"""The least-mean-squares rule (delta rule, Widrow–Hoff, Adaline): one row at a time.

Each visit does ``w ← w + η (y − w · x) x``. That is affine in w, so a whole pass with constant η is
one affine map ``w → A w + b`` of the data alone, and if it contracts, LMS settles at the point
``(I − A)⁻¹ b`` the map leaves where it is. That point is not the least-squares solution, only
within a distance of order η of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base import frozen as shown
from linlib.base.checks import EPS, FloatArray
from linlib.base.frozen import frozen, number
from linlib.base.results import Fit
from linlib.base.rows import augment, blocks, errors
from linlib.perceptron.runs import SCHEDULES

BLOCK = 64  # rows of one triangular system


class PassMap(NamedTuple):
    """One pass as an affine map: ``w → A @ w + b``."""

    A: FloatArray
    b: FloatArray

    @classmethod
    def of(cls, A: FloatArray, b: FloatArray) -> PassMap:
        """Return the map with its arrays frozen."""
        return cls(frozen(A), frozen(b))

    def __reduce__(self) -> tuple[Any, ...]:
        return PassMap.of, tuple(self)

    def _facts(self) -> Mapping[str, str]:
        return {"entries": str(len(self.b)), "contraction": number(self.contraction)}

    def __repr__(self) -> str:
        return shown.text("PassMap", self._facts())

    def _repr_html_(self) -> str:
        return shown.html("PassMap", self._facts())

    @property
    def contraction(self) -> float:
        """The largest absolute eigenvalue of A: below 1, passes settle; above, they blow up.

        It is 1 where features depend on each other: what no row sees stays as it was.
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


def one_pass(
    rows: FloatArray,
    labels: FloatArray,
    weights: FloatArray,
    step: float,
    kept: dict[int, FloatArray] | None,
) -> FloatArray:
    """Return the weights after a pass, a block of rows at a time.

    Within a block, row i sees the corrections of the rows before it: its error e_i satisfies
    ``e_i + step Σ_{j<i} (x_i · x_j) e_j = y_i − w · x_i``, one triangular system for the block.
    Systems already in ``kept`` are used again, others put there (not for None).
    """
    from scipy.linalg.blas import dtpsv
    from scipy.linalg.lapack import dtrttp

    for part in blocks(len(rows), BLOCK):
        block = rows[part]
        system = None if kept is None else kept.get(part.start)
        if system is None:
            system, _ = dtrttp(_system(block, step), uplo="L")  # half of it, column by column
            if kept is not None:
                kept[part.start] = system
        errors = labels[part] - block.dot(weights)
        errors = dtpsv(len(block), system, errors, lower=1, diag=1, overwrite_x=1)
        weights = weights + block.T.dot(step * errors)
    return weights


def _system(block: FloatArray, step: float) -> FloatArray:
    """Return the matrix of a block's system: what is below its diagonal, on which there are 1s."""
    from scipy.linalg.blas import dsyrk

    return np.asarray(dsyrk(step, block.T, trans=1, lower=1))


def map_of_pass(rows: FloatArray, labels: FloatArray, step: float) -> PassMap:
    """Do one pass for every unit vector with all labels 0, and for 0 with the labels as they are.

    The images of the former are the columns of A, that of 0 is b.
    """
    from scipy.linalg.blas import dtrsm

    width = rows.shape[1]
    weights = np.eye(width, width + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        for part in blocks(len(rows), BLOCK):
            block = rows[part]
            errors = -weights.T.dot(block.T)
            errors[-1] += labels[part]
            system = _system(block, step)
            errors = dtrsm(1.0, system, errors.T, lower=1, diag=1, overwrite_b=1)
            weights = weights + step * block.T.dot(errors)
    return PassMap.of(weights[:, :-1], weights[:, -1])


# The map of a pass costs about as much as MANY passes; a start may rest before the first FEW.
FEW, MANY = 3, 8


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LMSRun(Fit):
    """``path[p]`` are the weights after p passes; ``converged`` if the last one hardly moved."""

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

    With ``schedule="1/k"`` the step of pass k is ``step / k``. Stops early once a pass moves the
    weights by no more than ``tolerance``, or once they exceed 10¹⁰⁰ (``diverged``).

    >>> lms([[0], [1]], [-1, 1], step=0.5, max_passes=1).weights
    array([0.25, 0.75])
    """
    rows, labels = _rows(X, y, bias)
    step = checks.positive(step, "step")
    size = SCHEDULES[checks.choice(schedule, "schedule", list(SCHEDULES))](step)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    width = rows.shape[1]
    first = np.zeros(width) if start is None else checks.vector(start, "start", width).copy()
    budget = checks.count(max_passes, "max_passes")
    path, converged, diverged, known = [first], False, False, None
    # Half systems are kept for the next pass where they take less memory than the rows.
    kept: dict[int, FloatArray] | None = None
    if schedule == "constant" and budget > 1 and 1.8 * width > BLOCK:
        kept = {}
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, budget + 1):
            if k == FEW and budget > MANY and schedule == "constant":
                kept, known = None, map_of_pass(rows, labels, step)
            if known is not None and np.isfinite(known.A).all():
                path.append(known.A.dot(path[-1]) + known.b)
            else:
                path.append(one_pass(rows, labels, path[-1], size(k), kept))
            converged = float(np.abs(path[-1] - path[-2]).max()) <= tolerance
            diverged = not float(np.abs(path[-1]).max()) < 1e100
            if converged or diverged:
                break
    status = f"Stopped: max_passes={budget} were made. Raise it, or give a tolerance to stop by."
    if converged:
        status = f"Converged: pass {len(path) - 1} moved no weight by more than {tolerance:g}."
    if diverged:
        status = f"Diverged: in pass {len(path) - 1} a weight passed 1e100. Take a smaller step."
    return LMSRun(
        weights=path[-1],
        converged=converged,
        status=status,
        bias=bias,
        path=np.array(path),
        diverged=diverged,
        _wrong=errors(rows[:, int(bias) :], labels, path[-1], bias=bias),
    )


def pass_map(X: ArrayLike, y: ArrayLike, *, step: float, bias: bool = True) -> PassMap:
    """Return the affine map of one constant-step LMS pass.

    >>> A, b = pass_map([[0], [1]], [-1, 1], step=0.5)
    >>> np.allclose(A @ [0, 0] + b, [0.25, 0.75])
    True
    """
    rows, labels = _rows(X, y, bias)
    return map_of_pass(rows, labels, checks.positive(step, "step"))


def _rows(X: ArrayLike, y: ArrayLike, bias: bool) -> tuple[FloatArray, FloatArray]:
    rows = augment(X) if checks.flag(bias, "bias") else checks.points(X)
    return rows, checks.signs(y, len(rows))
