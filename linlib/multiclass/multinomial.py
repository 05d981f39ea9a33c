"""Softmax regression (lecture 10): logistic regression for many classes.

A point of class c loses ``ln(1 + Σ_j exp(g_j − g_c))``. The weights of all classes are one vector,
in coordinates in which they add up to 0: along the others the loss does not change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.rows import errors
from linlib.logistic_regression.binomial import status_of
from linlib.logistic_regression.newton import (
    RESOLVED,
    Coordinates,
    Minimised,
    Parabola,
    hidden_by_rounding,
    longest_row,
    newton,
    weighted_gram,
)
from linlib.logistic_regression.separation import Overlap, all_clash, no_minimum
from linlib.multiclass.schemes import LinearMachine, kesler_rows


def sum_zero(k: int) -> FloatArray:
    """Return k − 1 orthonormal columns that each add up to 0."""
    columns = np.tril(np.ones((k, k)), -1)[:, : k - 1] - np.diag(np.arange(k - 1, -1, -1.0))[:, :-1]
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


Weighing = Callable[[int, int], FloatArray]


def _pairs(A: FloatArray, classes: FloatArray, weigh: Weighing) -> FloatArray:
    """Return ``Σ_{a<b} δδᵀ ⊗ Aᵀ diag(weigh(a, b)) A`` with ``δ = classes[a] − classes[b]``."""
    k, m = classes.shape[1], A.shape[1]
    # First relative to all classes, where a pair touches four blocks: + on the diagonal, − beside.
    K = len(classes)
    full = np.zeros((K, m, K, m))
    for a, b in combinations(range(K), 2):
        gram = weighted_gram(A, weigh(a, b))
        full[a, :, a] += gram
        full[b, :, b] += gram
        full[a, :, b] -= gram
        full[b, :, a] -= gram
    half = np.tensordot(classes.T, full, axes=1)
    both = np.tensordot(half, classes, axes=(2, 0))  # the last axis is now that of the classes
    return np.asarray(both.transpose(0, 1, 3, 2).reshape(k * m, k * m))


class CrossEntropy:
    """Mean loss of points ``A = (1, u)`` plus the penalty, by the coordinates ``basis.T @ W``."""

    def __init__(
        self, A: FloatArray, codes: IntArray, basis: FloatArray, spread: FloatArray, penalty: float
    ) -> None:
        self.A, self.codes, self.basis = A, codes, basis
        one = np.zeros((A.shape[1], A.shape[1]))
        one[1:, 1:] = penalty * (spread.T @ spread)
        self.penalty = np.kron(np.eye(basis.shape[1]), one)
        self.every = np.arange(len(A))

    def machine(self, t: FloatArray) -> FloatArray:
        """Return the weights of each class, in the coordinates of A."""
        return np.asarray(self.basis @ t.reshape(self.basis.shape[1], -1))

    def behind(self, t: FloatArray) -> FloatArray:
        """Return by how much each class leads over a point's own, which itself gets −∞."""
        scores = self.A @ self.machine(t).T
        scores -= scores[self.every, self.codes, None]
        scores[self.every, self.codes] = -np.inf
        return np.asarray(scores)

    def rivals(self, t: FloatArray) -> FloatArray:
        """Return of each point by how much its strongest rival leads: below 0 it is right."""
        return np.asarray(self.behind(t).max(axis=1))

    def losses_and_shares(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each point's loss ``ln(1 + Σ_j exp(g_j − g_c))``, and the other classes' shares.

        A share is the probability of a class; that of a point's own class c is left 0.
        """
        odds = self.behind(t)
        # All odds are divided by the largest, that of the own class (1) included: none overflows.
        largest = np.maximum(odds.max(axis=1), 0.0)
        odds -= largest[:, None]
        np.exp(odds, out=odds)
        others = odds.sum(axis=1)
        total = others + np.exp(-largest)
        # log1p keeps the digits of a loss near 0, where the own class is the largest.
        losses = largest + np.where(largest > 0, np.log(total), np.log1p(others))
        odds /= total[:, None]
        return losses, odds

    def shares(self, t: FloatArray) -> FloatArray:
        """Return the probabilities of the other classes; that of a point's own class is left 0."""
        return self.losses_and_shares(t)[1]

    def value(self, t: FloatArray) -> float:
        """Return the mean loss plus the penalty."""
        losses, _ = self.losses_and_shares(t)
        return float(losses.mean() + 0.5 * t @ self.penalty @ t)

    def parabola(self, t: FloatArray) -> Parabola:
        """Return value, gradient and Hessian."""
        n = len(self.A)
        losses, P = self.losses_and_shares(t)
        missing = P.sum(axis=1)
        P[self.every, self.codes] = -missing
        gradient = (self.basis.T @ (P.T @ self.A)).ravel() / n + self.penalty @ t
        P[self.every, self.codes] = 1 - missing
        # diag(p) − p pᵀ as a sum over pairs of classes, of which no term cancels another.
        hessian = _pairs(self.A, self.basis, lambda a, b: P[:, a] * P[:, b])
        return Parabola(
            value=float(losses.mean() + 0.5 * t @ self.penalty @ t),
            gradient=gradient,
            hessian=hessian / n + self.penalty,
        )


def surely_minimal(A: FloatArray, far: float, codes: IntArray, shares: FloatArray) -> bool:
    """Tell whether the sample surely has a minimum: see the same question in the two-class fit."""
    k = shares.shape[1]
    kept = np.eye(k)[:, :-1]  # relative to the last class

    def clash(a: int, b: int) -> FloatArray:
        return np.where(codes == a, shares[:, b], np.where(codes == b, shares[:, a], 0.0))

    gradient = -(shares.T @ A)
    for c in range(k):
        gradient[c] += shares[codes == c].sum(axis=1) @ A[codes == c]
    both = np.sqrt(2) * longest_row(A)  # a row stands in the blocks of two classes
    return all_clash(gradient[:-1].ravel(), _pairs(A, kept, clash), both, len(A) * k, far)


@dataclass(frozen=True, eq=False, repr=False)
class Softmax(Minimised, LinearMachine):
    """A linear machine with probabilities; ``path`` and ``values`` as in the two-class fit.

    ``errors`` counts the rows of the sample that are not given their own class, ties included.
    Where no minimum exists, ``overlap`` is the proof, for Kesler's rows without the last class's
    block.
    """

    path: FloatArray = field(kw_only=True)
    values: FloatArray = field(kw_only=True)
    overlap: Overlap | None = field(kw_only=True)
    errors: int = field(kw_only=True)

    def probability(self, X: ArrayLike) -> FloatArray:
        """Return ``(n, classes)``: the probability of each class; rows add up to 1."""
        scores = self.scores(X)
        # Only differences of scores matter; less the largest, no exponential overflows.
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def softmax(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float = 0.0,
    tolerance: float = 1e-12,
    max_updates: int = 100,
) -> Softmax:
    """Return the machine that minimises ``mean loss + penalty/2 Σ_k ‖w_k‖²``, offsets free.

    The loss of a point is ``−ln P(its class | x)``. Newton's method on the weights of all K classes
    together.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points.
    y : array_like, shape (n,)
        The classes, named as you like, at least two of them.
    penalty, tolerance, max_updates : float, float, int
        As in :func:`linlib.logistic`.

    Returns
    -------
    Softmax
        ``weights`` has the shape ``(K, d + 1)`` and columns that add up to 0. With the matrix R of
        ``probability(X)`` less 1 at each row's own class, ``R.T @ augment(X) / n`` is
        ``(0, −penalty · w_k)`` in row k. For two classes ``weights[1] − weights[0]`` are those of
        :func:`linlib.logistic` with half the penalty: the two share the length.

    See Also
    --------
    sklearn.linear_model.LogisticRegression : the same minimum with ``C=1 / (n * penalty)``. A
        step here solves K (d + 1) linear equations: take that one, with its solver "lbfgs", from
        about a thousand equations on.

    Examples
    --------
    >>> machine = softmax([[0], [1], [4], [5], [8], [9]], [0, 1, 1, 1, 2, 2], penalty=0.1)
    >>> machine.predict([[0], [4], [9]]).tolist(), machine.probability([[9]]).round(2)
    ([0, 1, 2], array([[0.  , 0.05, 0.95]]))
    """
    array = checks.points(X)
    names, codes = checks.classes(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget = checks.count(max_updates, "max_updates", least=1)
    coordinates = Coordinates.of(array)
    objective = CrossEntropy(
        coordinates.rows, codes, sum_zero(len(names)), coordinates.spread, penalty
    )
    walk = newton(
        objective,
        np.zeros(objective.basis.shape[1] * coordinates.rows.shape[1]),
        tolerance=tolerance,
        max_updates=budget,
        enough=lambda t: penalty == 0 and bool(objective.rivals(t).max() < 0),
    )
    path = np.array([coordinates.weights(objective.machine(t)) for t in walk.path])
    proof = None
    if penalty == 0 and not surely_minimal(
        *coordinates.proof_rows(array), codes, objective.shares(walk.path[-1])
    ):
        kept = (len(names) - 1) * path.shape[2]  # relative to the last class, which is then 0
        Z = kesler_rows(array, codes)[:, :kept]
        near = (path[-1, :-1] - path[-1, -1]).ravel()
        proof = no_minimum(Z, near)
    missing = objective.shares(walk.path[-1]).sum(axis=1)
    slope = float(np.sqrt(2 * np.mean(missing**2)))  # of all classes together
    rounding = np.tile(coordinates.rounding, objective.basis.shape[1])
    hidden = hidden_by_rounding(walk, rounding, slope, np.sqrt(2) * longest_row(coordinates.rows))
    resolved = hidden <= max(tolerance, RESOLVED) * walk.values[-1]
    return Softmax(
        names,
        np.array([array[codes == k].mean(axis=0) for k in range(len(names))]),
        path[-1],
        converged=walk.converged and proof is None and resolved,
        status=status_of(
            proof,
            walk,
            budget,
            dependent=coordinates.dependent and penalty == 0,
            hidden=0.0 if resolved else hidden,
            which="of some classes ",
        ),
        path=path,
        values=np.array(walk.values),
        overlap=proof,
        errors=errors(-objective.rivals(walk.path[-1])),
    )
