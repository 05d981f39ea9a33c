"""Six losses of the agreement s = z · weights: values, slopes, and what happens at the kinks."""

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.descent.losses import (
    Loss,
    Objective,
    expit,
    hinge_loss,
    hinge_objective,
    logistic_loss,
    objective,
    perceptron_loss,
    squared_hinge_loss,
    squared_loss,
    zero_one_loss,
)

LOSSES = [zero_one_loss, perceptron_loss, squared_loss, hinge_loss, squared_hinge_loss]
fuzz = settings(max_examples=30, deadline=None, derandomize=True, database=None)
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)


# The definitions, one row at a time in plain Python: (loss of s, slope at s).
NAIVE = {
    "zero-one": (lambda s: 1.0 if s <= 0 else 0.0, lambda s: 0.0),
    "perceptron": (lambda s: -s if s <= 0 else 0.0, lambda s: -1.0 if s <= 0 else 0.0),
    "squared": (lambda s: (1 - s) * (1 - s) / 2, lambda s: s - 1),
    "squared-hinge": (
        lambda s: (1 - s) * (1 - s) if s < 1 else 0.0,
        lambda s: 2 * (s - 1) if s < 1 else 0.0,
    ),
    "hinge": (lambda s: 1 - s if s < 1 else 0.0, lambda s: -1.0 if s < 1 else 0.0),
}


def naive_value(loss, Z, weights):
    total = 0.0
    for z in Z:
        total += NAIVE[loss.name][0](sum(a * b for a, b in zip(z, weights, strict=True)))
    return total


def naive_gradient(loss, Z, weights):
    total = [0.0] * len(weights)
    for z in Z:
        slope = NAIVE[loss.name][1](sum(a * b for a, b in zip(z, weights, strict=True)))
        total = [t + slope * entry for t, entry in zip(total, z, strict=True)]
    return total


@st.composite
def integer_rows_and_weights(draw):
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    whole = st.integers(-9, 9)
    row = st.lists(whole, min_size=d, max_size=d)
    return draw(st.lists(row, min_size=n, max_size=n)), draw(row)


def smooth_example(rng, *, n=12, d=4):
    """Draw rows and weights whose agreements all stay clear of the kinks at 0 and 1."""
    while True:
        Z, weights = rng.normal(size=(n, d)), rng.normal(size=d)
        s = Z @ weights
        if min(np.abs(s).min(), np.abs(s - 1).min()) > 1e-3:
            return Z, weights


# --- equal to the definition -------------------------------------------------------------------


@each_loss
@fuzz
@given(case=integer_rows_and_weights())
def test_value_and_gradient_equal_the_naive_sums_exactly_on_integers(loss, case):
    Z, weights = case
    assert loss.value(Z, weights) == naive_value(loss, Z, weights)
    gradient = loss.gradient(Z, weights)
    assert gradient.tolist() == naive_gradient(loss, Z, weights)
    assert not np.signbit(gradient[gradient == 0]).any(), "−0.0 prints as '-0.', which puzzles"


# --- degenerate cases and bad input ------------------------------------------------------------


def test_a_loss_is_fixed_and_survives_pickling():
    for loss in (*LOSSES, logistic_loss):
        assert pickle.loads(pickle.dumps(loss)) == loss
        with pytest.raises(FrozenInstanceError):
            loss.name = "other"


def test_a_new_loss_needs_only_a_curve_and_its_slope():
    exponential = Loss("exponential", lambda s: np.exp(-s), lambda s: -np.exp(-s))
    Z, weights = smooth_example(np.random.default_rng(8))
    expected = -(np.exp(-(Z @ weights))[:, None] * Z).sum(axis=0)
    assert np.allclose(exponential.gradient(Z, weights), expected, rtol=1e-12)
    assert not exponential.bend(Z @ weights).any(), "without a bend it has none"


# --- the logistic loss, and bends ---------------------------------------------------------------


def naive_logistic(s):
    return math.log(1 + math.exp(-s)), -1 / (1 + math.exp(s)), 1 / (2 + math.exp(s) + math.exp(-s))


def test_the_logistic_loss_its_slope_and_its_bend_are_those_of_the_definition():
    agreements = np.linspace(-30, 30, 241)
    expected = np.array([naive_logistic(s) for s in agreements])
    curves = (logistic_loss.of, logistic_loss.slope, logistic_loss.bend)
    for curve, column in zip(curves, expected.T, strict=True):
        assert curve(agreements) == pytest.approx(column, rel=1e-12, abs=1e-13)
    assert logistic_loss.of(np.array([0.0]))[0] == math.log(2), "in nats"
    assert logistic_loss.bend(np.zeros(1)).tolist() == [0.25]


def test_the_logistic_loss_keeps_its_digits_far_away_without_a_warning():
    s = np.array([-1e300, -800.0, 50.0, 800.0])
    with np.errstate(all="raise", under="ignore"):
        losses, slopes = logistic_loss.of(s), logistic_loss.slope(s)
        bends, shares = logistic_loss.bend(s), expit(s)
    assert losses[:2].tolist() == [1e300, 800]
    assert losses[2] == pytest.approx(math.exp(-50))
    assert losses[3] == 0
    assert slopes[:2].tolist() == [-1, -1]
    assert slopes[2] == pytest.approx(-math.exp(-50))
    assert bends[2] == pytest.approx(math.exp(-50))
    assert shares[0] == 0
    assert shares[3] == 1
    assert (bends[[0, 1, 3]] == 0).all()


def test_probability_and_log_odds_are_inverse_and_the_two_classes_share_1():
    s = np.linspace(-20, 20, 81)
    p = expit(s)
    assert np.log(p / expit(-s)) == pytest.approx(s)
    assert p + expit(-s) == pytest.approx(np.ones(81))


@pytest.mark.parametrize("loss", [*LOSSES, logistic_loss], ids=lambda loss: loss.name)
@pytest.mark.parametrize("seed", range(3))
def test_gradient_and_bend_are_central_differences(loss, seed):
    Z, weights = smooth_example(np.random.default_rng(seed))
    h = 1e-5
    values = [
        (loss.value(Z, weights + h * e) - loss.value(Z, weights - h * e)) / (2 * h)
        for e in np.eye(4)
    ]
    assert np.allclose(loss.gradient(Z, weights), values, rtol=1e-7, atol=1e-7)
    differences = [
        (loss.gradient(Z, weights + h * e) - loss.gradient(Z, weights - h * e)) / (2 * h)
        for e in np.eye(4)
    ]
    curvature = Z.T @ (loss.bend(Z @ weights)[:, None] * Z)
    assert np.allclose(curvature, differences, atol=1e-8)
    assert np.linalg.eigvalsh(curvature).min() > -1e-12, "convex"


# --- objectives ---------------------------------------------------------------------------------

X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, -1, 1]


def test_an_objective_is_a_sum_with_a_free_offset_and_no_penalty_unless_told_otherwise():
    plain = Objective(np.array([[1.0, 2.0], [-1.0, 0.0]]), hinge_loss)
    assert (plain.penalty, plain.average, plain.bias) == (0.0, False, True)
    assert plain.value([0.0, 0.0]) == 2.0
    assert objective(X, y, hinge_loss).value([0, 0, 0]) == 4.0
    assert objective(X, y, hinge_loss).bias


def test_the_objective_of_the_margin_lecture_is_a_mean_with_or_without_an_offset():
    assert hinge_objective(X, y, 0.5).value([2.0, 0.0, 0.0]) == 9 / 4, "an offset costs no length"
    without = hinge_objective(X, y, 0.5, bias=False)
    assert without.value([2.0, 0.0]) == (1 + 1 + 3 + 0) / 4 + 0.5 * 0.5 * 4


def test_an_objective_says_what_it_is_made_of():
    plain, penalised = objective(X, y, squared_loss), hinge_objective(X, y, 0.5, bias=False)
    assert repr(plain) == "Objective(loss squared; rows 4 × 3; taken as sum)"
    assert repr(penalised) == "Objective(loss hinge; rows 4 × 2; taken as mean; penalty 0.5)"
