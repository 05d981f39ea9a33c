"""Predict, then see: what was committed stands, and a question can be shown without a browser."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from linlib import Hyperplane, data
from linlib.explorers import PredictAnswer, PredictLine, PredictPoint


def test_what_was_committed_cannot_be_moved() -> None:
    question = PredictLine("Where?", *data.and_gate(), Hyperplane([2, 2], -3))
    question.move("to", 1.0, 1.0)
    question.commit()
    before = question.state
    question.act(question.on_move, "to", 0.0, 0.0)
    assert "the prediction stands; press Reset to begin again." in question.text
    assert question.state == before
    assert question.handles == {}


def test_an_answer_that_was_committed_cannot_be_changed() -> None:
    question = PredictAnswer("How?", ["a", "b"], "b")
    question.commit()
    assert "choose an answer first." in question.text
    question.choice.value = "a"
    question.commit()
    question.choice.value = "b"
    assert "the prediction stands" in question.text
    assert question.choice.value == "a"
    assert "arrow keys" in question.hint()
    assert "Tab" not in question.hint()


def test_places_begin_where_a_reader_can_aim() -> None:
    X = [[0.123456, 0.0], [1.0, 3.33333]]
    spot = PredictPoint("Where?", X, [1, -1], (0, 0)).spot
    ends = PredictLine("Where?", X, [1, -1], Hyperplane([1, 0], 0)).ends
    assert np.array_equal(spot, spot.round(4))
    assert np.array_equal(ends, ends.round(4))


def test_a_question_of_words_has_a_still_picture() -> None:
    question = PredictAnswer("How many?", ["four", "eighteen"], "four")
    figure = question.still()
    (ax,) = figure.axes
    (text,) = ax.texts
    lines = text.get_text().splitlines()
    assert lines[0].startswith("Predict first. How many?")
    assert lines[-2:] == ["   ○ four", "   ○ eighteen"]
    assert tuple(figure.get_size_inches()) == pytest.approx((7.0, 0.32 * (len(lines) + 1)))
    assert (text.get_position(), text.get_va(), text.get_fontsize()) == ((0, 1), "top", 13)
    assert text.get_transform() == ax.transAxes
    assert not ax.axison
    plt.close(figure)
