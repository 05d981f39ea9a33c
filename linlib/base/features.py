"""Lifts: a linear rule in more features is a curved rule in the original ones."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray


def polynomial(X: ArrayLike, degree: int) -> FloatArray:
    """Return all monomials of the features from degree 1 to ``degree``, without the constant.

    Column order: by degree, then lexicographically, so ``(x1, x2, x1², x1·x2, x2²)`` for degree 2.

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
