"""What kind of curve QDA draws between two classes in the plane, its degenerate forms included.

The log odds of two Gaussian classes are ``xᵀAx + b·x + c``. Where they vanish may be an ellipse, a
hyperbola or a parabola, but also two lines (crossing, parallel or one upon the other), one line, a
single point, nothing at all, or, for equal classes, the whole plane. A is a difference of two
inverse covariances, so "zero" means: no larger than the rounding of what was subtracted.
"""

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


def trace(curve: Quadric, reach: float, spots: int = 121) -> list[FloatArray]:
    """Return the curve as polygons, as far as ``reach`` from its origin (an ellipse as a whole).

    A double line is one line, a point one place; no boundary, and everywhere, give nothing.

    >>> from linlib.discriminants.gaussian import fit_qda
    >>> ring = [[1, 0], [-1, 0], [0, 1], [0, -1], [2, 0], [-2, 0], [0, 2], [0, -2]]
    >>> (ellipse,) = trace(boundary(fit_qda(ring, [0] * 4 + [1] * 4)), reach=5)
    >>> ellipse.shape
    (121, 2)
    """
    return [curve.origin + piece @ curve.axes.T for piece in _centred(curve, reach, spots)]


def _centred(curve: Quadric, reach: float, spots: int) -> list[FloatArray]:
    bends, slopes, level = curve.bends, curve.slopes, curve.level
    s = np.linspace(-reach, reach, spots)
    if curve.kind in (NONE, EVERYWHERE):
        return []
    if curve.kind == POINT:
        return [np.zeros((1, 2))]
    if curve.kind == ELLIPSE:
        turn = np.linspace(0, 2 * np.pi, spots)
        a, b = np.sqrt(-level / bends)
        return [np.column_stack([a * np.cos(turn), b * np.sin(turn)])]
    if curve.kind == LINE:
        return [np.outer(s, np.array([-slopes[1], slopes[0]]) / np.linalg.norm(slopes))]
    flat = int(np.argmin(np.abs(bends)))  # the direction that does not bend, or less
    if curve.kind == PARABOLA:
        # Even steps along the curve: its height grows as the square.
        half = np.sqrt(reach * abs(slopes[flat] / bends[1 - flat]))
        t = np.linspace(-half, half, spots)
        return [_columns(flat, -bends[1 - flat] * t**2 / slopes[flat], t)]
    if curve.kind in (PARALLEL, DOUBLE):
        away = np.sqrt(max(-level / bends[1 - flat], 0.0))
        sides = (away, -away) if away else (0.0,)
        return [_columns(flat, s, np.full(spots, side)) for side in sides]
    if curve.kind == CROSSING:
        ways = [np.array([np.sqrt(-bends[1] / bends[0]), side]) for side in (1.0, -1.0)]
        return [np.outer(s, way / np.linalg.norm(way)) for way in ways]
    towards = int(bends[1] * level < 0)  # the direction whose bend opposes the level
    a, b = np.sqrt(abs(level / bends[towards])), np.sqrt(abs(level / bends[1 - towards]))
    far = float(np.arcsinh(reach / min(a, b)))
    s = np.linspace(-far, far, spots)
    return [_columns(towards, side * a * np.cosh(s), b * np.sinh(s)) for side in (1.0, -1.0)]


def _columns(first: int, values: FloatArray, others: FloatArray) -> FloatArray:
    pair = (values, others) if first == 0 else (others, values)
    return np.column_stack(pair)
