"""Points in coordinates in which they spread equally in every direction.

Newton's method is the same walk in all coordinates, but only exactly: in floats it needs good ones.
Features far from 0, of different sizes or dependent on each other do no harm in these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linlib.checks import EPS, FloatArray
from linlib.least_squares import Centre


class Whitened(NamedTuple):
    """``rows`` are ``(1, u)``, and ``weights(t)`` of the points gives ``rows @ t`` as scores.

    The columns of ``u`` are as many as there are independent features; they have mean 0, mean
    square 1 and no correlation. Of all ``w`` with the same scores, ``spread @ t`` is the shortest.
    """

    rows: FloatArray
    spread: FloatArray
    centre: Centre

    @classmethod
    def of(cls, X: FloatArray) -> Whitened:
        """Return the new coordinates of the points."""
        centre = Centre.of(X)
        rows = centre.away(X)
        sizes = np.abs(rows).max(axis=0)
        sizes[sizes == 0] = 1.0
        U, spans, Vt = np.linalg.svd(rows / sizes, full_matrices=False)
        rank = int(np.count_nonzero(spans > spans[0] * EPS * max(X.shape)))
        root = np.sqrt(len(X))
        spread = root * Vt[:rank].T / spans[:rank] / sizes[:, None]
        if rank < len(sizes):  # what no point sees is taken out of w
            Q = np.linalg.qr(Vt[:rank].T * sizes[:, None])[0]
            spread = Q @ (Q.T @ spread)
        return cls(np.column_stack([np.ones(len(X)), root * U[:, :rank]]), spread, centre)

    @property
    def dependent(self) -> bool:
        """Whether some features are combinations of others, or constant."""
        return bool(self.spread.shape[1] < self.spread.shape[0])

    def weights(self, t: FloatArray) -> FloatArray:
        """Return ``(w0, w)`` for the coordinates, or one row of them for each row of ``t``."""
        w = t[..., 1:] @ self.spread.T
        w0 = t[..., 0] - w @ self.centre.rest - w @ self.centre.mean
        return np.concatenate([np.asarray(w0)[..., None], w], axis=-1)


def plain(X: FloatArray) -> tuple[FloatArray, float]:
    """Return rows ``(1, x)`` moved and scaled by one rounding each, no entry above 1 in size.

    Beside them: how many times EPS they differ at most from those of the typed decimals.
    """
    middle = X.mean(axis=0)
    rows = np.column_stack([np.ones(len(X)), X - middle])
    sizes = np.abs(rows).max(axis=0)
    sizes[sizes == 0] = 1.0
    rows /= sizes
    return rows, 1 + float(np.max(np.abs(middle) / sizes[1:]))
