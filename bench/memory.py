"""The most memory that each learner allocates, in multiples of its input."""

import tracemalloc
from collections.abc import Callable

import numpy as np

import linlib
from bench.samples import gaussians, two_classes

NOTE = (
    "The peak of what NumPy and Python allocate during a call, its result included, divided by the "
    "bytes of X and y."
)


Learner = Callable[[np.ndarray, np.ndarray], object]
# Of classes that can be separated, of classes that overlap, of many classes.
TWO: dict[str, Learner] = {
    "pla": lambda X, y: linlib.pla(X, y, max_updates=100_000),
    "pocket": lambda X, y: linlib.pocket(X, y, max_updates=1000),
    "averaged": linlib.averaged,
    "batch": lambda X, y: linlib.batch(X, y, max_updates=50),
    "lms": lambda X, y: linlib.lms(X, y, step=1e-4, max_passes=3),
    "least_squares": linlib.least_squares,
    "lasso": lambda X, y: linlib.lasso(X, y, penalty=1.0),
    "certify": linlib.certify,
    "max_margin": linlib.max_margin,
}
OVERLAPPING: dict[str, Learner] = {
    "soft_margin, a tenth of the rows": lambda X, y: linlib.soft_margin(
        X[::10], y[::10], penalty=0.1
    ),
    "logistic": linlib.logistic,
    "overlap": linlib.overlap,
}
MANY: dict[str, Learner] = {
    "fit_lda": linlib.fit_lda,
    "fit_qda": linlib.fit_qda,
    "softmax": lambda X, y: linlib.softmax(X, y, penalty=0.01),
    "one_vs_rest, least squares": lambda X, y: linlib.one_vs_rest(X, y, linlib.least_squares),
}


def table(quick: bool) -> str:
    """Return the peaks of every learner on a narrow and on a wide matrix."""
    shapes = [(300, 4), (200, 20)] if quick else [(20_000, 4), (10_000, 50)]
    found = {shape: peaks(*shape) for shape in shapes}
    heads = " | ".join(f"{n} × {d}" for n, d in shapes)
    lines = [NOTE, "", f"| learner | {heads} |", "|---" + "|--:" * len(shapes) + "|"]
    for name in found[shapes[0]]:
        cells = " | ".join(f"{found[shape][name]:.1f}" for shape in shapes)
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines) + "\n"


def peaks(n: int, d: int) -> dict[str, float]:
    """Return the peak of every learner, in multiples of its input."""
    X, y = two_classes(n, d, 0.1)
    X = X / 20
    noisy = np.where(np.random.default_rng(n).random(n) < 0.1, -y, y)
    G, g = gaussians(n, d, 4)
    found = {name: peak(learn, X, y) for name, learn in TWO.items()}
    found |= {name: peak(learn, X, noisy) for name, learn in OVERLAPPING.items()}
    return found | {name: peak(learn, G, g) for name, learn in MANY.items()}


def peak(learn: Learner, X: np.ndarray, y: np.ndarray) -> float:
    """Return the most memory allocated at once, in multiples of the input's."""
    learn(X[:800], y[:800])  # what is imported and cached at the first call is not the learner's
    tracemalloc.start()
    try:
        learn(X, y)
        return tracemalloc.get_traced_memory()[1] / (X.nbytes + y.nbytes)
    finally:
        tracemalloc.stop()
