"""Kesler's construction: many classes as one two-class problem, and its rows without their zeros.

For a point of class c and every other class j there is one row, with ``(1, x)`` in block c and
``−(1, x)`` in block j; its product with the stacked weights of all classes is c's lead over j.
Written out, that is K − 1 rows of K blocks for each point, nearly all zeros. :class:`KeslerRows`
runs the perceptron on them with the points alone.
"""

from collections.abc import Iterator

import numpy as np

from linlib.checks import FloatArray, IntArray
from linlib.jumps import EPS, HUGE, LARGE, SMALL, Jump, Rows, textbook_score


class KeslerRows(Rows):
    """Kesler's rows of the points ``A = (1, x)`` with class positions ``codes``."""

    def __init__(self, A: FloatArray, codes: IntArray) -> None:
        super().__init__(A)
        self.codes, self.k = codes, int(codes.max()) + 1
        self.written: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.A) * (self.k - 1)

    @property
    def width(self) -> int:
        """How many entries a row has: one block for each class."""
        return self.k * int(self.A.shape[1])

    @property
    def Z(self) -> FloatArray:
        """All rows, written out at the first call."""
        if self.written is None:
            self.written = self.take(np.arange(len(self)))
        return self.written

    def take(self, which: list[int] | IntArray) -> FloatArray:
        """Return some of the rows, written out."""
        point, other = np.divmod(np.asarray(which, dtype=np.int64), self.k - 1)
        own = self.codes[point]
        rows = np.zeros((len(point), self.k, self.A.shape[1]))
        each = np.arange(len(point))
        rows[each, own] = self.A[point]
        rows[each, other + (other >= own)] = 0.0 - self.A[point]
        return rows.reshape(len(point), self.width)

    def jumps(
        self, weights: FloatArray, passes: Iterator[IntArray | None], step: float
    ) -> Iterator[Jump]:
        """Yield the mistakes of pass after pass in the order of the rows, until a pass is clean.

        A block of points is scored for all classes at once. The first point without a lead over
        all others is taken through its rows one by one, and the points after it are scored again.
        """
        n = len(self.A)
        for number, _ in enumerate(passes, start=1):
            at, size, clean, doubt = 0, SMALL, True, False
            while at < n:
                W = weights.reshape(self.k, -1)
                leads = self._leads(W, slice(at, at + size))
                tolerance = self._tolerance(W)
                if leads[leads.argmin()] > tolerance:
                    at, size = at + len(leads), min(2 * size, LARGE)
                    continue
                at, size = at + int((leads > tolerance).argmin()), SMALL
                others, weights, unsure = self._correct(W, at, step)
                doubt = doubt or unsure
                if others:
                    clean = False
                    rows = [at * (self.k - 1) + other for other in others]
                    seen = (number - 1) * len(self) + 1
                    yield Jump(number, rows, [seen + row for row in rows], weights)
                at += 1
            if clean:
                # As for other rows: what one product over all of them calls wrong is wrong.
                wrong = ~(self.Z @ weights > 0) if doubt else np.zeros(1, dtype=bool)
                row = int(wrong.argmax())
                if not wrong[row]:
                    return
                weights = weights + step * self.Z[row]
                yield Jump(number, [row], [number * len(self)], weights)

    def _leads(self, W: FloatArray, part: slice) -> FloatArray:
        """Return by how much the own class of each point leads the best of the others."""
        scores = self.A[part].dot(W.T)
        each, own = np.arange(len(scores)), self.codes[part]
        mine = scores[each, own]
        scores[each, own] = -np.inf
        return np.asarray(mine - scores.max(axis=1))

    def _tolerance(self, W: FloatArray) -> float:
        """Return what rounding may add to a lead, during one point's corrections, too."""
        length = float(np.sqrt(np.vdot(W, W)) + self.k * np.sqrt(self.squares))
        rounding = 4 * (W.shape[1] + self.k + 8) * EPS * float(np.sqrt(self.squares)) * length
        return rounding if rounding < HUGE else HUGE

    def _correct(self, W: FloatArray, i: int, step: float) -> tuple[list[int], FloatArray, bool]:
        """Take a point through its rows; return the mistakes, the weights, and any doubt left."""
        x, own, W, tolerance = self.A[i], int(self.codes[i]), W.copy(), self._tolerance(W)
        scores, gain = W.dot(x).tolist(), step * float(x.dot(x))
        mistakes, doubt = [], False
        for other, j in enumerate(j for j in range(self.k) if j != own):
            lead = scores[own] - scores[j]
            if not abs(lead) > tolerance:
                lead = self._textbook_lead(W, x, own, j)
                doubt = doubt or lead > 0
            if not lead > 0:
                mistakes.append(other)
                W[own] += step * x
                W[j] -= step * x
                scores[own] += gain
                scores[j] -= gain
        return mistakes, W.ravel(), doubt

    def _textbook_lead(self, W: FloatArray, x: FloatArray, own: int, j: int) -> float:
        """Return the product with the row, summed from its first entry to its last."""
        pair = [(own, x), (j, -x)] if own < j else [(j, -x), (own, x)]
        row = np.concatenate([part for _, part in pair])
        return textbook_score(row, np.concatenate([W[k] for k, _ in pair]))
