"""The loss of the softmax model on a sample: its value, its slope and how it bends.

A point of class c loses ``ln(1 + Σ_j exp(g_j − g_c))``. The weights of all classes are one vector,
in coordinates in which they add up to 0: along the others the loss does not change.
"""

from __future__ import annotations

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.logistic_regression.newton import plain
from linlib.overlap import all_clash


def sum_zero(k: int) -> FloatArray:
    """Return k − 1 orthonormal columns that each add up to 0."""
    columns = np.tril(np.ones((k, k)), -1)[:, : k - 1] - np.diag(np.arange(k - 1, -1, -1.0))[:, :-1]
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


def _blocks(A: FloatArray, kernels: FloatArray) -> FloatArray:
    """Return ``Σ_i kernels[i] ⊗ a_i a_iᵀ``, for ``kernels`` of shape (n, k, k)."""
    k, m = kernels.shape[1], A.shape[1]
    made = np.empty((k, m, k, m))
    for r in range(k):  # one product for a row of blocks, of which half are known by symmetry
        weighted = (kernels[:, r, : r + 1, None] * A[:, None, :]).reshape(len(A), -1)
        made[r, :, : r + 1] = (A.T @ weighted).reshape(m, r + 1, m)
        made[: r + 1, :, r] = made[r, :, : r + 1].transpose(1, 2, 0)
    return made.reshape(k * m, k * m)


class CrossEntropy:
    """Mean loss of points ``A = (1, u)`` plus the penalty, by the coordinates ``turn.T @ W``."""

    def __init__(
        self, A: FloatArray, codes: IntArray, turn: FloatArray, spread: FloatArray, penalty: float
    ) -> None:
        self.A, self.codes, self.turn, self.spread, self.penalty = A, codes, turn, spread, penalty
        price = np.zeros((A.shape[1], A.shape[1]))
        price[1:, 1:] = penalty * (spread.T @ spread)
        self.price = np.kron(np.eye(turn.shape[1]), price)
        self.own = np.eye(len(turn))[codes]

    def machine(self, t: FloatArray) -> FloatArray:
        """Return the weights of each class, in the coordinates of A."""
        return np.asarray(self.turn @ t.reshape(self.turn.shape[1], -1))

    def behind(self, t: FloatArray) -> FloatArray:
        """Return by how much each class leads over a point's own, which itself gets −∞."""
        scores = self.A @ self.machine(t).T
        scores -= scores[np.arange(len(scores)), self.codes, None]
        scores[self.own > 0] = -np.inf
        return np.asarray(scores)

    def rivals(self, t: FloatArray) -> FloatArray:
        """Return of each point by how much its strongest rival leads: below 0 it is right."""
        return np.asarray(self.behind(t).max(axis=1))

    def shares(self, t: FloatArray) -> FloatArray:
        """Return the probabilities of the other classes; that of a point's own class is left 0."""
        behind = self.behind(t)
        total = np.logaddexp(0.0, np.logaddexp.reduce(behind, axis=1))
        return np.asarray(np.exp(behind - total[:, None]))

    def value(self, t: FloatArray) -> float:
        """Return the mean loss plus the penalty."""
        losses = np.logaddexp(0.0, np.logaddexp.reduce(self.behind(t), axis=1))
        return float(losses.mean() + 0.5 * t @ self.price @ t)

    def derivatives(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradient and the matrix of second derivatives."""
        q, n = self.shares(t), len(self.A)
        missing = q.sum(axis=1, keepdims=True)
        slopes = (q - missing * self.own) @ self.turn
        gradient = (slopes.T @ self.A).ravel() / n + self.price @ t
        P = q + (1 - missing) * self.own
        bends = -P[:, :, None] * P[:, None, :]
        diagonal = np.arange(P.shape[1])
        # P (1 − P), where 1 − P of a point's own class is what the others have, to the last digit.
        bends[:, diagonal, diagonal] = np.where(self.own > 0, missing, 1 - q) * P
        kernels = np.einsum("ka,ikl,lb->iab", self.turn, bends, self.turn, optimize=True)
        return gradient, _blocks(self.A, kernels) / n + self.price


def surely_minimal(X: FloatArray, codes: IntArray, shares: FloatArray) -> bool:
    """Tell whether the sample surely has a minimum: see the same question in the two-class fit."""
    (A, far), k = plain(X), shares.shape[1]
    own = np.eye(k)[codes]
    missing = shares.sum(axis=1)
    pull = ((missing[:, None] * own - shares)[:, :-1].T @ A).ravel()
    # For class c: Σ_j q_j (e_c − e_j)(e_c − e_j)ᵀ.
    kernels = -own[:, :, None] * shares[:, None, :] - shares[:, :, None] * own[:, None, :]
    diagonal = np.arange(k)
    kernels[:, diagonal, diagonal] = shares + missing[:, None] * own
    longest = float(np.sqrt(2 * np.einsum("ij,ij->i", A, A).max()))
    return all_clash(pull, _blocks(A, kernels[:, :-1, :-1]), longest, len(X) * k, far)
