"""How challenges are judged: how far the reader is, and done only when the library proves it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from linlib import data, least_squares, logistic, pla_rows, soft_margin
from linlib.discriminants import quadric
from linlib.discriminants.quadric import Quadric
from linlib.explorers.descent import wrong_and_right
from linlib.explorers.gaussians import no_boundary, parabola
from linlib.explorers.kit.geometry import whole_rows
from linlib.explorers.logistic import no_minimum
from linlib.explorers.margin import free_offset
from linlib.explorers.perceptron import many_mistakes
from linlib.margins.certificates import certify
from linlib.margins.linear_svm import street

AND = data.and_gate()
NARROW = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.52, 0.52]]), AND.y
FAR = np.array([[-1.0], [0.0], [1.0], [30.0]]), np.array([-1, -1, 1, 1])
CLOSE = np.array([[4.0, 4.0], [4.0, 3.9999]]), np.array([1, -1])


def mistakes(X: Any, y: Any) -> tuple[str, bool]:
    run = pla_rows(whole_rows(X, y, digits=4), max_updates=1000)
    return many_mistakes(np.asarray(X), np.asarray(y), run, certify(X, y))


def test_a_hundred_mistakes_with_at_most_four_points() -> None:
    assert many_mistakes(np.zeros((0, 2)), np.zeros(0), None, None) == (
        "there are 0 points, at most 4 count.",
        False,
    )
    assert mistakes(*AND) == ("18 of 100 mistakes.", False)
    words, done = mistakes(*NARROW)
    assert done
    assert int(words.split()[0]) >= 100
    crowd = np.vstack([NARROW[0], [[0.0, 0.5]]]), np.append(NARROW[1], -1)
    assert mistakes(*crowd) == ("there are 5 points, at most 4 count.", False)
    assert mistakes(*data.xor_gate()) == (
        "the run must end, so a line must separate the points.",
        False,
    )


def test_the_hundredth_mistake_counts_and_only_of_a_run_that_ended() -> None:
    verdict = certify(AND.X, AND.y)
    for updates, done in ((99, False), (100, True)):
        run: Any = SimpleNamespace(converged=True, updates=updates)
        found = many_mistakes(AND.X, AND.y, run, verdict)
        assert found == (f"{updates} of 100 mistakes.", done)
    clash = certify(*data.xor_gate())
    for unproved in (None, clash):
        assert many_mistakes(AND.X, AND.y, run, unproved)[0].startswith("the run must end")
    run.converged = False
    assert many_mistakes(AND.X, AND.y, run, verdict)[0].startswith("the run must end")


def test_what_least_squares_gets_wrong_and_the_perceptron_right() -> None:
    assert wrong_and_right(FAR[0][:1], FAR[1][:1], bias=True) == ("there must be points.", False)
    words, done = wrong_and_right(*FAR, bias=True)
    assert (words, done) == ("least squares gets 1 point wrong, the perceptron 0.", True)
    words = "least squares gets 0 points wrong, the perceptron 0."
    assert wrong_and_right(FAR[0][:3], FAR[1][:3], bias=True) == (words, False)
    assert wrong_and_right(*AND, bias=True) == (words, False)
    words = "no perceptron gets these points right."
    assert wrong_and_right(*data.xor_gate(), bias=True) == (words, False)
    assert wrong_and_right(np.array([[1.0, 1.0], [2.0, 2.0]]), [1, -1], bias=False)[0] == words
    words, done = wrong_and_right(*CLOSE, bias=False)
    assert not done
    assert words.endswith("the perceptron some.")


def test_a_point_on_the_line_of_least_squares_is_not_wrong_by_a_rounding() -> None:
    """With as many points of each class the line goes through their mean, here the first point."""
    rng = np.random.default_rng(1)
    y = np.array([1, 1, -1, -1])
    right = 0
    for _ in range(40):
        mean, *others = np.round(rng.uniform(-30, 30, (3, 2)), 1)
        X = np.array([mean, *others, np.round(3 * mean - sum(others), 1)])
        if (whole_rows(X, y, digits=4)[1:] @ least_squares(X, y).weights > 1).all():
            assert wrong_and_right(X, y, bias=True)[0].startswith("least squares gets 0 points")
            right += 1
    assert right > 5


def test_an_offset_is_free_where_two_ends_cost_the_same() -> None:
    X, y = np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([-1, 1])
    held = street(soft_margin(X, y, penalty=10.0), X, y, 10.0)
    assert held.free
    words, done = free_offset(held, line=True, sure=True)
    assert done
    assert words == f"w₀ may range over {held.highest - held.lowest:.3g}."
    assert free_offset(held, line=True, sure=False) == (words, False)
    for found, line in ((None, True), (held, False)):
        assert free_offset(found, line=line, sure=True) == ("there must be a street.", False)


@pytest.mark.parametrize(
    ("y", "kind"), [([-1, -1, 1, 1], "complete"), ([-1, 1, -1, 1], "no"), ([-1, -1, 1, -1], "no")]
)
def test_a_minimum_is_lost_though_no_line_separates(y: list[int], kind: str) -> None:
    fit = logistic(np.array([[0.0], [1.0], [2.0], [3.0]]), y)
    assert no_minimum(fit, penalised=False) == (f"the classes are in {kind} separation.", False)
    assert no_minimum(fit, penalised=True) == ("the penalty must be none.", False)
    assert no_minimum(None, penalised=False) == ("both classes are needed.", False)


def test_a_point_of_both_classes_on_the_line_loses_the_minimum() -> None:
    fit = logistic(np.array([[0.0], [1.0], [1.0], [2.0]]), [-1, -1, 1, 1])
    words, done = no_minimum(fit, penalised=False)
    assert (words, done) == ("the classes are in quasi-complete separation.", True)


def curve(kind: str, *bends: float) -> Quadric:
    return Quadric(kind, 0, np.zeros(2), np.eye(2), np.array(bends), np.zeros(2), 1.0)


def test_a_parabola_bends_in_one_direction() -> None:
    words = "it is an ellipse; its bends are as 1 to 0.5, wanted 1 to 0."
    assert parabola(curve(quadric.ELLIPSE, 0.2, 0.1)) == (words, False)
    words = "it is a parabola; its bends are as 1 to 0, wanted 1 to 0."
    assert parabola(curve(quadric.PARABOLA, 0.0, -0.1)) == (words, True)
    assert parabola(curve(quadric.LINE, 0.0, 0.0))[1] is False


def test_no_boundary_is_one_nowhere() -> None:
    assert no_boundary(curve(quadric.NONE, 0.2, 0.1)) == ("it is nowhere.", True)
    assert no_boundary(curve(quadric.HYPERBOLA, 0.2, -0.1)) == ("it is a hyperbola.", False)
