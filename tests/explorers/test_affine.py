"""What an affine map does when it is applied again and again, told from its eigenvalues."""

import numpy as np
import pytest

from linlib.explorers.descent.long_run import NOTHING, growth, pass_of, runaway, span

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])  # by a right angle: its eigenvalues are i and −i
SHEAR = np.array([[1.0, 1.0], [0.0, 1.0]])  # with one direction for two eigenvalues


def after(A, b, start, times):
    """Return the weights after so many applications, and how far the last one went."""
    w = np.asarray(start, dtype=float)
    for _ in range(times):
        before, w = w, A @ w + b
    return w, float(np.linalg.norm(w - before))


@pytest.mark.parametrize("seed", range(5))
def test_the_span_holds_every_row_and_nothing_else(seed):
    rng = np.random.default_rng(seed)
    rank = 1 + seed % 3
    Z = rng.normal(size=(6, rank)) @ rng.normal(size=(rank, 4)) * 10.0 ** (3 * seed - 6)
    U = span(Z)
    assert U.shape == (4, rank)
    assert np.allclose(U.T @ U, np.eye(rank))
    assert np.allclose(Z @ U @ U.T, Z, rtol=1e-9, atol=0)


def test_rows_that_differ_by_a_rounding_span_one_direction():
    assert span([[1.0, 1.0], [1.0, 1.0 + 1e-12]]).shape == (2, 1)
    assert span([[1.0, 1.0], [1.0, 1.0 + 1e-6]]).shape == (2, 2)
    assert span([[0.0, 0.0]]).shape == (2, 0)


@pytest.mark.parametrize("one_by_one", [False, True])
def test_the_map_is_the_step_or_the_pass_on_whole_numbers(one_by_one):
    rng = np.random.default_rng(3)
    Z = rng.integers(-2, 3, size=(4, 3)).astype(float)
    A, b = pass_of(Z, 0.5, one_by_one)
    w = rng.integers(-3, 4, size=3).astype(float)
    expected = w.copy()
    for rows in [[z] for z in Z] if one_by_one else [Z]:
        expected = expected + 0.5 * sum((1 - z @ expected) * z for z in rows)
    assert (A @ w + b).tolist() == expected.tolist()


MAPS = {  # A, b, start, and the eigenvalue that runs away, 0 for none
    "it shrinks": (np.diag([0.5, -0.9]), [1, 1], [3, 4], 0),
    "it only turns": (TURN, [1, 0], [3, 4], 0),
    "it only shears": (SHEAR, [0, 1], [3, 4], 0),
    "a direction grows": (np.diag([1.5, 0.5]), [0, 0], [1, 1], 1.5),
    "it starts at rest there": (np.diag([1.5, 0.5]), [0, 0], [0, 1], 0),
    "its start rests, though not at 0": (np.diag([3.0, 0.5]), [-2, 1], [1, 5], 0),
    "both grow": (np.diag([3.0, -5.0]), [0, 0], [1, 1], -5),
    "both grow, one is at rest": (np.diag([3.0, -5.0]), [0, 0], [1, 0], 3),
    "it is pushed from rest": (np.diag([3.0, 0.5]), [1, 0], [0, 0], 3),
    "it turns and grows": (1.5 * TURN, [0, 0], [1, 0], 1.5),
    "it would turn and grow": (1.5 * TURN, [0, 0], [0, 0], 0),
    "it shears and grows": (1.5 * SHEAR, [0, 0], [1, 1], 1.5),
}


@pytest.mark.parametrize(("A", "b", "start", "value"), MAPS.values(), ids=MAPS.keys())
def test_what_runs_away_is_seen_before_it_has(A, b, start, value):
    assert runaway(A, np.array(b, float), np.array(start, float)) == pytest.approx(value)
    _, step = after(A, b, start, 60)
    assert (step > 1e9) == (value != 0), "and applied sixty times the map does so"


def test_the_factor_is_what_errors_are_multiplied_by():
    assert growth(np.diag([0.5, -0.9]), np.array([1.0, 1.0]), 1.0) == pytest.approx(-0.9, rel=1e-14)
    assert growth(np.diag([0.5, -0.9]), np.array([1.0, 0.0]), 1.0) == pytest.approx(0.5, rel=1e-14)
    assert growth(0.7 * TURN, np.array([1.0, 0.0]), 1.0) == pytest.approx(0.7)
    assert growth(0.7 * SHEAR, np.array([0.0, 1.0]), 1.0) == pytest.approx(0.7)
    assert growth(-0.7 * SHEAR, np.array([0.0, 1.0]), 1.0) == pytest.approx(0.7), "without a sign"


def test_real_factors_keep_their_signs_where_numpy_makes_all_of_them_complex(monkeypatch):
    """NumPy 2.5 does so, and others need not wait for it to see what comes of that."""
    eig = np.linalg.eig
    monkeypatch.setattr(np.linalg, "eig", lambda A: tuple(part.astype(complex) for part in eig(A)))
    A = np.diag([0.5, -0.9])
    assert growth(A, np.array([1.0, 1.0]), 1.0) == pytest.approx(-0.9, rel=1e-14)
    assert runaway(2 * A, np.ones(2), np.zeros(2)) == pytest.approx(-1.8, rel=1e-14)
    assert growth(0.7 * TURN, np.array([1.0, 0.0]), 1.0) == pytest.approx(0.7)


@pytest.mark.parametrize("A", [np.diag([0.5, -0.9]), TURN, SHEAR], ids=["plain", "turn", "shear"])
def test_without_an_error_nothing_grows(A):
    assert growth(A, np.zeros(2), 1.0) == 0
    assert growth(A, np.array([0.99 * NOTHING, 0]), 1.0) == 0, "a billionth is none"
    assert growth(A, np.array([0, 5e-7]), 1e3) == 0, "of the weights' size"
    assert growth(A, np.array([0, 2e-6]), 1e3) != 0


def test_nothing_seen_has_nothing_that_grows():
    assert growth(np.zeros((0, 0)), np.zeros(0), 1.0) == 0


def test_an_error_counts_beside_one_or_the_start():
    def of(A, error, start=0.0):
        """Return what runs away from a start that an error keeps from rest."""
        A, first = np.array(A), np.full(len(A), start)
        move = (A - np.eye(len(A))) @ np.eye(len(A))[0] * error
        return runaway(A, move - (A - np.eye(len(A))) @ first, first)

    twice = [[2.0]]
    assert of(twice, 0.99 * NOTHING) == 0, "a billionth is rounding"
    assert of(twice, 1.5 * NOTHING) == pytest.approx(2, rel=1e-14)
    assert of([[4.0]], 0.5 * NOTHING) == 0, "as an error, however far it moves"
    assert of(twice, 5e-7, start=1000.0) == 0
    assert of(twice, 5e-6, start=1000.0) == 2
    assert of(3 * TURN, 0.9 * NOTHING) == 0
    assert of(3 * TURN, 2 * NOTHING) == pytest.approx(3)
    far = np.array([1000.0, 0.0])
    assert runaway(np.diag([2.0, 0.5]), np.array([-1000 + 5e-7, 0]), far) == 0
