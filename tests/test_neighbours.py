"""The k nearest neighbours: the same answers as a plain loop, and ties by a rule."""

import numpy as np
import pytest
from sentences import assert_one_sentence

from linlib import data
from linlib.neighbours import neighbours

many_seeds = pytest.mark.parametrize("seed", range(10))


def by_loop(X, y, k, x):
    """Return the class of most of the k nearest points, of equals the one met first."""
    far = ((X - x) ** 2).sum(axis=1)
    order = sorted(range(len(X)), key=lambda i: (far[i], i))[:k]
    near = [y[i] for i in order]
    return max(near, key=near.count)  # max keeps the first of equals


@many_seeds
@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_on_integer_points_it_is_the_plain_loop(seed, k):
    rng = np.random.default_rng(seed)
    n = 40 if seed else 900  # so many are not sorted whole in order to find the first few
    X, new = rng.integers(-3, 4, (n, 2)), rng.integers(-3, 4, (30, 2))
    y = rng.choice(["a", "b", "c"], n)
    model = neighbours(X, y, k=k)
    assert model.predict(new).tolist() == [by_loop(X, y, k, x) for x in new]


def test_the_nearest_come_first_and_of_equals_the_earlier():
    model = neighbours([[2], [-2], [0], [2]], [0, 0, 1, 1], k=3)
    assert model.nearest([[0], [2]]).tolist() == [[2, 0, 1], [0, 3, 2]]


def test_a_point_in_the_very_middle_is_a_neighbour_like_any_other():
    model = neighbours([[-1], [0], [1]], ["a", "b", "c"], k=1)
    assert model.predict([[-2], [0.1], [0.6], [9]]).tolist() == ["a", "b", "c", "c"]


def test_a_tie_of_votes_goes_to_the_class_of_the_nearest():
    model = neighbours([[0], [1], [4], [5]], ["a", "b", "b", "a"], k=4)
    assert model.predict([[0.1], [0.9]]).tolist() == ["a", "b"]


@many_seeds
def test_one_neighbour_of_a_point_of_the_sample_is_itself(seed):
    X, y = data.clouds([[0, 0], [1, 0]], 30, np.random.default_rng(seed))
    assert np.array_equal(neighbours(X, y, k=1).predict(X), y)


@many_seeds
def test_moving_and_turning_all_points_changes_no_answer(seed):
    X, y = data.clouds([[0, 0], [1, 1]], 30, np.random.default_rng(seed))
    new = np.random.default_rng(seed + 50).normal(size=(20, 2))
    quarter = np.array([[0.0, -1.0], [1.0, 0.0]])
    said = neighbours(X, y, k=5).predict(new)
    assert np.array_equal(said, neighbours(X @ quarter, y, k=5).predict(new @ quarter))
    far = np.array([1e7, -3e4])
    assert np.array_equal(said, neighbours(X + far, y, k=5).predict(new + far))


def test_scikit_learn_gives_the_same_answers():
    sklearn = pytest.importorskip("sklearn.neighbors")
    X, y, *_ = data.load("penguins")
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = sklearn.KNeighborsClassifier(5).fit(X[::2], y[::2]).predict(X[1::2])
    assert np.array_equal(neighbours(X[::2], y[::2]).predict(X[1::2]), theirs)


def test_the_points_are_kept_as_they_were():
    X = np.array([[0.0], [4.0]])
    model = neighbours(X, [0, 1], k=1)
    X[:] = 99.0
    assert model.predict([[1.0]]).tolist() == [0]
    assert repr(model) == "Neighbours(classes 0, 1; points 2; k 1)"


@pytest.mark.parametrize(
    ("call", "argument", "reason"),
    [
        (lambda: neighbours([[0], [1]], [0, 1], k=0), "k", "at least 1"),
        (lambda: neighbours([[0], [1]], [0, 1], k=3), "k", "3 neighbours of 2 points"),
        (lambda: neighbours([0, 1], [0, 1]), "X", "shape"),
        (lambda: neighbours([[0], [1]], [0, 1], k=1).predict([[0, 0]]), "X", "has 2 features"),
    ],
)
def test_bad_input_is_refused_with_one_sentence(call, argument, reason):
    assert_one_sentence(call, argument, reason)
