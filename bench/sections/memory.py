"""The most memory that each learner allocates, in multiples of its input."""

import tracemalloc
from collections.abc import Callable

import numpy as np

import linlib
from bench.contest import Part
from bench.samples import gaussians, two_classes

TITLE = "Memory"
NOTE = (
    "The peak of what NumPy and Python allocate during the call, the result included and its path "
    "not (it is derived when asked for), divided by the bytes of X and y. Softmax also holds a "
    "score for each row and class. What LAPACK allocates for itself is not counted."
)


def run(quick: bool) -> Part:
    """Measure every learner on a wide and on a narrow matrix."""
    shapes = [(300, 4), (200, 20)] if quick else [(20_000, 4), (10_000, 50)]
    peaks = {shape: _peaks(*shape, quick) for shape in shapes}
    heads = " | ".join(f"{n} × {d}" for n, d in shapes)
    lines = [f"| learner | {heads} |", "|---" * (len(shapes) + 1) + "|"]
    for name in peaks[shapes[0]]:
        cells = " | ".join(f"{peaks[shape][name]:.2f}" for shape in shapes)
        lines.append(f"| {name} | {cells} |")
    return Part(note=NOTE, markdown="\n".join(lines))


def _peaks(n: int, d: int, quick: bool) -> dict[str, float]:
    X, y = two_classes(n, d, 0.1)
    scaled = X / 20
    G, g = gaussians(n, d, 4)
    updates = 50 if quick else 1000
    small, few = scaled[: n // 10], y[: n // 10]
    tasks: dict[str, tuple[np.ndarray, Callable[[], object]]] = {
        "pla": (X, lambda: linlib.pla(X, y, max_updates=100_000)),
        "pocket": (X, lambda: linlib.pocket(X, y, max_updates=updates)),
        "averaged": (X, lambda: linlib.averaged(X, y)),
        "batch": (X, lambda: linlib.batch(X, y, max_updates=50)),
        "lms": (X, lambda: linlib.lms(scaled, y, step=0.1 / d)),
        "least_squares": (X, lambda: linlib.least_squares(X, y)),
        "lasso": (X, lambda: linlib.lasso(scaled, y, penalty=1.0)),
        "soft_margin (a tenth of the rows)": (
            small,
            lambda: linlib.soft_margin(small, few, penalty=0.1, max_updates=updates),
        ),
        "logistic, penalty": (X, lambda: linlib.logistic(X, y, penalty=0.01)),
        "logistic, separable": (X, lambda: linlib.logistic(X, y)),
        "softmax, penalty": (G, lambda: linlib.softmax(G, g, penalty=0.01)),
        "certify": (X, lambda: linlib.certify(X, y)),
        "max_margin": (X, lambda: linlib.max_margin(X, y)),
        "fit_lda": (G, lambda: linlib.fit_lda(G, g)),
        "fit_qda": (G, lambda: linlib.fit_qda(G, g)),
        "one_vs_rest, least squares": (G, lambda: linlib.one_vs_rest(G, g, linlib.least_squares)),
        "linear_machine, perceptron": (G, lambda: linlib.linear_machine(G, g, max_updates=updates)),
        "linear_machine, least squares": (
            G,
            lambda: linlib.linear_machine(G, g, learner="least_squares"),
        ),
    }
    return {name: _peak(task) / (A.nbytes + 8 * len(A)) for name, (A, task) in tasks.items()}


def _peak(task: Callable[[], object]) -> int:
    task()  # what is imported and cached at the first call is not the learner's
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
