"""Models of the classes as estimators: LDA and QDA."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax, softmax
from sklearn.base import (
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)

import linlib
from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.sklearn.base import Classifier

SMALL = 1e-6  # share of the variance added to a singular covariance


class GaussianClassifier(Classifier):
    """Gaussian classes, kept as the core's ``model_``, ``priors_``, ``means_``, ``covariance_``.

    ``penalty=None`` is 0, and only where that leaves a covariance singular ``SMALL`` times the mean
    variance of the features, with a warning; ``penalty_`` is what was used.
    """

    _warning = UserWarning

    def __init__(
        self, *, priors: ArrayLike | None = None, divisor: str = "n", penalty: float | None = None
    ) -> None:
        self.priors = priors
        self.divisor = divisor
        self.penalty = penalty

    def _has_spread(self, sizes: IntArray) -> bool:
        """Tell whether classes of these sizes can have a covariance that is not all 0."""
        raise NotImplementedError

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        # A copy of the priors, which the model must not share with the caller.
        priors = None if self.priors is None else np.array(self.priors)
        fit = partial(type(self)._core, X, codes, priors=priors, divisor=self.divisor)
        advice = ""
        self.penalty_ = 0.0 if self.penalty is None else self.penalty
        try:
            self.model_ = fit(penalty=self.penalty_)
        except ValueError as problem:
            if self.penalty is not None:
                raise
            if not self._has_spread(np.bincount(codes.astype(np.intp))):
                raise
            self.penalty_ = SMALL * float(X.var(axis=0).mean())
            self.model_ = fit(penalty=self.penalty_)  # whatever else is wrong is wrong again
            advice = f"used penalty={self.penalty_:.3g} because of this: {problem}"
        self.priors_ = self.model_.priors.copy()
        self.means_ = self.model_.means.copy()
        return advice

    def _scores(self, X: FloatArray) -> FloatArray:
        scores = self.model_.scores(X)
        return np.asarray(np.diff(scores) if scores.shape[1] == 2 else scores)

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithms of the posterior probabilities, ``(n, K)``."""
        points = self._points(X)
        return np.asarray(log_softmax(self.model_.scores(points), axis=1))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the posterior probabilities, ``(n, K)``: one column a class, rows add up to 1."""
        points = self._points(X)
        return np.asarray(softmax(self.model_.scores(points), axis=1))


class LDAClassifier(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    GaussianClassifier,
):
    """Linear discriminant analysis, :func:`linlib.fit_lda`: one covariance for all classes.

    ``coef_`` is ``(K, d)``, for two classes ``(1, d)`` (the core's ``hyperplane``); ``covariance_``
    is ``(d, d)``. ``priors`` are in the order of ``classes_``; ``divisor`` and ``penalty`` as in
    the core, but ``penalty=None`` adds a little where the covariance is singular, and warns.
    ``transform`` gives the coordinates along the discriminant directions, the columns of
    ``scalings_``: all that the classes' means span, or the first ``n_components``.

    >>> model = LDAClassifier().fit([[0.0], [2.0], [6.0], [8.0]], [0, 0, 1, 1])
    >>> model.coef_, model.intercept_, model.predict_proba([[4.0]])
    (array([[6.]]), array([-24.]), array([[0.5, 0.5]]))
    """

    _core = linlib.fit_lda

    def __init__(
        self,
        *,
        priors: ArrayLike | None = None,
        divisor: str = "n",
        penalty: float | None = None,
        n_components: int | None = None,
    ) -> None:
        super().__init__(priors=priors, divisor=divisor, penalty=penalty)
        self.n_components = n_components

    def _has_spread(self, sizes: IntArray) -> bool:
        return bool(sizes.max() >= 2)  # the covariance is pooled: one class is enough

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        kept = self.n_components
        most = min(X.shape[1], k - 1)
        if kept is not None and checks.count(kept, "n_components", least=1) > most:
            raise ValueError(
                f"n_components: must be at most {most}, the smaller of the number of features and "
                f"the number of classes less one, got {kept}."
            )
        advice = super()._learn(X, codes, k)
        w0, w = self.model_.central[:, 0], self.model_.central[:, 1:]
        about_origin = np.column_stack([w0 - w @ self.model_.centre, w])
        self._keep(about_origin if k > 2 else self.model_.hyperplane.weights[None])
        self.covariance_ = self.model_.covariance.copy()
        self.scalings_ = self.model_.directions()[:, :kept]
        return advice

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the coordinates of each row along the first ``n_components`` discriminants."""
        points = self._points(X)
        return np.asarray((points - self.model_.centre) @ self.scalings_)


class QDAClassifier(GaussianClassifier):
    """Quadratic discriminant analysis, :func:`linlib.fit_qda`: a covariance for each class.

    ``covariance_`` is ``(K, d, d)``; parameters as in :class:`LDAClassifier`.

    >>> model = QDAClassifier().fit([[-1.0], [1.0], [-3.0], [3.0]], ["near", "near", "far", "far"])
    >>> model.predict([[0.0], [5.0]]).tolist()
    ['near', 'far']
    """

    _core = linlib.fit_qda

    def _has_spread(self, sizes: IntArray) -> bool:
        return bool(sizes.min() >= 2)  # each class has its own

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        advice = super()._learn(X, codes, k)
        self.covariance_ = self.model_.covariances.copy()
        return advice
