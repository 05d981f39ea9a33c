"""Tucker's theorem in whole numbers; what it decides is tested with :mod:`linlib.overlap`."""

import pytest

from linlib.tucker import Span


def test_a_span_that_is_not_one_is_noticed(monkeypatch):
    rows = [[1, 0], [0, 1]]
    monkeypatch.setattr("linlib.elimination.independent", lambda vectors, count: [0, 3])
    with pytest.raises(ArithmeticError, match="modulo a prime"):
        Span(rows, [0, 1])
