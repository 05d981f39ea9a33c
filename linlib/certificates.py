"""Evidence that classes can be separated, or that they cannot, which anyone can check again.

A float stands for the decimal it prints, in points and in weights (:mod:`linlib.solvers.exact`).
How evidence is found is in :mod:`linlib.separability`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import Frozen, Shown, number, vector
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import blocks, signed_rows
from linlib.solvers import exact as proofs


class Sample(NamedTuple):
    """Points and labels, whose signed rows are written out only where they are needed."""

    X: FloatArray
    y: FloatArray
    bias: bool

    @classmethod
    def of(cls, X: ArrayLike, y: ArrayLike, bias: bool) -> Sample:
        """Return the sample once it is in order."""
        array = checks.points(X)
        return cls(array, checks.signs(y, len(array)), checks.flag(bias, "bias"))

    def signed(self, rows: slice | IntArray = slice(None)) -> FloatArray:
        """Return some signed rows, as a new array."""
        return signed_rows(self.X[rows], self.y[rows], bias=self.bias)

    def blocks(self) -> Iterator[FloatArray]:
        """Return all signed rows, some at a time."""
        return map(self.signed, blocks(len(self.X)))

    def surely_above(self, least: float, weights: FloatArray) -> bool:
        """Tell whether every product is above ``least``, however it was rounded."""
        return all(bool(np.all(proofs.at_least(Z, weights) > least)) for Z in self.blocks())


@dataclass(frozen=True, eq=False, repr=False)
class Separable(Frozen, Shown):
    """Evidence that the classes can be separated: ``Z @ weights > 0``.

    ``margin`` is the smallest ``z · weights / ‖weights‖`` (in the augmented space). ``exact``
    holds weights in fractions where no float ones near them separate.
    """

    weights: FloatArray
    margin: float
    bias: bool
    exact: tuple[Fraction, ...] | None = None

    def _facts(self) -> Mapping[str, str]:
        return {"weights": vector(self.weights), "margin": number(self.margin)}

    @property
    def separable(self) -> bool:
        """True: there are weights with every product positive."""
        return True

    @property
    def hyperplane(self) -> Hyperplane:
        """A separating hyperplane."""
        return Hyperplane.from_weights(self.weights, bias=self.bias)

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


@dataclass(frozen=True, eq=False, repr=False)
class Inseparable(Frozen, Shown):
    """Evidence that no hyperplane separates: ``λ >= 0``, ``Σ λ = 1`` and ``Z.T @ λ = 0``.

    If ``Z @ weights > 0`` held, ``λ @ Z @ weights`` would be positive; but it is ``0 @ weights``.
    """

    multipliers: FloatArray
    bias: bool

    def _facts(self) -> Mapping[str, str]:
        return {
            "clashing rows": str(len(self.support)),
            "multipliers": vector(self.multipliers),
        }

    @property
    def separable(self) -> bool:
        """False: the multipliers leave no room for weights."""
        return False

    @property
    def support(self) -> IntArray:
        """The rows that clash: those with a positive multiplier."""
        return np.flatnonzero(self.multipliers)

    def check(self, X: ArrayLike, y: ArrayLike, *, exact: bool = False) -> bool:
        """Prove it again with one product, to nine digits.

        With ``exact`` the clashing rows must also have multipliers that balance without rounding.
        """
        sample, shares = Sample.of(X, y, self.bias), self.multipliers
        n = len(sample.X)
        if shares.shape != (n,) or not (shares.min() >= 0 and abs(shares.sum() - 1) <= 1e-9):
            return False
        Z, shares = sample.signed(self.support), shares[self.support]
        balanced = np.all(np.abs(shares @ Z) <= 1e-9 * (shares @ np.abs(Z) + proofs.TINY))
        return bool(balanced) and not (checks.flag(exact, "exact") and self.fractions(X, y) is None)

    def fractions(self, X: ArrayLike, y: ArrayLike) -> dict[int, Fraction] | None:
        """Return the exact multiplier of each clashing row, or None if they do not balance."""
        clashing = Sample.of(X, y, self.bias).signed(self.support)
        shares = proofs.alternative(clashing).multipliers or {}
        columns = clashing[list(shares)].T.tolist()
        totals = [sum(map(mul, shares.values(), proofs.decimals(column))) for column in columns]
        if any(totals) or sum(shares.values()) != 1:
            return None
        return {int(self.support[i]): share for i, share in shares.items()}
