"""The course's own sizes: a call of ``pla``, its input checks included, beside a bare loop."""

import numpy as np

from bench.contest import LINLIB, Part, Row, contest
from linlib import data, pla
from tests import naive

TITLE = "The perceptron on a lecture's data"
BARE = "bare loop over lists"
NOTE = (
    "The bare loop gets its signed rows as Python lists, ready made, checks nothing and keeps the "
    "mistakes only; linlib checks its input, builds the rows and returns a frozen result that "
    "knows its path. Below 1 the bare loop is faster. 20 and 40 points: `data.separable`, seed 4. "
    "Asserted before timing: the same mistakes."
)


def run(quick: bool) -> Part:
    """Measure the sizes that lectures, explorers and homework have."""
    samples = {
        "AND, 4 × 2": data.and_gate(),
        "three points, 3 × 2": data.three_points(far=True),
        "20 × 2": data.separable(20, 2, np.random.default_rng(4)),
        "40 × 2": data.separable(40, 2, np.random.default_rng(4)),
        "iris, one kind against the rest, 150 × 4": _iris(),
    }
    return Part([_row(task, *sample, quick) for task, sample in samples.items()], NOTE)


def _iris() -> tuple[np.ndarray, np.ndarray]:
    iris = data.load("iris")
    return iris.X, np.where(iris.y == iris.y[0], 1.0, -1.0)


def _row(task: str, X: np.ndarray, y: np.ndarray, quick: bool) -> Row:
    Z = naive.signed_rows(X, y)
    done = pla(X, y)
    assert done.converged
    assert bare(Z) == done.mistakes.tolist()
    contestants = {LINLIB: lambda: pla(X, y), BARE: lambda: bare(Z)}
    note = f"{done.updates} updates, {done.passes} passes"
    return contest(task, contestants, repeats=3 if quick else 25, note=note)


def bare(Z: list[list[float]]) -> list[int]:
    """Return the mistakes of the shortest loop that is still the perceptron."""
    weights, mistakes, clean = [0.0] * len(Z[0]), [], False
    while not clean:
        clean = True
        for i, row in enumerate(Z):
            score = 0.0
            for entry, weight in zip(row, weights):  # noqa: B905 (nothing that costs time)
                score += entry * weight
            if score <= 0:
                weights = [weight + entry for entry, weight in zip(row, weights)]  # noqa: B905
                mistakes.append(i)
                clean = False
    return mistakes
