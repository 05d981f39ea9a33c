"""Do two classes overlap, and how? What decides whether logistic loss has a minimum (lecture 09).

Tucker (1956): for signed rows Z there are weights with ``Z @ weights >= 0`` and multipliers
``λ >= 0`` with ``Z.T @ λ = 0`` such that every row has exactly one of the two positive, its product
or its multiplier. Albert & Anderson (1984) name three cases. All products positive: *complete*
separation. All multipliers positive: *overlap*. Some of each: *quasi-complete* separation, a
hyperplane with no point on its wrong side and some points on itself.

Floats are asked first, and what they find counts only if no rounding can have decided: weights that
are right about every row prove the first case, slopes of the logistic loss that nearly balance and
stay positive when they do prove the second. What remains, the third case above all, is settled in
integers (:func:`linlib.solvers.exact.complementary`).
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
from linlib.descent.losses import expit
from linlib.logistic_regression.newton import LogisticTarget, longest_row, newton, weighted_gram
from linlib.margins.certificates import proposal
from linlib.solvers.exact import complementary, decimals, whole, wrong_row

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
        weights, _ = whole(self.exact)
        right = wrong_row(Z[~clashes], weights) is None
        on = not any(
            any(weights) and sum(map(mul, whole(row)[0], weights)) for row in level.tolist()
        )
        balanced = np.abs(shares @ Z) <= 1e-9 * (shares @ np.abs(Z) + TINY)
        proved = right and on and np.array_equal(shares > 0, clashes) and bool(balanced.all())
        if not (proved and checks.flag(exact, "exact") and len(level)):
            return proved
        return all(complementary(level)[1])


def overlap(X: ArrayLike, y: ArrayLike) -> Overlap:
    """Return which of the three cases a sample is, with proof; decided without rounding.

    It takes about as long as :func:`linlib.logistic`. Where only some rows clash, or rounding could
    decide, the proof is in fractions, which takes longer and more than ten times the memory of X.

    >>> [overlap([[0], [1], [1], [2]], y).kind for y in ([-1, -1, -1, 1], [-1, -1, 1, 1])]
    ['complete', 'quasi-complete']
    >>> overlap([[0], [1], [2], [3]], [-1, 1, -1, 1]).kind
    'overlap'
    """
    return overlap_of(signed_rows(X, y), bias=True)


def overlap_of(Z: FloatArray, *, bias: bool = False) -> Overlap:
    """Return the case of signed rows that are written out; ``bias`` if the first is the label."""
    weights, _ = proposal(Z, bias)
    if weights is not None:
        return _proof(decimals(weights.tolist()), np.zeros(len(Z)))
    balanced = _balanced_slopes(Z)
    if balanced is not None:
        return _proof((Fraction(0),) * Z.shape[1], balanced)
    fractions, shares = complementary(Z)
    return _proof(fractions, np.array(shares, dtype=np.float64), np.array(shares, dtype=bool))


def no_minimum(Z: FloatArray, weights: FloatArray) -> Overlap | None:
    """Return why the loss of signed rows has no minimum, or None if it has one.

    ``weights`` are where a search for it ended: if they separate, nothing else is looked for.
    """
    if surely_above(Z, 0.0, weights):
        return _proof(decimals(weights.tolist()), np.zeros(len(Z)))
    found = overlap_of(Z)
    return None if found.kind == OVERLAP else found


def _balanced_slopes(Z: FloatArray) -> FloatArray | None:
    """Return positive multipliers of all rows, or None where it is not sure that all clash.

    At the minimum of the logistic loss the slopes of the rows balance, and all are positive.
    """
    Z = Z / np.maximum(np.abs(Z).max(axis=0), TINY)
    objective = LogisticTarget(Z, np.ones(len(Z)))
    start = np.zeros(Z.shape[1])
    walk = newton(objective, start, tolerance=1e-12, max_updates=50)
    slopes = expit(-(Z @ walk.path[-1]))
    gradient, gram = slopes @ Z, weighted_gram(Z, slopes)
    if slopes.min() <= 0 or not all_clash(gradient, gram, longest_row(Z), len(Z), far=2.0):
        return None
    shift = np.linalg.solve(gram, gradient)
    return np.asarray(slopes * (1 - Z @ shift))


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
    size_of_gradient = float(np.linalg.norm(gradient)) + slack * size * longest
    return lowest > 0 and 2 * longest * size_of_gradient < lowest
