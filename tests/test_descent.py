"""Gradient descent against plain loops, least squares and lasso against their optimality."""

import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentences import assert_one_sentence
from sklearn.linear_model import Lasso, LinearRegression, Ridge

from linlib import data, linear_machine, lms, pass_map
from linlib.descent import Adapt, gradient_descent
from linlib.least_squares import lasso, least_squares
from linlib.losses import hinge_loss, perceptron_loss, squared_loss, zero_one_loss
from linlib.objectives import hinge_objective, objective
from linlib.perceptron import pla
from linlib.relatives import batch
from linlib.rows import augment, signed_rows
from tests import exact

LOSSES = [zero_one_loss, perceptron_loss, squared_loss, hinge_loss]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
each_bias = pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
fuzz = settings(max_examples=40, deadline=None, derandomize=True, database=None)
AND, XOR = data.and_gate(), data.xor_gate()


def noisy(n=40, d=4, seed=0):
    """Return correlated features and labels that no hyperplane separates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.8 * rng.normal(size=(n, 1)) + rng.normal(size=d)
    return X, np.where(X[:, 0] - X[:, -1] / 2 + rng.normal(size=n) > 0, 1, -1)


def integers(seed, n=9, d=3):
    rng = np.random.default_rng(seed)
    return rng.integers(-4, 5, size=(n, d)), rng.choice([-1, 1], size=n)


def dot(a, b):
    return sum(left * right for left, right in zip(a, b, strict=True))


def close_to(found, expected, tolerance=1e-9):
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance)


# --- the objective -----------------------------------------------------------------------------


@each_loss
@each_bias
@pytest.mark.parametrize("average", [True, False], ids=["mean", "sum"])
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_objective_equals_the_definition_row_by_row(loss, bias, average, lam):
    X, y = noisy()
    weights = np.random.default_rng(1).normal(size=X.shape[1] + bias)
    w0, w = (weights[0], weights[1:]) if bias else (0.0, weights)
    total = 0.0
    for x, label in zip(X, y, strict=True):
        total += float(loss.of(np.array(label * (dot(w, x) + w0))))
    expected = total / (len(X) if average else 1) + lam / 2 * dot(w, w)
    found = objective(X, y, loss, penalty=lam, average=average, bias=bias).value(weights)
    assert np.isclose(found, expected, rtol=1e-12), "Σ or mean of the loss, plus lam/2 ‖w‖²"


@each_loss
@each_bias
@pytest.mark.parametrize("average", [True, False], ids=["mean", "sum"])
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_objective_gradient_equals_central_differences_away_from_kinks(loss, bias, average, lam):
    X, y = noisy()
    target = objective(X, y, loss, penalty=lam, average=average, bias=bias)
    weights, h = np.random.default_rng(2).normal(size=X.shape[1] + bias), 1e-6
    s = target.Z @ weights
    assert min(np.abs(s).min(), np.abs(s - 1).min()) > 1e-4, "the example sits on a kink"
    differences = [
        (target.value(weights + h * e) - target.value(weights - h * e)) / (2 * h)
        for e in np.eye(len(weights))
    ]
    assert np.allclose(target.gradient(weights), differences, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("loss", "kink", "side"),
    [(perceptron_loss, 0.0, -1), (hinge_loss, 1.0, +1)],
    ids=["perceptron", "hinge"],
)
def test_objective_gradient_at_a_kink_is_the_one_sided_derivative(loss, kink, side):
    target = objective([[4.0, 2.0]], [1], loss, penalty=0.5, average=True, bias=False)
    # Powers of two: the point sits on the kink exactly, whatever the order of the sum.
    weights, z, h = kink * np.array([0.125, 0.25]), np.array([4.0, 2.0]), 2.0**-24
    one_sided = (target.value(weights + side * h * z) - target.value(weights)) / h
    assert np.isclose(target.gradient(weights) @ (side * z), one_sided, rtol=1e-5, atol=1e-5)


@each_loss
@each_bias
@pytest.mark.parametrize("average", [True, False], ids=["mean", "sum"])
def test_the_rows_parts_of_the_gradient_make_up_the_whole(loss, bias, average):
    X, y = noisy()
    target = objective(X, y, loss, penalty=0.7, average=average, bias=bias)
    weights = np.random.default_rng(3).normal(size=X.shape[1] + bias)
    parts = np.array([target.gradient(weights, row) for row in range(len(X))])
    whole = parts.mean(axis=0) if average else parts.sum(axis=0)
    assert close_to(whole, target.gradient(weights), 1e-12)


def test_the_offset_is_not_penalised():
    X, y = noisy()
    weights = np.array([5.0, 0, 0, 0, 0])
    plain, penalised = (objective(X, y, squared_loss, penalty=lam) for lam in (0.0, 10.0))
    assert penalised.value(weights) == plain.value(weights)
    assert np.array_equal(penalised.gradient(weights), plain.gradient(weights))


def test_without_bias_every_weight_is_penalised():
    X, y = noisy()
    weights = np.array([5.0, 0, 0, 0])
    plain, penalised = (objective(X, y, squared_loss, penalty=lam, bias=False) for lam in (0, 10))
    assert penalised.value(weights) - plain.value(weights) == pytest.approx(125)


def test_hinge_objective_is_mean_hinge_plus_penalty():
    X, y = noisy()
    weights = np.random.default_rng(4).normal(size=5)
    expected = np.maximum(0, 1 - signed_rows(X, y) @ weights).mean()
    expected += 0.3 / 2 * (weights[1:] ** 2).sum()
    assert hinge_objective(X, y, 0.3).value(weights) == pytest.approx(expected)


# --- descent equals the plain loop -------------------------------------------------------------

SLOPES = {
    "perceptron": lambda s: -1.0 if s <= 0 else 0.0,
    "squared": lambda s: s - 1.0,
    "hinge": lambda s: -1.0 if s < 1 else 0.0,
}


def naive_descent(Z, slope, step, steps, *, start, schedule, rows_of_step):
    """Descend in plain loops; ``rows_of_step`` names the rows of step k. Return all weights."""
    weights = [float(value) for value in start]
    path = [weights]
    for k in range(1, steps + 1):
        gradient = [0.0] * len(weights)
        for i in rows_of_step(k):
            factor = slope(dot(Z[i], weights))
            gradient = [g + factor * z for g, z in zip(gradient, Z[i], strict=True)]
        size = step / k if schedule == "1/k" else step
        weights = [w - size * g for w, g in zip(weights, gradient, strict=True)]
        path.append(weights)
    return path


@pytest.mark.parametrize("schedule", ["constant", "1/k"])
@pytest.mark.parametrize("pick", ["all", "cyclic", "random"])
@pytest.mark.parametrize(
    ("loss", "steps"),
    [(perceptron_loss, 25), (hinge_loss, 25), (squared_loss, 4)],
    ids=["perceptron", "hinge", "squared"],
)
def test_descent_equals_the_plain_loop_exactly_on_integers(loss, steps, pick, schedule):
    X, y = integers(seed=1)
    if schedule == "1/k":
        steps = min(steps, 2)  # step/3 is no longer exact, and then sums depend on their order
    Z, n = signed_rows(X, y).tolist(), len(X)
    start = [1.0, -2.0, 0.0, 1.0]
    chosen = np.random.default_rng(7)
    rows_of_step = {
        "all": lambda k: range(n),
        "cyclic": lambda k: [(k - 1) % n],
        "random": lambda k: [chosen.integers(n)],
    }[pick]
    expected = naive_descent(
        Z,
        SLOPES[loss.name],
        0.125,
        steps,
        start=start,
        schedule=schedule,
        rows_of_step=rows_of_step,
    )
    found = gradient_descent(
        objective(X, y, loss),
        step=0.125,
        max_updates=steps,
        start=start,
        schedule=schedule,
        order=pick,
        rng=np.random.default_rng(7),
    )
    assert found.path.tolist() == expected, "weights after every step must be the same to the bit"


@each_loss
@pytest.mark.parametrize("schedule", ["constant", "1/k"])
def test_every_step_goes_against_the_gradient_by_the_scheduled_step(loss, schedule):
    X, y = noisy()
    target = objective(X, y, loss, penalty=0.1, average=True)
    run = gradient_descent(
        target, step=0.3, max_updates=20, schedule=schedule, start=[1, 2, 3, 4, 5]
    )
    for k in range(1, len(run.path)):
        size = 0.3 / k if schedule == "1/k" else 0.3
        expected = run.path[k - 1] - size * target.gradient(run.path[k - 1])
        assert np.array_equal(run.path[k], expected), f"step {k} of schedule {schedule}"


def test_values_are_the_objective_along_the_path():
    target = objective(*noisy(), hinge_loss, penalty=0.1)
    run = gradient_descent(target, step=0.01, max_updates=30)
    assert run.values.tolist() == [target.value(weights) for weights in run.path]
    assert np.array_equal(run.weights, run.path[-1])


def test_best_is_the_lowest_point_of_the_path():
    target = hinge_objective(*noisy(), 0.1)
    run = gradient_descent(target, step=2.0, max_updates=50)
    assert target.value(run.best) == run.values.min()
    assert run.values.min() < run.values[-1], "the example must not simply end at its best"


@pytest.mark.parametrize("step", [1.0, 0.25, 3.0])
@pytest.mark.parametrize("seed", range(6))
def test_batch_perceptron_is_descent_on_the_perceptron_loss(step, seed):
    X, y = integers(seed) if seed else AND
    start = np.random.default_rng(seed).integers(-3, 4, size=X.shape[1] + 1)
    run = batch(X, y, step=step, start=start, max_updates=60)
    walk = gradient_descent(
        objective(X, y, perceptron_loss), step=step, max_updates=60, start=start
    )
    assert np.array_equal(walk.path, run.path), "all mistakes at once is one gradient step"
    assert walk.converged == run.converged


@pytest.mark.parametrize("step", [1.0, 0.25, 3.0])
@pytest.mark.parametrize("seed", range(6))
def test_pla_is_descent_on_the_perceptron_loss_one_row_at_a_time(step, seed):
    X, y = integers(seed, n=6) if seed else AND
    start = np.random.default_rng(seed).integers(-3, 4, size=X.shape[1] + 1)
    run = pla(X, y, step=step, start=start, max_updates=80)
    visits = int(run.visits[-1])
    walk = gradient_descent(
        objective(X, y, perceptron_loss), step=step, max_updates=visits, start=start, order="cyclic"
    )
    updates_so_far = np.searchsorted(run.visits, np.arange(visits + 1), side="right")
    assert np.array_equal(walk.path, run.path[updates_so_far]), "equal after every single visit"


def test_and_by_descent_ends_where_the_perceptron_does():
    walk = gradient_descent(
        objective(*AND, perceptron_loss), step=1.0, max_updates=9 * 4, order="cyclic"
    )
    assert walk.weights.tolist() == [-4, 3, 2]


def test_descent_on_the_mean_is_descent_on_the_sum_with_a_step_n_times_smaller():
    X, y = noisy(n=32)
    mean, total = (objective(X, y, hinge_loss, average=average) for average in (True, False))
    a = gradient_descent(mean, step=0.32, max_updates=40)
    b = gradient_descent(total, step=0.01, max_updates=40)
    assert close_to(a.path, b.path, 1e-12)


def test_the_same_generator_seed_gives_the_same_random_descent():
    target = objective(*noisy(), hinge_loss)
    runs = [
        gradient_descent(target, step=0.1, order="random", rng=np.random.default_rng(seed))
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(runs[0].path, runs[1].path)
    assert not np.array_equal(runs[0].path, runs[2].path)


# --- when descent ends, and how ----------------------------------------------------------------


def largest_eigenvalue(target):
    return float(np.linalg.eigvalsh(target.Z.T @ target.Z).max())


def test_descent_on_squared_loss_converges_below_two_over_the_largest_eigenvalue():
    X, y = noisy(n=30, d=2)
    target = objective(X, y, squared_loss)
    step = 1.98 / largest_eigenvalue(target)
    run = gradient_descent(target, step=step, max_updates=20_000, tolerance=1e-13)
    assert run.converged
    assert not run.diverged
    assert close_to(run.weights, least_squares(X, y).weights)


def test_descent_on_squared_loss_oscillates_for_ever_at_two_over_the_largest_eigenvalue():
    target = objective([[1.0], [-1.0]], [1, -1], squared_loss)  # ZᵀZ = 2 I, minimum at (0, 1)
    assert largest_eigenvalue(target) == 2
    run = gradient_descent(target, step=1.0, max_updates=50, start=[3.0, 2.0])
    assert run.path[::2].tolist() == [[3.0, 2.0]] * 26
    assert run.path[1::2].tolist() == [[-3.0, 0.0]] * 25, "each step lands opposite the minimum"
    assert not run.converged
    assert not run.diverged


def test_descent_on_squared_loss_diverges_above_two_over_the_largest_eigenvalue():
    target = objective(*noisy(n=30, d=2), squared_loss)
    step = 2.02 / largest_eigenvalue(target)
    run = gradient_descent(target, step=step, max_updates=20_000)
    assert run.diverged
    assert not run.converged
    assert len(run.path) < 20_000, "it must stop when the value has blown up"
    assert (run.values[:-1] < 1e100).all(), "and not before"


@pytest.mark.parametrize("loss", LOSSES[1:], ids=lambda loss: loss.name)
@pytest.mark.parametrize("step", [1e3, 1e60, 1e160, 1e300])
def test_an_absurd_step_diverges_without_a_warning(loss, step):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = gradient_descent(objective(*noisy(), loss, penalty=1.0), step=step, max_updates=500)
    assert run.diverged


def test_squared_loss_falls_at_every_step_up_to_one_over_the_largest_eigenvalue():
    target = objective(*noisy(), squared_loss)
    run = gradient_descent(target, step=1 / largest_eigenvalue(target), max_updates=200)
    assert (np.diff(run.values) < 0).all()


def test_a_penalty_lowers_the_threshold_by_its_share():
    X, y = noisy()
    target = objective(X, y, squared_loss, penalty=5.0, bias=False)
    limit = 2 / (largest_eigenvalue(target) + 5.0)
    below, above = (
        gradient_descent(target, step=factor * limit, max_updates=20_000, tolerance=1e-12)
        for factor in (0.99, 1.01)
    )
    assert below.converged
    assert above.diverged


def test_descent_stops_before_the_first_step_no_longer_than_the_tolerance():
    target = objective(*noisy(), squared_loss)
    run = gradient_descent(target, step=0.005, max_updates=10_000, tolerance=1e-4)
    assert run.converged
    moves = np.linalg.norm(np.diff(run.path, axis=0), axis=1)
    assert moves.min() > 1e-4, "every step taken was longer"
    assert np.linalg.norm(0.005 * target.gradient(run.weights)) <= 1e-4, "the next is not"


def test_with_zero_tolerance_only_a_vanishing_gradient_counts_as_converged():
    target = objective(*AND, perceptron_loss)
    assert gradient_descent(target, step=1.0, start=[-4, 3, 2]).converged
    assert gradient_descent(target, step=1.0, start=[-4, 3, 2]).path.shape == (1, 3)
    assert not gradient_descent(
        objective(*noisy(), squared_loss), step=1e-3, max_updates=5
    ).converged


@pytest.mark.parametrize("pick", ["cyclic", "random"])
def test_one_row_at_a_time_never_claims_to_have_converged(pick):
    target = objective(*AND, perceptron_loss)
    rng = np.random.default_rng(1)
    run = gradient_descent(target, step=1.0, max_updates=8, start=[-4, 3, 2], order=pick, rng=rng)
    assert not run.converged, "a row that is content says nothing about the others"
    assert len(run.path) == 9


def test_xor_uses_up_its_budget_and_says_so():
    run = gradient_descent(
        objective(*XOR, perceptron_loss), step=1.0, max_updates=37, start=[0, 1, 0]
    )
    assert len(run.path) == 38
    assert not run.converged
    assert not run.diverged


def test_zero_steps_return_the_start():
    start = np.array([1.0, 2.0, 3.0])
    run = gradient_descent(objective(*AND, squared_loss), step=1.0, max_updates=0, start=start)
    assert run.weights.tolist() == [1, 2, 3]
    assert run.path.tolist() == [[1, 2, 3]]
    assert len(run.values) == 1
    assert not run.converged
    assert not run.diverged


@pytest.mark.parametrize("steps", [0, 3])
def test_the_result_keeps_its_own_copy_of_the_start(steps):
    start = np.array([1.0, 2.0, 3.0])
    run = gradient_descent(objective(*AND, squared_loss), step=0.1, max_updates=steps, start=start)
    weights, path = run.weights.copy(), run.path.copy()
    start[:] = 99
    assert np.array_equal(run.weights, weights)
    assert np.array_equal(run.path, path)


def test_a_decreasing_step_comes_to_rest_where_a_constant_one_jumps_about():
    target = hinge_objective(*noisy(), 0.5)
    constant, decreasing = (
        gradient_descent(target, step=2.0, max_updates=400, schedule=schedule)
        for schedule in ("constant", "1/k")
    )
    lowest = min(constant.values.min(), decreasing.values.min())
    assert decreasing.values[-1] - lowest < (constant.values[-1] - lowest) / 10


@each_bias
def test_the_hyperplane_of_a_descent_reads_the_offset_first(bias):
    run = gradient_descent(objective(*noisy(), squared_loss, bias=bias), step=0.001)
    expected = run.weights if bias else [0, *run.weights]
    assert np.array_equal(run.hyperplane.weights, expected)


def test_results_cannot_be_changed():
    fit = least_squares(*AND)
    with pytest.raises(FrozenInstanceError):
        fit.weights = np.zeros(3)


# --- least squares -----------------------------------------------------------------------------


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


@pytest.mark.parametrize("ridge", [0.1, 1.0, 1e4])
def test_ridge_with_a_penalised_offset_agrees_with_scikit_learn_on_augmented_rows(ridge):
    X, y = noisy()
    theirs = Ridge(alpha=ridge, fit_intercept=False).fit(augment(X), y)
    found = least_squares(X, y, penalty=ridge, penalise_offset=True).weights
    assert close_to(found, theirs.coef_)


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


def dependent(n=20):
    """Return three features of which the third is the sum of the others."""
    X, y = noisy(n, 2)
    return np.column_stack([X, X.sum(axis=1)]), y


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
    for penalise in (True, False):
        options = {"penalise_offset": penalise}
        limit = least_squares(X, y, penalty=1e-8, **options).weights
        assert close_to(least_squares(X, y, **options).weights, limit, 1e-6)


def test_with_a_penalised_offset_the_shortest_weights_count_the_offset_too():
    X, y = np.array([[2.0], [2.0], [2.0]]), [1, 1, -1]
    found = least_squares(X, y, penalise_offset=True).weights
    assert close_to(found, np.linalg.pinv(augment(X)) @ y)
    assert close_to(least_squares(X, y).weights, [1 / 3, 0]), "a free offset does it all alone"


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


# --- lasso -------------------------------------------------------------------------------------


@pytest.mark.parametrize("l1", [0.01, 0.5, 3.0, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_lasso_agrees_with_scikit_learn(l1, seed):
    X, y = noisy(seed=seed)
    theirs = Lasso(alpha=l1 / len(X), tol=1e-12, max_iter=100_000).fit(X, y)
    fit = lasso(X, y, penalty=l1)
    assert fit.converged
    assert close_to(fit.weights, [theirs.intercept_, *theirs.coef_], 1e-7)


@pytest.mark.parametrize("l1", [0.01, 0.5, 3.0, 8.0])
def test_lasso_meets_its_optimality_conditions(l1):
    X, y = noisy()
    weights = lasso(X, y, penalty=l1).weights
    residual = y - augment(X) @ weights
    pulls, w = X.T @ residual, weights[1:]
    assert residual.sum() == pytest.approx(0, abs=1e-9), "the offset is free: no pull on it"
    assert np.allclose(pulls[w != 0], l1 * np.sign(w[w != 0]), atol=1e-7), "balance where w ≠ 0"
    assert (np.abs(pulls[w == 0]) <= l1 + 1e-7).all(), "too weak a pull where w = 0"


def test_lasso_sets_weights_to_exactly_zero():
    X, y = noisy()
    assert (lasso(X, y, penalty=8.0).weights == 0).sum() == 2
    assert (least_squares(X, y).weights != 0).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_lasso_weights_of_zero_are_never_minus_zero(sign):
    X, y = noisy()
    weights = lasso(X, sign * y, penalty=1e3).weights[1:]
    assert weights.tolist() == [0, 0, 0, 0]
    assert not np.signbit(weights).any(), "−0.0 prints as '-0.' and puzzles readers"


def test_lasso_without_penalty_is_least_squares():
    X, y = noisy()
    fit = lasso(X, y, penalty=0.0)
    assert fit.converged
    assert close_to(fit.weights, least_squares(X, y).weights, 1e-7)


def test_lasso_keeps_nothing_from_the_strongest_pull_on():
    X, y = noisy()
    strongest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()
    none = lasso(X, y, penalty=strongest * 1.000001).weights
    assert none[1:].tolist() == [0, 0, 0, 0]
    assert none[0] == y.mean()
    some = lasso(X, y, penalty=strongest * 0.999).weights
    assert np.count_nonzero(some[1:]) == 1, "just below, the strongest feature enters"


def test_lasso_value_cannot_be_improved():
    X, y = noisy()

    def value(weights):
        return 0.5 * ((y - augment(X) @ weights) ** 2).sum() + 3.0 * np.abs(weights[1:]).sum()

    best, rng = lasso(X, y, penalty=3.0).weights, np.random.default_rng(6)
    for size in (1.0, 1e-2, 1e-4):
        others = best + size * rng.normal(size=(100, 5))
        assert all(value(best) <= value(other) for other in others)


def test_lasso_reaches_the_minimum_with_dependent_features():
    X, y = dependent()
    fit = lasso(X, y, penalty=0.5)
    theirs = Lasso(alpha=0.5 / len(X), tol=1e-13, max_iter=100_000).fit(X, y)
    assert fit.converged
    assert close_to(augment(X) @ fit.weights, theirs.predict(X), 1e-6)


@pytest.mark.parametrize("scale", [2.0**-40, 2.0**40])
def test_lasso_in_other_units_is_the_same_lasso(scale):
    # w is measured per unit of X: tolerances on w itself would mean something else in each unit.
    X, y = noisy()
    expected, found = lasso(X, y, penalty=3.0), lasso(X * scale, y, penalty=3.0 * scale)
    assert found.converged
    assert np.array_equal(found.weights[1:] * scale, expected.weights[1:])
    assert found.weights[0] == expected.weights[0]


def test_lasso_says_when_its_passes_did_not_suffice():
    fit = lasso(*noisy(), penalty=0.1, max_passes=1)
    assert not fit.converged
    assert np.isfinite(fit.weights).all()


def test_lasso_stops_when_no_score_changes_by_more_than_the_tolerance():
    X, y = noisy()
    rough = lasso(X, y, penalty=0.1, tolerance=0.1).weights
    fine = lasso(X, y, penalty=0.1).weights
    assert not np.array_equal(rough, fine)
    assert np.abs(augment(X) @ (rough - fine)).max() < 1.0


# --- inputs ------------------------------------------------------------------------------------

X4, Y4 = np.array([[0.0, 0.5], [0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), np.array([-1, -1, 1, 1])
CALLS = {
    "objective": lambda X, y, start: objective(X, y, hinge_loss, penalty=1.0).value(start),
    "objective without bias": lambda X, y, start: objective(
        X, y, hinge_loss, penalty=1.0, bias=False
    ).gradient(start[1:]),
    "gradient_descent": lambda X, y, start: gradient_descent(
        objective(X, y, squared_loss, penalty=1.0), step=0.1, start=start
    ),
    "least_squares": lambda X, y, start: least_squares(X, y, penalty=1.0),
    "least_squares without bias": lambda X, y, start: least_squares(X, y, bias=False),
    "lasso": lambda X, y, start: lasso(X, y, penalty=0.1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
def test_inputs_are_never_modified(call, writeable):
    arrays = [X4.copy(), Y4.astype(float), np.array([1.0, 2.0, 3.0])]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.setflags(write=writeable)
    call(*arrays)
    for name, array, copy in zip(("X", "y", "start"), arrays, before, strict=True):
        assert np.array_equal(array, copy), f"{name} was modified"


def descend(**options):
    return gradient_descent(objective(X4, Y4, hinge_loss), **({"step": 0.1} | options))


BAD = {
    "NaN in X": (lambda: objective([[np.nan]], [1], hinge_loss), "X"),
    "infinity in X": (lambda: least_squares([[np.inf], [1.0]], [1, -1]), "X"),
    "X is flat": (lambda: lasso([1.0, 2.0], [1, -1], penalty=1.0), "X"),
    "X is empty": (lambda: least_squares(np.zeros((0, 2)), []), "X"),
    "X is text": (lambda: least_squares([["a"], ["b"]], [1, -1]), "X"),
    "labels 0 and 1": (lambda: objective(X4, [0, 0, 1, 1], hinge_loss), "y"),
    "labels 0 and 1 in least squares": (lambda: least_squares(X4, [0, 0, 1, 1]), "y"),
    "labels 1 and 2 in lasso": (lambda: lasso(X4, [1, 1, 2, 2], penalty=1.0), "y"),
    "labels True and False": (lambda: least_squares(X4, [True, False, True, True]), "y"),
    "labels are words": (lambda: least_squares(X4, ["a", "b", "a", "b"]), "y"),
    "too few labels": (lambda: least_squares(X4, [1, -1]), "y"),
    "NaN label": (lambda: least_squares(X4, [1, -1, 1, np.nan]), "y"),
    "loss by name": (lambda: objective(X4, Y4, "hinge"), "loss"),
    "negative lam": (lambda: objective(X4, Y4, hinge_loss, penalty=-1.0), "penalty"),
    "NaN lam": (lambda: hinge_objective(X4, Y4, np.nan), "penalty"),
    "lam is text": (lambda: hinge_objective(X4, Y4, "big"), "penalty"),
    "zero step": (lambda: descend(step=0.0), "step"),
    "negative step": (lambda: descend(step=-0.1), "step"),
    "infinite step": (lambda: descend(step=np.inf), "step"),
    "step is text": (lambda: descend(step="0.1"), "step"),
    "negative steps": (lambda: descend(max_updates=-1), "max_updates"),
    "steps as float": (lambda: descend(max_updates=10.0), "max_updates"),
    "steps as bool": (lambda: descend(max_updates=True), "max_updates"),
    "unknown schedule": (lambda: descend(schedule="1/sqrt(k)"), "schedule"),
    "schedule as function": (lambda: descend(schedule=abs), "schedule"),
    "unknown pick": (lambda: descend(order="worst"), "order"),
    "random without rng": (lambda: descend(order="random"), "rng"),
    "random with a seed as rng": (lambda: descend(order="random", rng=7), "rng"),
    "start too short": (lambda: descend(start=[1.0, 2.0]), "start"),
    "start too long": (lambda: descend(start=[1.0, 2.0, 3.0, 4.0]), "start"),
    "NaN in start": (lambda: descend(start=[1.0, np.nan, 3.0]), "start"),
    "start is a matrix": (lambda: descend(start=[[1.0, 2.0, 3.0]]), "start"),
    "negative tolerance": (lambda: descend(tolerance=-1e-3), "tolerance"),
    "NaN tolerance": (lambda: descend(tolerance=np.nan), "tolerance"),
    "tolerance is text": (lambda: descend(tolerance="tiny"), "tolerance"),
    "negative ridge": (lambda: least_squares(X4, Y4, penalty=-1.0), "penalty"),
    "NaN ridge": (lambda: least_squares(X4, Y4, penalty=np.nan), "penalty"),
    "ridge is None": (lambda: least_squares(X4, Y4, penalty=None), "penalty"),
    "negative l1": (lambda: lasso(X4, Y4, penalty=-1.0), "penalty"),
    "infinite l1": (lambda: lasso(X4, Y4, penalty=np.inf), "penalty"),
    "no passes": (lambda: lasso(X4, Y4, penalty=1.0, max_passes=0), "max_passes"),
    "passes as float": (lambda: lasso(X4, Y4, penalty=1.0, max_passes=1e4), "max_passes"),
    "NaN tolerance in lasso": (lambda: lasso(X4, Y4, penalty=1.0, tolerance=np.nan), "tolerance"),
}


@pytest.mark.parametrize(("call", "argument"), BAD.values(), ids=BAD.keys())
def test_bad_input_gets_one_sentence_that_names_the_argument(call, argument):
    assert_one_sentence(call, argument)


# --- far from the origin, and in other units ---------------------------------------------------

far = pytest.mark.parametrize("shift", [0, 10**2, 10**4, 10**6, 10**9, -(10**9)])


def on_a_grid(n, d, seed):
    """Return points that stay exact when moved by whole numbers up to 10⁹, and labels."""
    rng = np.random.default_rng(seed)
    return np.round(64 * rng.normal(size=(n, d))) / 64, rng.choice([-1, 1], size=n)


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
def test_many_rows_are_condensed_without_losing_where_they_are(shift):
    X, y = on_a_grid(3000, 3, seed=6)
    near, moved = least_squares(X, y), least_squares(X + shift, y)
    assert np.allclose(moved.weights[1:], near.weights[1:], rtol=1e-11, atol=1e-13)


@far
def test_the_lasso_does_not_see_where_the_points_are_nor_in_what_order(shift):
    X, y = on_a_grid(30, 5, seed=7)
    near = lasso(X, y, penalty=2.0)
    rows = np.random.default_rng(0).permutation(30)
    moved = lasso((X + shift)[rows], y[rows], penalty=2.0)
    assert near.converged
    assert moved.converged
    assert np.allclose(moved.weights[1:], near.weights[1:], rtol=1e-8, atol=1e-9)
    assert np.array_equal(moved.weights[1:] == 0, near.weights[1:] == 0)


@far
def test_a_least_squares_machine_is_exact_however_far_the_points_are(shift):
    X, _ = on_a_grid(9, 20, seed=8)
    y = np.arange(9) % 3
    expected = exact.shortest_least_squares(X, (y[:, None] == np.arange(3)).astype(int))
    found = linear_machine(X + shift, y, method="least_squares").weights.T[1:]
    assert np.allclose(found, expected[1:].astype(float), rtol=0, atol=1e-11)


@pytest.mark.parametrize("step", [1e300, 1e308])
@pytest.mark.parametrize("schedule", ["constant", "1/k"])
def test_an_enormous_step_blows_up_without_a_warning(step, schedule):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for loss in LOSSES:
            goal = objective(*noisy(), loss, penalty=0.5)
            gradient_descent(goal, step=step, schedule=schedule)
        run = lms(*noisy(), step=step, schedule=schedule)
        assert run.diverged
        assert pass_map(*noisy(), step=step).contraction == np.inf


# --- what a descent keeps ----------------------------------------------------------------------


def test_a_step_that_adapts_shrinks_by_a_twentieth_and_never_grows_unless_told():
    assert tuple(Adapt()) == (0.95, 1.0)


def test_updates_are_the_steps_made():
    target = objective(*AND, squared_loss)
    assert gradient_descent(target, step=0.01, max_updates=7).updates == 7
    assert gradient_descent(target, step=0.01, max_updates=0).updates == 0


def test_a_step_that_lowers_nothing_counts_as_worse():
    # The first row fits already and moves nothing; the second then moves by the adapted step.
    target = objective([[1, 0], [0, 1]], [1, 1], squared_loss, bias=False)
    run = gradient_descent(
        target,
        step=0.125,
        start=[1, 0],
        order="cyclic",
        schedule=Adapt(better=0.5, worse=2.0),
        max_updates=2,
    )
    assert run.path.tolist() == [[1, 0], [1, 0], [1, 0.25]]


def test_errors_of_a_descent_count_scores_of_zero():
    still = gradient_descent(objective(*AND, squared_loss), step=0.1, max_updates=0)
    assert still.errors == 4, "from zero every score is 0"


def test_a_descent_that_overflows_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X in ([[1e5], [2e5]], [[1e5, 1e5], [2e5, -2e5]]):
            target = objective(X, [1, -1], squared_loss, bias=False)
            run = gradient_descent(target, step=1e300, max_updates=3)
            assert run.diverged
            assert run.status == (
                "Diverged: after step 1 the value is beyond 1e100. Take a smaller step."
            )


# --- what least squares says, and many rows ----------------------------------------------------


def test_the_status_of_least_squares_says_whether_there_were_others():
    one, shortest = "Solved: no weights have", "Solved: of all weights with the least cost"
    X, y = AND
    for options in ({}, {"penalise_offset": True}, {"penalty": 1.0}):
        assert least_squares(X, y, **options).status.startswith(one), options
    twice = np.column_stack([X, X[:, 0]])
    for options in ({}, {"penalise_offset": True}, {"bias": False}):
        assert least_squares(twice, y, **options).status.startswith(shortest), options


@pytest.mark.parametrize("penalty", [0.0, 5.0])
def test_thousands_of_rows_are_condensed_to_the_same_solution(penalty):
    X, y = integers(3, n=3000, d=4)
    rows = X - X.mean(axis=0)
    w = np.linalg.solve(rows.T @ rows + penalty * np.eye(4), rows.T @ y)
    fit = least_squares(X, y, penalty=penalty)
    assert close_to(fit.weights, [y.mean() - X.mean(axis=0) @ w, *w])
    machine = linear_machine(X, y, method="least_squares", penalty=penalty)
    assert close_to(machine.weights[1] - machine.weights[0], fit.weights), (
        "indicators are (1 ± y)/2"
    )


def test_among_many_rows_features_that_differ_by_rounding_are_one():
    rng = np.random.default_rng(1)
    t = rng.normal(size=5000)
    X, y = np.column_stack([t, t + 1e-13 * rng.normal(size=5000)]), np.where(t > 0.3, 1, -1)
    w = least_squares(X, y).weights[1:]
    assert close_to(w[0], w[1], 1e-6), "of equally good weights the shortest are equal"


def test_lasso_goes_on_while_any_score_changes():
    # The last point is the mean of all, so its score never changes.
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])
    fit = lasso(X, y, penalty=0.25)
    pull = (X - X.mean(axis=0)).T @ (y - X @ fit.weights[1:] - fit.weights[0])
    assert fit.passes > 2
    assert close_to(pull, 0.25 * np.sign(fit.weights[1:])), "each weight is at its best value"


def test_one_pass_is_a_budget_of_lasso():
    fit = lasso(*noisy(), penalty=0.1, max_passes=1)
    assert (fit.passes, fit.converged) == (1, False)
