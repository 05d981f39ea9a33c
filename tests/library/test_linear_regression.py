"""Least squares: the normal equations, the shortest of equals, and points far from the origin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge

from linlib import data, linear_machine
from linlib.base.rows import Centre, augment
from linlib.descent.linear_regression import lasso, least_squares
from linlib.descent.losses import objective, squared_loss
from linlib.perceptron.algorithm import pla
from tests import exact
from tests.samples import close_to, dependent, far, noisy, on_a_grid

each_bias = pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
fuzz = settings(max_examples=40, deadline=None, derandomize=True, database=None)
AND = data.and_gate()


def integers(seed, n=9, d=3):
    rng = np.random.default_rng(seed)
    return rng.integers(-4, 5, size=(n, d)), rng.choice([-1, 1], size=n)


@each_bias
@pytest.mark.parametrize("ridge", [0.0, 2.5])
def test_least_squares_solves_the_normal_equations(bias, ridge):
    X, y = noisy()
    rows = augment(X) if bias else X
    pull = ridge * np.eye(rows.shape[1])
    if bias:
        pull[0, 0] = 0  # the offset is free
    expected = np.linalg.solve(rows.T @ rows + pull, rows.T @ y)
    assert close_to(least_squares(X, y, penalty=ridge, bias=bias).weights, expected)


@each_bias
@pytest.mark.parametrize("ridge", [0.0, 2.5])
def test_the_gradient_of_the_objective_vanishes_at_least_squares(bias, ridge):
    X, y = noisy()
    fit = least_squares(X, y, penalty=ridge, bias=bias)
    gradient = objective(X, y, squared_loss, penalty=ridge, bias=bias).gradient(fit.weights)
    assert np.abs(gradient).max() < 1e-11


def test_least_squares_agrees_with_numpy():
    X, y = noisy()
    expected = np.linalg.lstsq(augment(X), y, rcond=None)[0]
    assert close_to(least_squares(X, y).weights, expected)


def test_least_squares_agrees_with_scikit_learn():
    X, y = noisy()
    theirs = LinearRegression().fit(X, y)
    assert close_to(least_squares(X, y).weights, [theirs.intercept_, *theirs.coef_])


@pytest.mark.parametrize("ridge", [0.1, 1.0, 1e4])
def test_ridge_with_a_free_offset_agrees_with_scikit_learn(ridge):
    X, y = noisy()
    theirs = Ridge(alpha=ridge).fit(X, y)
    assert close_to(least_squares(X, y, penalty=ridge).weights, [theirs.intercept_, *theirs.coef_])


def test_a_larger_ridge_gives_a_shorter_w_and_a_larger_error():
    X, y = noisy()
    fits = [least_squares(X, y, penalty=ridge).weights for ridge in (0, 0.1, 1, 10, 100, 1e4)]
    lengths = [np.linalg.norm(weights[1:]) for weights in fits]
    errors = [((y - augment(X) @ weights) ** 2).sum() for weights in fits]
    assert (np.diff(lengths) < 0).all()
    assert (np.diff(errors) > 0).all()


def test_an_enormous_ridge_leaves_only_the_mean_label():
    X, y = noisy()
    weights = least_squares(X, y, penalty=1e12).weights
    assert weights[0] == pytest.approx(y.mean(), abs=1e-8)
    assert np.abs(weights[1:]).max() < 1e-8


def test_with_dependent_features_least_squares_has_the_shortest_w():
    X, y = dependent()
    weights = least_squares(X, y).weights
    nobody_sees = np.array([1.0, 1.0, -1.0])
    assert np.abs(X @ nobody_sees).max() < 1e-12
    assert weights[1:] @ nobody_sees == pytest.approx(0, abs=1e-12), "else it could be shorter"
    residual = y - augment(X) @ weights
    assert np.abs(augment(X).T @ residual).max() < 1e-11, "and it must still be a minimum"
    theirs = LinearRegression().fit(X, y)
    assert close_to(weights, [theirs.intercept_, *theirs.coef_])


def test_with_dependent_features_least_squares_is_the_limit_of_a_small_ridge():
    X, y = dependent()
    limit = least_squares(X, y, penalty=1e-8).weights
    assert close_to(least_squares(X, y).weights, limit, 1e-6)


def test_more_features_than_rows_fit_every_label():
    X, y = noisy(n=5, d=9)
    weights = least_squares(X, y).weights
    assert close_to(augment(X) @ weights, y)


@pytest.mark.parametrize("value", [0.1, 1e9 / 3, -7.0])
def test_a_constant_feature_gets_no_weight(value):
    # Its mean may differ from it in the last bit, and what is left must not be taken for signal.
    X, y = noisy(n=7, d=1)
    with_constant = np.column_stack([np.full(7, value), X])
    for fit in (least_squares, lambda X, y: lasso(X, y, penalty=0.0)):
        weights = fit(with_constant, y).weights
        assert weights[1] == pytest.approx(0, abs=1e-9)
        assert close_to(weights[[0, 2]], least_squares(X, y).weights)
        only = fit(with_constant[:, :1], y).weights
        assert only.tolist() == pytest.approx([y.mean(), 0])


@pytest.mark.parametrize("shift", [1.0, 1e4, 1e8])
def test_moving_all_points_changes_only_the_offset(shift):
    X, y = noisy()
    X = np.round(X * 2**10) / 2**10  # so that the shift is exact
    for fit in (least_squares, lambda X, y: lasso(X, y, penalty=2.0)):
        there = fit(X + shift, y).weights
        assert close_to(there[1:], fit(X, y).weights[1:], 1e-7), "the slope must not notice"


def test_scaling_a_feature_scales_its_weight_back():
    X, y = noisy()
    scales = np.array([1e-6, 1.0, 1e3, 1e6])
    found = least_squares(X * scales, y).weights
    assert close_to(found[1:] * scales, least_squares(X, y).weights[1:], 1e-7)


@pytest.mark.parametrize(
    "fit", [least_squares, lambda X, y: lasso(X, y, penalty=2.0)], ids=["least squares", "lasso"]
)
def test_flipping_all_labels_flips_all_weights(fit):
    X, y = noisy()
    assert close_to(fit(X, -y).weights, -fit(X, y).weights)


@pytest.mark.parametrize(
    "fit", [least_squares, lambda X, y: lasso(X, y, penalty=2.0)], ids=["least squares", "lasso"]
)
def test_the_order_of_rows_does_not_matter(fit):
    X, y = noisy()
    mixed = np.random.default_rng(5).permutation(len(X))
    assert close_to(fit(X[mixed], y[mixed]).weights, fit(X, y).weights)


def test_least_squares_may_err_where_the_perceptron_does_not():
    X, y = np.array([[-1.0], [-0.5], [0.5], [60.0]]), np.array([-1, -1, 1, 1])
    assert pla(X, y).errors == 0
    assert least_squares(X, y).hyperplane.predict(X)[2] == -1, "a far point drags the line away"


@fuzz
@given(st.integers(0, 10_000))
def test_no_other_weights_have_a_smaller_squared_error(seed):
    rng = np.random.default_rng(seed)
    X, y = integers(seed, n=int(rng.integers(1, 9)), d=int(rng.integers(1, 5)))
    target = objective(X, y, squared_loss)
    lowest = target.value(least_squares(X, y).weights)
    for _ in range(10):
        other = rng.normal(size=X.shape[1] + 1)
        assert lowest <= target.value(other) + 1e-12


@far
@pytest.mark.parametrize(("n", "d"), [(7, 20), (8, 8), (12, 30), (30, 4), (9, 8)])
def test_least_squares_are_exact_and_shortest_however_far_the_points_are(n, d, shift):
    X, y = on_a_grid(n, d, seed=n + d)
    w0, *w = exact.shortest_least_squares(X, y)
    w = np.array(w)
    fit = least_squares(X + shift, y)
    size = np.abs(w).max()
    assert np.allclose(fit.weights[1:], w.astype(float), rtol=0, atol=1e-12 * size * d)
    offset = float(w0 - shift * w.sum())
    assert abs(fit.weights[0] - offset) <= 1e-12 * d * size * (1 + abs(shift))


@far
@pytest.mark.parametrize("penalty", [1e-3, 10.0])
def test_a_penalty_does_not_see_where_the_points_are(shift, penalty):
    X, y = on_a_grid(7, 20, seed=5)
    rows = np.random.default_rng(0).permutation(7)
    near, moved = (
        least_squares(X, y, penalty=penalty),
        least_squares((X + shift)[rows][:, ::-1], y[rows], penalty=penalty),
    )
    assert np.allclose(moved.weights[:0:-1], near.weights[1:], rtol=1e-10, atol=1e-12)


@far
def test_many_rows_do_not_lose_where_they_are(shift):
    X, y = on_a_grid(3000, 3, seed=6)
    near, moved = least_squares(X, y), least_squares(X + shift, y)
    assert np.allclose(moved.weights[1:], near.weights[1:], rtol=1e-11, atol=1e-13)


@far
def test_a_least_squares_machine_is_exact_however_far_the_points_are(shift):
    X, _ = on_a_grid(9, 20, seed=8)
    y = np.arange(9) % 3
    expected = exact.shortest_least_squares(X, (y[:, None] == np.arange(3)).astype(int))
    found = linear_machine(X + shift, y, learner="least_squares").weights.T[1:]
    assert np.allclose(found, expected[1:].astype(float), rtol=0, atol=1e-11)


def test_the_status_of_least_squares_says_whether_there_were_others():
    one, shortest = "Solved: no weights have", "Solved: of all weights with the least cost"
    X, y = AND
    for options in ({}, {"penalty": 1.0}):
        assert least_squares(X, y, **options).status.startswith(one), options
    twice = np.column_stack([X, X[:, 0]])
    for options in ({}, {"bias": False}):
        assert least_squares(twice, y, **options).status.startswith(shortest), options


@pytest.mark.parametrize("penalty", [0.0, 5.0])
def test_thousands_of_rows_solve_the_normal_equations(penalty):
    X, y = integers(3, n=3000, d=4)
    rows = X - X.mean(axis=0)
    w = np.linalg.solve(rows.T @ rows + penalty * np.eye(4), rows.T @ y)
    fit = least_squares(X, y, penalty=penalty)
    assert close_to(fit.weights, [y.mean() - X.mean(axis=0) @ w, *w])
    machine = linear_machine(X, y, learner="least_squares", penalty=penalty)
    assert close_to(machine.weights[1] - machine.weights[0], fit.weights), (
        "indicators are (1 ± y)/2"
    )


def test_among_many_rows_features_that_differ_by_rounding_are_one():
    rng = np.random.default_rng(1)
    t = rng.normal(size=5000)
    X, y = np.column_stack([t, t + 1e-13 * rng.normal(size=5000)]), np.where(t > 0.3, 1, -1)
    w = least_squares(X, y).weights[1:]
    assert close_to(w[0], w[1], 1e-6), "of equally good weights the shortest are equal"


def test_a_solution_in_closed_form_has_converged():
    assert least_squares(*AND).converged


def test_the_centre_of_a_constant_column_is_its_number():
    X = np.column_stack([np.full(3, 0.1), [0.1, 0.2, 0.4]])
    centre = Centre.of(X)
    assert centre.mean[0] == 0.1, "three times 0.1 divided by 3 is a hair more"
    assert centre.rest[0] == 0
    assert not centre.away(X)[:, 0].any()


@pytest.mark.parametrize("scales", [(1e8, 1e-9), (1e-9, 1e8), (1e-150, 1.0), (1e120, 1e-120)])
def test_features_in_units_far_apart_are_both_used(scales):
    X, y = np.array([[1.0, 1.0], [2.0, -1.0], [3.0, 2.0]]), np.array([1, -1, 1])
    fit = least_squares(X * scales, y)
    assert np.allclose(augment(X * scales) @ fit.weights, y), "three points, three weights: cost 0"
    assert (fit.errors, fit.status) == (0, "Solved: no weights have a smaller cost.")


def test_of_dependent_features_in_units_far_apart_the_shortest_w_is_taken():
    X, y = noisy(d=1)
    w = least_squares(np.column_stack([X, 1e6 * X]), y).weights[1:]
    assert w[0] == pytest.approx(w[1] / 1e6), "w is a multiple of (1, 1e6)"


def test_the_errors_reported_are_those_of_the_exact_solution():
    square, tested = [[0, 0], [0, 1], [1, 0], [1, 1]], 0
    assert least_squares(square, [-1, 1, 1, -1]).errors == 4, "on XOR the best weights are 0"
    for seed in range(400):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(2, 7)), int(rng.integers(1, 3))
        X, y = rng.integers(-2, 3, size=(n, d)), rng.choice([-1, 1], n)
        if np.linalg.matrix_rank(n * X - X.sum(axis=0)) < d:
            continue
        w0, *w = exact.shortest_least_squares(X, y)
        scores = [w0 + sum(a * int(b) for a, b in zip(w, x, strict=True)) for x in X]
        wrong = sum(score * int(label) <= 0 for score, label in zip(scores, y, strict=True))
        assert least_squares(X, y).errors == wrong, f"seed {seed}"
        assert lasso(X, y, penalty=0.0).errors == wrong, f"seed {seed}"
        tested += 1
    assert tested > 200
