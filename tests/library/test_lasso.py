"""The lasso: its optimality conditions, exact zeros, and when it stops."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from linlib.base.rows import augment
from linlib.descent.linear_regression import lasso, least_squares
from tests.samples import close_to, dependent, far, noisy, on_a_grid


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


def test_the_status_of_lasso_says_how_it_ended():
    fit = lasso([[0, 0], [1, 0], [0, 1]], [-1, 1, -1], penalty=0.5, tolerance=1e-6)
    zeros = np.count_nonzero(fit.weights[1:] == 0)
    assert fit.status == f"Converged in pass {fit.passes}; {zeros} of 2 weights are exactly 0."
    stopped = lasso(*noisy(), penalty=0.1, max_passes=1)
    assert stopped.status.startswith("Stopped after max_passes=1 passes. ")


def test_one_feature_is_at_its_best_after_a_pass_and_the_next_one_sees_it():
    fit = lasso([[0.0], [1.0]], [-1, 1], penalty=0.25, tolerance=0.0)
    assert (fit.passes, fit.converged, fit.weights.tolist()) == (2, True, [-0.75, 1.5])
    assert fit.status == "Converged in pass 2; 0 of 1 weights are exactly 0."


def test_a_budget_of_lasso_is_at_least_one_pass():
    with pytest.raises(ValueError, match="max_passes: must be at least 1"):
        lasso([[0.0], [1.0]], [-1, 1], penalty=1.0, max_passes=0)


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
