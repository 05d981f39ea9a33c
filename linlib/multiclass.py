"""More than two classes: one against the rest, pair by pair, or one linear machine.

The first two ask several two-class questions, and their answers can contradict each other: some
points are claimed by no class or by several. A linear machine compares one score per class and
has no such regions. Points in doubt go to the nearest class: the one among those in doubt whose
mean is closest.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.following import run_on
from linlib.hyperplane import Hyperplane
from linlib.kesler import KeslerRows
from linlib.least_squares import affine_solve
from linlib.rows import augment
from linlib.schemes import LinearMachine, OneVsOne, OneVsRest


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

    >>> from linlib.perceptron import pla
    >>> scheme = one_vs_rest([[0], [1], [5], [6]], ["a", "a", "b", "b"], pla)
    >>> scheme.predict([[0.5], [5.5]]).tolist()
    ['a', 'b']
    """
    array, names, codes, means = _grouped(X, y)
    signs = (np.where(codes == k, 1.0, -1.0) for k in range(len(names)))
    return OneVsRest(names, means, tuple(_learned(learn, array, y) for y in signs))


def one_vs_one(X: ArrayLike, y: ArrayLike, learn: Learner) -> OneVsOne:
    """Learn one hyperplane for each pair of classes, on the rows of those two alone.

    >>> from linlib.perceptron import pla
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
    run = run_on(KeslerRows(augment(array), codes), max_updates=max_updates)
    weights = run.weights.reshape(len(names), -1)
    return LinearMachine(names, means, weights, run.converged, run)
