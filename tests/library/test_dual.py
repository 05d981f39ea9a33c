"""The dual problem, move by move; where the moves lead is tested in test_linear_svm."""

import numpy as np
import pytest

from linlib.descent.losses import hinge_loss
from linlib.margins.linear_svm import Dual, offset_range, soft_margin

X = np.array([[0.0, 1.0], [2.0, -1.0], [1.0, 3.0], [-3.0, -3.0]])
Y = np.array([1.0, -1.0, 1.0, -1.0])


def objective(shares):
    """Return what the dual problem makes as large as it can."""
    w = shares @ X
    return np.abs(shares).sum() - 0.5 * w @ w


def test_it_begins_with_the_multipliers_it_is_given_within_their_bounds():
    dual = Dual(X, Y, 2.0)
    assert dual.begin(None).tolist() == [0, 0, 0, 0]
    assert dual.begin([0.5, 0.75, 0.5, 0.25]).tolist() == [0.5, -0.75, 0.5, -0.25]
    assert dual.begin([9.0, 3.0, -1.0, 0.0]).tolist() == [2, -2, 0, 0]


def test_multipliers_that_do_not_balance_are_refused():
    sentence = r"^multipliers: those of both classes must have the same sum; .*\.$"
    with pytest.raises(ValueError, match=sentence):
        Dual(X, Y, 2.0).begin([1.0, 0.5, 0.0, 0.0])
    with pytest.raises(ValueError, match=sentence):
        soft_margin(X, Y, penalty=0.1, multipliers=[0.0, 0.5, 0.0, 0.0])


def test_the_pull_is_the_slope_of_the_objective():
    shares, h = np.array([0.5, -0.75, 0.5, -0.25]), 1e-6
    slopes = [(objective(shares + h * e) - objective(shares - h * e)) / (2 * h) for e in np.eye(4)]
    assert np.allclose(Dual(X, Y, 2.0).pull(shares), slopes, atol=1e-8)


@pytest.mark.parametrize("seed", range(8))
def test_the_partner_is_the_row_with_which_most_is_gained(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(12, 3)) * 10.0 ** rng.integers(-1, 2, size=(12, 1))
    labels = np.resize([1.0, -1.0], 12)
    dual = Dual(rows - rows.mean(axis=0), labels, 1.0)
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
        return hinge_loss.of(labels * (scores + offset)).sum()

    low, high = offset_range(scores[:, None], labels, [1.0])
    assert low <= high
    assert loss(low) == loss((low + high) / 2) == loss(high)
    assert min(loss(low - 0.25), loss(high + 0.25)) > loss(low)


def test_a_warm_start_finds_the_same_minimum() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] + rng.normal(size=30) > 0, 1, -1)
    first = soft_margin(X, y, penalty=0.05)
    X[3] += 0.1
    cold = soft_margin(X, y, penalty=0.05)
    warm = soft_margin(X, y, penalty=0.05, multipliers=first.multipliers)
    assert np.allclose(warm.weights[1:], cold.weights[1:], atol=1e-6)
    assert warm.value == pytest.approx(cold.value, abs=1e-9)
    assert warm.updates < cold.updates
    with pytest.raises(ValueError, match="multipliers: those of both classes"):
        soft_margin(X, y, penalty=0.05, multipliers=np.eye(30)[0])
