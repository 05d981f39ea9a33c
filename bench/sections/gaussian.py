"""Linear and quadratic discriminant analysis: fitting and predicting."""

import warnings

import numpy as np
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

from bench import textbook
from bench.contest import LINLIB, SKLEARN, TEXTBOOK, Part, Row, Slice, contest
from bench.samples import gaussians
from linlib import fit_lda, fit_qda

TITLE = "LDA and QDA"
NOTE = (
    "scikit-learn with the faster of its solvers here: `lsqr` for LDA (its default `svd` takes 2–5 "
    "times longer), `eigen` for QDA. The textbook loop is the class means and the pooled scatter "
    "only, on a slice. Asserted before timing: the same class for every row."
)


def run(quick: bool) -> Part:
    """Measure fits and predictions from iris to 50 000 rows."""
    warnings.simplefilter("ignore")
    samples = {"iris, 150 × 4, 3 classes": load_iris(return_X_y=True)}
    if not quick:
        for n, d, k in [(5000, 20, 5), (50_000, 50, 10), (5000, 500, 2)]:
            samples[f"{n} × {d}, {k} classes"] = gaussians(n, d, k)
    rows: list[Row] = []
    for name, (X, y) in samples.items():
        rows += _rows(name, np.ascontiguousarray(X), y, 3 if quick else 7)
    return Part(rows, NOTE)


def _rows(name: str, X: np.ndarray, y: np.ndarray, repeats: int) -> list[Row]:
    def lda():
        return LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)

    def qda():
        return QuadraticDiscriminantAnalysis(solver="eigen").fit(X, y)

    def ours():
        return fit_qda(X, y, divisor="n-k")

    line, quadric, their_line, their_quadric = fit_lda(X, y), ours(), lda(), qda()
    assert np.array_equal(line.predict(X), their_line.predict(X))
    assert np.array_equal(quadric.predict(X), their_quadric.predict(X))
    part = max(1, min(len(X), 200_000 // X.shape[1] ** 2))
    lists = X[:part].tolist(), y[:part].tolist(), len(line.classes)
    loop = Slice(lambda: textbook.scatter(*lists), part / len(X))
    return [
        contest(
            f"LDA fit, {name}",
            {LINLIB: lambda: fit_lda(X, y), SKLEARN: lda, TEXTBOOK: loop},
            repeats=repeats,
        ),
        contest(
            f"LDA predict, {name}",
            {LINLIB: lambda: line.predict(X), SKLEARN: lambda: their_line.predict(X)},
            repeats=repeats,
        ),
        contest(f"QDA fit, {name}", {LINLIB: ours, SKLEARN: qda, TEXTBOOK: loop}, repeats=repeats),
        contest(
            f"QDA predict, {name}",
            {LINLIB: lambda: quadric.predict(X), SKLEARN: lambda: their_quadric.predict(X)},
            repeats=repeats,
        ),
    ]
