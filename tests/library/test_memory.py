"""What a learner allocates through NumPy and Python, beside its input.

A path that is asked for comes on top, and so do the exact fractions of a proof that classes overlap
only in part. LAPACK works on a copy of its own, which nobody here can measure.
"""

import numpy as np
import pytest

import linlib
from bench import memory
from bench.memory import peak
from bench.samples import gaussians, two_classes

SHAPES = [(8000, 4), (3000, 40)]


def flipped(y):
    return np.where(np.arange(len(y)) % 4, y, -y)


def sample(name, shape):
    X, y = two_classes(*shape, 0.1)
    return X, flipped(y) if "overlap" in name else y


def descend(X, y):
    return linlib.gradient_descent(linlib.hinge_objective(X, y, 0.1), step=0.1, max_updates=10)


LEARNERS = memory.TWO | {
    "pla, shuffled": lambda X, y: linlib.pla(
        X, y, order="shuffled", max_updates=200, rng=np.random.default_rng(7)
    ),
    "pla, worst": lambda X, y: linlib.pla(X, y, order="worst", max_updates=50),
    "pla, no bias": lambda X, y: linlib.pla(X, y, bias=False, max_updates=200),
    "pass_map": lambda X, y: linlib.pass_map(X, y, step=1e-5),
    "gradient_descent": descend,
    "least_squares, ridge": lambda X, y: linlib.least_squares(X, y, penalty=1.0),
    "least_squares, no bias": lambda X, y: linlib.least_squares(X, y, bias=False),
    "soft_margin": lambda X, y: linlib.soft_margin(X, y, penalty=0.1, max_updates=20),
    "soft_margin, overlap": lambda X, y: linlib.soft_margin(X, y, penalty=0.1, max_updates=20),
    "certify, overlap": linlib.certify,
    "max_margin, augmented": lambda X, y: linlib.max_margin(X, y, augmented=True),
    "fit_lda": linlib.fit_lda,
    "fit_qda": linlib.fit_qda,
    "logistic, overlap": linlib.logistic,
    "logistic, penalty": lambda X, y: linlib.logistic(X, y, penalty=0.01),
}
# All rows that are separated are written out once more, to prove it.
PROVED = {"logistic": linlib.logistic, "overlap": linlib.overlap}
SCHEMES = memory.MANY | {
    "one_vs_one": lambda X, y: linlib.one_vs_one(X, y, linlib.least_squares),
    "linear_machine, least squares": lambda X, y: linlib.linear_machine(
        X, y, learner="least_squares"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_allocates_at_most_two_and_a_half_times_its_input(name, shape):
    X, y = sample(name, shape)
    assert peak(LEARNERS[name], X, y) <= 2.5


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", PROVED)
def test_a_proof_of_separation_or_overlap_allocates_at_most_four_times_its_input(name, shape):
    X, y = sample(name, shape)
    assert peak(PROVED[name], X, y) <= 4.0


@pytest.mark.parametrize("classes", [4, 10])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", SCHEMES)
def test_many_classes_allocate_at_most_twice_input_and_scores(name, shape, classes):
    X, y = gaussians(*shape, classes)
    learn = SCHEMES[name]
    given = X.nbytes + y.nbytes
    scores = 8 * len(X) * classes  # one for each row and class
    bends = 8 * (classes * (shape[1] + 1)) ** 2 if name == "softmax" else 0  # second derivatives
    assert peak(learn, X, y) * given <= 2 * (given + scores) + 4 * bends


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", SCHEMES)
def test_predicting_for_many_classes_allocates_at_most_twice_its_input(name, shape):
    X, y = gaussians(*shape, 4)
    model = SCHEMES[name](X[:400], y[:400])
    assert peak(lambda X, y: model.predict(X), X, y) <= 2.0
