"""Complete separation, quasi-complete separation or overlap: decided exactly, and proved."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from linlib import data
from linlib.base.rows import signed_rows
from linlib.logistic_regression.separation import all_clash, no_minimum, overlap, overlap_of
from linlib.multiclass.schemes import kesler_rows
from tests.helpers.exact import products

fuzz = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def messy(seed):
    """Return few points on a small grid: duplicates, points on lines, constant features abound."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    X = rng.integers(-1, 2, size=(n, d)) * rng.choice([1, 0.1, 3], size=d)
    direction = rng.integers(-1, 2, size=d)
    y = np.where(X @ direction + rng.choice([0, 0.05]) > 0, 1, -1)
    if rng.random() < 0.3:
        y[rng.integers(n)] *= -1
    return X, y


def may_be_positive(Z):
    """Return which rows some weights without a negative product have a positive one with.

    A linear program: as many of the products as possible are 1 or more, and no other is negative.
    """
    n, p = Z.shape
    cost = np.concatenate([np.zeros(p), -np.ones(n)])
    bounds = [(None, None)] * p + [(0, 1)] * n
    found = linprog(cost, np.hstack([-Z, np.eye(n)]), np.zeros(n), bounds=bounds, method="highs")
    return found.x[p:] > 0.5


@fuzz
@given(st.integers(0, 10_000))
def test_the_clashing_rows_are_those_a_linear_program_finds(seed):
    X, y = messy(seed)
    found = overlap(X, y)
    expected = ~may_be_positive(signed_rows(X, y))
    assert found.clashing.tolist() == np.flatnonzero(expected).tolist()
    assert found.check(X, y), "and it can prove it"
    assert found.check(X, y, exact=True)
    values = products(signed_rows(X, y), found.exact)
    for value, share in zip(values, found.multipliers, strict=True):
        assert (value > 0) != (share > 0), "a positive product or a positive multiplier"
        assert value >= 0
        assert share >= 0
    assert np.allclose(found.multipliers @ signed_rows(X, y), 0, atol=1e-12)
    assert found.multipliers.sum() == pytest.approx(float(found.kind != "complete"))
    assert np.abs(found.weights).max() == float(found.kind != "overlap"), "scaled to size 1"


@pytest.mark.parametrize(
    ("X", "y", "kind", "clashing"),
    [
        ([[0], [1], [2], [3]], [-1, -1, 1, 1], "complete", []),
        ([[0], [1], [1], [3]], [-1, -1, 1, 1], "quasi-complete", [1, 2]),
        ([[0], [2], [1], [3]], [-1, -1, 1, 1], "overlap", [0, 1, 2, 3]),
        # On the line between two classes points overlap; those beside it are on the right side.
        (
            [[0, 0], [2, 0], [1, 0], [3, 0], [1, 1]],
            [-1, -1, 1, 1, 1],
            "quasi-complete",
            [0, 1, 2, 3],
        ),
        ([[0, 0], [2, 0], [1, 0], [3, 0], [9, 0]], [-1, -1, 1, 1, 1], "overlap", [0, 1, 2, 3, 4]),
        ([[5, 5], [5, 5]], [1, -1], "overlap", [0, 1]),
        ([[5.0], [7.0]], [1, 1], "complete", []),
    ],
)
def test_three_kinds_by_hand(X, y, kind, clashing):
    found = overlap(X, y)
    assert (found.kind, found.clashing.tolist()) == (kind, clashing)
    assert found.check(X, y)
    assert found.clashing.dtype == np.int64
    assert kind in repr(found)
    assert f"{len(clashing)} of {len(X)}" in repr(found)


@pytest.mark.parametrize("shift", [0, 2.0**30, -(2.0**40)])
@pytest.mark.parametrize("scale", [2.0**-30, 1, 2.0**30])
def test_neither_place_nor_unit_changes_the_kind(shift, scale):
    for seed in range(20):
        X, y = messy(seed)
        X = np.round(10 * X)
        moved = scale * (X + shift)
        assert overlap(moved, y).clashing.tolist() == overlap(X, y).clashing.tolist()


def test_a_thousandth_of_a_billionth_decides():
    y = [-1, -1, 1, 1]
    kinds = [overlap([[0], [1 + off], [1], [3]], y).kind for off in (-(2.0**-52), 0, 2.0**-52)]
    assert kinds == ["complete", "quasi-complete", "overlap"]


def test_the_proof_is_of_this_sample_alone():
    X, y = [[0], [1], [1], [3]], [-1, -1, 1, 1]
    found = overlap(X, y)
    assert not found.check([[0], [1], [2], [3]], y), "other points"
    assert not found.check(X, [-1, -1, -1, 1]), "other labels"
    assert not found.check([[0], [1], [1], [3], [4]], [-1, -1, 1, 1, 1]), "more rows"
    assert not found.check([[0, 0], [1, 0], [1, 0], [3, 0]], y), "more features"
    assert not overlap([[0], [2], [1], [3]], y).check([[0], [2.1], [1], [3]], y), "no balance"
    edge = no_minimum(signed_rows([[0], [1], [2], [3]], y), np.array([-1.5, 1.0]))
    assert edge.check([[0], [1], [2], [4]], y)
    assert not edge.check([[0], [1], [1.5], [3]], y), "a point on the boundary itself"
    apart = overlap([[0], [1], [2], [3]], y)
    assert not apart.check([[0], [2], [1], [3]], y), "a product is not positive"


@pytest.mark.parametrize("seed", range(15))
def test_rows_of_many_classes_are_decided_too(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(9, 2)), np.arange(9) % 3
    X[y == 2] += 2
    Z = kesler_rows(X, y)[:, :6]
    found = overlap_of(Z)
    assert found.clashing.tolist() == np.flatnonzero(~may_be_positive(Z)).tolist()
    assert found.proves(Z)


def test_multipliers_are_checked_to_nine_digits_of_their_size():
    X, y = np.array([[0.0], [2.0], [1.0], [3.0]]) * 1e6, [-1, -1, 1, 1]
    found = overlap(X, y)
    assert found.check(X, y)
    moved = X + np.array([[0], [0], [0], [3e-5]])
    assert found.check(moved, y), "a hundredth of a billionth is rounding"
    small = overlap(X * 1e-12, y)
    assert not small.check(X * 1e-12 + np.array([[0], [0], [0], [1e-12]]), y), (
        "of small numbers it is not"
    )


def test_weights_that_separate_are_proof_and_others_are_not():
    Z = signed_rows(*data.and_gate())
    assert no_minimum(Z, np.array([-3.0, 2.0, 2.0])).weights.tolist() == [-1, 2 / 3, 2 / 3]
    for weights in ([-2.0, 2.0, 2.0], [0.0, 0.0, 0.0]):
        assert no_minimum(Z, np.array(weights)).proves(Z), "a product of 0 proves nothing"
    assert no_minimum(signed_rows(*data.xor_gate()), np.zeros(3)) is None


# --- the shortcut in floats --------------------------------------------------------------------


def shortcut(Z, shares, scale=1.0):
    longest = np.linalg.norm(Z, axis=1).max()
    return all_clash(scale * (shares @ Z), Z.T @ (shares[:, None] * Z), longest, len(Z))


def test_only_shares_that_balance_prove_that_all_clash():
    Z = signed_rows([[-1.0], [1.0], [-1.0], [1.0]], [-1, -1, 1, 1])
    assert shortcut(Z, np.ones(4))
    assert shortcut(Z, np.ones(4) + 1e-3), "nearly is enough"
    assert shortcut(Z, 1e-200 * np.ones(4)), "of any size"
    assert not shortcut(Z, np.array([1.0, 1e-3, 1e-3, 1.0]))


@fuzz
@given(st.integers(0, 10_000))
def test_the_shortcut_never_claims_an_overlap_that_is_none(seed):
    X, y = messy(seed)
    Z, rng = signed_rows(X, y), np.random.default_rng(seed)
    if shortcut(Z, rng.uniform(1e-6, 1, size=len(Z))):
        assert overlap(X, y).kind == "overlap"


def test_a_row_whose_slope_underflows_clashes_with_the_others():
    rng = np.random.default_rng(4)
    X = np.append(rng.normal(size=60), 3000.0)[:, None]
    y = np.append(np.where(X[:-1, 0] + rng.logistic(size=60) > 0, 1, -1), 1)
    found = overlap(X, y)
    assert found.kind == "overlap", "far on its own side, its slope is about exp(−3000), which is 0"
    assert found.check(X, y, exact=True)


def test_the_shortcut_needs_all_directions():
    Z = signed_rows([[0.0, 0.0], [0.0, 0.0]], [1, -1])
    assert overlap([[0.0, 0.0], [0.0, 0.0]], [1, -1]).kind == "overlap"
    assert not shortcut(Z, np.ones(2)), "true, and not provable by it"


def test_the_margin_of_the_shortcut_is_that_of_its_proof():
    # Lowest 2, longest 1: a gradient of 1 is half of what the proof allows, which is kept.
    gram = 2.0 * np.eye(2)
    assert all_clash(np.array([0.9, 0.0]), gram, 1.0, 2)
    assert not all_clash(np.array([1.1, 0.0]), gram, 1.0, 2)
    assert not all_clash(np.array([0.9, 0.0]), gram, 1.2, 2)
    assert not all_clash(np.zeros(2), np.diag([2.0, 1e-16]), 1.0, 2), "lost to rounding"
    bound = 16 * (2 + 2) * np.finfo(float).eps
    assert not all_clash(np.zeros(2), np.diag([1.0, 1.5 * bound]), 1.0, 2), "a rounded gradient"
    assert all_clash(np.zeros(2), np.diag([1.0, 4.0 * bound]), 1.0, 2)
    assert not all_clash(np.zeros(2), np.diag([1.0, 4.0 * bound]), 1.0, 2, far=20), "far away"
    assert not all_clash(np.zeros(2), np.diag([2.0, 1e-9]), 1.0, 10**7), "of very many rows"
