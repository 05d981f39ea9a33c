"""Walking downhill: gradient descent, least squares in closed form, and LMS one row at a time.

An :class:`Objective` is a loss over signed rows, plus ``penalty/2 ‖w‖²`` with the offset left free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import EPS, FloatArray
from linlib.hyperplane import Hyperplane
from linlib.loop import SCHEDULES
from linlib.losses import Loss, hinge_loss
from linlib.rows import LEAST, augment, blocks, signed_rows


@dataclass(frozen=True, eq=False)
class Fit(checks.Frozen):
    """Weights found by minimising something; ``converged`` says whether the minimum was reached."""

    weights: FloatArray
    converged: bool
    bias: bool

    @property
    def hyperplane(self) -> Hyperplane:
        """The boundary of ``weights``."""
        return Hyperplane.from_weights(self.weights, bias=self.bias)


@dataclass(frozen=True, eq=False)
class Objective(checks.Frozen):
    """``Σ loss`` (or the mean, with ``average``) plus ``penalty/2 ‖w‖²``, as a function of w."""

    Z: FloatArray
    loss: Loss
    penalty: float = 0.0
    average: bool = False
    bias: bool = True

    @property
    def _share(self) -> float:
        return 1.0 / len(self.Z) if self.average else 1.0

    def _penalised(self, weights: FloatArray) -> FloatArray:
        free = weights.copy()
        if self.bias:
            free[0] = 0.0
        return free

    def value(self, weights: ArrayLike) -> float:
        """Return the objective at ``weights``."""
        return self._value(checks.vector(weights, "weights", self.Z.shape[1]))

    def gradient(self, weights: ArrayLike, row: int | None = None) -> FloatArray:
        """Return the gradient, or one row's part of it (the parts' sum or mean is the whole)."""
        if row is not None:
            row = checks.place(row, "row", len(self.Z))
        return self._gradient(checks.vector(weights, "weights", self.Z.shape[1]), row)

    # A descent that blows up asks for more than the checks let pass.
    def _value(self, weights: FloatArray) -> float:
        length = 0.5 * self.penalty * float((self._penalised(weights) ** 2).sum())
        return self._share * float(self.loss.of(self.Z @ weights).sum()) + length

    def _gradient(self, weights: FloatArray, row: int | None) -> FloatArray:
        if row is None:
            slopes = self._share * (self.loss.slope(self.Z @ weights) @ self.Z)
            return np.asarray(slopes + self.penalty * self._penalised(weights))
        z = self.Z[row]
        part = 1.0 if self.average else 1.0 / len(self.Z)
        return np.asarray(
            self.loss.slope(z @ weights) * z + part * self.penalty * self._penalised(weights)
        )


def objective(
    X: ArrayLike,
    y: ArrayLike,
    loss: Loss,
    *,
    penalty: float = 0.0,
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
    penalty = checks.positive(penalty, "penalty", zero=True)
    average, bias = checks.flag(average, "average"), checks.flag(bias, "bias")
    Z = checks.frozen(signed_rows(X, y, bias=bias), own=True)
    return Objective(Z, loss, penalty, average, bias)


def hinge_objective(X: ArrayLike, y: ArrayLike, penalty: float, *, bias: bool = True) -> Objective:
    """Return mean hinge loss plus ``penalty/2 ‖w‖²``, the objective of the margin lecture."""
    return objective(X, y, hinge_loss, penalty=penalty, average=True, bias=bias)


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
    max_updates: int = 100,
    start: ArrayLike | None = None,
    schedule: str = "constant",
    order: str = "all",
    tolerance: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Descent:
    """Descend by ``step · gradient``, at most ``max_updates`` times.

    ``order`` chooses the rows of each step: "all", "cyclic" (one after the other) or "random" (one
    at random). It has converged when a step over all rows is no longer than ``tolerance``, and
    diverged when the value exceeds 10¹⁰⁰.
    """
    step = checks.positive(step, "step")
    size = SCHEDULES[checks.choice(schedule, "schedule", list(SCHEDULES))](step)
    checks.choice(order, "order", ("all", "cyclic", "random"))
    chooser = checks.generator(rng, "order='random'") if order == "random" else None
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    n, width = target.Z.shape
    first = np.zeros(width) if start is None else checks.vector(start, "start", width).copy()
    with np.errstate(over="ignore", invalid="ignore"):
        path, values = [first], [target._value(first)]
    converged = diverged = False
    for k in range(1, checks.count(max_updates, "max_updates") + 1):
        row = None if order == "all" else int(chooser.integers(n)) if chooser else (k - 1) % n
        with np.errstate(over="ignore", invalid="ignore"):
            move = size(k) * target._gradient(path[-1], row)
            if row is None and float(np.linalg.norm(move)) <= tolerance:
                converged = True
                break
            path.append(path[-1] - move)
            values.append(target._value(path[-1]))
        if not values[-1] < 1e100:
            diverged = True
            break
    return Descent(path[-1], converged, target.bias, np.array(path), np.array(values), diverged)


def least_squares(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float = 0.0,
    penalise_offset: bool = False,
    bias: bool = True,
) -> Fit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + penalty/2 ‖w‖²``.

    Where many weights do equally well (dependent features), those with the shortest ``w``; with
    ``penalise_offset`` the offset counts in that length too. Moving all points changes ``w0`` only.

    >>> least_squares([[0], [1]], [-1, 1]).weights
    array([-1.,  2.])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    bias = checks.flag(bias, "bias")
    if bias and not checks.flag(penalise_offset, "penalise_offset"):
        return Fit(affine_solve(array, labels, penalty), True, bias)
    return Fit(_solve(augment(array) if bias else array, labels, penalty), True, bias)


def affine_solve(array: FloatArray, targets: NDArray[Any], penalty: float) -> FloatArray:
    """Return ``(w0, w)``: the least squares of ``array @ w + w0 − targets``, penalised on w.

    The best free offset follows from w. Solving for w on centred rows keeps the digits that points
    far from the origin would cost.
    """
    centre, level = Centre.of(array), targets.mean(axis=0)
    w = _solve(array, targets, penalty, centre, level)
    return np.concatenate([[level - centre.rest @ w - centre.mean @ w], w])


class Centre(NamedTuple):
    """The mean of rows in two parts, the rounded mean and what rounding took from it.

    Taking away only the former leaves every column with a mean of about its last digit. That is
    one dimension more, and far from the origin it is large enough to be taken for data.
    """

    mean: FloatArray | float
    rest: FloatArray | float

    @classmethod
    def of(cls, array: FloatArray) -> Centre:
        """Return the centre of rows; that of a constant column is exactly its number."""
        mean = np.where(np.ptp(array, axis=0) == 0, array[0], array.mean(axis=0))
        rest = sum((array[part] - mean).sum(axis=0) for part in blocks(len(array)))
        return cls(mean, rest / len(array))

    def away(self, rows: FloatArray) -> FloatArray:
        """Return the rows less the centre, as a new array."""
        rows = rows - self.mean
        rows -= self.rest
        return rows


ORIGIN = Centre(0.0, 0.0)


def _solve(
    rows: FloatArray,
    targets: NDArray[Any],
    penalty: float,
    centre: Centre = ORIGIN,
    level: FloatArray | float = 0.0,
) -> FloatArray:
    """Return the shortest least-squares solution of ``(rows − centre) @ w = targets − level``."""
    n, d = rows.shape
    size = max(LEAST, 8 * d)
    if n > 4 * size:
        rows, targets = _condensed(rows, targets, centre, level, size)
    else:
        rows, targets = centre.away(rows), targets - level
    if penalty > 0:
        n += d
        rows = np.vstack([rows, np.sqrt(penalty) * np.eye(d)])
        targets = np.concatenate([targets, np.zeros((d, *targets.shape[1:]))])
    return np.asarray(np.linalg.lstsq(rows, targets, rcond=EPS * max(n, d))[0])


def _condensed(
    rows: FloatArray, targets: NDArray[Any], centre: Centre, level: FloatArray | float, size: int
) -> tuple[FloatArray, FloatArray]:
    """Return d rows and targets with the same solutions: the triangle R of ``(rows, targets)``.

    The factor Q turns the space and changes no length. Rows join R ``size`` at a time, which
    loses no digits, unlike the products ``rows.T @ rows``.
    """
    d = rows.shape[1]
    triangle = np.empty((0, d + targets[:1].size))
    for part in blocks(len(rows), size):
        block = np.column_stack([centre.away(rows[part]), targets[part] - level])
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, block]), mode="r"))
    return triangle[:d, :d], triangle[:d, d:].reshape(d, *targets.shape[1:])


@dataclass(frozen=True, eq=False)
class LassoFit(Fit):
    """A fit by coordinate descent, which took so many ``passes`` over the features."""

    passes: int


def lasso(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float,
    max_passes: int = 10_000,
    tolerance: float = 1e-10,
) -> LassoFit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + penalty Σ |w_j|``, the offset free.

    Coordinate descent: each weight in turn takes its best value, which is exactly 0 when the
    feature's pull on the residual is at most ``penalty``. It has converged when a whole pass
    changes no score by more than ``tolerance``.

    >>> lasso([[0, 5], [1, 5], [0, 4], [1, 4]], [-1, 1, -1, 1], penalty=0.1).weights
    array([-0.95,  1.9 ,  0.  ])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    centre = Centre.of(array)
    features = centre.away(array)
    squares = np.einsum("ij,ij->j", features, features)
    w, residual, converged = np.zeros(array.shape[1]), labels - labels.mean(), False
    budget, passes = checks.count(max_passes, "max_passes", least=1), 0
    while passes < budget and not converged:
        passes += 1
        largest = 0.0
        for j in np.flatnonzero(squares > 0):
            pull = features[:, j] @ residual + squares[j] * w[j]
            new = np.sign(pull) * max(abs(pull) - penalty, 0.0) / squares[j] + 0.0  # never −0.0
            change = (new - w[j]) * features[:, j]
            residual -= change
            largest, w[j] = max(largest, float(np.abs(change).max())), new
        converged = largest <= tolerance
    return LassoFit(
        np.concatenate([[labels.mean() - w @ centre.rest - w @ centre.mean], w]),
        converged,
        True,
        passes,
    )
