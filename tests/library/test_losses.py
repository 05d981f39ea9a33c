"""Five losses of the agreement s = z · weights: values, slopes, and what happens at the kinks."""

import math
import pickle
import re
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.base.rows import augment, signed_rows
from linlib.descent.losses import (
    Loss,
    chance,
    hinge_loss,
    logistic_loss,
    perceptron_loss,
    squared_loss,
    zero_one_loss,
)

LOSSES = [zero_one_loss, perceptron_loss, squared_loss, hinge_loss]
SLOPED = [perceptron_loss, squared_loss, hinge_loss]
fuzz = settings(max_examples=40, deadline=None, derandomize=True, database=None)
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
each_sloped_loss = pytest.mark.parametrize("loss", SLOPED, ids=lambda loss: loss.name)


# The definitions, one row at a time in plain Python: (loss of s, slope at s).
NAIVE = {
    "zero-one": (lambda s: 1.0 if s <= 0 else 0.0, lambda s: 0.0),
    "perceptron": (lambda s: -s if s <= 0 else 0.0, lambda s: -1.0 if s <= 0 else 0.0),
    "squared": (lambda s: (1 - s) * (1 - s) / 2, lambda s: s - 1),
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
def test_value_equals_the_naive_sum_exactly_on_integers(loss, case):
    Z, weights = case
    assert loss.value(Z, weights) == naive_value(loss, Z, weights)


@each_loss
@fuzz
@given(case=integer_rows_and_weights())
def test_gradient_equals_the_naive_sum_exactly_on_integers(loss, case):
    Z, weights = case
    assert loss.gradient(Z, weights).tolist() == naive_gradient(loss, Z, weights)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (zero_one_loss, [1, 1, 0, 0, 0]),
        (perceptron_loss, [2, 0, 0, 0, 0]),
        (squared_loss, [4.5, 0.5, 0.125, 0, 2]),
        (hinge_loss, [3, 1, 0.5, 0, 0]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_losses_at_five_agreements_computed_by_hand(loss, expected):
    agreements = np.array([-2, 0, 0.5, 1, 3])
    assert loss.of(agreements).tolist() == expected, "at s = −2, 0, ½, 1, 3"


def test_squared_loss_is_half_the_squared_difference_of_label_and_score():
    rng = np.random.default_rng(1)
    X, y = rng.integers(-5, 6, size=(20, 3)), rng.choice([-1, 1], size=20)
    weights = rng.integers(-4, 5, size=4)
    residuals = y - augment(X) @ weights
    assert squared_loss.value(signed_rows(X, y), weights) == 0.5 * (residuals**2).sum()


def test_zero_one_loss_counts_mistakes_and_a_score_of_zero_is_one():
    Z = [[1.0], [0.0], [-1.0], [2.0]]
    assert zero_one_loss.value(Z, [1.0]) == 2, "the scores are 1, 0, −1, 2: two are not above 0"


def test_perceptron_gradient_is_minus_the_sum_of_the_mistaken_rows():
    Z = np.array([[1.0, 2.0], [-3.0, 1.0], [0.0, 0.0], [-1.0, -1.0]])
    weights = np.array([1.0, 1.0])  # scores 3, −2, 0, −2
    assert perceptron_loss.gradient(Z, weights).tolist() == (-Z[[1, 2, 3]].sum(axis=0)).tolist()


# --- the gradient is the derivative of the value -----------------------------------------------


@each_loss
@pytest.mark.parametrize("seed", range(5))
def test_gradient_equals_central_differences_away_from_kinks(loss, seed):
    Z, weights = smooth_example(np.random.default_rng(seed))
    h = 1e-5
    differences = [
        (loss.value(Z, weights + h * e) - loss.value(Z, weights - h * e)) / (2 * h)
        for e in np.eye(len(weights))
    ]
    assert np.allclose(loss.gradient(Z, weights), differences, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("loss", "kink", "side"),
    [(perceptron_loss, 0.0, -1), (hinge_loss, 1.0, +1)],
    ids=["perceptron: still a mistake at 0", "hinge: free of cost from 1 on"],
)
def test_gradient_at_a_kink_is_the_one_sided_derivative_of_the_side_it_counts_to(loss, kink, side):
    z = np.array([4.0, 2.0])
    weights = kink * np.array([0.125, 0.25])  # powers of two, so that z · weights is the kink
    assert z @ weights == kink
    h = 2.0**-20
    towards = side * h * z
    one_sided = (loss.value([z], weights + towards) - loss.value([z], weights)) / h
    assert np.isclose(loss.gradient([z], weights) @ (side * z), one_sided, rtol=1e-6, atol=1e-9)


@each_sloped_loss
@pytest.mark.parametrize("kink", [0.0, 1.0])
def test_slope_at_a_kink_lies_between_the_one_sided_derivatives(loss, kink):
    s, h = np.array([kink]), 1e-6
    left = (loss.of(s) - loss.of(s - h)) / h
    right = (loss.of(s + h) - loss.of(s)) / h
    slope = loss.slope(s)
    assert left - 1e-5 <= slope <= right + 1e-5, "a convex loss needs a subgradient at its kink"


@each_sloped_loss
def test_gradient_supports_the_loss_from_below_everywhere(loss):
    rng = np.random.default_rng(3)
    Z = rng.integers(-3, 4, size=(15, 3)).astype(float)
    for _ in range(50):
        here, there = rng.integers(-2, 3, size=(2, 3)).astype(float)
        line = loss.value(Z, here) + loss.gradient(Z, here) @ (there - here)
        assert loss.value(Z, there) >= line, "a convex loss lies above each of its tangents"


def test_zero_one_gradient_is_zero_everywhere():
    Z, weights = smooth_example(np.random.default_rng(4))
    gradient = zero_one_loss.gradient(Z, weights)
    assert gradient.tolist() == [0, 0, 0, 0], "a step function tells no direction"


@each_loss
def test_a_gradient_of_zero_is_never_minus_zero(loss):
    gradient = loss.gradient([[-1.0, 0.0]], [-1.0, 0.0])
    assert not np.signbit(gradient[gradient == 0]).any(), "−0.0 prints as '-0.', which puzzles"


@each_sloped_loss
def test_a_small_step_against_the_gradient_lowers_the_loss(loss):
    Z, weights = smooth_example(np.random.default_rng(5))
    gradient = loss.gradient(Z, weights)
    assert gradient.any(), "the example must leave something to gain"
    assert loss.value(Z, weights - 1e-6 * gradient) < loss.value(Z, weights)


# --- how the losses compare --------------------------------------------------------------------

AGREEMENTS = np.concatenate([np.linspace(-4, 4, 801), [0.0, 1.0, 1e-300, -1e-300]])


def test_hinge_bounds_zero_one_from_above():
    assert (hinge_loss.of(AGREEMENTS) >= zero_one_loss.of(AGREEMENTS)).all()


def test_twice_the_squared_loss_bounds_zero_one_from_above():
    assert (2 * squared_loss.of(AGREEMENTS) >= zero_one_loss.of(AGREEMENTS)).all()


def test_perceptron_loss_does_not_bound_zero_one():
    assert perceptron_loss.of(np.zeros(1)) < zero_one_loss.of(np.zeros(1))


def test_hinge_is_the_perceptron_loss_moved_right_by_one():
    assert np.array_equal(hinge_loss.of(AGREEMENTS), perceptron_loss.of(AGREEMENTS - 1))


def test_squared_loss_punishes_points_far_on_the_right_side_and_hinge_does_not():
    far = np.array([10.0])
    assert squared_loss.of(far) == 40.5
    assert hinge_loss.of(far) == 0


def test_zero_weights_minimise_the_perceptron_loss_and_classify_nothing():
    Z, zero = np.random.default_rng(6).normal(size=(9, 3)), np.zeros(3)
    assert perceptron_loss.value(Z, zero) == 0, "0 is the lowest the loss can be"
    assert zero_one_loss.value(Z, zero) == 9, "yet every row is an error"


# --- invariances -------------------------------------------------------------------------------


@each_loss
@fuzz
@given(case=integer_rows_and_weights(), seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(loss, case, seed):
    Z, weights = np.array(case[0]), case[1]
    mixed = np.random.default_rng(seed).permutation(Z)
    assert loss.value(mixed, weights) == loss.value(Z, weights)
    assert np.array_equal(loss.gradient(mixed, weights), loss.gradient(Z, weights))


@each_loss
@fuzz
@given(case=integer_rows_and_weights())
def test_the_loss_of_a_sample_is_the_sum_over_its_parts(loss, case):
    Z, weights = case
    assert loss.value(Z + Z, weights) == 2 * loss.value(Z, weights)
    assert np.array_equal(loss.gradient(Z + Z, weights), 2 * loss.gradient(Z, weights))
    assert loss.value(Z, weights) == sum(loss.value([z], weights) for z in Z)


def test_scaling_the_weights_scales_the_perceptron_loss_and_leaves_zero_one():
    Z, weights = smooth_example(np.random.default_rng(7))
    assert perceptron_loss.value(Z, 8 * weights) == 8 * perceptron_loss.value(Z, weights)
    assert zero_one_loss.value(Z, 8 * weights) == zero_one_loss.value(Z, weights)


@each_loss
def test_lists_integers_and_strided_arrays_give_the_same_answers(loss):
    Z, weights = np.arange(-6, 6).reshape(6, 2), np.array([1, -2])
    expected = loss.value(Z[::2].astype(float), weights.astype(float))
    assert loss.value(Z[::2], weights) == loss.value(Z[::2].tolist(), weights.tolist()) == expected
    assert loss.gradient(Z[::2].tolist(), weights.tolist()).shape == (2,)


# --- degenerate cases and bad input ------------------------------------------------------------


@each_loss
def test_one_row_and_one_weight_are_enough(loss):
    assert loss.value([[2.0]], [-1.0]) == loss.of(np.array([-2.0]))[0]
    assert loss.gradient([[2.0]], [-1.0]).shape == (1,)


def test_a_loss_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        hinge_loss.name = "other"


def test_a_new_loss_needs_only_a_curve_and_its_slope():
    exponential = Loss("exponential", lambda s: np.exp(-s), lambda s: -np.exp(-s))
    Z, weights = smooth_example(np.random.default_rng(8))
    expected = -(np.exp(-(Z @ weights))[:, None] * Z).sum(axis=0)
    assert np.allclose(exponential.gradient(Z, weights), expected, rtol=1e-12)


@each_loss
@pytest.mark.parametrize("method", ["value", "gradient"])
@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
def test_inputs_are_never_modified(loss, method, writeable):
    Z, weights = np.array([[1.0, -2.0], [0.0, 3.0]]), np.array([0.5, 0.25])
    before = Z.copy(), weights.copy()
    Z.setflags(write=writeable)
    weights.setflags(write=writeable)
    getattr(loss, method)(Z, weights)
    assert np.array_equal(Z, before[0]), "Z was modified"
    assert np.array_equal(weights, before[1]), "weights were modified"


@pytest.mark.parametrize("method", ["value", "gradient"])
@pytest.mark.parametrize(
    ("Z", "weights", "argument"),
    [
        ([[np.nan]], [1.0], "Z"),
        ([[np.inf]], [1.0], "Z"),
        ([1.0, 2.0], [1.0], "Z"),
        (np.zeros((0, 2)), [1.0, 2.0], "Z"),
        (np.zeros((2, 0)), [1.0, 2.0], "Z"),
        ([["a"]], [1.0], "Z"),
        ([[1.0, 2.0], [3.0]], [1.0, 2.0], "Z"),
        ([[1.0, 2.0]], [1.0], "weights"),
        ([[1.0, 2.0]], [[1.0, 2.0]], "weights"),
        ([[1.0, 2.0]], [1.0, np.nan], "weights"),
        ([[1.0, 2.0]], ["a", "b"], "weights"),
        ([[1.0, 2.0]], None, "weights"),
    ],
)
def test_bad_input_gets_one_sentence_that_names_the_argument(method, Z, weights, argument):
    with pytest.raises((ValueError, TypeError)) as error:
        getattr(hinge_loss, method)(Z, weights)
    message = str(error.value)
    assert re.fullmatch(rf"{argument}: [^\n]+\.", message), f"not a sentence: {message!r}"
    assert ". " not in message, f"more than one sentence: {message!r}"


@pytest.mark.parametrize("loss", [*LOSSES, logistic_loss])
def test_a_loss_survives_pickling(loss):
    assert pickle.loads(pickle.dumps(loss)) == loss


# --- the logistic loss, and curvature -----------------------------------------------------------


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
        bends, shares = logistic_loss.bend(s), chance(s)
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
    p = chance(s)
    assert np.log(p / chance(-s)) == pytest.approx(s)
    assert p + chance(-s) == pytest.approx(np.ones(81))


def test_the_logistic_loss_divided_by_ln_2_bounds_zero_one_from_above():
    bound = logistic_loss.of(AGREEMENTS) / math.log(2)
    assert (bound >= zero_one_loss.of(AGREEMENTS)).all()
    assert logistic_loss.of(np.array([-0.1])) < zero_one_loss.of(np.array([-0.1])), "undivided not"


@pytest.mark.parametrize("seed", range(5))
def test_the_logistic_gradient_and_curvature_are_central_differences(seed):
    Z, weights = smooth_example(np.random.default_rng(seed))
    h = 1e-5
    assert np.allclose(
        logistic_loss.gradient(Z, weights),
        [
            (logistic_loss.value(Z, weights + h * e) - logistic_loss.value(Z, weights - h * e))
            / (2 * h)
            for e in np.eye(4)
        ],
        atol=1e-8,
    )
    assert np.allclose(
        logistic_loss.gradient(Z, weights),
        -(Z / (1 + np.exp(Z @ weights))[:, None]).sum(axis=0),
    )


@pytest.mark.parametrize("loss", [*LOSSES, logistic_loss], ids=lambda loss: loss.name)
@pytest.mark.parametrize("seed", range(3))
def test_the_curvature_is_the_change_of_the_gradient(loss, seed):
    Z, weights = smooth_example(np.random.default_rng(seed))
    h = 1e-5
    differences = [
        (loss.gradient(Z, weights + h * e) - loss.gradient(Z, weights - h * e)) / (2 * h)
        for e in np.eye(4)
    ]
    curvature = loss.curvature(Z, weights)
    assert np.allclose(curvature, differences, atol=1e-8)
    assert np.allclose(curvature, curvature.T, rtol=1e-12)
    assert np.linalg.eigvalsh(curvature).min() > -1e-12, "convex"


def test_a_loss_without_a_bend_has_none():
    flat = Loss("mine", lambda s: s, np.ones_like)
    assert flat.curvature([[1.0, 2.0]], [0.0, 0.0]).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("Z", "weights", "argument"),
    [([[np.nan]], [1.0], "Z"), ([[1.0, 2.0]], [1.0], "weights"), ([1.0], [1.0], "Z")],
)
def test_curvature_refuses_bad_input_in_one_sentence(Z, weights, argument):
    with pytest.raises((ValueError, TypeError), match=rf"^{argument}: [^\n]+\.$"):
        logistic_loss.curvature(Z, weights)
