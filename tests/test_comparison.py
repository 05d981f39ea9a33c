"""A comparison is honest by construction: each part is used for what it is for, and once."""

import numpy as np
import pytest
from sentences import assert_one_sentence

from linlib import data, fit_lda, least_squares, one_vs_one
from linlib.comparison import Comparison, compare, error, three_parts
from tests.samples import say

SEEDS = range(10)
many_seeds = pytest.mark.parametrize("seed", SEEDS)


def rng(seed):
    return np.random.default_rng(seed)


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
    result = compare({"one": {"": say(1)}, "zero": {"": say(0)}}, X8, labels, PARTS)
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
    result = compare({"zero": {"": say(0)}}, X8, [0, 1] * 4, PARTS)
    with pytest.raises(ValueError, match="read-only"):
        result.errors["zero"][0] = 0.0


# --- bad input ---------------------------------------------------------------------------------

X8 = np.zeros((8, 1))
PARTS = three_parts(8, times=2, rng=rng(1))
BAD_CALLS = [
    (lambda: compare(METHODS, X8, [0, 1], PARTS), "y", "for 8 rows"),
    (lambda: compare(METHODS, [0, 1], [0, 1], PARTS), "X", "shape"),
    (lambda: compare(METHODS, np.zeros((9, 1)), [0] * 9, PARTS), "parts", "cuts 8 rows"),
    (lambda: compare(METHODS, X8, [0] * 8, []), "parts", "no split"),
    (lambda: compare({}, X8, [0] * 8, PARTS), "methods", "none"),
    (lambda: compare({"a": {}}, X8, [0] * 8, PARTS), "methods", "no setting"),
    (lambda: compare(METHODS | {"a": {}}, X8, [0] * 8, PARTS), "methods", "no setting"),
]


@pytest.mark.parametrize(("call", "argument", "reason"), BAD_CALLS)
def test_bad_input_is_refused_with_one_sentence(call, argument, reason):
    assert_one_sentence(call, argument, reason)


def test_a_duel_needs_methods_that_took_part():
    result = compare({"zero": {"": say(0)}}, X8, [0, 1] * 4, PARTS)
    assert_one_sentence(lambda: result.duel("zero", "one"), "second", "'one' is not known")
    assert_one_sentence(lambda: result.duel("one", "zero"), "first", "'one' is not known")
