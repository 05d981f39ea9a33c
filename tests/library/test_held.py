"""Who holds a street, as far as its fit is known, and whether the offset is free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linlib.margins.linear_svm import COARSEST, SoftMargin, offset_range, soft_margin, street


@pytest.mark.parametrize("seed", range(20))
def test_no_offset_beats_the_range_and_all_of_it_costs_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(9, 2)).astype(float)
    y = np.where(np.arange(9) < rng.integers(1, 9), 1, -1)
    w = rng.integers(-2, 3, size=2).astype(float)
    low, high = offset_range(X, y, w)

    def cost(w0: float) -> float:
        return float(np.maximum(0, 1 - y * (X @ w + w0)).sum())

    assert cost(low) == cost(high) == cost((low + high) / 2)
    assert cost(low - 0.5) > cost(low)
    assert cost(high + 0.5) > cost(high)


def test_multipliers_at_their_bound_leave_the_offset_free() -> None:
    X, y = [[-1.0, 0.0], [1.0, 0.0]], [-1, 1]
    held = street(soft_margin(X, y, penalty=2.0), X, y, 2.0)
    assert held.free
    assert held.support.tolist() == held.inside.tolist() == [0, 1]
    assert held.weights[0] == pytest.approx(0)
    held = street(soft_margin(X, y, penalty=0.01), X, y, 0.01)
    assert not held.free
    assert held.edge.tolist() == [0, 1]


def test_a_multiplier_that_is_rounding_supports_nothing() -> None:
    X, y = [[-1.0, 0.0], [1.0, 0.0], [3.0, 0.0]], [-1, 1, 1]
    fit = soft_margin(X, y, penalty=0.01)
    tiny = np.array([*fit.multipliers[:2], 5.6e-17])
    object.__setattr__(fit, "multipliers", tiny)
    assert street(fit, X, y, 0.01).support.tolist() == [0, 1]


# --- as far as the fit is known ----------------------------------------------------------------

FAR = 10.0  # the points lie far from the origin, which must not matter


def fit_of(gap: float, penalty: float, excess: float = 0.0, share: float = 1.0) -> tuple:
    """Return a fit with this gap, its points, and how far w and an agreement may be off.

    Rows 0 and 1 lie on an edge, row 2 lies ``excess`` off one and has the multiplier ``share``. The
    last row, which lies on an edge too, keeps the offset where it is.
    """
    X = np.array([[-1, 0], [1, 0], [1 + excess, 0.0], [2, 3], [2, -3], [-1, 0]])
    X[:, 1] += FAR
    y = np.array([-1, 1, 1, 1, 1, -1])
    fit = SoftMargin(
        weights=np.array([0.0, 1.0, 0.0]),
        converged=False,
        status="",
        value=1.5,
        gap=gap,
        multipliers=np.array([1.0, 1.0, share, 0.0, 0.0, 0.0]),
        updates=0,
        _wrong=0,
    )
    known = np.sqrt(2 * gap / penalty)
    return fit, X, y, known, 2 * known * np.linalg.norm(X - X.mean(axis=0), axis=1).max()


@pytest.mark.parametrize("penalty", [0.5, 2.0])
def test_w_is_known_as_well_as_the_gap_says(penalty: float) -> None:
    fit, X, y, known, _ = fit_of(1e-4, penalty)
    assert street(fit, X, y, penalty).known == pytest.approx(known, rel=1e-9)
    rounding = 4 * 2.0**-52 * (1 + fit.value)
    found = street(replace(fit, gap=0.0), X, y, penalty).known
    assert found == pytest.approx(np.sqrt(2 * rounding / penalty)), "a value is a rounding off"


@pytest.mark.parametrize("penalty", [0.5, 2.0])
def test_an_agreement_near_enough_to_one_is_on_the_edge(penalty: float) -> None:
    *_, blur = fit_of(1e-10, penalty)
    assert blur < COARSEST / 2
    for excess, edge in ((0.9, [0, 1, 2]), (1.1, [0, 1])):
        held = street(*fit_of(1e-10, penalty, excess * blur)[:3], penalty)
        assert held.edge.tolist() == edge
        assert held.support.tolist() == [0, 1, 2]
        held = street(*fit_of(1e-10, penalty, -excess * blur)[:3], penalty)
        assert held.edge.tolist() == edge
        assert held.inside.tolist() == ([] if 2 in edge else [2])
        assert held.wrong.tolist() == []


def test_a_fit_that_stopped_early_is_described_as_it_is_drawn() -> None:
    held = street(*fit_of(1.0, 0.5, 0.5 * COARSEST)[:3], 0.5)
    assert held.edge.tolist() == [0, 1, 2]
    held = street(*fit_of(1.0, 0.5, 2 * COARSEST)[:3], 0.5)
    assert held.edge.tolist() == [0, 1]


def test_a_multiplier_counts_if_it_moves_w_by_more_than_is_unknown() -> None:
    *_, known, blur = fit_of(1e-10, 0.5)
    least = known / (blur / (2 * known))
    for share, support in ((0.9, [0, 1]), (1.1, [0, 1, 2])):
        held = street(*fit_of(1e-10, 0.5, share=share * least)[:3], 0.5)
        assert held.support.tolist() == held.edge.tolist() == support


def test_who_pays_is_inside_and_not_on_an_edge() -> None:
    X, y = [[-1.0, 0.0], [1.0, 0.0]], [-1, 1]
    held = street(soft_margin(X, y, penalty=2.0), X, y, 2.0)
    assert (held.inside.tolist(), held.edge.tolist(), held.wrong.tolist()) == ([0, 1], [], [])
    fit, X, y, *_ = fit_of(1e-10, 0.5)
    X[2] = [-5, FAR]
    held = street(fit, X, y, 0.5)
    assert held.inside.tolist() == held.wrong.tolist() == [2]


def test_one_class_has_no_best_offset() -> None:
    with pytest.raises(ValueError, match=r"^y: holds one class only, .* give both classes\.$"):
        offset_range([[0.0], [1.0]], [1, 1], [1.0])
