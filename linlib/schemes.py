"""Rules for many classes: who claims a point, and who gets the points in doubt.

How they are learned is in :mod:`linlib.multiclass`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.frozen import Frozen
from linlib.hyperplane import Hyperplane
from linlib.rows import augment, blocks
from linlib.runs import Run
from linlib.shown import Shown, names


@dataclass(frozen=True, eq=False, repr=False)
class Scheme(Frozen, Shown):
    """What the three schemes share: who claims a point, and what happens to points in doubt."""

    classes: NDArray[Any]
    means: FloatArray

    def _facts(self) -> Mapping[str, str]:
        return {"classes": names(self.classes), "features": str(self.means.shape[1])}

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: which classes claim each row."""
        raise NotImplementedError

    def ambiguous(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Tell which rows are claimed by no class or by more than one."""
        return np.asarray(self.claims(X).sum(axis=1) != 1)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row; in doubt the nearest mean among the candidates."""
        array = checks.points(X)
        chosen = [self._chosen(array[part]) for part in blocks(len(array))]
        return np.asarray(self.classes[np.concatenate(chosen)])

    def _chosen(self, rows: FloatArray) -> IntArray:
        claimed = self.claims(rows)
        claimed[~claimed.any(axis=1)] = True
        far = np.column_stack([((rows - mean) ** 2).sum(axis=1) for mean in self.means])
        return np.asarray(np.argmin(np.where(claimed, far, np.inf), axis=1))


@dataclass(frozen=True, eq=False, repr=False)
class OneVsRest(Scheme):
    """One hyperplane a class, its positive side claimed by that class."""

    hyperplanes: tuple[Hyperplane, ...]

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: the rows on the positive side of each class's hyperplane."""
        return np.column_stack([h.score(checks.points(X)) > 0 for h in self.hyperplanes])


@dataclass(frozen=True, eq=False, repr=False)
class OneVsOne(Scheme):
    """One hyperplane a pair (a, b) of class positions, positive on the side of the first."""

    hyperplanes: Mapping[tuple[int, int], Hyperplane]

    def votes(self, X: ArrayLike) -> IntArray:
        """Return ``(n, classes)``: how many of its pairs each class wins; a score of 0 is none."""
        array = checks.points(X)
        votes = np.zeros((len(array), len(self.classes)), dtype=np.int64)
        for (a, b), h in self.hyperplanes.items():
            score = h.score(array)
            votes[:, a] += score > 0
            votes[:, b] += score < 0
        return votes

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: the classes with the most votes."""
        votes = self.votes(X)
        return np.asarray(votes == votes.max(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False, repr=False)
class LinearMachine(Scheme):
    """One score a class, ``scores = augment(X) @ weights.T``; the largest wins.

    ``run`` is the perceptron run that found the weights, if one did.
    """

    weights: FloatArray
    converged: bool
    run: Run | None = None

    @property
    def status(self) -> str:
        """What happened, and what to try."""
        return self.run.status if self.run else "Solved: no weights have a smaller cost."

    def _facts(self) -> Mapping[str, str]:
        return {**super()._facts(), "status": self.status}

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return the ``(n, classes)`` scores ``w_k · x + w0_k``."""
        rows = augment(X)
        if rows.shape[1] != self.weights.shape[1]:
            raise ValueError(
                f"X: has {rows.shape[1] - 1} features where the machine has "
                f"{self.weights.shape[1] - 1}; give points of that dimension."
            )
        return np.asarray(rows @ self.weights.T)

    def claims(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return ``(n, classes)``: the classes with the largest score, several only in a tie."""
        scores = self.scores(X)
        return np.asarray(scores == scores.max(axis=1, keepdims=True))

    def boundary(self, a: int, b: int) -> Hyperplane:
        """Return where classes a and b tie: normal ``w_a − w_b``, positive on the side of a."""
        k = len(self.weights)
        difference = self.weights[checks.place(a, "a", k)] - self.weights[checks.place(b, "b", k)]
        if a == b:
            raise ValueError(f"b: is {b} like a, and a class ties with itself; name two classes.")
        return Hyperplane.from_weights(difference)
