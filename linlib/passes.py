"""One pass of the least-mean-squares rule: over the rows block by block, or as an affine map.

Each visit does ``w ← w + η (y − w · x) x``, which is affine in w. So a whole pass with constant η
is one affine map ``w → A w + b`` of the data alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from linlib import shown
from linlib.checks import EPS, FloatArray
from linlib.frozen import frozen
from linlib.rows import blocks
from linlib.shown import number

BLOCK = 64  # rows of one triangular system


class PassMap(NamedTuple):
    """One pass as an affine map: ``w → A @ w + b``."""

    A: FloatArray
    b: FloatArray

    @classmethod
    def of(cls, A: FloatArray, b: FloatArray) -> PassMap:
        """Return the map with its arrays frozen."""
        return cls(frozen(A), frozen(b))

    def __reduce__(self) -> tuple[Any, ...]:
        return PassMap.of, tuple(self)

    def _facts(self) -> Mapping[str, str]:
        return {"entries": str(len(self.b)), "contraction": number(self.contraction)}

    def __repr__(self) -> str:
        return shown.text("PassMap", self._facts())

    def _repr_html_(self) -> str:
        return shown.html("PassMap", self._facts())

    @property
    def contraction(self) -> float:
        """The largest absolute eigenvalue of A: below 1, passes settle; above, they blow up.

        It is 1 where features depend on each other: what no row sees stays as it was.
        """
        if not np.isfinite(self.A).all():
            return np.inf
        return float(np.abs(np.linalg.eigvals(self.A)).max())

    @property
    def resting_point(self) -> FloatArray:
        """The weights that a pass leaves unchanged, the shortest if there are many."""
        if not np.isfinite(self.A).all():
            raise ValueError("step: one pass overflows, so nothing rests; choose a smaller step.")
        moves = np.eye(len(self.b)) - self.A
        # A was rounded at the size of 1, so what is smaller than that rounding in I − A is nothing.
        rounding = 16 * len(self.b) * EPS
        largest = max(float(np.linalg.norm(moves, 2)), rounding)
        return np.asarray(np.linalg.lstsq(moves, self.b, rcond=rounding / largest)[0])


def one_pass(
    rows: FloatArray,
    labels: FloatArray,
    weights: FloatArray,
    step: float,
    kept: dict[int, FloatArray] | None,
) -> FloatArray:
    """Return the weights after a pass, a block of rows at a time.

    Within a block, row i sees the corrections of the rows before it: its error e_i satisfies
    ``e_i + step Σ_{j<i} (x_i · x_j) e_j = y_i − w · x_i``, one triangular system for the block.
    Systems already in ``kept`` are used again, others put there (not for None).
    """
    from scipy.linalg.blas import dtpsv
    from scipy.linalg.lapack import dtrttp

    for part in blocks(len(rows), BLOCK):
        block = rows[part]
        system = None if kept is None else kept.get(part.start)
        if system is None:
            system, _ = dtrttp(_system(block, step), uplo="L")  # half of it, column by column
            if kept is not None:
                kept[part.start] = system
        errors = labels[part] - block.dot(weights)
        errors = dtpsv(len(block), system, errors, lower=1, diag=1, overwrite_x=1)
        weights = weights + block.T.dot(step * errors)
    return weights


def _system(block: FloatArray, step: float) -> FloatArray:
    """Return the matrix of a block's system: what is below its diagonal, on which there are 1s."""
    from scipy.linalg.blas import dsyrk

    return np.asarray(dsyrk(step, block.T, trans=1, lower=1))


def map_of_pass(rows: FloatArray, labels: FloatArray, step: float) -> PassMap:
    """Do one pass for every unit vector with all labels 0, and for 0 with the labels as they are.

    The images of the former are the columns of A, that of 0 is b.
    """
    from scipy.linalg.blas import dtrsm

    width = rows.shape[1]
    weights = np.eye(width, width + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        for part in blocks(len(rows), BLOCK):
            block = rows[part]
            errors = -weights.T.dot(block.T)
            errors[-1] += labels[part]
            system = _system(block, step)
            errors = dtrsm(1.0, system, errors.T, lower=1, diag=1, overwrite_b=1)
            weights = weights + step * block.T.dot(errors)
    return PassMap.of(weights[:, :-1], weights[:, -1])
