"""The soft margin: its minimum proved by duality, its conditions, its limits and its phases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib import data
from linlib.base.rows import signed_rows
from linlib.descent.losses import (
    hinge_objective,
    objective,
    squared_hinge_loss,
    squared_loss,
)
from linlib.margins.hard_margin import max_margin
from linlib.margins.linear_svm import (
    Linearised,
    exact_finish,
    interior_point,
    offset_range,
    soft_margin,
)
from tests.helpers.samples import close_to, few_integers, messy, overlapping

fuzz = settings(max_examples=30, deadline=None, derandomize=True, database=None)
LAMBDAS = [1e-4, 1e-2, 0.1, 1.0, 10.0]
FEW = 60  # steps: some twenty of the interior point, and corrections where rows nearly tie
each_lam = pytest.mark.parametrize("lam", LAMBDAS)


def assert_minimal(fit, X, y, lam):
    """Check value, gap and multipliers: they prove that no weights have a lower value."""
    alpha, limit = fit.multipliers, 1 / (len(X) * lam)
    s = signed_rows(X, y) @ fit.weights
    value = np.maximum(0, 1 - s).mean() + lam / 2 * fit.weights[1:] @ fit.weights[1:]
    assert fit.value == pytest.approx(value)
    assert fit.converged
    assert 0 <= fit.gap <= 1e-8, "value and lower bound must meet"
    assert (alpha >= 0).all()
    assert (alpha <= limit).all()
    assert alpha @ y == pytest.approx(0, abs=1e-9 * alpha.sum())
    rows = fit.support
    assert np.array_equal(rows, np.flatnonzero(alpha > 0))
    w = (alpha[rows] * y[rows]) @ X[rows]
    assert close_to(w, fit.weights[1:], 1e-8)
    lower = lam * (alpha.sum() - w @ w / 2)
    assert fit.value - lower == pytest.approx(fit.gap, abs=1e-9), "the gap is what it says"
    if lam >= 1e-4:  # below, agreements carry rounding of about 1e-16 / lam
        inside = np.isclose(alpha, limit, rtol=1e-12, atol=0)
        assert (s[alpha == 0] >= 1 - 1e-7).all(), "no multiplier: on or outside the margin boundary"
        assert (s[inside] <= 1 + 1e-7).all(), "the full multiplier: on or inside it"
        assert np.allclose(s[(alpha > 0) & ~inside], 1, atol=1e-7), "in between: exactly on it"


def assert_gap_proved(fit, X, y, lam):
    """Check that the multipliers themselves prove the gap, at the minimum or before it."""
    alpha, most = fit.multipliers, 1 / (len(X) * lam)
    assert alpha.min() >= 0
    assert alpha.max() <= most * (1 + 1e-12)
    assert abs(alpha @ y) <= 1e-9 * most, "they must balance"
    w = (alpha * y) @ (X - X.mean(axis=0))
    assert fit.value - lam * (alpha.sum() - w @ w / 2) <= fit.gap + 1e-9


# --- it is the minimum, and says so ------------------------------------------------------------


@fuzz
@given(st.integers(0, 10_000))
def test_messy_data_at_any_lambda_get_the_minimum(seed):
    X, y = messy(seed)
    lam = 10.0 ** np.random.default_rng(seed).uniform(-6, 2)
    assert_minimal(soft_margin(X, y, penalty=lam, max_updates=FEW), X, y, lam)


@each_lam
def test_overlapping_clouds_get_the_minimum(lam):
    X, y = overlapping()
    assert_minimal(soft_margin(X, y, penalty=lam), X, y, lam)
    assert soft_margin(X, y, penalty=1e-6, max_updates=FEW).converged


@pytest.mark.parametrize("seed", range(2))
def test_as_lambda_vanishes_separable_data_get_the_maximum_margin(seed):
    X, y = data.separable(30, 2, np.random.default_rng(seed), margin=0.15)
    best, limit = max_margin(X, y), soft_margin(X, y, penalty=1e-8)
    assert close_to(limit.weights, best.weights, 1e-6)
    assert limit.hyperplane.margin(X, y) == pytest.approx(best.margin, rel=1e-6)


# --- the optimality conditions -----------------------------------------------------------------


@each_lam
def test_a_multiplier_at_its_limit_is_exactly_there(lam):
    for seed in range(20):
        X, y = overlapping(n=37, d=3, seed=seed)
        alpha, limit = soft_margin(X, y, penalty=lam).multipliers, 1 / (37 * lam)
        near = (alpha / limit < 1e-9) | (alpha / limit > 1 - 1e-9)
        assert np.isin(alpha[near], [0, limit]).all(), "almost 0 or almost full counts as support"


@pytest.mark.parametrize(("lam", "w"), [(0.5, 1.0), (1.0, 1.0), (2.0, 0.5), (4.0, 0.25)])
def test_two_points_by_hand(lam, w):
    # Minimise max(0, 1 − w) + lam/2 w²: w = 1/lam, but never more than 1.
    fit = soft_margin([[-1.0], [1.0]], [-1, 1], penalty=lam)
    assert fit.weights == pytest.approx([0, w])
    assert fit.value == pytest.approx(1 - w + lam / 2 * w**2)
    assert fit.multipliers == pytest.approx([w / 2, w / 2])


# --- degenerate cases --------------------------------------------------------------------------


def test_more_features_than_rows_are_no_obstacle():
    X, y = overlapping(n=15, d=40)
    fit = soft_margin(X, y, penalty=1e-3)
    assert fit.converged
    assert close_to(fit.weights, max_margin(X, y).weights, 1e-6)


@pytest.mark.parametrize("lam", [1e-300, 1e300])
def test_an_absurd_lambda_gives_no_warning(lam):
    fit = soft_margin([[0.0], [1.0], [2.0]], [-1, -1, 1], penalty=lam)
    assert np.isfinite(fit.weights).all()


@pytest.mark.parametrize("lam", [1e-2, 1e-4, 1e-6])
def test_features_of_very_different_sizes_need_few_steps(lam):
    X, y, *_ = data.load("breast_cancer")  # sizes from 0.001 to 4000
    fit = soft_margin(X, 2 * y - 1, penalty=lam, max_updates=FEW)
    assert fit.converged


def test_nearly_equal_points_do_not_stop_it():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(15, 4))[rng.integers(0, 8, size=15)]
        X += 1e-6 * rng.normal(size=(15, 4))
        y = rng.choice([-1, 1], size=15)
        y[:2] = 1, -1
        fit = soft_margin(X, y, penalty=0.1, max_updates=FEW)
        assert fit.converged, f"seed {seed}"
        assert abs(fit.multipliers @ y) < 1e-9, f"the multipliers must balance: seed {seed}"


def test_a_budget_that_ends_too_early_leaves_a_gap_that_holds_the_minimum():
    X, y = overlapping()
    minimum = soft_margin(X, y, penalty=1e-2).value
    fit = soft_margin(X, y, penalty=1e-2, max_updates=3)
    assert fit.value > minimum + 1e-6, "three steps should not be enough"
    assert fit.value - fit.gap <= minimum
    assert (fit.converged, fit.updates) == (False, 3)
    assert "max_updates=3 was reached" in fit.status
    assert soft_margin(X, y, penalty=1e-2, max_updates=3, tolerance=1.01 * fit.gap).converged


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_one_feature_a_million_times_larger_or_smaller_leaves_no_gap(size):
    for seed in range(10):
        X, y = overlapping(n=40, d=4, seed=seed)
        fit = soft_margin(X * [1, size, 1, 1 / size], y, penalty=1e-3, max_updates=FEW)
        assert fit.converged, f"seed {seed}: {fit.status}"


def test_points_of_size_a_million_are_no_harder_than_those_of_size_one():
    X, y = overlapping(n=40, d=4)
    fit, same = soft_margin(1e6 * X, y, penalty=1e-4), soft_margin(X, y, penalty=1e-16)
    assert fit.gap <= 1e-12, "multipliers of 1e16 cancel, but w must keep its digits"
    assert np.allclose(1e6 * fit.weights[1:], same.weights[1:], rtol=1e-9)


# --- other places, orders and units ------------------------------------------------------------


@pytest.mark.parametrize("larger", [1, -1])
@pytest.mark.parametrize("max_updates", [1, 3, 100])
@pytest.mark.parametrize("seed", range(3))
def test_however_early_it_stops_it_is_no_worse_than_w_equal_to_zero(seed, max_updates, larger):
    X = np.random.default_rng(seed).normal(size=(12, 3)) * [1e-6, 1, 1e6]
    y = larger * np.resize([1, -1, 1], 12)
    fit = soft_margin(X, y, penalty=1e-4, max_updates=max_updates)
    # All in the larger class cost 2 for each of four in twelve; converged is within tolerance.
    assert fit.value <= 2 / 3 + (1e-9 if fit.converged else 1e-12)
    assert_gap_proved(fit, X, y, 1e-4)
    assert fit.value == pytest.approx(hinge_objective(X, y, 1e-4).value(fit.weights), rel=1e-9), (
        "the value is that of the weights"
    )
    assert 0 <= fit.gap <= fit.value


def test_a_free_offset_is_in_the_middle_whichever_multipliers_hang_on_a_rounding():
    X, y = data.load("iris")[:2]
    rng = np.random.default_rng(7)
    train = [rng.permutation(150)[:76] for _ in range(5)][4]
    rows = train[y[train] > 0]
    X = (X[rows] - X[train].mean(axis=0)) / X[train].std(axis=0)
    y = np.where(y[rows] == 1, 1, -1)
    fit = soft_margin(X, y, penalty=0.1)
    lowest, highest = offset_range(X, y, fit.weights[1:])
    assert highest - lowest > 0.01
    assert fit.weights[0] == pytest.approx((lowest + highest) / 2, abs=1e-12)


def test_a_gap_of_nothing_has_converged_at_a_tolerance_of_nothing():
    fit = soft_margin([[-1.0], [1.0]], [-1, 1], penalty=0.25, tolerance=0.0)
    assert (fit.gap, fit.converged) == (0, True)
    assert fit.status == "Converged: no weights have a value more than 0 below 0.125."


@pytest.mark.parametrize("seed", range(4))
def test_without_tolerance_it_stops_at_rounding_even_with_a_point_at_the_centre(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2))
    X, y = np.vstack([X, X.mean(axis=0)]), np.array([1, -1, 1, -1, 1, -1, 1, -1, 1])
    fit = soft_margin(X, y, penalty=0.1, tolerance=0, max_updates=500)
    assert fit.updates < 50
    assert fit.gap < 1e-14


@pytest.mark.parametrize("penalty", [1e-9, 1e-8, 1e-7, 1e-4, 1e-2, 1.0])
def test_the_multipliers_themselves_prove_the_gap_on_small_samples(penalty):
    samples = [(np.array([[1.0], [-1.0], [1.0]]), np.array([1, 1, -1]))]
    for seed in range(40):
        rng = np.random.default_rng(seed)
        samples.append(few_integers(rng, int(rng.integers(2, 7)), int(rng.integers(1, 3))))
        samples[-1][1][:2] = 1, -1
    for X, y in samples:
        fit = soft_margin(X, y, penalty=penalty)
        assert fit.converged or penalty < 1e-7, fit.status
        assert fit.gap < 1e-6
        assert_gap_proved(fit, X, y, penalty)


# --- the phases ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_no_offset_has_less_loss_than_the_best_ones(seed):
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(9) < 0.4, 1.0, -1.0)
    labels[:2] = 1, -1
    scores = rng.integers(-4, 5, size=9) / 2

    def loss(offset):
        return np.maximum(0, 1 - labels * (scores + offset)).sum()

    low, high = offset_range(scores[:, None], labels, [1.0])
    assert low <= high
    assert loss(low) == loss((low + high) / 2) == loss(high)
    assert min(loss(low - 0.25), loss(high + 0.25)) > loss(low)


def test_a_direction_solves_all_the_linearised_conditions():
    rng = np.random.default_rng(4)
    n, d = 9, 3
    Z, stiffness = rng.normal(size=(n, d)), np.array([0.0, 0.5, 2.0])
    u, multipliers, slacks = rng.normal(size=d), rng.random((2, n)), rng.random((2, n))
    aim = 0.1 * rng.random((2, n))
    du, changes, slack_changes = Linearised(Z, stiffness, u, multipliers, slacks).direction(aim)
    alpha, t, xi = multipliers[0] + changes[0], slacks[0], slacks[1]
    assert np.allclose(stiffness * (u + du), Z.T @ alpha), "H u = Zᵀ α"
    assert np.allclose(Z @ (u + du) + (xi + slack_changes[1]) - (t + slack_changes[0]), 1)
    assert np.allclose(changes[0], -changes[1]), "α and β must go on adding up to their bound"
    first_order = multipliers * slacks + changes * slacks + multipliers * slack_changes
    assert np.allclose(first_order, aim), "products, to first order"


@pytest.mark.parametrize("penalty", [1e-3, 0.1, 1.0])
def test_the_point_inside_balances_and_its_products_vanish(penalty):
    X, y = overlapping(n=50, d=3)
    X = X - X.mean(axis=0)
    inner = interior_point(X, y, penalty, 60)
    assert inner.steps < 25
    assert min(part.min() for part in inner[:4]) > 0, "all stay inside"
    assert np.allclose(inner.alpha + inner.beta, 1)
    assert abs(inner.alpha @ y) < 1e-9, "α y must add up to 0"
    products = float((inner.alpha * inner.t + inner.beta * inner.xi).mean())
    assert products < 1e-5, "the sum of the products is the gap"
    assert np.allclose(inner.w, (inner.alpha * y) @ X / (len(y) * penalty), atol=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_the_finish_corrects_rows_that_it_is_told_wrong_states_of(seed):
    X, y = overlapping(n=30, d=2, seed=seed)
    X, most = X - X.mean(axis=0), 1 / (30 * 0.05)
    inner = interior_point(X, y, 0.05, 60)
    right = exact_finish(X, y, most, inner, 60)
    wrong = np.random.default_rng(seed).choice(30, 4, replace=False)
    t, xi = inner.t.copy(), inner.xi.copy()
    t[wrong], xi[wrong] = 2.0, 0.0  # these look as if they were outside
    corrected = exact_finish(X, y, most, inner._replace(t=t, xi=xi), 200)
    assert corrected.steps > right.steps, "the guess was wrong, so it needs corrections"
    assert np.allclose(corrected.w, right.w, atol=1e-9), f"rows {wrong} were told wrong"


@each_lam
def test_no_more_multipliers_lie_between_their_bounds_than_hold_the_margin(lam):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, size=(80, 2)), rng.choice([-1, 1], size=80)  # many on each spot
        alpha = soft_margin(X, y, penalty=lam).multipliers
        between = np.count_nonzero((alpha > 0) & (alpha < alpha.max() * (1 - 1e-12)))
        assert between <= 3, f"seed {seed}: {between} free rows where 3 fix a plane's margin"


# --- the squared hinge -------------------------------------------------------------------------


@each_lam
@pytest.mark.parametrize("seed", range(4))
def test_the_squared_hinge_has_no_gradient_where_it_ends(lam, seed):
    X, y = overlapping(n=40, d=3, seed=seed)
    fit = soft_margin(X, y, penalty=lam, loss=squared_hinge_loss)
    target = objective(X, y, squared_hinge_loss, penalty=lam, average=True)
    assert np.abs(target.gradient(fit.weights)).max() < 1e-12, "it must be the minimum"
    assert fit.value == target.value(fit.weights)
    assert fit.converged
    assert fit.gap < 1e-12
    assert fit.updates < 25
    assert np.allclose((fit.multipliers * y) @ X, fit.weights[1:], rtol=1e-9), "w = Σ α y x"
    loss = np.maximum(0, 1 - signed_rows(X, y) @ fit.weights)
    assert np.allclose(fit.multipliers, 2 * loss / (40 * lam), atol=1e-9)


@pytest.mark.parametrize(("lam", "w"), [(2.0, 0.5), (6.0, 0.25)])
def test_the_squared_hinge_of_two_points_by_hand(lam, w):
    # Minimise (1 − w)² + lam/2 w²: w = 2 / (2 + lam).
    fit = soft_margin([[-1.0], [1.0]], [-1, 1], penalty=lam, loss=squared_hinge_loss)
    assert fit.weights == pytest.approx([0, w])
    assert fit.value == pytest.approx((1 - w) ** 2 + lam / 2 * w**2)


@fuzz
@given(st.integers(0, 10_000))
def test_messy_data_at_any_penalty_get_the_minimum_of_the_squared_hinge(seed):
    X, y = messy(seed)
    lam = 10.0 ** np.random.default_rng(seed).uniform(-6, 2)
    fit = soft_margin(X, y, penalty=lam, loss=squared_hinge_loss)
    assert fit.converged, fit.status


def test_a_loss_without_a_margin_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"^loss: Loss\(squared\) has no margin; pass .*\.$"):
        soft_margin([[-1.0], [1.0]], [-1, 1], penalty=1.0, loss=squared_loss)
