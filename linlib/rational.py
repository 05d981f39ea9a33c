"""Rational arithmetic for certificates: a float is a fraction, so nothing needs to be rounded.

:func:`alternative` decides Gordan's alternative exactly, by the simplex method: it ends in one of
the two certificates, never in neither and never in both. Floats do what floats can:
:func:`at_least` says which products are positive however they were rounded, and only the others
are computed again.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from operator import mul
from typing import NamedTuple

import numpy as np

from linlib.checks import FloatArray, IntArray

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)


class Alternative(NamedTuple):
    """Exactly one is given: weights with every product positive, or multipliers with sum zero."""

    weights: tuple[Fraction, ...] | None
    multipliers: dict[int, Fraction] | None


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


def alternative(Z: FloatArray, first: IntArray | None = None) -> Alternative:
    """Return weights with ``Z @ weights > 0``, or the reason why there are none.

    The reason is multipliers λ_i > 0 of some rows with Σ λ_i = 1 and Σ λ_i Z[i] = 0. Rows named in
    ``first`` are looked at before the others, which saves time if they clash already.

    >>> alternative(np.array([[1.0, 2.0], [-2.0, -4.0]])).multipliers
    {0: Fraction(2, 3), 1: Fraction(1, 3)}
    """
    # The simplex method, first phase: write (0, …, 0, 1) as Σ λ_i (Z[i], 1). The basis begins as
    # the unit vectors and takes in one wrong row after the other, until either no unit vector has
    # a share left or no row is wrong. ``inverse`` is the inverse of the basis times ``common``,
    # its last column the shares; pivoting without fractions (Edmonds 1967) keeps it whole.
    size = Z.shape[1] + 1
    inverse, common = [[int(r == k) for k in range(size)] for r in range(size)], 1
    basis: dict[int, tuple[int, int]] = {}
    while any(inverse[r][-1] for r in range(size) if r not in basis):
        units = [inverse[r] for r in range(size) if r not in basis]
        weights = [-sum(column) for column in zip(*units, strict=True)][:-1]
        row = _look(Z, weights, first)
        if row is None:
            return Alternative(tuple(Fraction(w, gcd(*weights)) for w in weights), None)
        integers, factor = whole([*Z[row].tolist(), 1.0])
        column = [sum(map(mul, line, integers)) for line in inverse]
        leaving = _leaving(inverse, column)
        common = _pivot(inverse, common, column, leaving)
        basis[leaving] = row, factor
    shares = {row: Fraction(inverse[r][-1] * f, common) for r, (row, f) in basis.items()}
    return Alternative(None, {row: share for row, share in sorted(shares.items()) if share})


def _look(Z: FloatArray, weights: list[int], first: IntArray | None) -> int | None:
    if first is not None and (near := wrong_row(Z[first], weights)) is not None:
        return int(first[near])
    return wrong_row(Z, weights)


def _leaving(inverse: list[list[int]], column: list[int]) -> int:
    """Return the member whose share is used up first as the entering one grows.

    Ties are broken by the other columns of the inverse: with this lexicographic rule (Dantzig,
    Orden and Wolfe 1955) no basis comes back, so the search ends.
    """
    tied = [r for r, value in enumerate(column) if value > 0]
    for k in reversed(range(len(column))):
        ratios = [Fraction(inverse[r][k], column[r]) for r in tied]
        least = min(ratios)
        tied = [r for r, ratio in zip(tied, ratios, strict=True) if ratio == least]
        if len(tied) == 1:
            break
    return tied[0]


def _pivot(inverse: list[list[int]], common: int, column: list[int], leaving: int) -> int:
    pivot, line = column[leaving], inverse[leaving]
    for r, factor in enumerate(column):
        if r != leaving:
            inverse[r] = [
                (pivot * value - factor * other) // common
                for value, other in zip(inverse[r], line, strict=True)
            ]
    return pivot
