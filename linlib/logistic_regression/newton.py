"""Newton's method with a safeguard (lecture 09): the minimum of a smooth convex function.

Near a point the function looks like a parabola; Newton's step goes to the bottom of that. Far from
the minimum the step can overshoot, and is halved until the function falls by a fair share of what
the parabola promised. Near the minimum the number of right digits doubles with every step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from linlib.base.checks import EPS, FloatArray
from linlib.base.rows import Centre, blocks

HALVINGS = 60


class Parabola(NamedTuple):
    """The parabola that touches a function at one place: its value, its slopes, its curvature.

    ``gradient`` are the m first derivatives and ``hessian`` the ``(m, m)`` second ones.
    """

    value: float
    gradient: FloatArray
    hessian: FloatArray


class Smooth(Protocol):
    """A smooth convex function above 0, as Newton's method sees it."""

    def value(self, t: FloatArray, /) -> float:
        """Return the function's value at t."""

    def parabola(self, t: FloatArray, /) -> Parabola:
        """Return the parabola that touches the function at t."""


class Walk(NamedTuple):
    """The points and values of a search, and whether it ended at the minimum.

    ``hessian`` is the matrix of second derivatives before the last step to a minimum.
    """

    path: list[FloatArray]
    values: list[float]
    converged: bool
    hessian: FloatArray | None = None


class Minimised:
    """What fits by Newton's method share: ``values[k]`` is the objective after k steps."""

    values: FloatArray

    @property
    def value(self) -> float:
        """The objective at the weights."""
        return float(self.values[-1])

    @property
    def updates(self) -> int:
        """How many of Newton's steps were made."""
        return len(self.values) - 1


def newton(
    function: Smooth,
    start: FloatArray,
    *,
    tolerance: float,
    max_updates: int,
    enough: Callable[[FloatArray], bool] = lambda t: False,
) -> Walk:
    """Walk to the minimum of ``function`` from ``start``, in at most ``max_updates`` steps.

    It has converged when a step promises to lower the value by no more than ``tolerance`` of it,
    or than rounding; that step is still made. ``enough(t)`` may end the search.
    """
    here = function.parabola(start)
    path = [start]
    values = [here.value]
    while len(path) <= max_updates and not enough(path[-1]):
        t = path[-1]
        step = _step(here.hessian, here.gradient)
        # The bottom of the parabola is lower by this.
        promise = 0.5 * float(here.gradient @ step)
        if promise <= max(tolerance, EPS) * here.value:
            path.append(t - step)
            values.append(function.value(t - step))
            return Walk(path, values, True, here.hessian)
        # A step that overshoots is halved until it brings a fair share of the promise.
        for halvings in range(HALVINGS):
            share = 0.5**halvings
            there = function.parabola(t - share * step)
            if there.value < here.value and there.value <= here.value - 0.5 * share * promise:
                break
        else:
            break  # rounding hides whatever could still be gained
        here = there
        path.append(t - share * step)
        values.append(here.value)
    return Walk(path, values, False)


def _step(hessian: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return Newton's step, or where the Hessian is lost to rounding the shortest such step."""
    try:
        step = np.linalg.solve(hessian, gradient)
        lost = np.linalg.norm(hessian @ step - gradient) > 1e-3 * np.linalg.norm(gradient)
    except np.linalg.LinAlgError:
        lost = True
    if lost:  # whether a singular matrix is noticed depends on the processor
        step = np.linalg.pinv(hessian) @ gradient
    return np.asarray(step) if float(gradient @ step) > 0 else gradient


def hidden_by_rounding(walk: Walk, rounding: FloatArray, slope: float, longest: float) -> float:
    """Return by how much at most the value may exceed the true minimum because floats round.

    Column k of the rows is known to about ``rounding[k]`` only. So derivative k is known to
    ``slope * rounding[k]``, where ``slope`` is the size of the loss's slope at a row, and scores to
    ``Σ_k rounding[k] |t_k|``. A gradient g promises ``½ gᵀ H⁻¹ g``, H being the Hessian. That
    holds while the promised step changes scores by so little that the Hessian stays what it is
    (no row is longer than ``longest``); beyond it nothing is known but that the value is above 0.
    """
    value = walk.values[-1]
    if walk.hessian is None:
        return value
    lowest = float(np.linalg.eigvalsh(walk.hessian)[0])
    if lowest <= 0:
        return value
    variances = np.diag(np.linalg.inv(walk.hessian))
    if variances.min() < 0:
        return value  # nearly singular: rounding has eaten the inverse
    spreads = np.sqrt(variances)
    gradient = float(slope * rounding @ spreads)  # the length of g as H⁻¹ measures it
    if not gradient * longest <= 0.5 * np.sqrt(lowest):
        return value
    scores = float(rounding @ np.abs(walk.path[-1]))
    # The second derivative of the loss of one row is at most 1/4.
    return min(value, (gradient + scores / 2) ** 2)


# A minimum is called one if rounding hides no more than this share of the value.
RESOLVED = 1e-9
WELL_POSED = 1e-6  # smallest over largest eigenvalue of the features' correlations


class Coordinates(NamedTuple):
    """``rows`` are ``(1, u)``, and ``weights(t)`` of the points gives ``rows @ t`` as scores.

    The columns of ``u`` have mean 0 and similar lengths, and are as many as there are independent
    features. Of all ``w`` with the same scores, ``spread @ t[1:]`` is the shortest. ``plain`` says
    that the features were only moved and scaled. Newton's method takes the same way in all
    coordinates; in these it loses no digits but those in which the features nearly depend on each
    other: ``rounding`` says how far each column of ``rows`` may be from that of the typed decimals.
    """

    rows: FloatArray
    spread: FloatArray
    centre: Centre
    plain: bool
    rounding: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> Coordinates:
        """Return the new coordinates of the points."""
        n, d = X.shape
        centre = Centre.of(X)
        u = centre.away(X)
        sizes = np.abs(u).max(axis=0)
        sizes[sizes == 0] = 1.0  # a constant feature
        u /= sizes
        # An entry of u is off by the rounding of x, of two differences and of the quotient, each
        # of which is up to EPS / 2, and in the root mean square below 0.3 EPS.
        far = 1 + float(np.max(np.abs(centre.mean) / sizes))
        rounding = 0.3 * EPS * (far + 3) * np.sqrt(d)
        spectrum = np.linalg.eigvalsh(u.T @ u)
        if spectrum[0] > WELL_POSED * spectrum[-1]:
            every = np.r_[0.0, np.full(d, rounding)]  # the column of ones is exact
            rows = np.column_stack([np.ones(n), u])
            return cls(rows, np.diag(1 / sizes), centre, True, every)
        U, spans, Vt = np.linalg.svd(u, full_matrices=False)
        rank = int(np.count_nonzero(spans > spans[0] * EPS * max(n, d)))
        root = np.sqrt(n)
        spread = root * Vt[:rank].T / spans[:rank] / sizes[:, None]
        if rank < d:  # the part of w that no point sees is taken out
            Q = np.linalg.qr(Vt[:rank].T * sizes[:, None])[0]
            spread = Q @ (Q.T @ spread)
        rows = np.column_stack([np.ones(n), root * U[:, :rank]])
        every = np.r_[0.0, rounding * root / spans[:rank]]
        return cls(rows, spread, centre, False, every)

    @property
    def dependent(self) -> bool:
        """Whether some features are combinations of others, or constant."""
        return bool(self.spread.shape[1] < self.spread.shape[0])

    def weights(self, t: FloatArray) -> FloatArray:
        """Return ``(w0, w)`` for the coordinates, or one row of them for each row of ``t``."""
        w = t[..., 1:] @ self.spread.T
        w0 = self.centre.offset(w.T, t[..., 0])
        return np.concatenate([w0[..., None], w], axis=-1)

    def proof_rows(self, X: FloatArray) -> tuple[FloatArray, float]:
        """Return rows ``(1, x)`` moved and scaled by few roundings, no entry above 1 in size.

        Beside them: how many times EPS they differ at most from those of the typed decimals.
        """
        middle = X.mean(axis=0)
        if self.plain:
            rows, sizes = self.rows, 1 / np.diag(self.spread)
        else:
            rows = np.column_stack([np.ones(len(X)), X - middle])
            sizes = np.abs(rows[:, 1:]).max(axis=0)
            sizes[sizes == 0] = 1.0
            rows[:, 1:] /= sizes
        return rows, 1 + float(np.max(np.abs(middle) / sizes))


def longest_row(rows: FloatArray) -> float:
    """Return the length of the longest row."""
    return float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max()))


def weighted_gram(rows: FloatArray, shares: FloatArray) -> FloatArray:
    """Return ``rows.T @ diag(shares) @ rows``."""
    gram = np.zeros((rows.shape[1], rows.shape[1]))
    for block in blocks(len(rows)):
        gram += rows[block].T @ (shares[block, None] * rows[block])
    return gram


class LogisticTarget:
    """Mean logistic loss of rows ``a`` with labels ``y``, plus ``½ t[1:] · penalty @ t[1:]``."""

    def __init__(self, A: FloatArray, y: FloatArray, penalty: FloatArray | float = 0.0) -> None:
        self.A = A
        self.y = y
        self.penalty = np.zeros((A.shape[1], A.shape[1]))
        self.penalty[1:, 1:] = penalty

    def agreement(self, t: FloatArray) -> FloatArray:
        """Return ``y a · t`` for every row."""
        return np.asarray(self.y * (self.A @ t))

    def value(self, t: FloatArray) -> float:
        """Return the mean loss plus the penalty."""
        s = self.agreement(t)
        losses = np.maximum(-s, 0.0) + np.log1p(np.exp(-np.abs(s)))
        return float(losses.mean() + 0.5 * t @ self.penalty @ t)

    def parabola(self, t: FloatArray) -> Parabola:
        """Return value, gradient and Hessian from one pass over the rows.

        With the agreement s of a row and p the probability that the model gives to the other
        label, the loss is ``ln(1 + exp(−s))``, its slope is ``−p`` and its curvature ``p (1 − p)``.
        """
        n, m = self.A.shape
        total = 0.0
        gradient = np.zeros(m)
        hessian = np.zeros((m, m))
        for block in blocks(n):
            rows = self.A[block]
            y = self.y[block]
            s = y * (rows @ t)
            small = np.exp(-np.abs(s))  # at most 1: nothing overflows
            losses = np.maximum(-s, 0.0) + np.log1p(small)
            p = np.where(s < 0, 1.0, small) / (1 + small)
            curvature = small / (1 + small) ** 2
            total += float(losses.sum())
            gradient -= (y * p) @ rows
            hessian += weighted_gram(rows, curvature)
        return Parabola(
            value=total / n + float(0.5 * t @ self.penalty @ t),
            gradient=gradient / n + self.penalty @ t,
            hessian=hessian / n + self.penalty,
        )
