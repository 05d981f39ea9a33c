"""More than two classes: one-vs-rest, pairwise (one-vs-one) and linear machines.

The first two combine hyperplanes and leave points in doubt, which go to the nearest mean among the
candidates; a linear machine has one score for each class, and the largest wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import Frozen, Shown, names
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import augment, blocks
from linlib.descent.linear_regression import affine_solve
from linlib.multiclass.kesler import KeslerRows
from linlib.perceptron.algorithm import pla_rows
from linlib.perceptron.runs import Run


@dataclass(frozen=True, eq=False, repr=False)
class Scheme(Frozen, Shown):
    """What the three schemes share: who claims a point, and what happens to points in doubt."""

    classes: NDArray[Any]
    means: FloatArray

    def _facts(self) -> Mapping[str, str]:
        return {"classes": names(self.classes), "features": str(self.means.shape[1])}

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: which classes claim each row."""
        raise NotImplementedError

    def ambiguous(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Tell which rows are claimed by no class or by more than one."""
        return np.asarray(self.claims(X).sum(axis=1) != 1)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row; in doubt the nearest mean among the candidates."""
        array = checks.points(X)
        chosen = [self._chosen(array[part]) for part in blocks(len(array))]
        return np.asarray(self.classes[np.concatenate(chosen)])

    def _chosen(self, rows: FloatArray) -> IntArray:
        claimed = self.claims(rows)
        claimed[~claimed.any(axis=1)] = True
        far = np.column_stack([((rows - mean) ** 2).sum(axis=1) for mean in self.means])
        return np.asarray(np.argmin(np.where(claimed, far, np.inf), axis=1))


@dataclass(frozen=True, eq=False, repr=False)
class OneVsRest(Scheme):
    """One hyperplane a class, its positive side claimed by that class."""

    hyperplanes: tuple[Hyperplane, ...]

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: the rows on the positive side of each class's hyperplane."""
        return np.column_stack([h.score(checks.points(X)) > 0 for h in self.hyperplanes])


@dataclass(frozen=True, eq=False, repr=False)
class OneVsOne(Scheme):
    """One hyperplane a pair (a, b) of class positions, positive on the side of the first."""

    hyperplanes: Mapping[tuple[int, int], Hyperplane]

    def votes(self, X: ArrayLike) -> IntArray:
        """Return ``(n, classes)``: how many of its pairs each class wins; a score of 0 is none."""
        array = checks.points(X)
        votes = np.zeros((len(array), len(self.classes)), dtype=np.int64)
        for (a, b), h in self.hyperplanes.items():
            score = h.score(array)
            votes[:, a] += score > 0
            votes[:, b] += score < 0
        return votes

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: the classes with the most votes."""
        votes = self.votes(X)
        return np.asarray(votes == votes.max(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False, repr=False)
class LinearMachine(Scheme):
    """One score a class, ``scores = augment(X) @ weights.T``; the largest wins.

    ``run`` is the perceptron run that found the weights, if one did.
    """

    weights: FloatArray
    converged: bool
    run: Run | None = None

    @property
    def status(self) -> str:
        """What happened, and what to try."""
        return self.run.status if self.run else "Solved: no weights have a smaller cost."

    def _facts(self) -> Mapping[str, str]:
        return {**super()._facts(), "status": self.status}

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return the ``(n, classes)`` scores ``w_k · x + w0_k``."""
        rows = augment(X)
        if rows.shape[1] != self.weights.shape[1]:
            raise ValueError(
                f"X: has {rows.shape[1] - 1} features where the machine has "
                f"{self.weights.shape[1] - 1}; give points of that dimension."
            )
        return np.asarray(rows @ self.weights.T)

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: the classes with the largest score, several only in a tie."""
        scores = self.scores(X)
        return np.asarray(scores == scores.max(axis=1, keepdims=True))

    def boundary(self, a: int, b: int) -> Hyperplane:
        """Return where classes a and b tie: normal ``w_a − w_b``, positive on the side of a."""
        k = len(self.weights)
        difference = self.weights[checks.place(a, "a", k)] - self.weights[checks.place(b, "b", k)]
        if a == b:
            raise ValueError(f"b: is {b} like a, and a class ties with itself; name two classes.")
        return Hyperplane.from_weights(difference)


class HasHyperplane(Protocol):
    """Anything that ends in a hyperplane: a run, a fit, a maximum margin."""

    @property
    def hyperplane(self) -> Hyperplane:
        """The boundary."""


Learner = Callable[[FloatArray, FloatArray], Hyperplane | HasHyperplane]


def _learned(learn: Learner, X: FloatArray, y: FloatArray) -> Hyperplane:
    if not callable(learn):
        raise TypeError(f"learn: expected a function of X and y, got {learn!r}; pass pla itself.")
    found = learn(X, y)
    try:
        return found if isinstance(found, Hyperplane) else found.hyperplane
    except AttributeError:
        raise TypeError(
            f"learn: returned {found!r}, which has no hyperplane; return a Hyperplane or a run."
        ) from None
    except ValueError:
        raise ValueError(
            "learn: ended with w = 0, which has no sides; give it a larger budget or another start."
        ) from None


def _grouped(X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, NDArray[Any], IntArray, FloatArray]:
    array = checks.points(X)
    names, codes = checks.classes(y, len(array))
    return array, names, codes, np.array([array[codes == k].mean(axis=0) for k in np.unique(codes)])


def one_vs_rest(X: ArrayLike, y: ArrayLike, learn: Learner) -> OneVsRest:
    """Learn one hyperplane for each class against all others together.

    >>> from linlib.perceptron.algorithm import pla
    >>> scheme = one_vs_rest([[0], [1], [5], [6]], ["a", "a", "b", "b"], pla)
    >>> scheme.predict([[0.5], [5.5]]).tolist()
    ['a', 'b']
    """
    array, names, codes, means = _grouped(X, y)
    signs = (np.where(codes == k, 1.0, -1.0) for k in range(len(names)))
    return OneVsRest(names, means, tuple(_learned(learn, array, y) for y in signs))


def one_vs_one(X: ArrayLike, y: ArrayLike, learn: Learner) -> OneVsOne:
    """Learn one hyperplane for each pair of classes, on the rows of those two alone.

    >>> from linlib.perceptron.algorithm import pla
    >>> scheme = one_vs_one([[0], [4], [9]], ["a", "b", "c"], pla)
    >>> scheme.votes([[4]])
    array([[0, 2, 1]])
    """
    array, names, codes, means = _grouped(X, y)
    hyperplanes = {}
    for a, b in combinations(range(len(names)), 2):
        rows = (codes == a) | (codes == b)
        hyperplanes[a, b] = _learned(learn, array[rows], np.where(codes[rows] == a, 1.0, -1.0))
    return OneVsOne(names, means, hyperplanes)


def kesler_rows(X: ArrayLike, y: ArrayLike) -> FloatArray:
    """Return the signed rows of Kesler's construction: shape ``(n(K−1), K(d+1))``.

    For a point of class c and every other class j there is one row, with ``(1, x)`` in block c and
    ``−(1, x)`` in block j. A linear machine with stacked weights is right on all points exactly
    when every product is positive.

    >>> kesler_rows([[5], [7]], ["a", "b"])
    array([[ 1.,  5., -1., -5.],
           [-1., -7.,  1.,  7.]])
    """
    array, _, codes, _ = _grouped(X, y)
    return KeslerRows(augment(array), codes).Z


def linear_machine(
    X: ArrayLike,
    y: ArrayLike,
    *,
    method: str = "perceptron",
    penalty: float = 0.0,
    max_updates: int = 10_000,
) -> LinearMachine:
    """Learn one score per class, by the perceptron on Kesler's rows or by least squares.

    "perceptron" is :func:`linlib.pla_rows` on :func:`kesler_rows`, step for step, with its mistake
    bound; "least_squares" fits class indicators (1 for the own class, 0 for the others).

    >>> machine = linear_machine([[0], [4], [9]], ["a", "b", "c"])
    >>> machine.predict([[0], [4], [9]]).tolist(), machine.converged
    (['a', 'b', 'c'], True)
    """
    array, names, codes, means = _grouped(X, y)
    checks.choice(method, "method", ("perceptron", "least_squares"))
    if method == "least_squares":
        penalty = checks.positive(penalty, "penalty", zero=True)
        indicators = codes[:, None] == np.arange(len(names))
        weights = affine_solve(array, indicators, penalty)[0].T
        return LinearMachine(names, means, weights, True)
    run = pla_rows(KeslerRows(augment(array), codes), max_updates=max_updates)
    weights = run.weights.reshape(len(names), -1)
    return LinearMachine(names, means, weights, run.converged, run)
