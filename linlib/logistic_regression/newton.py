"""Newton's method with a safeguard: what finds the minimum of a smooth convex function.

Near a point the function looks like a parabola; Newton's step goes to the bottom of that. Far from
the minimum the step can overshoot, and is halved until the function falls by a fair share of what
the parabola promised. Near the minimum the number of right digits doubles with every step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from linlib.base.checks import EPS, FloatArray
from linlib.descent.linear_regression import Centre

HALVINGS = 60


class Smooth(Protocol):
    """A convex function with its derivatives."""

    def value(self, t: FloatArray) -> float:
        """Return the value, above 0."""

    def derivatives(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradient and the matrix of second derivatives."""


class Walk(NamedTuple):
    """The points and values of a search, and whether it ended at the minimum."""

    path: list[FloatArray]
    values: list[float]
    converged: bool


def newton(
    function: Smooth,
    start: FloatArray,
    *,
    tolerance: float,
    max_steps: int,
    enough: Callable[[FloatArray], bool] = lambda t: False,
) -> Walk:
    """Walk to the minimum from ``start``, in at most ``max_steps`` steps.

    It has converged when a step promises to lower the value by no more than ``tolerance`` of it,
    or than rounding; that step is still made. ``enough(t)`` may end the search.
    """
    path, values = [start], [function.value(start)]
    while len(path) <= max_steps and not enough(path[-1]):
        t, value = path[-1], values[-1]
        gradient, curvature = function.derivatives(t)
        step = _step(curvature, gradient)
        promise = 0.5 * float(gradient @ step)
        if promise <= max(tolerance, EPS) * value:
            path.append(t - step)
            values.append(function.value(t - step))
            return Walk(path, values, True)
        share = 1.0
        for _ in range(HALVINGS):
            lower = function.value(t - share * step)
            if lower < value and lower <= value - 0.5 * share * promise:
                break
            share /= 2
        else:
            break  # rounding hides whatever could still be gained
        path.append(t - share * step)
        values.append(lower)
    return Walk(path, values, False)


def _step(curvature: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return Newton's step, or where the curvature is lost to rounding the shortest such step."""
    try:
        step = np.linalg.solve(curvature, gradient)
    except np.linalg.LinAlgError:
        step = np.linalg.pinv(curvature) @ gradient
    return np.asarray(step) if float(gradient @ step) > 0 else gradient


class Whitened(NamedTuple):
    """``rows`` are ``(1, u)``, and ``weights(t)`` of the points gives ``rows @ t`` as scores.

    The columns of ``u`` are as many as there are independent features; they have mean 0, mean
    square 1 and no correlation. Of all ``w`` with the same scores, ``spread @ t`` is the shortest.
    """

    rows: FloatArray
    spread: FloatArray
    centre: Centre

    @classmethod
    def of(cls, X: FloatArray) -> Whitened:
        """Return the new coordinates of the points."""
        centre = Centre.of(X)
        rows = centre.away(X)
        sizes = np.abs(rows).max(axis=0)
        sizes[sizes == 0] = 1.0
        U, spans, Vt = np.linalg.svd(rows / sizes, full_matrices=False)
        rank = int(np.count_nonzero(spans > spans[0] * EPS * max(X.shape)))
        root = np.sqrt(len(X))
        spread = root * Vt[:rank].T / spans[:rank] / sizes[:, None]
        if rank < len(sizes):  # what no point sees is taken out of w
            Q = np.linalg.qr(Vt[:rank].T * sizes[:, None])[0]
            spread = Q @ (Q.T @ spread)
        return cls(np.column_stack([np.ones(len(X)), root * U[:, :rank]]), spread, centre)

    @property
    def dependent(self) -> bool:
        """Whether some features are combinations of others, or constant."""
        return bool(self.spread.shape[1] < self.spread.shape[0])

    def weights(self, t: FloatArray) -> FloatArray:
        """Return ``(w0, w)`` for the coordinates, or one row of them for each row of ``t``."""
        w = t[..., 1:] @ self.spread.T
        w0 = t[..., 0] - w @ self.centre.rest - w @ self.centre.mean
        return np.concatenate([np.asarray(w0)[..., None], w], axis=-1)


def plain(X: FloatArray) -> tuple[FloatArray, float]:
    """Return rows ``(1, x)`` moved and scaled by one rounding each, no entry above 1 in size.

    Beside them: how many times EPS they differ at most from those of the typed decimals.
    """
    middle = X.mean(axis=0)
    rows = np.column_stack([np.ones(len(X)), X - middle])
    sizes = np.abs(rows).max(axis=0)
    sizes[sizes == 0] = 1.0
    rows /= sizes
    return rows, 1 + float(np.max(np.abs(middle) / sizes[1:]))
