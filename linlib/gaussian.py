"""Model the classes instead of the boundary: linear and quadratic discriminant analysis.

If class k has prior π_k and density N(μ_k, Σ_k), Bayes' rule picks the largest
``ln π_k − ½ ln |Σ_k| − ½ (x − μ_k)ᵀ Σ_k⁻¹ (x − μ_k)``. With one shared Σ the quadratic terms cancel
between classes and the boundaries are hyperplanes (LDA); otherwise they are quadrics (QDA).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks, quick
from linlib.checks import FloatArray, IntArray
from linlib.hyperplane import Hyperplane


@dataclass(frozen=True, eq=False)
class Machine:
    """A classifier with one score for each class; the largest wins, the first of equals."""

    classes: NDArray[Any]
    priors: FloatArray
    means: FloatArray

    def __post_init__(self) -> None:
        checks.lock(self)

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
                f"y: {what} are defined for two classes, here are {len(self.classes)}; "
                f"compare columns of scores(X) instead."
            )

    def _points(self, X: ArrayLike) -> FloatArray:
        array, _ = quick.points(X)
        if array.shape[1] != self.means.shape[1]:
            raise ValueError(
                f"X: has {array.shape[1]} features where the model has {self.means.shape[1]}; "
                f"give points of that dimension."
            )
        return array


@dataclass(frozen=True, eq=False)
class LDA(Machine):
    """Gaussian classes with one shared covariance; ``weights[k]`` is ``(w0, w)`` of class k."""

    covariance: FloatArray
    weights: FloatArray

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return ``w_k · x + w0_k``: log posterior up to a term that all classes share."""
        scores = self._points(X) @ self.weights[:, 1:].T
        scores += self.weights[:, 0]
        return scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each row; of two, by the side of the hyperplane."""
        if len(self.classes) != 2:
            return super().predict(X)
        w0, *w = self.weights[1] - self.weights[0]
        return np.asarray(self.classes[(self._points(X) @ np.array(w) > -w0).astype(np.int64)])

    @property
    def hyperplane(self) -> Hyperplane:
        """For two classes: ``w = Σ⁻¹(μ1 − μ0)``, positive where the second class is likelier."""
        self._two("a single hyperplane and its weights")
        return Hyperplane.from_weights(self.weights[1] - self.weights[0])

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


@dataclass(frozen=True, eq=False)
class QDA(Machine):
    """Gaussian classes, each with its own covariance: ``covariances[k]``."""

    covariances: FloatArray

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return ``ln π − ½ ln |Σ| − ½ (x − μ)ᵀ Σ⁻¹ (x − μ)`` for each class."""
        array = self._points(X)
        scores = np.empty((len(array), len(self.classes)))
        for part in quick.blocks(len(array)):
            rows = array[part]
            for k, (mean, (whiten, constant)) in enumerate(
                zip(self.means, self._whitening, strict=True)
            ):
                white = (rows - mean) @ whiten
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


def fit_lda(
    X: ArrayLike,
    y: ArrayLike,
    *,
    priors: ArrayLike | None = None,
    divisor: str = "n",
    ridge: float = 0.0,
) -> LDA:
    """Fit class means and one pooled covariance by maximum likelihood.

    ``divisor`` of the covariance is "n" (maximum likelihood) or "n-k" (unbiased, k classes);
    ``ridge`` is added to its diagonal. Priors default to the classes' shares of the sample.

    >>> model = fit_lda([[0, 0], [1, 1], [0, 1], [3, 3], [4, 4], [3, 4]], [0, 0, 0, 1, 1, 1])
    >>> model.predict([[1, 0], [3, 3]])
    array([0, 1])
    """
    array, names, codes, shares, means = _moments(X, y, priors)
    ridge = checks.positive(ridge, "ridge", zero=True)
    checks.choice(divisor, "divisor", ("n", "n-k"))
    freedom = len(array) - (len(names) if divisor == "n-k" else 0)
    if freedom < 1:
        raise ValueError("X: has too few rows for divisor 'n-k'; give more rows than classes.")
    covariance = _scatter(array, means, codes) / freedom + ridge * np.eye(array.shape[1])
    L = _cholesky(covariance, array, len(names), "pooled")
    from scipy.linalg import cho_solve

    w = cho_solve((L, True), means.T).T
    w0 = np.log(shares) - 0.5 * (w * means).sum(axis=1)
    return LDA(names, shares, means, covariance, np.column_stack([w0, w]))


def fit_qda(
    X: ArrayLike,
    y: ArrayLike,
    *,
    priors: ArrayLike | None = None,
    divisor: str = "n",
    ridge: float = 0.0,
) -> QDA:
    """Fit the mean and covariance of every class by maximum likelihood; options as in LDA.

    >>> model = fit_qda([[-1.0], [1.0], [-3.0], [3.0]], [0, 0, 1, 1])
    >>> model.A, model.b, round(model.c, 4)
    (array([[0.44444444]]), array([0.]), -1.0986)
    """
    array, names, codes, shares, means = _moments(X, y, priors)
    ridge = checks.positive(ridge, "ridge", zero=True)
    checks.choice(divisor, "divisor", ("n", "n-k"))
    covariances = []
    for k, name in enumerate(names):
        rows = array[codes == k]
        within = rows - means[k]
        freedom = len(within) - (divisor == "n-k")
        if freedom < 1:
            raise ValueError(
                f"y: class {name.item()!r} has one row, too few for divisor 'n-k'; give more."
            )
        covariance = within.T @ within / freedom + ridge * np.eye(array.shape[1])
        _cholesky(covariance, rows, 1, f"class {name.item()!r}")
        covariances.append(covariance)
    return QDA(names, shares, means, np.array(covariances))


def _scatter(array: FloatArray, means: FloatArray, codes: IntArray) -> FloatArray:
    """Return ``Σ (x − μ)(x − μ)ᵀ``, each row with the mean of its class, some rows at a time."""
    total = np.zeros((array.shape[1], array.shape[1]))
    for part in quick.blocks(len(array)):
        within = array[part] - means[codes[part]]
        total += within.T @ within
    return total


def _moments(
    X: ArrayLike, y: ArrayLike, priors: ArrayLike | None
) -> tuple[FloatArray, NDArray[Any], IntArray, FloatArray, FloatArray]:
    array, _ = quick.points(X)
    names, codes = checks.classes(y, len(array))
    counts = np.bincount(codes)
    means = np.array([array[codes == k].mean(axis=0) for k in range(len(names))])
    shares = counts / len(array) if priors is None else checks.vector(priors, "priors")
    if shares.shape != (len(names),):
        raise ValueError(f"priors: has {shares.size} entries for {len(names)} classes; match them.")
    if shares.min() <= 0 or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(f"priors: must be positive and sum to 1, got {shares.tolist()}; rescale.")
    return array, names, codes, shares, means


def _cholesky(covariance: FloatArray, rows: FloatArray, classes: int, which: str) -> FloatArray:
    """Return the Cholesky factor, or say which features leave the covariance singular."""
    variances = np.diag(covariance)
    n, d = rows.shape
    # The mean of n numbers is rounded: even a constant feature can leave this much variance.
    largest = np.maximum(rows.max(axis=0), -rows.min(axis=0))
    rounding = (n * np.finfo(np.float64).eps * largest) ** 2
    flat = np.flatnonzero(variances <= rounding)
    try:
        L = np.linalg.cholesky(covariance)
        singular = bool(np.any(np.diag(L) ** 2 <= 1e-13 * d * variances + rounding))
    except np.linalg.LinAlgError:
        singular = True
    if not singular:
        return np.asarray(L)
    if n < d + classes:
        why = f"it has too few rows ({n}, where {d} features need at least {d + classes})"
    elif flat.size:
        why = f"column {flat[0]} is constant within {'every class' if classes > 1 else 'it'}"
    else:
        why = "some features are combinations of others"
    raise ValueError(
        f"X: the covariance of the {which} sample is singular because {why}; "
        f"drop features or pass ridge=1e-3."
    )
