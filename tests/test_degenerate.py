"""What decides degenerate cases: kinds of curves, free offsets, long runs, sides, hulls."""

from __future__ import annotations

import numpy as np
import pytest

from linlib import Hyperplane, pla, pla_rows, soft_margin
from linlib.descent import gradient_descent
from linlib.discriminants import QDA
from linlib.held import offset_range, street
from linlib.hulls import gap, hull
from linlib.losses import hinge_loss, squared_loss
from linlib.objectives import objective
from linlib.outlook import outlook
from linlib.quadric import KINDS, boundary, trace
from linlib.sides import difference, side, whole_rows

# ---------------------------------------------------------------- quadric


def model(means: object, covariances: object, prior: float = 0.5) -> QDA:
    priors = np.array([1 - prior, prior])
    return QDA(np.array([0, 1]), priors, np.array(means, float), np.array(covariances, float))


I = np.eye(2)
CASES = {
    "ellipse": model([[0, 0], [0, 0]], [I, 4 * I]),
    "hyperbola": model([[0, 0], [1, 2]], [np.diag([1, 4]), np.diag([4, 1])]),
    "parabola": model([[0, 0], [1, 2]], [np.diag([1, 1]), np.diag([4, 1])]),
    "line": model([[0, 0], [1, 2]], [I, I]),
    "crossing lines": model([[0, 0], [0, 0]], [np.diag([1, 4]), np.diag([4, 1])]),
    "parallel lines": model([[0, 0], [0, 0]], [np.diag([1, 1]), np.diag([4, 1])]),
    "double line": model([[0, 0], [0, 0]], [np.diag([1, 1]), np.diag([4, 1])], prior=2 / 3),
    "point": model([[0, 0], [0, 0]], [I, 4 * I], prior=4 / 5),
    "none": model([[0, 0], [0, 0]], [I, 4 * I], prior=0.9),
    "everywhere": model([[0, 0], [0, 0]], [I, I]),
}


@pytest.mark.parametrize("turn", [0.0, 0.4, 2.1])
@pytest.mark.parametrize("shift", [0.0, 3.7])
@pytest.mark.parametrize("kind", CASES)
def test_every_kind_is_named_wherever_it_lies(kind: str, shift: float, turn: float) -> None:
    plain = CASES[kind]
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved = model(
        plain.means @ R.T + shift, [R @ S @ R.T for S in plain.covariances], plain.priors[1]
    )
    curve = boundary(moved)
    assert curve.kind == kind
    assert set(CASES) == set(KINDS)
    for piece in trace(curve, 10.0):
        near = piece[np.linalg.norm(piece - curve.origin, axis=1) < 10]
        assert np.allclose(moved.log_odds(near), 0, atol=1e-6), "it is drawn where odds are even"
    probe = np.array([0.3, -1.2])
    assert np.isclose(curve.value(probe), moved.log_odds(probe[None])[0])


@pytest.mark.parametrize("kind", ["double line", "point", "crossing lines", "parabola"])
def test_a_hair_beside_it_is_another_kind(kind: str) -> None:
    plain = CASES[kind]
    covariances = plain.covariances + np.array([np.diag([0, 1e-4]), np.zeros((2, 2))])
    assert boundary(model(plain.means, covariances, plain.priors[1])).kind != kind


def test_no_boundary_says_which_class_is_everywhere() -> None:
    assert boundary(CASES["none"]).sign == 1
    assert boundary(model([[0, 0], [0, 0]], [4 * I, I], prior=0.1)).sign == -1


# ---------------------------------------------------------------- street


@pytest.mark.parametrize("seed", range(20))
def test_no_offset_beats_the_range_and_all_of_it_costs_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(9, 2)).astype(float)
    y = np.where(np.arange(9) < rng.integers(1, 9), 1, -1)
    w = rng.integers(-2, 3, size=2).astype(float)
    low, high = offset_range(X, y, w)

    def cost(w0: float) -> float:
        return float(np.maximum(0, 1 - y * (X @ w + w0)).sum())

    assert cost(low) == cost(high) == cost((low + high) / 2)
    assert cost(low - 0.5) > cost(low)
    assert cost(high + 0.5) > cost(high)


def test_multipliers_at_their_bound_leave_the_offset_free() -> None:
    X, y = [[-1.0, 0.0], [1.0, 0.0]], [-1, 1]
    held = street(soft_margin(X, y, penalty=2.0), X, y, 2.0)
    assert held.free
    assert held.support.tolist() == held.inside.tolist() == [0, 1]
    assert held.weights[0] == pytest.approx(0)
    held = street(soft_margin(X, y, penalty=0.01), X, y, 0.01)
    assert not held.free
    assert held.edge.tolist() == [0, 1]


def test_a_multiplier_that_is_rounding_supports_nothing() -> None:
    X, y = [[-1.0, 0.0], [1.0, 0.0], [3.0, 0.0]], [-1, 1, 1]
    fit = soft_margin(X, y, penalty=0.01)
    tiny = np.array([*fit.multipliers[:2], 5.6e-17])
    object.__setattr__(fit, "multipliers", tiny)
    assert street(fit, X, y, 0.01).support.tolist() == [0, 1]


def test_a_warm_start_finds_the_same_minimum() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] + rng.normal(size=30) > 0, 1, -1)
    first = soft_margin(X, y, penalty=0.05)
    X[3] += 0.1
    cold = soft_margin(X, y, penalty=0.05)
    warm = soft_margin(X, y, penalty=0.05, start=first.multipliers)
    assert np.allclose(warm.weights[1:], cold.weights[1:], atol=1e-6)
    assert warm.value == pytest.approx(cold.value, abs=1e-9)
    assert warm.updates < cold.updates
    with pytest.raises(ValueError, match="start: the multipliers of both classes"):
        soft_margin(X, y, penalty=0.05, start=np.eye(30)[0])


# ---------------------------------------------------------------- outlook


def looked(X: object, y: object, loss: object, step: float, start: object, singly: bool) -> object:
    target = objective(X, y, loss, bias=False)
    order = "cyclic" if singly else "all"
    run = gradient_descent(target, step=step, start=start, order=order, max_updates=60)
    return outlook(target, run, step=step, one_by_one=singly)


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


# ---------------------------------------------------------------- sides and hulls


def test_sides_follow_the_decimals() -> None:
    h = Hyperplane([0.1, 0.2], -0.3)
    assert side(h, [[1, 1], [1, 1.0001], [1, 0.9999]]).tolist() == [0, 1, -1]


@pytest.mark.parametrize("seed", range(10))
def test_whole_rows_make_the_mistakes_of_the_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-20, 21, size=(8, 2)) / 4  # exact in floats too
    y = rng.choice([1, -1], 8)
    run, exact = pla(X, y, max_updates=200), pla_rows(whole_rows(X, y, digits=2), max_updates=200)
    assert np.array_equal(run.mistakes, exact.mistakes)
    assert np.array_equal(run.path, exact.path / 100)
    with pytest.raises(ValueError, match="row 0 has more than 1 decimals in column 1"):
        whole_rows([[0.5, 0.25]], [1], digits=1)


def test_hulls_meet_where_no_line_separates() -> None:
    square = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 1]]
    assert hull(square).tolist() == [[0, 0], [2, 0], [2, 2], [0, 2]]
    found = gap([[0, 0], [2, 2], [0, 2], [2, 0]], [1, 1, -1, -1])
    assert found.distance == 0
    assert np.allclose(found.positive, [1, 1])
    found = gap([[0, 0], [0, 2], [3, 0], [4, 4]], [-1, -1, 1, 1])
    assert found.distance == pytest.approx(3)
    assert np.allclose([found.negative, found.positive], [[0, 0], [3, 0]])


def test_difference_of_two_lines() -> None:
    degrees, apart = difference(Hyperplane([1, 0], -1), Hyperplane([1, 1], 0), [0, 0])
    assert degrees == pytest.approx(45)
    assert apart == pytest.approx(1)
