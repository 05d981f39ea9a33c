"""Whether a descent on the squared loss settles, and where: a step or a pass is an affine map.

All points at once, a step multiplies the error by ``I − η ZᵀZ``; one by one, a pass over the rows
is the map of :func:`linlib.pass_map`. Both act within the span of the rows. What no row sees stays
as it was.
"""

from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray
from linlib.descent.adaline import pass_map

NOTHING = 1e-9  # of the longest row; places have at most four decimals


class Outlook(NamedTuple):
    """What a step, or a pass, makes of the error in the long run.

    ``rank`` is the dimension of the rows' span; ``factor`` the eigenvalue of largest size within
    it (of a pass its size alone); ``rest`` the weights that do not move, the nearest to the start.
    """

    rank: int
    factor: float
    rest: FloatArray | None


def span(Z: FloatArray) -> FloatArray:
    """Return an orthonormal basis of what the rows see, as columns: shape (d, rank).

    >>> span(np.array([[1.0, 1.0], [2.0, 2.0]])).shape
    (2, 1)
    """
    _, sizes, V = np.linalg.svd(Z, full_matrices=False)
    return np.asarray(V[sizes > NOTHING * max(float(sizes[0]), np.finfo(np.float64).tiny)].T)


def outlook(Z: FloatArray, start: FloatArray, step: float, *, one_by_one: bool) -> Outlook:
    """Return what steps of this size, or passes of such steps, come to.

    >>> Z = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> rank, factor, rest = outlook(Z, np.zeros(2), 0.3, one_by_one=False)
    >>> rank, round(factor, 9), rest.round(9).tolist()
    (2, 0.7, [1.0, 0.5])
    """
    U = span(Z)
    if U.shape[1] == 0:
        return Outlook(0, 1.0, start)
    seen = Z @ U
    ones = np.ones(len(Z))
    unseen = start - U @ (U.T @ start)
    if not one_by_one:
        factors = 1 - step * np.linalg.svd(seen, compute_uv=False) ** 2
        best = np.linalg.lstsq(seen, ones, rcond=None)[0]
        return Outlook(U.shape[1], float(factors[np.abs(factors).argmax()]), unseen + U @ best)
    one_pass = pass_map(seen, ones, step=step, bias=False)
    factor = one_pass.contraction
    rest = None if np.isinf(factor) else unseen + U @ one_pass.resting_point
    return Outlook(U.shape[1], factor, rest)
