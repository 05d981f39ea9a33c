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

import numpy as np
from numpy.typing import ArrayLike

from linlib import rational, simplex
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.frozen import Frozen, Shown, vector
from linlib.base.rows import signed_rows
from linlib.certificates import Inseparable, Separable
from linlib.separability import certify
from linlib.tucker import Shares, complementary

COMPLETE, QUASI, OVERLAP = "complete", "quasi-complete", "overlap"


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
    first = simplex.alternative(Z[rows], np.arange(len(rows))).multipliers
    assert first is not None
    return _proof(Z, *complementary(Z, {int(rows[i]): share for i, share in first.items()}))


def _proof(Z: FloatArray, exact: tuple[Fraction, ...], shares: Shares) -> Overlap:
    largest = max(map(abs, exact)) or Fraction(1)
    weights = np.array([float(weight / largest) for weight in exact])
    multipliers = np.zeros(len(Z))
    total = sum(shares.values())
    for row, share in shares.items():
        multipliers[row] = float(share / total)
    return Overlap(weights, multipliers, np.array(sorted(shares), dtype=np.int64), exact)


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
