"""Learners on standardised features: mean and spread are learnt like weights."""

import numpy as np
import pytest

from linlib import data
from linlib.learners import standardised
from linlib.neighbours import neighbours
from tests.samples import Always

many_seeds = pytest.mark.parametrize("seed", range(10))


def rng(seed):
    return np.random.default_rng(seed)


def test_a_standardised_learner_sees_mean_zero_and_spread_one():
    seen = []

    def learn(X, y):
        seen.append(X)
        return Always(0)

    X = rng(1).normal(3, [1, 100, 0], size=(40, 3))
    standardised(learn)(X, np.zeros(40))
    assert np.allclose(seen[0].mean(axis=0), 0)
    assert np.allclose(seen[0].std(axis=0), [1, 1, 0]), "a feature that never varies is only moved"
    assert standardised(learn)(X, np.zeros(40)).spread[2] == 1


@many_seeds
def test_units_do_not_matter_to_a_standardised_learner(seed):
    X, y = data.clouds([[0, 0], [2, 1], [0, 2]], 20, rng(seed))
    new = rng(seed + 100).normal(size=(30, 2))
    units = np.array([1024.0, 0.125])  # powers of two: no rounding
    learn = standardised(lambda X, y: neighbours(X, y, k=3))
    assert np.array_equal(learn(X, y).predict(new), learn(X * units, y).predict(new * units))


def test_the_mean_and_spread_are_those_of_the_points_learnt_from():
    X = np.array([[0.0], [2.0], [10.0], [12.0]])
    rule = standardised(lambda X, y: neighbours(X, y, k=1))(X[:2], [0, 1])
    assert rule.centre.tolist() == [1.0]
    assert rule.spread.tolist() == [1.0]
    assert rule.predict(X).tolist() == [0, 1, 1, 1]
