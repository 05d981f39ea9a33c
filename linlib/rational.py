"""Rational arithmetic for certificates: a float is a fraction, so nothing needs to be rounded.

Floats do what floats can: :func:`at_least` says which products are positive however they were
rounded, and only the others are computed again.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from operator import mul

import numpy as np

from linlib.base.checks import EPS, FloatArray

TINY = float(np.finfo(np.float64).tiny)


def at_least(Z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``Z @ weights`` less all that rounding can have added (Higham, section 3.1)."""
    sizes = np.abs(Z) @ (np.abs(weights) + TINY) + TINY
    return np.asarray(Z @ weights - (Z.shape[1] + 2) * EPS * sizes)


def whole(numbers: Iterable[float | Fraction]) -> tuple[list[int], int]:
    """Return integers in the ratios of the numbers, and the factor that made them whole.

    >>> whole([0.5, 0.25, 3.0])
    ([2, 1, 12], 4)
    """
    ratios = [number.as_integer_ratio() for number in numbers]
    factor = lcm(*(below for _, below in ratios))
    return [above * (factor // below) for above, below in ratios], factor


def smallest(Z: FloatArray, weights: Sequence[float | Fraction]) -> Fraction:
    """Return the least of the exact products ``Z @ weights``."""
    integers, factor = whole(weights)
    rows = (whole(row) for row in Z.tolist())
    return min(Fraction(sum(map(mul, row, integers)), times * factor) for row, times in rows)


def wrong_row(Z: FloatArray, weights: Sequence[float | Fraction]) -> int | None:
    """Return a row whose exact product with the weights is not positive, or None.

    Only products that rounding could have made positive are computed exactly.
    """
    integers, _ = whole(weights)
    largest = max(map(abs, integers)) or 1
    rough = np.array([integer / largest for integer in integers])
    doubtful = np.flatnonzero(at_least(Z, rough) <= 0)
    for i in doubtful[np.argsort(Z[doubtful] @ rough)]:
        if sum(map(mul, whole(Z[i].tolist())[0], integers)) <= 0:
            return int(i)
    return None
