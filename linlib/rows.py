"""Signed rows, built in one place: what every learner of the course works on.

A row ``z_i = y_i (1, x_i)`` is right while ``z_i · weights > 0``, so that learning is one demand,
``Z @ weights > 0``. There are two kinds of rows. :class:`SignedRows` holds those of two classes as
one array; those of many classes are in :mod:`linlib.kesler`, without their zeros written down.
Both give the ``scores`` of some rows and one ``row`` written out, and a run asks for nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import FloatArray, IntArray

Which = slice | IntArray
LEAST, BLOCK = 256, 1024  # rows worked on together: enough to pay for the call, small in memory


class Rows(Protocol):
    """What a run needs to know of its rows; none of them is longer than ``longest``."""

    @property
    def width(self) -> int:
        """How many entries a row has."""

    @property
    def longest(self) -> float:
        """The length of the longest row, or a little more."""

    def __len__(self) -> int: ...

    def scores(self, which: Which, weights: FloatArray) -> FloatArray:
        """Return ``z · weights`` for some rows, summed in any order."""

    def take(self, which: Which) -> FloatArray:
        """Return some rows, written out."""

    def row(self, i: int) -> FloatArray:
        """Return one row, written out."""


def augment(X: ArrayLike) -> FloatArray:
    """Return the rows ``(1, x)``: shape ``(n, d + 1)``, the constant first.

    >>> augment([[2, 3]])
    array([[1., 2., 3.]])
    """
    array = checks.points(X)
    rows = np.empty((len(array), array.shape[1] + 1))
    rows[:, 0], rows[:, 1:] = 1.0, array
    return rows


def signed_rows(X: ArrayLike, y: ArrayLike, *, bias: bool = True) -> FloatArray:
    """Return ``Z`` with rows ``y_i · (1, x_i)``: weights are right iff ``Z @ weights > 0``.

    Without ``bias`` the rows are ``y_i · x_i``, for boundaries through the origin.

    >>> signed_rows([[2, 3], [4, 5]], [1, -1])
    array([[ 1.,  2.,  3.],
           [-1., -4., -5.]])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    first = int(checks.flag(bias, "bias"))
    Z = np.empty((len(array), array.shape[1] + first))
    Z[:, :first] = labels[:, None]
    np.multiply(array, labels[:, None], out=Z[:, first:])
    Z += 0.0  # turns the −0.0 of a negated zero into a plain zero, for tidy printing
    return Z


def errors(X: FloatArray, labels: FloatArray, weights: FloatArray, *, bias: bool) -> int:
    """Return how many rows have no positive ``y (w · x + w0)``."""
    w0 = weights[0] if bias else 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        right = labels * (X @ weights[int(bias) :] + w0) > 0
    return int(len(X) - np.count_nonzero(right))


def blocks(n: int, size: int | None = None) -> Iterator[slice]:
    """Return the parts of ``n`` rows one after the other, by default small against the whole.

    >>> list(blocks(5, 3))
    [slice(0, 3, None), slice(3, 6, None)]
    """
    size = size or min(BLOCK, max(n // 8, LEAST))
    return (slice(at, at + size) for at in range(0, n, size))


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that belongs to its rows alone: neither can be written to."""
    array.setflags(write=False)
    if isinstance(array.base, np.ndarray):  # what it was reshaped from
        array.base.setflags(write=False)
    view: NDArray[Any] = array.view()
    return view


class SignedRows:
    """Rows that are written out, as the read-only array ``Z``."""

    def __init__(self, Z: FloatArray) -> None:
        self.Z = read_only(Z)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["Z"])  # type: ignore[misc]

    @classmethod
    def of(cls, X: ArrayLike, y: ArrayLike, *, bias: bool) -> SignedRows:
        """Return the rows of a sample; later changes of the sample do not reach them."""
        return cls(signed_rows(X, y, bias=bias))

    def __len__(self) -> int:
        return len(self.Z)

    def __repr__(self) -> str:
        return f"SignedRows({len(self)} × {self.width})"

    @property
    def width(self) -> int:
        """How many entries a row has."""
        return int(self.Z.shape[1])

    @cached_property
    def longest(self) -> float:
        """The length of the longest row, or a little more."""
        return math.sqrt(float(np.einsum("ij,ij->i", self.Z, self.Z).max())) * (1 + 1e-6)

    def scores(self, which: Which, weights: FloatArray) -> FloatArray:
        """Return ``z · weights`` for some rows, by one product."""
        scores: FloatArray = self.Z[which].dot(weights)
        return scores

    def take(self, which: Which) -> FloatArray:
        """Return some rows."""
        rows: FloatArray = self.Z[which]
        return rows

    def row(self, i: int) -> FloatArray:
        """Return one row."""
        row: FloatArray = self.Z[i]
        return row
