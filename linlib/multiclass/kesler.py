"""Kesler's rows: many classes as one demand ``Z @ weights > 0``, zeros left out.

They are rows as those of :mod:`linlib.base.rows`, so that the perceptron runs on them unchanged.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.base.rows import Rows, Which, read_only


class KeslerRows(Rows):
    """Kesler's rows of the points ``A = (1, x)`` with class positions ``codes``.

    For a point of class c and every other class j there is one row, with ``(1, x)`` in block c and
    ``−(1, x)`` in block j; its product with the stacked weights of all K classes is c's lead over
    j. Written out, that is K − 1 rows of K blocks for each point, nearly all zeros.
    """

    def __init__(self, A: FloatArray, codes: IntArray) -> None:
        self.A, self.codes, self.k = read_only(A), read_only(codes), int(codes.max()) + 1
        self.width = self.k * int(A.shape[1])  # one block for each class
        every = np.arange(self.k)
        self.others = np.array([every[every != c] for c in every])

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["A"], state["codes"])  # type: ignore[misc]

    def __len__(self) -> int:
        return len(self.A) * (self.k - 1)

    def __repr__(self) -> str:
        return f"KeslerRows({len(self.A)} points, {self.k} classes: {len(self)} × {self.width})"

    @cached_property
    def longest(self) -> float:  # type: ignore[override]
        """The length of the longest row, or a little more: that of its point, twice."""
        return math.sqrt(2 * float(np.einsum("ij,ij->i", self.A, self.A).max())) * (1 + 1e-6)

    @cached_property
    def Z(self) -> FloatArray:  # type: ignore[override]
        """All rows, written out."""
        return read_only(self.take(np.arange(len(self))))

    def scores(self, which: Which, weights: FloatArray) -> FloatArray:
        """Return the leads of some rows, from the scores of their points for all classes."""
        W = weights.reshape(self.k, -1)
        if isinstance(which, slice):  # whole points, of which the ends are cut off
            start, stop, _ = which.indices(len(self))
            part = slice(start // (self.k - 1), -(-stop // (self.k - 1)))
            own, scores = self.codes[part], self.A[part].dot(W.T)
            each = np.arange(len(own))[:, None]
            leads = scores[each, own[:, None]] - scores[each, self.others[own]]
            first = start - part.start * (self.k - 1)
            return np.asarray(leads.ravel()[first : first + stop - start])
        point, own, other = self._places(which)
        return np.asarray(np.einsum("ij,ij->i", self.A[point], W[own] - W[other]))

    def take(self, which: Which) -> FloatArray:
        """Return some rows, written out."""
        which = np.arange(len(self))[which] if isinstance(which, slice) else which
        point, own, other = self._places(which)
        each = np.arange(len(point))
        rows = np.zeros((len(point), self.k, self.A.shape[1]))
        rows[each, own] = self.A[point]
        rows[each, other] = 0.0 - self.A[point]
        return rows.reshape(len(point), self.width)

    def row(self, i: int) -> FloatArray:
        """Return one row, written out."""
        point, place = divmod(int(i), self.k - 1)
        own, x = int(self.codes[point]), self.A[point]
        row = np.zeros((self.k, len(x)))
        row[own] = x
        row[self.others[own, place]] = 0.0 - x
        return row.reshape(-1)

    def _places(self, which: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return the point of each row, its own class and the class it is compared with."""
        point, other = np.divmod(np.asarray(which, dtype=np.int64), self.k - 1)
        own = self.codes[point]
        return point, own, self.others[own, other]
