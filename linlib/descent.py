"""Walking downhill: gradient descent, least squares in closed form, and LMS one row at a time.

An :class:`Objective` is a loss over signed rows, plus ``lam/2 ‖w‖²`` with the offset left free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray
from linlib.hyperplane import Hyperplane, augment, signed_rows
from linlib.losses import Loss, hinge_loss

SCHEDULES: dict[str, Callable[[float, int], float]] = {
    "constant": lambda step, k: step,
    "1/k": lambda step, k: step / k,
}


@dataclass(frozen=True, eq=False)
class Fit:
    """Weights found by minimising something; ``converged`` says whether the minimum was reached."""

    weights: FloatArray
    converged: bool
    bias: bool

    def __post_init__(self) -> None:
        checks.lock(self)

    @property
    def hyperplane(self) -> Hyperplane:
        """The boundary of ``weights``."""
        return Hyperplane.from_weights(self.weights, bias=self.bias)


@dataclass(frozen=True, eq=False)
class Objective:
    """``Σ loss`` (or the mean, with ``average``) plus ``lam/2 ‖w‖²``, as a function of weights."""

    Z: FloatArray
    loss: Loss
    lam: float = 0.0
    average: bool = False
    bias: bool = True

    @property
    def _share(self) -> float:
        return 1.0 / len(self.Z) if self.average else 1.0

    def _penalised(self, weights: ArrayLike) -> FloatArray:
        free = np.array(weights, dtype=np.float64)
        if self.bias:
            free[0] = 0.0
        return free

    def value(self, weights: ArrayLike) -> float:
        """Return the objective at ``weights``."""
        penalty = 0.5 * self.lam * float((self._penalised(weights) ** 2).sum())
        return self._share * float(self.loss.of(self.Z @ np.asarray(weights)).sum()) + penalty

    def gradient(self, weights: ArrayLike, row: int | None = None) -> FloatArray:
        """Return the gradient, or one row's part of it (the parts' sum or mean is the whole)."""
        if row is None:
            slopes = self._share * (self.loss.slope(self.Z @ np.asarray(weights)) @ self.Z)
            return np.asarray(slopes + self.lam * self._penalised(weights))
        z = self.Z[row]
        part = 1.0 if self.average else 1.0 / len(self.Z)
        return np.asarray(
            self.loss.slope(z @ np.asarray(weights)) * z
            + part * self.lam * self._penalised(weights)
        )


def objective(
    X: ArrayLike,
    y: ArrayLike,
    loss: Loss,
    *,
    lam: float = 0.0,
    average: bool = False,
    bias: bool = True,
) -> Objective:
    """Return the loss of a sample as an objective to descend on.

    >>> from linlib.losses import squared_loss
    >>> objective([[0], [1]], [-1, 1], squared_loss).value(np.zeros(2))
    1.0
    """
    if not isinstance(loss, Loss):
        raise TypeError(
            f"loss: expected a Loss, got {loss!r}; pass linlib.hinge_loss or another of the four."
        )
    lam = checks.positive(lam, "lam", zero=True)
    return Objective(signed_rows(X, y, bias=bias), loss, lam, average, bias)


def hinge_objective(X: ArrayLike, y: ArrayLike, lam: float, *, bias: bool = True) -> Objective:
    """Return mean hinge loss plus ``lam/2 ‖w‖²``, the objective of the margin lecture."""
    return objective(X, y, hinge_loss, lam=lam, average=True, bias=bias)


@dataclass(frozen=True, eq=False)
class Descent(Fit):
    """A descent: ``path[k]`` and ``values[k]`` after k steps; ``diverged`` if it blew up."""

    path: FloatArray
    values: FloatArray
    diverged: bool

    @property
    def best(self) -> FloatArray:
        """The weights with the lowest value on the path."""
        return np.asarray(self.path[np.argmin(self.values)])


def gradient_descent(
    target: Objective,
    *,
    step: float,
    steps: int = 100,
    start: ArrayLike | None = None,
    schedule: str = "constant",
    pick: str = "all",
    tolerance: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Descent:
    """Descend by ``step · gradient``, at most ``steps`` times.

    ``pick`` chooses the rows of each step: "all", "cyclic" (one after the other) or "random" (one
    at random). It has converged when a step over all rows is no longer than ``tolerance``, and
    diverged when the value exceeds 10¹⁰⁰.
    """
    step = checks.positive(step, "step")
    size = SCHEDULES[checks.choice(schedule, "schedule", list(SCHEDULES))]
    checks.choice(pick, "pick", ("all", "cyclic", "random"))
    chooser = checks.generator(rng, "pick='random'") if pick == "random" else None
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    n, width = target.Z.shape
    first = np.zeros(width) if start is None else checks.vector(start, "start", width).copy()
    path, values = [first], [target.value(first)]
    converged = diverged = False
    for k in range(1, checks.count(steps, "steps") + 1):
        row = None if pick == "all" else int(chooser.integers(n)) if chooser else (k - 1) % n
        with np.errstate(over="ignore", invalid="ignore"):
            move = size(step, k) * target.gradient(path[-1], row)
            if row is None and float(np.linalg.norm(move)) <= tolerance:
                converged = True
                break
            path.append(path[-1] - move)
            values.append(target.value(path[-1]))
        if not values[-1] < 1e100:
            diverged = True
            break
    return Descent(path[-1], converged, target.bias, np.array(path), np.array(values), diverged)


def least_squares(
    X: ArrayLike,
    y: ArrayLike,
    *,
    ridge: float = 0.0,
    penalise_offset: bool = False,
    bias: bool = True,
) -> Fit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + ridge/2 ‖w‖²``.

    Where many weights do equally well (dependent features), those with the shortest ``w``; with
    ``penalise_offset`` the offset counts in that length too. Moving all points changes ``w0`` only.

    >>> least_squares([[0], [1]], [-1, 1]).weights
    array([-1.,  2.])
    """
    rows = augment(X) if bias else checks.points(X)
    weights = ridge_solve(rows, checks.signs(y, len(rows)), ridge, penalise_offset or not bias)
    return Fit(weights, True, bias)


def ridge_solve(
    rows: FloatArray, targets: FloatArray, ridge: float, penalise_offset: bool
) -> FloatArray:
    """Return the least-squares solution of ``rows @ w = targets`` with a ridge on its length."""
    ridge = checks.positive(ridge, "ridge", zero=True)
    if not penalise_offset:
        # The best free offset follows from w. Solving for w on centred rows keeps the digits that
        # points far from the origin would cost.
        features, centre = _centred(rows[:, 1:])
        level = targets.mean(axis=0)
        w = ridge_solve(features, targets - level, ridge, True)
        return np.concatenate([[level - centre @ w], w])
    if ridge > 0:
        pull = np.sqrt(ridge) * np.eye(rows.shape[1])
        rows = np.vstack([rows, pull])
        targets = np.concatenate([targets, np.zeros((len(pull), *targets.shape[1:]))])
    return np.asarray(np.linalg.lstsq(rows, targets, rcond=None)[0])


def _centred(array: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the columns minus their means, a constant column exactly zero, and the means."""
    centre = np.where(np.ptp(array, axis=0) == 0, array[0], array.mean(axis=0))
    return array - centre, centre


def lasso(
    X: ArrayLike,
    y: ArrayLike,
    *,
    l1: float,
    max_passes: int = 10_000,
    tolerance: float = 1e-10,
) -> Fit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + l1 Σ |w_j|``, the offset free.

    Coordinate descent: each weight in turn takes its best value, which is exactly 0 when the
    feature's pull on the residual is at most ``l1``. It has converged when a whole pass changes no
    score by more than ``tolerance``.

    >>> lasso([[0, 5], [1, 5], [0, 4], [1, 4]], [-1, 1, -1, 1], l1=0.1).weights
    array([-0.95,  1.9 ,  0.  ])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    l1 = checks.positive(l1, "l1", zero=True)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    features, centre = _centred(array)
    squares = (features**2).sum(axis=0)
    w, residual, converged = np.zeros(array.shape[1]), labels - labels.mean(), False
    for _ in range(checks.count(max_passes, "max_passes", least=1)):
        largest = 0.0
        for j in np.flatnonzero(squares > 0):
            pull = features[:, j] @ residual + squares[j] * w[j]
            new = np.sign(pull) * max(abs(pull) - l1, 0.0) / squares[j] + 0.0  # never −0.0
            change = (new - w[j]) * features[:, j]
            residual -= change
            largest, w[j] = max(largest, float(np.abs(change).max())), new
        if largest <= tolerance:
            converged = True
            break
    return Fit(np.concatenate([[labels.mean() - w @ centre], w]), converged, True)
