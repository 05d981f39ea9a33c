"""Least squares on the labels (lecture 06), plain, with a ridge penalty or with a lasso penalty.

All three minimise half the sum of the squared errors ``y − g(x)`` plus a penalty on ``w``, and all
three need to know only two things about the sample. With the points and the labels measured from
their means, these are

- the Gram matrix ``G = Σ x xᵀ``, which has one row and one column for each feature, and
- the products ``b = Σ y x``, one for each feature.

Plain least squares solves the normal equations ``G w = b``; a ridge penalty adds a multiple of the
identity to G. The lasso has a kink at ``w_j = 0``, where the best weight often lies, and needs a
few passes over the features. The offset follows from w: at the mean of the points, the best score
is the mean of the labels. Measuring from the means also keeps the digits that points far from the
origin would lose.

Both penalties are weighed against the *sum* of the squared errors, as in the lecture; from lecture
07 on a penalty is weighed against a *mean* loss, which is the same as n times the penalty here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import EPS, TINY, FloatArray, IntArray
from linlib.base.hyperplane import Fit
from linlib.base.rows import BLOCK, Centre, blocks, errors

# The normal equations square the condition of the points. Where a feature has less than this share
# of its squared length left beside the features before it, a slower method solves the problem.
LEAST_PIVOT = 1e-8
# A first solution that one correction changes by more than this is not trusted either.
LARGEST_CORRECTION = 1e-7
# A slope of the lasso's cost that is a smaller share of the penalty than this may be rounding.
LEAST_SLOPE = 1e-9


def least_squares(X: ArrayLike, y: ArrayLike, *, penalty: float = 0.0, bias: bool = True) -> Fit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + penalty/2 ‖w‖²``, the offset free.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points.
    y : array_like, shape (n,)
        The labels, −1 or +1.
    penalty : float
        The strength of the ridge penalty, 0 or more.
    bias : bool
        Whether there is an offset ``w0``. Without it the boundary passes through the origin.

    Returns
    -------
    Fit
        ``weights`` are ``(w0, w)``, or ``w`` without ``bias``, and solve the normal equations:
        ``augment(X).T @ (y − augment(X) @ weights)`` is 0, or with a penalty ``(0, penalty · w)``.
        Where many weights do equally well because features depend on each other, they are those
        with the shortest ``w``, and ``status`` says so. Moving all points changes ``w0`` only.

    See Also
    --------
    sklearn.linear_model.Ridge : the same minimum with ``alpha=penalty``.
    numpy.linalg.lstsq : the same solution without penalty, offset and labels.

    Examples
    --------
    >>> least_squares([[0], [1]], [-1, 1]).weights
    array([-1.,  2.])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    penalty = checks.positive(penalty, "penalty", zero=True)
    bias = checks.flag(bias, "bias")
    solution = _solve(array, labels, penalty, bias=bias)
    status = "Solved: no weights have a smaller cost."
    if solution.dependent:
        status = "Solved: of all weights with the least cost, those with the shortest w."
    weights = solution.w
    if bias:
        weights = np.concatenate([[solution.w0], solution.w])
    return Fit(
        weights=weights,
        converged=True,
        status=status,
        bias=bias,
        errors=_wrong(labels, solution.residual),
    )


def indicator_weights(array: FloatArray, codes: IntArray, k: int, penalty: float) -> FloatArray:
    """Return ``(w0, w)`` of each of k classes: least squares on 1 for its rows and 0 for others."""
    indicators = (codes[:, None] == np.arange(k)).astype(np.float64)
    solution = _solve(array, indicators, penalty, bias=True)
    return np.concatenate([[solution.w0], solution.w]).T


class _Moments(NamedTuple):
    """What the three fits need to know about points ``(n, d)`` and targets ``(n,)`` or ``(n, k)``.

    ``gram`` is ``Σ x xᵀ`` and ``products`` is ``Σ x t``, where x and t are measured from the means
    ``centre`` and ``level`` (with no bias: from 0). ``targets`` are those t.
    """

    centre: Centre
    level: FloatArray
    targets: FloatArray
    gram: FloatArray
    products: FloatArray

    @classmethod
    def of(cls, X: FloatArray, y: FloatArray, *, bias: bool) -> _Moments:
        """Return the moments after one pass over the rows."""
        n, d = X.shape
        level = y.mean(axis=0) if bias else np.zeros(y.shape[1:])
        targets = y - level
        # Any point among the rows will do to measure from; how far it is from the mean is known
        # after the pass.
        rough = X[:BLOCK].mean(axis=0) if bias else np.zeros(d)
        total = np.zeros(d)
        gram = np.zeros((d, d))
        products = np.zeros((d, *y.shape[1:]))
        for block in blocks(n):
            rows = X[block] - rough
            total += rows.sum(axis=0)
            gram += rows.T @ rows
            products += rows.T @ targets[block]
        rest = total / n if bias else np.zeros(d)
        # Σ (x − rest)(x − rest)ᵀ = Σ x xᵀ − n rest restᵀ. The products need no such correction,
        # because the targets add up to 0.
        gram -= n * np.outer(rest, rest)
        # A constant feature can leave this much: the last digits of its mean.
        spread = np.sqrt(np.maximum(np.diag(gram), 0.0) / n)
        constant = spread <= 8 * EPS * np.abs(rough)
        gram[constant] = 0.0
        gram[:, constant] = 0.0
        products[constant] = 0.0
        return cls(Centre(rough, rest), level, targets, gram, products)

    def residual(self, X: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return ``r = t − x · w`` of every row, and ``Σ r x``, from the rows themselves."""
        left = self.targets.copy()
        products = np.zeros_like(self.products)
        total = np.zeros(self.level.shape)
        for block in blocks(len(X)):
            rows = X[block] - self.centre.mean
            left[block] -= rows @ w - self.centre.rest @ w
            products += rows.T @ left[block]
            total += left[block].sum(axis=0)
        return left, products - np.multiply.outer(self.centre.rest, total)


class _Solution(NamedTuple):
    """Weights, the residual ``t − g(x)`` of every row, and whether other weights do as well."""

    w: FloatArray
    w0: FloatArray
    residual: FloatArray
    dependent: bool


def _solve(X: FloatArray, y: FloatArray, penalty: float, *, bias: bool) -> _Solution:
    """Return the minimum by the normal equations, or where they lose digits by an SVD."""
    solution = _by_normal_equations(X, y, penalty, bias=bias)
    if solution is None:
        solution = _by_svd(X, y, penalty, bias=bias)
    return solution


def _by_normal_equations(
    X: FloatArray, y: FloatArray, penalty: float, *, bias: bool
) -> _Solution | None:
    """Solve ``(G + penalty · I) w = b``; None where too many digits would be lost."""
    n, d = X.shape
    sample = _Moments.of(X, y, bias=bias)
    matrix = sample.gram + penalty * np.eye(d)
    # 1) Measure every feature in units of its own length: the diagonal becomes 1, and how long
    # the features are in their own units no longer matters.
    sizes = np.sqrt(np.diag(matrix))
    if sizes.min() ** 2 <= TINY / EPS:
        return None  # a constant feature, or one whose square is too small for a float
    matrix /= np.outer(sizes, sizes)
    # 2) A pivot, the square of a diagonal entry of the Cholesky factor, says what is left of a
    # feature beside those before it. A small one means that rounding has eaten digits.
    try:
        pivots = np.diag(np.linalg.cholesky(matrix)) ** 2
    except np.linalg.LinAlgError:
        return None
    if not pivots.min() >= LEAST_PIVOT:  # some builds of LAPACK return NaN instead of raising
        return None
    # 3) Solve, ask the rows what is left, and solve once more for that.
    units = sizes.reshape(d, *[1] * (y.ndim - 1))
    v = np.linalg.solve(matrix, sample.products / units)
    _, products = sample.residual(X, v / units)
    correction = np.linalg.solve(matrix, (products - penalty * v / units) / units)
    if np.abs(correction).max() > LARGEST_CORRECTION * np.abs(v).max():
        return None
    v += correction
    v[np.abs(v) <= _rounding(n)] = 0.0  # it changes no score by more than that
    w = v / units
    residual, _ = sample.residual(X, w)
    return _Solution(w, sample.centre.offset(w, sample.level), residual, dependent=False)


def _by_svd(X: FloatArray, y: FloatArray, penalty: float, *, bias: bool) -> _Solution:
    """Return the shortest of the least-squares solutions, by a singular value decomposition.

    It squares nothing, so that it is right where the normal equations are not: features that depend
    on each other or nearly so, more features than rows, entries near the ends of the floats. It
    takes several times as long.
    """
    n, d = X.shape
    centre = Centre.of(X) if bias else Centre(np.zeros(d), np.zeros(d))
    level = y.mean(axis=0) if bias else np.zeros(y.shape[1:])
    rows = centre.away(X)
    targets = y - level
    # Every feature in units of its largest entry, so that none is too small to be seen.
    root = np.sqrt(penalty)
    sizes = np.maximum(np.abs(rows).max(axis=0), root)
    sizes[sizes == 0] = 1.0
    rows /= sizes
    # A ridge is d more rows: row j demands that √penalty · w_j is 0.
    system = rows
    goals = targets
    if penalty > 0:
        system = np.vstack([rows, root * np.diag(1 / sizes)])
        goals = np.concatenate([targets, np.zeros((d, *y.shape[1:]))])
    v, _, rank, _ = np.linalg.lstsq(system, goals, rcond=EPS * max(system.shape))
    v[np.abs(v) <= _rounding(n)] = 0.0  # it changes no score by more than that
    w = (v.T / sizes).T
    if rank < d:
        # v is the shortest in the new units; w is, once the part that no row sees is taken out.
        seen = np.linalg.svd(rows, full_matrices=False)[2][:rank]
        Q = np.linalg.qr(seen.T * sizes[:, None])[0]
        w = Q @ (Q.T @ w)
    return _Solution(w, centre.offset(w, level), targets - rows @ v, dependent=int(rank) < d)


def _rounding(n: int) -> float:
    """Return how much rounding may change a score, where labels are −1 and +1."""
    return 8 * (n + 8) * EPS


def _wrong(labels: FloatArray, residual: FloatArray) -> int:
    """Return how many rows have no positive ``y g(x)``; what is rounding counts as 0."""
    return errors(1.0 - labels * residual - _rounding(len(labels)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LassoFit(Fit):
    """A fit of the lasso; ``passes`` counts its passes over the features."""

    passes: int


def lasso(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float,
    max_passes: int = 10_000,
    tolerance: float = 1e-10,
) -> LassoFit:
    """Return the weights that minimise ``½ Σ (y − g(x))² + penalty Σ |w_j|``, the offset free.

    Two moves take turns. A *pass over the features* gives each weight in turn its best value, which
    is exactly 0 when the product of the feature with the residual is at most ``penalty``: it finds
    out which weights are 0. *Newton's step on the signs* then moves all other weights at once:
    while no sign changes, the cost is a parabola, and its lowest point solves linear equations.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points.
    y : array_like, shape (n,)
        The labels, −1 or +1.
    penalty : float
        The strength of the penalty. Without one (0) the result is that of :func:`least_squares`.
    max_passes : int
        The most passes over the features.
    tolerance : float
        It has converged when a pass changes no score by more than this, and the dual problem proves
        that the cost is at most n times this above the minimum.

    Returns
    -------
    LassoFit
        With the residual ``r = y − augment(X) @ weights``, a weight above 0 has
        ``X[:, j] @ r = penalty``, one below 0 has ``−penalty``, and one that is 0 has something
        between the two. ``status`` says how many are exactly 0.

    See Also
    --------
    sklearn.linear_model.Lasso : the same minimum with ``alpha=penalty / n``. Written in C, it is
        the faster one for hundreds of features.

    Examples
    --------
    >>> lasso([[0, 5], [1, 5], [0, 4], [1, 4]], [-1, 1, -1, 1], penalty=0.1).weights
    array([-0.95,  1.9 ,  0.  ])
    """
    array = checks.points(X)
    n, d = array.shape
    labels = checks.signs(y, n)
    penalty = checks.positive(penalty, "penalty", zero=True)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget = checks.count(max_passes, "max_passes", least=1)
    if penalty == 0:
        # No weight is drawn to 0, and among dependent features nothing decides between weights.
        return LassoFit(**vars(least_squares(array, labels)), passes=0)
    sample = _Moments.of(array, labels, bias=True)
    enough = n * max(tolerance, _rounding(n))
    products = sample.products
    w = np.zeros(d)
    passes = 0
    converged = False
    while passes < budget and not converged:
        passes += 1
        change = _pass_over_features(sample.gram, products, penalty, w)
        if change <= tolerance:
            # The Gram matrix sees no more to do. Ask the rows, which round less.
            residual, left = sample.residual(array, w)
            converged = _gap(sample.targets, residual, left, w, penalty) <= enough
            products = left + sample.gram @ w
        if not converged:
            w = _newton_on_signs(sample.gram, products, penalty, w)
    if not converged:
        residual, _ = sample.residual(array, w)
    status = f"Stopped after max_passes={budget} passes. Raise max_passes, or scale the features."
    if converged:
        zeros = int(np.count_nonzero(w == 0))
        status = f"Converged in pass {passes}; {zeros} of {d} weights are exactly 0."
    return LassoFit(
        weights=np.concatenate([[sample.centre.offset(w, sample.level)], w]),
        converged=converged,
        status=status,
        passes=passes,
        errors=_wrong(labels, residual),
    )


def _pass_over_features(
    gram: FloatArray, products: FloatArray, penalty: float, w: FloatArray
) -> float:
    """Give each weight in turn its best value, in ``w`` itself; return the largest change.

    A change is measured by the length of the change of all scores: no single one changes by more.
    """
    largest = 0.0
    for j in np.flatnonzero(np.diag(gram) > 0):  # a constant feature keeps the weight 0
        square = gram[j, j]
        # The product of feature j with the residual that is left without it.
        product = products[j] - gram[j] @ w + square * w[j]
        # The soft threshold: nearer to 0 by the penalty, and exactly 0 where that passes 0.
        new = 0.0
        if abs(product) > penalty:
            new = (product - np.copysign(penalty, product)) / square
        largest = max(largest, abs(new - w[j]) * np.sqrt(square))
        w[j] = new
    return float(largest)


def _newton_on_signs(
    gram: FloatArray, products: FloatArray, penalty: float, w: FloatArray
) -> FloatArray:
    """Return the lowest point of the cost among weights with the signs of ``w``, or lower.

    Where ``w`` is 0 it stays. For the others ``Σ |w_j|`` is ``signs · w`` while the signs stay, and
    the cost is the parabola ``½ wᵀ G w − (b − penalty · signs) · w``. If a weight would pass 0 on
    the way to the lowest point, it stops at exactly 0, and the rest goes on without it. On the
    whole way the cost falls; where rounding makes it rise, the weights stay what they were.
    """

    def cost(w: FloatArray) -> float:
        return float(w @ (0.5 * (gram @ w) - products) + penalty * np.abs(w).sum())

    start = w
    w = w.copy()
    used = np.flatnonzero(w)
    while used.size:
        signs = np.sign(w[used])
        downhill = products[used] - gram[used] @ w - penalty * signs
        step, endless = _step(gram[np.ix_(used, used)], downhill, penalty)
        # The share of the step after which a weight is 0.
        share = np.full(used.size, np.inf)
        shrinks = step * signs < 0
        share[shrinks] = np.abs(w[used][shrinks] / step[shrinks])
        first = float(share.min())
        if not endless and first > 1:
            w[used] += step
            break
        if first == np.inf:
            break  # a downhill way without end is rounding
        w[used] += first * step
        w[used[share == first]] = 0.0
        used = np.flatnonzero(w)
    return w if cost(w) <= cost(start) else start


def _step(gram: FloatArray, downhill: FloatArray, penalty: float) -> tuple[FloatArray, bool]:
    """Return the step to the lowest point of a parabola, and whether it leads on without end.

    Along dependent features no score changes. There the cost is no parabola but a straight line,
    which falls until one of the weights is 0.
    """
    # In units of the features' lengths, so that short features count like long ones.
    sizes = np.sqrt(np.diag(gram))
    matrix = gram / np.outer(sizes, sizes)
    goal = downhill / sizes
    try:
        if np.diag(np.linalg.cholesky(matrix)).min() ** 2 >= LEAST_PIVOT:
            return np.linalg.solve(matrix, goal) / sizes, False
    except np.linalg.LinAlgError:
        pass
    v = np.linalg.lstsq(matrix, goal, rcond=EPS * len(matrix))[0]
    slope = goal - matrix @ v
    if np.abs(slope * sizes).max() > LEAST_SLOPE * penalty:
        return slope / sizes, True
    return v / sizes, False


def _gap(
    targets: FloatArray, residual: FloatArray, products: FloatArray, w: FloatArray, penalty: float
) -> float:
    """Return how far above the minimum the cost of lasso weights can be.

    ``products`` are those of the features with the residual. Any multiple ``s`` of the residual
    whose products are at most the penalty bounds every cost from below, by
    ``½ ‖t‖² − ½ ‖t − s r‖²`` with t the centred labels and r the residual.
    """
    largest = float(np.abs(products).max())
    s = min(1.0, penalty / largest) if largest else 1.0
    lost = 0.5 * (1 - s) ** 2 * residual @ residual
    fitted = targets - residual
    return float(lost + penalty * np.abs(w).sum() - s * residual @ fitted)
