"""Do two classes overlap, and how? What decides whether logistic loss has a minimum (lecture 09).

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
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import EPS, TINY, FloatArray, IntArray
from linlib.base.frozen import Frozen, vector
from linlib.base.rows import signed_rows, surely_above
from linlib.descent.losses import chance
from linlib.logistic_regression.newton import LogisticTarget, longest, newton, squares
from linlib.margins.certificates import Inseparable, Separable, certify
from linlib.solvers import exact as proofs

COMPLETE, QUASI, OVERLAP = "complete", "quasi-complete", "overlap"


@dataclass(frozen=True, eq=False, repr=False)
class Overlap(Frozen):
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

    def check(self, X: ArrayLike, y: ArrayLike, *, exact: bool = False) -> bool:
        """Prove it again: the products exactly, the balance of the multipliers to nine digits.

        With ``exact`` the clashing rows must also have multipliers that balance without rounding.
        """
        return self.proves(signed_rows(X, y), exact=exact)

    def proves(self, Z: FloatArray, *, exact: bool = False) -> bool:
        """Prove it again for signed rows."""
        if Z.shape != (len(self.multipliers), len(self.exact)):
            return False
        clashes = np.isin(np.arange(len(Z)), self.clashing)
        level, shares = Z[clashes], self.multipliers
        weights, _ = proofs.whole(self.exact)
        right = proofs.wrong_row(Z[~clashes], weights) is None
        on = not any(
            any(weights) and sum(map(mul, proofs.whole(row)[0], weights)) for row in level.tolist()
        )
        balanced = np.abs(shares @ Z) <= 1e-9 * (shares @ np.abs(Z) + TINY)
        proved = right and on and np.array_equal(shares > 0, clashes) and bool(balanced.all())
        if not (proved and checks.flag(exact, "exact") and len(level)):
            return proved
        return all(proofs.complementary(level, shares[clashes], np.arange(len(level)))[1])


def overlap(X: ArrayLike, y: ArrayLike) -> Overlap:
    """Return which of the three cases a sample is, with proof; decided without rounding.

    It takes about as long as :func:`linlib.logistic`, and several times the memory of X. Where only
    some rows clash, or rounding could decide, the proof is in fractions: that takes longer, and
    more than ten times the memory.

    >>> [overlap([[0], [1], [1], [2]], y).kind for y in ([-1, -1, -1, 1], [-1, -1, 1, 1])]
    ['complete', 'quasi-complete']
    >>> overlap([[0], [1], [2], [3]], [-1, 1, -1, 1]).kind
    'overlap'
    """
    return _decided(signed_rows(X, y), certify(X, y))


def overlap_of(Z: FloatArray) -> Overlap:
    """Return the case of signed rows that are written out."""
    return _decided(Z, certify(Z, np.ones(len(Z)), bias=False))


def no_minimum(Z: FloatArray, weights: FloatArray) -> Overlap | None:
    """Return why the loss of signed rows has no minimum, or None if it has one.

    ``weights`` are where a search for it ended: if they separate, nothing else is looked for.
    """
    if surely_above(Z, 0.0, weights):
        return _proof(proofs.decimals(weights.tolist()), np.zeros(len(Z)))
    found = overlap_of(Z)
    return None if found.kind == OVERLAP else found


def _decided(Z: FloatArray, verdict: Separable | Inseparable) -> Overlap:
    if isinstance(verdict, Separable):
        exact = verdict.exact or proofs.decimals(verdict.weights.tolist())
        return _proof(exact, np.zeros(len(Z)))
    near, sure = _slopes(Z)
    if sure:
        return _proof((Fraction(0),) * Z.shape[1], near)
    weights, shares = proofs.complementary(Z, near, verdict.support)
    return _proof(weights, np.array(shares, dtype=np.float64), np.array(shares, dtype=bool))


def _slopes(Z: FloatArray) -> tuple[FloatArray, bool]:
    """Return what may be multipliers of the rows that clash, and whether surely all do.

    At the minimum of the logistic loss the slopes of the rows balance. Where there is no minimum,
    those of the rows that do not clash tend to 0, and the others then balance.
    """
    Z = Z / np.maximum(np.abs(Z).max(axis=0), TINY)
    target = LogisticTarget(Z, np.ones(len(Z)))
    start = np.zeros(Z.shape[1])
    walk = newton(target.value, target.derivatives, start, tolerance=1e-12, max_updates=50)
    slopes = chance(-(Z @ walk.path[-1]))
    # First with all of them: where points overlap, those far on their side have a small slope, too.
    if slopes.min() > 0 and all_clash(slopes @ Z, squares(Z, slopes), longest(Z), len(Z), far=2.0):
        return _balanced(Z, slopes), True
    slopes[slopes < 1e-6 * slopes.max()] = 0.0
    return _balanced(Z, slopes), False


def _balanced(Z: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the nearest shares that balance, each moved in proportion to itself; none below 0."""
    shift = np.linalg.lstsq(squares(Z, shares), shares @ Z, rcond=None)[0]
    return np.asarray(np.maximum(shares * (1 - Z @ shift), 0.0))


def _proof(
    exact: tuple[Fraction, ...], shares: FloatArray, positive: NDArray[np.bool_] | None = None
) -> Overlap:
    largest = max(map(abs, exact)) or Fraction(1)
    weights = np.array([float(weight / largest) for weight in exact])
    positive = shares > 0 if positive is None else positive
    multipliers = shares / (shares.sum() or 1.0)
    multipliers[positive] = np.maximum(multipliers[positive], TINY)
    return Overlap(weights, multipliers, np.flatnonzero(positive), exact)


def all_clash(
    gradient: FloatArray, gram: FloatArray, longest: float, count: int, far: float = 1.0
) -> bool:
    """Tell whether all of ``count`` rows clash, however rounding went; False means "not proved".

    The rows may differ from those of the typed decimals by ``far`` times EPS.

    For positive shares p, ``gradient`` is ``Z.T @ p`` and ``gram`` is ``Z.T @ diag(p) @ Z``, and no
    row is longer than ``longest``. With h the solution of ``gram @ h = gradient``, the shares
    ``p (1 − Z @ h)`` balance; they are positive once every ``z · h`` is below 1.
    """
    size = float(np.trace(gram))
    slack = 16 * (count + len(gram) * far) * EPS
    lowest = float(np.linalg.eigvalsh(gram)[0]) - slack * size
    # The shares add up to no more than the trace where every row holds a 1.
    pull = float(np.linalg.norm(gradient)) + slack * size * longest
    return lowest > 0 and 2 * longest * pull < lowest
