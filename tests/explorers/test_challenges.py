"""A challenge is done only when the library proves it; what is counted, ``tests.fuzz`` recounts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from linlib import Hyperplane, data, least_squares
from linlib.explorers import ClassesExplorer
from linlib.explorers.descent import wrong_and_right
from linlib.explorers.hyperplane import sure_but_near
from linlib.explorers.kit.geometry import whole_rows
from linlib.explorers.perceptron import many_mistakes
from linlib.margins.certificates import certify
from tests.helpers.states import fill

AND = data.and_gate()


def test_the_hundredth_mistake_counts_of_a_proved_run_with_four_points() -> None:
    verdict, clash = certify(*AND), certify(*data.xor_gate())
    for updates, done in ((99, False), (100, True)):
        run: Any = SimpleNamespace(converged=True, updates=updates)
        found = many_mistakes(*AND, run, verdict)
        asked = "100 were asked for" if done else "100 are asked for"
        assert found == (f"{updates} mistakes; {asked}.", done)
    for unproved in (None, clash):
        assert many_mistakes(*AND, run, unproved)[0].startswith("the run must end")
    five = np.vstack([AND.X, [[0.0, 0.5]]]), np.append(AND.y, -1)
    words = "there are 5 points; one to four are allowed."
    assert many_mistakes(*five, run, verdict) == (words, False)
    run.converged = False
    assert many_mistakes(*AND, run, verdict)[0].startswith("the run must end")


def test_what_least_squares_gets_wrong_and_the_perceptron_right() -> None:
    X, y = np.array([[-1.0], [0.0], [1.0], [30.0]]), np.array([-1, -1, 1, 1])
    words = "least squares gets 1 point wrong, the perceptron gets none wrong."
    assert wrong_and_right(X, y, bias=True) == (words, True)
    assert wrong_and_right(X[:1], y[:1], bias=True) == ("there must be points.", False)
    assert not wrong_and_right(X[:3], y[:3], bias=True)[1]
    words = "no perceptron gets these points right."
    assert wrong_and_right(*data.xor_gate(), bias=True) == (words, False)
    close = np.array([[4.0, 4.0], [4.0, 3.9999]]), np.array([1, -1])
    words, done = wrong_and_right(*close, bias=False)
    assert words.endswith("the perceptron has not finished.")
    assert not done


def test_a_point_on_the_line_of_least_squares_is_not_wrong_by_a_rounding() -> None:
    """With as many points of each class the line goes through their mean, here the first point."""
    rng, y, right = np.random.default_rng(1), np.array([1, 1, -1, -1]), 0
    for _ in range(40):
        mean, *others = np.round(rng.uniform(-30, 30, (3, 2)), 1)
        X = np.array([mean, *others, np.round(3 * mean - sum(others), 1)])
        if (whole_rows(X, y, digits=4)[1:] @ least_squares(X, y).weights > 1).all():
            words, _ = wrong_and_right(X, y, bias=True)
            assert words.startswith("least squares gets no point wrong")
            right += 1
    assert right > 5


def test_a_large_score_near_the_line_needs_a_long_normal() -> None:
    for w, w0, done in (([3.0, 4.0], 0.0, True), ([3.0, 3.9], 0.0, False), ([0.3, 0.4], 9, False)):
        words, found = sure_but_near(Hyperplane(w, w0), np.array([0.6, 0.8]))
        assert found is done, words
    assert sure_but_near(None, np.zeros(2)) == ("there must be a line.", False)


def test_a_tenth_in_doubt_counts_when_every_point_is_right() -> None:
    explorer = ClassesExplorer()
    assert not explorer.canvas.scene["card"]["done"], "the first preset leaves too little in doubt"
    far = [[3.4, -5.2], [-2.4, -3.8], [3.4, -4.0], [4.6, -3.4], [3.8, -5.8], [1.0, 4.6]]
    for y, done in (
        ([0, 0, 1, 1, 2, 2], True),
        ([0, 1, 1, 1, 2, 2], False),
        ([0, 0, 0, 1, 1, 1], False),
    ):
        fill(explorer, far, y)
        assert explorer.canvas.scene["card"]["done"] is done, explorer.canvas.scene["card"]
