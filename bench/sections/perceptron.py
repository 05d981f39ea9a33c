"""The perceptron to convergence: everyone follows the same path to the same weights."""

import warnings

import numpy as np
from sklearn.linear_model import Perceptron

from bench import textbook
from bench.contest import LINLIB, MLXTEND, SKLEARN, TEXTBOOK, Part, Row, Slice, contest
from bench.peers import InOrderPerceptron
from bench.samples import two_classes
from linlib import pla
from tests import naive

TITLE = "Perceptron to convergence"
NOTE = (
    "Integer data with σ = 20 around a planted plane; wide: no point nearer to it than σ, narrow: "
    "0.1 σ, very narrow: 0.01 σ. As the margin narrows linlib falls behind scikit-learn at some "
    "sizes and not at others; the last column counts the mistakes. All begin at (½, 0, …, 0): no "
    "score is then ever exactly 0, on which the others rule otherwise than mlxtend. "
    "scikit-learn is given the exact number of passes. Asserted before timing: linlib's "
    "weights equal scikit-learn's to the last bit, its mistakes the textbook's."
)
SIZES = [(100, 2), (1000, 2), (10_000, 10), (100_000, 10), (20_000, 100), (2000, 500), (20_000, 50)]
MARGINS = {"wide": 1.0, "narrow": 0.1, "very narrow": 0.01}
MISTAKES = (
    "a mistake costs NumPy some eight calls, 5–10 µs however few rows are left in its block, where "
    "the compiled loop goes on in less than 1 µs; between mistakes linlib is the faster"
)
MEMORY = (
    "two passes over data larger than the cache: copying it, as the result needs, costs as much"
)
VISITS = 3_000_000  # number of terms that the textbook loop may look at


def run(quick: bool) -> Part:
    """Measure every size with every margin."""
    warnings.simplefilter("ignore")
    sizes = [(60, 2), (200, 5)] if quick else SIZES
    rows = [_row(n, d, name, quick) for n, d in sizes for name in MARGINS]
    return Part(rows, NOTE)


def _row(n: int, d: int, name: str, quick: bool) -> Row:
    X, y = two_classes(n, d, MARGINS[name])
    start = np.r_[0.5, np.zeros(d)]

    def ours():
        return pla(X, y, start=start, max_updates=1_000_000)

    done = ours()
    assert done.converged

    def theirs():
        model = Perceptron(shuffle=False, tol=None, max_iter=done.passes)
        # Fresh arrays, because it writes the weights into them.
        return model.fit(X, y, coef_init=np.zeros((1, d)), intercept_init=np.full(1, 0.5))

    model = theirs()
    assert np.array_equal(done.weights, np.r_[model.intercept_, model.coef_[0]])
    contestants = {LINLIB: ours, SKLEARN: theirs}
    contestants[MLXTEND] = _mlxtend(X, y, done)
    contestants[TEXTBOOK] = _textbook(X, y, start, done)
    note = f"{done.updates} updates, {done.passes} passes"
    reason = MISTAKES if done.updates > 100 else MEMORY
    repeats = 3 if quick or done.updates > 20_000 else 9
    return contest(f"{n} × {d}, {name}", contestants, repeats=repeats, note=note, reason=reason)


def _textbook(X, y, start, done):
    """Return the plain loop, in full or for as many visits as it makes in reasonable time."""
    total = done.passes * len(X)
    visits = min(total, VISITS // (X.shape[1] + 10))
    Z = naive.signed_rows(X[:visits], y[:visits])

    def loop():
        return textbook.perceptron(Z, start.tolist(), visits)

    mistakes, weights = loop()
    expected = done.mistakes[: np.searchsorted(done.visits, visits, side="right")]
    assert mistakes == expected.tolist()
    assert visits < total or weights == done.weights.tolist()
    return Slice(loop, visits / total) if visits < total else loop


def _mlxtend(X, y, done):
    """Return mlxtend's loop, in full or on the first rows only: each visit costs the same."""
    total = done.passes * len(X)
    if total <= 5000:

        def loop():
            return InOrderPerceptron(eta=0.5, epochs=done.passes).fit_from(X, y, 0.5)

        found = loop()
        assert np.array_equal(done.weights, np.r_[found.b_, found.w_[:, 0]])
        return loop
    part, labels = X[:3000], y[:3000]
    return Slice(
        lambda: InOrderPerceptron(eta=0.5, epochs=1).fit_from(part, labels, 0.5), len(part) / total
    )
