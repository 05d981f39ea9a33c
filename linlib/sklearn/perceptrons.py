"""The perceptron and its average as estimators."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

import linlib
from linlib.perceptron.algorithm import Order
from linlib.sklearn.base import HyperplaneClassifier


class PerceptronClassifier(HyperplaneClassifier):
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
        "max_updates ran out before a clean pass; raise it, or use linlib.pocket if the classes "
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
        self.order = order
        self.start = start
        self.step = step
        self.max_updates = max_updates
        self.multi_class = multi_class
        self.random_state = random_state


class AveragedPerceptronClassifier(HyperplaneClassifier):
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
        self.max_passes = max_passes
        self.order = order
        self.start = start
        self.step = step
        self.multi_class = multi_class
        self.random_state = random_state
