"""A comparison is honest by construction: each part is used for what it is for, and once."""

import numpy as np
import pytest
from sentences import assert_one_sentence

from linlib import data, fit_lda, least_squares, one_vs_one
from linlib.comparison import Comparison, Parts, choose, compare, error, standardised, three_parts
from linlib.neighbours import neighbours

SEEDS = range(10)
many_seeds = pytest.mark.parametrize("seed", SEEDS)


def rng(seed):
    return np.random.default_rng(seed)


class Always:
    """A rule that names one class, whatever it is shown; keeps what it was learnt from."""

    def __init__(self, label, X=None):
        self.label, self.X = label, X

    def predict(self, X):
        return np.full(len(X), self.label)


def say(label):
    return lambda X, y: Always(label, X)


# --- three parts -------------------------------------------------------------------------------


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


# --- standardised features ---------------------------------------------------------------------


def test_a_standardised_learner_sees_mean_zero_and_spread_one():
    seen = []

    def learn(X, y):
        seen.append(X)
        return Always(0)

    X = rng(1).normal(3, [1, 100, 0], size=(40, 3))
    standardised(learn)(X, np.zeros(40))
    assert np.allclose(seen[0].mean(axis=0), 0)
    assert np.allclose(seen[0].std(axis=0), [1, 1, 0]), "a feature that never varies is only moved"


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


# --- the choice --------------------------------------------------------------------------------


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


# --- the comparison ----------------------------------------------------------------------------

METHODS = {
    "LDA": {"": fit_lda},
    "pairs": {
        f"{penalty}": lambda X, y, p=penalty: one_vs_one(
            X, y, lambda X, y: least_squares(X, y, penalty=p)
        )
        for penalty in (10.0, 1.0)
    },
}


def test_the_errors_are_those_of_a_plain_loop():
    X, y, *_ = data.load("penguins")
    cuts = three_parts(len(y), times=4, rng=rng(7))
    result = compare(METHODS, X, y, cuts)
    for k, parts in enumerate(cuts):
        both, test = parts.both, parts.test
        model = fit_lda(X[both], y[both])
        wrong = sum(said != true for said, true in zip(model.predict(X[test]), y[test]))  # noqa: B905
        assert result.errors["LDA"][k] == wrong / len(test)
        assert result.fitted["LDA"][k] == error(model, X[both], y[both])
    assert [choice.setting for choice in result.choices["LDA"]] == [""] * 4


def test_the_best_method_has_the_least_mean_error():
    labels = [0, 0, 0, 0, 0, 0, 0, 1]
    result = compare({"one": {"": say(1)}, "zero": {"": say(0)}}, np.zeros((8, 1)), labels, PARTS)
    assert result.best == "zero"


def test_of_equally_good_methods_the_first_is_best_whatever_the_rounding():
    one, other = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1])
    assert other.mean() < one.mean(), "the same errors, and the last bits differ"
    both = {"b": one, "a": other}
    assert Comparison(both, both, {}, tuple(PARTS)).best == "b"


def test_a_duel_counts_wins_and_knows_its_uncertainty():
    X, y, *_ = data.load("iris")
    cuts = three_parts(150, times=6, rng=rng(7))
    result = compare(METHODS | {"zero": {"": say(0)}}, X, y, cuts)
    duel = result.duel("LDA", "zero")
    gaps = result.errors["zero"] - result.errors["LDA"]
    assert duel.wins == 6
    assert duel.draws == duel.losses == 0
    assert duel.mean == pytest.approx(gaps.mean())
    # Nadeau & Bengio (2003): 37 rows measured on, 113 learnt from, 6 splits.
    assert duel.uncertainty == pytest.approx(gaps.std(ddof=1) * np.sqrt(1 / 6 + 37 / 113))


def test_a_duel_seen_from_the_other_side_is_its_mirror_image():
    X, y, *_ = data.load("haberman")
    result = compare(METHODS, X, y, three_parts(306, times=8, rng=rng(7)))
    here, there = result.duel("LDA", "pairs"), result.duel("pairs", "LDA")
    assert here.mean == -there.mean
    assert here.uncertainty == there.uncertainty
    assert (here.wins, here.draws, here.losses) == (there.losses, there.draws, there.wins)
    assert here.wins + here.draws + here.losses == 8


def test_of_one_split_nothing_is_known_about_the_spread():
    X, y, *_ = data.load("iris")
    result = compare(METHODS, X, y, three_parts(150, times=1, rng=rng(7)))
    assert result.duel("LDA", "pairs").uncertainty == np.inf
    two = {"a": np.array([0.1, 0.2]), "b": np.array([0.3, 0.3])}
    assert Comparison(two, two, {}, tuple(PARTS)).duel("a", "b").uncertainty < np.inf


def test_a_comparison_says_the_mean_error_of_every_method_in_per_cent():
    errors = {"zero": np.array([0.1, 0.2, 0.4])}
    assert repr(Comparison(errors, errors, {}, tuple(PARTS))) == "Comparison(zero 23.3 %)"


def test_what_was_measured_cannot_be_changed():
    result = compare({"zero": {"": say(0)}}, np.zeros((8, 1)), [0, 1] * 4, PARTS)
    with pytest.raises(ValueError, match="read-only"):
        result.errors["zero"][0] = 0.0


# --- bad input ---------------------------------------------------------------------------------

PARTS = three_parts(8, times=2, rng=rng(1))
BAD_CALLS = [
    (lambda: three_parts(2, times=1, rng=rng(1)), "n", "at least 3"),
    (lambda: three_parts(9, times=0, rng=rng(1)), "times", "at least 1"),
    (lambda: three_parts(9, times=1, rng=7), "rng", "expected a numpy Generator"),
    (lambda: three_parts(9, times=1, rng=rng(1), test=0.9), "test", "leave a part of 9 rows empty"),
    (lambda: three_parts(9, times=1, rng=rng(1), test=-1), "test", "positive"),
    (lambda: compare(METHODS, np.zeros((8, 1)), [0, 1], PARTS), "y", "for 8 rows"),
    (lambda: compare(METHODS, [0, 1], [0, 1], PARTS), "X", "shape"),
    (lambda: compare(METHODS, np.zeros((9, 1)), [0] * 9, PARTS), "parts", "cuts 8 rows"),
    (lambda: compare(METHODS, np.zeros((8, 1)), [0] * 8, []), "parts", "no split"),
    (lambda: compare({}, np.zeros((8, 1)), [0] * 8, PARTS), "methods", "none"),
    (lambda: compare({"a": {}}, np.zeros((8, 1)), [0] * 8, PARTS), "methods", "no setting"),
]


@pytest.mark.parametrize(("call", "argument", "reason"), BAD_CALLS)
def test_bad_input_is_refused_with_one_sentence(call, argument, reason):
    assert_one_sentence(call, argument, reason)


def test_a_duel_needs_methods_that_took_part():
    result = compare({"zero": {"": say(0)}}, np.zeros((8, 1)), [0, 1] * 4, PARTS)
    assert_one_sentence(lambda: result.duel("zero", "one"), "second", "'one' is not known")
