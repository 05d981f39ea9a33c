"""What a move costs with a hundred points: CPU time in this process, the median of some moves.

    OPENBLAS_NUM_THREADS=1 python -m tests.cost            # every explorer
    OPENBLAS_NUM_THREADS=1 python -m tests.cost classes    # those with "classes" in their name

The aim is at most 30 ms. No test passes or fails by it, since a busy machine makes everything
slower; that a move fits everything once is tested instead.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from linlib.explorers import (
    ClassesExplorer,
    DescentExplorer,
    GaussianExplorer,
    LogisticExplorer,
    MarginExplorer,
    PerceptronExplorer,
    ProofExplorer,
)
from tests.fuzz import fill

MOVES = 15


def crowd(number: int, reach: float, *, parted: bool, points: int = 100) -> tuple[Any, Any]:
    """Return points in a square, with classes in bands or at random."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-reach, reach, (points, 2)).round(4)
    bands = np.digitize(X @ [1.0, 0.5], np.linspace(-reach, reach, number + 1)[1:-1])
    return X, bands if parted else rng.integers(number, size=points)


def cases() -> Iterator[tuple[str, Any, float]]:
    """Yield a name, an explorer with a hundred points, and how far they reach."""
    for parted in (True, False):
        how = "in bands" if parted else "at random"
        two = {reach: crowd(2, reach, parted=parted) for reach in (1.0, 3.0)}
        signed = {reach: (X, 2 * y - 1) for reach, (X, y) in two.items()}
        for kind in (PerceptronExplorer, ProofExplorer):
            stepped = kind()
            fill(stepped, *signed[1.0])
            stepped.to_end()
            yield f"{kind.__name__}, {how}", stepped, 1.0
        for loss in ("squared", "hinge"):
            descent = DescentExplorer(loss=loss)
            fill(descent, *signed[3.0])
            yield f"DescentExplorer, {how}, {loss}", descent, 3.0
        for lam in (0.001, 0.1, 10.0):
            margin = MarginExplorer()
            fill(margin, *signed[3.0])
            margin.lam.value, margin.show.value = lam, "street and hulls"
            yield f"MarginExplorer, {how}, λ = {lam:g}, hulls", margin, 3.0
        for penalty in ("λ/2 ‖w‖²", "none"):
            logistic = LogisticExplorer()
            fill(logistic, *signed[3.0])
            logistic.penalty.value = penalty
            yield f"LogisticExplorer, {how}, penalty {penalty}", logistic, 3.0
        for learner in ("widest street", "perceptron", "least squares"):
            classes = ClassesExplorer()
            fill(classes, *crowd(4, 5.0, parted=parted))
            classes.learner.value = learner
            yield f"ClassesExplorer, {how}, {learner}", classes, 5.0
    yield "GaussianExplorer", GaussianExplorer(), 3.0


def main(words: list[str]) -> None:
    rng = np.random.default_rng(7)
    for name, explorer, reach in cases():
        if words and not any(word.lower() in name.lower() for word in words):
            continue
        handle, spent = list(explorer.handles)[-1], []
        for spot in rng.uniform(-reach, reach, (MOVES, 2)):
            begun = time.process_time()
            explorer.move(handle, *spot)
            spent.append(1000 * (time.process_time() - begun))
        print(f"{statistics.median(spent):6.1f} ms  {name}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
