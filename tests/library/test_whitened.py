"""Coordinates in which points spread equally: same scores, shortest weights, any place and unit."""

import numpy as np
import pytest

from linlib.logistic_regression.newton import Coordinates, squares


def points(seed=1, n=30, d=3):
    return np.random.default_rng(seed).normal(size=(n, d)) @ [[1, 2, 0], [0, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize("shift", [0, 1e3, 1e8])
@pytest.mark.parametrize("sizes", [[1, 1, 1], [1e-9, 1, 1e9]])
@pytest.mark.parametrize("near", [1.0, 1e-5], ids=["well posed", "nearly dependent"])
def test_the_new_coordinates_are_centred_and_far_from_dependent(near, shift, sizes):
    X = points()
    X[:, 2] = X[:, 0] + near * X[:, 2]
    frame = Coordinates.of((X + shift) * sizes)
    products = frame.rows.T @ frame.rows / len(X)
    assert frame.plain == (near == 1)
    assert np.allclose(products[0], [1, 0, 0, 0], atol=1e-9)
    assert np.linalg.cond(products) < 1e6
    if not frame.plain:
        assert np.allclose(products, np.eye(4), atol=1e-9), "then they are whitened"


def test_weights_give_the_same_scores_one_or_many():
    X = points()
    white = Coordinates.of(X)
    t = np.random.default_rng(2).normal(size=(5, 4))
    weights = white.weights(t)
    assert np.allclose(X @ weights[:, 1:].T + weights[:, 0], white.rows @ t.T)
    assert np.allclose(white.weights(t[3]), weights[3])
    assert not white.dependent


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1, 1], [1, 1e3, 1, 10, 0.1]])
def test_of_dependent_features_the_shortest_weights(sizes):
    X = np.column_stack([points(), points()[:, 0] - points()[:, 1], np.full(30, 0.3)]) * sizes
    white = Coordinates.of(X)
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
    assert Coordinates.of(np.column_stack([x, slope * x, 1 - x])).rows.shape == (20, 2)


def test_equal_points_leave_only_the_offset():
    white = Coordinates.of(np.full((4, 2), 7.0))
    assert white.rows.tolist() == [[1]] * 4
    assert white.weights(np.array([2.5])).tolist() == [2.5, 0, 0]
    assert white.dependent


def test_fewer_rows_than_features_leave_as_many_coordinates_as_rows_less_one():
    white = Coordinates.of(points(n=3, d=3))
    assert white.rows.shape == (3, 3)


def test_rows_for_a_proof_are_the_points_moved_and_scaled():
    X = np.array([[0.0, 5.0], [4.0, 5.0], [8.0, 5.0]])
    rows, far = Coordinates.of(X).proof_rows(X)
    assert rows.tolist() == [[1, -1, 0], [1, 0, 0], [1, 1, 0]]
    assert far == 6, "a constant 5 is known to 5 EPS, and is divided by 1"
    X = points() * [1, 1e5, 1e-5]
    frame = Coordinates.of(X)
    assert frame.proof_rows(X)[0] is frame.rows
    assert np.abs(frame.rows).max() == 1


def test_squares_are_the_weighted_products_of_rows():
    rows = np.random.default_rng(1).normal(size=(3000, 3))
    shares = np.random.default_rng(2).random(3000)
    assert np.allclose(squares(rows, shares), rows.T @ np.diag(shares) @ rows)
