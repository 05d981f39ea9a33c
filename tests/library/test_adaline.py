"""LMS against the plain loop, and the affine map that tells where its passes come to rest."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib import data
from linlib.base.rows import augment
from linlib.descent.adaline import MANY, lms, pass_map
from linlib.descent.gradient import gradient_descent
from linlib.descent.linear_regression import least_squares
from linlib.descent.losses import objective, squared_loss
from tests.sentences import assert_one_sentence

fuzz = settings(max_examples=40, deadline=None, derandomize=True, database=None)
each_bias = pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])


def clouds(n=60, d=3, seed=1):
    return data.two_clouds(n, np.random.default_rng(seed), distance=2.0, d=d)


def naive_lms(rows, labels, step, passes, *, start=None, schedule="constant", number=float):
    """Return the weights after every pass of the rule w ← w + η (y − w · x) x, row after row."""
    weights = [number(0)] * len(rows[0]) if start is None else [number(value) for value in start]
    path = [weights]
    for k in range(1, passes + 1):
        size = step / k if schedule == "1/k" else step
        for x, y in zip(rows, labels, strict=True):
            error = y - sum(w * value for w, value in zip(weights, x, strict=True))
            weights = [w + size * error * value for w, value in zip(weights, x, strict=True)]
        path.append(weights)
    return path


# --- equal to the plain loop -------------------------------------------------------------------


@fuzz
@given(st.integers(0, 10_000), st.booleans())
def test_lms_equals_the_plain_loop_to_the_bit_while_arithmetic_is_exact(seed, bias):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    X, y = rng.integers(-2, 3, size=(n, d)), rng.choice([-1, 1], size=n)
    start = rng.integers(-3, 4, size=d + bias)
    rows = [[1] * bias + x for x in X.tolist()]
    exact = naive_lms(rows, y.tolist(), Fraction(1, 4), 1, start=start.tolist(), number=Fraction)
    run = lms(X, y, step=0.25, max_passes=1, start=start, bias=bias)
    assert run.path.tolist() == exact, "integers, step ¼, one pass: every number is a float"


@each_bias
@pytest.mark.parametrize("schedule", ["constant", "1/k"])
@pytest.mark.parametrize("n", [1, 2, 70])
def test_lms_equals_the_plain_loop_after_every_pass(n, schedule, bias):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 3)), rng.choice([-1, 1], size=n)
    start = rng.normal(size=3 + bias)
    rows = (augment(X) if bias else X).tolist()
    expected = naive_lms(rows, y.tolist(), 0.05, 7, start=start, schedule=schedule)
    run = lms(X, y, step=0.05, max_passes=7, start=start, schedule=schedule, bias=bias)
    assert np.allclose(run.path, expected, rtol=1e-10, atol=1e-13)


@each_bias
@pytest.mark.parametrize("n", [1, 70])
@pytest.mark.parametrize("passes", [2, MANY, MANY + 1, MANY + 30])
def test_many_passes_through_their_map_equal_the_plain_loop(passes, n, bias):
    rng = np.random.default_rng([n, passes])
    X, y = rng.normal(size=(n, 3)), rng.choice([-1, 1], size=n)
    start = rng.normal(size=3 + bias)
    rows = (augment(X) if bias else X).tolist()
    expected = naive_lms(rows, y.tolist(), 0.02, passes, start=start)
    run = lms(X, y, step=0.02, max_passes=passes, start=start, bias=bias)
    assert run.passes == passes or run.converged, "it may stop where a pass moves nothing at all"
    assert np.allclose(run.path, expected[: run.passes + 1], rtol=1e-10, atol=1e-13)
    assert np.allclose(run.weights, expected[-1], rtol=1e-10, atol=1e-13)


@each_bias
def test_lms_is_descent_on_the_squared_loss_one_row_at_a_time(bias):
    X, y = clouds(20)
    walk = gradient_descent(
        objective(X, y, squared_loss, bias=bias), step=0.02, max_updates=5 * 20, order="cyclic"
    )
    run = lms(X, y, step=0.02, max_passes=5, bias=bias)
    assert np.allclose(run.path, walk.path[::20], rtol=1e-10, atol=1e-13)


def test_two_rows_by_hand():
    run = lms([[0.0], [1.0]], [-1, 1], step=0.5, max_passes=1)
    # (0, 0): error −1 on (1, 0) gives (−½, 0); then error 1½ on (1, 1) gives (¼, ¾).
    assert run.path.tolist() == [[0, 0], [0.25, 0.75]]


def test_a_step_of_one_over_the_squared_length_fits_the_row_at_once():
    run = lms([[3.0, 4.0]], [1], step=1 / 25, max_passes=1, bias=False)
    assert run.weights @ [3.0, 4.0] == pytest.approx(1)


def test_the_order_of_rows_matters_to_lms_and_not_to_least_squares():
    X, y = clouds()
    forth, back = (pass_map(X[::s], y[::s], step=0.02).resting_point for s in (1, -1))
    assert np.abs(forth - back).max() > 1e-3
    assert np.allclose(least_squares(X[::-1], y[::-1]).weights, least_squares(X, y).weights)


def test_flipping_all_labels_flips_all_weights():
    X, y = clouds()
    assert np.array_equal(lms(X, -y).path, -lms(X, y).path)


def test_scaling_the_features_and_unscaling_the_step_scales_the_weights_back():
    X, y = clouds()
    found = lms(8 * X, y, step=0.01 / 64, bias=False).path
    assert np.array_equal(8 * found, lms(X, y, step=0.01, bias=False).path)


# --- a pass is an affine map -------------------------------------------------------------------


def test_a_step_falling_like_one_over_k_closes_the_gap():
    X, y = clouds()
    best = least_squares(X, y).weights
    constant = lms(X, y, step=0.05, max_passes=1000).weights
    path = lms(X, y, step=0.05, max_passes=1000, schedule="1/k").path
    away = np.linalg.norm(path - best, axis=1)
    assert away[1000] < np.linalg.norm(constant - best) / 100
    assert away[1000] < 0.2 * away[100] < 0.04 * away[10], "and keeps closing it, like 1/k"


# --- when LMS ends, and how --------------------------------------------------------------------


@pytest.mark.parametrize("step", [1.0, 1e10, 1e160, 1e300])
def test_too_large_a_step_is_flagged_without_a_warning(step):
    X, y = clouds(n=200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lms(X, y, step=step, max_passes=1000)
    assert run.diverged
    assert not run.converged
    assert len(run.path) < 1000, "it must stop once the weights have blown up"


def test_passes_stop_at_the_first_that_moves_no_more_than_the_tolerance():
    X, y = clouds()
    run = lms(X, y, step=0.01, max_passes=5000, tolerance=1e-6)
    moves = np.abs(np.diff(run.path, axis=0)).max(axis=1)
    assert run.converged
    assert moves[-1] <= 1e-6
    assert (moves[:-1] > 1e-6).all()


def test_a_perfect_start_moves_nothing_and_has_converged_after_one_pass():
    run = lms([[1.0], [-1.0]], [1, -1], start=[0.0, 1.0], max_passes=50)
    assert run.converged
    assert run.path.tolist() == [[0, 1], [0, 1]]


def test_the_budget_of_passes_is_kept_and_running_out_is_not_converging():
    run = lms(*clouds(), step=0.001, max_passes=3)
    assert len(run.path) == 4
    assert not run.converged
    assert not run.diverged


def test_zero_passes_return_the_start():
    run = lms(*clouds(d=1), max_passes=0, start=[1.0, 2.0])
    assert run.weights.tolist() == [1, 2]
    assert run.path.tolist() == [[1, 2]]
    assert not run.converged
    assert not run.diverged
    assert run.status.startswith("Stopped after max_passes=0 passes.")


@pytest.mark.parametrize("passes", [0, 2])
def test_the_result_keeps_its_own_copy_of_the_start(passes):
    start = np.array([1.0, 2.0])
    run = lms(*clouds(d=1), max_passes=passes, start=start)
    weights, path = run.weights.copy(), run.path.copy()
    start[:] = 99
    assert np.array_equal(run.weights, weights)
    assert np.array_equal(run.path, path)


@each_bias
def test_the_hyperplane_of_a_run_reads_the_offset_first(bias):
    run = lms(*clouds(), bias=bias)
    expected = run.weights if bias else [0, *run.weights]
    assert np.array_equal(run.hyperplane.weights, expected)


def test_rows_of_zeros_move_nothing():
    X, y = np.zeros((3, 2)), [1, -1, 1]
    assert lms(X, y, bias=False, start=[4.0, 5.0]).weights.tolist() == [4, 5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pass_map(X, y, step=0.1, bias=False).resting_point.tolist() == [0, 0]


# --- inputs ------------------------------------------------------------------------------------

X4, Y4 = np.array([[0.0, 0.5], [0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), np.array([-1, -1, 1, 1])


@each_bias
@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
def test_inputs_are_never_modified(bias, writeable):
    arrays = [X4.copy(), Y4.astype(float), np.arange(2.0 + bias)]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.setflags(write=writeable)
    X, y, start = arrays
    lms(X, y, start=start, bias=bias)
    pass_map(X, y, step=0.1, bias=bias)
    for name, array, copy in zip(("X", "y", "start"), arrays, before, strict=True):
        assert np.array_equal(array, copy), f"{name} was modified"


BAD = {
    "NaN in X": (lambda: lms([[np.nan], [1.0]], [1, -1]), "X"),
    "infinity in X": (lambda: pass_map([[np.inf], [1.0]], [1, -1], step=0.1), "X"),
    "X is flat": (lambda: lms([1.0, 2.0], [1, -1]), "X"),
    "X is flat, no bias": (lambda: lms([1.0, 2.0], [1, -1], bias=False), "X"),
    "X is empty": (lambda: pass_map(np.zeros((0, 2)), [], step=0.1), "X"),
    "labels 0 and 1": (lambda: lms(X4, [0, 0, 1, 1]), "y"),
    "labels 0 and 1 for the map": (lambda: pass_map(X4, [0, 0, 1, 1], step=0.1), "y"),
    "labels are words": (lambda: lms(X4, ["a", "b", "a", "b"]), "y"),
    "too many labels": (lambda: lms(X4, [1, -1, 1, -1, 1]), "y"),
    "zero step": (lambda: lms(X4, Y4, step=0.0), "step"),
    "negative step": (lambda: pass_map(X4, Y4, step=-0.1), "step"),
    "NaN step": (lambda: lms(X4, Y4, step=np.nan), "step"),
    "step is text": (lambda: pass_map(X4, Y4, step="small"), "step"),
    "unknown schedule": (lambda: lms(X4, Y4, schedule="fast"), "schedule"),
    "schedule is a number": (lambda: lms(X4, Y4, schedule=0.1), "schedule"),
    "negative passes": (lambda: lms(X4, Y4, max_passes=-1), "max_passes"),
    "passes as float": (lambda: lms(X4, Y4, max_passes=10.0), "max_passes"),
    "start too short": (lambda: lms(X4, Y4, start=[1.0, 2.0]), "start"),
    "start too long, no bias": (lambda: lms(X4, Y4, start=[1.0, 2.0, 3.0], bias=False), "start"),
    "NaN in start": (lambda: lms(X4, Y4, start=[1.0, 2.0, np.nan]), "start"),
    "negative tolerance": (lambda: lms(X4, Y4, tolerance=-1.0), "tolerance"),
    "NaN tolerance": (lambda: lms(X4, Y4, tolerance=np.nan), "tolerance"),
}


@pytest.mark.parametrize(("call", "argument"), BAD.values(), ids=BAD.keys())
def test_bad_input_gets_one_sentence_that_names_the_argument(call, argument):
    assert_one_sentence(call, argument)


# Two features that never meet: the step suits the first and blows the second up.
APART = [[1.0, 0.0], [0.0, 10.0]], [1, 1]


def test_one_weight_that_blows_up_is_enough():
    run = lms(*APART, step=0.5, bias=False, max_passes=200)
    assert run.diverged
    assert abs(run.weights[0]) < 2, "the other one settles"
    assert run.status == (
        f"Diverged: in pass {run.passes} a weight exceeded 1e100. Take a smaller step."
    )
    assert np.abs(run.path[-2]).max() < 1e100 <= np.abs(run.path[-1]).max()


def test_the_status_says_how_a_run_of_lms_ended():
    stopped = lms([[0], [1]], [-1, 1], step=0.5, max_passes=3)
    assert stopped.status.startswith("Stopped after max_passes=3 passes. ")
    settled = lms([[1.0]], [1], step=0.5, bias=False, tolerance=0.2)
    assert settled.status == "Converged: pass 3 moved no weight by more than 0.2."
    assert (settled.passes, settled.weights.tolist()) == (3, [0.875])
