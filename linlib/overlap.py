"""Do two classes overlap, and how? What decides whether the logistic loss has a minimum.

Tucker (1956): for signed rows Z there are weights with ``Z @ weights >= 0`` and multipliers
``λ >= 0`` with ``Z.T @ λ = 0`` such that every row has exactly one of the two positive, its product
or its multiplier. Albert & Anderson (1984) name three cases. All products positive: *complete*
separation. All multipliers positive: *overlap*. Some of each: *quasi-complete* separation, a
hyperplane with no point on its wrong side and some points on itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import lifting, rational
from linlib.certificates import Inseparable, Separable
from linlib.checks import EPS, FloatArray, IntArray
from linlib.frozen import Frozen
from linlib.rows import signed_rows
from linlib.separability import certify
from linlib.shown import Shown, vector

COMPLETE, QUASI, OVERLAP = "complete", "quasi-complete", "overlap"
Shares = dict[int, Fraction]


@dataclass(frozen=True, eq=False, repr=False)
class Overlap(Frozen, Shown):
    """How classes overlap, with proof: each row has a positive product or a positive multiplier.

    ``clashing`` are the rows with a multiplier. The products of all others with ``weights`` are
    positive, and those of the clashing rows are 0; ``exact`` are the weights as fractions.
    """

    weights: FloatArray
    multipliers: FloatArray
    clashing: IntArray
    exact: tuple[Fraction, ...]

    @property
    def kind(self) -> str:
        """One of "complete", "quasi-complete" and "overlap"."""
        if not len(self.clashing):
            return COMPLETE
        return OVERLAP if len(self.clashing) == len(self.multipliers) else QUASI

    def _facts(self) -> Mapping[str, str]:
        rows = f"{len(self.clashing)} of {len(self.multipliers)}"
        return {"kind": self.kind, "clashing rows": rows, "weights": vector(self.weights)}

    def check(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Prove it again: the products exactly, the balance of the multipliers to nine digits."""
        return self.proves(signed_rows(X, y))

    def proves(self, Z: FloatArray) -> bool:
        """Prove it again for signed rows."""
        if Z.shape != (len(self.multipliers), len(self.exact)):
            return False
        weights, _ = rational.whole(self.exact)
        signs = [sum(map(mul, rational.whole(row)[0], weights)) for row in Z.tolist()]
        clashes = np.isin(np.arange(len(Z)), self.clashing)
        right = all(product > 0 for product, clash in zip(signs, clashes, strict=True) if not clash)
        level = not any(signs[i] for i in self.clashing)
        shares = self.multipliers
        balanced = np.abs(shares @ Z) <= 1e-9 * (shares @ np.abs(Z) + rational.TINY)
        positive = np.array_equal(shares > 0, clashes)
        return right and level and positive and bool(balanced.all())


def overlap(X: ArrayLike, y: ArrayLike) -> Overlap:
    """Return which of the three cases a sample is, with proof; decided without rounding.

    >>> [overlap([[0], [1], [1], [2]], y).kind for y in ([-1, -1, -1, 1], [-1, -1, 1, 1])]
    ['complete', 'quasi-complete']
    >>> overlap([[0], [1], [2], [3]], [-1, 1, -1, 1]).kind
    'overlap'
    """
    return _decided(signed_rows(X, y), certify(X, y))


def overlap_of(Z: FloatArray) -> Overlap:
    """Return the case of signed rows that are written out."""
    return _decided(Z, certify(Z, np.ones(len(Z)), bias=False))


def separated(Z: FloatArray, weights: FloatArray) -> Overlap | None:
    """Return proof of complete separation if these weights are one, however rounding went."""
    if not bool(np.all(rational.at_least(Z, weights) > 0)):
        return None
    return _proof(Z, tuple(map(Fraction, weights.tolist())), {})


def _decided(Z: FloatArray, verdict: Separable | Inseparable) -> Overlap:
    if isinstance(verdict, Separable):
        exact = verdict.exact or tuple(map(Fraction, verdict.weights.tolist()))
        return _proof(Z, exact, {})
    rows = verdict.support
    first = rational.alternative(Z[rows], np.arange(len(rows))).multipliers
    assert first is not None
    return _proof(Z, *_tucker(Z, {int(rows[i]): share for i, share in first.items()}))


def _proof(Z: FloatArray, exact: tuple[Fraction, ...], shares: Shares) -> Overlap:
    largest = max(map(abs, exact)) or Fraction(1)
    weights = np.array([float(weight / largest) for weight in exact])
    multipliers = np.zeros(len(Z))
    total = sum(shares.values())
    for row, share in shares.items():
        multipliers[row] = float(share / total)
    return Overlap(weights, multipliers, np.array(sorted(shares), dtype=np.int64), exact)


def _tucker(Z: FloatArray, shares: Shares) -> tuple[tuple[Fraction, ...], Shares]:
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
        span = _Span(rows, list(shares))
        seen = {i: span.across(row) for i, row in enumerate(rows) if i not in shares}
        level = [i for i, view in seen.items() if not any(view)]
        if level:
            shares = span.joined(rows, shares, {i: Fraction(1) for i in level})
        others = [i for i in seen if i not in shares]
        if not others:
            break
        found = rational.alternative(_scaled([seen[i] for i in others]))
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


class _Span:
    """What some rows of whole numbers span, and the ``directions`` across all of them."""

    def __init__(self, rows: list[list[int]], which: list[int]) -> None:
        size = len(rows[0])
        units = [[int(r == k) for r in range(size)] for k in range(size)]
        members = [*(rows[i] for i in which), *units]
        chosen = lifting.independent(members, size)
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


def all_clash(gradient: FloatArray, gram: FloatArray, longest: float, count: int) -> bool:
    """Tell whether all of ``count`` rows clash, however rounding went; False means "not proved".

    For positive shares p, ``gradient`` is ``Z.T @ p`` and ``gram`` is ``Z.T @ diag(p) @ Z``, and no
    row is longer than ``longest``. With h the solution of ``gram @ h = gradient``, the shares
    ``p (1 − Z @ h)`` balance; they are positive once every ``z · h`` is below 1.
    """
    size = float(np.trace(gram))
    slack = 16 * (count + len(gram)) * EPS
    lowest = float(np.linalg.eigvalsh(gram)[0]) - slack * size
    # The shares add up to no more than the trace where every row holds a 1.
    pull = float(np.linalg.norm(gradient)) + slack * size * longest
    return lowest > 0 and 2 * longest * pull < lowest
