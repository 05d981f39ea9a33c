"""Learners that minimise a loss, as estimators: least squares, lasso, LMS, hinge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import linlib
from linlib.base.checks import FloatArray, IntArray
from linlib.descent.adaline import LMSRun
from linlib.sklearn.base import HyperplaneClassifier


class LeastSquaresClassifier(HyperplaneClassifier):
    """Least squares on labels ±1, :func:`linlib.least_squares`, with a ``penalty`` on ``w``.

    >>> model = LeastSquaresClassifier().fit([[0], [1]], [0, 1])
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([[2.]]), array([-1.]))
    """

    _core = linlib.least_squares

    def __init__(self, *, penalty: float = 0.0, multi_class: str = "ovr") -> None:
        self.penalty, self.multi_class = penalty, multi_class


class LassoClassifier(HyperplaneClassifier):
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


class LMSClassifier(HyperplaneClassifier):
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

        def learn(X: FloatArray, y: FloatArray) -> LMSRun:
            scale = 1.0 / (1.0 + float((X**2).sum(axis=1).max()))
            run: LMSRun = lms(X, y, step=scale if self.step is None else self.step)
            if run.diverged:
                raise ValueError(f"step: {self.step} blows up; choose a smaller one or scale X.")
            return run

        return learn

    def _learn(self, X: FloatArray, codes: IntArray, k: int) -> str:
        super()._learn(X, codes, k)
        if self.converged_ or self.tolerance == 0:
            return ""
        return "max_passes ran out before the weights settled; raise it or tolerance."


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
        max_updates: int = 100_000,
        multi_class: str = "ovr",
    ) -> None:
        self.penalty, self.tolerance, self.max_updates = penalty, tolerance, max_updates
        self.multi_class = multi_class
