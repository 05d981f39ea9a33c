"""Linear and quadratic discriminant analysis (lecture 08): model the classes, not the boundary.

If class k has prior π_k and density N(μ_k, Σ_k), Bayes' rule picks the largest
``ln π_k − ½ ln |Σ_k| − ½ (x − μ_k)ᵀ Σ_k⁻¹ (x − μ_k)``. With one shared Σ the quadratic terms cancel
between classes and the boundaries are hyperplanes (LDA); otherwise they are quadrics (QDA).

Both are fitted by counting and averaging: :func:`fit_lda` and :func:`fit_qda` are a few lines each.
Means and covariances are taken about a point between the classes, so that data far from the origin
lose no digits. What takes more lines is to refuse a covariance without an inverse, and to say why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.frozen import Frozen, names, vector
from linlib.base.hyperplane import Hyperplane

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

        It is ``w_k · (x − centre) + w0_k`` with ``(w0_k, w_k) = central[k]``.
        """
        array = checks.points(X, width=self.means.shape[1])
        return np.asarray((array - self.centre) @ self.central[:, 1:].T + self.central[:, 0])

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

    >>> narrow, wide = np.eye(1), 9 * np.eye(1)
    >>> model = QDA(np.array([0, 1]), np.full(2, 0.5), np.zeros((2, 1)), np.array([narrow, wide]))
    >>> model.predict([[0.5], [-4.0]])
    array([0, 1])
    """

    covariances: FloatArray

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return ``ln π − ½ ln |Σ| − ½ (x − μ)ᵀ Σ⁻¹ (x − μ)`` for each class."""
        array = checks.points(X, width=self.means.shape[1])
        columns = []
        for prior, mean, covariance in zip(self.priors, self.means, self.covariances, strict=True):
            # With Σ = L Lᵀ the squared distance is ‖L⁻¹ (x − μ)‖², and ½ ln |Σ| is Σ_j ln L_jj.
            L = np.linalg.cholesky(covariance)
            white = np.linalg.solve(L, (array - mean).T)
            constant = np.log(prior) - np.log(np.diag(L)).sum()
            columns.append(constant - 0.5 * (white**2).sum(axis=0))
        return np.column_stack(columns)

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
    sample = _Sample.of(X, y, priors)
    k = len(sample.names)
    # Pooled: every row less the mean of its own class.
    covariance, digits = sample.covariance(
        sample.deviations, divisor, penalty, classes=k, which="pooled"
    )

    def weights(means: FloatArray) -> FloatArray:
        w = np.linalg.solve(covariance, means.T).T
        w0 = np.log(sample.priors) - 0.5 * (w * means).sum(axis=1)
        return np.column_stack([w0, w])

    return LDA(
        sample.names,
        sample.priors,
        sample.centre + sample.means,
        covariance,
        weights(sample.centre + sample.means),
        sample.centre,
        weights(sample.means),
        status=_status(digits),
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
    sample = _Sample.of(X, y, priors)
    covariances = []
    digits = []
    for k, name in enumerate(sample.names):
        covariance, known = sample.covariance(
            sample.deviations[sample.codes == k],
            divisor,
            penalty,
            classes=1,
            which=f"class {name.item()!r}",
        )
        covariances.append(covariance)
        digits.append(known)
    return QDA(
        sample.names,
        sample.priors,
        sample.centre + sample.means,
        np.array(covariances),
        status=_status(min(digits)),
    )


class _Sample(NamedTuple):
    """What a sample says about its classes; ``means`` are those of the points less ``centre``."""

    names: NDArray[Any]
    codes: IntArray
    priors: FloatArray
    centre: FloatArray
    means: FloatArray
    deviations: FloatArray
    largest: FloatArray

    @classmethod
    def of(cls, X: ArrayLike, y: ArrayLike, priors: ArrayLike | None) -> _Sample:
        array = checks.points(X)
        names, codes = checks.classes(y, len(array))
        k = len(names)
        if priors is None:
            shares = np.bincount(codes.astype(np.intp, copy=False)) / len(array)
        else:
            shares = _priors(priors, k)
        centre = _class_means(array, codes, k).mean(axis=0)
        points = array - centre
        means = _class_means(points, codes, k)
        largest = np.abs(array).max(axis=0)
        return cls(names, codes, shares, centre, means, points - means[codes], largest)

    def covariance(
        self, deviations: FloatArray, divisor: str, penalty: float, *, classes: int, which: str
    ) -> tuple[FloatArray, float]:
        """Return the covariance of deviations from the means of some classes.

        Beside it: how many digits of its inverse are known. If it has none, say which features are
        the reason. n rows less the means of their classes span at most n − classes dimensions: with
        fewer rows than features need it is singular, whatever rounding makes of it.
        """
        n, d = deviations.shape
        penalty = checks.positive(penalty, "penalty", zero=True)
        unbiased = checks.choice(divisor, "divisor", ("n", "n-k")) == "n-k"
        if unbiased and n == classes:
            raise ValueError(
                f"X: the {which} sample has too few rows for divisor 'n-k': {n}; give more."
            )
        scatter = deviations.T @ deviations
        covariance = scatter / (n - classes if unbiased else n) + penalty * np.eye(d)
        why = ""
        # A constant feature can leave this much deviation: the last bits of its mean.
        flat = np.flatnonzero(np.ptp(deviations, axis=0) <= 8 * EPS * self.largest)
        if penalty == 0 and n < d + classes:
            why = f"it has too few rows ({n}, where {d} features need at least {d + classes})"
        elif penalty == 0 and flat.size:
            why = f"column {flat[0]} is constant within {'every class' if classes > 1 else 'it'}"
        else:
            # The eigenvalues of the correlations tell, whatever the units of the features.
            sizes = np.sqrt(np.diag(covariance))
            spectrum = np.linalg.eigvalsh(covariance / np.outer(sizes, sizes))
            known = float(spectrum[0] / spectrum[-1])
            if known > 1e-14 * d:
                return covariance, float(np.log10(known / EPS))
            why = "some features are combinations of others"
        raise ValueError(
            f"X: the covariance of the {which} sample is singular because {why}; "
            f"drop features or pass penalty=1e-3."
        )


def _class_means(points: FloatArray, codes: IntArray, k: int) -> FloatArray:
    return np.array([points[codes == j].mean(axis=0) for j in range(k)])


def _priors(priors: ArrayLike, k: int) -> FloatArray:
    shares = checks.vector(priors, "priors")
    if shares.shape != (k,):
        raise ValueError(f"priors: has {shares.size} entries for {k} classes; match them.")
    if shares.min() <= 0 or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(f"priors: must be positive and sum to 1, got {shares.tolist()}; rescale.")
    return shares


def _status(digits: float) -> str:
    """Say how many digits of the scores are right, if they are few."""
    if digits >= 8:
        return FITTED
    return (
        f"Fitted, but some features are nearly combinations of others: expect about "
        f"{max(int(digits) - 1, 0)} correct digits in scores. Drop features or pass penalty=1e-3."
    )
