"""The softmax machine: the minimum, its gauge, its two-class case, and what is said without one."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from linlib import data
from linlib.logistic_regression.binomial import logistic
from linlib.logistic_regression.separation import overlap_of
from linlib.multiclass.multinomial import softmax, sum_zero
from linlib.multiclass.schemes import kesler_rows
from tests.helpers.samples import close_to

fuzz = settings(max_examples=20, deadline=None, derandomize=True, database=None)
LAMBDAS = [0.0, 1e-4, 1e-2, 1.0]
each_lam = pytest.mark.parametrize("lam", LAMBDAS)


def overlapping(n=40, classes=3, d=2, seed=3):
    centres = 1.5 * np.eye(classes, d) if d >= classes else [[0, 0], [1.5, 0], [0, 1.5]]
    X, y = data.clouds(centres, n, np.random.default_rng(seed))
    return X, y


def messy(seed):
    """Return few integer points of three classes: some of them apart, some on each other."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 12)), int(rng.integers(1, 3))
    y = np.arange(n) % 3
    X = rng.integers(0, 3, size=(n, d)) + rng.integers(0, 3) * (y == 2)[:, None]
    return X, y


def naive_value(X, y, W, lam):
    """Return mean loss plus penalty, by the definition and one number at a time."""
    total = 0.0
    for x, own in zip(X, y, strict=True):
        scores = [w[0] + sum(a * b for a, b in zip(w[1:], x, strict=True)) for w in W]
        total += math.log(sum(map(math.exp, scores))) - scores[own]
    return total / len(X) + lam / 2 * sum(v * v for w in W for v in w[1:])


@each_lam
def test_the_value_is_the_definition_at_every_step(lam):
    X, y = overlapping()
    machine = softmax(X, y, penalty=lam)
    assert machine.converged
    values = [naive_value(X, y, W, lam) for W in machine.path]
    assert close_to(machine.values, values, 1e-12)
    assert machine.value == machine.values[-1]
    assert machine.updates == len(machine.path) - 1 == len(machine.values) - 1
    assert np.array_equal(machine.weights, machine.path[-1])
    assert machine.path[0].tolist() == np.zeros((3, 3)).tolist()


@each_lam
def test_the_gradient_by_differences_is_zero(lam):
    X, y = overlapping()
    machine, h = softmax(X, y, penalty=lam), 1e-5
    for k in range(3):
        for j in range(3):
            up, down = machine.weights.copy(), machine.weights.copy()
            up[k, j] += h
            down[k, j] -= h
            slope = (naive_value(X, y, up, lam) - naive_value(X, y, down, lam)) / (2 * h)
            assert slope == pytest.approx(0, abs=1e-9)


@each_lam
@pytest.mark.parametrize("classes", [3, 4])
def test_weights_and_probabilities_agree_with_scikit_learn(lam, classes):
    X, y = overlapping(classes=classes, d=4)
    C = 1 / (len(X) * lam) if lam else np.inf
    theirs = LogisticRegression(C=C, tol=1e-10, solver="newton-cg").fit(X, y)
    W = np.column_stack([theirs.intercept_, theirs.coef_])
    machine = softmax(X, y, penalty=lam)
    assert close_to(machine.weights, W - W.mean(axis=0), 1e-5)
    assert close_to(machine.probability(X), theirs.predict_proba(X), 1e-6)
    assert machine.errors == np.count_nonzero(theirs.predict(X) != y)
    assert machine.errors == np.count_nonzero(machine.predict(X) != y)


@each_lam
def test_two_classes_are_logistic_regression_with_half_the_penalty(lam):
    X, y = data.two_clouds(60, np.random.default_rng(3), distance=2.0)
    machine, fit = softmax(X, y, penalty=lam), logistic(X, y, penalty=lam / 2)
    assert close_to(machine.weights[1] - machine.weights[0], fit.weights, 1e-9)
    assert close_to(machine.probability(X)[:, 1], fit.probability(X), 1e-9)
    assert close_to(machine.value, fit.value, 1e-12)
    assert machine.errors == fit.errors


@each_lam
def test_of_all_equivalent_weights_it_returns_those_with_sum_zero(lam):
    X, y = overlapping()
    machine = softmax(X, y, penalty=lam)
    assert np.allclose(machine.path.sum(axis=1), 0, atol=1e-12)
    moved = machine.weights + np.array([3.0, -1.0, 2.0])
    if lam == 0:
        assert naive_value(X, y, moved, lam) == pytest.approx(machine.value), "K7"
    else:
        assert naive_value(X, y, moved, lam) > machine.value


@fuzz
@given(st.integers(0, 10_000))
def test_on_messy_data_it_converges_or_proves_that_it_cannot(seed):
    X, y = messy(seed)
    machine = softmax(X, y)
    Z = kesler_rows(X, y)[:, : 2 * (X.shape[1] + 1)]
    kind = overlap_of(Z).kind
    assert machine.converged == (kind == "overlap")
    if machine.converged:
        assert machine.overlap is None
        assert machine.status.startswith("Converged in")
    else:
        assert machine.overlap.kind == kind
        assert machine.overlap.proves(Z)
        assert machine.status.startswith("No minimum exists")


@fuzz
@given(st.integers(0, 10_000))
def test_with_a_penalty_it_always_converges(seed):
    X, y = messy(seed)
    machine = softmax(X, y, penalty=10.0 ** np.random.default_rng(seed).uniform(-6, 3))
    assert machine.converged
    assert machine.overlap is None
    assert (np.diff(machine.values) <= 1e-15).all()


def test_irises_have_no_minimum_because_one_kind_is_apart():
    X, y, *_ = data.load("iris")
    machine = softmax(X, y)
    assert not machine.converged
    assert machine.overlap.kind == "quasi-complete"
    assert "a quasi-complete separation of some classes leaves" in machine.status


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_coordinates_are_orthonormal_and_add_up_to_zero(k):
    turn = sum_zero(k)
    assert turn.shape == (k, k - 1)
    assert np.allclose(turn.T @ turn, np.eye(k - 1))
    assert np.allclose(turn.sum(axis=0), 0)


def test_without_a_penalty_the_search_ends_at_the_first_weights_that_separate():
    X, y = data.clouds([[0, 0], [6, 0], [0, 6]], 15, np.random.default_rng(7))
    Z, machine = kesler_rows(X, y), softmax(X, y)
    least = (machine.path.reshape(len(machine.path), -1) @ Z.T).min(axis=1)
    assert (least[:-1] <= 0).all()
    assert least[-1] > 0
    assert softmax(X, y, penalty=1e-9).updates > machine.updates


def test_the_weights_taken_as_proof_are_those_of_the_last_step(monkeypatch):
    monkeypatch.setattr(sys.modules["linlib.logistic_regression.separation"], "overlap_of", None)
    machine = softmax([[0], [1], [2], [3], [3.5], [9]], [0, 0, 0, 1, 1, 2])
    assert machine.updates > 1
    assert machine.overlap.kind == "complete"
    assert machine.errors == 0
    assert "the data are separable" in repr(machine)


def test_a_tie_is_an_error():
    machine = softmax([[0.0], [0.0]], [0, 1], penalty=0.1)
    assert not machine.weights.any()
    assert machine.errors == 2


def test_stopping_early_is_said():
    machine = softmax(*overlapping(), max_updates=2)
    assert not machine.converged
    assert machine.updates == 2
    assert machine.status.startswith("Stopped after 2 steps")
    assert softmax(*overlapping(), tolerance=0.1).updates < softmax(*overlapping()).updates


def test_dependent_features_get_the_shortest_weights():
    X, y = overlapping()
    more = np.column_stack([X, X[:, 0] + X[:, 1], np.full(len(X), 0.1)])
    machine = softmax(more, y)
    assert machine.converged
    assert "those of the shortest w" in machine.status
    assert close_to(machine.probability(more), softmax(X, y).probability(X), 1e-9)
    assert np.allclose(machine.weights[:, 1:4] @ [1, 1, -1], 0, atol=1e-9)
    assert "no weights have a smaller cost" in softmax(more, y, penalty=1.0).status


@pytest.mark.parametrize("lam", [0.0, 0.1])
def test_moving_and_scaling_all_points_changes_no_probability(lam):
    X, y = overlapping()
    expected = softmax(X, y, penalty=lam).probability(X)
    moved, scaled = X + 1e5, 1e-3 * X
    assert close_to(softmax(moved, y, penalty=lam).probability(moved), expected, 1e-6)
    assert close_to(softmax(scaled, y, penalty=1e-6 * lam).probability(scaled), expected, 1e-7)


def test_other_names_for_the_classes_change_nothing_else():
    X, y = overlapping()
    named, plain = softmax(X, np.array(["c", "a", "b"])[y]), softmax(X, y)
    assert named.classes.tolist() == ["a", "b", "c"]
    assert close_to(named.weights, plain.weights[[1, 2, 0]], 1e-7)
    assert close_to(named.means, [X[y == k].mean(axis=0) for k in (1, 2, 0)], 1e-12)


def test_probabilities_add_up_to_1_also_far_away_and_without_a_warning():
    machine = softmax(*overlapping())
    shares = machine.probability([[1e6, -1e6], [0, 0], [-1e6, -1e6]])
    assert shares.sum(axis=1) == pytest.approx([1, 1, 1])
    assert (shares >= 0).all()
