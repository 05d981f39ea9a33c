"""The k nearest neighbours of a point decide its class: nothing is learnt, all points are kept.

No rule of the course is simpler, and none of it is linear: the baseline that others have to beat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import Frozen, Shown, names
from linlib.base.rows import blocks


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours(Frozen, Shown):
    """The points to look among, their class numbers, and how many neighbours have a vote."""

    X: FloatArray
    codes: IntArray
    classes: NDArray[Any]
    k: int

    def _facts(self) -> Mapping[str, str]:
        return {"classes": names(self.classes), "points": str(len(self.X)), "k": str(self.k)}

    def nearest(self, X: ArrayLike) -> IntArray:
        """Return ``(n, k)``: the numbers of the nearest points of each row, nearest first.

        Distances that agree to nine digits are equal, and of equals the earlier point comes first:
        last bits decide nothing.
        """
        new = checks.points(X)
        if new.shape[1] != self.X.shape[1]:
            raise ValueError(
                f"X: has {new.shape[1]} features where the model has {self.X.shape[1]}; "
                f"give points of that dimension."
            )
        centre = self.X.mean(axis=0)  # far from the origin the squares below lose their digits
        own = self.X - centre
        squares = (own**2).sum(axis=1)
        found = []
        for part in blocks(len(new)):
            # Squared distances, but for the squared length of the row, which orders nothing.
            far = squares - 2 * (new[part] - centre) @ own.T
            unit = 1e-9 * max(float(np.abs(far).max()), np.finfo(np.float64).tiny)
            # One whole number for distance and place, so that no two are equal.
            keys = np.round(far / unit).astype(np.int64) * len(own) + np.arange(len(own))
            found.append(np.sort(np.partition(keys, self.k - 1, axis=1)[:, : self.k]) % len(own))
        return np.concatenate(found)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class with the most votes; of equals the one met first."""
        near = self.codes[self.nearest(X)]
        votes = (near[:, :, None] == np.arange(len(self.classes))).sum(axis=1)
        rows = np.arange(len(near))
        most = votes[rows[:, None], near] == votes.max(axis=1)[:, None]
        first = near[rows, np.argmax(most, axis=1)]
        return np.asarray(self.classes[first])


def neighbours(X: ArrayLike, y: ArrayLike, *, k: int = 5) -> Neighbours:
    """Keep the points; ``predict`` asks the k nearest of them.

    >>> neighbours([[0], [1], [5]], ["a", "a", "b"], k=1).predict([[2], [4]]).tolist()
    ['a', 'b']
    """
    array = checks.points(X)
    classes, codes = checks.classes(y, len(array))
    k = checks.count(k, "k", least=1)
    if k > len(array):
        raise ValueError(f"k: {k} neighbours of {len(array)} points; ask for at most that many.")
    return Neighbours(array.copy(), codes, classes, k)
