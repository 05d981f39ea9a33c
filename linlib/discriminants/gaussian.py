"""Linear and quadratic discriminant analysis (lecture 08): model the classes, not the boundary.

If class k has prior π_k and density N(μ_k, Σ_k), Bayes' rule picks the largest
``ln π_k − ½ ln |Σ_k| − ½ (x − μ_k)ᵀ Σ_k⁻¹ (x − μ_k)``. With one shared Σ the quadratic terms cancel
between classes and the boundaries are hyperplanes (LDA); otherwise they are quadrics (QDA).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.frozen import Frozen, names, vector
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import Centre, blocks

FITTED = "Fitted."


@dataclass(frozen=True, eq=False, repr=False)
class Machine(Frozen):
    """A classifier with one score for each class; the largest wins, the first of equals.

    ``status`` is a sentence that says whether digits of the scores were lost.
    """

    classes: NDArray[Any]
    priors: FloatArray
    means: FloatArray
    status: str = field(default=FITTED, kw_only=True)

    def _facts(self) -> Mapping[str, str]:
        facts = {"classes": names(self.classes), "priors": vector(self.priors)}
        means = {f"mean of {name}": vector(m) for name, m in zip(self.classes, self.means)}  # noqa: B905
        facts |= means if len(means) <= 3 else {"features": str(self.means.shape[1])}
        return facts if self.status == FITTED else facts | {"status": self.status}

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return ``(n, classes)`` scores whose differences are the log odds between classes."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each row."""
        return np.asarray(self.classes[np.argmax(self.scores(X), axis=1)])

    def log_odds(self, X: ArrayLike) -> FloatArray:
        """Return ``ln P(second class | x) − ln P(first class | x)``, for two classes."""
        self._two("log odds")
        scores = self.scores(X)
        return np.asarray(scores[:, 1] - scores[:, 0])

    def _two(self, what: str) -> None:
        if len(self.classes) != 2:
            raise ValueError(
                f"y: {what} are defined for two classes, and there are {len(self.classes)}; "
                f"compare columns of scores(X) instead."
            )


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
        array = checks.points(X, width=self.means.shape[1])
        scores = np.empty((len(array), len(self.classes)))
        for part in blocks(len(array)):
            scores[part] = (array[part] - self.centre) @ self.central[:, 1:].T + self.central[:, 0]
        return scores

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
        array = checks.points(X, width=self.means.shape[1])
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
        parts = []
        for prior, covariance in zip(self.priors, self.covariances, strict=True):
            L = np.linalg.cholesky(covariance)
            constant = float(np.log(prior) - np.log(np.diag(L)).sum())
            parts.append((np.linalg.inv(L).T, constant))
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


def fit_lda(
    X: ArrayLike,
    y: ArrayLike,
    *,
    priors: ArrayLike | None = None,
    divisor: str = "n",
    penalty: float = 0.0,
) -> LDA:
    """Fit class means and one pooled covariance by maximum likelihood.

    ``divisor`` of the covariance is "n" (maximum likelihood) or "n-k" (unbiased, k classes). Priors
    default to the classes' shares of the sample. ``penalty`` is added to the diagonal of the
    covariance: for two classes, ``w`` then minimises ``½ wᵀΣw − w·(μ1 − μ0) + penalty/2 ‖w‖²``.
    Without it the scores are those of scikit-learn's ``LinearDiscriminantAnalysis``, whose solver
    "svd" had the divisor "n-k" before release 1.9.

    >>> model = fit_lda([[0, 0], [1, 1], [0, 1], [3, 3], [4, 4], [3, 4]], [0, 0, 0, 1, 1, 1])
    >>> model.predict([[1, 0], [3, 3]])
    array([0, 1])
    """
    sample = _Sample.of(X, y, priors, divisor, penalty)
    n, k = int(sample.counts.sum()), len(sample.names)
    scatter = np.sum(sample.scatters, axis=0)
    covariance, L, known = sample.covariance(scatter, n, k, "pooled")

    def weights(means: FloatArray) -> FloatArray:
        w = np.linalg.solve(L.T, np.linalg.solve(L, means.T)).T
        return np.column_stack([np.log(sample.priors) - 0.5 * (w * means).sum(axis=1), w])

    centre = sample.means.mean(axis=0)
    return LDA(
        sample.names,
        sample.priors,
        sample.means,
        covariance,
        weights(sample.means),
        centre,
        weights(sample.means - centre + sample.rest),
        status=_status(known),
    )


def fit_qda(
    X: ArrayLike,
    y: ArrayLike,
    *,
    priors: ArrayLike | None = None,
    divisor: str = "n",
    penalty: float = 0.0,
) -> QDA:
    """Fit the mean and covariance of every class by maximum likelihood; options as in LDA.

    The scores are those of scikit-learn's ``QuadraticDiscriminantAnalysis``, which had the divisor
    "n-k" before release 1.9.

    >>> model = fit_qda([[-1.0], [1.0], [-3.0], [3.0]], [0, 0, 1, 1])
    >>> model.A, model.b, round(model.c, 4)
    (array([[0.44444444]]), array([0.]), -1.0986)
    """
    sample = _Sample.of(X, y, priors, divisor, penalty)
    parts = [
        sample.covariance(scatter, int(n), 1, f"class {name.item()!r}")
        for name, n, scatter in zip(sample.names, sample.counts, sample.scatters, strict=True)
    ]
    return QDA(
        sample.names,
        sample.priors,
        sample.means,
        np.array([covariance for covariance, _, _ in parts]),
        sample.rest,
        status=_status(min(known for _, _, known in parts)),
    )


class _Sample(NamedTuple):
    """What a sample says about its classes; ``means + rest`` are the means to twice the digits."""

    names: NDArray[Any]
    counts: IntArray
    priors: FloatArray
    means: FloatArray
    rest: FloatArray
    scatters: list[FloatArray]
    largest: FloatArray
    unbiased: bool
    penalty: float

    @classmethod
    def of(
        cls, X: ArrayLike, y: ArrayLike, priors: ArrayLike | None, divisor: str, penalty: float
    ) -> _Sample:
        penalty = checks.positive(penalty, "penalty", zero=True)
        unbiased = checks.choice(divisor, "divisor", ("n", "n-k")) == "n-k"
        array = checks.points(X)
        names, codes = checks.classes(y, len(array))
        counts = np.bincount(codes.astype(np.intp, copy=False))
        shares = counts / len(array) if priors is None else _priors(priors, len(names))
        means, rest = np.empty((2, len(names), array.shape[1]))
        scatters = []
        for k in range(len(names)):
            rows = array[codes == k]
            centre = means[k], rest[k] = Centre.of(rows)
            rows -= centre.mean
            rows -= centre.rest
            scatters.append(rows.T @ rows)
        largest = np.maximum(array.max(axis=0), -array.min(axis=0))
        return cls(names, counts, shares, means, rest, scatters, largest, unbiased, penalty)

    def covariance(
        self, scatter: FloatArray, n: int, classes: int, which: str
    ) -> tuple[FloatArray, FloatArray, float]:
        """Return a covariance, its Cholesky factor, and how many digits of its inverse are known.

        If it is singular, say which features make it so. n rows less the means of their classes
        span at most n − classes dimensions: with fewer rows than features need it is singular,
        whatever rounding makes of it.
        """
        d = len(scatter)
        if self.unbiased and n == classes:
            raise ValueError(
                f"X: the {which} sample has too few rows for divisor 'n-k': {n}; give more."
            )
        covariance = scatter / (n - classes * self.unbiased) + self.penalty * np.eye(d)
        few = n < d + classes and self.penalty == 0
        # A constant feature can leave this much variance: the last bits of its mean.
        flat = np.flatnonzero(np.diag(covariance) <= (4 * EPS * self.largest) ** 2)
        if not (few or flat.size):
            scale = np.sqrt(np.diag(covariance))
            correlation = covariance / np.outer(scale, scale)
            # The eigenvalues tell, not the pivots: those of a singular matrix can be large.
            spectrum = np.linalg.eigvalsh(correlation)
            sure = float(spectrum[0] / spectrum[-1])
            if sure > 1e-14 * d:
                L = scale[:, None] * np.linalg.cholesky(correlation)
                return covariance, L, float(np.log10(sure / EPS))
        why = "some features are combinations of others"
        if few:
            why = f"it has too few rows ({n}, where {d} features need at least {d + classes})"
        elif flat.size:
            why = f"column {flat[0]} is constant within {'every class' if classes > 1 else 'it'}"
        raise ValueError(
            f"X: the covariance of the {which} sample is singular because {why}; "
            f"drop features or pass penalty=1e-3."
        )


def _priors(priors: ArrayLike, k: int) -> FloatArray:
    shares = checks.vector(priors, "priors")
    if shares.shape != (k,):
        raise ValueError(f"priors: has {shares.size} entries for {k} classes; match them.")
    if shares.min() <= 0 or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(f"priors: must be positive and sum to 1, got {shares.tolist()}; rescale.")
    return shares


def _status(known: float) -> str:
    """Say how many digits of the scores are right, if they are few."""
    if known >= 8:
        return FITTED
    return (
        f"Fitted, but some features are nearly combinations of others: expect about "
        f"{max(int(known) - 1, 0)} correct digits in scores. Drop features or pass penalty=1e-3."
    )
