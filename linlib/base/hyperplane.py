"""A linear rule, ``w · x + w0 = 0`` with its two sides, and what learners return: weights of one.

The normal vector ``w`` says which way the positive side lies, the offset ``w0`` where the boundary
is. Multiplying both by the same positive number changes no decision. Writing ``x`` as ``(1, x)``
and the rule as ``weights = (w0, w)`` turns every affine rule into one through the origin, and
multiplying each row by its label turns learning into one demand: ``Z @ weights > 0``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.frozen import Frozen, frozen, number, vector


@dataclass(frozen=True, eq=False, repr=False)
class Hyperplane(Frozen):
    """The boundary ``w · x + w0 = 0`` with its positive side where ``w`` points.

    Every method takes ``X`` of shape ``(n, d)`` and returns one entry a row, or takes one point of
    shape ``(d,)`` and returns one entry.

    >>> h = Hyperplane([3, 4], -5)
    >>> h
    Hyperplane(w (3, 4); w0 -5; distance of the origin -1)
    >>> h.score([[3, 4], [0, 0]])
    array([20., -5.])
    >>> h.distance([[3, 4], [0, 0]])
    array([ 4., -1.])
    >>> h.project([3, 4])
    array([0.6, 0.8])
    """

    w: FloatArray
    w0: float

    def __init__(self, w: ArrayLike, w0: float = 0.0) -> None:
        normal = checks.vector(w, "w")
        if not normal.any():
            raise ValueError("w: is the zero vector, which points nowhere; give a normal vector.")
        offset = checks.numbers(w0, "w0")
        if offset.ndim:
            raise ValueError(f"w0: expected one number, got shape {offset.shape}; give a float.")
        object.__setattr__(self, "w", frozen(normal))
        object.__setattr__(self, "w0", float(offset))

    def _facts(self) -> Mapping[str, str]:
        facts = {"w": vector(self.w), "w0": number(self.w0)}
        return facts | {"distance of the origin": number(self.w0 / self.norm)}

    @classmethod
    def from_weights(cls, weights: ArrayLike, *, bias: bool = True) -> Hyperplane:
        """Return the hyperplane of augmented weights ``(w0, w)``, or without bias of ``w``."""
        array = checks.vector(weights, "weights")
        if not checks.flag(bias, "bias"):
            return cls(array)
        if array.size < 2:
            raise ValueError("weights: needs the offset and at least one weight, got 1 entry.")
        return cls(array[1:], float(array[0]))

    @property
    def weights(self) -> FloatArray:
        """The augmented weights ``(w0, w)``, offset first."""
        return np.concatenate([[self.w0], self.w])

    @property
    def norm(self) -> float:
        """The length of ``w``, also where its square would underflow."""
        largest = float(np.abs(self.w).max())
        return largest * float(np.linalg.norm(self.w / largest))

    def _points(self, X: ArrayLike) -> FloatArray:
        array = checks.numbers(X, "X")
        rows = checks.points(np.atleast_2d(array), width=self.w.size)
        return rows.reshape(array.shape)

    def score(self, X: ArrayLike) -> FloatArray:
        """Return ``g(x) = w · x + w0`` for each row."""
        return np.asarray(self._points(X) @ self.w + self.w0)

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the side of each row: +1.0, −1.0, or 0.0 on the boundary itself."""
        return np.asarray(np.sign(self.score(X)))

    def distance(self, X: ArrayLike) -> FloatArray:
        """Return the signed distance ``g(x) / ‖w‖``, positive on the side ``w`` points to."""
        return self.score(X) / self.norm

    def project(self, X: ArrayLike) -> FloatArray:
        """Return the boundary point nearest to each row: ``x − distance · w / ‖w‖``."""
        array = self._points(X)
        return array - np.multiply.outer(self.distance(array) / self.norm, self.w)

    def margin(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the smallest ``y · distance``: positive exactly when every row is right."""
        array = checks.points(X)
        return float(np.min(checks.signs(y, len(array)) * self.distance(array)))

    def rescaled(self, factor: float | None = None) -> Hyperplane:
        """Return the same boundary with weights times ``factor`` (default: unit normal)."""
        if factor is None:
            return Hyperplane(self.w / self.norm, self.w0 / self.norm)
        factor = checks.real(factor, "factor")
        if not np.isfinite(factor) or factor == 0:
            raise ValueError(f"factor: must be finite and not zero, got {factor:g}; try 2.0.")
        return Hyperplane(self.w * factor, self.w0 * factor)

    def coincides(
        self, other: Hyperplane, *, tolerance: float = 1e-9, oriented: bool = True
    ) -> bool:
        """Tell whether both draw the same boundary, whatever the scale of their weights.

        With ``oriented`` they must also agree on which side is positive.

        >>> Hyperplane([1, 1], -1).coincides(Hyperplane([5, 5], -5))
        True
        """
        if not isinstance(other, Hyperplane):
            raise TypeError(f"other: expected a Hyperplane, got {other!r}; pass run.hyperplane.")
        tolerance = checks.positive(tolerance, "tolerance", zero=True)
        oriented = checks.flag(oriented, "oriented")
        if self.w.size != other.w.size:
            return False
        mine, yours = self.rescaled().weights, other.rescaled().weights
        scale = max(1.0, abs(mine[0]), abs(yours[0]))
        flips = (1.0,) if oriented else (1.0, -1.0)
        return any(float(np.abs(mine - f * yours).max()) <= tolerance * scale for f in flips)


class Weighted(Frozen):
    """What has ``weights`` ``(w0, w)``, or ``w`` without ``bias``, and so a hyperplane."""

    weights: FloatArray
    bias: bool

    @property
    def hyperplane(self) -> Hyperplane:
        """The boundary of ``weights``."""
        if not self.weights[int(self.bias) :].any():
            status = getattr(self, "status", "")
            raise ValueError(
                f"hyperplane: the learner ended with w = 0, which has no boundary. {status}"
            )
        return Hyperplane.from_weights(self.weights, bias=self.bias)

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the side of each row: +1.0, −1.0, or 0.0 on the boundary itself."""
        return self.hyperplane.predict(X)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit(Weighted):
    """Weights and how they came about.

    ``errors`` counts the rows of the sample that ``weights`` get wrong, a score of 0 included.
    ``converged`` says whether the learner reached what it was after, a clean pass or a minimum, and
    ``status`` says in a sentence what happened and what to try.
    """

    weights: FloatArray
    errors: int
    converged: bool
    status: str
    bias: bool = True

    def _facts(self) -> Mapping[str, str]:
        return {
            "weights": vector(self.weights),
            "errors": str(self.errors),
            "status": self.status,
        }
