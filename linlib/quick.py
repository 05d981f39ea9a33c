"""Large data: checked in one pass without copies where it is in order, worked on in blocks."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import FloatArray

LEAST, BLOCK = 256, 1024  # rows that are worked on together


def points(X: ArrayLike) -> tuple[FloatArray, float]:
    """Return what :func:`linlib.checks.points` does, and the sum of all squares.

    A finite sum is proof that every entry is finite; only otherwise look closer.
    """
    array: NDArray[Any] = X if isinstance(X, np.ndarray) else np.zeros(0)
    plain = type(X) is np.ndarray and array.dtype == np.float64 and array.ndim == 2
    squares = _squares(array) if plain and array.size else np.inf
    if squares < checks.LARGEST**2:
        return array, squares
    array = checks.points(X)
    return array, _squares(array)


def _squares(array: FloatArray) -> float:
    flat = array.ravel("K")  # in the order of the memory, so that nothing is copied
    return float(np.vdot(flat, flat))


def blocks(n: int, size: int | None = None) -> Iterator[slice]:
    """Return the parts of ``n`` rows one after the other, by default small against the whole.

    >>> list(blocks(5, 3))
    [slice(0, 3, None), slice(3, 6, None)]
    """
    size = size or min(BLOCK, max(n // 8, LEAST))
    return (slice(at, at + size) for at in range(0, n, size))
