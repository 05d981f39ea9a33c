"""The perceptron's loop, jumping from mistake to mistake: the textbook's path at a fraction of it.

Visiting rows one by one is slow in Python, and most visits change nothing. Four observations save
them, and none changes which row is corrected when:

- Between two mistakes the weights stand still, so a block of rows is scored by one product.
- After a mistake at row i, row j's score has moved by ``step z_i · z_j``: one more product brings
  the rest of a block up to date. Blocks begin small after a mistake and grow while all is well.
- Row j, whose score was s at weights w, cannot be wrong before the weights have moved from w by
  ``s / ‖z_j‖`` (Cauchy–Schwarz). Where that spares most rows, passes look at the others only.
- A score that rounding might have given the wrong sign is computed again as the textbook does,
  term by term. So the path is the plain loop's on any data, whatever the BLAS.
"""

import math
from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks, quick
from linlib.checks import FloatArray, IntArray

EPS = float(np.finfo(np.float64).eps)
HUGE = float(np.finfo(np.float64).max)
SMALL, LARGE, ENTRIES = 16, 4096, 2**13  # the sizes of blocks, in rows and in entries
MOST = 8  # mistakes of a block, after which it is scored afresh
FEW = 1024  # of so few rows all are looked at: to look for fewer would cost more than it saves


class Jump(NamedTuple):
    """Some consecutive mistakes of one pass: which rows, at which visits; the weights after."""

    number_of_pass: int
    rows: list[int]
    visits: list[int]
    weights: FloatArray


class Rows:
    """The signed rows ``Z`` of a sample, which bear their signs only once these are needed.

    Until then ``A`` holds the rows ``(1, x)``, or ``x`` without bias, and ``y`` the signs.
    """

    def __init__(
        self, A: FloatArray, y: FloatArray | None = None, squares: float | None = None
    ) -> None:
        self.A, self.y = A, y
        self.squares = float(np.vdot(A, A)) if squares is None else squares

    @classmethod
    def of(cls, X: ArrayLike, y: ArrayLike, *, bias: bool) -> "Rows":
        """Return the rows of a sample; later changes of the sample do not reach them."""
        array, squares = quick.points(X)
        labels = checks.signs(y, len(array)).copy()
        A = np.empty((len(array), array.shape[1] + bias))
        A[:, :bias] = 1.0
        A[:, bias:] = array
        return cls(A, labels, squares + bias * len(A))

    def __len__(self) -> int:
        return len(self.A)

    @property
    def width(self) -> int:
        """How many entries a row has."""
        return int(self.A.shape[1])

    def take(self, which: list[int]) -> FloatArray:
        """Return some of the rows, signed."""
        return self.Z[which]

    def jumps(
        self, weights: FloatArray, passes: Iterator[IntArray | None], step: float
    ) -> Iterator[Jump]:
        """Return the mistakes of a run on these rows: see :func:`jumps`."""
        return jumps(self, weights, passes, step)

    @property
    def Z(self) -> FloatArray:
        """The rows, signed in place at the first call."""
        if self.y is not None:
            size = max(1, 2**15 // self.A.shape[1])  # small enough for both steps in the cache
            for at in range(0, len(self.A), size):
                part = self.A[at : at + size]
                part *= self.y[at : at + size, None]
                part += 0.0  # turns the −0.0 of a negated zero into a plain zero, for tidy printing
            self.y = None
        return self.A


def moved(weights: FloatArray, rows: FloatArray, step: float) -> FloatArray:
    """Return the weights after corrections by the rows, added one after the other."""
    for row in rows:
        weights = weights + step * row
    return weights


def textbook_score(row: FloatArray, weights: FloatArray) -> float:
    """Return ``row · weights``, summed from the first term to the last."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.add.accumulate(row * weights)[-1])


def jumps(
    rows: Rows, weights: FloatArray, passes: Iterator[IntArray | None], step: float
) -> Iterator[Jump]:
    """Yield the mistakes of pass after pass, until a pass is clean.

    ``passes`` gives the rows of each pass in the order of their visits, None for all as they stand.
    """
    walk = _Walk(rows, weights, step)
    seen = 0
    for number, order in enumerate(passes, start=1):
        clean = True
        for places in walk.one_pass(order):
            clean = False
            found = places if order is None else order[places].tolist()
            yield Jump(number, found, [seen + place + 1 for place in places], walk.weights)
        seen += walk.n
        if clean:
            # One product over all rows is what callers will check, and it may round otherwise
            # than the textbook did: a row it calls wrong is corrected like any other.
            wrong = ~(rows.Z @ walk.weights > 0) if walk.doubt else np.zeros(1, dtype=bool)
            row = int(wrong.argmax())
            if not wrong[row]:
                return
            walk.weights = moved(walk.weights, rows.Z[row : row + 1], step)
            walk.moved += step * _length(rows.Z[row])
            yield Jump(number, [row], [seen], walk.weights)


class _Walk:
    """Where a run stands: its weights, and which rows have to be looked at.

    ``near`` are these rows, None for all of them, until the weights have moved by ``radius`` from
    ``reference``. While all are looked at, ``wait`` counts the passes until fewer may do.
    """

    def __init__(self, rows: Rows, weights: FloatArray, step: float) -> None:
        self.rows, self.Z, self.weights, self.step = rows, rows.A, weights, step
        self.longest = math.sqrt(rows.squares) * (1 + 1e-6)  # no row is longer than all together
        # A score is a sum of at most width + MOST rounded terms (Higham, section 3.1), twice over.
        self.unit = (self.Z.shape[1] + MOST + 8) * EPS * self.longest
        # So few rows after a mistake that their product costs hardly more than calling for it.
        self.small = self.size = max(SMALL, ENTRIES // self.Z.shape[1])
        self.large = max(self.small, min(LARGE, 16 * self.small))
        self.passes = self.pieces = 0
        self.near: IntArray | None = None
        self.lengths: FloatArray | None = None
        self.arranged: tuple[IntArray | None, FloatArray, IntArray] | None = None
        self.radius, self.reach, self.reference, self.moved = np.inf, 0.0, weights, 0.0
        self.wait, self.patience, self.work = (4 if len(self.Z) > FEW else -1), 2, 0

    def one_pass(self, order: IntArray | None) -> Iterator[list[int]]:
        """Move the weights through a pass; yield its mistakes, by their places in it."""
        self.n = len(self.Z) if order is None else len(order)
        self.passes += 1
        if self.passes > 4 or order is not None or self.pieces > self.Z.size or self.Z.size < 2**15:
            self.Z = self.rows.Z
        if order is not None:  # every block is a copy
            self.large = max(self.small, min(self.large, self.n // 8))
        self.doubt = False  # whether a score was so near 0 that products may differ on its sign
        self._measure()
        at, first = 0, self.weights
        while at < self.n:
            if not self.moved <= self.radius:
                self._look()
            at = yield from self._visit(at, order)
        if self.near is None:
            self.wait -= 1
            self.reach = 1.5 * _length(self.weights - first)
            if self.wait == 0 and self.reach > 0:
                self.radius = -1.0
            elif self.wait == 0:  # it went in a circle: nothing is learnt from that
                self.wait = self.patience

    def _visit(self, at: int, order: IntArray | None) -> Generator[list[int], None, int]:
        """Visit rows from a place on; return the place from where on others may be wrong, too."""
        Z, places = self._in_order(order)
        k, end = (at, self.n) if places is None else (int(np.searchsorted(places, at)), len(places))
        while k < end:
            part = slice(k, k + self.size)
            block = Z[part] if order is None or places is not None else Z[order[part]]
            scores = block.dot(self.weights)
            if self.rows.y is not None:
                scores *= self.rows.y[k : k + self.size]
            if scores[scores.argmin()] > self.tolerance:
                k += len(block)
                self.size = min(2 * self.size, self.large)
                continue
            self.size = self.small
            first = int((scores > self.tolerance).argmin())
            block, scores = block[first : first + self.size], scores[first : first + self.size]
            k += first
            if self.rows.y is not None:
                block = block * self.rows.y[k : k + len(block), None]
                self.pieces += block.size
            hits, seen = self._mistakes(block, scores)
            if hits:
                found = [k + hit for hit in hits]
                yield found if places is None else places[found].tolist()
            k += seen
            if places is not None and not self.moved <= self.radius:
                self._lose(k)
                return int(places[k - 1]) + 1
        self.work += end
        return self.n

    def _mistakes(self, block: FloatArray, scores: FloatArray) -> tuple[list[int], int]:
        """Correct the mistakes of a block whose first row may be one.

        Return them, and how many rows have had their turn.
        """
        hits: list[int] = []
        i, end, tolerance = 0, len(block), self.tolerance
        while True:
            if scores[i] < -tolerance or not self._is_right(block[i]):
                move = block[i] if self.step == 1.0 else self.step * block[i]
                hits.append(i)
                self.weights = self.weights + move
                rest = scores[i + 1 :]
                rest += block[i + 1 :].dot(move)
                if self.near is not None:
                    self.moved += _length(move)
                    if self.moved > self.radius:  # if it went straight, which it hardly does
                        self.moved = _length(self.weights - self.reference)
            i += 1
            if i == end or len(hits) == MOST or not self.moved <= self.radius:
                break
            right = scores[i:] > tolerance
            more = int(right.argmin())
            if right[more]:
                i = end
                break
            i += more
        self._measure()
        return hits, i

    def _is_right(self, row: FloatArray) -> bool:
        """Decide a score that may be rounding, by the textbook's sum."""
        right = textbook_score(row, self.weights) > 0
        self.doubt = self.doubt or right
        return right

    def _measure(self) -> None:
        """Let scores above ``tolerance`` be right, below its negative wrong, however rounded.

        It holds for ``MOST`` more moves.
        """
        rounding = self.unit * (_length(self.weights) + MOST * self.step * self.longest)
        self.tolerance = rounding if rounding < HUGE else HUGE

    def _look(self) -> None:
        """Find the rows that may be wrong before the weights have moved by ``reach``.

        Where these are too many, all rows are looked at for a while.
        """
        sure = min(self.unit * (_length(self.weights) + self.reach), HUGE)
        if self.lengths is None:
            self.lengths = np.sqrt(np.einsum("ij,ij->i", self.Z, self.Z))
        needed = self.reach * self.lengths
        needed += sure
        near = np.flatnonzero(~(self.Z.dot(self.weights) > needed))
        self.reference, self.moved, self.work = self.weights, 0.0, 0
        if len(near) <= len(self.Z) // 4:
            self.near, self.radius, self.arranged = near, self.reach * (1 - 1e-6), None
        else:
            self.near, self.radius = None, np.inf
            self.wait, self.patience = self.patience, 2 * self.patience

    def _lose(self, visited: int) -> None:
        """Give up the rows in doubt, and balance looking at them with looking for them."""
        self.work += visited
        self.radius = -1.0
        if self.work < len(self.Z) // 2:
            self.reach *= 2
        elif self.work > 2 * len(self.Z):
            self.reach /= 2

    def _in_order(self, order: IntArray | None) -> tuple[FloatArray, IntArray | None]:
        """Return the rows to look at, and their places in the pass; no places stand for all."""
        if self.near is None:
            return self.Z, None
        if self.arranged is None or self.arranged[0] is not order:
            places = rows = self.near
            if order is not None:
                doubtful = np.zeros(len(self.Z), dtype=bool)
                doubtful[self.near] = True
                places = np.flatnonzero(doubtful[order])
                rows = order[places]
            self.arranged = order, self.Z[rows], places
        return self.arranged[1:]


def _length(vector: FloatArray) -> float:
    """Return at least the length of a vector."""
    return math.sqrt(float(vector.dot(vector))) * (1 + 1e-6)
