"""Many classes at once, on the digits that come with scikit-learn (1797 × 64, 10 classes)."""

import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier

from bench.contest import LINLIB, SKLEARN, Part, contest
from bench.sections.perceptron import MISTAKES
from linlib import (
    Hyperplane,
    averaged,
    kesler_rows,
    linear_machine,
    one_vs_one,
    one_vs_rest,
    pla,
    pla_rows,
)

TITLE = "Multiclass on digits"
NOTE = (
    "One against the rest: 10 passes each. Pair by pair: all 45 pairs to convergence; scikit-learn "
    "is given the most passes that a pair needs. Least squares: ridge 1. The linear machine runs "
    "Kesler's construction, which scikit-learn does not have; it is compared with "
    "the same run on the rows written out. Asserted before timing: equal weights (least squares: "
    "equal classes)."
)
DIGITS = (
    "linlib solves by singular values where scikit-learn squares the matrix, which loses half of "
    "the digits"
)


def run(quick: bool) -> Part:
    """Measure the schemes."""
    warnings.simplefilter("ignore")
    X, y = load_digits(return_X_y=True)
    if quick:
        X, y = X[y < 3][:200], y[y < 3][:200]
    repeats = 3 if quick else 7
    return Part(
        [
            _rest(X, y, repeats),
            _pairs(X, y, repeats),
            _least(X, y, repeats),
            _kesler(X, y, repeats),
        ],
        NOTE,
    )


def _rest(X, y, repeats):
    def learn(X, y):
        return Hyperplane.from_weights(averaged(X, y, max_passes=10).last)

    def theirs():
        return Perceptron(shuffle=False, tol=None, max_iter=10).fit(X, y)

    ours, model = one_vs_rest(X, y, learn), theirs()
    found = np.array([h.weights for h in ours.hyperplanes])
    assert np.array_equal(found, np.column_stack([model.intercept_, model.coef_]))
    contestants = {LINLIB: lambda: one_vs_rest(X, y, learn), SKLEARN: theirs}
    task = "one against the rest, perceptron"
    return contest(task, contestants, repeats=repeats, reason=MISTAKES)


def _pairs(X, y, repeats):
    runs = []

    def learn(X, y):
        runs.append(pla(X, y, max_updates=100_000))
        return runs[-1]

    ours = one_vs_one(X, y, learn)
    passes = max(run.passes for run in runs)
    assert all(run.converged for run in runs)

    def theirs():
        return OneVsOneClassifier(Perceptron(shuffle=False, tol=None, max_iter=passes)).fit(X, y)

    # Its pairs are positive for the second class, linlib's for the first.
    for h, model in zip(ours.hyperplanes.values(), theirs().estimators_, strict=True):
        assert np.array_equal(h.weights, -np.r_[model.intercept_, model.coef_[0]])
    contestants = {LINLIB: lambda: one_vs_one(X, y, pla), SKLEARN: theirs}
    return contest("pair by pair, perceptron", contestants, repeats=repeats)


def _least(X, y, repeats):
    def ours():
        return linear_machine(X, y, learner="least_squares", penalty=1.0)

    def theirs():
        return RidgeClassifier(alpha=1.0).fit(X, y)

    scores = theirs().decision_function(X)
    assert np.array_equal(ours().scores(X).argmax(axis=1), scores.argmax(axis=1))
    task, contestants = "linear machine, least squares", {LINLIB: ours, SKLEARN: theirs}
    return contest(task, contestants, repeats=repeats, reason=DIGITS)


def _kesler(X, y, repeats):
    def ours():
        return linear_machine(X, y, max_updates=100_000)

    def written_out():
        return pla_rows(kesler_rows(X, y), max_updates=100_000)

    machine, run = ours(), written_out()
    assert np.array_equal(machine.weights.ravel(), run.weights)
    assert np.array_equal(machine.run.mistakes, run.mistakes)
    note = f"{run.updates} updates, {run.passes} passes"
    contestants = {LINLIB: ours, "rows written out": written_out}
    return contest("linear machine, perceptron", contestants, repeats=min(repeats, 3), note=note)
