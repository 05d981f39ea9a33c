"""Newton's method on functions whose minimum is known, and the coordinates it works in."""

from itertools import pairwise

import numpy as np
import pytest

from linlib.logistic_regression.newton import (
    Coordinates,
    LogisticTarget,
    Parabola,
    _step,
    newton,
    weighted_gram,
)


class Function:
    def parabola(self, t):
        return Parabola(self.value(t), *self.derivatives(t))


class Cosh(Function):
    """``cosh(t) + 1``: from far away Newton's full step is right, quadratic near 0."""

    def value(self, t):
        return float(np.cosh(t[0]) + 1)

    def derivatives(self, t):
        return np.sinh(t), np.cosh(t)[None]


class Soft(Function):
    """``ln(e^t + e^−t) + 1``: full steps run away from every start beyond about 1.09."""

    def value(self, t):
        return float(np.logaddexp(t[0], -t[0]) + 1)

    def derivatives(self, t):
        small = np.exp(-2 * np.abs(t[None]))
        return np.tanh(t), 4 * small / (1 + small) ** 2  # 1 / cosh² without overflow


class Bowl(Function):
    def __init__(self, A, b):
        self.A, self.b = A, b

    def value(self, t):
        return float(0.5 * t @ self.A @ t - self.b @ t) + 100

    def derivatives(self, t):
        return self.A @ t - self.b, self.A


def walk(function, start, tolerance=1e-12, max_updates=100, **options):
    start = np.array(start, dtype=float)
    budget = {"tolerance": tolerance, "max_updates": max_updates}
    return newton(function, start, **budget, **options)


def test_a_parabola_takes_one_step_and_the_last_one():
    A, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
    found = walk(Bowl(A, b), [5, -7])
    assert found.converged
    assert len(found.path) == 3
    assert found.path[1] == pytest.approx(np.linalg.solve(A, b))


def test_digits_double_near_the_minimum():
    found = walk(Cosh(), [1.0])
    errors = np.abs([t[0] for t in found.path])
    assert found.converged
    assert errors[-1] < 1e-12
    assert all(after <= before**2 for before, after in pairwise(errors[1:]))
    assert found.path[1] == pytest.approx([1 - np.tanh(1.0)]), "the full step"
    assert found.values == pytest.approx([Cosh().value(t) for t in found.path])


@pytest.mark.parametrize("start", [1.085, 1.2, 3.0, 10.0, -15.0])
def test_a_step_that_overshoots_is_halved_as_far_as_needed(start):
    found = walk(Soft(), [start])
    assert found.converged
    assert found.path[-1] == pytest.approx([0], abs=1e-9)
    assert (np.diff(found.values) <= 0).all()
    full = np.tanh(start) * np.cosh(start) ** 2
    assert abs(start - full) > 0.99 * abs(start), "the plain step gains nothing or runs away"
    assert abs(start) > 2 or found.path[1] == pytest.approx([start - full / 2])


def test_a_step_is_never_longer_than_newtons():
    class Quartic(Function):
        def value(self, t):
            return float(t[0] ** 4) + 1

        def derivatives(self, t):
            return 4 * t**3, 12 * t[None] ** 2

    assert walk(Quartic(), [3.0]).path[1] == pytest.approx([2.0]), "though twice as far is better"


def test_the_budget_is_kept_and_said():
    found = walk(Cosh(), [5.0], max_updates=2)
    assert not found.converged
    assert len(found.path) == 3
    assert len(found.values) == 3


def test_enough_ends_the_search_before_the_next_step():
    found = walk(Cosh(), [5.0], enough=lambda t: t[0] < 3.5)
    assert not found.converged
    assert found.path[-1][0] < 3.5 <= found.path[-2][0]
    assert len(walk(Cosh(), [1.0], enough=lambda t: True).path) == 1


def test_a_tolerance_is_of_the_value():
    # From t the parabola ½ t² promises t²/2; the value is about 100.
    one = Bowl(np.eye(1), np.zeros(1))
    assert len(walk(one, [1.0], tolerance=0.0049).path) == 3
    assert len(walk(one, [1.0], tolerance=0.0051).path) == 2
    exact = Bowl(56 * np.eye(1), np.zeros(1))  # promises 28 of a value of 128
    assert len(walk(exact, [1.0], tolerance=28 / 128).path) == 2, "exactly is enough"
    assert len(walk(exact, [1.0], tolerance=27 / 128).path) == 3


def test_where_rounding_hides_every_gain_it_stops():
    class Rough(Cosh):
        def value(self, t):
            return 2.0

    found = walk(Rough(), [1.0])
    assert not found.converged
    assert len(found.path) == 1


def test_a_solution_that_solves_nothing_is_not_taken(monkeypatch):
    # On some processors a singular matrix is not noticed, and a huge vector comes out.
    monkeypatch.setattr(np.linalg, "solve", lambda A, b: np.array([1e17, -1e17 + 64]))
    assert _step(np.ones((2, 2)), np.ones(2)) == pytest.approx([0.5, 0.5])


def test_a_singular_curvature_gets_the_shortest_step_and_a_wrong_one_the_gradient():
    A = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert _step(A, np.array([1.0, 1.0])) == pytest.approx([0.5, 0.5])
    assert _step(-np.eye(2), np.array([1.0, 2.0])).tolist() == [1.0, 2.0]


# --- coordinates in which points spread equally ------------------------------------------------


def points(seed=1, n=30, d=3):
    return np.random.default_rng(seed).normal(size=(n, d)) @ [[1, 2, 0], [0, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize("shift", [0, 1e3, 1e8])
@pytest.mark.parametrize("sizes", [[1, 1, 1], [1e-9, 1, 1e9]])
@pytest.mark.parametrize("near", [1.0, 1e-5], ids=["well posed", "nearly dependent"])
def test_the_new_coordinates_are_centred_and_far_from_dependent(near, shift, sizes):
    X = points()
    X[:, 2] = X[:, 0] + near * X[:, 2]
    frame = Coordinates.of((X + shift) * sizes)
    products = frame.rows.T @ frame.rows / len(X)
    assert frame.plain == (near == 1)
    assert np.allclose(products[0], [1, 0, 0, 0], atol=1e-9)
    assert np.linalg.cond(products) < 1e6
    if not frame.plain:
        assert np.allclose(products, np.eye(4), atol=1e-9), "then they are whitened"


def test_weights_give_the_same_scores_one_or_many():
    X = points()
    white = Coordinates.of(X)
    t = np.random.default_rng(2).normal(size=(5, 4))
    weights = white.weights(t)
    assert np.allclose(X @ weights[:, 1:].T + weights[:, 0], white.rows @ t.T)
    assert np.allclose(white.weights(t[3]), weights[3])
    assert not white.dependent


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1, 1], [1, 1e3, 1, 10, 0.1]])
def test_of_dependent_features_the_shortest_weights(sizes):
    X = np.column_stack([points(), points()[:, 0] - points()[:, 1], np.full(30, 0.3)]) * sizes
    white = Coordinates.of(X)
    assert white.dependent
    assert white.rows.shape == (30, 4)
    t = np.array([1.0, 2.0, 3.0, 4.0])
    w0, *w = white.weights(t)
    assert np.allclose(X @ w + w0, white.rows @ t)
    centred = X - X.mean(axis=0)
    shortest = np.linalg.lstsq(centred, centred @ w, rcond=1e-10)[0]
    assert np.allclose(w, shortest)


def test_equal_points_leave_only_the_offset():
    white = Coordinates.of(np.full((4, 2), 7.0))
    assert white.rows.tolist() == [[1]] * 4
    assert white.weights(np.array([2.5])).tolist() == [2.5, 0, 0]
    assert white.dependent
    x = np.random.default_rng(3).normal(size=20)
    assert Coordinates.of(np.column_stack([x, 0.1 * x, 1 - x])).rows.shape == (20, 2), "a line"
    assert Coordinates.of(points(n=3, d=3)).rows.shape == (3, 3), "few rows"


def test_rows_for_a_proof_are_the_points_moved_and_scaled():
    X = np.array([[0.0, 5.0], [4.0, 5.0], [8.0, 5.0]])
    rows, far = Coordinates.of(X).proof_rows(X)
    assert rows.tolist() == [[1, -1, 0], [1, 0, 0], [1, 1, 0]]
    assert far == 6, "a constant 5 is known to 5 EPS, and is divided by 1"
    X = points() * [1, 1e5, 1e-5]
    frame = Coordinates.of(X)
    assert frame.proof_rows(X)[0] is frame.rows
    assert np.abs(frame.rows).max() == 1


def test_squares_are_the_weighted_products_of_rows():
    rows = np.random.default_rng(1).normal(size=(3000, 3))
    shares = np.random.default_rng(2).random(3000)
    assert np.allclose(weighted_gram(rows, shares), rows.T @ np.diag(shares) @ rows)


def test_the_parabola_has_the_values_slopes_and_curvature_of_the_loss():
    # Three blocks of rows, against the definitions one row at a time and against differences.
    rng = np.random.default_rng(5)
    A = np.column_stack([np.ones(5000), rng.normal(size=(5000, 2))])
    y = rng.choice([-1.0, 1.0], 5000)
    t = np.array([0.3, -2.0, 0.5])
    target = LogisticTarget(A, y, 0.1 * np.eye(2))
    found = target.parabola(t)
    naive = np.mean([np.log(1 + np.exp(-s)) for s in y * (A @ t)]) + 0.05 * (t[1:] @ t[1:])
    assert found.value == pytest.approx(naive, rel=1e-12)
    assert target.value(t) == pytest.approx(naive, rel=1e-12)
    h = 1e-5
    for j, unit in enumerate(np.eye(3)):
        up, down = target.parabola(t + h * unit), target.parabola(t - h * unit)
        assert found.gradient[j] == pytest.approx((up.value - down.value) / (2 * h), abs=1e-9)
        assert found.hessian[j] == pytest.approx((up.gradient - down.gradient) / (2 * h), abs=1e-9)


def test_the_parabola_of_the_loss_is_right_for_scores_of_any_size():
    target = LogisticTarget(np.ones((2, 1)), np.array([1.0, -1.0]))
    for size in (800.0, -800.0):
        found = target.parabola(np.array([size]))
        assert found == (400.0, pytest.approx(np.sign(size) * 0.5), 0.0)
