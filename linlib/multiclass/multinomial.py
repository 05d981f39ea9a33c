"""The loss of the softmax model on a sample: its value, its slope and how it bends.

A point of class c loses ``ln(1 + Σ_j exp(g_j − g_c))``. The weights of all classes are one vector,
in coordinates in which they add up to 0: along the others the loss does not change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.rows import augment
from linlib.logistic_regression.binomial import told
from linlib.logistic_regression.newton import Whitened, newton, plain
from linlib.logistic_regression.separation import OVERLAP, Overlap, all_clash, overlap_of, separated
from linlib.multiclass.kesler import KeslerRows
from linlib.multiclass.schemes import LinearMachine


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


@dataclass(frozen=True, eq=False, repr=False)
class Softmax(LinearMachine):
    """A linear machine with probabilities; ``path`` and ``values`` as in the two-class fit.

    Where no minimum exists, ``overlap`` is the proof, for Kesler's rows without the last class's
    block.
    """

    path: FloatArray = field(kw_only=True)
    values: FloatArray = field(kw_only=True)
    overlap: Overlap | None = field(kw_only=True)
    _told: str = field(kw_only=True)
    _wrong: int = field(kw_only=True)

    @property
    def status(self) -> str:
        """What happened, and what to try."""
        return self._told

    @property
    def errors(self) -> int:
        """How many rows of the sample are not given their own class, ties included."""
        return self._wrong

    @property
    def value(self) -> float:
        """The objective at the weights."""
        return float(self.values[-1])

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.values) - 1

    def probability(self, X: ArrayLike) -> FloatArray:
        """Return ``(n, classes)``: the probability of each class; rows add up to 1."""
        scores = self.scores(X)
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def softmax(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float = 0.0,
    tolerance: float = 1e-12,
    max_steps: int = 100,
) -> Softmax:
    """Return the machine that minimises ``mean loss + penalty/2 Σ_k ‖w_k‖²``, offsets free.

    The loss of a point is ``−ln P(its class | x)``. Options as in :func:`linlib.logistic`, and its
    own weights for two classes, ``w_1 − w_0``, are those of half the penalty there: the two share
    the length. Newton's method on all classes together, so that K (d + 1) should be below 1000.

    >>> machine = softmax([[0], [1], [4], [5], [8], [9]], [0, 1, 1, 1, 2, 2], penalty=0.1)
    >>> machine.predict([[0], [4], [9]]).tolist(), machine.probability([[9]]).round(2)
    ([0, 1, 2], array([[0.  , 0.05, 0.95]]))
    """
    array = checks.points(X)
    names, codes = checks.classes(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget = checks.count(max_steps, "max_steps", least=1)
    white = Whitened.of(array)
    target = CrossEntropy(white.rows, codes, sum_zero(len(names)), white.spread, penalty)
    walk = newton(
        target,
        np.zeros(target.turn.shape[1] * white.rows.shape[1]),
        tolerance=tolerance,
        max_steps=budget,
        enough=lambda t: penalty == 0 and bool(target.rivals(t).max() < 0),
    )
    path = np.array([white.weights(target.machine(t)) for t in walk.path])
    proof = None
    if penalty == 0 and not surely_minimal(array, codes, target.shares(walk.path[-1])):
        kept = (len(names) - 1) * path.shape[2]  # relative to the last class, which is then 0
        Z = KeslerRows(augment(array), codes).Z[:, :kept]
        near = (path[-1, :-1] - path[-1, -1]).ravel()
        proof = separated(Z, near) or overlap_of(Z)
        proof = None if proof.kind == OVERLAP else proof
    dependent = white.dependent and penalty == 0
    return Softmax(
        names,
        np.array([array[codes == k].mean(axis=0) for k in range(len(names))]),
        path[-1],
        walk.converged and proof is None,
        path=path,
        values=np.array(walk.values),
        overlap=proof,
        _told=told(proof, walk.converged, len(path) - 1, dependent, "of some classes "),
        _wrong=int(np.count_nonzero(target.rivals(walk.path[-1]) >= 0)),
    )
