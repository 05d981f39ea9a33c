"""Gordan's alternative, decided exactly by the simplex method.

Signed rows can be separated, or some of them clash: :func:`alternative` ends in one of the two
certificates, never in neither and never in both. All arithmetic is that of whole numbers
(:mod:`linlib.rational`, :mod:`linlib.lifting`).
"""

from fractions import Fraction
from math import gcd
from typing import NamedTuple

from linlib import elimination, lifting
from linlib.base.checks import FloatArray, IntArray
from linlib.rational import whole, wrong_row


class Alternative(NamedTuple):
    """Exactly one is given: weights with every product positive, or multipliers with sum zero."""

    weights: tuple[Fraction, ...] | None
    multipliers: dict[int, Fraction] | None


def alternative(
    Z: FloatArray, first: IntArray | None = None, near: FloatArray | None = None
) -> Alternative:
    """Return weights with ``Z @ weights > 0``, or the reason why there are none.

    The reason is multipliers λ_i > 0 of some rows with Σ λ_i = 1 and Σ λ_i Z[i] = 0. The search
    begins at the rows named in ``first``: if they clash, or if weights like ``near`` that have
    equal products with them separate, it ends there too.

    >>> import numpy as np
    >>> alternative(np.array([[1.0, 2.0], [-2.0, -4.0]])).multipliers
    {0: Fraction(2, 3), 1: Fraction(1, 3)}
    """
    # The simplex method, first phase: write (0, …, 0, 1) as Σ λ_i (Z[i], 1). The basis begins as
    # rows filled up with vectors that have to go, and takes in one wrong row after the other,
    # until either no such vector has a share left or no row is wrong.
    basis = _Basis.of(Z, first)
    if near is not None and any(basis.shares[k] for k in basis.strange()):
        weights = basis.weights([whole(near.tolist())[0][k] for k in basis.units])
        if wrong_row(Z, weights) is None:
            return Alternative(_shortened(weights), None)
    basis.make_positive()
    while any(basis.shares[k] for k in basis.strange()):
        weights = basis.weights([-1] * len(basis.strange()))
        row = _look(Z, weights, first)
        if row is None:
            return Alternative(_shortened(weights), None)
        basis.take(_Member.of(Z, row))
    shares = {m.row: x * m.factor for m, x in zip(basis.members, basis.shares, strict=True) if x}
    return Alternative(None, {row: shares[row] for row in sorted(shares)})


def _shortened(weights: list[int]) -> tuple[Fraction, ...]:
    return tuple(Fraction(w, gcd(*weights)) for w in weights)


def _look(Z: FloatArray, weights: list[int], first: IntArray | None) -> int | None:
    if first is not None and (near := wrong_row(Z[first], weights)) is not None:
        return int(first[near])
    return wrong_row(Z, weights)


class _Member(NamedTuple):
    """A vector of the basis: ``factor`` times (Z[row], 1), or for row −1 one that has to go."""

    row: int
    vector: list[int]
    factor: int

    @classmethod
    def of(cls, Z: FloatArray, row: int) -> "_Member":
        return cls(row, *whole([*Z[row].tolist(), 1.0]))


class _Basis:
    """Independent vectors, and the ``shares`` of them whose sum is (0, …, 0, 1)."""

    def __init__(self, members: list[_Member]) -> None:
        self.begin = [member.vector for member in members]
        self.members = members
        self._solve()

    @classmethod
    def of(cls, Z: FloatArray, rows: IntArray | None) -> "_Basis":
        """Return a basis of the rows, as far as they are independent, and unit vectors."""
        size = Z.shape[1] + 1
        members = [_Member.of(Z, int(row)) for row in (() if rows is None else rows)]
        members += [_Member(-1, [int(r == k) for r in range(size)], 1) for k in range(size)]
        chosen = elimination.independent([member.vector for member in members], size)
        return cls([members[i] for i in chosen])

    def _solve(self) -> None:
        self.system = lifting.System([member.vector for member in self.members])
        self.shares = self._coordinates([0] * (len(self.members) - 1) + [1])

    def _coordinates(self, vector: list[int]) -> list[Fraction]:
        above, below = self.system.solve(vector)
        return [Fraction(number, below) for number in above]

    def strange(self) -> list[int]:
        """Return the places of the members that have to go."""
        return [k for k, member in enumerate(self.members) if member.row < 0]

    @property
    def units(self) -> list[int]:
        """For a new basis: the coordinate of each unit vector, but of the last one."""
        return [self.members[k].vector.index(1) for k in self.strange()]

    def weights(self, products: list[int]) -> list[int]:
        """Return weights with these products with strange members, and equal ones with rows."""
        goal = [0] * len(self.members)
        for k, product in zip(self.strange(), products, strict=True):
            goal[k] = product
        return self.system.solve(goal, transposed=True)[0][:-1]

    def make_positive(self) -> None:
        """Turn round what has a negative share: it is another vector then, and has to go."""
        if min(self.shares) >= 0:
            return
        self.members = [
            _Member(-1, [-entry for entry in member.vector], 1) if share < 0 else member
            for member, share in zip(self.members, self.shares, strict=True)
        ]
        self.begin = [member.vector for member in self.members]
        self._solve()

    def take(self, member: _Member) -> None:
        """Let a member in, for the one whose share is used up first as that of the new grows.

        Ties are broken by the coordinates of the vectors that the basis began with: with this
        lexicographic rule (Dantzig, Orden and Wolfe 1955) no basis comes back, so the search ends.
        """
        column, shares = self._coordinates(member.vector), self.shares
        tied = [k for k, value in enumerate(column) if value > 0]
        for vector in [None, *self.begin]:
            if vector is not None:
                shares = self._coordinates(vector)
            least = min(shares[k] / column[k] for k in tied)
            tied = [k for k in tied if shares[k] / column[k] == least]
            if len(tied) == 1:
                break
        self.members[tied[0]] = member
        self._solve()
