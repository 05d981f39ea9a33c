"""More than two classes (lecture 10): one-vs-rest, pairwise (one-vs-one) and linear machines.

The first two combine hyperplanes and leave points in doubt, which go to the nearest mean among the
candidates; a linear machine has one score for each class, and the largest wins. A ``learner`` of
the first two is a function of ``X`` and labels ±1 such as :func:`linlib.pla`; a linear machine is
learned for all classes at once, so that its learner is a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import Frozen, names
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import augment
from linlib.descent.linear_regression import indicator_weights
from linlib.perceptron.algorithm import pla_rows
from linlib.perceptron.runs import Run


@dataclass(frozen=True, eq=False, repr=False)
class Scheme(Frozen):
    """What the three schemes share: who claims a point, and what happens to points in doubt.

    ``converged`` says whether every hyperplane, or the machine, was learned to the end, and
    ``status`` says it in a sentence.
    """

    classes: NDArray[Any]
    means: FloatArray
    converged: bool = field(kw_only=True)
    status: str = field(kw_only=True)

    def _facts(self) -> Mapping[str, str]:
        facts = {"classes": names(self.classes), "features": str(self.means.shape[1])}
        return facts | {"status": self.status}

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: which classes claim each row."""
        raise NotImplementedError

    def ambiguous(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Tell which rows are claimed by no class or by more than one."""
        return np.asarray(self.claims(X).sum(axis=1) != 1)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row; in doubt the nearest mean among the candidates."""
        array = checks.points(X)
        claimed = self.claims(array)
        claimed[~claimed.any(axis=1)] = True  # claimed by nobody: all classes are candidates
        far = np.column_stack([((array - mean) ** 2).sum(axis=1) for mean in self.means])
        nearest = np.argmin(np.where(claimed, far, np.inf), axis=1)
        return np.asarray(self.classes[nearest])


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
    run: Run | None = None

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return the ``(n, classes)`` scores ``w_k · x + w0_k``."""
        array = checks.points(X, width=self.weights.shape[1] - 1)
        return np.asarray(augment(array) @ self.weights.T)

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: the classes with the largest score, several only in a tie."""
        scores = self.scores(X)
        return np.asarray(scores == scores.max(axis=1, keepdims=True))

    def boundary(self, a: int, b: int) -> Hyperplane:
        """Return where classes a and b tie: normal ``w_a − w_b``, positive on the side of a."""
        k = len(self.weights)
        difference = (
            self.weights[checks.count(a, "a", below=k)]
            - self.weights[checks.count(b, "b", below=k)]
        )
        if a == b:
            raise ValueError(f"b: must differ from a, got {b} twice; name two classes.")
        return Hyperplane.from_weights(difference)


# From X and labels ±1 to a hyperplane, or anything that has one: a run, a fit, a maximum margin.
Learner = Callable[[FloatArray, FloatArray], Any]


def _learned(learner: Learner, X: FloatArray, y: FloatArray) -> tuple[Hyperplane, bool]:
    """Return the hyperplane that a learner finds, and whether it was learned to the end."""
    if not callable(learner):
        raise TypeError(
            f"learner: expected a function of X and y, got {learner!r}; pass pla itself."
        )
    found = learner(X, y)
    try:
        hyperplane = getattr(found, "hyperplane", found)
    except ValueError:
        raise ValueError(
            "learner: ended with w = 0, which has no sides; raise its budget or change its start, "
            "or compare the scores of the classes with linear_machine."
        ) from None
    if not isinstance(hyperplane, Hyperplane):
        raise TypeError(
            f"learner: returned {found!r}, which has no hyperplane; return a Hyperplane or a run."
        )
    return hyperplane, bool(getattr(found, "converged", True))


def _outcome(converged: Sequence[bool]) -> dict[str, Any]:
    status = f"Learned {len(converged)} hyperplanes"
    if not all(converged):
        status += (
            f", but {converged.count(False)} did not converge. Raise the learner's budget, or "
            f"choose a learner for data that are not separable"
        )
    return {"converged": all(converged), "status": f"{status}."}


def _grouped(X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, NDArray[Any], IntArray, FloatArray]:
    array = checks.points(X)
    names, codes = checks.classes(y, len(array))
    return array, names, codes, np.array([array[codes == k].mean(axis=0) for k in np.unique(codes)])


def one_vs_rest(X: ArrayLike, y: ArrayLike, learner: Learner) -> OneVsRest:
    """Learn one hyperplane for each class against all others together.

    Unlike scikit-learn's ``OneVsRestClassifier`` it compares no scores: a point that no class
    claims, or several, is in doubt.

    >>> from linlib.perceptron.algorithm import pla
    >>> scheme = one_vs_rest([[0], [1], [5], [6]], ["a", "a", "b", "b"], pla)
    >>> scheme.predict([[0.5], [5.5]]).tolist()
    ['a', 'b']
    """
    array, names, codes, means = _grouped(X, y)
    signs = (np.where(codes == k, 1.0, -1.0) for k in range(len(names)))
    hyperplanes, converged = zip(*(_learned(learner, array, y) for y in signs), strict=True)
    return OneVsRest(names, means, hyperplanes, **_outcome(converged))


def one_vs_one(X: ArrayLike, y: ArrayLike, learner: Learner) -> OneVsOne:
    """Learn one hyperplane for each pair of classes, on the rows of those two alone.

    The pairs vote, as in scikit-learn's ``OneVsOneClassifier``.

    >>> from linlib.perceptron.algorithm import pla
    >>> scheme = one_vs_one([[0], [4], [9]], ["a", "b", "c"], pla)
    >>> scheme.votes([[4]])
    array([[0, 2, 1]])
    """
    array, names, codes, means = _grouped(X, y)
    hyperplanes, converged = {}, []
    for a, b in combinations(range(len(names)), 2):
        rows = (codes == a) | (codes == b)
        signs = np.where(codes[rows] == a, 1.0, -1.0)
        hyperplanes[a, b], done = _learned(learner, array[rows], signs)
        converged.append(done)
    return OneVsOne(names, means, hyperplanes, **_outcome(converged))


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
    A, classes = augment(array), np.arange(int(codes.max()) + 1)
    others = np.array([classes[classes != c] for c in classes])[codes]
    points, pairs = np.ogrid[: len(A), : len(classes) - 1]
    rows = np.zeros((len(A), len(classes) - 1, len(classes), A.shape[1]))
    rows[points, pairs, codes[:, None]] = A[:, None]
    rows[points, pairs, others] = 0.0 - A[:, None]
    return rows.reshape(len(A) * (len(classes) - 1), -1)


def linear_machine(
    X: ArrayLike,
    y: ArrayLike,
    *,
    learner: str = "perceptron",
    penalty: float = 0.0,
    max_updates: int = 10_000,
) -> LinearMachine:
    """Learn one score per class, by the perceptron on Kesler's rows or by least squares.

    "perceptron" is :func:`linlib.pla_rows` on :func:`kesler_rows`, with its mistake bound and at
    most ``max_updates`` updates; the rows take K² times the memory of X. "least_squares" fits class
    indicators (1 for the own class, 0 for the others) with the ``penalty`` of
    :func:`linlib.least_squares` on each ``w``.

    >>> machine = linear_machine([[0], [4], [9]], ["a", "b", "c"])
    >>> machine.predict([[0], [4], [9]]).tolist(), machine.converged
    (['a', 'b', 'c'], True)
    """
    array, names, codes, means = _grouped(X, y)
    checks.choice(learner, "learner", ("perceptron", "least_squares"))
    penalty = checks.positive(penalty, "penalty", zero=True)
    if learner == "least_squares":
        weights = indicator_weights(array, codes, len(names), penalty)
        status = "Solved: no weights have a smaller cost."
        return LinearMachine(names, means, weights, converged=True, status=status)
    if penalty:
        raise ValueError(
            f"penalty: the perceptron has none, got {penalty:g}; pass learner='least_squares'."
        )
    run = pla_rows(kesler_rows(array, codes), max_updates=max_updates)
    weights = run.weights.reshape(len(names), -1)
    return LinearMachine(names, means, weights, run, converged=run.converged, status=run.status)
