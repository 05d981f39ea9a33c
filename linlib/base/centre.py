"""The centre of a sample: the one place where points are moved to their mean and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray
from linlib.base.rows import blocks


class Centre(NamedTuple):
    """The mean of rows in two parts: the rounded mean, and what rounding took from it.

    To subtract the rounded mean alone leaves every column with a mean of about its last digit. Far
    from the origin that is large enough to be taken for data.
    """

    mean: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, array: FloatArray) -> Centre:
        """Return the centre of rows; that of a constant column is exactly its number."""
        mean = np.where(np.ptp(array, axis=0) == 0, array[0], array.mean(axis=0))
        rest = sum((array[part] - mean).sum(axis=0) for part in blocks(len(array))) / len(array)
        rounded = mean + rest
        return cls(rounded, rest - (rounded - mean))

    def away(self, rows: FloatArray) -> FloatArray:
        """Return the rows less the centre, as a new array."""
        rows = rows - self.mean
        rows -= self.rest
        return rows

    def offset(self, w: FloatArray, level: FloatArray | float) -> FloatArray:
        """Return w0 such that ``w · x + w0`` is ``level`` at the centre; w may be ``(d, K)``."""
        return np.asarray(level - self.rest @ w - self.mean @ w)
