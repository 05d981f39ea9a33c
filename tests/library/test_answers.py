"""Answers: what a prediction is compared with, as the cell computed it."""

import numpy as np
import pytest

from linlib.notebook.answers import MIME, Answer
from tests.sentences import assert_one_sentence


def facts(answer):
    return answer._repr_mimebundle_()[MIME]


def test_a_number_is_rounded_alike_in_words_and_as_a_value():
    answer = Answer("What share, in %?", np.float64(25.183), digits=1)
    assert repr(answer) == "What share, in %? 25.2"
    assert facts(answer) == {
        "ask": "What share, in %?",
        "truth": "25.2",
        "value": 25.2,
        "among": None,
    }


@pytest.mark.parametrize("value", [-0.0, -1e-9, np.float64(-0.4)])
def test_nothing_is_shown_as_minus_zero(value):
    assert repr(Answer("How many?", value)) == "How many? 0"
    assert str(facts(Answer("How many?", value))["value"]) == "0.0"


def test_a_choice_is_one_of_those_offered_and_has_no_value():
    answer = Answer("Which?", "b", among=("a", "b"))
    assert facts(answer) == {"ask": "Which?", "truth": "b", "value": None, "among": ["a", "b"]}


@pytest.mark.parametrize(("truth", "word"), [(True, "yes"), (np.False_, "no")])
def test_truth_and_falsehood_are_yes_and_no(truth, word):
    assert facts(Answer("Is it?", truth))["among"] == ["yes", "no"]
    assert repr(Answer("Is it?", truth)) == f"Is it? {word}"


def test_a_notebook_shows_what_a_terminal_shows():
    assert Answer("How many?", 14)._repr_mimebundle_()["text/plain"] == "How many? 14"


def test_what_is_no_answer_is_refused():
    assert_one_sentence(lambda: Answer("How many", 14), "ask", "question mark")
    assert_one_sentence(lambda: Answer("Which?", "c", among=["a", "b"]), "among", "'c' among them")
    assert_one_sentence(lambda: Answer("Which?", "a", among=["a", "a"]), "among", "different")
    assert_one_sentence(lambda: Answer("Which?", "worst"), "truth", "among")
    assert_one_sentence(lambda: Answer("How many?", np.inf), "truth", "finite")
