"""Least squares and the lasso: their optimality, the shortest of equals, far from the origin."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from linlib import data, linear_machine
from linlib.base.rows import augment
from linlib.descent.linear_regression import (
    _by_normal_equations,
    _by_svd,
    _newton_on_signs,
    lasso,
    least_squares,
)
from tests.helpers import exact
from tests.helpers.samples import close_to, dependent, far, noisy, on_a_grid

each_bias = pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
AND = data.and_gate()


@each_bias
@pytest.mark.parametrize("ridge", [0.0, 2.5])
def test_least_squares_solves_the_normal_equations(bias, ridge):
    X, y = noisy()
    rows = augment(X) if bias else X
    pull = ridge * np.eye(rows.shape[1])
    if bias:
        pull[0, 0] = 0  # the offset is free
    expected = np.linalg.solve(rows.T @ rows + pull, rows.T @ y)
    fit = least_squares(X, y, penalty=ridge, bias=bias)
    assert fit.converged
    assert close_to(fit.weights, expected)


def test_with_dependent_features_least_squares_has_the_shortest_w():
    X, y = dependent()
    weights = least_squares(X, y).weights
    nobody_sees = np.array([1.0, 1.0, -1.0])
    assert np.abs(X @ nobody_sees).max() < 1e-12
    assert weights[1:] @ nobody_sees == pytest.approx(0, abs=1e-12), "else it could be shorter"
    residual = y - augment(X) @ weights
    assert np.abs(augment(X).T @ residual).max() < 1e-11, "and it must still be a minimum"


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


def test_among_many_rows_features_that_differ_by_rounding_are_one():
    rng = np.random.default_rng(1)
    t = rng.normal(size=5000)
    X, y = np.column_stack([t, t + 1e-13 * rng.normal(size=5000)]), np.where(t > 0.3, 1, -1)
    w = least_squares(X, y).weights[1:]
    assert close_to(w[0], w[1], 1e-6), "of equally good weights the shortest are equal"


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
    for seed in range(200):
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
    assert tested > 100


LOSES_DIGITS = {
    "a constant feature": lambda X: np.column_stack([X, np.full(len(X), 0.1)]),
    "a sum of two others": lambda X: np.column_stack([X, X[:, 0] + X[:, 1]]),
    "a millionth beside another": lambda X: np.column_stack([X, X[:, 0] + 1e-6 * X[:, 1]]),
    "fewer rows than features": lambda X: X[:3],
    "squares below the least float": lambda X: X * [1.0, 1.0, 1.0, 1e-160],
}


@pytest.mark.parametrize("change", LOSES_DIGITS.values(), ids=LOSES_DIGITS)
def test_the_normal_equations_are_not_used_where_they_lose_digits(change):
    X, y = noisy(n=30)
    X = change(X)
    y = y[: len(X)].astype(float)
    assert _by_normal_equations(X, y, 0.0, bias=True) is None
    fit = least_squares(X, y)
    residual = y - augment(X) @ fit.weights
    products = (X - X.mean(axis=0)).T @ residual / np.abs(X).max(axis=0)
    assert np.abs(products).max() < 1e-8, "the other method reaches a minimum all the same"


@each_bias
@pytest.mark.parametrize("ridge", [0.0, 2.5])
@pytest.mark.parametrize("units", [[1, 1, 1, 1], [1e-6, 1, 1e6, 1]])
def test_the_two_methods_have_the_same_solution(units, ridge, bias):
    X, y = noisy(n=300)
    X = X * units
    quick = _by_normal_equations(X, y.astype(float), ridge, bias=bias)
    sure = _by_svd(X, y.astype(float), ridge, bias=bias)
    assert quick is not None, "these points lose no digits"
    np.testing.assert_allclose(quick.w * units, sure.w * units, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(quick.residual, sure.residual, rtol=0, atol=1e-12)
    assert quick.w0 == pytest.approx(sure.w0, rel=1e-12, abs=1e-12)


def test_rows_that_come_in_blocks_far_apart_lose_no_digits():
    # The first block is far from the mean of all rows, and its own mean is what is subtracted.
    X, y = noisy(n=9000, d=3)
    X[:2048] += 1e3
    X += 1e6
    quick = _by_normal_equations(X, y.astype(float), 0.0, bias=True)
    assert quick is not None, "refused: the Gram matrix is not that about the mean of all rows"
    np.testing.assert_allclose(quick.w, _by_svd(X, y, 0.0, bias=True).w, rtol=1e-10)


# --- the lasso ----------------------------------------------------------------------------------


@pytest.mark.parametrize("l1", [0.01, 0.5, 3.0, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_lasso_meets_its_optimality_conditions(l1, seed):
    X, y = noisy(seed=seed)
    fit = lasso(X, y, penalty=l1)
    assert fit.converged
    weights = fit.weights
    residual = y - augment(X) @ weights
    pulls, w = X.T @ residual, weights[1:]
    assert residual.sum() == pytest.approx(0, abs=1e-9), "the offset is free: no pull on it"
    assert np.allclose(pulls[w != 0], l1 * np.sign(w[w != 0]), atol=1e-7), "balance where w ≠ 0"
    assert (np.abs(pulls[w == 0]) <= l1 + 1e-7).all(), "too weak a pull where w = 0"


@pytest.mark.parametrize("sign", [1, -1])
def test_lasso_weights_of_zero_are_never_minus_zero(sign):
    X, y = noisy()
    weights = lasso(X, sign * y, penalty=1e3).weights[1:]
    assert weights.tolist() == [0, 0, 0, 0]
    assert not np.signbit(weights).any(), "−0.0 prints as '-0.' and puzzles readers"


def test_lasso_keeps_nothing_from_the_strongest_pull_on():
    X, y = noisy()
    strongest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()
    none = lasso(X, y, penalty=strongest * 1.000001).weights
    assert none[1:].tolist() == [0, 0, 0, 0]
    assert none[0] == y.mean()
    some = lasso(X, y, penalty=strongest * 0.999).weights
    assert np.count_nonzero(some[1:]) == 1, "just below, the strongest feature enters"


def test_lasso_reaches_the_minimum_with_dependent_features():
    X, y = dependent()
    fit = lasso(X, y, penalty=0.5)
    theirs = Lasso(alpha=0.5 / len(X), tol=1e-13, max_iter=100_000).fit(X, y)
    assert fit.converged
    assert close_to(augment(X) @ fit.weights, theirs.predict(X), 1e-6)


def test_lasso_is_quick_where_features_depend_on_each_other():
    # Among such features the cost is a straight line; small steps along it take hundreds of passes.
    for seed in range(20):
        X, y = noisy(n=20, d=3, seed=seed)
        X = np.column_stack([X, X[:, 0] + X[:, 1]])
        fit = lasso(X, y, penalty=0.2)
        assert fit.converged, f"seed {seed}: {fit.status}"
        assert fit.passes <= 10, f"seed {seed}: {fit.status}"
        assert np.count_nonzero(fit.weights[1:]) <= 3, f"seed {seed}: one of the three is spare"


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("units", [[1] * 6, [1e-6, 1, 1e6, 1, 1e3, 1e-3]], ids=["alike", "far"])
def test_lasso_weights_are_scikit_learns(units, share):
    X, y = noisy(n=100, d=6)
    X = X * units
    penalty = share * np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()
    fit = lasso(X, y, penalty=penalty)
    theirs = Lasso(alpha=penalty / len(X), tol=1e-14, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(fit.weights[1:] * units, theirs.coef_ * units, rtol=0, atol=1e-9)
    assert np.array_equal(fit.weights[1:] == 0, theirs.coef_ == 0)


def test_newtons_step_stops_where_a_weight_reaches_0():
    # From (3, 1) the lowest point with both weights above 0 would be (4, −1): the way leads
    # through (3.5, 0), and on from there along the first weight to 4 − ½ = 3.5.
    gram = np.array([[2.0, 1.0], [1.0, 2.0]])
    lowest = np.array([4.0, -1.0])
    w = _newton_on_signs(gram, gram @ lowest + 1.0, 1.0, np.array([3.0, 1.0]))
    assert w.tolist() == [3.5, 0.0]


def test_lasso_goes_on_while_any_score_changes():
    # The last point is the mean of all, so its score never changes.
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])
    fit = lasso(X, y, penalty=0.25)
    products = (X - X.mean(axis=0)).T @ (y - X @ fit.weights[1:] - fit.weights[0])
    assert fit.converged
    assert close_to(products, 0.25 * np.sign(fit.weights[1:])), "each weight is at its best value"


def test_the_status_of_lasso_says_how_it_ended():
    fit = lasso([[0, 0], [1, 0], [0, 1]], [-1, 1, -1], penalty=0.5, tolerance=1e-6)
    zeros = np.count_nonzero(fit.weights[1:] == 0)
    assert fit.status == f"Converged in pass {fit.passes}; {zeros} of 2 weights are exactly 0."
    stopped = lasso(*noisy(), penalty=0.1, max_passes=1)
    assert stopped.status.startswith("Stopped after max_passes=1 passes. ")
    assert (stopped.passes, stopped.converged) == (1, False)
    assert np.isfinite(stopped.weights).all()
    rough, fine = (lasso(*noisy(), penalty=0.1, tolerance=size) for size in (1.0, 1e-9))
    assert rough.converged
    assert rough.passes < fine.passes


def test_one_feature_is_at_its_best_after_a_pass_and_the_next_one_sees_it():
    fit = lasso([[0.0], [1.0]], [-1, 1], penalty=0.25, tolerance=0.0)
    assert (fit.passes, fit.converged, fit.weights.tolist()) == (2, True, [-0.75, 1.5])
    assert fit.status == "Converged in pass 2; 0 of 1 weights are exactly 0."


@pytest.mark.parametrize("penalty", [0.0, 1e-14, 1e-9, 1e-3])
@pytest.mark.parametrize("apart", [1e-10, 1e-6, 1e-3])
def test_nearly_equal_features_are_not_called_converged_above_the_minimum(apart, penalty):
    X, y = noisy(d=2)
    X = np.column_stack([X[:, 0], X[:, 0] + apart * X[:, 1]])
    fit = lasso(X, y, penalty=penalty, max_passes=300)
    residual = y - augment(X) @ fit.weights
    cost = 0.5 * residual @ residual + penalty * np.abs(fit.weights[1:]).sum()
    best = least_squares(X, y).weights
    least = 0.5 * ((y - augment(X) @ best) ** 2).sum() + penalty * np.abs(best[1:]).sum()
    if fit.converged:
        assert cost <= least * (1 + 1e-7)
    assert fit.converged or penalty > 0
