"""A setting is chosen on points that were not learnt from, and never on those it is measured on."""

import numpy as np
import pytest
from sentences import assert_one_sentence

from linlib import data
from linlib.choosing import Parts, choose, three_parts
from linlib.neighbours import neighbours
from tests.samples import say

many_seeds = pytest.mark.parametrize("seed", range(10))


def rng(seed):
    return np.random.default_rng(seed)


@many_seeds
@pytest.mark.parametrize("n", [3, 4, 10, 151])
def test_the_parts_are_disjoint_and_hold_every_row(seed, n):
    shares = {} if n > 3 else {"validation": 0.34, "test": 0.34}
    for parts in three_parts(n, times=5, rng=rng(seed), **shares):
        assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(n))
        assert np.array_equal(parts.both, np.concatenate([parts.train, parts.validation]))


def test_the_shares_are_those_asked_for():
    (parts,) = three_parts(200, times=1, rng=rng(1), validation=0.1, test=0.3)
    assert [part.size for part in parts] == [120, 20, 60]


def test_the_same_seed_cuts_in_the_same_way_and_another_does_not():
    first, again, other = (three_parts(50, times=3, rng=rng(seed)) for seed in (7, 7, 8))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].test, other[0].test)
    assert not np.array_equal(first[0].test, first[1].test), "each time another cut"


def test_the_setting_with_the_fewest_validation_errors_is_chosen():
    y = np.array([0, 0, 0, 1, 1, 0])  # 0 is right in training and testing, 1 in validation
    parts = Parts(np.array([0, 1, 2]), np.array([3, 4]), np.array([5]))
    choice = choose({"zero": say(0), "one": say(1)}, np.zeros((6, 1)), y, parts)
    assert choice.setting == "one"
    assert choice.validation == {"zero": 1.0, "one": 0.0}


def test_of_equals_the_first_is_chosen():
    method = {"b": say(0), "a": say(0), "c": say(1)}
    (parts,) = three_parts(8, times=1, rng=rng(1))
    assert choose(method, np.zeros((8, 1)), np.zeros(8), parts).setting == "b"


def test_what_is_chosen_learns_again_on_training_and_validation_part():
    X = np.arange(12.0)[:, None]
    (parts,) = three_parts(12, times=1, rng=rng(1))
    choice = choose({"a": say(0), "b": say(0)}, X, np.zeros(12), parts)
    assert np.array_equal(choice.rule.X[:, 0], parts.both)


def test_a_method_without_settings_makes_no_choice():
    (parts,) = three_parts(12, times=1, rng=rng(1))
    assert choose({"only": say(0)}, np.zeros((12, 1)), np.zeros(12), parts).validation == {}


@many_seeds
def test_the_test_part_has_no_say_in_what_is_learnt_and_chosen(seed):
    X, y = data.clouds([[0, 0], [2, 0]], 30, rng(seed), spread=1.5)
    (parts,) = three_parts(60, times=1, rng=rng(seed))
    method = {f"k = {k}": lambda X, y, k=k: neighbours(X, y, k=k) for k in (15, 5, 1)}
    spoiled, wrong = X.copy(), y.copy()
    spoiled[parts.test], wrong[parts.test] = 99.0, 1 - y[parts.test]
    fair, other = choose(method, X, y, parts), choose(method, spoiled, wrong, parts)
    assert fair.setting == other.setting
    assert fair.validation == other.validation
    assert np.array_equal(fair.rule.X, other.rule.X)


BAD_CALLS = [
    (lambda: three_parts(2, times=1, rng=rng(1)), "n", "at least 3"),
    (lambda: three_parts(9, times=0, rng=rng(1)), "times", "at least 1"),
    (lambda: three_parts(9, times=1, rng=7), "rng", "expected a numpy Generator"),
    (lambda: three_parts(9, times=1, rng=rng(1), test=0.9), "test", "leave a part of 9 rows empty"),
    (lambda: three_parts(9, times=1, rng=rng(1), test=-1), "test", "positive"),
]


@pytest.mark.parametrize(("call", "argument", "reason"), BAD_CALLS)
def test_bad_input_is_refused_with_one_sentence(call, argument, reason):
    assert_one_sentence(call, argument, reason)
