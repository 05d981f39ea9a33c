"""The soft margin: its minimum proved by duality, its conditions, its limits and its sweep."""

import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from linlib import data
from linlib.base.rows import signed_rows
from linlib.descent.gradient import gradient_descent
from linlib.descent.losses import hinge_objective
from linlib.margins.hard_margin import max_margin
from linlib.margins.linear_svm import offset_range, soft_margin
from linlib.solvers.dual import Dual
from tests.sentences import assert_one_sentence

fuzz = settings(max_examples=40, deadline=None, derandomize=True, database=None)
LAMBDAS = [1e-4, 1e-2, 0.1, 1.0, 10.0]
FEW = 200  # steps: small examples need about one for each row
each_lam = pytest.mark.parametrize("lam", LAMBDAS)


def overlapping(n=60, d=2, seed=3):
    return data.two_clouds(n, np.random.default_rng(seed), distance=2.0, d=d)


def apart(seed=1, d=2):
    return data.separable(30, d, np.random.default_rng(seed), margin=0.15)


def messy(seed):
    """Return few integer points with random labels: duplicates, ties and clashes abound."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 25)), int(rng.integers(1, 5))
    X, y = rng.integers(-3, 4, size=(n, d)), rng.choice([-1, 1], size=n)
    y[:2] = 1, -1
    return X, y, 10.0 ** rng.uniform(-6, 2)


def close_to(found, expected, tolerance=1e-7):
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance)


# --- it is the minimum, and says so ------------------------------------------------------------


@fuzz
@given(st.integers(0, 10_000))
def test_the_gap_closes_on_messy_data_at_any_lambda(seed):
    X, y, lam = messy(seed)
    fit = soft_margin(X, y, penalty=lam, max_updates=FEW)
    assert fit.converged
    assert 0 <= fit.gap <= 1e-8, "value and lower bound must meet"


@each_lam
def test_value_is_the_objective_at_the_weights(lam):
    X, y = overlapping()
    fit = soft_margin(X, y, penalty=lam)
    s = signed_rows(X, y) @ fit.weights
    mean_hinge = np.maximum(0, 1 - s).mean()
    assert fit.value == pytest.approx(mean_hinge + lam / 2 * fit.weights[1:] @ fit.weights[1:])


@each_lam
def test_the_multipliers_prove_that_nothing_is_lower(lam):
    X, y = overlapping()
    fit = soft_margin(X, y, penalty=lam)
    alpha = fit.multipliers
    w = (alpha * y) @ X
    assert (alpha >= 0).all()
    assert (alpha <= 1 / (len(X) * lam)).all()
    assert alpha @ y == pytest.approx(0, abs=1e-9 * alpha.sum())
    lower = lam * (alpha.sum() - w @ w / 2)
    assert lower <= fit.value + 1e-12, "weak duality"
    assert fit.value - lower == pytest.approx(fit.gap, abs=1e-9), "the gap is what it says"
    assert fit.value - lower <= 1e-8


@each_lam
def test_no_perturbation_is_lower(lam):
    X, y = overlapping()
    fit = soft_margin(X, y, penalty=lam)
    target, rng = hinge_objective(X, y, lam), np.random.default_rng(1)
    for size in (10.0, 1.0, 1e-2, 1e-4):
        for direction in rng.normal(size=(100, 3)):
            assert target.value(fit.weights + size * direction) >= fit.value - 1e-12


@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0])
def test_subgradient_descent_comes_near_and_never_below(lam):
    X, y = overlapping()
    fit = soft_margin(X, y, penalty=lam)
    target = hinge_objective(X, y, lam)
    walk = gradient_descent(target, step=1 / lam, max_updates=4000, schedule="1/k")
    assert walk.values.min() >= fit.value - 1e-12
    assert walk.values.min() <= fit.value + 0.01, "two ways to one minimum"


@each_lam
@pytest.mark.parametrize("seed", range(3))
def test_weights_agree_with_scikit_learn(lam, seed):
    X, y = overlapping(n=40, d=3, seed=seed)
    theirs = SVC(kernel="linear", C=1 / (len(X) * lam), tol=1e-9).fit(X, y)
    fit = soft_margin(X, y, penalty=lam)
    exact = 1e-5 if lam >= 1e-2 else 1e-3  # LIBSVM keeps products of points in single precision
    assert close_to(fit.weights[1:], theirs.coef_[0], exact)
    if (fit.multipliers[fit.support] < 1 / (len(X) * lam)).any():  # else many offsets are best
        assert close_to(fit.weights[0], theirs.intercept_[0], exact)
    at_theirs = hinge_objective(X, y, lam).value(np.append(theirs.intercept_, theirs.coef_))
    assert fit.value <= at_theirs + 1e-12


# --- the optimality conditions -----------------------------------------------------------------


@fuzz
@given(st.integers(0, 10_000))
def test_each_multiplier_tells_where_its_point_lies(seed):
    X, y, lam = messy(seed)
    lam = max(lam, 1e-4)  # below, agreements carry rounding of about 1e-16 / lam
    fit = soft_margin(X, y, penalty=lam, max_updates=FEW)
    limit = 1 / (len(X) * lam)
    s, alpha = signed_rows(X, y) @ fit.weights, fit.multipliers
    inside = np.isclose(alpha, limit, rtol=1e-12, atol=0)
    assert (s[alpha == 0] >= 1 - 1e-7).all(), "no multiplier: on or outside the margin boundary"
    assert (s[inside] <= 1 + 1e-7).all(), "the full multiplier: on or inside it"
    between = (alpha > 0) & ~inside
    assert np.allclose(s[between], 1, atol=1e-7), "in between: exactly on the margin boundary"


@each_lam
def test_a_multiplier_at_its_limit_is_exactly_there(lam):
    for seed in range(20):
        X, y = overlapping(n=37, d=3, seed=seed)
        alpha, limit = soft_margin(X, y, penalty=lam).multipliers, 1 / (37 * lam)
        near = (alpha / limit < 1e-9) | (alpha / limit > 1 - 1e-9)
        assert np.isin(alpha[near], [0, limit]).all(), "almost 0 or almost full counts as support"


@each_lam
def test_w_is_the_sum_of_the_support_rows(lam):
    X, y = overlapping()
    fit = soft_margin(X, y, penalty=lam)
    rows = fit.support
    assert np.array_equal(rows, np.flatnonzero(fit.multipliers > 0))
    assert close_to((fit.multipliers[rows] * y[rows]) @ X[rows], fit.weights[1:], 1e-8)


@pytest.mark.parametrize("lam", [1e-3, 1e-2, 0.1])
def test_removing_rows_without_multiplier_changes_nothing(lam):
    X, y = overlapping()
    fit = soft_margin(X, y, penalty=lam)
    kept = fit.support
    assert len(kept) < len(X), "the example must leave something to remove"
    # The mean is over fewer rows now: the same sum of losses needs lam · n / kept.
    alone = soft_margin(X[kept], y[kept], penalty=lam * len(X) / len(kept))
    assert close_to(alone.weights, fit.weights, 1e-6)


def test_removing_a_support_row_changes_the_weights():
    X, y = apart()
    fit = soft_margin(X, y, penalty=1e-6)
    kept = np.delete(np.arange(len(X)), fit.support[0])
    assert np.abs(soft_margin(X[kept], y[kept], penalty=1e-6).weights - fit.weights).max() > 1e-3


@pytest.mark.parametrize(("lam", "w"), [(0.5, 1.0), (1.0, 1.0), (2.0, 0.5), (4.0, 0.25)])
def test_two_points_by_hand(lam, w):
    # Minimise max(0, 1 − w) + lam/2 w²: w = 1/lam, but never more than 1.
    fit = soft_margin([[-1.0], [1.0]], [-1, 1], penalty=lam)
    assert fit.weights == pytest.approx([0, w])
    assert fit.value == pytest.approx(1 - w + lam / 2 * w**2)
    assert fit.multipliers == pytest.approx([w / 2, w / 2])


# --- the sweep of lambda -----------------------------------------------------------------------


@pytest.mark.parametrize("sample", [overlapping, apart], ids=["overlapping", "separable"])
def test_a_larger_lambda_gives_a_wider_street_and_more_hinge_loss(sample):
    X, y = sample()
    sweep = np.logspace(-5, 2, 30)
    weights = [soft_margin(X, y, penalty=lam).weights for lam in sweep]
    lengths = np.array([np.linalg.norm(w[1:]) for w in weights])
    losses = np.array([np.maximum(0, 1 - signed_rows(X, y) @ w).mean() for w in weights])
    assert (np.diff(lengths) <= 1e-7 * lengths[:-1]).all(), "‖w‖ must never grow with lam"
    assert (np.diff(losses) >= -1e-8).all(), "the mean hinge loss must never fall with lam"
    assert lengths[-1] < lengths[0] / 10
    assert losses[-1] > losses[0]


@pytest.mark.parametrize("seed", range(4))
def test_as_lambda_vanishes_separable_data_get_the_maximum_margin(seed):
    X, y = apart(seed)
    best = max_margin(X, y)
    away = [
        np.linalg.norm(soft_margin(X, y, penalty=lam).weights - best.weights)
        for lam in (1.0, 1e-2, 1e-8)
    ]
    assert away[0] > away[1] > away[2]
    limit = soft_margin(X, y, penalty=1e-8)
    assert close_to(limit.weights, best.weights, 1e-6)
    assert limit.hyperplane.margin(X, y) == pytest.approx(best.margin, rel=1e-6)
    assert 1 / limit.hyperplane.norm == pytest.approx(best.margin, rel=1e-6), "half the street"


def test_below_some_lambda_separable_data_pay_no_hinge_at_all():
    X, y = apart()
    most = max_margin(X, y).shares.max() / max_margin(X, y).margin ** 2 / 2
    enough = 1 / (len(X) * most)  # from here on no multiplier of the hard margin is cut off
    fit = soft_margin(X, y, penalty=0.99 * enough)
    assert (signed_rows(X, y) @ fit.weights).min() == pytest.approx(1)
    fit = soft_margin(X, y, penalty=1.01 * enough)
    assert (signed_rows(X, y) @ fit.weights).min() < 1 - 1e-6


def test_as_lambda_grows_the_weights_vanish_along_the_difference_of_means():
    X, y = overlapping()
    w = soft_margin(X, y, penalty=1e6).weights[1:]
    difference = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    assert close_to(w * 1e6, difference / 2, 1e-6), "equal classes: w = (mean₊ − mean₋) / 2 lam"


# --- invariances -------------------------------------------------------------------------------


@pytest.mark.parametrize("lam", [1e-3, 0.1])
@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e8])
def test_in_other_units_it_is_the_same_line(scale, lam):
    X, y = overlapping()
    expected = soft_margin(X, y, penalty=lam)
    found = soft_margin(X * scale, y, penalty=lam * scale**2)
    assert found.converged
    assert close_to(found.weights * [1, scale, scale], expected.weights)


@pytest.mark.parametrize("shift", [1.0, 1e3, 1e6])
def test_moving_all_points_changes_only_the_offset(shift):
    X, y = overlapping()
    found = soft_margin(X + shift, y, penalty=0.01)
    expected = soft_margin(X, y, penalty=0.01).weights
    assert found.converged
    assert close_to(found.weights[1:], expected[1:])
    moved = expected[0] - shift * expected[1:].sum()
    assert found.weights[0] == pytest.approx(moved, rel=1e-8)


def test_flipping_all_labels_flips_all_weights():
    X, y = overlapping()
    assert close_to(
        soft_margin(X, -y, penalty=0.01).weights, -soft_margin(X, y, penalty=0.01).weights
    )


def test_the_order_of_rows_does_not_matter():
    X, y = overlapping()
    mixed = np.random.default_rng(5).permutation(len(X))
    expected = soft_margin(X, y, penalty=0.01).weights
    assert close_to(soft_margin(X[mixed], y[mixed], penalty=0.01).weights, expected)


def test_every_row_twice_is_the_same_mean():
    X, y = overlapping()
    twice = soft_margin(np.vstack([X, X]), np.concatenate([y, y]), penalty=0.01)
    assert close_to(twice.weights, soft_margin(X, y, penalty=0.01).weights)


# --- degenerate cases --------------------------------------------------------------------------


def test_one_point_with_both_labels_gets_no_direction():
    fit = soft_margin([[2.0, 3.0], [2.0, 3.0]], [1, -1], penalty=0.1)
    assert fit.converged
    assert fit.weights[1:].tolist() == [0, 0], "nothing tells the classes apart"
    assert fit.value == pytest.approx(1)


def test_a_constant_feature_gets_no_weight():
    X, y = overlapping()
    fit = soft_margin(np.column_stack([X, np.full(len(X), 0.1)]), y, penalty=0.01)
    assert fit.weights[3] == pytest.approx(0, abs=1e-12)
    assert close_to(fit.weights[1:3], soft_margin(X, y, penalty=0.01).weights[1:])


def test_one_point_against_many_is_outvoted_when_lambda_is_large():
    X, y = np.arange(20.0)[:, None], np.where(np.arange(20) == 19, 1, -1)
    fit = soft_margin(X, y, penalty=1e4)
    assert fit.converged
    assert (fit.hyperplane.predict(X) == -1).all()


def test_two_rows_are_enough():
    fit = soft_margin([[0.0, 0.0], [3.0, 4.0]], [-1, 1], penalty=1e-3)
    assert fit.hyperplane.margin([[0.0, 0.0], [3.0, 4.0]], [-1, 1]) == pytest.approx(2.5)


def test_more_features_than_rows_are_no_obstacle():
    X, y = overlapping(n=15, d=40)
    fit = soft_margin(X, y, penalty=1e-3)
    assert fit.converged
    assert close_to(fit.weights, max_margin(X, y).weights, 1e-6)


@pytest.mark.parametrize("lam", [1e-300, 1e300])
def test_an_absurd_lambda_gives_no_warning(lam):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = soft_margin([[0.0], [1.0], [2.0]], [-1, -1, 1], penalty=lam)
    assert np.isfinite(fit.weights).all()


@pytest.mark.parametrize("lam", [1e-4, 1e-6])
def test_a_small_lambda_on_inseparable_points_needs_few_steps(lam):
    # Moving pairs alone, a million steps would not suffice here.
    fit = soft_margin(*overlapping(), penalty=lam, max_updates=FEW)
    assert fit.converged


@pytest.mark.parametrize("lam", [1e-2, 1e-4, 1e-6])
def test_features_of_very_different_sizes_need_few_steps(lam):
    X, y, *_ = data.load("breast_cancer")  # sizes from 0.001 to 4000
    fit = soft_margin(X, 2 * y - 1, penalty=lam, max_updates=FEW)
    assert fit.converged


def test_with_zero_tolerance_it_stops_where_rounding_begins(monkeypatch):
    steps, settle = [], Dual.settle
    monkeypatch.setattr(Dual, "settle", lambda *args: steps.append(1) or settle(*args))
    fit = soft_margin(*overlapping(), penalty=0.01, tolerance=0.0, max_updates=1000)
    assert fit.gap < 1e-12
    assert len(steps) < 100, "further steps would only push rounding errors about"


def test_nearly_equal_points_do_not_stop_it():
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(15, 4))[rng.integers(0, 8, size=15)]
        X += 1e-6 * rng.normal(size=(15, 4))
        y = rng.choice([-1, 1], size=15)
        y[:2] = 1, -1
        fit = soft_margin(X, y, penalty=0.1, max_updates=FEW)
        assert fit.converged, f"seed {seed}"
        assert abs(fit.multipliers @ y) < 1e-9, f"the multipliers must balance: seed {seed}"


@pytest.mark.parametrize("budget", [1, 2, 5])
def test_running_out_of_steps_is_said_and_the_gap_stays_true(budget):
    X, y = overlapping()
    minimum = soft_margin(X, y, penalty=1e-3).value
    fit = soft_margin(X, y, penalty=1e-3, max_updates=budget)
    assert not fit.converged
    assert np.isfinite(fit.weights).all()
    assert fit.value == pytest.approx(hinge_objective(X, y, 1e-3).value(fit.weights))
    assert fit.value - fit.gap <= minimum <= fit.value, "the minimum lies within the gap"


def test_a_coarse_tolerance_stops_earlier_and_reports_its_gap():
    X, y = overlapping()
    minimum = soft_margin(X, y, penalty=1e-2).value
    fit = soft_margin(X, y, penalty=1e-2, tolerance=0.5)
    assert fit.value > minimum + 1e-6
    assert fit.value - fit.gap <= minimum


def test_the_result_cannot_be_changed():
    fit = soft_margin(*overlapping(), penalty=0.1)
    with pytest.raises(FrozenInstanceError):
        fit.value = 0.0


# --- inputs ------------------------------------------------------------------------------------

X4, Y4 = np.array([[0.0, 0.5], [0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), np.array([-1, -1, 1, 1])


@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
def test_inputs_are_never_modified(writeable):
    X, y = X4.copy(), Y4.astype(float)
    X.setflags(write=writeable)
    y.setflags(write=writeable)
    soft_margin(X, y, penalty=0.1)
    assert np.array_equal(X, X4), "X was modified"
    assert np.array_equal(y, Y4), "y was modified"


BAD = {
    "NaN in X": (lambda: soft_margin([[np.nan], [1.0]], [1, -1], penalty=1.0), "X"),
    "infinity in X": (lambda: soft_margin([[np.inf], [1.0]], [1, -1], penalty=1.0), "X"),
    "X is flat": (lambda: soft_margin([1.0, 2.0], [1, -1], penalty=1.0), "X"),
    "X is empty": (lambda: soft_margin(np.zeros((0, 2)), [], penalty=1.0), "X"),
    "X is ragged": (lambda: soft_margin([[1.0], [1.0, 2.0]], [1, -1], penalty=1.0), "X"),
    "labels 0 and 1": (lambda: soft_margin(X4, [0, 0, 1, 1], penalty=1.0), "y"),
    "labels are words": (lambda: soft_margin(X4, ["a", "b", "a", "b"], penalty=1.0), "y"),
    "too few labels": (lambda: soft_margin(X4, [1, -1], penalty=1.0), "y"),
    "one class only": (lambda: soft_margin(X4, [1, 1, 1, 1], penalty=1.0), "y"),
    "the other class only": (lambda: soft_margin(X4, [-1, -1, -1, -1], penalty=1.0), "y"),
    "zero lam": (lambda: soft_margin(X4, Y4, penalty=0.0), "penalty"),
    "negative lam": (lambda: soft_margin(X4, Y4, penalty=-1.0), "penalty"),
    "NaN lam": (lambda: soft_margin(X4, Y4, penalty=np.nan), "penalty"),
    "infinite lam": (lambda: soft_margin(X4, Y4, penalty=np.inf), "penalty"),
    "lam is text": (lambda: soft_margin(X4, Y4, penalty="1"), "penalty"),
    "no steps": (lambda: soft_margin(X4, Y4, penalty=1.0, max_updates=0), "max_updates"),
    "negative steps": (lambda: soft_margin(X4, Y4, penalty=1.0, max_updates=-5), "max_updates"),
    "steps as float": (lambda: soft_margin(X4, Y4, penalty=1.0, max_updates=1e5), "max_updates"),
    "negative tolerance": (lambda: soft_margin(X4, Y4, penalty=1.0, tolerance=-1.0), "tolerance"),
    "NaN tolerance": (lambda: soft_margin(X4, Y4, penalty=1.0, tolerance=np.nan), "tolerance"),
    "tolerance is text": (lambda: soft_margin(X4, Y4, penalty=1.0, tolerance="x"), "tolerance"),
}


@pytest.mark.parametrize(("call", "argument"), BAD.values(), ids=BAD.keys())
def test_bad_input_gets_one_sentence_that_names_the_argument(call, argument):
    assert_one_sentence(call, argument)


# --- other places, orders and units ------------------------------------------------------------


@pytest.mark.parametrize("shift", [10**3, 10**6, 10**9])
def test_the_line_does_not_see_where_the_points_are_nor_in_what_order(shift):
    rng = np.random.default_rng(20)
    X = np.round(64 * rng.normal(size=(30, 3))) / 64
    y = np.where(X[:, 0] + rng.normal(size=30) > 0, 1, -1)
    rows = rng.permutation(30)
    near = soft_margin(X, y, penalty=0.1)
    moved = soft_margin((X + shift)[rows], y[rows], penalty=0.1)
    assert near.converged
    assert np.allclose(moved.weights[1:], near.weights[1:], atol=1e-6)


@pytest.mark.parametrize("larger", [1, -1])
@pytest.mark.parametrize("max_updates", [1, 3, 100])
@pytest.mark.parametrize("seed", range(5))
def test_however_early_it_stops_it_is_no_worse_than_w_equal_to_zero(seed, max_updates, larger):
    X = np.random.default_rng(seed).normal(size=(12, 3)) * [1e-6, 1, 1e6]
    y = larger * np.resize([1, -1, 1], 12)
    fit = soft_margin(X, y, penalty=1e-4, max_updates=max_updates)
    # All in the larger class cost 2 for each of four in twelve; converged is within tolerance.
    assert fit.value <= 2 / 3 + (1e-9 if fit.converged else 1e-12)
    w = (fit.multipliers * y) @ (X - X.mean(axis=0))
    bound = 1e-4 * (fit.multipliers.sum() - w @ w / 2)
    assert fit.value - bound <= fit.gap + 1e-9, "the multipliers prove the gap, however early"
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
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(2, 7)), int(rng.integers(1, 3))
        X, y = rng.integers(-2, 3, size=(n, d)).astype(float), rng.choice([-1, 1], n)
        y[:2] = 1, -1
        samples.append((X, y))
    for X, y in samples:
        fit = soft_margin(X, y, penalty=penalty)
        assert fit.converged or penalty < 1e-7, fit.status
        assert fit.gap < 1e-6
        alpha, most = fit.multipliers, 1 / (len(X) * penalty)
        assert alpha.min() >= 0
        assert alpha.max() <= most * (1 + 1e-12)
        assert abs(alpha @ y) <= 1e-9 * most, "they must balance"
        w = (alpha * y) @ (X - X.mean(axis=0))
        bound = penalty * (alpha.sum() - w @ w / 2)
        assert fit.value - bound <= fit.gap + 1e-9, "what proves the gap is the multipliers"
