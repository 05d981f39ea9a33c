"""Lifts: which features there are, in which order, and that a curved rule becomes linear."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import PolynomialFeatures

from linlib import (
    augment,
    certify,
    data,
    polynomial,
    quadratic,
    quadratic_weights,
)
from tests.helpers.sentences import assert_one_sentence

fuzz = settings(max_examples=50, deadline=None, derandomize=True, database=None)
whole = st.integers(-20, 20)


@st.composite
def integer_points(draw):
    d = draw(st.integers(1, 4))
    row = st.lists(whole, min_size=d, max_size=d)
    return np.array(draw(st.lists(row, min_size=1, max_size=5)))


@st.composite
def rules_and_points(draw):
    """Draw a symmetric A, a vector b, a number c, and points of the same dimension."""
    X = draw(integer_points())
    d = X.shape[1]
    half = np.array(draw(st.lists(whole, min_size=d * d, max_size=d * d))).reshape(d, d)
    return half + half.T, np.array(draw(st.lists(whole, min_size=d, max_size=d))), draw(whole), X


# --- polynomial --------------------------------------------------------------------------------


@fuzz
@given(integer_points(), st.integers(1, 4))
def test_columns_stand_in_the_order_of_scikit_learn(X, degree):
    theirs = PolynomialFeatures(degree, include_bias=False).fit_transform(X)
    assert np.array_equal(polynomial(X, degree), theirs)


@pytest.mark.parametrize("points", [data.xor_gate(), data.circle(60, np.random.default_rng(7))])
@pytest.mark.parametrize("lift", [quadratic, lambda X: polynomial(X, 2)])
def test_what_no_line_separates_a_quadratic_lift_may(points, lift):
    X, y = points
    assert not certify(X, y).separable
    assert certify(lift(X), y).separable


# --- quadratic ---------------------------------------------------------------------------------


def test_the_quadratic_lift_of_space_lists_pairs_before_squares():
    a, b, c = 2, 3, 5
    expected = [a, b, c, 2 * a * b, 2 * a * c, 2 * b * c, a * a, b * b, c * c]
    assert quadratic([[a, b, c]]).tolist() == [expected]


@fuzz
@given(rules_and_points())
def test_a_quadratic_rule_is_linear_in_the_lift_exactly_on_integers(case):
    A, b, c, X = case
    lifted = augment(quadratic(X)) @ quadratic_weights(A, b, c)
    assert lifted.tolist() == [x @ A @ x + b @ x + c for x in X]


# --- inputs ------------------------------------------------------------------------------------


def test_rounding_errors_of_symmetry_are_averaged_away():
    A = np.array([[1.0, 2.0 + 1e-9], [2.0 - 1e-9, 3.0]])
    assert quadratic_weights(A, [0, 0], 0).tolist() == [0, 0, 0, 2, 1, 3]
    assert quadratic_weights([[1e8, 1e-3], [0, 1e8]], [0, 0], 0)[3] == 5e-4
    with pytest.raises(ValueError, match=r"^A: is not symmetric"):
        quadratic_weights([[1.0, 1e-3], [0, 1.0]], [0, 0], 0)


BAD_CALLS = [
    (lambda: quadratic_weights([[0, 1e-9], [0, 0]], [1, 1], 0), "A", "not symmetric"),
    (lambda: quadratic_weights([[1]], [1, 1], 0), "A", "shape (1, 1)"),
]


@pytest.mark.parametrize(("call", "argument", "reason"), BAD_CALLS)
def test_bad_input_is_refused_with_one_sentence(call, argument, reason):
    assert_one_sentence(call, argument, reason)
