"""What kind of curve QDA draws between two classes in the plane, its degenerate forms included.

The log odds of two Gaussian classes are ``xᵀAx + b·x + c``. Where they vanish may be an ellipse, a
hyperbola or a parabola, but also two lines (crossing, parallel or one upon the other), one line, a
single point, nothing at all, or, for equal classes, the whole plane. A is a difference of two
inverse covariances, so "zero" means: no larger than the rounding of what was subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linlib.base.checks import FloatArray
from linlib.discriminants.gaussian import QDA

# A, b and c lose at most a few hundred units in the last place to inverses of covariances whose
# axes differ by less than a factor of a hundred; a reader's four decimals are far above this.
ROUNDING = 1e-9

ELLIPSE, HYPERBOLA, PARABOLA, LINE = "ellipse", "hyperbola", "parabola", "line"
CROSSING, PARALLEL, DOUBLE = "crossing lines", "parallel lines", "double line"
POINT, NONE, EVERYWHERE = "point", "none", "everywhere"
KINDS = (ELLIPSE, HYPERBOLA, PARABOLA, LINE, CROSSING, PARALLEL, DOUBLE, POINT, NONE, EVERYWHERE)


@dataclass(frozen=True, eq=False)
class Quadric:
    """The set ``bends·t² + slopes·t + level = 0`` where ``t = axes.T @ (x − origin)``.

    ``axes`` are the principal directions as columns; bends, slopes and level that are rounding are
    exactly 0. ``kind`` is one of :data:`KINDS`; ``sign`` is that of the left side where it is the
    same everywhere (kind "none"), else 0.
    """

    kind: str
    sign: int
    origin: FloatArray
    axes: FloatArray
    bends: FloatArray
    slopes: FloatArray
    level: float

    def value(self, x: Sequence[float] | FloatArray) -> float:
        """Return the left side at a place.

        >>> from linlib.discriminants.gaussian import fit_qda
        >>> ring = [[1, 0], [-1, 0], [0, 1], [0, -1], [2, 0], [-2, 0], [0, 2], [0, -2]]
        >>> curve = boundary(fit_qda(ring, [0] * 4 + [1] * 4))
        >>> curve.kind, round(curve.value([0, 0]), 4)
        ('ellipse', -1.3863)
        """
        t = self.axes.T @ (np.asarray(x, dtype=np.float64) - self.origin)
        return float(self.bends @ t**2 + self.slopes @ t + self.level)


def boundary(model: QDA) -> Quadric:
    """Return where the log odds of two classes in the plane vanish.

    The origin is the centre of the curve where it has one, else on the axis of the parabola or
    midway between the means.
    """
    if model.means.shape[1] != 2:
        raise ValueError(
            f"model: kinds of curves are named in the plane, this model has "
            f"{model.means.shape[1]} features; fit it to two."
        )
    inverses = np.linalg.inv(model.covariances)
    steepest = float(np.abs(inverses).max())
    origin = model.means.mean(axis=0)
    apart = model.means[1] - model.means[0]
    reach = max(float(np.linalg.norm(apart)), 1 / np.sqrt(steepest))
    bends, axes = np.linalg.eigh(model.A)
    bends = _rounded(bends, steepest)
    # Midway between the means both linear parts are half a distance times an inverse.
    slopes = _rounded(axes.T @ (inverses[0] + inverses[1]) @ apart / 2, steepest * reach)
    level = float(model.log_odds(origin[None])[0])
    size = max(1.0, steepest * reach**2, abs(level))
    bent = bends != 0
    shift = np.zeros(2)
    shift[bent] = -slopes[bent] / (2 * bends[bent])
    level = level + float(slopes @ shift / 2)
    size = max(size, float(np.abs(slopes * shift).max()))
    slopes = np.where(bent, 0.0, slopes)
    if slopes.any():  # along a direction in which nothing bends, the level can be walked away
        along = slopes != 0
        shift[along] -= level * slopes[along] / float(slopes @ slopes)
        level = 0.0
    level = float(_rounded(np.array(level), size))
    kind = _kind(bends, slopes, level)
    sign = int(np.sign(level or bends.sum())) if kind == NONE else 0
    return Quadric(kind, sign, origin + axes @ shift, axes, bends, slopes, level)


def _rounded(values: FloatArray, size: float) -> FloatArray:
    return np.where(np.abs(values) <= ROUNDING * size, 0.0, values)


def _kind(bends: FloatArray, slopes: FloatArray, level: float) -> str:
    """Name the curve of a centred form: where something bends in t_j, slopes[j] is 0."""
    signs = np.sign(bends).astype(int)
    if not signs.any():
        return LINE if slopes.any() else NONE if level else EVERYWHERE
    if not signs.all():
        if slopes.any():
            return PARABOLA
        return DOUBLE if level == 0 else PARALLEL if level * signs.sum() < 0 else NONE
    if signs[0] != signs[1]:
        return HYPERBOLA if level else CROSSING
    return POINT if level == 0 else ELLIPSE if level * signs[0] < 0 else NONE
