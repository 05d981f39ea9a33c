"""What a mistake costs: four losses of the agreement ``s = y · g(x)``, each with its slope.

A loss of a whole sample is the sum over rows, and because ``s = z · weights`` its gradient is
``Z.T @ slope(Z @ weights)``. At a kink the slope is the one the course's algorithms use: a score
of exactly 0 is still a mistake of the perceptron, an agreement of exactly 1 costs no hinge.
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
    """A loss as a function of the agreement: ``of(s)``, its derivative ``slope(s)``."""

    name: str
    of: Curve
    slope: Curve

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


# Flat wherever it is smooth: its gradient tells nothing, which is why the other three exist.
zero_one_loss = Loss("zero-one", _zero_one, np.zeros_like)
perceptron_loss = Loss("perceptron", _perceptron, _perceptron_slope)
squared_loss = Loss("squared", _squared, _squared_slope)
hinge_loss = Loss("hinge", _hinge, _hinge_slope)
