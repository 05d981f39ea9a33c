"""Signed rows of both kinds; Kesler's without their zeros are the same as written out."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from linlib.base.rows import SignedRows, augment, blocks, errors, signed_rows


def test_signed_rows_give_scores_rows_and_their_shape():
    rows = SignedRows(np.array([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.0]]))
    assert (len(rows), rows.width) == (3, 2)
    assert rows.scores(slice(1, 3), np.array([1.0, 10.0])).tolist() == [43, -1]
    assert rows.scores(np.array([2, 0]), np.array([1.0, 10.0])).tolist() == [-1, 21]
    assert rows.take(np.array([2, 0])).tolist() == [[-1, 0], [1, 2]]
    assert rows.row(1).tolist() == [3, 4]


@pytest.mark.parametrize("n", [1, 255, 256, 257, 2048, 4096, 9000, 100_000])
def test_blocks_cover_every_row_once_and_are_small_against_the_whole(n):
    parts = list(blocks(n))
    assert [i for part in parts for i in range(*part.indices(n))] == list(range(n))
    most = max(part.stop - part.start for part in parts)
    assert most == {4096: 512, 9000: 1024, 100_000: 1024}.get(n, 256)


def test_blocks_of_no_rows_are_none():
    assert list(blocks(0)) == []


def test_errors_count_what_is_not_above_zero():
    X, labels = np.array([[1.0], [2.0], [-3.0]]), np.array([1.0, 1.0, 1.0])
    assert errors(X, labels, np.array([-1.0, 1.0]), bias=True) == 2, "a score of 0 is an error"
    assert errors(X, labels, np.array([1.0]), bias=False) == 1
    assert errors(X, -labels, np.array([1.0]), bias=False) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert errors(X * 1e150, labels, np.array([-np.inf, 1e200]), bias=True) == 3


def test_augmented_points_begin_with_one():
    assert augment([[2, 3], [0, -1]]).tolist() == [[1, 2, 3], [1, 0, -1]]


@pytest.mark.parametrize("seed", range(4))
def test_no_row_is_longer_than_the_longest(seed):
    rng = np.random.default_rng(seed)
    rows = SignedRows.of(rng.integers(-4, 5, (30, 2)) * 0.1, rng.choice([-1, 1], 30), bias=True)
    lengths = [math.sqrt(sum(Fraction(entry) ** 2 for entry in row)) for row in rows.Z]
    assert max(lengths) < rows.longest < max(lengths) * (1 + 1e-5)


def test_rows_are_shown_by_their_shape():
    assert repr(SignedRows(np.ones((3, 2)))) == "SignedRows(3 × 2)"


def test_signed_rows_are_free_of_minus_zero():
    Z = signed_rows([[0.0, 2.0], [0.0, -2.0]], [-1, 1])
    assert Z.tolist() == [[-1, 0, -2], [1, 0, -2]]
    assert not np.signbit(Z[Z == 0]).any(), "−0.0 is untidy in print"
