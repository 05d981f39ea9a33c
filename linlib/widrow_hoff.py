"""The least-mean-squares rule (delta rule, Widrow–Hoff): squared loss, one row at a time.

Each visit does ``w ← w + η (y − w · x) x``. That is affine in w, so a whole pass with constant η is
one affine map ``w → A w + b`` of the data alone, and if it contracts, LMS settles at the point
``(I − A)⁻¹ b`` the map leaves where it is. That point is not the least-squares solution, only
within a distance of order η of it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray
from linlib.descent import SCHEDULES, Fit
from linlib.hyperplane import augment

BLOCK = 64


class PassMap(NamedTuple):
    """One pass as an affine map: ``w → A @ w + b``."""

    A: FloatArray
    b: FloatArray

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
        rounding = 16 * len(self.b) * float(np.finfo(np.float64).eps)
        largest = max(float(np.linalg.norm(moves, 2)), rounding)
        return np.asarray(np.linalg.lstsq(moves, self.b, rcond=rounding / largest)[0])


@dataclass(frozen=True, eq=False)
class LMSRun(Fit):
    """``path[p]`` are the weights after p passes; ``converged`` if the last one hardly moved."""

    path: FloatArray
    diverged: bool


def lms(
    X: ArrayLike,
    y: ArrayLike,
    *,
    step: float = 0.01,
    schedule: str = "constant",
    passes: int = 100,
    start: ArrayLike | None = None,
    bias: bool = True,
    tolerance: float = 0.0,
) -> LMSRun:
    """Run the LMS rule over the rows in order, ``passes`` times.

    With ``schedule="1/k"`` the step of pass k is ``step / k``. Stops early once a pass moves the
    weights by no more than ``tolerance``, or once they exceed 10¹⁰⁰ (``diverged``).

    >>> lms([[0], [1]], [-1, 1], step=0.5, passes=1).weights
    array([0.25, 0.75])
    """
    rows, labels = _rows(X, y, bias)
    step = checks.positive(step, "step")
    size = SCHEDULES[checks.choice(schedule, "schedule", list(SCHEDULES))]
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    width = rows.shape[1]
    first = np.zeros(width) if start is None else checks.vector(start, "start", width).copy()
    path, converged, diverged = [first], False, False
    for k in range(1, checks.count(passes, "passes") + 1):
        path.append(_one_pass(rows, labels[:, None], path[-1][:, None], size(step, k))[:, 0])
        converged = float(np.abs(path[-1] - path[-2]).max()) <= tolerance
        diverged = not float(np.abs(path[-1]).max()) < 1e100
        if converged or diverged:
            break
    return LMSRun(path[-1], converged, bias, np.array(path), diverged)


def pass_map(X: ArrayLike, y: ArrayLike, *, step: float, bias: bool = True) -> PassMap:
    """Return the affine map of one constant-step LMS pass.

    >>> A, b = pass_map([[0], [1]], [-1, 1], step=0.5)
    >>> np.allclose(A @ [0, 0] + b, [0.25, 0.75])
    True
    """
    rows, labels = _rows(X, y, bias)
    width = rows.shape[1]
    # The columns of A are the images of the unit vectors when all labels are 0; b that of 0.
    starts = np.column_stack([np.eye(width), np.zeros(width)])
    labels_each = np.column_stack([np.zeros((len(rows), width)), labels])
    images = _one_pass(rows, labels_each, starts, checks.positive(step, "step"))
    return PassMap(images[:, :-1], images[:, -1])


def _rows(X: ArrayLike, y: ArrayLike, bias: bool) -> tuple[FloatArray, FloatArray]:
    rows = augment(X) if bias else checks.points(X)
    return rows, checks.signs(y, len(rows))


def _one_pass(rows: FloatArray, labels: FloatArray, weights: FloatArray, step: float) -> FloatArray:
    """Do one pass for every column of ``weights`` at once, a block of rows at a time.

    Within a block, row i sees the corrections of the rows before it: its error e_i satisfies
    ``e_i + step Σ_{j<i} (x_i · x_j) e_j = y_i − w · x_i``, one triangular system for the block.
    """
    from scipy.linalg import solve_triangular

    with np.errstate(over="ignore", invalid="ignore"):
        for at in range(0, len(rows), BLOCK):
            block = rows[at : at + BLOCK]
            system = np.eye(len(block)) + step * np.tril(block @ block.T, -1)
            errors = solve_triangular(
                system,
                labels[at : at + BLOCK] - block @ weights,
                lower=True,
                unit_diagonal=True,
                check_finite=False,
            )
            weights = weights + step * (block.T @ errors)
    return weights
