"""Gradient descent (lecture 05) on an objective, with all rows at once or one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Fit
from linlib.base.rows import errors
from linlib.descent.losses import Objective
from linlib.perceptron.runs import step_sizes


class Adapt(NamedTuple):
    """A step that adapts: times ``better`` after a step that lowered the value, else ``worse``."""

    better: float = 0.95
    worse: float = 1.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Descent(Fit):
    """``path[k]`` and ``values[k]`` are those after k updates; ``diverged`` if it blew up."""

    path: FloatArray
    values: FloatArray
    diverged: bool

    @property
    def updates(self) -> int:
        """How many times the weights changed."""
        return len(self.path) - 1


def gradient_descent(
    target: Objective,
    *,
    step: float,
    max_updates: int = 100,
    start: ArrayLike | None = None,
    schedule: str | Adapt = "constant",
    order: str = "all",
    tolerance: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Descent:
    """Descend by ``step · gradient``, at most ``max_updates`` times.

    ``order`` chooses the rows of each step: "all", "cyclic" (one after the other) or "random" (one
    at random). ``schedule`` is "constant", "1/k" (step k is ``step / k``) or an :class:`Adapt`.
    It has converged when an update over all rows is no longer than ``tolerance``, and diverged when
    the value exceeds 10¹⁰⁰. ``start`` are the first weights, by default 0. One row at a time is
    what scikit-learn's ``SGDClassifier`` does.

    >>> from linlib.descent.losses import squared_loss
    >>> from linlib.descent.losses import objective
    >>> valley = objective([[0], [1]], [-1, 1], squared_loss)  # at its lowest at 2x - 1
    >>> run = gradient_descent(valley, step=0.5, max_updates=200, tolerance=1e-9)
    >>> run.weights.round(6), run.converged
    (array([-1.,  2.]), True)
    >>> quick = gradient_descent(valley, step=0.1, schedule=Adapt(better=1.1, worse=0.5))
    >>> bool(quick.values[-1] < 1e-6)
    True
    """
    eta = checks.positive(step, "step")
    size = None if isinstance(schedule, Adapt) else step_sizes(step, schedule)
    checks.choice(order, "order", ("all", "cyclic", "random"))
    chooser = checks.generator(rng, "order='random'") if order == "random" else None
    tolerance = checks.positive(tolerance, "tolerance", zero=True)
    n, width = target.Z.shape
    first = np.zeros(width) if start is None else checks.vector(start, "start", width).copy()
    budget = checks.count(max_updates, "max_updates")
    with np.errstate(over="ignore", invalid="ignore"):
        path, values = [first], [target._value(first)]
    status = f"Stopped after max_updates={budget} updates. Raise max_updates, or pass a tolerance."
    converged = diverged = False
    for k in range(1, budget + 1):
        row = None if order == "all" else int(chooser.integers(n)) if chooser else (k - 1) % n
        eta = size(k) if size else eta
        with np.errstate(over="ignore", invalid="ignore"):
            move = eta * target._gradient(path[-1], row)
            if row is None and float(np.linalg.norm(move)) <= tolerance:
                converged = True
                least = f"be no longer than {tolerance:g}" if tolerance else "move nothing"
                status = f"Converged: update {k} would {least}."
                break
            path.append(path[-1] - move)
            values.append(target._value(path[-1]))
        if not values[-1] < 1e100:
            diverged = True
            status = f"Diverged: after update {k} the value exceeds 1e100. Take a smaller step."
            break
        if isinstance(schedule, Adapt):
            eta *= schedule.better if values[-1] < values[-2] else schedule.worse
    with np.errstate(over="ignore", invalid="ignore"):
        wrong = errors(target.Z @ path[-1])
    return Descent(
        weights=path[-1],
        converged=converged,
        status=status,
        bias=target.bias,
        path=np.array(path),
        values=np.array(values),
        diverged=diverged,
        errors=wrong,
    )
