"""The soft margin: its minimum proved by duality, its conditions, its limits and its sweep."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib import data
from linlib.base.rows import signed_rows
from linlib.descent.losses import hinge_objective
from linlib.margins.hard_margin import max_margin
from linlib.margins.linear_svm import Dual, offset_range, soft_margin
from tests.helpers.samples import close_to, few_integers, messy, overlapping

fuzz = settings(max_examples=30, deadline=None, derandomize=True, database=None)
LAMBDAS = [1e-4, 1e-2, 0.1, 1.0, 10.0]
FEW = 200  # steps: small examples need about one for each row
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
    assert soft_margin(X, y, penalty=1e-6, max_updates=FEW).converged, "pairs need a million steps"


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


def test_a_coarse_tolerance_stops_earlier_and_reports_its_gap():
    X, y = overlapping()
    minimum = soft_margin(X, y, penalty=1e-2).value
    fit = soft_margin(X, y, penalty=1e-2, tolerance=0.5)
    assert fit.value > minimum + 1e-6
    assert fit.value - fit.gap <= minimum


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


# --- the dual problem, move by move ------------------------------------------------------------

ROWS = np.array([[0.0, 1.0], [2.0, -1.0], [1.0, 3.0], [-3.0, -3.0]])
DUAL = Dual(ROWS, np.array([1.0, -1.0, 1.0, -1.0]), 2.0)


def test_it_begins_with_the_multipliers_it_is_given_within_their_bounds():
    assert DUAL.begin(None).tolist() == [0, 0, 0, 0]
    assert DUAL.begin([0.5, 0.75, 0.5, 0.25]).tolist() == [0.5, -0.75, 0.5, -0.25]
    assert DUAL.begin([9.0, 3.0, -1.0, 0.0]).tolist() == [2, -2, 0, 0]
    with pytest.raises(ValueError, match=r"^multipliers: those of both classes must .* sum; .*\.$"):
        DUAL.begin([1.0, 0.5, 0.0, 0.0])


def test_the_pull_is_the_slope_of_the_dual_objective():
    def objective(shares):
        return np.abs(shares).sum() - 0.5 * ((shares @ ROWS) ** 2).sum()

    shares, h = np.array([0.5, -0.75, 0.5, -0.25]), 1e-6
    slopes = [(objective(shares + h * e) - objective(shares - h * e)) / (2 * h) for e in np.eye(4)]
    assert np.allclose(DUAL.pull(shares), slopes, atol=1e-8)


@pytest.mark.parametrize("seed", range(8))
def test_the_partner_is_the_row_with_which_most_is_gained(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(12, 3)) * 10.0 ** rng.integers(-1, 2, size=(12, 1))
    dual = Dual(rows - rows.mean(axis=0), np.resize([1.0, -1.0], 12), 1.0)
    i, gaps = dual.gaps(np.zeros(12))
    gains = {j: g**2 / np.sum((rows[i] - rows[j]) ** 2) for j, g in enumerate(gaps) if g > 0}
    assert dual.partner(i, gaps) == max(gains, key=gains.get)


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


def test_a_warm_start_finds_the_same_minimum_sooner():
    X, y = overlapping(n=30)
    first = soft_margin(X, y, penalty=0.05)
    X[3] += 0.1
    cold = soft_margin(X, y, penalty=0.05)
    warm = soft_margin(X, y, penalty=0.05, multipliers=first.multipliers)
    assert np.allclose(warm.weights[1:], cold.weights[1:], atol=1e-6)
    assert warm.value == pytest.approx(cold.value, abs=1e-9)
    assert warm.updates < cold.updates
