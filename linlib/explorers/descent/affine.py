"""What an affine map does to a start when it is applied again and again.

On the squared loss a step, and a pass over the rows one by one, is such a map of the weights. It
acts only within the span of the rows; there its eigenvalues decide, as far as the start has a part
in their direction.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import FloatArray

NOTHING = 1e-9  # relative to the rows and weights; places and steps have at most seven decimals


def span(Z: ArrayLike) -> FloatArray:
    """Return an orthonormal basis of what the rows see, as columns: shape (d, rank).

    >>> span([[1.0, 1.0], [2.0, 2.0]]).shape
    (2, 1)
    """
    rows = checks.points(Z, "Z")
    _, sizes, V = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(V[sizes > NOTHING * max(float(sizes[0]), np.finfo(np.float64).tiny)].T)


def pass_of(Z: FloatArray, step: float, one_by_one: bool) -> tuple[FloatArray, FloatArray]:
    """Return A and b of ``w → A w + b``: one step over all rows, or one pass over them in order."""
    d = Z.shape[1]
    A, b = np.eye(d), np.zeros(d)
    for rows in Z[:, None] if one_by_one else Z[None]:
        turn = np.eye(d) - step * rows.T @ rows
        A, b = turn @ A, turn @ b + step * rows.sum(axis=0)
    return A, b


def _eigen(A: FloatArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return eigenvalues and eigenvectors, real where they are: NumPy 2.5 makes all complex."""
    values, vectors = np.linalg.eig(A)
    return (values, vectors) if np.any(values.imag) else (values.real, vectors.real)


def runaway(A: FloatArray, b: FloatArray, start: FloatArray) -> float:
    """Return the largest eigenvalue above 1 in whose direction the first pass moves, 0 for none.

    Moves are multiplied by A, so that no resting place is needed: where A is huge it would be
    rounding. An error e in a direction moves by (λ − 1) e, and e counts beside the start.
    """
    values, vectors = _eigen(A)
    if not np.any(np.abs(values) > 1 + NOTHING):
        return 0.0
    move = A @ start + b - start
    counts = NOTHING * max(1.0, float(np.abs(start).max()))
    if np.iscomplexobj(values) or np.linalg.cond(vectors) > 1e6:
        largest = float(np.abs(values).max())
        return largest if np.abs(move).max() > counts * (largest + 1) else 0.0
    parts = np.abs(np.linalg.solve(vectors, move)) > counts * np.abs(values - 1)
    seen = values[parts & (np.abs(values) > 1 + NOTHING)]
    return float(seen[np.argmax(np.abs(seen))]) if len(seen) else 0.0


def growth(A: FloatArray, error: FloatArray, size: float) -> float:
    """Return the eigenvalue of largest size in whose direction there is an error, 0 for none.

    A pair of complex eigenvalues turns the error: then its size, without a sign.
    """
    values, vectors = _eigen(A)
    if not len(values):
        return 0.0
    if np.iscomplexobj(values) or np.linalg.cond(vectors) > 1e6:
        largest = float(np.abs(values).max())
        return largest if np.abs(error).max() > NOTHING * size else 0.0
    parts = np.abs(np.linalg.solve(vectors, error)) > NOTHING * size
    seen = values[parts]
    return float(seen[np.argmax(np.abs(seen))]) if len(seen) else 0.0
