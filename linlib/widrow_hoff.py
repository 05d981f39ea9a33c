"""The least-mean-squares rule (delta rule, Widrow–Hoff): squared loss, one row at a time.

Each visit does ``w ← w + η (y − w · x) x``. That is affine in w, so a whole pass with constant η is
one affine map ``w → A w + b`` of the data alone, and if it contracts, LMS settles at the point
``(I − A)⁻¹ b`` the map leaves where it is. That point is not the least-squares solution, only
within a distance of order η of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray
from linlib.loop import SCHEDULES
from linlib.passes import BLOCK, PassMap, map_of_pass, one_pass
from linlib.results import Fit
from linlib.rows import augment, errors

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
