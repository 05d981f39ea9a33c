"""Passes of the LMS rule with a constant step, rows in order."""

import numpy as np
from sklearn.linear_model import SGDRegressor

from bench import textbook
from bench.contest import LINLIB, MLXTEND, SKLEARN, TEXTBOOK, Part, Row, Slice, contest
from bench.peers import InOrderAdaline
from bench.samples import two_classes
from linlib import augment, lms

TITLE = "LMS passes"
NOTE = (
    "Step 0.1/d on standardised data, from zero. scikit-learn: `SGDRegressor` without penalty, "
    "constant step, no shuffling. Asserted before timing: weights equal to nine digits."
)
SIZES = [(1000, 10, 5), (1000, 10, 500), (20_000, 50, 5), (20_000, 50, 200), (2000, 200, 5)]
SIZES += [(2000, 200, 200)]
FEW = (
    "in a pass every row waits for the one before, so that NumPy is called for each of them; more "
    "than eight passes with a constant step are made by the affine map of a pass"
)


def run(quick: bool) -> Part:
    """Measure few passes and many."""
    sizes = [(60, 3, 2), (60, 3, 20)] if quick else SIZES
    return Part([_row(*size, quick) for size in sizes], NOTE)


def _row(n: int, d: int, passes: int, quick: bool) -> Row:
    X, y = two_classes(n, d, 0.1)
    X = X / 20
    step = 0.1 / d

    def theirs():
        model = SGDRegressor(
            penalty=None,
            learning_rate="constant",
            eta0=step,
            shuffle=False,
            tol=None,
            max_iter=passes,
        )
        return model.fit(X, y)

    def ours():
        return lms(X, y, step=step, max_passes=passes)

    model, weights = theirs(), ours().weights
    assert np.allclose(weights, np.r_[model.intercept_, model.coef_], rtol=1e-9, atol=1e-12)
    part = max(1, min(n, 200_000 // (d + 10)))
    rows, labels = augment(X[:part]).tolist(), y[:part].tolist()
    assert np.allclose(
        textbook.lms(rows, labels, step, 1),
        lms(X[:part], y[:part], step=step, max_passes=1).weights,
    )
    adaline = InOrderAdaline(eta=step, epochs=1, minibatches=part)
    found = adaline.fit_from(X[:part], y[:part], 0.0)
    assert np.allclose(found.w_[:, 0], lms(X[:part], y[:part], step=step, max_passes=1).weights[1:])
    share = part / (n * passes)
    contestants = {
        LINLIB: ours,
        SKLEARN: theirs,
        MLXTEND: Slice(lambda: adaline.fit_from(X[:part], y[:part], 0.0), share),
        TEXTBOOK: Slice(lambda: textbook.lms(rows, labels, step, 1), share),
    }
    task = f"{n} × {d}, {passes} passes"
    reason = FEW if passes < 9 else ""
    return contest(task, contestants, repeats=3 if quick else 7, reason=reason)
