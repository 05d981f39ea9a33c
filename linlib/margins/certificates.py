"""Can a hyperplane separate the classes (lecture 04)? Evidence either way.

Gordan's theorem (1873): for signed rows Z exactly one of two things exists, weights with
``Z @ weights > 0`` or multipliers ``λ >= 0``, not all zero, with ``Z.T @ λ = 0``. Each is a proof
that anyone can check with one matrix product, and :func:`certify` always returns one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from operator import mul
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from linlib import formal
from linlib.base import checks
from linlib.base.checks import EPS, TINY, FloatArray, IntArray
from linlib.base.frozen import Frozen, number, vector
from linlib.base.hyperplane import Weighted
from linlib.base.rows import at_least, blocks, signed_rows, surely_above
from linlib.solvers import exact as proofs
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
        return len(weights) == Z.shape[1] and proofs.wrong_row(Z, weights) is None

    def fractions(self, X: ArrayLike, y: ArrayLike) -> dict[int, Fraction] | None:
        """Return the exact weight of each column of Z, or None if they do not separate."""
        Z = signed_rows(X, y, bias=self.bias)
        weights = self.exact or proofs.decimals(self.weights.tolist())
        if len(weights) != Z.shape[1] or proofs.smallest(Z, weights) <= 0:
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
        shares = proofs.alternative(clashing).multipliers or {}
        columns = clashing[list(shares)].T.tolist()
        totals = [sum(map(mul, shares.values(), proofs.decimals(column))) for column in columns]
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


# The longest of Cover's counts that is computed.
MOST_BITS = 1_000_000


def certify(X: ArrayLike, y: ArrayLike, *, bias: bool = True) -> Separable | Inseparable:
    """Return proof that the classes can be separated by a hyperplane, or that they cannot.

    A float stands for the decimal it prints. The search is in floats, on centred and scaled rows;
    what it finds counts only if it survives all rounding, and what remains in doubt is settled in
    integers (:mod:`linlib.solvers.exact`), beginning at the rows where the search ended. SciPy's
    ``linprog`` decides the same question in floats, without the last step.

    >>> certify([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]).separable
    True
    >>> certify([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]).multipliers
    array([0.25, 0.25, 0.25, 0.25])
    """
    Z = signed_rows(X, y, bias=bias)
    prepared, far, restore = _prepare(Z.copy(), bias)

    def separates(point: FloatArray) -> bool:
        return surely_above(Z, 0.0, restore(point))

    found = nearest_point(lowest_row(prepared), prepared.sum(axis=0), enough=separates)
    if separates(found.point):
        return _separable(Z, restore(found.point), bias)
    names = np.array(found.names, dtype=np.int64)
    shares = _surely_balanced(prepared[names], far)
    if shares is not None:
        verdict = _inseparable(len(Z), names, shares, bias)
        if verdict.balances(Z):
            return verdict
    return _settle(Z, names, bias)


def _prepare(
    Z: FloatArray, bias: bool
) -> tuple[FloatArray, float, Callable[[FloatArray], FloatArray]]:
    """Scale the rows of Z well, in place; return them, and the map of their weights to those of Z.

    With a bias, centring the features and dropping constant ones is an invertible change of
    coordinates: it moves neither the multipliers nor the existence of weights. The second result
    is the largest ratio of a feature's size to its spread: times EPS, it bounds how far the scaled
    rows differ from those of the typed decimals.
    """
    y = Z[:, :1] if bias else np.ones((len(Z), 1))
    X = Z[:, bias:]
    centre = X.T @ y[:, 0] / len(X) if bias else np.zeros(X.shape[1])
    constant = y[0] * X[0] if bias else np.zeros(X.shape[1])
    used = np.zeros(X.shape[1], dtype=bool)
    for part in blocks(len(Z)):
        used |= (X[part] != y[part] * constant).any(axis=0)
        X[part] -= y[part] * centre
    if not used.any():
        used[:] = True
    spread = np.maximum(np.maximum(X.max(axis=0), -X.min(axis=0)), 1 / checks.LARGEST)
    for part in blocks(len(Z)):
        X[part] /= spread
    if not used.all():
        Z = Z[:, np.r_[np.ones(int(bias), dtype=bool), used]]

    def restore(point: FloatArray) -> FloatArray:
        w = np.zeros(len(used))
        w[used] = point[bias:] / spread[used]
        return np.concatenate([[point[0] - w @ centre], w]) if bias else w

    far = 1 + float(np.max(np.abs(centre[used]) / spread[used]))
    return Z, far, restore


def _surely_balanced(vertices: FloatArray, far: float = 1.0) -> FloatArray | None:
    """Return positive shares with sum zero if such exist for certain, whatever the rounding.

    A simplex with one vertex more than dimensions has one solution, and it moves by no more than
    the condition number times the rounding errors: shares far above that stay positive.
    """
    square = np.column_stack([vertices, np.ones(len(vertices))]).T
    if square.shape[0] != square.shape[1]:
        return None
    slack = 1e4 * EPS * far * np.linalg.cond(square)
    if not slack < 1e-4:
        return None
    shares = np.linalg.solve(square, np.eye(len(square))[-1])
    return shares if shares.min() > slack else None


def _settle(Z: FloatArray, rows: IntArray, bias: bool) -> Separable | Inseparable:
    """Decide in integers, beginning at the given rows."""
    weights, multipliers = proofs.alternative(Z, rows)
    if multipliers is not None:
        shares = np.array(list(multipliers.values()), dtype=np.float64)
        return _inseparable(len(Z), np.array(list(multipliers)), shares, bias)
    assert weights is not None
    largest = max(map(abs, weights))
    floats = np.array([float(weight / largest) for weight in weights])
    enough = proofs.wrong_row(Z, floats.tolist()) is None
    least = proofs.smallest(Z, floats.tolist() if enough else [w / largest for w in weights])
    margin = float(least) / float(np.linalg.norm(floats))
    return Separable(floats, margin, bias, None if enough else weights)


def _separable(Z: FloatArray, weights: FloatArray, bias: bool) -> Separable:
    if bias and not weights[1:].any():
        # One class alone needs no direction, but a hyperplane does: any that is small enough.
        weights = weights.copy()
        weights[1] = abs(weights[0]) / max(2 * float(np.abs(Z[:, 1]).max()), 1.0)
    least = float(np.min(Z @ weights))
    if not surely_above(Z, 0.999 * least, weights):  # rounding decides which digits are right
        low, high = at_least(Z, weights), -at_least(-Z, weights)
        least = float(proofs.smallest(Z[low <= high.min()], weights.tolist()))
    return Separable(weights, least / float(np.linalg.norm(weights)), bias)


def _inseparable(n: int, rows: IntArray, shares: FloatArray, bias: bool) -> Inseparable:
    multipliers = np.zeros(n)
    multipliers[rows] = shares / shares.sum()
    return Inseparable(multipliers, bias)


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
