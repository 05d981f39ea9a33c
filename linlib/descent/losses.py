"""Six losses (lectures 05 to 09) of the agreement ``s = y · g(x)``, each with slope and bend.

A loss of a whole sample is the sum over rows, and because ``s = z · weights`` its gradient is
``Z.T @ slope(Z @ weights)``. At a kink the slope is the one the course's algorithms use: a score
of exactly 0 is still a mistake of the perceptron, an agreement of exactly 1 costs no hinge. The
bend is the slope's own slope; a kink has none, and is left out of it.

An :class:`Objective` is what a descent minimises: a loss over signed rows plus ``penalty/2 ‖w‖²``,
the offset free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.frozen import Frozen, number
from linlib.base.rows import signed_rows

Curve = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, repr=False)
class Loss:
    """A loss of the agreement, ``of(s)``, and its derivatives: ``slope(s)`` and ``bend(s)``."""

    name: str
    of: Curve
    slope: Curve
    bend: Curve = np.zeros_like

    def __repr__(self) -> str:
        return f"Loss({self.name})"

    def __reduce__(self) -> str:
        return f"{self.name.replace('-', '_')}_loss"  # pickled by its name in this module

    def value(self, Z: ArrayLike, weights: ArrayLike) -> float:
        """Return the sum of the loss over the signed rows.

        >>> hinge_loss.value([[1.0, 2.0], [-1.0, 0.0]], [0.5, 0.0])
        2.0
        """
        rows = checks.points(Z, "Z")
        return float(self.of(rows @ checks.vector(weights, "weights", rows.shape[1])).sum())

    def gradient(self, Z: ArrayLike, weights: ArrayLike) -> FloatArray:
        """Return the gradient of :meth:`value` with respect to the weights.

        >>> perceptron_loss.gradient([[1.0, 2.0], [-1.0, 0.0]], [0.5, 0.0])
        array([1., 0.])
        """
        rows = checks.points(Z, "Z")
        scores = rows @ checks.vector(weights, "weights", rows.shape[1])
        return np.asarray(self.slope(scores) @ rows + 0.0)


def expit(s: FloatArray) -> FloatArray:
    """Return ``1 / (1 + exp(−s))``, the probability whose log odds are s.

    >>> expit(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    small = np.exp(-np.abs(s))  # at most 1: nothing overflows
    return np.where(s < 0, small, 1.0) / (1.0 + small)


def _logistic_bend(s: FloatArray) -> FloatArray:
    small = np.exp(-np.abs(s))  # expit(s) * expit(-s), whichever of them is the smaller
    return np.asarray(small / (1.0 + small) * (1.0 / (1.0 + small)))


# Flat wherever it is smooth: its gradient tells nothing, which is why the other four exist.
zero_one_loss = Loss("zero-one", lambda s: np.where(s > 0, 0.0, 1.0), np.zeros_like)
perceptron_loss = Loss(
    "perceptron", lambda s: np.maximum(0.0, -s), lambda s: np.where(s > 0, 0.0, -1.0)
)
# ½ (y − g)² = ½ (1 − s)² because y² = 1.
squared_loss = Loss(
    "squared", lambda s: np.asarray(0.5 * (1.0 - s) ** 2), lambda s: s - 1.0, np.ones_like
)
hinge_loss = Loss("hinge", lambda s: np.maximum(0.0, 1.0 - s), lambda s: np.where(s < 1, -1.0, 0.0))
# scikit-learn's LinearSVC minimises it unless told otherwise: smooth, so that Newton's method ends.
squared_hinge_loss = Loss(
    "squared-hinge",
    lambda s: np.asarray(np.maximum(0.0, 1.0 - s) ** 2),
    lambda s: np.asarray(-2.0 * np.maximum(0.0, 1.0 - s)),
    lambda s: np.where(s < 1, 2.0, 0.0),
)
# In nats: divided by ln 2 it is 1 at s = 0, and nowhere below zero-one.
logistic_loss = Loss(
    "logistic", lambda s: np.asarray(np.logaddexp(0.0, -s)), lambda s: -expit(-s), _logistic_bend
)


@dataclass(frozen=True, eq=False, repr=False)
class Objective(Frozen):
    """``Σ loss`` (or the mean, with ``average``) plus ``penalty/2 ‖w‖²``, as a function of w."""

    Z: FloatArray
    loss: Loss
    penalty: float = 0.0
    average: bool = False
    bias: bool = True

    def _facts(self) -> Mapping[str, str]:
        facts = {"loss": self.loss.name, "rows": " × ".join(map(str, self.Z.shape))}
        facts["taken as"] = "mean" if self.average else "sum"
        return facts | ({"penalty": number(self.penalty)} if self.penalty else {})

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
            row = checks.count(row, "row", below=len(self.Z))
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
    """Turn data and a loss into a function to minimise.

    The penalty is weighed against the sum of the losses, or with ``average`` against their mean.

    >>> from linlib.descent.losses import squared_loss
    >>> objective([[0], [1]], [-1, 1], squared_loss).value(np.zeros(2))
    1.0
    """
    if not isinstance(loss, Loss):
        raise TypeError(
            f"loss: expected a Loss, got {loss!r}; pass linlib.hinge_loss or another of the six."
        )
    penalty = checks.positive(penalty, "penalty", zero=True)
    average, bias = checks.flag(average, "average"), checks.flag(bias, "bias")
    Z = signed_rows(X, y, bias=bias)
    Z.setflags(write=False)
    return Objective(Z, loss, penalty, average, bias)


def hinge_objective(X: ArrayLike, y: ArrayLike, penalty: float, *, bias: bool = True) -> Objective:
    """Return mean hinge loss plus ``penalty/2 ‖w‖²``, the objective of the margin lecture.

    >>> hinge_objective([[0], [2]], [-1, 1], penalty=0.1).value([-1, 1])  # no hinge, and length 1
    0.05
    """
    return objective(X, y, hinge_loss, penalty=penalty, average=True, bias=bias)
