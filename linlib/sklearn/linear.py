"""Learners that minimise a penalised loss, as estimators: hinge loss and logistic loss."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax, softmax

import linlib
from linlib.base.checks import FloatArray, IntArray
from linlib.sklearn.base import Classifier, HyperplaneClassifier


class HingeClassifier(HyperplaneClassifier):
    """The minimum of mean hinge loss plus ``penalty/2 ‖w‖²``, :func:`linlib.soft_margin`.

    >>> model = HingeClassifier(penalty=0.1).fit([[0, 0], [2, 0], [5, 5]], [0, 1, 1])
    >>> model.coef_.round(6) + 0.0, model.intercept_.round(6)
    (array([[1., 0.]]), array([-1.]))
    """

    _core = linlib.soft_margin
    _advice = (
        "stopped before the gap closed; scale the features, or raise max_updates or tolerance."
    )

    def __init__(
        self,
        *,
        penalty: float = 0.01,
        tolerance: float = 1e-9,
        max_updates: int = 1000,
        multi_class: str = "ovr",
    ) -> None:
        self.penalty = penalty
        self.tolerance = tolerance
        self.max_updates = max_updates
        self.multi_class = multi_class


class LogisticClassifier(Classifier):
    """Logistic regression: :func:`linlib.logistic`, and :func:`linlib.softmax` for many classes.

    ``penalty`` is λ of mean loss plus ``λ/2 ‖w‖²``: scikit-learn's ``C`` is ``1 / (n λ)``. With
    ``penalty=0`` classes that can be separated have no best weights; it warns and keeps those at
    which it stopped. ``coef_`` is ``(K, d)``, with rows that add up to 0, or ``(1, d)`` for two
    classes; ``model_`` is what the core returned.

    >>> model = LogisticClassifier(penalty=0.1).fit([[0], [1], [2], [3]], ["a", "b", "a", "b"])
    >>> model.predict_proba([[1.5], [9.0]]).round(2)
    array([[0.5 , 0.5 ],
           [0.01, 0.99]])
    """

    _core = linlib.logistic

    def __init__(
        self, *, penalty: float = 0.01, tolerance: float = 1e-12, max_updates: int = 100
    ) -> None:
        self.penalty = penalty
        self.tolerance = tolerance
        self.max_updates = max_updates

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        options = self.get_params(deep=False)
        self.model_: linlib.Logistic | linlib.Softmax
        if k == 2:
            self.model_ = linlib.logistic(X, np.where(codes == 1, 1.0, -1.0), **options)
        else:
            self.model_ = linlib.softmax(X, codes, **options)
        self._keep(np.atleast_2d(self.model_.weights))
        self.converged_ = self.model_.converged
        self.n_iter_ = self.model_.updates
        return "" if self.converged_ else str(self.model_.status)

    def _both(self, X: ArrayLike) -> FloatArray:
        scores = self._scores(self._points(X))
        return np.hstack([-scores / 2, scores / 2]) if scores.shape[1] == 1 else scores

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithms of the probabilities, ``(n, K)``."""
        return np.asarray(log_softmax(self._both(X), axis=1))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probabilities, ``(n, K)``: one column a class, rows add up to 1."""
        return np.asarray(softmax(self._both(X), axis=1))
