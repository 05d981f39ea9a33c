"""Every argument of every function, spoilt in every way: one sentence that names it."""

import inspect

import numpy as np
import pytest

import linlib
from linlib import data
from linlib.base.rows import signed_rows
from linlib.margins.linear_svm import offset_range
from tests.helpers.sentences import assert_one_sentence

NAN, INF = float("nan"), float("inf")
X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR, NAMES = [-1, -1, -1, 1], [-1, 1, 1, -1], ["a", "a", "b", "c"]
Z = signed_rows(X, AND)
GOAL = linlib.hinge_objective(X, AND, 0.1)
RUN = linlib.pla(X, AND)
RNG = np.random.default_rng(7)
# What is good for every function; a tuple names a method and what it belongs to.
AS_SIGNS = {
    linlib.pla: {},
    linlib.pocket: {},
    linlib.averaged: {},
    linlib.batch: {},
    linlib.lms: {},
    linlib.pass_map: {"step": 0.1},
    linlib.least_squares: {},
    linlib.lasso: {"penalty": 0.1},
    linlib.objective: {"loss": linlib.hinge_loss},
    linlib.hinge_objective: {"penalty": 0.1},
    linlib.soft_margin: {"penalty": 0.1},
    linlib.logistic: {"penalty": 0.1},
    linlib.max_margin: {},
    linlib.certify: {},
    linlib.overlap: {},
    linlib.signed_rows: {},
    linlib.audit_proof: {"reference": [-3, 2, 2]},
    offset_range: {"w": [1, 1]},
    linlib.Hyperplane([1, 1]).margin: {},
}
AS_CLASSES = {
    linlib.softmax: {"penalty": 0.1},
    linlib.fit_lda: {"penalty": 0.1},
    linlib.fit_qda: {"penalty": 0.1},
    linlib.linear_machine: {},
    linlib.kesler_rows: {},
    linlib.one_vs_rest: {"learner": linlib.least_squares},
    linlib.one_vs_one: {"learner": linlib.least_squares},
}
OTHERS = {
    linlib.gradient_descent: {"target": GOAL, "step": 0.1},
    linlib.corrections: {"Z": Z, "weights": [0, 0, 0]},
    linlib.pla_rows: {"Z": Z},
    linlib.radius_and_margin: {"Z": Z, "reference": [-3, 2, 2]},
    linlib.mistake_bound: {"Z": Z, "reference": [-3, 2, 2]},
    linlib.proof_table: {"run": RUN, "reference": [-3, 2, 2]},
    RUN.steady_after: {},
    linlib.hinge_loss.value: {"Z": Z, "weights": [0, 0, 0]},
    linlib.hinge_loss.gradient: {"Z": Z, "weights": [0, 0, 0]},
    GOAL.value: {"weights": [0, 0, 0]},
    linlib.certify(X, AND).check: {"X": X, "y": AND},
    linlib.certify(X, XOR).check: {"X": X, "y": XOR},
    linlib.overlap(X, XOR).check: {"X": X, "y": XOR},
    linlib.logistic(X, XOR).probability: {"X": X},
    linlib.logistic(X, XOR).log_odds: {"X": X},
    linlib.softmax(X, NAMES, penalty=0.1).probability: {"X": X},
    linlib.fit_lda(X, NAMES, penalty=0.1).scores: {"X": X},
    linlib.fit_qda(X, NAMES, penalty=0.1).scores: {"X": X},
    linlib.linear_machine(X, NAMES).scores: {"X": X},
    linlib.augment: {"X": X},
    linlib.polynomial: {"X": X, "degree": 2},
    linlib.quadratic: {"X": X},
    linlib.quadratic_weights: {"A": np.eye(2), "b": [1, 1], "c": 0.0},
    linlib.cover_count: {"n": 3, "d": 2},
    data.separable: {"n": 20, "d": 2, "rng": RNG},
    data.two_clouds: {"n": 20, "rng": RNG},
    data.circle: {"n": 20, "rng": RNG},
    data.with_outliers: {"n": 20, "rng": RNG},
    data.clouds: {"centres": [[0, 0], [5, 5]], "each": 3, "rng": RNG},
    data.three_in_a_row: {"each": 3, "rng": RNG},
    data.orthonormal: {"d": 3},
    data.load: {"name": "penguins"},
}
CALLS = {call: {"X": X, "y": AND} | options for call, options in AS_SIGNS.items()}
CALLS |= {call: {"X": X, "y": NAMES} | options for call, options in AS_CLASSES.items()} | OTHERS

POINTS = [[[NAN, 0.0]] * 4, [[INF, 0.0]] * 4, [0.0, 1.0, 2.0, 3.0], np.zeros((0, 2)), [["a", "b"]]]
POINTS += [np.zeros((4, 0)), [[1.0, 2.0], [3.0]]]
VECTORS = [[NAN, 0.0, 0.0], [1.0], [1.0, 2.0, 3.0, 4.0, 5.0], [[1.0, 2.0, 3.0]], "words", []]
LABELS = [[0, 0, 0, 1], [1, -1], [1, 1, 1, NAN], [[1, -1, 1, -1]], [True, False, True, True]]
CLASSES = [[0, 1], [0, 1, 2, NAN], [["a", "b", "c", "d"]], [0, 0, 0, 0], [0, "b", None, 1]]
FLAGS, COUNTS, FROM_ONE = ["yes", 1], [-1, 2.5], [-1, 2.5, 0]
POSITIVE, NOT_NEGATIVE = [0, -1.0, NAN, "much"], [-1.0, NAN]
SPOILT = {
    **dict.fromkeys(("X", "Z", "A", "centres"), POINTS),
    **dict.fromkeys(("weights", "start", "reference", "w"), VECTORS),
    **dict.fromkeys(("bias", "average", "augmented", "exact"), FLAGS),
    **dict.fromkeys(("max_updates", "max_passes"), COUNTS),
    **dict.fromkeys(("n", "d", "each", "degree", "recent", "window"), FROM_ONE),
    **dict.fromkeys(("step", "radius"), POSITIVE),
    **dict.fromkeys(("penalty", "tolerance", "distance", "spread", "outliers"), NOT_NEGATIVE),
    "priors": [[0.5, 0.6], [NAN, 0.5, 0.5], [1, 0, 0], "even"],
    "margin": [-1.0, NAN],
    "share": [0, 1.0, -1.0, NAN],
    "divisor": ["n-1", 3],
    "schedule": ["1/sqrt(k)", 2],
    "order": ["sorted", 3],
    "rng": [None, 7],
    "rule": ["<", 0],
    "learner": ["svm", 3],
    "loss": ["hinge", None],
    "run": [AND, linlib.batch(X, AND)],
    "b": [[NAN, 0.0], "words", []],
    "c": [NAN, "one"],
    "name": ["titanic", 3],
    "multipliers": [[1.0], [NAN] * 4, [1.0, 0, 0, 0]],
}
FREE = {"target", "options", "rng"}  # rng only where it is asked for


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__qualname__)
def test_a_spoilt_argument_gets_one_sentence_that_names_it(call):
    good = CALLS[call]
    call(**good)
    names = set(inspect.signature(call).parameters)
    if call in (linlib.pocket, linlib.averaged, linlib.pla_rows, linlib.corrections):
        names |= {"order", "step", "schedule"}  # the options of pla
    for name in names - (FREE - set(good)) - {"target"}:
        bad = SPOILT.get(name, [])
        if name == "y":
            bad = CLASSES if call in AS_CLASSES else LABELS
        assert bad, f"nothing is known that spoils {name}"
        for value in bad:
            assert_one_sentence(lambda: call(**(good | {name: value})), name)  # noqa: B023


@pytest.mark.parametrize(
    "call", [linlib.max_margin, linlib.soft_margin, linlib.logistic, offset_range]
)
def test_a_margin_and_odds_need_both_classes(call):
    for label in (1, -1):
        options = AS_SIGNS[call]
        assert_one_sentence(lambda: call(X, [label] * 4, **options), "y", "one class only")  # noqa: B023


@pytest.mark.parametrize("reference", [[0, 0, 0], [-3, 2, 0], [-1, 1, 0], [3, -2, -2]], ids=str)
def test_a_reference_must_separate(reference):
    for call in (linlib.radius_and_margin, linlib.mistake_bound):
        assert_one_sentence(lambda: call(Z, reference), "reference")  # noqa: B023
    assert_one_sentence(lambda: linlib.audit_proof(X, AND, reference), "reference")
    assert_one_sentence(lambda: linlib.proof_table(RUN, reference), "reference")


@pytest.mark.parametrize("order", ["shuffled", "random"])
def test_chance_needs_a_generator(order):
    assert_one_sentence(lambda: linlib.pla(X, AND, order=order), "rng")
    assert_one_sentence(lambda: linlib.corrections(Z, [0, 0, 0], order=order), "rng")
    assert_one_sentence(lambda: linlib.gradient_descent(GOAL, step=1.0, order="random"), "rng")
    assert_one_sentence(lambda: linlib.pla(X, AND, order=[0, 1, 2]), "order", "never visits row 3")


def test_new_points_have_the_features_of_the_model():
    fit = linlib.logistic(X, XOR)
    words = "has 3 features where the model has 2"
    for call in (fit.log_odds, fit.probability, linlib.fit_lda(X, NAMES, penalty=0.1).scores):
        assert_one_sentence(lambda: call([[1, 2, 3]]), "X", words)  # noqa: B023
