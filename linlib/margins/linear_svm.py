"""The soft margin (lecture 07): least mean hinge loss plus ``penalty/2 ‖w‖²``, with proof.

**What is minimised.** With λ the penalty, n rows and a slack ``ξ_i >= 0`` for each of them::

    mean(ξ) + λ/2 ‖w‖²    such that    y_i (w · x_i + w0) + ξ_i - 1 = t_i >= 0

**The dual.** A multiplier ``0 <= α_i <= 1/(n λ)`` for each row, with ``Σ α_i y_i = 0``, proves
that no weights have a value below ``λ (Σ α_i - ½ ‖Σ α_i y_i x_i‖²)``. At the minimum the largest of
these bounds is reached, and ``w = Σ α_i y_i x_i``.

**The conditions.** At the minimum ``α_i t_i = 0`` and ``β_i ξ_i = 0``, where ``β_i`` is what is
left of ``α_i`` up to its bound. So each row is in one of three states: outside the margin
boundaries (``α = 0``), inside (``β = 0``), or exactly on a boundary, its multiplier *free* between
the bounds.

**The interior point** (Mehrotra 1992) keeps all four of ``α, β, t, ξ`` positive and lets their
products shrink together. Every step solves the conditions twice, linearised at the same point: the
*predictor* aims at products of 0 and shows how far one can go; the *corrector* aims at products
that are smaller and equal, and accounts for what the predictor's linearisation left out.

**The exact finish.** Some dozen steps tell the three states apart. Rows at a bound are then put
exactly there, and the free rows determine w: their agreements are 1. That is one linear system. If
its solution contradicts a state, that row changes its state and the system is solved again: this is
the active-set method, which is slow from afar and quick from so near.

**The squared hinge** has no kink: where the active rows (agreement below 1) are known, the
objective is a parabola, and Newton's step goes to its bottom. :func:`newton_on_active_rows` repeats
that until the same rows are active as before.

Subgradient descent (:mod:`linlib.descent.gradient`) gets near the same minimum. The offset need not
be unique: usually both ends of its range are one number, sometimes they are an interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks
from linlib.base.checks import EPS, TINY, FloatArray, IntArray
from linlib.base.frozen import number
from linlib.base.hyperplane import Fit
from linlib.base.rows import Centre, errors
from linlib.descent.losses import Loss, Objective, hinge_loss, objective, squared_hinge_loss

BoolArray = NDArray[np.bool_]

# The interior point ends when the products sum to this share of the objective: the states of the
# rows can then be told apart, and the finish finds the other digits.
ACCURACY = 1e-5
# It needs 6 to 25 steps; where rounding keeps it from arriving, the finish goes on from here.
MOST_STEPS = 60
# Each step stops short of the first variable that would become 0.
SHORT = 0.995
# Below this share of the largest, a singular value is rounding: the free rows are dependent.
DEPENDENT = 1e-10
# A multiplier as near to its bound as this is there.
AT_BOUND = 1e-12
# One pull exceeds another if by more than this.
PULLS = 1e-9


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SoftMargin(Fit):
    """``value`` is the objective, ``gap`` how far below it the true minimum can be at most.

    ``multipliers`` α, one for each row and at most ``1 / (n penalty)``, prove the gap: no objective
    is below ``penalty (Σ α_i − ½ ‖Σ α_i y_i x_i‖²)``. With the squared hinge they have no upper
    bound, and the proof is weaker by ``n penalty² Σ α_i² / 4``. At the minimum
    ``w = Σ α_i y_i x_i``; stopped before it, w may be another. ``updates`` counts the steps of the
    interior point and the systems that the finish solved.
    """

    value: float
    gap: float
    multipliers: FloatArray
    updates: int

    @property
    def support(self) -> IntArray:
        """The rows on, inside or beyond the margin boundaries: those with a multiplier."""
        return np.flatnonzero(self.multipliers)


def soft_margin(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float,
    loss: Loss = hinge_loss,
    tolerance: float = 1e-9,
    max_updates: int = 1000,
) -> SoftMargin:
    """Return the hyperplane that minimises ``mean hinge + penalty/2 ‖w‖²``, offset free.

    Parameters
    ----------
    X : array_like of shape (n, d)
        The points.
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    penalty : float
        λ > 0; a larger one gives a wider street and more loss.
    loss : Loss
        ``hinge_loss``, or ``squared_hinge_loss`` for ``mean max(0, 1 - y g(x))²``.
    tolerance : float
        The ``gap`` up to which the result counts as converged.
    max_updates : int
        Budget of steps; most data need 6 to 25, and only near ties need more.

    Returns
    -------
    SoftMargin
        Its ``value - gap`` is a lower bound of the minimum, proved by its ``multipliers``, and
        ``w = Σ α_i y_i x_i``. Multipliers at a bound are exactly 0 or ``1 / (n penalty)``; at most
        d + 1 lie between. If it stopped early, ``value`` is at least no worse than that of w = 0,
        but for rounding.

    Notes
    -----
    The same minimum as scikit-learn's ``SVC(kernel="linear", C=1 / (n * penalty))``. With the
    squared hinge it is that of ``LinearSVC(loss="squared_hinge", C=1 / (n * penalty))``, except
    that there the offset is penalised too; a large ``intercept_scaling`` makes up for that.

    Examples
    --------
    >>> fit = soft_margin([[0, 0], [2, 0], [5, 5]], [-1, 1, 1], penalty=0.1)
    >>> fit.weights.round(6) + 0.0, fit.support
    (array([-1.,  1.,  0.]), array([0, 1]))
    >>> soft_margin([[-1.0], [1.0]], [-1, 1], penalty=2.0, loss=squared_hinge_loss).weights
    array([0. , 0.5])
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so there is no margin; give both classes.")
    penalty = checks.positive(penalty, "penalty")
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget = checks.count(max_updates, "max_updates", least=1)
    if loss not in (hinge_loss, squared_hinge_loss):
        raise ValueError(f"loss: {loss!r} has no margin; pass hinge_loss or squared_hinge_loss.")
    problem = _Problem(array, labels, penalty, loss)
    with np.errstate(all="ignore"):  # an absurd penalty overflows, and the gap tells
        if loss == squared_hinge_loss:
            found = newton_on_active_rows(problem.points, labels, penalty, budget)
        else:
            # The interior point finds which rows are at a bound, and the finish puts them there.
            inner = interior_point(problem.points, labels, penalty, min(budget, MOST_STEPS))
            found = exact_finish(problem.points, labels, problem.most, inner, budget)
    weights = np.concatenate([[found.offset - found.w @ problem.centre], found.w])
    value, bound = problem.target.value(weights), problem.bound(found.shares)
    # Stopped so early that w = 0 would be better: go back towards it.
    if value > max(problem.target.value(problem.none), bound + tolerance):
        weights, value = problem.shortened(weights)  # the multipliers still prove the bound
    gap = max(value - bound, 0.0)
    status = f"Converged: no weights have a value more than {tolerance:g} below {number(value)}."
    if gap > tolerance:
        why, what = "rounding hides what is left", "raise tolerance or penalty"
        if found.steps == budget:
            why, what = f"max_updates={budget} was reached", "raise max_updates or tolerance"
        status = (
            f"Stopped after {found.steps} updates because {why}: the minimum may be {number(gap)} "
            f"below {number(value)}. Scale the features, or {what}."
        )
    return SoftMargin(
        weights=weights,
        converged=gap <= tolerance,
        status=status,
        value=value,
        gap=gap,
        multipliers=np.abs(found.shares),
        updates=found.steps,
        errors=errors(problem.target.Z @ weights),
    )


class _Problem:
    """The objective on the data as they were given, and the points moved to their centre.

    The search is about the centre, where no digits are lost to the offset. The value is that of the
    given rows, so that a gap of nothing means nothing is left on them.
    """

    def __init__(self, X: FloatArray, y: FloatArray, penalty: float, loss: Loss) -> None:
        self.penalty = penalty
        self.loss = loss
        self.most = 1.0 / (len(X) * penalty)
        self.centre = Centre.of(X).mean
        self.points = X - self.centre
        self.target: Objective = objective(X, y, loss, penalty=penalty, average=True)
        # w = 0, and the larger class everywhere.
        self.none = np.zeros(X.shape[1] + 1)
        self.none[0] = 1.0 if y.sum() > 0 else -1.0

    def bound(self, shares: FloatArray) -> float:
        """Return the bound that shares ``α_i y_i`` prove."""
        mixture = shares @ self.points
        bound = np.abs(shares).sum() - 0.5 * mixture @ mixture
        if self.loss == squared_hinge_loss:
            bound -= 0.25 * (shares @ shares) / self.most
        return self.penalty * float(bound)

    def shortened(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """Return the best weights found on the way to w = 0; next to it w still has two sides."""
        tried = [2.0**-k * weights + (1 - 2.0**-k) * self.none for k in range(50)]
        values = [self.target.value(one) for one in tried]
        best = int(np.argmin(values))
        return tried[best], values[best]


def offset_range(X: ArrayLike, y: ArrayLike, w: ArrayLike) -> tuple[float, float]:
    """Return the lowest and the highest offset with the least total hinge loss, for a given w.

    With w fixed the loss is a polygon in w0, whose slope rises by 1/n at every ``y_i − w · x_i``,
    from ``−n₊/n`` on the far left: it is least between the n₊-th and the next of them in order.
    Which multipliers are at a bound, which may hang on a rounding, is not asked.

    >>> offset_range([[0.0], [4.0]], [-1, 1], [1.0])
    (-3.0, -1.0)
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so no offset is best; give both classes.")
    breaks = labels - array @ checks.vector(w, "w", array.shape[1])
    rises = int(np.count_nonzero(labels > 0))
    ordered = np.partition(breaks, [rises - 1, rises])
    return float(ordered[rises - 1]), float(ordered[rises])


class Interior(NamedTuple):
    """Where the interior point ended: ``alpha`` and ``beta = 1 - alpha`` are shares of the bound.

    ``t`` is by how much a row is outside its margin boundary, ``xi`` by how much inside.
    """

    alpha: FloatArray
    beta: FloatArray
    t: FloatArray
    xi: FloatArray
    w: FloatArray
    steps: int


class Linearised:
    """The conditions linearised at one point, as one (d + 1) × (d + 1) system.

    Everything is n times the objective, so that the multipliers' bound is 1. ``multipliers`` are α
    above β and ``slacks`` t above ξ, so that ``multipliers * slacks`` are the products.
    """

    def __init__(
        self,
        Z: FloatArray,
        stiffness: FloatArray,
        u: FloatArray,
        multipliers: FloatArray,
        slacks: FloatArray,
    ) -> None:
        self.Z, self.multipliers, self.slacks = Z, multipliers, slacks
        self.products = multipliers * slacks
        # How far the equations are from being met: H u = Zᵀ α, and Z u + ξ - t = 1.
        self.unbalanced = multipliers[0] @ Z - stiffness * u
        self.missing = 1.0 - Z @ u - slacks[1] + slacks[0]
        # Without α, β, t, ξ, which each row's own equations give, the change of u is left. A row
        # has the more weight, the nearer it is to being free.
        self.ratios = slacks / multipliers
        self.row_weights = 1.0 / self.ratios.sum(axis=0)
        self.system = (Z.T * self.row_weights) @ Z
        self.system.flat[:: len(u) + 1] += stiffness

    def direction(self, aim: FloatArray | float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the changes of u, multipliers and slacks that bring the products to ``aim``."""
        alone = (aim - self.products) / self.multipliers  # of the slacks, if multipliers stayed
        needed = self.missing + alone[0] - alone[1]
        du = np.linalg.solve(self.system, self.unbalanced + (self.row_weights * needed) @ self.Z)
        rise = self.row_weights * (needed - self.Z @ du)
        changes = np.array([rise, -rise])  # β falls as α rises
        return du, changes, alone - self.ratios * changes

    def reach(self, changes: FloatArray, slack_changes: FloatArray) -> float:
        """Return how far one can go before the first variable is 0, in lengths of the change."""
        fastest = max(
            -float((changes / self.multipliers).min()),
            -float((slack_changes / self.slacks).min()),
        )
        return 1.0 / max(fastest, EPS)


class Scaled(NamedTuple):
    """Signed rows with columns of size 1; ``w = basis @ u[1:]``, and u[0] is the offset.

    n times the objective is ``Σ loss(Z u) + ½ Σ stiffness u²``.
    """

    Z: FloatArray
    stiffness: FloatArray
    basis: FloatArray


def scaled(X: FloatArray, y: FloatArray, penalty: float) -> Scaled:
    """Return the problem for columns of size 1: very different sizes would stall the search."""
    n, d = X.shape
    basis = np.eye(d)
    if d > n:  # w is a mixture of the rows: n dimensions hold all of them
        basis, R = np.linalg.qr(X.T)
        X = R.T
    sizes = np.abs(X).max(axis=0)
    sizes[sizes == 0] = 1.0
    Z = y[:, None] * np.column_stack([np.ones(n), X / sizes])
    stiffness = np.concatenate([[0.0], n * penalty / sizes**2])
    return Scaled(Z, stiffness, basis / sizes)


def interior_point(X: FloatArray, y: FloatArray, penalty: float, max_steps: int) -> Interior:
    """Return multipliers and slacks near the minimum for centred points X, by Mehrotra's method."""
    Z, stiffness, basis = scaled(X, y, penalty)
    n = len(Z)
    u = np.zeros(Z.shape[1])
    multipliers = np.full((2, n), 0.5)
    slacks = np.repeat([[1.0], [2.0]], n, axis=1)  # u = 0 leaves ξ - t = 1
    steps = 0
    while steps < max_steps:
        at = Linearised(Z, stiffness, u, multipliers, slacks)
        mean = float(at.products.mean())
        value = float(slacks[1].sum() + 0.5 * stiffness @ u**2)
        balanced = np.abs(at.unbalanced).max() <= ACCURACY * multipliers[0].sum()
        if n * mean <= ACCURACY * value and balanced:
            break
        try:
            # 1) Predictor: aim at products of 0. Where that leads far, the corrector may aim low.
            _, changes, slack_changes = at.direction(0.0)
            length = min(1.0, at.reach(changes, slack_changes))
            ahead = (multipliers + length * changes) * (slacks + length * slack_changes)
            centring = (float(ahead.mean()) / mean) ** 3
            # 2) Corrector: equal products, less the second-order part that the predictor left out.
            du, changes, slack_changes = at.direction(centring * mean - changes * slack_changes)
        except np.linalg.LinAlgError:
            break
        # 3) Step, all variables staying positive.
        length = min(1.0, SHORT * at.reach(changes, slack_changes))
        if not (length > EPS and np.isfinite(du).all()):
            break  # rounding lets it go no farther
        u = u + length * du
        multipliers = multipliers + length * changes
        slacks = slacks + length * slack_changes
        steps += 1
    alpha, beta = multipliers
    t, xi = slacks
    return Interior(alpha, beta, t, xi, basis @ u[1:], steps)


class Finish(NamedTuple):
    """The shares ``α_i y_i``, which add up to 0, the weights and the offset, and the steps."""

    shares: FloatArray
    w: FloatArray
    offset: float
    steps: int


def exact_finish(X: FloatArray, y: FloatArray, most: float, inner: Interior, budget: int) -> Finish:
    """Return the minimum that belongs to the states of the rows, corrected where they contradict.

    ``most`` is the bound of the multipliers; within the function they are shares of it. If the
    budget ends before, the point inside is returned as it is, with balanced multipliers.
    """
    # Multipliers may all be tiny (a small penalty): they are compared with the largest.
    outside = inner.alpha / inner.alpha.max() < inner.t
    inside = ~outside & (inner.beta < inner.xi)
    free = ~(outside | inside)
    alpha = np.where(inside, 1.0, np.where(free, inner.alpha, 0.0))
    steps = inner.steps
    while steps < budget:
        steps += 1
        alpha, free = thinned(X, y, alpha, free)
        rows = np.flatnonzero(free)
        # 1) The system of the free rows. It gives w, and the multipliers that mix it.
        try:
            w, target = stationary(X, y, most, alpha, rows)
        except np.linalg.LinAlgError:
            break
        if not (np.isfinite(w).all() and np.isfinite(target).all()):
            break  # a system so nearly singular that it went unnoticed
        # 2) Go to these multipliers, or as far as the first bound. That row is no longer free.
        low, high = target <= AT_BOUND * alpha.max(), target >= 1 - AT_BOUND
        if low.any() or high.any():
            change = target - alpha[rows]
            with np.errstate(all="ignore"):
                room = np.where(low, alpha[rows], 1 - alpha[rows]) / np.abs(change)
            room[change == 0] = 0.0
            room[~(low | high)] = np.inf
            stop = int(room.argmin())
            alpha[rows] = np.clip(alpha[rows] + min(1.0, room[stop]) * change, 0.0, 1.0)
            alpha[rows[stop]] = 0.0 if low[stop] else 1.0
            free[rows[stop]] = False
            continue
        alpha[rows] = target
        # 3) The dual objective rises by y - X w for each unit of a share. It is largest unless
        # one share can rise while another falls that pulls less; if so, both become free.
        pull = y - X @ w
        rising = np.where(np.where(y > 0, alpha < 1, alpha > 0), pull, -np.inf)
        falling = np.where(np.where(y > 0, alpha > 0, alpha < 1), pull, np.inf)
        pair = [int(rising.argmax()), int(falling.argmin())]
        if rising[pair[0]] - falling[pair[1]] <= PULLS * max(1.0, float(np.abs(pull).max())):
            if abs(y @ alpha) <= PULLS * alpha.sum():
                return Finish(y * alpha * most, w, sum(offset_range(X, y, w)) / 2, steps)
            break
        free[pair] = True
    # The multipliers may prove more if they are smaller: c Σ α - ½ c² ‖w‖² is largest at
    # c = Σ α / ‖w‖².
    shares = y * most * balanced(inner.alpha, y)
    mixture = shares @ X
    best = np.abs(shares).sum() / max(float(mixture @ mixture), TINY)
    middle = sum(offset_range(X, y, inner.w)) / 2
    return Finish(min(1.0, best) * shares, inner.w, middle, steps)


def balanced(alpha: FloatArray, y: FloatArray) -> FloatArray:
    """Return multipliers of which the larger class is scaled down to the sum of the other."""
    plus, minus = alpha[y > 0].sum(), alpha[y < 0].sum()
    sums = np.maximum(np.where(y > 0, plus, minus), TINY)
    return np.asarray(alpha * (min(plus, minus) / sums))


def stationary(
    X: FloatArray, y: FloatArray, most: float, alpha: FloatArray, rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return w if only these ``rows`` are free, and their multipliers as shares of the bound.

    w is as near as possible to what the fixed rows mix, with agreement 1 of all the free rows. One
    of these stands for all: the scores of the others differ from its score as the labels do.
    """
    fixed = y * alpha * most
    fixed[rows] = 0.0
    w = fixed @ X
    if not rows.size:
        return w, np.zeros(0)
    first, others = rows[0], rows[1:]
    start = w - fixed.sum() * X[first]
    Q, R = np.linalg.qr((X[others] - X[first]).T)
    along = np.linalg.solve(R.T, y[others] - y[first])
    beside = start - Q @ (Q.T @ start)
    beside -= Q @ (Q.T @ beside)  # again, because start may be much longer than w
    shares = np.linalg.solve(R, along - Q.T @ start)
    # All shares add up to 0, and the first has what is left.
    shares = np.concatenate([[-(fixed.sum() + shares.sum())], shares])
    return Q @ along + beside, y[rows] * shares / most


def thinned(
    X: FloatArray, y: FloatArray, alpha: FloatArray, free: BoolArray
) -> tuple[FloatArray, BoolArray]:
    """Return multipliers of the same w, and free rows of which none depends on the others.

    Where more rows lie on the margin boundaries than are needed to hold it (duplicates, grids), the
    interior point gives each of them a share. Along a dependence ``Σ v_i y_i (1, x_i) = 0`` the
    multipliers can change while w stays, until one of them is at a bound.
    """
    alpha, free = alpha.copy(), free.copy()
    while free.sum() > 1:
        # One row more than there are columns always depends on the others: no more are looked at.
        rows = np.flatnonzero(free)[: X.shape[1] + 2]
        signed = y[rows, None] * np.column_stack([np.ones(len(rows)), X[rows]])
        sizes = np.abs(signed).max(axis=0)
        U, S, _ = np.linalg.svd(signed / np.where(sizes == 0, 1.0, sizes))
        rank = int(np.count_nonzero(S / S[0] > DEPENDENT))
        if rank == len(rows):
            break
        v = U[:, rank]
        # The dual objective changes by Σ v: it must not fall.
        if v.sum() < 0:
            v = -v
        present = alpha[rows]
        bound = np.where(v > 0, 1.0, 0.0)
        with np.errstate(all="ignore"):
            room = (bound - present) / v
        room[np.abs(v) <= DEPENDENT * np.abs(v).max()] = np.inf
        stop = int(room.argmin())
        alpha[rows] = np.clip(present + room[stop] * v, 0.0, 1.0)
        alpha[rows[stop]] = bound[stop]
        free[rows[stop]] = False
    return alpha, free


def newton_on_active_rows(X: FloatArray, y: FloatArray, penalty: float, budget: int) -> Finish:
    """Return the minimum of the squared hinge for centred points X.

    With the active rows A fixed, the minimum solves ``(2 Z_Aᵀ Z_A + H) u = 2 Z_Aᵀ 1``: ridge
    regression of A towards an agreement of 1. A step that overshoots is halved.
    """
    Z, stiffness, basis = scaled(X, y, penalty)

    def value_of(u: FloatArray) -> float:
        return float(squared_hinge_loss.of(Z @ u).sum() + 0.5 * stiffness @ u**2)

    u = np.zeros(Z.shape[1])
    active = np.ones(len(Z), dtype=bool)
    steps = 0
    while steps < budget:
        rows = Z[active]
        hessian = 2.0 * rows.T @ rows + np.diag(stiffness)
        try:
            change = np.linalg.solve(hessian, 2.0 * rows.sum(axis=0)) - u
        except np.linalg.LinAlgError:
            break  # a penalty so small that rounding hides it
        steps += 1
        value = value_of(u)
        length = 1.0
        while value_of(u + length * change) > value and length > EPS:
            length /= 2
        u = u + length * change
        before, active = active, Z @ u < 1
        if length == 1.0 and np.array_equal(active, before):
            break  # this was the bottom of the parabola that holds here
    alpha = np.maximum(0.0, 1.0 - Z @ u)
    shares = 2.0 / (len(X) * penalty) * y * balanced(alpha, y)
    return Finish(shares, basis @ u[1:], float(u[0]), steps)
