"""What can be compared: learners, and what one of them gets wrong.

A *learner* is a function of X and y that returns a *rule*, something with ``predict``. A *method*
is a learner for each of its settings, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.frozen import Frozen


class Rule(Protocol):
    """Anything that names a class for each row."""

    def predict(self, X: Any, /) -> NDArray[Any]:
        """Return the class of each row."""


Learner = Callable[[FloatArray, NDArray[Any]], Rule]


Method = Mapping[str, Learner]


@dataclass(frozen=True, eq=False)
class Standardised(Frozen):
    """A rule for features that have mean 0 and spread 1 on the points it was learnt from."""

    centre: FloatArray
    spread: FloatArray
    rule: Rule

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return what the rule says of the rows, moved and scaled as the training points were."""
        return self.rule.predict((checks.points(X) - self.centre) / self.spread)


def standardised(learn: Learner) -> Learner:
    """Return the learner on standardised features: mean and spread are learnt like weights.

    They are those of the points that the learner is given, so no other point has a say. A feature
    that does not vary is only moved.

    >>> from linlib import data, fit_lda
    >>> iris = data.load("iris")
    >>> round(100 * error(standardised(fit_lda)(iris.X, iris.y), iris.X, iris.y))
    2
    """

    def learn_standardised(X: FloatArray, y: NDArray[Any]) -> Standardised:
        centre, spread = X.mean(axis=0), X.std(axis=0)
        spread = np.where(np.ptp(X, axis=0) > 0, spread, 1.0)
        return Standardised(centre, spread, learn((X - centre) / spread, y))

    return learn_standardised


def error(rule: Rule, X: FloatArray, y: NDArray[Any]) -> float:
    """Return the share of rows for which the rule names another class."""
    return float(np.mean(rule.predict(X) != y))
