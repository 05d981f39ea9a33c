"""Predict, then see: what was committed stands, and a question can be shown without a browser."""

from __future__ import annotations

import numpy as np

from linlib import Hyperplane, data
from linlib.explorers import PredictLine
from linlib.explorers.kit.state import Move


def test_what_was_committed_cannot_be_moved() -> None:
    question = PredictLine("Where?", *data.and_gate(), lambda: Hyperplane([2, 2], -3))
    question.move("to", 1.0, 1.0)
    question.commit()
    before = question.state
    question.act(Move("to", 0.0, 0.0))
    assert "the prediction stands; press Reset to begin again." in question.text
    assert question.state == before
    assert question.handles == {}


def test_places_begin_where_a_reader_can_aim() -> None:
    X = [[0.123456, 0.0], [1.0, 3.33333]]
    ends = PredictLine("Where?", X, [1, -1], lambda: Hyperplane([1, 0], 0)).ends
    assert np.array_equal(ends, ends.round(4))
