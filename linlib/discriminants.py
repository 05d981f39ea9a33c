"""Gaussian models of the classes: what they score, and the boundaries between them.

How they are fitted is in :mod:`linlib.gaussian`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.checks import FloatArray
from linlib.hyperplane import Hyperplane
from linlib.machine import Machine
from linlib.rows import blocks


@dataclass(frozen=True, eq=False, repr=False)
class LDA(Machine):
    """Gaussian classes with one shared covariance.

    ``weights[k]`` is ``(w0, w)`` of class k as on the board: ``w = Σ⁻¹ μ_k`` and
    ``w0 = ln π_k − ½ μ_kᵀ Σ⁻¹ μ_k``. ``central[k]`` is the same for ``x − centre``, a point between
    the classes: far from the origin the former are huge and nearly equal, the latter are not.
    """

    covariance: FloatArray
    weights: FloatArray
    centre: FloatArray
    central: FloatArray

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return the log posterior up to a term that all classes share.

        It is ``w_k · (x − centre) + w0_k`` with ``(w0_k, w_k) = central[k]``, which keeps its
        digits however far from the origin the points are.
        """
        return self._scores(X, self.central)

    def _scores(self, X: ArrayLike, weights: FloatArray) -> FloatArray:
        array = self._points(X)
        scores = np.empty((len(array), len(weights)))
        for part in blocks(len(array)):
            scores[part] = (array[part] - self.centre) @ weights[:, 1:].T + weights[:, 0]
        return scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each row; of two, by the side of the hyperplane."""
        if len(self.classes) != 2:
            return super().predict(X)
        positive = self._scores(X, np.diff(self.central, axis=0))[:, 0] > 0
        return np.asarray(self.classes[positive.astype(np.int64)])

    @property
    def hyperplane(self) -> Hyperplane:
        """For two classes: ``w = Σ⁻¹(μ1 − μ0)``, positive where the second class is likelier."""
        self._two("a single hyperplane and its weights")
        w0, *w = np.diff(self.central, axis=0)[0]
        return Hyperplane(w, w0 - self.centre @ w)

    def directions(self) -> FloatArray:
        """Return the discriminant directions as columns, best first, within-class variance 1.

        They span the differences of the class means in units of the covariance; the sign of each
        is fixed by making its largest entry positive.
        """
        L = np.linalg.cholesky(self.covariance)
        centred = np.sqrt(self.priors)[:, None] * (self.means - self.priors @ self.means)
        whitened = np.linalg.solve(L, centred.T)
        U, spread, _ = np.linalg.svd(whitened, full_matrices=False)
        rank = int((spread > 1e-10 * spread.max()).sum())
        V = np.linalg.solve(L.T, U[:, :rank])
        return np.asarray(V * np.sign(V[np.abs(V).argmax(axis=0), np.arange(rank)]))


@dataclass(frozen=True, eq=False, repr=False)
class QDA(Machine):
    """Gaussian classes, each with its own covariance: ``covariances[k]``.

    ``rest[k]`` is what ``means[k]`` lost to rounding, so far from the origin more than one thinks.

    >>> narrow, wide = np.eye(1), 9 * np.eye(1)
    >>> model = QDA(np.array([0, 1]), np.full(2, 0.5), np.zeros((2, 1)), np.array([narrow, wide]))
    >>> model.predict([[0.5], [-4.0]])
    array([0, 1])
    """

    covariances: FloatArray
    rest: FloatArray | float = 0.0

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return ``ln π − ½ ln |Σ| − ½ (x − μ)ᵀ Σ⁻¹ (x − μ)`` for each class."""
        array = self._points(X)
        scores = np.empty((len(array), len(self.classes)))
        rests = np.broadcast_to(self.rest, self.means.shape)
        for part in blocks(len(array)):
            rows = array[part]
            for k, (whiten, constant) in enumerate(self._whitening):
                white = (rows - self.means[k] - rests[k]) @ whiten
                scores[part, k] = constant - 0.5 * np.einsum("ij,ij->i", white, white)
        return scores

    @cached_property
    def _whitening(self) -> list[tuple[FloatArray, float]]:
        """For each class: L⁻ᵀ, where Σ = L Lᵀ, and the part of its score that x does not change."""
        from scipy.linalg.lapack import dtrtri

        parts = []
        for prior, covariance in zip(self.priors, self.covariances, strict=True):
            L = np.linalg.cholesky(covariance)
            inverse, _ = dtrtri(L, lower=1)
            constant = float(np.log(prior) - np.log(np.diag(L)).sum())
            parts.append((np.ascontiguousarray(inverse.T), constant))
        return parts

    @property
    def A(self) -> FloatArray:
        """For two classes, the quadratic part of the log odds: ``½ (Σ0⁻¹ − Σ1⁻¹)``."""
        self._two("A, b and c")
        first, second = np.linalg.inv(self.covariances)
        return np.asarray((first - second) / 2)

    @property
    def b(self) -> FloatArray:
        """For two classes, the linear part: ``Σ1⁻¹ μ1 − Σ0⁻¹ μ0``."""
        self._two("A, b and c")
        first, second = (
            np.linalg.solve(S, m) for S, m in zip(self.covariances, self.means, strict=True)
        )
        return np.asarray(second - first)

    @property
    def c(self) -> float:
        """For two classes, ``ln(π1/π0) − ½ ln(|Σ1|/|Σ0|) − ½ (μ1ᵀΣ1⁻¹μ1 − μ0ᵀΣ0⁻¹μ0)``."""
        self._two("A, b and c")
        first, second = (
            np.log(p) - 0.5 * np.linalg.slogdet(S)[1] - 0.5 * m @ np.linalg.solve(S, m)
            for p, S, m in zip(self.priors, self.covariances, self.means, strict=True)
        )
        return float(second - first)
