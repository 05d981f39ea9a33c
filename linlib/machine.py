"""A machine in the sense of Duda and Hart: one score for each class, and the largest wins.

What the Gaussian models of :mod:`linlib.discriminants` have in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import FloatArray
from linlib.frozen import Frozen
from linlib.shown import Shown, names, vector


@dataclass(frozen=True, eq=False, repr=False)
class Machine(Frozen, Shown):
    """A classifier with one score for each class; the largest wins, the first of equals."""

    classes: NDArray[Any]
    priors: FloatArray
    means: FloatArray

    def _facts(self) -> Mapping[str, str]:
        facts = {"classes": names(self.classes), "priors": vector(self.priors)}
        means = {f"mean of {name}": vector(m) for name, m in zip(self.classes, self.means)}  # noqa: B905
        return facts | (means if len(means) <= 3 else {"features": str(self.means.shape[1])})

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
        array = checks.points(X)
        if array.shape[1] != self.means.shape[1]:
            raise ValueError(
                f"X: has {array.shape[1]} features where the model has {self.means.shape[1]}; "
                f"give points of that dimension."
            )
        return array
