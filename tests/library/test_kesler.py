"""Kesler's rows: what is not written down is what would be written."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.base.rows import augment
from linlib.multiclass.kesler import KeslerRows
from linlib.multiclass.schemes import kesler_rows, linear_machine
from linlib.perceptron.algorithm import pla_rows
from tests import naive

fuzz = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def sample(seed, scale=1.0, n=30, d=2, k=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, d)) * scale
    y = (X @ rng.normal(size=(d, k))).argmax(axis=1) if seed % 2 else rng.integers(k, size=n)
    y[:k] = range(k)
    return X, y


@fuzz
@given(st.integers(0, 10_000), st.sampled_from([1.0, 0.1, 1 / 3]), st.integers(2, 5))
def test_a_run_on_the_points_is_the_textbooks_run_on_the_rows(seed, scale, k):
    X, y = sample(seed, scale, k=k)
    run = linear_machine(X, y, max_updates=150).run
    trace = naive.pla(kesler_rows(X, y).tolist(), max_updates=150)
    assert run.mistakes.tolist() == trace.mistakes
    assert run.visits.tolist() == trace.visits
    assert run.weights.tolist() == trace.weights
    assert (run.passes, run.converged) == (trace.passes, trace.converged)
    assert np.array_equal(run.path, trace.path)


@pytest.mark.parametrize("n", [15, 16, 17, 500, 5000])
def test_blocks_of_points_make_no_difference(n):
    rng = np.random.default_rng(n)
    X = rng.integers(-9, 10, size=(n, 3))
    y = (2 * X @ rng.integers(-5, 6, size=(3, 4))).argmax(axis=1)
    ours, rows = linear_machine(X, y, max_updates=200).run, kesler_rows(X, y)
    written_out = pla_rows(rows, max_updates=200)
    assert np.array_equal(ours.mistakes, written_out.mistakes)
    assert np.array_equal(ours.visits, written_out.visits)
    assert np.array_equal(ours.weights, written_out.weights)


def test_rows_taken_are_those_of_the_matrix():
    X, y = sample(3, k=4)
    rows = KeslerRows(augment(X), y)
    assert len(rows) == len(rows.Z) == 3 * len(X)
    assert rows.width == rows.Z.shape[1] == 4 * 3
    assert np.array_equal(rows.take(np.array([0, 7, 7, 50])), rows.Z[[0, 7, 7, 50]])


def test_a_linear_machine_allocates_no_more_than_twice_its_input():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 20))
    y = (X @ rng.normal(size=(20, 8))).argmax(axis=1)
    linear_machine(X, y, max_updates=5)
    tracemalloc.start()
    linear_machine(X, y, max_updates=300)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * (X.nbytes + y.nbytes), "written out, the rows are fifty times as large"


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_scores_of_some_rows_are_those_of_the_rows_written_out(k):
    X, y = sample(1, n=23, k=k)
    rows = KeslerRows(augment(X), y)
    weights = np.random.default_rng(k).integers(-9, 10, rows.width).astype(float)
    n, expected = len(rows), rows.Z @ weights
    slices = [slice(a, b) for a in (0, 1, 2, 5, n - 1, n) for b in (0, 1, 3, 7, n - 1, n, n + 9)]
    for which in [slice(None), slice(None, 4), slice(4, None), slice(-3, None), *slices]:
        if len(range(*which.indices(n))):
            assert rows.scores(which, weights).tolist() == expected[which].tolist(), which
    some = np.array([n - 1, 0, 4, 4, 1])
    assert rows.scores(some, weights).tolist() == expected[some].tolist()


def test_keslers_rows_are_the_books():
    # One point of class 1 among three: its block, minus that of class 0, then of class 2.
    rows = KeslerRows(np.array([[1.0, 7.0]] * 3), np.array([1, 0, 2]))
    assert rows.take(slice(0, 2)).tolist() == [[-1, -7, 1, 7, 0, 0], [0, 0, 1, 7, -1, -7]]
    assert rows.take(slice(2, 4)).tolist() == [[1, 7, -1, -7, 0, 0], [1, 7, 0, 0, -1, -7]]
    assert rows.row(5).tolist() == [0, 0, -1, -7, 1, 7]
    assert not np.signbit(rows.Z[rows.Z == 0]).any(), "−0.0 is untidy in print"
    assert (len(rows), rows.width, rows.k) == (6, 6, 3)


@pytest.mark.parametrize("seed", range(4))
def test_no_row_is_longer_than_the_longest(seed):
    X, y = sample(seed, scale=0.1)
    rows = KeslerRows(augment(X), y)
    lengths = [math.sqrt(sum(Fraction(entry) ** 2 for entry in row)) for row in rows.Z]
    assert max(lengths) < rows.longest < max(lengths) * (1 + 1e-5)


def test_rows_are_shown_by_their_shape():
    X, y = sample(3, k=4)
    assert repr(KeslerRows(augment(X), y)) == "KeslerRows(30 points, 4 classes: 90 × 12)"


def test_a_copy_of_the_points_cannot_be_written_through_what_it_was_made_from():
    X, y = sample(3, k=4)
    rows = KeslerRows(augment(X), y)
    for array in (rows.A, rows.codes, rows.Z, rows.Z.base):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
