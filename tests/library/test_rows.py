"""Signed rows, and which of them are mistakes: as the textbook's own sums say."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.base.rows import (
    Centre,
    augment,
    blocks,
    blur,
    errors,
    mistaken,
    signed_rows,
    textbook,
    worst,
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


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 2048, 4096, 9000, 100_000])
def test_blocks_cover_every_row_once_and_are_small_against_the_whole(n):
    parts = list(blocks(n))
    assert [i for part in parts for i in range(*part.indices(n))] == list(range(n))
    most = max((part.stop - part.start for part in parts), default=256)
    assert most == {4096: 512, 9000: 1024, 100_000: 1024}.get(n, 256)


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


def test_the_textbooks_score_adds_from_the_left():
    rows = np.array([[1e16, 1.0, -1e16], [1e16, -1e16, 1.0]])
    assert textbook(rows, np.ones(3)).tolist() == [0.0, 1.0]
    assert textbook(rows[1], np.ones(3)) == 1.0


def test_the_worst_of_equals_is_the_first_in_whatever_block():
    Z = np.ones((1500, 2))
    Z[[300, 700, 1400]] = [-1, -2]
    assert mistaken(Z, np.ones(2)).tolist() == [300, 700, 1400]
    assert worst(Z, np.array([300, 700, 1400]), np.ones(2), blur(Z)) == 300
    for lowest in (1400, 0):
        Z = Z.copy()
        Z[lowest] = [-9, lowest - 1400]
        assert worst(Z, np.arange(1500), np.ones(2), blur(Z)) == lowest


def test_the_worst_is_found_where_only_the_last_bit_tells_and_blocks_differ():
    near = [-1, 2.0**-53], [-1, -(2.0**-52)]
    for one, (higher, lowest) in ((10, (400, 401)), (400, (10, 11))):
        Z = np.tile([9.0, 0.0], (600, 1))
        Z[one], Z[higher], Z[lowest] = [-1, 0], *near
        assert worst(Z, np.arange(600), np.ones(2), blur(Z)) == lowest


def test_doubt_is_more_than_any_two_sums_of_a_score_differ():
    rng = np.random.default_rng(3)
    for n in (3, 30, 300):
        Z, w = rng.normal(size=(50, n)) * 10.0 ** rng.integers(-3, 4, n), rng.normal(size=n)
        products = [
            float(sum(Fraction(a) * Fraction(b) for a, b in zip(z, w, strict=True))) for z in Z
        ]
        off = np.abs(textbook(Z, w) - products).max()
        bound = (n * 2.0**-52) * np.linalg.norm(Z, axis=1).max() * np.linalg.norm(w)
        assert off < bound
        assert 2 * bound < blur(Z) * np.linalg.norm(w) < 16 * bound, "doubting all costs time"


def test_numbers_too_large_to_be_multiplied_are_mistakes_without_a_warning():
    rows = np.array([[1e150, 1e150], [1.0, 1.0]])
    assert mistaken(rows, np.array([1e200, -1e200])).tolist() == [0, 1]
    assert not np.isfinite(textbook(np.array([1e308]), np.array([1e308]))).all()
    assert np.isnan(textbook(np.array([1e200, 1e200]), np.array([1e200, -1e200])))
