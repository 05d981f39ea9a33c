"""A pass of the least-mean-squares rule is an affine map, and the map says where passes settle."""

import warnings

import numpy as np
import pytest

from linlib import data
from linlib.base.rows import augment
from linlib.descent.adaline import PassMap, lms, pass_map
from linlib.descent.linear_regression import least_squares

each_bias = pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])


def clouds(n=60, d=3, seed=1):
    return data.two_clouds(n, np.random.default_rng(seed), distance=2.0, d=d)


@each_bias
@pytest.mark.parametrize("n", [1, 5, 70])
@pytest.mark.parametrize("step", [1e-3, 0.05, 0.5])
def test_the_map_reproduces_a_pass_from_anywhere(n, step, bias):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 3)), rng.choice([-1, 1], size=n)
    A, b = pass_map(X, y, step=step, bias=bias)
    for _ in range(5):
        start = 10 * rng.normal(size=3 + bias)
        image = lms(X, y, step=step, max_passes=1, start=start, bias=bias).weights
        size = np.abs(A).sum() * np.abs(start).max()
        assert np.allclose(A @ start + b, image, rtol=1e-10, atol=1e-13 * size)


def test_the_map_is_a_product_of_one_factor_a_row_in_their_order():
    X, y = clouds(n=70)
    A, b = np.eye(4), np.zeros(4)
    for x, label in zip(augment(X), y, strict=True):
        factor = np.eye(4) - 0.05 * np.outer(x, x)
        A, b = factor @ A, factor @ b + 0.05 * label * x
    found = pass_map(X, y, step=0.05)
    assert np.allclose(found.A, A, rtol=1e-9, atol=1e-14)
    assert np.allclose(found.b, b, rtol=1e-9, atol=1e-14)


def test_the_first_pass_from_zero_is_b():
    X, y = clouds()
    assert np.allclose(lms(X, y, max_passes=1).weights, pass_map(X, y, step=0.01).b, rtol=1e-12)


@pytest.mark.parametrize("step", [1e-3, 0.01, 0.1, 0.3])
def test_the_resting_point_is_where_a_pass_moves_nothing(step):
    X, y = clouds()
    rest = pass_map(X, y, step=step).resting_point
    after = lms(X, y, step=step, max_passes=1, start=rest).weights
    assert np.allclose(after, rest, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("start", [None, [50.0, -50.0, 0.0, 9.0]], ids=["from 0", "from afar"])
def test_passes_settle_at_the_resting_point_wherever_they_start(start):
    X, y = clouds()
    run = lms(X, y, step=0.05, max_passes=500, start=start, tolerance=1e-13)
    assert run.converged
    assert np.allclose(run.weights, pass_map(X, y, step=0.05).resting_point, rtol=1e-10)


def test_the_resting_point_is_not_least_squares_but_within_order_of_the_step():
    X, y = data.two_clouds(200, np.random.default_rng(7), distance=2.0)
    best = least_squares(X, y).weights
    steps = np.array([1e-2, 1e-3, 1e-4, 1e-5])
    away = [np.linalg.norm(pass_map(X, y, step=s).resting_point - best) for s in steps]
    assert away[0] > 1e-3, "at a constant step LMS does not reach least squares"
    ratios = np.array(away) / steps
    assert np.allclose(ratios[1:], ratios[-1], rtol=0.2), "the distance is proportional to the step"


def test_on_labels_that_a_linear_rule_fits_exactly_lms_rests_at_that_rule():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 2.0]]), [1, -1, 1]
    rest = pass_map(X, y, step=0.3).resting_point
    assert np.allclose(rest, [0, 1, 0], atol=1e-12), "no error is left to push the weights about"


STEPS = [0.02, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0]


def test_passes_settle_exactly_when_the_map_contracts():
    X, y = clouds(n=8, d=2)
    settled = []
    for step in STEPS:
        contraction = pass_map(X, y, step=step).contraction
        assert abs(contraction - 1) > 0.01, "the example must not sit on the border"
        run = lms(X, y, step=step, max_passes=20_000, tolerance=1e-10)
        assert run.converged == (contraction < 1), f"step {step}, contraction {contraction}"
        assert run.diverged == (contraction > 1), f"step {step}, contraction {contraction}"
        settled.append(run.converged)
    assert 0 < sum(settled) < len(STEPS), "the example must show both"


def test_contraction_is_the_factor_by_which_each_pass_closes_in():
    X, y = clouds()
    found = pass_map(X, y, step=0.005)
    away = np.linalg.norm(lms(X, y, step=0.005, max_passes=110).path - found.resting_point, axis=1)
    assert away[110] / away[100] == pytest.approx(found.contraction**10, rel=1e-3)


@pytest.mark.parametrize("step", [0.1, 1e-3, 1e-6])
def test_with_dependent_features_passes_from_zero_rest_at_the_shortest_point(step):
    # Nobody sees the direction (1, 1, −1): the map leaves it alone, and so does LMS from zero.
    X, y = clouds(d=2)
    X = np.column_stack([X, X.sum(axis=1)])
    found = pass_map(X, y, step=step)
    assert found.contraction == pytest.approx(1)
    rest = found.resting_point
    assert rest[1:] @ [1, 1, -1] == pytest.approx(0, abs=1e-9)
    after = lms(X, y, step=step, max_passes=1, start=rest).weights
    assert np.allclose(after, rest, atol=1e-12)
    if step == 0.1:
        assert np.allclose(lms(X, y, step=step, max_passes=2000).weights, rest, atol=1e-9)


@pytest.mark.parametrize("step", [1e10, 1e300])
def test_a_map_too_large_for_floats_still_says_that_passes_blow_up(step):
    X, y = clouds(n=200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pass_map(X, y, step=step)
    assert found.contraction == np.inf
    with pytest.raises(ValueError, match=r"^step: .* choose a smaller step\.$"):
        _ = found.resting_point


def test_a_map_of_numbers_that_overflow_is_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X in ([[1e150], [1.0]], [[1e150], [-1e150], [1e150]]):
            found = pass_map(X, np.ones(len(X)), step=1e100, bias=False)
            assert found.contraction == np.inf


def test_a_map_shows_its_size_and_contraction():
    assert repr(pass_map([[1.0]], [1], step=0.5, bias=False)) == (
        "PassMap(entries 1; contraction 0.5)"
    )


def test_one_entry_beyond_floats_is_enough_to_blow_up():
    found = PassMap(np.array([[0.5, 0.0], [0.0, np.inf]]), np.zeros(2))
    assert found.contraction == np.inf
    with pytest.raises(ValueError, match="nothing rests"):
        _ = found.resting_point
