"""Variants of the perceptron (lectures 04 and 05): other ways to use the same mistakes.

:func:`pocket` keeps the best weights of a run, :func:`averaged` the mean over its visits, and
:func:`batch` corrects all mistakes of a pass at once.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import IntArray
from linlib.base.rows import mistaken, signed_rows
from linlib.perceptron.algorithm import VISITING, pla, row_numbers, status_of
from linlib.perceptron.runs import AveragedRun, BatchRun, PocketRun, Run, step_sizes


def pocket(
    X: ArrayLike, y: ArrayLike, *, max_updates: int | None = 1_000, **options: Any
) -> PocketRun:
    """Run :func:`pla` with its ``options`` and keep the weights with the fewest errors.

    Of equals the earliest are kept (Gallant 1990). It differs from :func:`pla` only where that
    does not converge.

    >>> run = pocket([[0], [1], [2], [3]], [-1, 1, -1, 1], max_updates=20)
    >>> run.errors, run.converged
    (1, False)
    >>> run.best_errors
    array([4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    run = pla(X, y, max_updates=max_updates, **options)
    errors = np.array([len(mistaken(run.Z, weights)) for weights in run.path])
    found = int(np.argmin(errors))
    kept = {"weights": run.path[found], "errors": int(errors[found])}
    if not run.converged:
        kept["status"] = (
            f"Kept: the weights after update {found} of {run.updates}, with {errors[found]} of "
            f"{len(run.Z)} rows wrong. A larger budget may find better ones."
        )
    return PocketRun(**_parts(run) | kept, best_errors=np.minimum.accumulate(errors))


def _parts(run: Run) -> dict[str, Any]:
    return {field.name: getattr(run, field.name) for field in fields(run)}


def averaged(
    X: ArrayLike,
    y: ArrayLike,
    *,
    max_passes: int = 10,
    recent: int | None = None,
    bias: bool = True,
    **options: Any,
) -> AveragedRun:
    """Return the mean of the weights after every visit of ``max_passes`` passes, mistake or not.

    All passes count, also those after a clean one; with ``recent=k`` only the last k visits do.
    ``options`` are those of :func:`pla`, in an order that visits every row (Freund and
    Schapire 1999). It has ``converged`` if a pass was clean and the mean gets every row right, too.
    scikit-learn's ``SGDClassifier(loss="perceptron", average=True)`` takes the same mean.

    >>> averaged([[1], [-1]], [1, -1], max_passes=1).weights
    array([0.5, 1.5])
    >>> averaged([[1], [-1]], [1, -1], max_passes=1, recent=1).weights
    array([0., 2.])
    """
    order = options.get("order", "cyclic")
    if isinstance(order, str):
        checks.choice(order, "order", VISITING)
    passes = checks.count(max_passes, "max_passes", least=1)
    run = pla(X, y, bias=bias, max_updates=None, max_passes=passes, **options)
    n = len(run.Z)
    visited = n if isinstance(order, str) else len(row_numbers(order, n))
    most = passes * visited
    if recent is not None:
        most = min(most, checks.count(recent, "recent", least=1))
    # An update at visit t of T is part of the T − t + 1 weights that follow it, so the sum over
    # visits is a weighted sum over updates, and no visit has to be stored.
    times = np.minimum(passes * visited - run.visits + 1, most) * (run.sizes / run.step)
    remaining = np.bincount(run.mistakes.astype(np.intp), weights=times, minlength=n)
    weights = (most * run.start + run.step * (remaining @ run.Z)) / most
    wrong = len(mistaken(run.Z, weights))
    status = f"Averaged over the last {most} of {passes * visited} visits: "
    status += f"{wrong} of {n} rows wrong." if wrong else "every row is right."
    done = run.converged and not wrong
    kept = {"weights": weights, "errors": wrong, "passes": passes}
    kept |= {"converged": done, "status": status}
    return AveragedRun(**_parts(run) | kept, last=run.weights)


def batch(
    X: ArrayLike,
    y: ArrayLike,
    *,
    start: ArrayLike | None = None,
    step: float = 1.0,
    schedule: str = "constant",
    bias: bool = True,
    max_updates: int = 10_000,
) -> BatchRun:
    """Learn by adding all mistaken rows at once, until there are none or ``max_updates``.

    >>> run = batch([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> run.converged, run.errors
    (True, 0)
    """
    Z = signed_rows(X, y, bias=bias)
    width = Z.shape[1]
    first = np.zeros(width) if start is None else checks.vector(start, "start", width).copy()
    size = step_sizes(step, schedule)
    checks.count(max_updates, "max_updates")
    path = [first]
    mistakes: list[IntArray] = []
    wrong = mistaken(Z, first)
    while wrong.size and len(mistakes) < max_updates:
        mistakes.append(wrong)
        path.append(path[-1] + size(len(mistakes)) * Z[wrong].sum(axis=0))
        wrong = mistaken(Z, path[-1])
    clean = len(mistakes) + 1 if not wrong.size else None
    Z.setflags(write=False)
    return BatchRun(
        weights=path[-1],
        errors=len(wrong),
        converged=clean is not None,
        status=status_of(clean, len(mistakes), f"max_updates={max_updates}", len(mistakes)),
        bias=bias,
        Z=Z,
        path=np.array(path),
        mistakes=tuple(mistakes),
    )
