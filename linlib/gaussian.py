"""Model the classes instead of the boundary: linear and quadratic discriminant analysis.

If class k has prior π_k and density N(μ_k, Σ_k), Bayes' rule picks the largest
``ln π_k − ½ ln |Σ_k| − ½ (x − μ_k)ᵀ Σ_k⁻¹ (x − μ_k)``. With one shared Σ the quadratic terms cancel
between classes and the boundaries are hyperplanes (LDA); otherwise they are quadrics (QDA).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import EPS, FloatArray, IntArray
from linlib.discriminants import LDA, QDA


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
    sample = _Sample.of(X, y, priors)
    ridge = checks.positive(ridge, "ridge", zero=True)
    checks.choice(divisor, "divisor", ("n", "n-k"))
    n, k, d = sample.counts.sum(), len(sample.names), sample.means.shape[1]
    if divisor == "n-k" and n == k:
        raise ValueError("X: has too few rows for divisor 'n-k'; give more rows than classes.")
    covariance = sum(sample.scatters) / (n - (k if divisor == "n-k" else 0)) + ridge * np.eye(d)
    L = _cholesky(covariance, ridge, n, k, sample.largest, "pooled")
    from scipy.linalg import cho_solve

    def weights(means: FloatArray) -> FloatArray:
        w = cho_solve((L, True), means.T).T
        return np.column_stack([np.log(sample.priors) - 0.5 * (w * means).sum(axis=1), w])

    centre = sample.means.mean(axis=0)
    central = weights(sample.means - centre + sample.rest)
    own = weights(sample.means)
    return LDA(sample.names, sample.priors, sample.means, covariance, own, centre, central)


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
    sample = _Sample.of(X, y, priors)
    ridge = checks.positive(ridge, "ridge", zero=True)
    checks.choice(divisor, "divisor", ("n", "n-k"))
    covariances = []
    for name, n, scatter in zip(sample.names, sample.counts, sample.scatters, strict=True):
        if divisor == "n-k" and n == 1:
            raise ValueError(
                f"y: class {name.item()!r} has one row, too few for divisor 'n-k'; give more."
            )
        covariance = scatter / (n - (divisor == "n-k")) + ridge * np.eye(len(scatter))
        _cholesky(covariance, ridge, n, 1, sample.largest, f"class {name.item()!r}")
        covariances.append(covariance)
    return QDA(sample.names, sample.priors, sample.means, np.array(covariances), sample.rest)


class _Sample(NamedTuple):
    """What a sample says of its classes; ``means + rest`` are the means to twice the digits.

    A mean is rounded, and far from the origin that is much against the spread of a class. The mean
    of what is left after taking it away makes good for that, in means and scatters alike.
    """

    names: NDArray[Any]
    counts: IntArray
    priors: FloatArray
    means: FloatArray
    rest: FloatArray
    scatters: list[FloatArray]
    largest: FloatArray

    @classmethod
    def of(cls, X: ArrayLike, y: ArrayLike, priors: ArrayLike | None) -> _Sample:
        array = checks.points(X)
        names, codes = checks.classes(y, len(array))
        counts = np.bincount(codes)
        shares = counts / len(array) if priors is None else _priors(priors, len(names))
        means, rest = np.empty((2, len(names), array.shape[1]))
        scatters = []
        for k in range(len(names)):
            rows = array[codes == k]
            first = rows.mean(axis=0)
            rows -= first
            second = rows.mean(axis=0)
            rows -= second
            means[k] = first + second
            rest[k] = second - (means[k] - first)
            scatters.append(rows.T @ rows)
        largest = np.maximum(array.max(axis=0), -array.min(axis=0))
        return cls(names, counts, shares, means, rest, scatters, largest)


def _priors(priors: ArrayLike, k: int) -> FloatArray:
    shares = checks.vector(priors, "priors")
    if shares.shape != (k,):
        raise ValueError(f"priors: has {shares.size} entries for {k} classes; match them.")
    if shares.min() <= 0 or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(f"priors: must be positive and sum to 1, got {shares.tolist()}; rescale.")
    return shares


def _cholesky(
    covariance: FloatArray, ridge: float, n: int, classes: int, largest: FloatArray, which: str
) -> FloatArray:
    """Return the Cholesky factor, or say which features leave the covariance singular.

    n rows less the means of their classes span n − classes dimensions at most: with fewer rows
    than that needs the covariance is singular, whatever rounding makes of it.
    """
    d = len(covariance)
    few = n < d + classes and ridge == 0
    # A constant feature can leave this much variance: the last bits of its mean.
    flat = np.flatnonzero(np.diag(covariance) <= (4 * EPS * largest) ** 2)
    if not (few or flat.size):
        from scipy.linalg.lapack import dpocon, dpotrf

        scale = np.sqrt(np.diag(covariance))
        correlation = covariance / np.outer(scale, scale)
        L, failed = dpotrf(correlation, lower=1, clean=1)
        # The condition number tells, not the pivots: those of a singular matrix can be large.
        sure, _ = dpocon(L, np.linalg.norm(correlation, 1), uplo="L")
        if not failed and sure > 1e-14 * d:
            return np.asarray(scale[:, None] * L)
    if few:
        why = f"it has too few rows ({n}, where {d} features need at least {d + classes})"
    elif flat.size:
        why = f"column {flat[0]} is constant within {'every class' if classes > 1 else 'it'}"
    else:
        why = "some features are combinations of others"
    raise ValueError(
        f"X: the covariance of the {which} sample is singular because {why}; "
        f"drop features or pass ridge=1e-3."
    )
