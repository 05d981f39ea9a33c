"""Follow the perceptron's corrections to their end, or until a budget runs out.

The loop (:mod:`linlib.loop`) goes on for ever where no weights separate; whoever follows it keeps
what it did, and says how it ended.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray
from linlib.kesler import KeslerRows
from linlib.loop import CLEAN
from linlib.orders import Order, eta, stream
from linlib.rows import SignedRows
from linlib.runs import Run


def run_on(
    rows: SignedRows | KeslerRows,
    *,
    order: Order = "cyclic",
    start: ArrayLike | None = None,
    step: float = 1.0,
    schedule: str = "constant",
    bias: bool = True,
    max_updates: int | None = 10_000,
    max_passes: int | None = None,
    rng: np.random.Generator | None = None,
) -> Run:
    """Follow the corrections until they end or the next one would exceed a budget."""
    first = start_of(start, rows.width)
    most = None if max_updates is None else checks.count(max_updates, "max_updates")
    if max_passes is not None:
        max_passes = checks.count(max_passes, "max_passes", least=1)
    events = stream(rows, first, order, eta(step, schedule), rng, max_passes)
    weights: FloatArray | list[float] = first
    passes, clean, out = 0, None, f"max_passes={max_passes}"
    mistakes: list[int] = []
    visits: list[int] = []
    for number, visit, row, after in events:
        if row == CLEAN:
            clean = number
        elif len(mistakes) == most:
            out = f"max_updates={most}"
            break
        else:
            passes, weights = number, after
            mistakes.append(row)
            visits.append(visit)
    return Run(
        weights=np.array(weights),
        converged=clean is not None,
        status=status_of(clean, len(mistakes), out, passes),
        bias=bias,
        passes=passes if clean is None else clean,
        rows=rows,
        start=first,
        step=float(step),
        schedule=schedule,
        mistakes=np.array(mistakes, dtype=np.int64),
        visits=np.array(visits, dtype=np.int64),
    )


def start_of(start: ArrayLike | None, width: int) -> FloatArray:
    """Return the weights to begin with: zero unless told otherwise."""
    return np.zeros(width) if start is None else checks.vector(start, "start", width)


def status_of(clean: int | None, updates: int, out: str, passes: int) -> str:
    """Say how a run ended: with which clean pass, or which budget ran out, and what to try."""
    made = "1 update" if updates == 1 else f"{updates} updates"
    if clean is not None:
        return f"Converged: pass {clean} was clean, after {made}."
    return (
        f"Stopped: {out} ran out in pass {passes}, after {made}. Raise it; or the classes "
        f"overlap, which certify(X, y) can prove, and then pocket keeps the best weights."
    )
