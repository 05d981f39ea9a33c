"""Logistic regression for many classes: a linear machine whose scores are log probabilities.

The model says ``P(k | x) = exp(g_k(x)) / Σ_j exp(g_j(x))``, the *softmax* of the scores. Adding one
linear function to all scores changes no probability; of all weights that say the same, those are
returned whose sum over the classes is 0. A point's loss is the logarithm of
``1 + Σ_j exp(−lead over j)``, and its leads are products with Kesler's rows: the minimum exists
exactly if those overlap (:mod:`linlib.overlap`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray
from linlib.cross_entropy import CrossEntropy, sum_zero, surely_minimal
from linlib.kesler import KeslerRows
from linlib.logistic import told
from linlib.newton import newton
from linlib.overlap import OVERLAP, Overlap, overlap_of, separated
from linlib.rows import augment
from linlib.schemes import LinearMachine
from linlib.whitened import Whitened


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
