"""What a descent comes to in the long run, beside descents that are followed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linlib.descent.gradient import gradient_descent
from linlib.descent.losses import Loss, hinge_loss, objective, perceptron_loss, squared_loss
from linlib.explorers.descent.long_run import (
    NOTHING,
    exact_descent,
    growth,
    long_run_of,
    runaway,
)

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])  # by a right angle: its eigenvalues are i and −i
SHEAR = np.array([[1.0, 1.0], [0.0, 1.0]])  # with one direction for two eigenvalues


MAPS = {  # A, b, start, and the eigenvalue that runs away, 0 for none
    "it shrinks": (np.diag([0.5, -0.9]), [1, 1], [3, 4], 0),
    "it only turns": (TURN, [1, 0], [3, 4], 0),
    "it only shears": (SHEAR, [0, 1], [3, 4], 0),
    "a direction grows": (np.diag([1.5, 0.5]), [0, 0], [1, 1], 1.5),
    "it starts at rest there": (np.diag([1.5, 0.5]), [0, 0], [0, 1], 0),
    "its start rests, though not at 0": (np.diag([3.0, 0.5]), [-2, 1], [1, 5], 0),
    "both grow, one is at rest": (np.diag([3.0, -5.0]), [0, 0], [1, 0], 3),
    "both grow": (np.diag([3.0, -5.0]), [0, 0], [1, 1], -5),
    "it is pushed from rest": (np.diag([3.0, 0.5]), [1, 0], [0, 0], 3),
    "it turns and grows": (1.5 * TURN, [0, 0], [1, 0], 1.5),
    "it would turn and grow": (1.5 * TURN, [0, 0], [0, 0], 0),
    "it shears and grows": (1.5 * SHEAR, [0, 0], [1, 1], 1.5),
}


@pytest.mark.parametrize("how", MAPS)
def test_what_runs_away_is_seen_before_it_has(how: str) -> None:
    A, b, start, value = MAPS[how]
    assert runaway(A, np.array(b, float), np.array(start, float)) == pytest.approx(value)
    w = np.array(start, float)
    for _ in range(60):
        before, w = w, A @ w + b
    assert (np.linalg.norm(w - before) > 1e9) == (value != 0)


@pytest.mark.parametrize("complex_numbers", [False, True])
def test_the_factor_is_what_errors_are_multiplied_by(
    complex_numbers: bool, monkeypatch: Any
) -> None:
    """NumPy 2.5 makes all eigenvalues complex, and real ones must keep their signs."""
    eig = np.linalg.eig
    if complex_numbers:
        monkeypatch.setattr(np.linalg, "eig", lambda A: tuple(p.astype(complex) for p in eig(A)))
    both = np.diag([0.5, -0.9])
    assert growth(both, np.array([1.0, 1.0]), 1.0) == pytest.approx(-0.9, rel=1e-14)
    assert growth(both, np.array([1.0, 0.0]), 1.0) == pytest.approx(0.5, rel=1e-14)
    assert growth(0.7 * TURN, np.array([1.0, 0.0]), 1.0) == pytest.approx(0.7)
    assert growth(-0.7 * SHEAR, np.array([0.0, 1.0]), 1.0) == pytest.approx(0.7), "without a sign"
    assert runaway(2 * both, np.ones(2), np.zeros(2)) == pytest.approx(-1.8, rel=1e-14)


def test_an_error_counts_beside_one_or_the_weights() -> None:
    for A in (np.diag([0.5, -0.9]), TURN, SHEAR):
        assert growth(A, np.array([0.99 * NOTHING, 0]), 1.0) == 0, "a billionth is none"
        assert growth(A, np.array([0, 5e-7]), 1e3) == 0, "of the weights' size"
        assert growth(A, np.array([0, 2e-6]), 1e3) != 0
    assert growth(np.zeros((0, 0)), np.zeros(0), 1.0) == 0

    def of(A: Any, error: float, start: float = 0.0) -> float:
        """Return what runs away from a start that an error keeps from rest."""
        A, first = np.array(A), np.full(len(A), start)
        move = (A - np.eye(len(A))) @ np.eye(len(A))[0] * error
        return runaway(A, move - (A - np.eye(len(A))) @ first, first)

    assert of([[2.0]], 0.99 * NOTHING) == of([[4.0]], 0.5 * NOTHING) == 0
    assert of([[2.0]], 1.5 * NOTHING) == pytest.approx(2, rel=1e-14)
    assert (of([[2.0]], 5e-7, start=1000.0), of([[2.0]], 5e-6, start=1000.0)) == (0, 2)
    assert of(3 * TURN, 0.9 * NOTHING) == 0
    assert of(3 * TURN, 2 * NOTHING) == pytest.approx(3)


def looked(
    X: Any, y: Any, loss: Loss, step: float, start: Any, singly: bool, updates: int = 60
) -> Any:
    target = objective(X, y, loss, bias=False)
    order = "cyclic" if singly else "all"
    run = gradient_descent(target, step=step, start=start, order=order, max_updates=updates)
    return long_run_of(target, run, step=step, one_by_one=singly)


def test_a_pass_whose_steps_undo_each_other_swings_at_its_factor() -> None:
    back = looked([[1.0, 0.0]] * 2, [1, 1], squared_loss, 2.0, [3, 0], True)
    assert (back.kind, back.factor, back.rank) == ("swings", 1, 1)
    mirror = looked([[1.0, 0.0]], [1], squared_loss, 2.0, [3, 0], False)
    assert (mirror.kind, mirror.factor, mirror.rank) == ("swings", -1, 1)


def test_long_runs_where_the_loss_has_kinks() -> None:
    assert looked([[1.0, 0.0]], [1], hinge_loss, 1e-3, [0, 0], False).kind == "goes on"
    balanced = looked([[1.0], [1.0]], [1, -1], hinge_loss, 0.5, [0], False)
    assert (balanced.kind, balanced.pulled) == ("rests", True)
    content = looked([[1.0], [-1.0]], [1, -1], hinge_loss, 0.5, [2], False)
    assert (content.kind, content.pulled) == ("rests", False)
    for updates, kind, period in ((3, "goes on", 0), (4, "cycles", 2)):
        start = [0.25, 0.5]  # a cycle is one once it was made twice
        found = looked([[1.0, 1.0]] * 2, [1, -1], hinge_loss, 0.25, start, True, updates)
        assert (found.kind, found.period) == (kind, period)


@pytest.mark.parametrize("order", ["all", "cyclic"])
@pytest.mark.parametrize("loss", [hinge_loss, perceptron_loss], ids=["hinge", "perceptron"])
@pytest.mark.parametrize("seed", range(4))
def test_where_floats_are_exact_the_descent_is_theirs(seed: int, loss: Loss, order: str) -> None:
    rng = np.random.default_rng(seed)
    target = objective(rng.integers(-8, 9, size=(4, 2)) / 4, [1, -1, 1, -1], loss)
    way = {"step": 0.25, "start": rng.integers(-4, 5, size=3) / 2}
    way |= {"order": order, "max_updates": 40}
    run, found = exact_descent(target, **way)
    plain = gradient_descent(target, **way)
    assert run.path.tolist() == plain.path.tolist()
    assert np.allclose(run.values, plain.values, rtol=1e-12, atol=1e-13)
    other = long_run_of(target, plain, step=0.25, one_by_one=order == "cyclic")
    assert (found.kind, found.period, found.rank) == (other.kind, other.period, other.rank)
    if other.rest is not None:
        assert found.rest.tolist() == other.rest.tolist()


def test_what_whole_numbers_cannot_hold_is_left_to_floats() -> None:
    X, y, way = [[0.5, 0.25]], [1], {"step": 0.1, "start": [0, 0, 0], "order": "all"}
    way["max_updates"] = 9
    good = objective(X, y, hinge_loss)
    assert exact_descent(good, **way) is not None
    for other in (
        objective(X, y, squared_loss),
        objective(X, y, hinge_loss, penalty=0.1),
        objective(X, y, hinge_loss, average=True),
        objective([[0.5, 0.12345]], y, hinge_loss),
        objective([[0.5, 1e12]], y, hinge_loss),
    ):
        assert exact_descent(other, **way) is None
    for change in ({"step": 0.0001}, {"step": 0.1234}, {"start": [0, 0, 0.12345]}):
        assert exact_descent(good, **(way | change)) is None
