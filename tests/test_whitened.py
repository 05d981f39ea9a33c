"""Coordinates in which points spread equally: same scores, shortest weights, any place and unit."""

import numpy as np
import pytest

from linlib.logistic_regression.newton import Whitened, plain


def points(seed=1, n=30, d=3):
    return np.random.default_rng(seed).normal(size=(n, d)) @ [[1, 2, 0], [0, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize("shift", [0, 1e3, 1e8])
@pytest.mark.parametrize("sizes", [[1, 1, 1], [1e-9, 1, 1e9]])
def test_the_new_coordinates_have_mean_0_mean_square_1_and_no_correlation(shift, sizes):
    X = (points() + shift) * sizes
    rows = Whitened.of(X).rows
    assert np.allclose(rows.T @ rows / len(X), np.eye(4), atol=1e-9)
    assert rows[:, 0].tolist() == [1] * len(X)


def test_weights_give_the_same_scores_one_or_many():
    X = points()
    white = Whitened.of(X)
    t = np.random.default_rng(2).normal(size=(5, 4))
    weights = white.weights(t)
    assert np.allclose(X @ weights[:, 1:].T + weights[:, 0], white.rows @ t.T)
    assert np.allclose(white.weights(t[3]), weights[3])
    assert not white.dependent


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1, 1], [1, 1e3, 1, 10, 0.1]])
def test_of_dependent_features_the_shortest_weights(sizes):
    X = np.column_stack([points(), points()[:, 0] - points()[:, 1], np.full(30, 0.3)]) * sizes
    white = Whitened.of(X)
    assert white.dependent
    assert white.rows.shape == (30, 4)
    t = np.array([1.0, 2.0, 3.0, 4.0])
    w0, *w = white.weights(t)
    assert np.allclose(X @ w + w0, white.rows @ t)
    centred = X - X.mean(axis=0)
    shortest = np.linalg.lstsq(centred, centred @ w, rcond=1e-10)[0]
    assert np.allclose(w, shortest)


@pytest.mark.parametrize("slope", [2.0, 0.1, -3.7])
def test_points_on_a_line_leave_one_coordinate(slope):
    x = np.random.default_rng(3).normal(size=20)
    assert Whitened.of(np.column_stack([x, slope * x, 1 - x])).rows.shape == (20, 2)


def test_equal_points_leave_only_the_offset():
    white = Whitened.of(np.full((4, 2), 7.0))
    assert white.rows.tolist() == [[1]] * 4
    assert white.weights(np.array([2.5])).tolist() == [2.5, 0, 0]
    assert white.dependent


def test_fewer_rows_than_features_leave_as_many_coordinates_as_rows_less_one():
    white = Whitened.of(points(n=3, d=3))
    assert white.rows.shape == (3, 3)


def test_plain_rows_are_the_points_moved_and_scaled():
    X = np.array([[0.0, 5.0], [4.0, 5.0], [8.0, 5.0]])
    assert plain(X).tolist() == [[1, -1, 0], [1, 0, 0], [1, 1, 0]]
    assert np.abs(plain(points() * [1, 1e5, 1e-5])).max() == 1
