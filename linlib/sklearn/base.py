"""What all estimators share: checked input, scores and classes, schemes for many classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

import linlib
from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.perceptron.algorithm import Order


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What all estimators share: checked input, the core's weights, and classes from scores."""

    _core: ClassVar[Callable[..., Any]]
    _warning: ClassVar[type[Warning]] = ConvergenceWarning

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        """Call the core on class positions ``0 … k − 1``; return what to warn of, if anything."""
        raise NotImplementedError

    def _keep(self, weights: FloatArray) -> None:
        # A copy: the core's results are frozen, scikit-learn's attributes can be written.
        self.intercept_, self.coef_ = weights[:, 0].copy(), weights[:, 1:].copy()

    def _scores(self, X: FloatArray) -> FloatArray:
        """Return one column for two classes, else one a class."""
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from ``X`` of shape ``(n, d)`` and labels ``y`` of shape ``(n,)``."""
        points, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y: holds only one class, {classes[0]!r}; give at least two classes.")
        if advice := self._learn(points, codes, len(classes)):
            warnings.warn(f"{type(self).__name__}: {advice}", self._warning, stacklevel=2)
        self.classes_ = classes
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return scores: ``(n,)`` for two classes, positive for the second, else ``(n, K)``."""
        scores = self._scores(self._points(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row; a score of 0, or a tie, goes to the first class."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    def _points(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self, "classes_")
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))


class HyperplaneClassifier(Classifier):
    """A learner of one hyperplane, taken to many classes by a scheme of the core.

    Sets ``coef_`` and ``intercept_``, with one row for two classes, K for "ovr", K(K−1)/2 for "ovo"
    (pairs 01, 02, … 12, …, positive for the first of the pair); ``scheme_``, None for two classes;
    ``converged_``, whether all runs did; and ``n_iter_``, the most passes
    (or updates, for the hinge), where the core counts.
    """

    multi_class: str
    _advice: ClassVar[str] = ""  # the warning if a run did not converge

    def _learner(self) -> Callable[..., Any]:
        """Return the core's function with this estimator's parameters as its options."""
        options = self.get_params(deep=False)
        del options["multi_class"]
        if "random_state" in options:
            options["rng"] = generator(self.order, options.pop("random_state"))
        return partial(type(self)._core, **options)

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        checks.choice(self.multi_class, "multi_class", ("ovr", "ovo"))
        scheme = linlib.one_vs_rest if self.multi_class == "ovr" else linlib.one_vs_one
        learner, runs = self._learner(), []

        def learn(X: FloatArray, y: FloatArray) -> Any:
            runs.append(learner(X, y))
            return runs[-1]

        if k == 2:
            learn(X, np.where(codes == 1, 1.0, -1.0))
        self.scheme_ = scheme(X, codes, learn) if k > 2 else None
        self._keep(np.array([run.weights for run in runs]))
        self.converged_ = all(run.converged for run in runs)
        for counted in ("updates", "passes"):
            if hasattr(runs[0], counted):
                self.n_iter_ = max(getattr(run, counted) for run in runs)
        return "" if self.converged_ else self._advice

    def _scores(self, X: FloatArray) -> FloatArray:
        scores = super()._scores(X)
        if not isinstance(self.scheme_, linlib.OneVsOne):
            return scores
        sums = np.zeros((len(X), len(self.scheme_.classes)))
        for score, (a, b) in zip(scores.T, self.scheme_.hyperplanes, strict=True):
            sums[:, a] += score
            sums[:, b] -= score
        # Scikit-learn's rule: squeezed below 1/3 either way, the sums decide equal votes only.
        return np.asarray(self.scheme_.votes(X) + sums / (3 * (np.abs(sums) + 1)))


def generator(order: Order, random_state: Any) -> np.random.Generator | None:
    """Return the core's generator if the order needs one; an integer is its seed."""
    if not isinstance(order, str) or order not in ("shuffled", "random"):
        return None
    if not isinstance(random_state, int | np.integer):
        random_state = check_random_state(random_state).randint(2**31)
    return np.random.default_rng(random_state)
