"""What a student sees when the last line of a cell is a result."""

import inspect
from fractions import Fraction

import numpy as np
import pytest

import linlib
from linlib import data, shown

AND, XOR = data.and_gate(), data.xor_gate()
IRIS = data.load("iris")
TWO = data.two_clouds(20, np.random.default_rng(3))
LAST_BIT = 1 + 2.0**-52

RESULTS = {
    "points": lambda: AND,
    "real data": lambda: IRIS,
    "hyperplane": lambda: linlib.Hyperplane([3, 4], -5),
    "loss": lambda: linlib.hinge_loss,
    "objective": lambda: linlib.objective(*AND, linlib.hinge_loss, penalty=0.1),
    "descent": lambda: linlib.gradient_descent(
        linlib.objective(*AND, linlib.squared_loss), step=0.1
    ),
    "pla": lambda: linlib.pla(*AND),
    "pla, stopped": lambda: linlib.pla(*XOR, max_updates=9),
    "pocket": lambda: linlib.pocket(*XOR, max_updates=9),
    "averaged": lambda: linlib.averaged(*AND),
    "batch": lambda: linlib.batch(*AND),
    "least squares": lambda: linlib.least_squares(*AND),
    "lasso": lambda: linlib.lasso(*AND, penalty=0.1),
    "lms": lambda: linlib.lms(*AND),
    "pass map": lambda: linlib.pass_map(*AND, step=0.1),
    "soft margin": lambda: linlib.soft_margin(*TWO, penalty=0.1),
    "logistic": lambda: linlib.logistic(*TWO, penalty=0.1),
    "logistic, separable": lambda: linlib.logistic(*AND),
    "logistic, nearly": lambda: linlib.logistic([[0], [1], [1], [2]], [-1, -1, 1, 1]),
    "overlap": lambda: linlib.overlap(*XOR),
    "softmax": lambda: linlib.softmax(IRIS.X, IRIS.y),
    "separable": lambda: linlib.certify(*AND),
    "inseparable": lambda: linlib.certify(*XOR),
    "max margin": lambda: linlib.max_margin(*AND),
    "proof": lambda: linlib.proof_table(linlib.pla(*AND), [-3, 2, 2]),
    "audit": lambda: linlib.audit_proof(*AND, [-3, 2, 2]),
    "audit, broken": lambda: linlib.audit_proof(*AND, [-3, 2, 2], rule="< 0"),
    "LDA": lambda: linlib.fit_lda(IRIS.X, IRIS.y),
    "QDA": lambda: linlib.fit_qda(IRIS.X, IRIS.y),
    "one against the rest": lambda: linlib.one_vs_rest(IRIS.X, IRIS.y, linlib.least_squares),
    "one against one": lambda: linlib.one_vs_one(IRIS.X, IRIS.y, linlib.least_squares),
    "machine": lambda: linlib.linear_machine(IRIS.X, IRIS.y, max_updates=20),
    "digits": lambda: linlib.fit_lda(*data.load("digits")[:2], ridge=0.1),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_shown_on_a_few_lines_without_arrays_or_addresses(name):
    result = RESULTS[name]()
    text = repr(result)
    assert text.startswith(f"{type(result).__name__}(")
    assert len(text) < 320
    for unwanted in ("array(", " at 0x", "<function", "\n", "e-1", "-0,", "-0)"):
        assert unwanted not in text, text


@pytest.mark.parametrize("name", [name for name in RESULTS if name != "loss"])
def test_a_result_is_shown_as_a_table_with_the_same_facts(name):
    result = RESULTS[name]()
    html = result._repr_html_()
    assert html.startswith("<table><caption")
    assert html.count("<tr>") == len(result._facts()) == html.count('<th scope="row"')
    assert html.count("<") == html.count(">"), "what a class is called cannot break the table"


def test_every_public_type_is_shown():
    shown_types = {type(make()) for make in RESULTS.values()}
    # A correction is one step of a stream, Adapt an option, Result what the others build on.
    exempt = {linlib.Correction, linlib.Adapt, linlib.Result}
    public = {getattr(linlib, name) for name in linlib.__all__}
    assert {kind for kind in public if inspect.isclass(kind)} - shown_types == exempt


def test_the_numbers_are_those_of_the_lecture():
    assert repr(linlib.pla(*AND)) == (
        "Run(weights (-4, 3, 2); errors 0; Converged: pass 9 was clean, after 18 updates.)"
    )
    assert repr(linlib.max_margin(*AND)) == (
        "MaxMargin(weights (-3, 2, 2); margin 0.3536; support rows 3)"
    )
    assert repr(AND) == "Points(points 4 × 2; labels -1: 3, +1: 1)"


@pytest.mark.parametrize("value", [1.0, 1 / 3, 2 / 3, 123.4, 0.1, 1e-5, 0.0])
def test_a_last_bit_changes_no_digit(value):
    for near in (value * LAST_BIT, value / LAST_BIT):
        assert shown.number(near) == shown.number(value)
        assert shown.vector([near, value / 3]) == shown.vector([value, value / 3])


def test_rounding_beside_large_entries_is_shown_as_zero():
    assert shown.vector([1.0, -3e-17, 1e-18]) == "(1, 0, 0)"
    assert shown.vector([1e-6, 5e-7]) == "(1e-06, 5e-07)"
    assert shown.vector([np.inf, 1.0]) == "(inf, 1)"
    assert shown.vector([0.0, -0.0]) == "(0, 0)"


@pytest.mark.parametrize("name", linlib.__all__)
def test_help_shows_a_signature_that_can_be_read(name):
    thing = getattr(linlib, name)
    if inspect.isfunction(thing):
        assert len(str(inspect.signature(thing))) < 420


def test_the_names_offered_are_the_public_ones():
    assert dir(linlib) == sorted(linlib.__all__)


def test_names_are_escaped():
    model = linlib.fit_lda([[0.0], [1.0], [4.0], [5.0]], ["<b>", "<b>", "&", "&"])
    assert "&lt;b&gt;" in model._repr_html_()


def test_a_vector_has_as_many_decimals_as_give_its_largest_entry_four_digits():
    assert shown.vector([12.3456, 0.04567]) == "(12.35, 0.05)"
    assert shown.vector([6.0, 0.12345]) == "(6, 0.123)"
    assert shown.vector([1.0, 0.12345]) == "(1, 0.123)", "as many as for a little more than 1"


def test_a_vector_of_any_numbers_is_shown():
    assert shown.vector([Fraction(1, 3), 1]) == "(0.333, 1)"
    assert shown.vector([np.inf, np.nan]) == "(inf, nan)"
    assert shown.vector([]) == "()"
    assert shown.vector([1e-297, 1e-303]) == "(1e-297, 1e-303)", "too small to be rounded"


def test_six_entries_are_not_too_many():
    assert shown.vector(range(6)) == "(0, 1, 2, 3, 4, 5)"
    assert shown.names(list("abcdef")) == "a, b, c, d, e, f"


def test_what_is_not_rounding_is_not_zero():
    assert shown.number(1e-12) == "1e-12"
    assert shown.number(-9e-13) == "0"
