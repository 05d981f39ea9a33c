"""Exact answers about the numbers that were typed.

A float stands for the decimal it prints: 0.1 is one tenth, not the binary fraction next to it. So
(0.7, −0.1) is the midpoint of (1.4, 0.6) and (0, −0.8), as it is on paper. Multiplied by a power of
ten decimals are integers, and integers are added and multiplied without rounding.

Floats still do most of the work: :func:`linlib.base.rows.at_least` bounds all rounding in products,
and :func:`wrong_row` computes exactly only those whose sign that bound leaves open.

What floats cannot decide is decided by the simplex method. Gordan (1873): either some weights have
``Z @ weights > 0``, or multipliers ``λ >= 0`` with sum 1 have ``Z.T @ λ = 0``. The second is a
linear program: write (0, …, 0, 1) as ``Σ λ_i (z_i, 1)``. :class:`_Tableau` starts with a basis of
artificial unit vectors and replaces one vector at a time by a row that the present weights get
wrong, until no artificial vector has a coefficient left (λ is found) or no row is wrong (the
weights are found). It stores the inverse of the basis times its determinant, which has integer
entries; in a pivot every division has remainder 0 (Edmonds 1967). The lexicographic rule chooses
the vector that leaves (Dantzig, Orden and Wolfe 1955), so that no basis comes back and the search
ends. SciPy's ``linprog`` solves the same program in floats.

Tucker (1956) sharpens Gordan: some weights with ``Z @ weights >= 0`` and multipliers ``λ >= 0``
with ``Z.T @ λ = 0`` leave no row without a positive product or a positive multiplier.
:func:`complementary` finds both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm
from operator import mul
from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.base.rows import at_least

Number = float | Fraction
Shares = dict[int, Fraction]
ZERO = Fraction(0)


def _ratio(number: Number) -> tuple[int, int]:
    if isinstance(number, float) and not (number.is_integer() and abs(number) < 2**53):
        return Decimal(float.__repr__(number)).as_integer_ratio()
    return number.as_integer_ratio()


def decimals(numbers: Iterable[Number]) -> tuple[Fraction, ...]:
    """Return the decimals that floats print, as fractions.

    >>> decimals([0.1, -2.5])
    (Fraction(1, 10), Fraction(-5, 2))
    """
    return tuple(Fraction(*_ratio(number)) for number in numbers)


def whole(numbers: Iterable[Number]) -> tuple[list[int], int]:
    """Return the numbers times the least factor that makes all of them integers, and the factor.

    >>> whole([0.5, 0.25, 0.1])
    ([10, 5, 2], 20)
    """
    ratios = [_ratio(number) for number in numbers]
    factor = lcm(*(below for _, below in ratios))
    return [above * (factor // below) for above, below in ratios], factor


def smallest(Z: FloatArray, weights: Sequence[Number]) -> Fraction:
    """Return the least of the exact products ``Z @ weights``."""
    integers, factor = whole(weights)
    rows = (whole(row) for row in Z.tolist())
    return min(Fraction(sum(map(mul, row, integers)), times * factor) for row, times in rows)


def wrong_row(Z: FloatArray, weights: Sequence[Number]) -> int | None:
    """Return a row whose exact product with the weights is not positive, or None."""
    integers, _ = whole(weights)
    largest = max(map(abs, integers)) or 1
    rough = np.array([integer / largest for integer in integers])
    doubtful = np.flatnonzero(at_least(Z, rough) <= 0)
    for i in doubtful[np.argsort(Z[doubtful] @ rough)]:
        if sum(map(mul, whole(Z[i].tolist())[0], integers)) <= 0:
            return int(i)
    return None


class Alternative(NamedTuple):
    """Exactly one is given: weights with every product positive, or multipliers with sum 1."""

    weights: tuple[Fraction, ...] | None
    multipliers: Shares | None


def alternative(Z: FloatArray, first: IntArray | None = None) -> Alternative:
    """Return weights with ``Z @ weights > 0``, or the reason why there are none.

    The reason is multipliers λ_i > 0 of some rows with Σ λ_i = 1 and Σ λ_i Z[i] = 0. Rows named in
    ``first`` are looked at before all others.

    >>> alternative(np.array([[0.1, 0.2], [-0.2, -0.4]])).multipliers
    {0: Fraction(2, 3), 1: Fraction(1, 3)}
    """
    return _Tableau(Z.shape[1]).solve(Z, np.arange(len(Z)), first)


class _Tableau:
    """The inverse of a basis of vectors (z, 1), times its determinant ``common`` > 0.

    ``members`` are the lines whose vector is a multiple of row ``row``, as (row, factor); all
    others belong to artificial vectors. Rows on hold have a coefficient of either sign, do not
    count in the sum of the multipliers, and never leave.
    """

    def __init__(self, width: int) -> None:
        self.lines = [[int(r == k) for k in range(width + 1)] for r in range(width + 1)]
        self.common = 1
        self.members: dict[int, tuple[int, int]] = {}

    @property
    def artificial(self) -> list[int]:
        return [k for k in range(len(self.lines)) if k not in self.members]

    def coordinates(self, vector: Sequence[int]) -> list[int]:
        """Return the coefficients of a vector in the basis, times ``common``."""
        return [sum(map(mul, line, vector)) for line in self.lines]

    def hold(self, row: int, vector: list[int], factor: int) -> None:
        """Put ``vector``, the row times ``factor``, on hold, unless it depends on those held."""
        if self.spans(vector):
            return
        column = self.coordinates(vector)
        k = next(k for k in self.artificial if column[k])
        sign = 1 if column[k] > 0 else -1
        self._pivot(k, [sign * entry for entry in column])
        self.members[k] = row, sign * factor

    def spans(self, vector: list[int]) -> bool:
        """Tell whether a row is a combination of those on hold."""
        return not any(sum(map(mul, self.lines[k], vector)) for k in self.artificial)

    def _pivot(self, k: int, column: list[int]) -> None:
        """Replace the vector of line k by the one with these coordinates, positive at k."""
        pivot, line = column[k], self.lines[k]
        for r, factor in enumerate(column):
            if r != k:
                pairs = zip(self.lines[r], line, strict=True)
                self.lines[r] = [(pivot * a - factor * b) // self.common for a, b in pairs]
        self.common = pivot

    def solve(self, Z: FloatArray, rows: IntArray, first: IntArray | None = None) -> Alternative:
        """Decide about some rows, given that the products of those on hold are 0.

        Multipliers are then also given, of either sign, for the rows on hold.
        """
        free = self.artificial
        parts = [(part, Z[part]) for part in (first, rows) if part is not None]
        # The columns that decide ties: the coefficients themselves, then those of the first basis.
        order = [-1, *free[:-1]]
        while any(self.lines[k][-1] for k in self.artificial):
            # The weights under which every row that is not yet in the basis would lower the sum of
            # the artificial coefficients exactly if it is wrong.
            lines = zip(*(self.lines[k] for k in self.artificial), strict=True)
            weights = [-sum(entries) for entries in lines][:-1]
            wrong = ((part, wrong_row(some, weights)) for part, some in parts)
            row = next((int(part[at]) for part, at in wrong if at is not None), None)
            if row is None:
                return Alternative(tuple(Fraction(w, gcd(*weights)) for w in weights), None)
            # The ratio test: the vector leaves whose coefficient is used up first. Of equals the
            # next columns decide, so that no basis comes back.
            vector, factor = whole([*Z[row].tolist(), 1.0])
            column = self.coordinates(vector)
            tied = [k for k in free if column[k] > 0]
            for c in order:
                shares = {k: Fraction(self.lines[k][c], column[k]) for k in tied}
                tied = [k for k in tied if shares[k] == min(shares.values())]
                if len(tied) == 1:
                    break
            self._pivot(tied[0], column)
            self.members[tied[0]] = row, factor
        found = {
            row: Fraction(self.lines[k][-1] * factor, self.common)
            for k, (row, factor) in self.members.items()
        }
        return Alternative(None, {row: found[row] for row in sorted(found) if found[row]})


def complementary(Z: FloatArray) -> tuple[tuple[Fraction, ...], list[Fraction]]:
    """Return weights and multipliers as in Tucker's theorem; either may be 0 altogether.

    Weights without a negative product have the product 0 with every row that clashes, and so with
    every combination of such rows. So the clashing rows found so far are put on hold. The others
    can then be separated, or some more of them clash with each other and with those on hold: a
    circuit. Each circuit puts more independent rows on hold, so that there are few of them.
    """
    rows = [whole(row) for row in Z.tolist()]
    shares: Shares = {}
    weights: tuple[Fraction, ...] | None = None
    while weights is None:
        tableau = _Tableau(Z.shape[1])
        for i in shares:
            tableau.hold(i, *rows[i])
        # What is a combination of clashing rows clashes with them.
        unknown = [i for i in range(len(rows)) if i not in shares]
        level = [i for i in unknown if tableau.spans(rows[i][0])]
        if level:
            shares = _joined(shares, _cancelling(tableau, rows, level))
        rest = [i for i in unknown if i not in shares]
        if not rest:
            weights = (ZERO,) * Z.shape[1]
            break
        weights, circuit = tableau.solve(Z, np.array(rest))
        shares = _joined(shares, circuit or {})
    return weights, [shares.get(i, ZERO) for i in range(len(rows))]


def _cancelling(tableau: _Tableau, rows: list[tuple[list[int], int]], level: list[int]) -> Shares:
    """Return a share of 1 for each of the rows, and those of the rows on hold that cancel them."""
    common = lcm(*(factor for _, factor in (rows[i] for i in level)))
    whole_rows = ([common // rows[i][1] * entry for entry in rows[i][0]] for i in level)
    total = [sum(entries) for entries in zip(*whole_rows, strict=True)]
    column = tableau.coordinates(total)
    shares = dict.fromkeys(level, Fraction(1))
    for k, (row, factor) in tableau.members.items():
        shares[row] = Fraction(-column[k] * factor, common * tableau.common)
    return shares


def _joined(shares: Shares, more: Shares) -> Shares:
    """Return the shares and as large a part of ``more`` as leaves all of them positive."""
    most = max((-more.get(i, ZERO) / share for i, share in shares.items()), default=ZERO)
    parts = 1 << max(int(most), 0).bit_length()
    return {i: shares.get(i, ZERO) + more.get(i, ZERO) / parts for i in sorted({*shares, *more})}
