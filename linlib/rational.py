"""Rational arithmetic for certificates: a float is a fraction, so nothing needs to be rounded.

:func:`alternative` decides Gordan's alternative for a few rows by the first phase of the simplex
method with Bland's rule, which cannot cycle: it ends in one of the two certificates, never in
neither and never in both.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from linlib.checks import FloatArray

Rows = list[list[Fraction]]


class Alternative(NamedTuple):
    """Exactly one is given: weights with every product positive, or multipliers with sum zero."""

    weights: list[Fraction] | None
    multipliers: list[Fraction] | None


def rows(array: FloatArray) -> Rows:
    """Return the rows as fractions, without rounding."""
    return [[Fraction(value) for value in row] for row in array.tolist()]


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Return the exact inner product."""
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def combine(shares: Sequence[Fraction], rows: Rows) -> list[Fraction]:
    """Return ``Σ shares_i · rows_i``."""
    return [dot(shares, column) for column in zip(*rows, strict=True)]


def alternative(rows: Rows) -> Alternative:
    """Return weights with ``row · weights > 0`` for all rows, or the reason why there are none.

    The reason is ``multipliers`` λ ≥ 0 with Σ λ_i = 1 and Σ λ_i row_i = 0.

    >>> one = Fraction(1)
    >>> alternative([[one, one], [-one, -one]]).multipliers
    [Fraction(1, 2), Fraction(1, 2)]
    """
    n, m = len(rows), len(rows[0]) + 1
    one, zero = Fraction(1), Fraction(0)
    # Row r < m − 1 of the tableau says Σ λ_i rows[i][r] = 0, the last one Σ λ_i = 1; artificial
    # variable n + r measures what is missing from r. The bottom line holds the reduced costs.
    tableau = [
        [*(row[r] for row in rows), *(one if k == r else zero for k in range(m)), zero]
        for r in range(m - 1)
    ]
    tableau.append([one] * n + [one if k == m - 1 else zero for k in range(m)] + [one])
    cost = [-sum((line[j] for line in tableau), zero) for j in range(n)] + [zero] * m
    cost.append(-sum((line[-1] for line in tableau), zero))
    basis = list(range(n, n + m))
    while (entering := next((j for j in range(n + m) if cost[j] < 0), None)) is not None:
        ratios = [
            (line[-1] / line[entering], basis[r], r)
            for r, line in enumerate(tableau)
            if line[entering] > 0
        ]
        leaving = min(ratios)[2]
        _pivot(tableau, cost, leaving, entering)
        basis[leaving] = entering
    if cost[-1] == 0:
        value = dict(zip(basis, (line[-1] for line in tableau), strict=True))
        return Alternative(None, [value.get(i, zero) for i in range(n)])
    return Alternative([cost[n + r] - 1 for r in range(m - 1)], None)


def _pivot(tableau: Rows, cost: list[Fraction], leaving: int, entering: int) -> None:
    pivot = tableau[leaving][entering]
    line = [value / pivot if value else value for value in tableau[leaving]]
    tableau[leaving] = line
    for other in (*(t for r, t in enumerate(tableau) if r != leaving), cost):
        factor = other[entering]
        if factor:
            for j, value in enumerate(line):
                if value:
                    other[j] -= factor * value
