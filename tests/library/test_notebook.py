"""Tables and answers: the same text on every machine, and what a prediction is compared with."""

import numpy as np
import pytest

from linlib.notebook.answers import MIME, Answer
from linlib.notebook.tables import Table
from tests.helpers.sentences import assert_one_sentence

MIXED = {"name": ["a", "longer"], "k": [1, 20], "score": [0.5, -0.25]}


SHOWN = {
    "numbers to the right, words to the left": (
        Table(MIXED, digits=2),
        ["name     k  score", "a        1   0.50", "longer  20  -0.25"],
    ),
    "no blanks at the end": (Table({"k": [1], "word": ["a"]}), ["k  word", "1  a"]),
    "no rows": (Table({"k": [], "score": []}), ["k  score"]),
    "four digits": (Table({"x": [1 / 3]}), ["     x", "0.3333"]),
    "one digit": (Table({"x": [1 / 3]}, digits=1), ["  x", "0.3"]),
    "numbers among words": (Table({"k": ["none", 7]}), ["k", "none", "7"]),
    "numbers before words": (Table({"needed": [18, "many"]}), ["needed", "18", "many"]),
}


@pytest.mark.parametrize(("table", "lines"), SHOWN.values(), ids=SHOWN)
def test_the_text_of_a_table(table, lines):
    assert repr(table).splitlines() == lines


@pytest.mark.parametrize("value", [-0.0, -1e-17, np.float64(-1e-9)])
def test_nothing_is_shown_as_minus_zero(value):
    assert repr(Table({"x": [value]})).splitlines()[1] == "0.0000"
    assert repr(Table({"point": [(value, 1.0)]})).splitlines()[1] == "(0, 1)"


@pytest.mark.parametrize("point", [(1.0, -2.5), [1.0, -2.5], np.array([1.0, -2.5])])
def test_vectors_are_written_in_parentheses(point):
    assert repr(Table({"point": [point]})).splitlines() == ["point", "(1, -2.5)"]


def test_truth_values_are_words():
    assert repr(Table({"right side": [True, False]})).splitlines()[1:] == ["True", "False"]
    html = Table({"right": [True], "k": [np.int64(3)], "x": [2.0]})._repr_html_()
    assert html.count("text-align: left") == 2, "a word stands on the left, header and cell"
    assert html.count("text-align: right") == 4, "numbers of all kinds stand on the right"


def test_the_html_says_what_the_text_says():
    lines = Table(MIXED, digits=2)._repr_html_().splitlines()
    left, right = 'style="text-align: left"', 'style="text-align: right"'
    assert lines == [
        "<table>",
        f"<thead><tr><th {left}>name</th><th {right}>k</th><th {right}>score</th></tr></thead>",
        "<tbody>",
        f"<tr><td {left}>a</td><td {right}>1</td><td {right}>0.50</td></tr>",
        f"<tr><td {left}>longer</td><td {right}>20</td><td {right}>-0.25</td></tr>",
        "</tbody>",
        "</table>",
    ]


def test_html_is_escaped():
    assert "<td" in Table({"<b>": ["&"]})._repr_html_()
    assert "&lt;b&gt;</th>" in Table({"<b>": ["&"]})._repr_html_()
    assert "&amp;</td>" in Table({"<b>": ["&"]})._repr_html_()


def test_columns_of_different_lengths_are_refused():
    assert_one_sentence(lambda: Table({"a": [1, 2], "b": [1]}), "columns", "different lengths")


# --- answers ------------------------------------------------------------------------------------


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
def test_no_answer_is_minus_zero(value):
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
