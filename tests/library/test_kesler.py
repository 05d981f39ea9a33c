"""A linear machine is the textbook's perceptron on Kesler's rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.multiclass.schemes import kesler_rows, linear_machine
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


def test_keslers_rows_are_the_books():
    # A point of class 1 among three: its block, minus that of class 0, then of class 2.
    rows = kesler_rows([[7.0], [5.0], [0.0]], [1, 0, 2])
    assert rows[:2].tolist() == [[-1, -7, 1, 7, 0, 0], [0, 0, 1, 7, -1, -7]]
    assert rows[2:4].tolist() == [[1, 5, -1, -5, 0, 0], [1, 5, 0, 0, -1, -5]]
    assert rows[5].tolist() == [0, 0, -1, 0, 1, 0]
    assert not np.signbit(rows[rows == 0]).any(), "−0.0 is untidy in print"
