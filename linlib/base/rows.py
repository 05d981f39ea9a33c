"""Signed rows ``z_i = y_i (1, x_i)``: what every learner works on, from lecture 02 to the last.

A row is right while ``z_i · weights > 0``, so that learning is one demand, ``Z @ weights > 0``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import EPS, TINY, FloatArray, IntArray

# So many rows are visited at a time: their copies stay in the processor's cache, which halves the
# time on 100,000 rows.
BLOCK = 2048


def blocks(n: int) -> Iterator[slice]:
    """Visit n rows a block at a time.

    >>> [(part.start, part.stop) for part in blocks(3000)]
    [(0, 2048), (2048, 4096)]
    """
    for begin in range(0, n, BLOCK):
        yield slice(begin, begin + BLOCK)


def augment(X: ArrayLike) -> FloatArray:
    """Return the rows ``(1, x)``: shape ``(n, d + 1)``, the constant first.

    >>> augment([[2, 3]])
    array([[1., 2., 3.]])
    """
    array = checks.points(X)
    return np.column_stack([np.ones(len(array)), array])


def polynomial(X: ArrayLike, degree: int) -> FloatArray:
    """Return all monomials of the features from degree 1 to ``degree``, without the constant.

    Column order: by degree, then lexicographically, so ``(x1, x2, x1², x1·x2, x2²)`` for degree 2:
    that of scikit-learn's ``PolynomialFeatures(degree, include_bias=False)``.

    >>> polynomial([[2, 3]], 2)
    array([[2., 3., 4., 6., 9.]])
    """
    array = checks.points(X)
    degree = checks.count(degree, "degree", least=1)
    columns = [
        np.prod(array[:, list(chosen)], axis=1)
        for power in range(1, degree + 1)
        for chosen in combinations_with_replacement(range(array.shape[1]), power)
    ]
    return np.column_stack(columns)


def quadratic(X: ArrayLike) -> FloatArray:
    """Return the lift in which a quadratic rule ``xᵀAx + b·x + c`` is linear.

    The features are x, then ``2 x_i x_j`` for i < j, then the squares; in the plane
    ``(x1, x2, 2 x1 x2, x1², x2²)``. :func:`quadratic_weights` are the matching weights.

    >>> quadratic([[2, 3]])
    array([[ 2.,  3., 12.,  4.,  9.]])
    """
    array = checks.points(X)
    pairs = [2 * array[:, i] * array[:, j] for i, j in combinations(range(array.shape[1]), 2)]
    return np.column_stack([array, *pairs, array**2])


def quadratic_weights(A: ArrayLike, b: ArrayLike, c: float) -> FloatArray:
    """Return weights with ``augment(quadratic(X)) @ weights = xᵀAx + b·x + c`` for symmetric A.

    >>> quadratic_weights([[1, 5], [5, 2]], [3, 4], 6)
    array([6., 3., 4., 5., 1., 2.])
    """
    matrix = checks.points(A, "A")
    linear = checks.vector(b, "b")
    if matrix.shape != (linear.size, linear.size):
        raise ValueError(
            f"A: has shape {matrix.shape} where b has {linear.size} entries; "
            f"give a square matrix of that size."
        )
    if not np.allclose(matrix, matrix.T, atol=1e-8 * np.abs(matrix).max()):
        raise ValueError("A: is not symmetric; use (A + A.T) / 2, which gives the same rule.")
    symmetric = (matrix + matrix.T) / 2
    above = symmetric[np.triu_indices(linear.size, k=1)]
    return np.concatenate([checks.vector([c], "c"), linear, above, np.diag(symmetric)])


def signed_rows(X: ArrayLike, y: ArrayLike, *, bias: bool = True) -> FloatArray:
    """Return ``Z`` with rows ``y_i · (1, x_i)``: weights are right iff ``Z @ weights > 0``.

    Without ``bias`` the rows are ``y_i · x_i``, for boundaries through the origin.

    >>> signed_rows([[2, 3], [4, 5]], [1, -1])
    array([[ 1.,  2.,  3.],
           [-1., -4., -5.]])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    rows = labels[:, None] * array
    Z = np.column_stack([labels, rows]) if checks.flag(bias, "bias") else rows
    return np.asarray(Z + 0.0)  # a negated zero prints as −0; adding 0 makes it a plain one


def errors(agreement: FloatArray) -> int:
    """Return how many rows are wrong: their ``y g(x) = z · weights`` is not above 0.

    "Not above" rather than "below or at": a NaN from overflow must never look right.
    """
    return int(agreement.size - np.count_nonzero(agreement > 0))


def mistaken(Z: FloatArray, weights: FloatArray) -> IntArray:
    """Return which rows the weights get wrong: their score is not above 0."""
    return np.flatnonzero(~(Z @ weights > 0))


def at_least(Z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``Z @ weights`` less all that rounding can have added (Higham, section 3.1).

    That includes the rounding of the typed decimals to floats: half of EPS for each factor.
    """
    sizes = np.abs(Z) @ (np.abs(weights) + TINY) + TINY * (1 + np.abs(weights).sum())
    return np.asarray(Z @ weights - (Z.shape[1] + 2) * EPS * sizes)


def surely_above(Z: FloatArray, least: float, weights: FloatArray) -> bool:
    """Tell whether every product is above ``least``, however it was rounded."""
    return bool(np.all(at_least(Z, weights) > least))


class Centre(NamedTuple):
    """The mean of rows in two parts: the rounded mean, and what rounding took from it.

    To subtract the rounded mean alone leaves every column with a mean of about its last digit. Far
    from the origin that is large enough to be taken for data.
    """

    mean: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, array: FloatArray) -> Centre:
        """Return the centre of rows; that of a constant column is exactly its number."""
        mean = np.where(np.ptp(array, axis=0) == 0, array[0], array.mean(axis=0))
        rest = (array - mean).mean(axis=0)
        rounded = mean + rest
        return cls(rounded, rest - (rounded - mean))

    def away(self, rows: FloatArray) -> FloatArray:
        """Return the rows less the centre."""
        return np.asarray(rows - self.mean - self.rest)

    def offset(self, w: FloatArray, level: FloatArray | float) -> FloatArray:
        """Return w0 such that ``w · x + w0`` is ``level`` at the centre; w may be ``(d, K)``."""
        return np.asarray(level - self.rest @ w - self.mean @ w)
