"""Newton's method with a safeguard, on functions whose minimum is known."""

from itertools import pairwise

import numpy as np
import pytest

from linlib.logistic_regression.newton import _step, newton


class Cosh:
    """``cosh(t) + 1``: from far away Newton's full step is right, quadratic near 0."""

    def value(self, t):
        return float(np.cosh(t[0]) + 1)

    def derivatives(self, t):
        return np.sinh(t), np.cosh(t)[None]


class Soft:
    """``ln(e^t + e^−t) + 1``: full steps run away from every start beyond about 1.09."""

    def value(self, t):
        return float(np.logaddexp(t[0], -t[0]) + 1)

    def derivatives(self, t):
        return np.tanh(t), 1 / np.cosh(t)[None] ** 2


class Parabola:
    def __init__(self, A, b):
        self.A, self.b = A, b

    def value(self, t):
        return float(0.5 * t @ self.A @ t - self.b @ t) + 100

    def derivatives(self, t):
        return self.A @ t - self.b, self.A


def walk(function, start, tolerance=1e-12, max_updates=100, **options):
    start = np.array(start, dtype=float)
    return newton(function, start, tolerance=tolerance, max_updates=max_updates, **options)


def test_a_parabola_takes_one_step_and_the_last_one():
    A, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
    found = walk(Parabola(A, b), [5, -7])
    assert found.converged
    assert len(found.path) == 3
    assert found.path[1] == pytest.approx(np.linalg.solve(A, b))


def test_digits_double_near_the_minimum():
    found = walk(Cosh(), [1.0])
    errors = np.abs([t[0] for t in found.path])
    assert found.converged
    assert errors[-1] < 1e-12
    assert all(after <= before**2 for before, after in pairwise(errors[1:]))


@pytest.mark.parametrize("start", [1.2, 3.0, 10.0, -15.0])
def test_a_step_that_overshoots_is_halved_until_the_value_falls(start):
    found = walk(Soft(), [start])
    assert found.converged
    assert found.path[-1] == pytest.approx([0], abs=1e-9)
    assert (np.diff(found.values) <= 0).all()
    full = start - np.tanh(start) * np.cosh(start) ** 2
    assert abs(full) > abs(start), "the plain step would run away"


def test_a_step_is_halved_only_as_far_as_needed():
    found = walk(Soft(), [1.2], max_updates=1)
    full = np.tanh(1.2) * np.cosh(1.2) ** 2
    assert found.path[1] == pytest.approx([1.2 - full / 2])


def test_a_step_that_lowers_the_value_too_little_is_halved_too():
    # The full step leads to the other side of the minimum, hardly lower than before.
    full = np.tanh(1.085) * np.cosh(1.085) ** 2
    assert 0 < Soft().value([1.085]) - Soft().value([1.085 - full]) < 0.01
    assert walk(Soft(), [1.085], max_updates=1).path[1] == pytest.approx([1.085 - full / 2])


def test_a_step_that_does_not_overshoot_is_made_in_full():
    found = walk(Cosh(), [1.0])
    assert found.path[1] == pytest.approx([1 - np.tanh(1.0)])
    assert found.values == pytest.approx([Cosh().value(t) for t in found.path])
    assert len(found.values) == len(found.path)


def test_a_step_is_never_longer_than_newtons():
    class Quartic:
        def value(self, t):
            return float(t[0] ** 4) + 1

        def derivatives(self, t):
            return 4 * t**3, 12 * t[None] ** 2

    assert walk(Quartic(), [3.0]).path[1] == pytest.approx([2.0]), "though twice as far is better"


def test_a_promise_of_exactly_the_tolerance_is_small_enough():
    class Exact:
        def value(self, t):
            return float(t[0] ** 2) + 127

        def derivatives(self, t):
            return 2 * t, np.array([[2.0]])

    assert len(walk(Exact(), [1.0], tolerance=1 / 128).path) == 2
    assert len(walk(Exact(), [1.0], tolerance=1 / 129).path) == 3


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
    one = Parabola(np.eye(1), np.zeros(1))
    assert len(walk(one, [1.0], tolerance=0.0049).path) == 3
    assert len(walk(one, [1.0], tolerance=0.0051).path) == 2


def test_where_rounding_hides_every_gain_it_stops():
    class Rough(Cosh):
        def value(self, t):
            return 2.0

    found = walk(Rough(), [1.0])
    assert not found.converged
    assert len(found.path) == 1


def test_a_singular_curvature_gets_the_shortest_step_and_a_wrong_one_the_gradient():
    A = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert _step(A, np.array([1.0, 1.0])) == pytest.approx([0.5, 0.5])
    assert _step(-np.eye(2), np.array([1.0, 2.0])).tolist() == [1.0, 2.0]
