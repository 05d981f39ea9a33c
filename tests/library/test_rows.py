"""Signed rows, and which of them are mistakes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.base.rows import (
    Centre,
    augment,
    errors,
    mistaken,
    signed_rows,
)
from tests.helpers import naive
from tests.helpers.exact import fractions

fuzz = settings(max_examples=30, deadline=None, derandomize=True, database=None)


@st.composite
def labelled_points(draw):
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    row = st.lists(st.integers(-50, 50), min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    return np.array(X), np.array(y)


@fuzz
@given(labelled_points(), st.booleans())
def test_signed_rows_equal_the_naive_ones_exactly(case, bias):
    X, y = case
    Z = signed_rows(X, y, bias=bias)
    assert Z.tolist() == naive.signed_rows(X, y, bias)
    assert not np.signbit(Z[Z == 0]).any(), "−0.0 is untidy in print"
    assert np.array_equal(augment(X), signed_rows(X, np.ones(len(X))))
    for given_X in (X, X.tolist(), np.asfortranarray(X)):
        assert np.array_equal(signed_rows(given_X, y, bias=bias), Z)


@pytest.mark.parametrize("bias", [True, False])
def test_rows_neither_change_nor_follow_the_sample(bias):
    X, y = np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([1.0, -1.0])
    rows = signed_rows(X, y, bias=bias)
    before = rows.copy()
    assert X.tolist() == [[1, 2], [3, 0]]
    X[:], y[:] = 7.0, 1.0
    assert np.array_equal(rows, before)


def test_the_centre_of_a_constant_column_is_its_number():
    for n in range(1, 60):
        X = np.column_stack([np.full(n, 0.1), np.arange(n) / 7])
        centre = Centre.of(X)
        assert (centre.mean[0], centre.rest[0]) == (0.1, 0), "n times 0.1 over n may be a hair more"
        assert not centre.away(X)[:, 0].any()


def test_a_centre_has_twice_the_digits_of_a_float():
    X = 1e9 + np.random.default_rng(2).normal(size=(301, 2))
    centre, true = Centre.of(X), fractions(X).sum(axis=0) / 301
    off = true - fractions(centre.mean) - fractions(centre.rest)
    assert np.abs(off.astype(float)).max() < 1e-20
    offset = centre.offset(np.array([1.0, -1.0]), 0.5)
    assert float(offset) == pytest.approx(float(Fraction(1, 2) - true[0] + true[1]), abs=1e-15)


# --- mistakes ----------------------------------------------------------------------------------


def test_errors_count_what_is_not_above_zero():
    assert errors(np.array([1.0, 0.0, -3.0, np.nan])) == 3, "a score of 0 is an error"


def test_rows_are_mistaken_unless_their_score_is_above_zero():
    Z = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [1.0, 1.0]])
    assert mistaken(Z, np.array([1.0, 0.0])).tolist() == [1, 2], "a score of 0 is a mistake"


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered")
def test_a_score_that_overflowed_is_a_mistake():
    rows = np.array([[1e200, 1e200], [-1e200, 1e200]])
    assert mistaken(rows, np.array([1e200, -1e200])).tolist() == [0, 1]
