"""Gradient descent against plain loops, least squares and lasso against their optimality."""

import numpy as np
import pytest

from linlib import data, lms, pass_map
from linlib.base.rows import signed_rows
from linlib.descent.gradient import Adapt, gradient_descent
from linlib.descent.linear_regression import least_squares
from linlib.descent.losses import (
    hinge_loss,
    objective,
    perceptron_loss,
    squared_loss,
    zero_one_loss,
)
from linlib.perceptron.variants import batch
from tests.helpers import naive
from tests.helpers.samples import close_to, noisy

LOSSES = [zero_one_loss, perceptron_loss, squared_loss, hinge_loss]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
each_bias = pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
AND = data.and_gate()


def integers(seed, n=9, d=3):
    rng = np.random.default_rng(seed)
    return rng.integers(-4, 5, size=(n, d)), rng.choice([-1, 1], size=n)


# --- the objective -----------------------------------------------------------------------------


@each_loss
@each_bias
@pytest.mark.parametrize("average", [True, False], ids=["mean", "sum"])
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_an_objective_and_its_gradient_are_the_definition(loss, bias, average, lam):
    X, y = noisy()
    target = objective(X, y, loss, penalty=lam, average=average, bias=bias)
    weights, h = np.random.default_rng(2).normal(size=X.shape[1] + bias), 1e-6
    w0, w = (weights[0], weights[1:]) if bias else (0.0, weights)
    s = np.array([label * (naive.dot(w, x) + w0) for x, label in zip(X, y, strict=True)])
    total = sum(float(loss.of(one)) for one in s)
    expected = total / (len(X) if average else 1) + lam / 2 * naive.dot(w, w)
    assert np.isclose(target.value(weights), expected, rtol=1e-12), "Σ or mean, plus lam/2 ‖w‖²"
    assert min(np.abs(s).min(), np.abs(s - 1).min()) > 1e-4, "the example sits on a kink"
    differences = [
        (target.value(weights + h * e) - target.value(weights - h * e)) / (2 * h)
        for e in np.eye(len(weights))
    ]
    assert np.allclose(target.gradient(weights), differences, rtol=1e-6, atol=1e-7)
    parts = np.array([target.gradient(weights, row) for row in range(len(X))])
    whole = parts.mean(axis=0) if average else parts.sum(axis=0)
    assert close_to(whole, target.gradient(weights), 1e-12), "the rows' parts make up the whole"


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
            factor = slope(naive.dot(Z[i], weights))
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
    chosen = np.random.default_rng(7)
    rows_of_step = {
        "all": lambda k: range(n),
        "cyclic": lambda k: [(k - 1) % n],
        "random": lambda k: [chosen.integers(n)],
    }[pick]
    options = {"start": [1.0, -2.0, 0.0, 1.0], "schedule": schedule}
    slope = SLOPES[loss.name]
    expected = naive_descent(Z, slope, 0.125, steps, rows_of_step=rows_of_step, **options)
    options |= {"order": pick, "rng": np.random.default_rng(7)}
    found = gradient_descent(objective(X, y, loss), step=0.125, max_updates=steps, **options)
    assert found.path.tolist() == expected, "weights after every step must be the same to the bit"


def test_values_are_the_objective_along_the_path():
    target = objective(*noisy(), hinge_loss, penalty=0.1)
    run = gradient_descent(target, step=0.01, max_updates=30)
    assert run.values.tolist() == [target.value(weights) for weights in run.path]
    assert run.updates == 30
    assert run.errors == np.count_nonzero(target.Z @ run.weights <= 0)
    assert np.array_equal(run.weights, run.path[-1])


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


# --- when descent ends, and how ----------------------------------------------------------------


def largest_eigenvalue(target):
    return float(np.linalg.eigvalsh(target.Z.T @ target.Z).max())


def test_two_over_the_largest_eigenvalue_divides_convergence_from_divergence():
    X, y = noisy(n=30, d=2)
    target = objective(X, y, squared_loss, penalty=5.0, bias=False)
    limit = 2 / (largest_eigenvalue(target) + 5.0)
    below = gradient_descent(target, step=0.99 * limit, max_updates=20_000, tolerance=1e-13)
    assert (below.converged, below.diverged) == (True, False)
    assert close_to(below.weights, least_squares(X, y, penalty=5.0, bias=False).weights)
    above = gradient_descent(target, step=1.01 * limit, max_updates=20_000)
    assert (above.converged, above.diverged) == (False, True)
    assert len(above.path) < 20_000, "it must stop when the value has blown up"
    assert (above.values[:-1] < 1e100).all(), "and not before"


def test_descent_on_squared_loss_oscillates_for_ever_at_two_over_the_largest_eigenvalue():
    target = objective([[1.0], [-1.0]], [1, -1], squared_loss)  # ZᵀZ = 2 I, minimum at (0, 1)
    assert largest_eigenvalue(target) == 2
    run = gradient_descent(target, step=1.0, max_updates=50, start=[3.0, 2.0])
    assert run.path[::2].tolist() == [[3.0, 2.0]] * 26
    assert run.path[1::2].tolist() == [[-3.0, 0.0]] * 25, "each step lands opposite the minimum"
    assert not run.converged
    assert not run.diverged


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


def test_zero_steps_return_the_start():
    start = np.array([1.0, 2.0, 3.0])
    run = gradient_descent(objective(*AND, squared_loss), step=1.0, max_updates=0, start=start)
    assert run.weights.tolist() == [1, 2, 3]
    assert run.path.tolist() == [[1, 2, 3]]
    assert len(run.values) == 1
    assert run.updates == 0
    assert not run.converged
    assert not run.diverged


# --- inputs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1e60, 1e160, 1e300, 1e308])
@pytest.mark.parametrize("schedule", ["constant", "1/k"])
def test_an_enormous_step_blows_up_without_a_warning(step, schedule):
    for loss in LOSSES:
        goal = objective(*noisy(), loss, penalty=0.5)
        run = gradient_descent(goal, step=step, schedule=schedule)
        assert run.diverged or loss is zero_one_loss
    run = lms(*noisy(), step=step, schedule=schedule)
    assert run.diverged
    assert pass_map(*noisy(), step=step).contraction == np.inf


# --- what a descent keeps ----------------------------------------------------------------------


def test_a_step_that_adapts_shrinks_by_a_twentieth_and_never_grows_unless_told():
    assert tuple(Adapt()) == (0.95, 1.0)


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


def test_a_start_whose_value_overflows_does_not_warn():
    target = objective([[1e10]], [1], squared_loss, bias=False)
    run = gradient_descent(target, step=0.1, start=[1e150], max_updates=0)
    assert run.values.tolist() == [np.inf]
