"""Tucker's theorem, carried out in whole numbers.

For signed rows Z there are weights with ``Z @ weights >= 0`` and multipliers ``λ >= 0`` with
``Z.T @ λ = 0`` such that every row has exactly one of the two positive, its product or its
multiplier (Tucker 1956). :func:`complementary` finds both, from rows that clash.
"""

from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linlib import elimination, lifting, rational, simplex
from linlib.base.checks import FloatArray

Shares = dict[int, Fraction]


def complementary(Z: FloatArray, shares: Shares) -> tuple[tuple[Fraction, ...], Shares]:
    """Return weights and multipliers as in Tucker's theorem, from rows that clash.

    Weights without a negative product have the product 0 with every row that clashes. So only
    directions across all of these are left, and seen along them the other rows can again either be
    separated, or some of them clash too. Each round leaves fewer directions.
    """
    pairs = [rational.whole(row) for row in Z.tolist()]
    rows, factors = [row for row, _ in pairs], [factor for _, factor in pairs]
    shares = {i: share / factors[i] for i, share in shares.items()}
    weights = [0] * Z.shape[1]
    while True:
        span = Span(rows, list(shares))
        seen = {i: span.across(row) for i, row in enumerate(rows) if i not in shares}
        level = [i for i, view in seen.items() if not any(view)]
        if level:
            shares = span.joined(rows, shares, {i: Fraction(1) for i in level})
        others = [i for i in seen if i not in shares]
        if not others:
            break
        found = simplex.alternative(_scaled([seen[i] for i in others]))
        if found.weights is not None:
            numbers, _ = rational.whole(found.weights)
            columns = zip(*span.directions, strict=True)
            weights = [sum(map(mul, numbers, column)) for column in columns]
            break
        more = found.multipliers or {}
        sizes = {i: max(map(abs, seen[i])) for i in others}
        shares = span.joined(
            rows, shares, {others[k]: share / sizes[others[k]] for k, share in more.items()}
        )
    return tuple(map(Fraction, weights)), {i: x * factors[i] for i, x in shares.items()}


def _scaled(views: list[list[int]]) -> NDArray[Any]:
    """Return rows of fractions of size 1: whole numbers may be too large for a float."""
    return np.array([[Fraction(n, max(map(abs, view))) for n in view] for view in views], object)


class Span:
    """What some rows of whole numbers span, and the ``directions`` across all of them."""

    def __init__(self, rows: list[list[int]], which: list[int]) -> None:
        size = len(rows[0])
        units = [[int(r == k) for r in range(size)] for k in range(size)]
        members = [*(rows[i] for i in which), *units]
        chosen = elimination.independent(members, size)
        self.basis = [which[k] for k in chosen if k < len(which)]
        self.system = lifting.System([members[k] for k in chosen])
        self.directions = [
            self.system.solve([int(r == k) for r in range(size)], transposed=True)[0]
            for k in range(len(self.basis), size)
        ]
        if any(any(self.across(rows[i])) for i in which):
            raise ArithmeticError("rows that are dependent modulo a prime are not dependent")

    def across(self, row: list[int]) -> list[int]:
        """Return the products of a row with the directions."""
        return [sum(map(mul, row, direction)) for direction in self.directions]

    def joined(self, rows: list[list[int]], shares: Shares, more: Shares) -> Shares:
        """Return shares of all rows that balance, given some that balance and some that would.

        What the new rows leave unbalanced lies in the span; the old rows make good for it, with as
        much more of their own balance as keeps all their shares positive.
        """
        common = rational.whole(list(more.values()))
        columns = zip(*(rows[i] for i in more), strict=True)
        left = [sum(map(mul, common[0], column)) for column in columns]
        above, below = self.system.solve(left)
        owed = {
            row: Fraction(a, below * common[1])
            for row, a in zip(self.basis, above[: len(self.basis)], strict=True)
        }
        times = 1 + max(max(amount / shares[row] for row, amount in owed.items()), Fraction(0))
        made = {row: times * share - owed.get(row, 0) for row, share in shares.items()}
        return made | more
