"""linlib's learners as scikit-learn estimators: thin adapters, no algorithm of their own.

Every estimator checks its input the way scikit-learn does, calls one function of the core, whose
options are its parameters, and keeps the core's exact weights as ``coef_`` and ``intercept_``.
``X`` is ``(n, d)`` and ``y`` is ``(n,)`` with any labels; of two classes ``classes_[0]`` is learned
as −1 and ``classes_[1]`` as +1. ``decision_function`` is ``(n,)`` for two classes, else ``(n, K)``.
A positive score means ``classes_[1]``, so a score of exactly 0 goes to ``classes_[0]``; among K
scores the largest wins, the first of equals.

Learners of one hyperplane take ``multi_class``: "ovr" compares the K scores of
:func:`linlib.one_vs_rest`, "ovo" the votes of :func:`linlib.one_vs_one`, equal votes decided by the
sums of scores. Where exactly one class claims a point, that is the core's own answer; in doubt,
scikit-learn's rule is the larger score, the core's (``scheme_.predict``) the nearer mean. The
fitted ``scheme_`` and ``model_`` know the classes by their positions in ``classes_``.

Left out, because the lectures do not speak of it: ``sample_weight`` and ``class_weight`` (the core
counts every row once; repeat rows, or pass ``priors`` to LDA and QDA), ``partial_fit`` (the core's
learners take whole samples; ``start`` goes on from given weights), sparse input (use ``toarray()``)
and shrinkage (``ridge`` pulls a covariance towards a multiple of the identity).

>>> from sklearn.datasets import load_iris
>>> from sklearn.model_selection import cross_val_score
>>> cross_val_score(LDAClassifier(), *load_iris(return_X_y=True)).round(2)
array([1.  , 1.  , 0.97, 0.93, 1.  ])
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, softmax
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

import linlib
from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.perceptron import Order

__all__ = [
    "AveragedPerceptronClassifier",
    "HingeClassifier",
    "LDAClassifier",
    "LMSClassifier",
    "LassoClassifier",
    "LeastSquaresClassifier",
    "LinearMachineClassifier",
    "LogisticClassifier",
    "PerceptronClassifier",
    "PocketClassifier",
    "QDAClassifier",
]

SMALL = 1e-6  # share of the variance added to a singular covariance


class _Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What all estimators share: checked input, the core's weights, and classes from scores."""

    _core: ClassVar[Callable[..., Any]]
    _warning: ClassVar[type[Warning]] = ConvergenceWarning

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        """Call the core on class positions ``0 … k − 1``; return what to warn of, if anything."""
        raise NotImplementedError

    def _keep(self, weights: FloatArray) -> None:
        self.coef_, self.intercept_ = weights[:, 1:], weights[:, 0]

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


class _HyperplaneClassifier(_Classifier):
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
            options["rng"] = _generator(self.order, options.pop("random_state"))
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


def _generator(order: Order, random_state: Any) -> np.random.Generator | None:
    """Return the core's generator if the order needs one; an integer is its seed."""
    if not isinstance(order, str) or order not in ("shuffled", "random"):
        return None
    if not isinstance(random_state, int | np.integer):
        random_state = check_random_state(random_state).randint(2**31)
    return np.random.default_rng(random_state)


class PerceptronClassifier(_HyperplaneClassifier):
    """The perceptron, :func:`linlib.pla`: correct one mistake at a time until a pass is clean.

    ``order`` is "cyclic", "shuffled", "random", "worst" or (not with "ovo") a sequence of rows;
    ``random_state=7`` is the core's ``rng=np.random.default_rng(7)``, handed from one hyperplane
    to the next. Warns if ``max_updates`` run out.

    >>> model = PerceptronClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.coef_, model.intercept_, model.n_iter_
    (array([[3., 2.]]), array([-4.]), 9)
    """

    _core = linlib.pla
    _advice = (
        "max_updates ran out before a clean pass; raise it, or use PocketClassifier if the classes "
        "overlap."
    )

    def __init__(
        self,
        *,
        order: Order = "cyclic",
        start: ArrayLike | None = None,
        step: float = 1.0,
        max_updates: int = 10_000,
        multi_class: str = "ovr",
        random_state: Any = None,
    ) -> None:
        self.order, self.start, self.step = order, start, step
        self.max_updates, self.multi_class = max_updates, multi_class
        self.random_state = random_state


class PocketClassifier(_HyperplaneClassifier):
    """The pocket algorithm, :func:`linlib.pocket`: the best weights of ``max_updates`` updates.

    Parameters as in :class:`PerceptronClassifier`. Spending the whole budget is what it does where
    classes overlap, so that brings no warning; ``converged_`` tells.

    >>> X, y = [[0], [1], [2], [3]], ["no", "yes", "no", "yes"]
    >>> model = PocketClassifier().fit(X, y)
    >>> model.score(X, y), model.converged_
    (0.75, False)
    """

    _core = linlib.pocket

    def __init__(
        self,
        *,
        order: Order = "cyclic",
        start: ArrayLike | None = None,
        step: float = 1.0,
        max_updates: int = 1_000,
        multi_class: str = "ovr",
        random_state: Any = None,
    ) -> None:
        self.order, self.start, self.step = order, start, step
        self.max_updates, self.multi_class = max_updates, multi_class
        self.random_state = random_state


class AveragedPerceptronClassifier(_HyperplaneClassifier):
    """The averaged perceptron, :func:`linlib.averaged`: mean weights over ``max_passes`` passes.

    Other parameters as in :class:`PerceptronClassifier`; ``order`` is not "random" or "worst".

    >>> model = AveragedPerceptronClassifier(max_passes=1).fit([[1], [-1]], ["right", "left"])
    >>> model.coef_, model.intercept_
    (array([[1.5]]), array([0.5]))
    """

    _core = linlib.averaged

    def __init__(
        self,
        *,
        max_passes: int = 10,
        order: Order = "cyclic",
        start: ArrayLike | None = None,
        step: float = 1.0,
        multi_class: str = "ovr",
        random_state: Any = None,
    ) -> None:
        self.max_passes, self.order, self.start, self.step = max_passes, order, start, step
        self.multi_class, self.random_state = multi_class, random_state


class LeastSquaresClassifier(_HyperplaneClassifier):
    """Least squares on labels ±1, :func:`linlib.least_squares`, with a ``penalty`` on ``w``.

    >>> model = LeastSquaresClassifier().fit([[0], [1]], [0, 1])
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([[2.]]), array([-1.]))
    """

    _core = linlib.least_squares

    def __init__(self, *, penalty: float = 0.0, multi_class: str = "ovr") -> None:
        self.penalty, self.multi_class = penalty, multi_class


class LassoClassifier(_HyperplaneClassifier):
    """Least squares on labels ±1 with ``penalty Σ |w_j|``, :func:`linlib.lasso`.

    >>> X = [[0, 5], [1, 5], [0, 4], [1, 4]]
    >>> LassoClassifier(penalty=0.1).fit(X, [0, 1, 0, 1]).coef_
    array([[1.9, 0. ]])
    """

    _core = linlib.lasso
    _advice = "max_passes ran out before the weights settled; raise it or scale the features."

    def __init__(
        self,
        *,
        penalty: float = 0.1,
        max_passes: int = 10_000,
        tolerance: float = 1e-10,
        multi_class: str = "ovr",
    ) -> None:
        self.penalty, self.max_passes, self.tolerance = penalty, max_passes, tolerance
        self.multi_class = multi_class


class LMSClassifier(_HyperplaneClassifier):
    """The least-mean-squares rule, :func:`linlib.lms`, for ``max_passes`` passes over the rows.

    The default ``step`` is 1 over the largest ``1 + ‖x‖²``, with which no correction overshoots;
    with one of your own, weights that blow up are an error. With a ``tolerance`` it stops once a
    pass moves no weight by more, and warns if none does.

    >>> LMSClassifier(step=0.5, max_passes=1).fit([[0], [1]], ["no", "yes"]).coef_
    array([[0.75]])
    """

    _core = linlib.lms

    def __init__(
        self,
        *,
        step: float | None = None,
        schedule: str = "constant",
        max_passes: int = 100,
        tolerance: float = 0.0,
        multi_class: str = "ovr",
    ) -> None:
        self.step, self.schedule, self.max_passes = step, schedule, max_passes
        self.tolerance, self.multi_class = tolerance, multi_class

    def _learner(self) -> Callable[..., Any]:
        lms = super()._learner()

        def learn(X: FloatArray, y: FloatArray) -> linlib.LMSRun:
            scale = 1.0 / (1.0 + float((X**2).sum(axis=1).max()))
            run: linlib.LMSRun = lms(X, y, step=scale if self.step is None else self.step)
            if run.diverged:
                raise ValueError(f"step: {self.step} blows up; choose a smaller one or scale X.")
            return run

        return learn

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        super()._learn(X, codes, k)
        if self.converged_ or self.tolerance == 0:
            return ""
        return "max_passes ran out before the weights settled; raise it or tolerance."


class HingeClassifier(_HyperplaneClassifier):
    """The minimum of mean hinge loss plus ``penalty/2 ‖w‖²``, :func:`linlib.soft_margin`.

    >>> model = HingeClassifier(penalty=0.1).fit([[0, 0], [2, 0], [5, 5]], [0, 1, 1])
    >>> model.coef_.round(6), model.intercept_.round(6)
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
        max_updates: int = 100_000,
        multi_class: str = "ovr",
    ) -> None:
        self.penalty, self.tolerance, self.max_updates = penalty, tolerance, max_updates
        self.multi_class = multi_class


class LinearMachineClassifier(_Classifier):
    """One score per class, the largest wins: :func:`linlib.linear_machine`.

    ``method`` is "perceptron" (Kesler's construction; warns if ``max_updates`` run out) or
    "least_squares" (with a ``penalty``). ``coef_`` is ``(K, d)``, for two classes ``(1, d)``: the
    second's weights minus the first's.

    >>> model = LinearMachineClassifier().fit([[0], [4], [9]], ["a", "b", "c"])
    >>> model.predict([[0], [4], [9]]).tolist()
    ['a', 'b', 'c']
    """

    def __init__(
        self, *, method: str = "perceptron", penalty: float = 0.0, max_updates: int = 10_000
    ) -> None:
        self.method, self.penalty, self.max_updates = method, penalty, max_updates

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        machine = linlib.linear_machine(X, codes, **self.get_params(deep=False))
        self._keep(machine.weights if k > 2 else np.diff(machine.weights, axis=0))
        self.converged_ = machine.converged
        self.n_iter_ = machine.run.passes if machine.run else None
        advice = "max_updates ran out before a clean pass; raise it, or use method='least_squares'."
        return "" if self.converged_ else advice


class LogisticClassifier(_Classifier):
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
        self, *, penalty: float = 0.01, tolerance: float = 1e-12, max_steps: int = 100
    ) -> None:
        self.penalty, self.tolerance, self.max_steps = penalty, tolerance, max_steps

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        options = self.get_params(deep=False)
        self.model_: linlib.Logistic | linlib.Softmax
        if k == 2:
            self.model_ = linlib.logistic(X, np.where(codes == 1, 1.0, -1.0), **options)
        else:
            self.model_ = linlib.softmax(X, codes, **options)
        self._keep(np.atleast_2d(self.model_.weights))
        self.converged_, self.n_iter_ = self.model_.converged, self.model_.steps
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


class _GaussianClassifier(_Classifier):
    """Gaussian classes, kept as the core's ``model_``, ``priors_``, ``means_``, ``covariance_``.

    ``ridge=None`` is 0, and only where that leaves a covariance singular ``SMALL`` times the mean
    variance of the features, with a warning; ``ridge_`` is what was used.
    """

    _warning = UserWarning
    _rows: ClassVar[Callable[..., int]]  # of the classes' sizes, the one that must be 2 or more

    def __init__(
        self, *, priors: ArrayLike | None = None, divisor: str = "n", ridge: float | None = None
    ) -> None:
        self.priors, self.divisor, self.ridge = priors, divisor, ridge

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        # A copy of the priors, which the model must not share with the caller.
        priors = None if self.priors is None else np.array(self.priors)
        fit = partial(type(self)._core, X, codes, priors=priors, divisor=self.divisor)
        advice, self.ridge_ = "", 0.0 if self.ridge is None else self.ridge
        try:
            self.model_ = fit(ridge=self.ridge_)
        except ValueError as problem:
            if self.ridge is not None or type(self)._rows(np.bincount(codes)) < 2:
                raise
            self.ridge_ = SMALL * float(X.var(axis=0).mean())
            self.model_ = fit(ridge=self.ridge_)  # whatever else is wrong is wrong again
            advice = f"used ridge={self.ridge_:.3g} because of this: {problem}"
        self.priors_, self.means_ = self.model_.priors, self.model_.means
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
    _GaussianClassifier,
):
    """Linear discriminant analysis, :func:`linlib.fit_lda`: one covariance for all classes.

    ``coef_`` is ``(K, d)``, for two classes ``(1, d)`` (the core's ``hyperplane``); ``covariance_``
    is ``(d, d)``. ``priors`` are in the order of ``classes_``; ``divisor`` and ``ridge`` as in the
    core, but ``ridge=None`` adds a little where the covariance is singular, and warns.
    ``transform`` gives the coordinates along the discriminant directions, the columns of
    ``scalings_``: all that the classes' means span, or the first ``n_components``.

    >>> model = LDAClassifier().fit([[0.0], [2.0], [6.0], [8.0]], [0, 0, 1, 1])
    >>> model.coef_, model.intercept_, model.predict_proba([[4.0]])
    (array([[6.]]), array([-24.]), array([[0.5, 0.5]]))
    """

    _core = linlib.fit_lda
    _rows = max

    def __init__(
        self,
        *,
        priors: ArrayLike | None = None,
        divisor: str = "n",
        ridge: float | None = None,
        n_components: int | None = None,
    ) -> None:
        super().__init__(priors=priors, divisor=divisor, ridge=ridge)
        self.n_components = n_components

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        advice = super()._learn(X, codes, k)
        w0, w = self.model_.central[:, 0], self.model_.central[:, 1:]
        about_origin = np.column_stack([w0 - w @ self.model_.centre, w])
        self._keep(about_origin if k > 2 else self.model_.hyperplane.weights[None])
        self.covariance_ = self.model_.covariance
        most = self.n_components
        most = None if most is None else checks.count(most, "n_components", least=1)
        self.scalings_ = self.model_.directions()[:, :most]
        return advice

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the coordinates of each row along the first ``n_components`` discriminants."""
        points = self._points(X)
        return np.asarray((points - self.model_.centre) @ self.scalings_)


class QDAClassifier(_GaussianClassifier):
    """Quadratic discriminant analysis, :func:`linlib.fit_qda`: a covariance for each class.

    ``covariance_`` is ``(K, d, d)``; parameters as in :class:`LDAClassifier`.

    >>> model = QDAClassifier().fit([[-1.0], [1.0], [-3.0], [3.0]], ["near", "near", "far", "far"])
    >>> model.predict([[0.0], [5.0]]).tolist()
    ['near', 'far']
    """

    _core = linlib.fit_qda
    _rows = min

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        advice = super()._learn(X, codes, k)
        self.covariance_ = self.model_.covariances
        return advice
