"""LMS against the plain loop, and the affine map that tells where its passes come to rest."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib import data
from linlib.base.rows import augment
from linlib.descent.adaline import MANY, lms, pass_map

fuzz = settings(max_examples=30, deadline=None, derandomize=True, database=None)
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


PASSES = [
    ("1/k", 7),
    ("1/k", MANY + 1),
    *(("constant", passes) for passes in (2, 7, MANY, MANY + 1, MANY + 30)),
]


@each_bias
@pytest.mark.parametrize(("schedule", "passes"), PASSES)
@pytest.mark.parametrize("n", [1, 2, 70])
def test_lms_equals_the_plain_loop_after_every_pass(n, schedule, passes, bias):
    rng = np.random.default_rng([n, passes])
    X, y = rng.normal(size=(n, 3)), rng.choice([-1, 1], size=n)
    start = rng.normal(size=3 + bias)
    rows = (augment(X) if bias else X).tolist()
    expected = naive_lms(rows, y.tolist(), 0.02, passes, start=start, schedule=schedule)
    run = lms(X, y, step=0.02, max_passes=passes, start=start, schedule=schedule, bias=bias)
    assert run.passes == passes or run.converged, "it may stop where a pass moves nothing at all"
    assert np.allclose(run.path, expected[: run.passes + 1], rtol=1e-10, atol=1e-13)
    assert np.allclose(run.weights, expected[-1], rtol=1e-10, atol=1e-13)


# --- a pass is an affine map -------------------------------------------------------------------


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


@pytest.mark.parametrize("start", [None, [50.0, -50.0, 0.0, 9.0]], ids=["from 0", "from afar"])
def test_passes_settle_at_the_resting_point_wherever_they_start(start):
    X, y = clouds()
    run = lms(X, y, step=0.05, max_passes=500, start=start, tolerance=1e-13)
    assert run.converged
    assert np.allclose(run.weights, pass_map(X, y, step=0.05).resting_point, rtol=1e-10)


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
    found = pass_map(X, y, step=step)
    assert found.contraction == np.inf
    with pytest.raises(ValueError, match=r"^step: .* choose a smaller step\.$"):
        _ = found.resting_point


def test_a_map_of_numbers_that_overflow_is_no_reason_to_warn():
    for X in ([[1e150], [1.0]], [[1e150], [-1e150], [1e150]]):
        found = pass_map(X, np.ones(len(X)), step=1e100, bias=False)
        assert found.contraction == np.inf


def test_a_map_shows_its_size_and_contraction():
    assert repr(pass_map([[1.0]], [1], step=0.5, bias=False)) == (
        "PassMap(entries 1; contraction 0.5)"
    )


# --- when LMS ends, and how --------------------------------------------------------------------


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


def test_zero_passes_return_the_start():
    run = lms(*clouds(d=1), max_passes=0, start=[1.0, 2.0])
    assert run.weights.tolist() == [1, 2]
    assert run.path.tolist() == [[1, 2]]
    assert not run.converged
    assert not run.diverged
    assert run.status.startswith("Stopped after max_passes=0 passes.")


def test_rows_of_zeros_move_nothing():
    X, y = np.zeros((3, 2)), [1, -1, 1]
    assert lms(X, y, bias=False, start=[4.0, 5.0]).weights.tolist() == [4, 5]
    assert pass_map(X, y, step=0.1, bias=False).resting_point.tolist() == [0, 0]


# --- inputs ------------------------------------------------------------------------------------


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
