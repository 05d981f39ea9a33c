"""Can a hyperplane separate the classes (lecture 04)? Evidence either way.

Gordan's theorem (1873): for signed rows Z exactly one of two things exists, weights with
``Z @ weights > 0`` or multipliers ``λ >= 0``, not all zero, with ``Z.T @ λ = 0``. Each is a proof
that anyone can check with one matrix product, and :func:`certify` always returns one of them.

Floats propose and integers decide. The point nearest to the origin in the hull of the rows
(:mod:`linlib.solvers.nearest_point`) proposes its coordinates as weights, and the rows that it
mixes as those that clash. Weights count if they are right about every row without rounding; if not,
the simplex method in integers (:mod:`linlib.solvers.exact`) begins at the proposed rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from operator import mul
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from linlib import formal
from linlib.base import checks
from linlib.base.checks import TINY, FloatArray, IntArray
from linlib.base.frozen import Frozen, number, vector
from linlib.base.hyperplane import Weighted
from linlib.base.rows import Centre, at_least, signed_rows, surely_above
from linlib.solvers.exact import alternative, decimals, smallest, wrong_row
from linlib.solvers.nearest_point import lowest_row, nearest_point


@dataclass(frozen=True, eq=False, repr=False)
class Separable(Weighted):
    """Evidence that the classes can be separated: ``Z @ weights > 0``.

    ``margin`` is the smallest ``z · weights / ‖weights‖`` (in the augmented space). ``exact``
    holds weights in fractions where no float ones near them separate.
    """

    weights: FloatArray
    margin: float
    bias: bool
    exact: tuple[Fraction, ...] | None = None
    separable: ClassVar[bool] = True

    def _facts(self) -> Mapping[str, str]:
        return {"weights": vector(self.weights), "margin": number(self.margin)}

    def check(self, X: ArrayLike, y: ArrayLike, *, exact: bool = False) -> bool:
        """Prove it again with one product.

        It is taken in floats where rounding cannot matter, or (``exact``) in fractions throughout.
        """
        if checks.flag(exact, "exact"):
            return self.fractions(X, y) is not None
        Z = signed_rows(X, y, bias=self.bias)
        weights = self.exact or self.weights.tolist()
        return len(weights) == Z.shape[1] and wrong_row(Z, weights) is None

    def fractions(self, X: ArrayLike, y: ArrayLike) -> dict[int, Fraction] | None:
        """Return the exact weight of each column of Z, or None if they do not separate."""
        Z = signed_rows(X, y, bias=self.bias)
        weights = self.exact or decimals(self.weights.tolist())
        if len(weights) != Z.shape[1] or smallest(Z, weights) <= 0:
            return None
        return dict(enumerate(weights))

    def proof(self, X: ArrayLike, y: ArrayLike) -> str:
        """Return the text of a file in which the proof assistant Coq checks that these separate.

        ``Path("separable.v").write_text(verdict.proof(X, y))``, then ``coqc separable.v``.
        """
        weights = self.fractions(X, y)
        if weights is None:
            raise ValueError("X, y: these weights do not separate them; give the certified data.")
        return formal.of_weights(signed_rows(X, y, bias=self.bias), list(weights.values()))


@dataclass(frozen=True, eq=False, repr=False)
class Inseparable(Frozen):
    """Evidence that no hyperplane separates: ``λ >= 0``, ``Σ λ = 1`` and ``Z.T @ λ = 0``.

    If ``Z @ weights > 0`` held, ``λ @ Z @ weights`` would be positive; but it is ``0 @ weights``.
    """

    multipliers: FloatArray
    bias: bool
    separable: ClassVar[bool] = False

    def _facts(self) -> Mapping[str, str]:
        return {
            "clashing rows": str(len(self.support)),
            "multipliers": vector(self.multipliers),
        }

    @property
    def support(self) -> IntArray:
        """The rows that clash: those with a positive multiplier."""
        return np.flatnonzero(self.multipliers)

    def check(self, X: ArrayLike, y: ArrayLike, *, exact: bool = False) -> bool:
        """Prove it again with one product, to nine digits.

        With ``exact`` the clashing rows must also have multipliers that balance without rounding.
        """
        if not self.balances(signed_rows(X, y, bias=self.bias)):
            return False
        return not checks.flag(exact, "exact") or self.fractions(X, y) is not None

    def balances(self, Z: FloatArray) -> bool:
        """Tell whether the multipliers mix 0 out of signed rows, to nine digits."""
        shares = self.multipliers
        if shares.shape != (len(Z),) or not (shares.min() >= 0 and abs(shares.sum() - 1) <= 1e-9):
            return False
        Z, shares = Z[self.support], shares[self.support]
        return bool(np.all(np.abs(shares @ Z) <= 1e-9 * (shares @ np.abs(Z) + TINY)))

    def fractions(self, X: ArrayLike, y: ArrayLike) -> dict[int, Fraction] | None:
        """Return the exact multiplier of each clashing row, or None if they do not balance."""
        clashing = signed_rows(X, y, bias=self.bias)[self.support]
        shares = alternative(clashing).multipliers or {}
        columns = clashing[list(shares)].T.tolist()
        totals = [sum(map(mul, shares.values(), decimals(column))) for column in columns]
        if any(totals) or sum(shares.values()) != 1:
            return None
        return {int(self.support[i]): share for i, share in shares.items()}

    def proof(self, X: ArrayLike, y: ArrayLike) -> str:
        """Return the text of a file in which the proof assistant Coq checks this certificate.

        It states that no weights separate these data, and proves it from the multipliers.
        ``Path("inseparable.v").write_text(verdict.proof(X, y))``, then ``coqc inseparable.v``.
        """
        exact = self.fractions(X, y)
        if exact is None:
            raise ValueError("X, y: the multipliers do not balance them; give the certified data.")
        Z = signed_rows(X, y, bias=self.bias)
        multipliers = [exact.get(i, Fraction(0)) for i in range(len(Z))]
        return formal.of_multipliers(Z, multipliers)


def certify(X: ArrayLike, y: ArrayLike, *, bias: bool = True) -> Separable | Inseparable:
    """Return proof that the classes can be separated by a hyperplane, or that they cannot.

    A float stands for the decimal it prints, and no rounding decides. Beyond some fifty features
    that takes seconds where the classes cannot be separated; SciPy's ``linprog`` then decides the
    same question in floats.

    >>> certify([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]).separable
    True
    >>> certify([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]).multipliers
    array([0.25, 0.25, 0.25, 0.25])
    """
    Z = signed_rows(X, y, bias=bias)
    proposed, clashing = proposal(Z, bias)
    if proposed is not None:
        return _separable(Z, proposed, bias)
    weights, multipliers = alternative(Z, clashing)
    if multipliers is not None:
        shares = np.zeros(len(Z))
        shares[list(multipliers)] = [float(share) for share in multipliers.values()]
        return Inseparable(shares / shares.sum(), bias)
    assert weights is not None
    largest = max(map(abs, weights))
    scaled = [weight / largest for weight in weights]
    floats = np.array([float(weight) for weight in scaled])
    if wrong_row(Z, floats.tolist()) is None:
        return _separable(Z, floats, bias)
    # The classes are so close that no floats near the fractions separate them.
    return Separable(floats, _margin(smallest(Z, scaled), floats), bias, weights)


def proposal(Z: FloatArray, bias: bool) -> tuple[FloatArray | None, IntArray]:
    """Return weights that separate, if floats find some, and else rows that probably clash.

    Weights are returned only if they are right about every row without rounding. The search is on
    features that are centred and of size 1. With a bias that is an invertible change of
    coordinates, which changes neither the multipliers nor whether weights exist.
    """
    labels = Z[:, :1] if bias else np.ones((len(Z), 1))
    points = labels * Z[:, int(bias) :]
    centre = Centre.of(points).mean if bias else np.zeros(points.shape[1])
    sizes = np.abs(points - centre).max(axis=0)
    sizes[sizes == 0] = 1.0  # a constant feature is 0 once it is centred
    features = labels * ((points - centre) / sizes)
    rows = np.column_stack([labels, features]) if bias else features

    def restored(point: FloatArray) -> FloatArray:
        w = point[int(bias) :] / sizes
        return np.concatenate([[point[0] - w @ centre], w]) if bias else w

    def separates(point: FloatArray) -> bool:
        return surely_above(Z, 0.0, restored(point))

    with np.errstate(over="ignore", invalid="ignore"):  # sizes of 1e-300: no proposal, no harm
        found = nearest_point(lowest_row(rows), rows.sum(axis=0), enough=separates)
        weights = restored(found.point)
    right = np.isfinite(weights).all() and wrong_row(Z, weights.tolist()) is None
    return weights if right else None, np.array(found.names, dtype=np.int64)


def _separable(Z: FloatArray, weights: FloatArray, bias: bool) -> Separable:
    """Return weights that separate with their margin, whose digits are right."""
    if bias and not weights[1:].any():
        # One class alone needs no direction, but a hyperplane does: any that is small enough.
        weights = weights.copy()
        weights[1] = abs(weights[0]) / max(2 * float(np.abs(Z[:, 1]).max()), 1.0)
    # Only rows whose product may be the least are multiplied out in fractions.
    low = at_least(Z, weights)
    high = -at_least(-Z, weights)
    least = smallest(Z[low <= high.min()], weights.tolist())
    return Separable(weights, _margin(least, weights), bias)


def _margin(least: Fraction, weights: FloatArray) -> float:
    """Return ``least / ‖weights‖``, also where the square of a weight would underflow."""
    largest = float(np.abs(weights).max())
    length = largest * float(np.linalg.norm(weights / largest))
    return float(least / Fraction(length))


# The longest of Cover's counts that is computed.
MOST_BITS = 1_000_000


def cover_count(n: int, d: int) -> int:
    """Return how many of the 2ⁿ labellings of n points in general position in R^d are separable.

    Cover (1965): ``2 Σ_{k<=d} C(n − 1, k)``.

    >>> [cover_count(n, 2) for n in range(1, 7)]
    [2, 4, 8, 14, 22, 32]
    """
    n, d = checks.count(n, "n", least=1), checks.count(d, "d", least=1)
    last = min(d, n - 1)  # beyond there is nothing left to choose
    if last * n.bit_length() > MOST_BITS:
        raise ValueError(f"n, d: the count would have more than {MOST_BITS} bits; choose less.")
    return 2 * sum(comb(n - 1, k) for k in range(last + 1))
