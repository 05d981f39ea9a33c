"""What a mistake costs: five losses of the agreement ``s = y · g(x)``, each with slope and bend.

A loss of a whole sample is the sum over rows, and because ``s = z · weights`` its gradient is
``Z.T @ slope(Z @ weights)``. At a kink the slope is the one the course's algorithms use: a score
of exactly 0 is still a mistake of the perceptron, an agreement of exactly 1 costs no hinge. The
bend is the slope's own slope; a kink has none, and is left out of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray

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

    def curvature(self, Z: ArrayLike, weights: ArrayLike) -> FloatArray:
        """Return the matrix of second derivatives of :meth:`value`: ``Z.T @ diag(bend) @ Z``.

        >>> squared_loss.curvature([[1.0, 2.0], [-1.0, 0.0]], [0.5, 0.0])
        array([[2., 2.],
               [2., 4.]])
        """
        rows = checks.points(Z, "Z")
        scores = rows @ checks.vector(weights, "weights", rows.shape[1])
        return np.asarray(rows.T @ (self.bend(scores)[:, None] * rows) + 0.0)


# Functions with names, not lambdas: those could be neither pickled nor sent to another process.
def _zero_one(s: FloatArray) -> FloatArray:
    return np.where(s > 0, 0.0, 1.0)


def _perceptron(s: FloatArray) -> FloatArray:
    return np.maximum(0.0, -s)


def _perceptron_slope(s: FloatArray) -> FloatArray:
    return np.where(s > 0, 0.0, -1.0)


def _squared(s: FloatArray) -> FloatArray:
    # ½ (y − g)² = ½ (1 − s)² because y² = 1.
    return np.asarray(0.5 * (1.0 - s) ** 2)


def _squared_slope(s: FloatArray) -> FloatArray:
    return s - 1.0


def _hinge(s: FloatArray) -> FloatArray:
    return np.maximum(0.0, 1.0 - s)


def _hinge_slope(s: FloatArray) -> FloatArray:
    return np.where(s < 1, -1.0, 0.0)


def chance(s: FloatArray) -> FloatArray:
    """Return ``1 / (1 + exp(−s))``, the probability whose log odds are s.

    >>> chance(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    small = np.exp(-np.abs(s))  # at most 1: nothing overflows
    return np.where(s < 0, small, 1.0) / (1.0 + small)


def _logistic(s: FloatArray) -> FloatArray:
    return np.asarray(np.logaddexp(0.0, -s))


def _logistic_slope(s: FloatArray) -> FloatArray:
    return -chance(-s)


def _logistic_bend(s: FloatArray) -> FloatArray:
    small = np.exp(-np.abs(s))  # chance(s) * chance(-s), whichever of them is the smaller
    return np.asarray(small / (1.0 + small) * (1.0 / (1.0 + small)))


# Flat wherever it is smooth: its gradient tells nothing, which is why the other four exist.
zero_one_loss = Loss("zero-one", _zero_one, np.zeros_like)
perceptron_loss = Loss("perceptron", _perceptron, _perceptron_slope)
squared_loss = Loss("squared", _squared, _squared_slope, np.ones_like)
hinge_loss = Loss("hinge", _hinge, _hinge_slope)
# In nats: divided by ln 2 it is 1 at s = 0, and nowhere below zero-one.
logistic_loss = Loss("logistic", _logistic, _logistic_slope, _logistic_bend)
