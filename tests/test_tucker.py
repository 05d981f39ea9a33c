"""Tucker's theorem in whole numbers; what it decides is tested with :mod:`linlib.overlap`."""

from fractions import Fraction

import pytest

from linlib.tucker import Span


def test_a_span_that_is_not_one_is_noticed(monkeypatch):
    rows = [[1, 0], [0, 1]]
    monkeypatch.setattr("linlib.elimination.independent", lambda vectors, count: [0, 3])
    with pytest.raises(ArithmeticError, match="modulo a prime"):
        Span(rows, [0, 1])


def test_rows_that_balance_by_themselves_cost_the_others_nothing():
    rows = [[1, 0], [-1, 0], [2, 0], [-2, 0], [0, 1]]
    half, one = Fraction(1, 2), Fraction(1)
    span = Span(rows, [0, 1])
    assert span.joined(rows, {0: half, 1: half}, {2: one, 3: one}) == {0: half, 1: half, 2: 1, 3: 1}
    assert [any(span.across(row)) for row in rows] == [False] * 4 + [True]


def test_what_new_rows_leave_unbalanced_the_others_make_good():
    rows = [[1, 0], [-1, 0], [3, 0]]
    joined = Span(rows, [0, 1]).joined(rows, {0: Fraction(1), 1: Fraction(1)}, {2: Fraction(1)})
    assert joined[2] == 1
    assert min(joined.values()) > 0
    assert sum(share * rows[i][0] for i, share in joined.items()) == 0
