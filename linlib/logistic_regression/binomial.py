"""Logistic regression (lecture 09): the log odds of two classes are a linear function.

The model says ``P(y | x) = 1 / (1 + exp(−y g(x)))`` with ``g(x) = w · x + w0``. The weights under
which the labels of a sample are most probable minimise its mean logistic loss. The minimum exists
exactly if the classes overlap (:mod:`linlib.logistic_regression.separation`), and always
with a penalty (claim L3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.frozen import number
from linlib.base.hyperplane import Fit
from linlib.base.rows import errors, signed_rows
from linlib.descent.losses import expit
from linlib.logistic_regression.newton import (
    RESOLVED,
    Coordinates,
    LogisticTarget,
    Minimised,
    Walk,
    hidden_by_rounding,
    longest_row,
    newton,
    weighted_gram,
)
from linlib.logistic_regression.separation import COMPLETE, Overlap, all_clash, no_minimum

# From so many rows for each weight on, every 16th row is a sample large enough to start from.
MANY = 1000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Logistic(Minimised, Fit):
    """A logistic fit; ``path[k]`` and ``values[k]`` are weights and objective after k steps.

    Where no minimum exists, ``overlap`` is the proof: along its weights no row's loss rises, and
    some fall for ever.
    """

    path: FloatArray
    values: FloatArray
    overlap: Overlap | None = None

    def _facts(self) -> Mapping[str, str]:
        facts = dict(super()._facts())
        status = facts.pop("status")
        return facts | {"value": number(self.value), "status": status}

    def log_odds(self, X: ArrayLike) -> FloatArray:
        """Return ``w · x + w0``: ``ln P(+1 | x) − ln P(−1 | x)`` of each row."""
        array = checks.points(X, width=len(self.weights) - 1)
        return np.asarray(array @ self.weights[1:] + self.weights[0])

    def probability(self, X: ArrayLike) -> FloatArray:
        """Return ``P(y = +1 | x)`` of each row."""
        return expit(self.log_odds(X))


def logistic(
    X: ArrayLike,
    y: ArrayLike,
    *,
    penalty: float = 0.0,
    tolerance: float = 1e-12,
    max_updates: int = 100,
) -> Logistic:
    """Return the weights that minimise ``mean logistic loss + penalty/2 ‖w‖²``, offset free.

    Newton's method, also called iteratively reweighted least squares, with steps that are halved
    where they overshoot. The loss is in nats, and mean and penalty are those of
    :func:`linlib.soft_margin`.

    Parameters
    ----------
    X : array_like, shape (n, d)
        The points.
    y : array_like, shape (n,)
        The labels, −1 or +1, both of them.
    penalty : float
        The strength of the penalty on ``w``. Without one (0) there may be no minimum.
    tolerance : float
        It has converged when a step promises to lower the value by less than this share of it, and
        rounding hides no more than a billionth of it.
    max_updates : int
        The most steps.

    Returns
    -------
    Logistic
        With the probabilities ``p = expit(−y * log_odds(X))`` of the other labels, the mean of
        ``p y (1, x)`` is ``(0, penalty · w)``. ``path`` starts at 0; with a penalty and from
        1,000 (d + 1) rows on, it starts at the minimum of every 16th row. Without a penalty the fit
        also proves that a minimum exists, or stops and proves in ``overlap`` that none does.

    See Also
    --------
    sklearn.linear_model.LogisticRegression : the same minimum with ``C=1 / (n * penalty)``. Its
        solver "newton-cholesky" is the one to take for hundreds of thousands of rows, "lbfgs" for
        thousands of features.

    Examples
    --------
    >>> fit = logistic([[0], [1], [2], [3]], [-1, 1, -1, 1])
    >>> fit.weights.round(4), fit.converged
    (array([-1.3623,  0.9082]), True)
    >>> logistic([[0], [1], [2], [3]], [-1, -1, 1, 1]).converged
    False
    """
    array = checks.points(X)
    labels = checks.signs(y, len(array))
    if np.ptp(labels) == 0:
        raise ValueError("y: holds one class only, so no minimum exists; give both classes.")
    penalty = checks.positive(penalty, "penalty", zero=True)
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    budget = checks.count(max_updates, "max_updates", least=1)
    # 1) The search, in coordinates that lose no digits. Without a penalty it may end at weights
    # that separate: from there the loss falls for ever.
    coordinates = Coordinates.of(array)
    objective = LogisticTarget(
        coordinates.rows, labels, penalty * coordinates.spread.T @ coordinates.spread
    )
    walk = newton(
        objective,
        _start(objective) if penalty > 0 else np.zeros(coordinates.rows.shape[1]),
        tolerance=tolerance,
        max_updates=budget,
        enough=lambda t: penalty == 0 and bool(objective.agreement(t).min() > 0),
    )
    path = coordinates.weights(np.array(walk.path))
    weights = path[-1]
    shares = expit(-objective.agreement(walk.path[-1]))  # the probability of the other label
    # 2) Does a minimum exist? With a penalty always.
    proof = None
    if penalty == 0 and not _surely_minimal(*coordinates.proof_rows(array), labels, shares):
        proof = no_minimum(signed_rows(array, labels), weights)
    # 3) Is it the minimum of the typed decimals, or of what rounding made of them?
    slope = float(np.sqrt(np.mean(shares**2)))
    hidden = hidden_by_rounding(walk, coordinates.rounding, slope, longest_row(coordinates.rows))
    resolved = hidden <= max(tolerance, RESOLVED) * walk.values[-1]
    return Logistic(
        weights=weights,
        converged=walk.converged and proof is None and resolved,
        status=status_of(
            proof,
            walk,
            budget,
            dependent=coordinates.dependent and penalty == 0,
            hidden=0.0 if resolved else hidden,
        ),
        path=path,
        values=np.array(walk.values),
        overlap=proof,
        errors=errors(labels * (array @ weights[1:] + weights[0])),
    )


def _start(objective: LogisticTarget) -> FloatArray:
    """Return where the search starts: 0, or with many rows the minimum of every 16th row.

    From there two or three steps with all rows are enough, and each takes 16 times as long as one
    with the few.
    """
    n, m = objective.A.shape
    origin = np.zeros(m)
    few = LogisticTarget(objective.A[::16], objective.y[::16], objective.penalty[1:, 1:])
    if n < MANY * m or np.ptp(few.y) == 0:
        return origin
    start = newton(few, origin, tolerance=1e-6, max_updates=30).path[-1]
    # Rows that repeat with a period can make the few unlike the rest.
    return start if objective.value(start) < objective.value(origin) else origin


def status_of(
    proof: Overlap | None,
    walk: Walk,
    budget: int,
    *,
    dependent: bool,
    hidden: float = 0.0,
    which: str = "",
) -> str:
    """Return in a sentence how a search ended.

    ``dependent`` features have more than one best w, ``hidden`` is what rounding hides of the value
    (0: nothing that matters), and ``which`` classes are separated in part.
    """
    steps = len(walk.path) - 1
    counted = "1 step" if steps == 1 else f"{steps} steps"
    if proof is not None and proof.kind == COMPLETE:
        return (
            "No minimum exists: the data are separable, and the longer the weights of a separating "
            "hyperplane are made, the smaller is the loss. Pass a penalty."
        )
    if proof is not None:
        return (
            f"No minimum exists: a quasi-complete separation {which}leaves no point on a wrong "
            f"side, and the loss falls for ever along overlap.weights. Pass a penalty or drop "
            f"features."
        )
    if not walk.converged:
        why, what = "rounding hides what is left", "tolerance or penalty"
        if steps == budget:
            why, what = f"max_updates={budget} was reached", "max_updates, tolerance or penalty"
        return (
            f"Stopped after {counted}, before the minimum was reached, because {why}. "
            f"Raise {what}, or scale the features."
        )
    if hidden:
        value = walk.values[-1]
        least = f"{number(hidden)} below {number(value)}"
        if hidden >= value:
            least = f"anything below {number(value)}"
        return (
            f"Stopped after {counted}, where floats cannot tell more: some features are nearly "
            f"combinations of others, or far from 0 beside their spread, so that the least cost "
            f"may be {least}. Centre the features, drop some, or pass a penalty."
        )
    if dependent:
        return (
            f"Converged in {counted}, with features that are combinations of others up to rounding "
            f"taken as exactly that: of all weights with the least cost, those of the shortest w."
        )
    return f"Converged in {counted}: no weights have a smaller cost."


def _surely_minimal(A: FloatArray, far: float, y: FloatArray, shares: FloatArray) -> bool:
    """Tell whether the sample surely has a minimum: at it, the slopes balance the rows.

    They are positive, so that where they balance every row clashes. In floats they nearly do.
    """
    return all_clash((shares * y) @ A, weighted_gram(A, shares), longest_row(A), len(A), far)
