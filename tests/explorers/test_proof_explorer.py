"""The proof monitor without a browser: what it draws and says is linlib's table."""

from __future__ import annotations

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from linlib import certify, data, max_margin, mistake_bound, pla, proof_table, signed_rows
from linlib.explorers import ProofExplorer
from linlib.explorers.kit import still
from linlib.explorers.kit.sentences import brief, vector
from linlib.explorers.perceptron import SEED
from linlib.explorers.perceptron.snapshot import BUDGET
from linlib.explorers.proof.picture import MOST_SPOTS, Axes, thinned
from tests.explorers.test_widgets import ABSURD, assert_back_undoes_step, button, drawn, send

SQUEEZE, POTENTIAL = 1, 2


def curve(explorer: ProofExplorer, name: str, panel: int) -> np.ndarray:
    (item,) = drawn(explorer, name, panel)
    return np.array(item["xy"])


@pytest.mark.parametrize("order", ["cyclic", "random", "worst"])
@pytest.mark.parametrize("points", ["AND", "three points", "random"])
def test_the_curves_are_the_columns_of_the_proof_table(points: str, order: str) -> None:
    explorer = ProofExplorer(points)
    explorer.order.value = order
    explorer.scale.value = "plain"
    bias = points != "three points"
    rng = np.random.default_rng(SEED)
    run = pla(explorer.X, explorer.y, order=order, bias=bias, rng=rng)
    best = max_margin(explorer.X, explorer.y, augmented=True, bias=bias).weights
    table = proof_table(run, best)
    for k in range(1, run.updates + 1):
        explorer.step()
        so_far = np.arange(k + 1)
        for name, column in (
            ("length", np.sqrt(table.squared_length)),
            ("alignment", table.alignment),
        ):
            seen = curve(explorer, name, SQUEEZE)
            assert np.allclose(seen, np.column_stack([so_far, column[: k + 1]]), atol=1e-5)
        fallen = curve(explorer, "potential", POTENTIAL)
        share = 100 * table.potential[: k + 1] / table.potential[0]
        assert np.allclose(fallen, np.column_stack([so_far, share]), atol=1e-5)
        slowest = curve(explorer, "slowest", POTENTIAL)
        assert np.all(fallen[:, 1] <= np.interp(so_far, *slowest.T) + 1e-4)
    for panel in (SQUEEZE, POTENTIAL):
        assert np.allclose(curve(explorer, "wall", panel)[:, 0], table.bound, atol=1e-5)
    assert np.isclose(table.bound, mistake_bound(run.Z, best))


def test_both_limits_are_the_tables_and_meet_at_the_wall() -> None:
    explorer = ProofExplorer()
    explorer.to_end()
    table = explorer.table
    for name, column in (
        ("floor", table.alignment_floor),
        ("ceiling", np.sqrt(table.length_ceiling)),
    ):
        x, height = curve(explorer, name, SQUEEZE).T  # logarithmic axes: both are straight
        at_k = np.interp(np.log10(table.k[1:]), x, height)
        assert np.allclose(at_k, np.log10(column[1:]), atol=1e-5)
        wall = curve(explorer, "wall", SQUEEZE)[0, 0]
        assert np.isclose(wall, np.log10(51))
        met = np.log10(table.radius**2 / table.margin)
        assert np.isclose(np.interp(wall, x, height), met, atol=1e-5)
    x, height = curve(explorer, "slowest", POTENTIAL).T
    assert np.isclose(x[-1], np.log10(51))
    assert abs(height[-1]) < 1e-6


def test_logarithmic_and_plain_axes_show_the_same_numbers() -> None:
    explorer = ProofExplorer()
    explorer.to_end()
    seen = {}
    for scale in ("logarithmic", "plain"):
        explorer.scale.value = scale
        seen[scale] = curve(explorer, "alignment", SQUEEZE)
    assert np.allclose(10 ** seen["logarithmic"], seen["plain"][1:], atol=1e-4)


def test_the_text_states_the_table_at_the_current_update() -> None:
    explorer = ProofExplorer()
    table = proof_table(pla(*data.and_gate()), [-3, 2, 2])
    for k in range(1, 19):
        explorer.step()
        lengths = np.sqrt([table.squared_length[k], table.length_ceiling[k]])
        chain = [table.alignment_floor[k], table.alignment[k], *lengths]
        said = " ≤ ".join(
            f"{name} = {brief(v)}"
            for name, v in zip(("kγ", "w·w*", "‖w‖", "√k R"), chain, strict=True)
        )
        assert explorer.text.startswith(f"After {k} of 18 updates: {said}. ")
        assert f"fell from 153 to {brief(table.potential[k])};" in explorer.text
        assert "the bound R²/γ² is 51; the run makes 18 mistakes" in explorer.text


def test_a_point_near_the_line_moves_the_wall_far_and_the_mistakes_little() -> None:
    explorer = ProofExplorer()
    explorer.to_end()
    walls, mistakes = [], []
    for place in (1.0, 0.6, 0.51):
        send(explorer, type="move", id="p3", x=place, y=place)
        X, y = data.and_gate()
        X[3] = place
        assert explorer.k == pla(X, y).updates
        best = max_margin(X, y, augmented=True).weights
        assert np.isclose(explorer.table.bound, mistake_bound(signed_rows(X, y), best))
        walls.append(explorer.table.bound)
        mistakes.append(explorer.k)
    assert walls[2] > 1000 * walls[0]
    assert mistakes[2] < 20 * mistakes[0]
    assert f"the bound R²/γ² is {brief(walls[2])}; " in explorer.text


def test_without_a_separator_it_says_so_with_the_certificate() -> None:
    explorer = ProofExplorer("XOR")
    explorer.to_end()
    verdict = certify(*data.xor_gate())
    shares = vector(verdict.multipliers[verdict.support])
    assert f"there is no w*, so no bound and no end: with λ = {shares} on rows" in explorer.text
    assert explorer.table is None
    for panel in (SQUEEZE, POTENTIAL):
        assert not drawn(explorer, "wall", panel)
        assert drawn(explorer, "note", panel)[0]["text"].startswith("no w*")
    run = pla(*data.xor_gate(), max_updates=BUDGET)
    longest = np.linalg.norm(run.path, axis=1).max()
    assert f"‖w‖ was at most {brief(longest)} so far" in explorer.text
    explorer.relabel("p3")
    assert explorer.table
    assert drawn(explorer, "wall", SQUEEZE)


def test_back_after_step_and_reset_restore_picture_and_text() -> None:
    explorer = ProofExplorer()
    start = assert_back_undoes_step(explorer)
    button(explorer, "To the end").click()
    assert explorer.k == 18
    button(explorer, "To the start").click()
    assert (explorer.text, explorer.canvas.scene["panels"]) == start


def test_a_long_run_is_drawn_with_few_spots_and_to_its_end() -> None:
    explorer = ProofExplorer()
    explorer.move("p3", 1, 0.1)
    explorer.to_end()
    assert explorer.k == 634
    for scale in ("logarithmic", "plain"):
        explorer.scale.value = scale
        seen = curve(explorer, "alignment", SQUEEZE)
        last = [634, explorer.table.alignment[634]]
        assert len(seen) < 200
        assert np.allclose(seen[-1], np.log10(last) if scale == "logarithmic" else last)


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["logarithmic", "plain"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ABSURD)
def test_absurd_points_end_in_a_clear_sentence(name: str, bias: bool, scale: str) -> None:
    X, y = ABSURD[name]
    explorer = ProofExplorer()
    explorer.offset.value = bias
    explorer.scale.value = scale
    explorer.fill(X, y)
    for act in (explorer.step, explorer.back, explorer.to_end):
        act()
        assert "could not be done" not in explorer.text
        assert re.search(r"no points|the bound R²/γ² is|there is no w\*", explorer.text)
        json.dumps(explorer.canvas.scene, allow_nan=False)
    if len(X):
        assert bool(explorer.table) == certify(explorer.X, explorer.y, bias=bias).separable
    if scale == "logarithmic":
        explorer.still()
    plt.close("all")


def test_a_margin_too_small_for_floats_is_said() -> None:
    explorer = ProofExplorer()
    explorer.fill([[0, 0], [1e7, 1e7], [5e6, 5e6 + 1e-4]], [1, 1, -1])
    explorer.to_end()
    assert "by a margin too small to compute" in explorer.text
    assert drawn(explorer, "note", SQUEEZE)[0]["text"] == "the margin is too small"
    assert explorer.table is None


def test_logarithmic_axes_end_at_powers_of_ten_with_room_for_the_wall():
    axis = Axes(log=True)
    assert [axis.across(reach) for reach in (10, 5000, 8000, 3e6)] == [
        (0.0, 4.0),
        (0.0, 4.0),
        (0.0, 5.0),
        (0.0, 7.0),
    ]
    assert axis.up(0.2, 30) == (-1.0, 2.0)
    assert axis.up(0.02, 300) == (-2.0, 3.0)
    assert [label for _, label in axis.ticks((-1.0, 3.0))] == ["0.1", "1", "10", "100", "10³"]
    assert [at for at, _ in axis.ticks((0.0, 9.0))] == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert np.allclose(axis.of(axis.samples((0.0, 3.0))), np.linspace(0, 3, 100))


def test_plain_axes_begin_at_zero_with_some_room():
    axis = Axes(log=False)
    assert (axis.across(10), axis.up(3, 8)) == ((0.0, 12.0), (0.0, 10.0))
    assert axis.samples((0.0, 5.0)).tolist() == np.linspace(0, 5, 100).tolist()
    assert axis.spots(np.arange(2), np.array([3.0, 4.0])).tolist() == [[0, 3], [1, 4]]
    assert [label for _, label in axis.ticks((0.0, 2e6))][1] == "5·10⁵"


def test_a_short_curve_is_drawn_as_it_is():
    assert thinned(1, MOST_SPOTS, np.zeros(999)).tolist() == list(range(1, MOST_SPOTS + 1))
    assert thinned(3, 2, np.zeros(9)).tolist() == []


@pytest.mark.parametrize("first", [0, 1])
def test_a_long_curve_keeps_its_ends_and_its_extremes(first):
    values = np.random.default_rng(7).normal(size=2001)
    kept = thinned(first, 2000, values)
    assert {first, 2000} <= set(kept)
    assert MOST_SPOTS < len(kept) <= 4 * MOST_SPOTS
    assert (np.diff(kept) > 0).all()
    assert np.ptp(values[kept]) == np.ptp(values[first:])
    late = values[1000:]
    assert values[kept[kept >= 900]].max() >= late.max(), "of every stretch"


def test_a_run_beyond_the_budget_is_not_compared_with_the_wall():
    explorer = ProofExplorer()
    explorer.fill([[0.5, 0.5], [0.5, 0.4999]], [1, -1])
    assert explorer.table is not None
    assert explorer.text.endswith(f"the run makes more than {BUDGET} mistakes.")


def test_the_still_picture_has_room_for_larger_letters():
    explorer = ProofExplorer()
    figure, usual = explorer.still(), still.draw(explorer.scene)
    assert figure.get_figheight() / usual.get_figheight() == pytest.approx(369.8 / 310)
    assert [ax.get_title() for ax in figure.axes] == [ax.get_title() for ax in usual.axes]
    plt.close("all")


def test_without_a_bound_the_axis_holds_the_whole_run():
    explorer = ProofExplorer("XOR")
    explorer.scale.value = "plain"
    assert explorer.canvas.scene["panels"][1]["xlim"] == [0.0, 1.2 * BUDGET]
    explorer.fill([], [])
    assert explorer.canvas.scene["panels"][2]["xlim"] == [0.0, 12.0]
