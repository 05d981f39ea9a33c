"""What a descent comes to in the long run, beside descents that are followed."""

from __future__ import annotations

import numpy as np
import pytest

from linlib.descent.gradient import gradient_descent
from linlib.descent.losses import Loss, hinge_loss, objective, perceptron_loss, squared_loss
from linlib.explorers.descent.long_run import exact_descent, long_run_of


def looked(X: object, y: object, loss: object, step: float, start: object, singly: bool) -> object:
    target = objective(X, y, loss, bias=False)
    order = "cyclic" if singly else "all"
    run = gradient_descent(target, step=step, start=start, order=order, max_updates=60)
    return long_run_of(target, run, step=step, one_by_one=singly)


@pytest.mark.parametrize("singly", [False, True])
def test_long_runs_on_the_squared_loss(singly: bool) -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]], [1, 1]
    assert looked(X, y, squared_loss, 0.5, [3, -1], singly).kind == "settles"
    assert np.allclose(looked(X, y, squared_loss, 0.5, [3, -1], singly).rest, 1)
    assert looked(X, y, squared_loss, 2.5, [3, -1], singly).kind == "diverges"
    assert looked(X, y, squared_loss, 2.0, [3, -1], singly).kind == "swings"
    assert looked(X, y, squared_loss, 2.5, [1, 1], singly).kind == "rests"
    flat = looked([[1.0, 1.0], [2.0, 2.0]], y, squared_loss, 0.1, [-3, 3], singly)
    assert (flat.kind, flat.rank) == ("settles", 1)
    assert np.isclose(flat.rest @ [1, -1], -6), "what no row sees stays"


def test_long_runs_on_the_hinge_loss() -> None:
    assert looked([[1.0, 0.0]], [1], hinge_loss, 0.5, [0, 0], False).kind == "rests"
    turning = looked([[1.0, 1.0]] * 2, [1, -1], hinge_loss, 0.3, [0.2, 0.1], True)
    assert (turning.kind, turning.period) == ("cycles", 2)
    assert looked([[1.0, 0.0]], [1], hinge_loss, 1e-3, [0, 0], False).kind == "goes on"


def test_a_pass_whose_steps_undo_each_other_swings_at_its_factor() -> None:
    back = looked([[1.0, 0.0]] * 2, [1, 1], squared_loss, 2.0, [3, 0], True)
    assert (back.kind, back.factor, back.rank) == ("swings", 1, 1)
    mirror = looked([[1.0, 0.0]], [1], squared_loss, 2.0, [3, 0], False)
    assert (mirror.kind, mirror.factor, mirror.rank) == ("swings", -1, 1)
    assert not mirror.pulled


def test_a_pass_beyond_all_floats_diverges() -> None:
    rows = [[1e100, 0.0], [1e100, 1e100], [0.0, 1e100], [1e100, 1.0]]
    target = objective(rows, [1, 1, 1, 1], squared_loss, bias=False)
    run = gradient_descent(target, step=1.0, start=[1, 1], order="cyclic", max_updates=1)
    found = long_run_of(target, run, step=1.0, one_by_one=True)
    assert (found.kind, found.factor, found.rank) == ("diverges", np.inf, 2)


def test_rows_of_zeros_leave_the_start_where_it_is() -> None:
    found = looked([[0.0, 0.0]], [1], squared_loss, 0.5, [3, -1], False)
    assert (found.kind, found.rest.tolist(), found.rank) == ("rests", [3, -1], 0)
    assert looked([[0.0, 0.0]], [1], hinge_loss, 0.5, [3, -1], True).rank == 0


def test_a_descent_rests_where_no_row_pulls_or_pulls_cancel() -> None:
    balanced = looked([[1.0], [1.0]], [1, -1], hinge_loss, 0.5, [0], False)
    assert (balanced.kind, balanced.pulled) == ("rests", True)
    content = looked([[1.0], [-1.0]], [1, -1], hinge_loss, 0.5, [2], False)
    assert (content.kind, content.pulled) == ("rests", False)


@pytest.mark.parametrize(("updates", "kind", "period"), [(3, "goes on", 0), (4, "cycles", 2)])
def test_a_cycle_is_one_once_it_was_made_twice(updates: int, kind: str, period: int) -> None:
    target = objective([[1.0, 1.0]] * 2, [1, -1], hinge_loss, bias=False)
    way = {"step": 0.25, "start": [0.25, 0.5], "order": "cyclic", "max_updates": updates}
    found = long_run_of(target, gradient_descent(target, **way), step=0.25, one_by_one=True)
    assert (found.kind, found.period) == (kind, period)


# --- in whole numbers --------------------------------------------------------------------------


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
    assert run.weights.tolist() == plain.weights.tolist()
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
