"""Logistic regression: the minimum, Newton's path to it, and what is said where there is none."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib import data
from linlib.base.rows import signed_rows
from linlib.descent.losses import logistic_loss, objective
from linlib.logistic_regression.binomial import logistic, status_of
from linlib.logistic_regression.newton import Walk
from linlib.logistic_regression.separation import overlap
from tests.helpers.exact import typed
from tests.helpers.samples import close_to, messy, overlapping

fuzz = settings(max_examples=25, deadline=None, derandomize=True, database=None)
LAMBDAS = [0.0, 1e-4, 1e-2, 0.1, 1.0, 10.0]
each_lam = pytest.mark.parametrize("lam", LAMBDAS)
LINE, MIXED = [[0], [1], [2], [3]], [-1, 1, -1, 1]


def apart(seed=1, d=2):
    return data.separable(30, d, np.random.default_rng(seed), margin=0.15)


def plain_newton(X, y, lam, steps):
    """Return the path of plain Newton steps from 0, each of full length."""
    Z, ridge = signed_rows(X, y), lam * np.diag([0.0] + [1.0] * X.shape[1])
    path = [np.zeros(Z.shape[1])]
    for _ in range(steps):
        share = 1 / (1 + np.exp(Z @ path[-1]))
        gradient = ridge @ path[-1] - share @ Z / len(Z)
        curvature = ridge + Z.T @ np.diag(share * (1 - share)) @ Z / len(Z)
        path.append(path[-1] - np.linalg.solve(curvature, gradient))
    return np.array(path)


@pytest.mark.parametrize("lam", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_that_of_newtons_full_steps(lam, seed):
    X, y = overlapping(seed=seed)
    fit = logistic(X, y, penalty=lam)
    path = plain_newton(X, y, lam, fit.updates)
    assert close_to(fit.path, path, 1e-9)
    losses = np.log1p(np.exp(-path @ signed_rows(X, y).T)).mean(axis=1)
    assert close_to(fit.values, losses + lam / 2 * (path[:, 1:] ** 2).sum(axis=1), 1e-12)
    assert fit.value == fit.values[-1]
    assert np.array_equal(fit.weights, fit.path[-1])


def steepness(fit, X, y, lam=0.0):
    """Return the length of the objective's gradient at the weights of a fit."""
    target = objective(X, y, logistic_loss, penalty=lam, average=True)
    return np.linalg.norm(target.gradient(fit.weights))


@each_lam
def test_the_value_is_that_of_the_objective_at_the_weights_and_its_gradient_vanishes(lam):
    X, y = overlapping()
    fit = logistic(X, y, penalty=lam)
    target = objective(X, y, logistic_loss, penalty=lam, average=True)
    assert fit.value == pytest.approx(target.value(fit.weights), rel=1e-12)
    assert steepness(fit, X, y, lam) < 1e-12


# --- it is the minimum --------------------------------------------------------------------------


def test_four_points_by_hand():
    # x = −1, 0 (twice, once each label), 1: the offset is 0 by symmetry, and only w1 is left.
    X, y = [[-2], [-1], [1], [2]], [-1, 1, -1, 1]
    fit = logistic(X, y)
    w = fit.weights[1]
    assert fit.weights[0] == pytest.approx(0, abs=1e-12)
    # The slope of −2 ln σ(2w) − 2 ln σ(−w): 4 σ(−2w) = 2 σ(w).
    assert 2 / (1 + math.exp(2 * w)) == pytest.approx(1 / (1 + math.exp(-w)))
    # Newton's first step from 0: slopes ½, bends ¼: w = (½ Σ y x) / (¼ Σ x²) = 2 · 2 / 10.
    assert fit.path[1] == pytest.approx([0, 0.4])


def test_probabilities_of_a_table_are_its_frequencies():
    # Two places only: the model can say any two probabilities, and the best are the shares seen.
    X = [[0]] * 10 + [[1]] * 5
    y = [1] * 3 + [-1] * 7 + [1] * 4 + [-1]
    fit = logistic(X, y)
    assert fit.probability([[0], [1]]) == pytest.approx([0.3, 0.8])
    assert fit.log_odds([[0]]) == pytest.approx(math.log(3 / 7))


@fuzz
@given(st.integers(0, 10_000))
def test_on_messy_data_it_converges_or_proves_that_it_cannot(seed):
    X, y = messy(seed)
    fit = logistic(X, y)
    kind = overlap(X, y).kind
    assert fit.converged == (kind == "overlap")
    assert (fit.overlap is None) == fit.converged
    if not fit.converged:
        assert fit.overlap.kind == kind
        assert fit.overlap.check(X, y)
        assert fit.status.startswith("No minimum exists")
        assert (kind == "complete") == ("the data are separable" in fit.status)
        assert (kind == "quasi-complete") == ("a quasi-complete separation leaves" in fit.status)
    else:
        assert steepness(fit, X, y) < 1e-9


@fuzz
@given(st.integers(0, 10_000))
def test_with_a_penalty_it_always_converges(seed):
    X, y = messy(seed)
    lam = 10.0 ** np.random.default_rng(seed).uniform(-8, 3)
    fit = logistic(X, y, penalty=lam)
    assert fit.converged
    assert fit.overlap is None
    counted = "1 step" if fit.updates == 1 else f"{fit.updates} steps"
    assert fit.status == f"Converged in {counted}: no weights have a smaller cost."
    assert steepness(fit, X, y, lam) < 1e-9
    assert (np.diff(fit.values) <= 1e-15).all(), "every step goes down"


def nearly_dependent(seed, n, apart):
    """Return two features that differ by noise of size ``apart``, labels that follow the noise too,
    and the features again with the exact difference of their decimals, scaled up."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=n)
    second = first + apart * rng.normal(size=n)
    pairs = zip(typed(first), typed(second), strict=True)
    noise = np.array([float(b - a) for a, b in pairs]) / apart
    y = np.where(first + 2 * noise + rng.normal(size=n) > 0, 1, -1)
    return np.column_stack([first, second]), y, np.column_stack([first, noise])


def exact_cost(fit, X, y):
    """Return the mean logistic loss of the weights as they are, with scores in fractions."""
    w0, *w = (Fraction(weight) for weight in fit.weights.tolist())
    scores = [float(w0 + sum(a * b for a, b in zip(w, row, strict=True))) for row in typed(X)]
    return float(np.logaddexp(0, -y * np.array(scores)).mean())


@pytest.mark.parametrize("apart", [1e-6, 1e-9, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15])
@pytest.mark.parametrize("n", [20, 200])
def test_it_claims_no_minimum_that_rounding_hides(n, apart):
    for seed in range(4):
        X, y, resolved = nearly_dependent(seed, n, apart)
        fit, best = logistic(X, y), logistic(resolved, y)
        if not best.converged:
            continue  # separable
        excess = exact_cost(fit, X, y) - best.value
        told = f"features {apart:g} apart, a cost {excess:.1e} above the least: {fit.status}"
        if "no weights have a smaller cost" in fit.status:
            assert excess <= 1e-9, told
        elif "taken as exactly that" in fit.status:
            assert apart <= 1e-13, told
        else:
            assert not fit.converged, told
            below = re.search(r"may be (?:anything|(\S+)) below (\S+)\. Centre", fit.status)
            assert excess <= float(below[1] or below[2]), told


def test_ordinary_features_hide_nothing():
    X, y, *_ = data.load("breast_cancer")
    for penalty in (1e-9, 1e-3):
        assert logistic(X, 2 * y - 1, penalty=penalty).converged
    X, y = overlapping()
    assert logistic(X + 1e6, y).converged


# --- where there is no minimum ------------------------------------------------------------------


def test_along_a_quasi_complete_separation_it_falls_to_what_the_clashing_rows_cost():
    X, y = np.array([[0.0], [1.0], [1.0], [3.0]]), np.array([-1, -1, 1, 1])
    fit = logistic(X, y)
    assert fit.overlap.clashing.tolist() == [1, 2]
    target = objective(X, y, logistic_loss, average=True)
    values = [target.value(2.0**k * fit.overlap.weights) for k in range(5)]
    assert (np.diff(values) < 0).all()
    assert values[-1] > math.log(2) / 2
    assert fit.value == pytest.approx(math.log(2) / 2, abs=1e-6), "two rows at ln 2, two at 0"
    assert np.isfinite(fit.weights).all()


def test_stopping_early_is_said():
    X, y = overlapping()
    fit = logistic(X, y, max_updates=2)
    assert not fit.converged
    assert fit.updates == 2
    assert fit.overlap is None, "a minimum exists"
    assert fit.status == (
        "Stopped after 2 steps, before the minimum was reached, because max_updates=2 was reached. "
        "Raise max_updates, tolerance or penalty, or scale the features."
    )
    assert "Stopped after 1 step," in logistic(X, y, max_updates=1).status
    assert fit.value > logistic(X, y).value + 1e-9


def test_a_larger_budget_is_advised_only_where_it_would_help():
    walk = Walk([np.zeros(1)] * 28, [1.0] * 28, converged=False)
    assert "max_updates" in status_of(None, walk, 27, dependent=False)
    sentence = status_of(None, walk, 100, dependent=False)
    assert "max_updates" not in sentence
    assert "after 27 steps" in sentence
    assert "because rounding hides what is left" in sentence


def test_a_coarse_tolerance_stops_earlier():
    X, y = overlapping()
    exact, coarse = logistic(X, y), logistic(X, y, tolerance=1e-2)
    assert coarse.converged
    assert coarse.updates < exact.updates
    assert exact.value <= coarse.value <= exact.value * 1.02


def many_rows(every_16th=None):
    """Return enough rows of one feature for a start from a sample of them."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(4000, 1))
    y = np.where(X[:, 0] + rng.normal(size=4000) > 0, 1, -1)
    if every_16th is not None:
        y[::16] = every_16th
    return X, y


def test_many_rows_start_from_the_minimum_of_a_sample_and_end_at_their_own():
    X, y = many_rows()
    fit = logistic(X, y, penalty=0.01)
    assert fit.path[0].tolist() == pytest.approx(
        logistic(X[::16], y[::16], penalty=0.01).weights.tolist(), rel=1e-3
    ), "the path begins at the minimum of every 16th row"
    assert fit.converged
    assert steepness(fit, X, y, 0.01) < 1e-12
    assert fit.updates < logistic(X[:1900], y[:1900], penalty=0.01).updates, "that saves steps"
    assert logistic(X, y).path[0].tolist() == [0, 0], "without a penalty it begins at 0"


@pytest.mark.parametrize("odd", [1, "against"], ids=["one class only", "against the rest"])
def test_a_sample_unlike_the_rest_is_no_start(odd):
    X, y = many_rows()
    X, y = many_rows(every_16th=1 if odd == 1 else -y[::16])
    fit = logistic(X, y, penalty=0.01)
    assert fit.path[0].tolist() == [0, 0]
    assert fit.converged
    assert steepness(fit, X, y, 0.01) < 1e-12


def test_a_tolerance_of_zero_ends_too():
    fit = logistic(*overlapping(), tolerance=0.0)
    assert fit.converged
    assert fit.updates < 12
    assert steepness(fit, *overlapping()) < 1e-12


# --- degenerate cases ---------------------------------------------------------------------------


def test_dependent_features_get_the_shortest_weights_and_are_said():
    X, y = overlapping()
    more = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(len(X), 0.1)])
    fit, plain = logistic(more, y), logistic(X, y)
    assert fit.converged
    assert "of all weights with the least cost, those of the shortest w" in fit.status
    assert close_to(fit.log_odds(more), plain.log_odds(X), 1e-9)
    assert fit.weights[4] == pytest.approx(0, abs=1e-9), "nothing for a constant feature"
    unseen = np.array([1.0, -2.0, -1.0])
    assert fit.weights[1:4] @ unseen == pytest.approx(0, abs=1e-9), (
        "nothing along what no point sees"
    )


def test_one_point_with_both_labels_has_even_odds_and_no_direction():
    fit = logistic([[2.0, 3.0]] * 3, [1, -1, 1])
    assert fit.converged
    assert fit.weights.tolist()[1:] == [0, 0]
    assert fit.probability([[2.0, 3.0]]) == pytest.approx([2 / 3])
    with pytest.raises(ValueError, match="w = 0"):
        _ = fit.hyperplane


def test_more_features_than_rows_are_separable():
    X, y = overlapping(n=15, d=40)
    assert logistic(X, y).overlap.kind == "complete"
    assert logistic(X, y, penalty=1e-3).converged


@pytest.mark.parametrize("lam", [1e-300, 1e-100, 1e300])
def test_an_absurd_penalty_gives_no_warning(lam):
    fit = logistic([[0.0], [1.0], [2.0]], [-1, -1, 1], penalty=lam)
    assert np.isfinite(fit.weights).all()
    assert fit.updates <= 100


def test_features_of_very_different_sizes_need_few_steps():
    X, y, *_ = data.load("breast_cancer")  # sizes from 0.001 to 4000
    fit = logistic(X, 2 * y - 1, penalty=1e-6)
    assert fit.converged
    assert fit.updates < 20
    nothing = logistic(X, 2 * y - 1)
    assert nothing.overlap.check(X, 2 * y - 1)


# --- the result, and bad input ------------------------------------------------------------------


def test_it_shows_weights_errors_value_and_status():
    shown = repr(logistic(LINE, MIXED))
    assert shown == (
        "Logistic(weights (-1.362, 0.908); errors 2; value 0.5869; "
        "Converged in 5 steps: no weights have a smaller cost.)"
    )


@pytest.mark.parametrize("seed", range(2))
def test_without_a_penalty_the_search_ends_at_the_first_weights_that_separate(seed):
    X, y = apart(seed)
    fit = logistic(X, y)
    least = (fit.path @ signed_rows(X, y).T).min(axis=1)
    assert (least[:-1] <= 0).all()
    assert least[-1] > 0
    held = logistic(X, y, penalty=1e-9)
    assert held.updates > fit.updates, "a penalty makes it go on"
