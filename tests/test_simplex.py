"""Gordan's alternative, decided exactly: one of two certificates, and each is a proof."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.rational import smallest, wrong_row
from linlib.simplex import alternative
from tests.exact import products, whole_rows

fuzz = settings(max_examples=50, deadline=None, derandomize=True, database=None)
entries = st.integers(-3, 3)


def separable_by_elimination(rows):
    """Decide ``row · w > 0`` for all rows by Fourier–Motzkin: get rid of one unknown at a time.

    Rows in which it has one sign only can be served by making it large; a row with a plus and one
    with a minus are added so that it cancels. A row without unknowns would say 0 > 0.
    """
    rows = [[Fraction(value) for value in row] for row in rows]
    while rows and rows[0]:
        plus = [row for row in rows if row[0] > 0]
        minus = [row for row in rows if row[0] < 0]
        rows = [row[1:] for row in rows if row[0] == 0]
        for p, m in product(plus, minus):
            combined = tuple(b * -m[0] + a * p[0] for a, b in zip(m[1:], p[1:], strict=True))
            largest = max(map(abs, combined), default=Fraction(0)) or Fraction(1)
            rows.append([value / largest for value in combined])
        rows = [list(row) for row in dict.fromkeys(map(tuple, rows))]
    return not rows


def assert_proved(Z, answer):
    """Check whichever certificate is there, in fractions; exactly one must be."""
    assert (answer.weights is None) != (answer.multipliers is None), (
        f"Gordan's alternative gives exactly one of the two certificates, got {answer}"
    )
    if answer.weights is not None:
        assert min(products(Z, answer.weights)) > 0, f"weights {answer.weights} miss a row of\n{Z}"
        return
    shares = answer.multipliers
    assert all(share > 0 for share in shares.values()), f"a share is not positive: {shares}"
    assert sum(shares.values()) == 1, f"the shares do not add up to 1: {shares}"
    totals = products(Z[list(shares)].T, list(shares.values()))
    assert not any(totals), f"the mixture {shares} of the rows is {totals}, not zero"


@pytest.mark.slow
def test_thousands_of_small_integer_rows_get_exactly_one_valid_certificate():
    rng = np.random.default_rng(2)
    outcomes = {True: 0, False: 0}
    for _ in range(2000):
        n, columns = rng.integers(1, 9), rng.integers(1, 6)
        Z = rng.integers(-2, 3, (n, columns)).astype(float)
        answer = alternative(Z)
        assert_proved(Z, answer)
        outcomes[answer.weights is not None] += 1
    assert min(outcomes.values()) > 400, f"the rows must produce both outcomes often: {outcomes}"


@settings(fuzz, max_examples=100)
@given(whole_rows())
def test_the_verdict_equals_fourier_motzkin_elimination(Z):
    found = alternative(Z).weights is not None
    assert found == separable_by_elimination(Z), f"the two exact methods disagree on\n{Z}"


@fuzz
@given(whole_rows())
def test_at_most_one_row_more_than_columns_is_needed_as_proof(Z):
    shares = alternative(Z).multipliers
    assert shares is None or len(shares) <= Z.shape[1] + 1, "Carathéodory's bound"


@fuzz
@given(whole_rows(), st.randoms(use_true_random=False))
def test_rows_to_look_at_first_do_not_change_the_verdict(Z, random):
    first = np.array(random.sample(range(len(Z)), random.randint(1, len(Z))))
    answer = alternative(Z, first)
    assert_proved(Z, answer)
    assert (answer.weights is None) == (alternative(Z).weights is None)


def test_a_zero_row_alone_is_proof_that_there_are_no_weights():
    assert alternative(np.array([[1.0, 2.0], [0.0, 0.0]])).multipliers == {1: Fraction(1)}


def test_a_single_row_is_separated_by_itself():
    Z = np.array([[0.0, -3.0, 2.0]])
    assert_proved(Z, alternative(Z))
    assert alternative(Z).weights is not None


def test_opposite_rows_share_in_inverse_proportion_to_their_lengths():
    shares = alternative(np.array([[1.0, 2.0], [-3.0, -6.0]])).multipliers
    assert shares == {0: Fraction(3, 4), 1: Fraction(1, 4)}


@pytest.mark.parametrize("step", [-1, 1])
def test_one_ulp_decides(step):
    x = 0.1
    Z = np.array([[1.0, np.nextafter(x, step * np.inf)], [-1.0, -x], [1.0, 7.0]])
    answer = alternative(Z)
    assert_proved(Z, answer)
    assert (answer.weights is not None) == (step > 0), "a point moved one ulp across the other"


def hypercube(columns):
    return np.array(list(product([-1.0, 1.0], repeat=columns)))


HEAVY = {
    "every row a hundred times": np.repeat(hypercube(3), 100, axis=0),
    "all signs, so every row has its opposite": hypercube(7),
    "every row a multiple of the same": np.outer(np.r_[-20:0, 1:21], [1.0, -2.0, 3.0, 0.0]),
    "the same, all positive multiples": np.outer(np.r_[1:41], [1.0, -2.0, 3.0, 0.0]),
    "rows in a plane through the origin": np.random.default_rng(3).integers(-3, 4, (60, 2))
    @ np.array([[1.0, 2, 3, 4, 5], [5.0, 4, 3, 2, 1]]),
    "nothing but zeros": np.zeros((30, 5)),
    "unit vectors and their negative sum": np.vstack([np.eye(12), -np.ones(12)]),
    "a chain that only the last row breaks": np.eye(12) - np.eye(12, k=1) - np.eye(12, k=-11),
    "duplicate columns": np.repeat(np.random.default_rng(4).integers(-2, 3, (40, 3)), 4, axis=1),
    # Found by search: with ties broken by position instead, the simplex method never ends here.
    "rows that send a careless tie rule in circles": np.array(
        [
            [1, 3, 2, 2, 2],
            [-3, 0, 1, 2, -1],
            [3, 2, 1, -3, -1],
            [-1, -3, 1, 0, -1],
            [-2, -1, -3, 2, -3],
            [2, 2, -3, 3, 2],
            [1, 3, 3, 0, -3],
            [3, -3, 1, 1, -2],
            [0, 0, 0, 1, 1],
        ]
    ),
}


@pytest.mark.parametrize("rows", HEAVY.values(), ids=HEAVY.keys())
def test_the_search_ends_on_heavily_degenerate_rows(rows):
    Z = np.asarray(rows, dtype=float)
    assert_proved(Z, alternative(Z))


def test_entries_of_every_size_a_float_can_have_are_handled():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n, columns = rng.integers(1, 7), rng.integers(1, 4)
        Z = rng.integers(-3, 4, (n, columns)) * 10.0 ** rng.integers(-320, 150, (n, columns))
        assert_proved(Z, alternative(Z))


def test_the_rows_are_not_modified():
    Z = np.array([[1.0, 2.0], [-1.0, 0.5], [0.25, -3.0]])
    before, first = Z.copy(), np.array([2, 0])
    Z.setflags(write=False)
    first.setflags(write=False)
    alternative(Z, first)
    wrong_row(Z, [1, 1])
    smallest(Z, [1, 1])
    assert np.array_equal(Z, before)


@fuzz
@given(whole_rows(), st.data())
def test_weights_to_begin_near_do_not_change_the_verdict(Z, data):
    near = np.array(data.draw(st.lists(entries, min_size=Z.shape[1], max_size=Z.shape[1])), float)
    first = np.arange(min(len(Z), 2))
    found, plain = alternative(Z, first=first, near=near), alternative(Z)
    assert (found.weights is None) == (plain.weights is None)
    if found.weights is not None:
        assert min(products(Z, found.weights)) > 0, "weights that are near need not separate"
