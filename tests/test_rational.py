"""Exact arithmetic on floats: products that cannot lie."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.rational import at_least, smallest, whole, wrong_row
from tests.exact import products, whole_rows

fuzz = settings(max_examples=50, deadline=None, derandomize=True, database=None)
entries = st.integers(-3, 3)


@fuzz
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_whole_numbers_keep_the_ratios_of_the_floats_exactly(numbers):
    integers, factor = whole(numbers)
    assert factor > 0
    assert [Fraction(i, factor) for i in integers] == [Fraction(number) for number in numbers]


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e-320, 1e140])
def test_at_least_never_exceeds_the_exact_product(scale):
    rng = np.random.default_rng(1)
    for columns in (1, 2, 5, 40):
        Z = rng.normal(size=(60, columns)) * scale
        weights = rng.normal(size=columns) * rng.choice([1e-8, 1.0, 1e8], columns)
        # Rows almost orthogonal to the weights are the ones whose computed sign is worth nothing.
        Z[::2] -= np.outer(Z[::2] @ weights / (weights @ weights), weights)
        bounds = at_least(Z, weights)
        for bound, true in zip(bounds.tolist(), products(Z, weights), strict=True):
            assert Fraction(bound) <= true, f"claims at least {bound}, but it is {float(true)}"


def test_at_least_is_close_enough_to_prove_ordinary_products_positive():
    Z, weights = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([1.0, 1.0])
    assert np.allclose(at_least(Z, weights), [3, 2], atol=1e-14)


@fuzz
@given(whole_rows(), st.data())
def test_smallest_is_the_least_exact_product(Z, data):
    weights = data.draw(st.lists(st.fractions(), min_size=Z.shape[1], max_size=Z.shape[1]))
    assert smallest(Z, weights) == min(products(Z, weights))


def test_smallest_sees_a_product_that_floats_round_to_zero():
    Z = np.array([[2.0**60, 1.0, -(2.0**60)]])
    assert 2.0**60 + 1.0 - 2.0**60 == 0, "in floats, from the first term to the last"
    assert smallest(Z, [1.0, 1.0, 1.0]) == 1


@fuzz
@given(whole_rows(), st.data())
def test_wrong_row_names_a_row_that_is_wrong_or_there_is_none(Z, data):
    weights = data.draw(st.lists(entries, min_size=Z.shape[1], max_size=Z.shape[1]))
    true, found = products(Z, weights), wrong_row(Z, weights)
    if found is None:
        assert min(true) > 0, "wrong_row overlooked a row"
    else:
        assert true[found] <= 0, f"row {found} is right: its product is {true[found]}"


def test_wrong_row_is_not_fooled_by_a_product_that_rounds_to_a_positive_number():
    big = 2.0**53
    Z = np.array([[1.0, big, 2.0, -(big + 2)], [1.0, 1.0, 1.0, 1.0]])
    weights = [-1.0, 1.0, 1.0, 1.0]
    assert products(Z, weights)[0] == -1, "the example's first product is −1"
    assert wrong_row(Z, weights) == 0


@pytest.mark.parametrize("hidden", [-1, 0, 1])
def test_wrong_row_finds_the_exact_sign_of_a_drowned_product(hidden):
    Z = np.array([[2.0**80, hidden, -(2.0**80)]])
    assert wrong_row(Z, [1, 1, 1]) == (None if hidden > 0 else 0)


def test_wrong_row_copes_with_weights_far_beyond_the_floats():
    Z = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert wrong_row(Z, [Fraction(10) ** 400, Fraction(1, 10**400)]) is None
    assert wrong_row(Z, [Fraction(10) ** 400, Fraction(-1, 10**400)]) == 1
