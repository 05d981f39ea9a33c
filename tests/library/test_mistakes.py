"""Which rows are mistakes: as the textbook's own sums say, however many are scored at once."""

import warnings
from fractions import Fraction

import numpy as np

from linlib.base import rows as mistakes
from linlib.base.rows import SignedRows, textbook


def test_the_textbooks_score_adds_from_the_left():
    rows = np.array([[1e16, 1.0, -1e16], [1e16, -1e16, 1.0]])
    assert mistakes.textbook(rows, np.ones(3)).tolist() == [0.0, 1.0]
    assert mistakes.textbook(rows[1], np.ones(3)) == 1.0


def test_the_worst_of_equals_is_the_first_in_whatever_block():
    Z = np.ones((1500, 2))
    Z[[300, 700, 1400]] = [-1, -2]
    rows = SignedRows(Z)
    assert mistakes.mistaken(rows, np.ones(2)).tolist() == [300, 700, 1400]
    assert mistakes.worst(rows, np.array([300, 700, 1400]), np.ones(2)) == 300
    for lowest in (1400, 0):
        Z = Z.copy()
        Z[lowest] = [-9, lowest - 1400]
        assert mistakes.worst(SignedRows(Z), np.arange(1500), np.ones(2)) == lowest


def test_doubt_is_more_than_any_two_sums_of_a_score_differ():
    rng = np.random.default_rng(3)
    for n in (3, 30, 300):
        Z, w = rng.normal(size=(50, n)) * 10.0 ** rng.integers(-3, 4, n), rng.normal(size=n)
        rows = SignedRows(Z)
        exact = [
            float(sum(Fraction(a) * Fraction(b) for a, b in zip(z, w, strict=True))) for z in Z
        ]
        off = np.abs(mistakes.textbook(rows.Z, w) - exact).max()
        bound = (n * 2.0**-52) * np.linalg.norm(Z, axis=1).max() * np.linalg.norm(w)
        assert off < bound
        assert 2 * bound < mistakes.doubt(rows, w) < 16 * bound, (
            "a bound that doubts all costs time"
        )


def test_numbers_too_large_to_be_multiplied_are_mistakes_without_a_warning():
    rows = SignedRows(np.array([[1e150, 1e150], [1.0, 1.0]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mistakes.mistaken(rows, np.array([1e200, -1e200])).tolist() == [0, 1]
        assert not np.isfinite(textbook(np.array([1e308]), np.array([1e308]))).all()
        assert np.isnan(mistakes.textbook(np.array([1e200, 1e200]), np.array([1e200, -1e200])))


def test_the_worst_is_found_where_only_the_last_bit_tells_and_blocks_differ():
    near = [-1, 2.0**-53], [-1, -(2.0**-52)]
    for one, (higher, lowest) in ((10, (400, 401)), (400, (10, 11))):
        Z = np.tile([9.0, 0.0], (600, 1))
        Z[one], Z[higher], Z[lowest] = [-1, 0], *near
        assert mistakes.worst(SignedRows(Z), np.arange(600), np.ones(2)) == lowest
