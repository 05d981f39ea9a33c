"""What a descent goes down on: a loss over signed rows, plus a price for long weights.

The price is ``penalty/2 ‖w‖²``, with the offset left free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray
from linlib.frozen import Frozen, frozen
from linlib.losses import Loss, hinge_loss
from linlib.rows import signed_rows
from linlib.shown import Shown, number


@dataclass(frozen=True, eq=False, repr=False)
class Objective(Frozen, Shown):
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
            f"loss: expected a Loss, got {loss!r}; pass linlib.hinge_loss or another of the five."
        )
    penalty = checks.positive(penalty, "penalty", zero=True)
    average, bias = checks.flag(average, "average"), checks.flag(bias, "bias")
    Z = frozen(signed_rows(X, y, bias=bias), own=True)
    return Objective(Z, loss, penalty, average, bias)


def hinge_objective(X: ArrayLike, y: ArrayLike, penalty: float, *, bias: bool = True) -> Objective:
    """Return mean hinge loss plus ``penalty/2 ‖w‖²``, the objective of the margin lecture.

    >>> hinge_objective([[0], [2]], [-1, 1], penalty=0.1).value([-1, 1])  # no hinge, and length 1
    0.05
    """
    return objective(X, y, hinge_loss, penalty=penalty, average=True, bias=bias)
