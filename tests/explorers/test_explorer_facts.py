"""Sentences of the explorers against recomputed facts; thousands more by ``tests.fuzz``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linlib.explorers import (
    ClassesExplorer,
    DescentExplorer,
    GaussianExplorer,
    HyperplaneExplorer,
    LogisticExplorer,
    MarginExplorer,
    PerceptronExplorer,
    ProofExplorer,
)
from tests import facts, facts_more
from tests.fuzz import KINDS, fuzz


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_is_false_in_random_and_nasty_states(kind: str) -> None:
    assert list(fuzz(kind, 40, seed=1)) == []


def test_the_facts_notice_a_false_sentence() -> None:
    explorer = HyperplaneExplorer()
    text = explorer.text.replace("negative", "positive")
    explorer.canvas.scene = explorer.canvas.scene | {"text": text}
    assert facts.hyperplane(explorer)
    for kind, check, old, new in (
        (PerceptronExplorer, facts.perceptron, "It will end", "It can never end"),
        (ProofExplorer, facts.proof, "R²/γ² is 51", "R²/γ² is 52"),
        (DescentExplorer, facts.descent, "(0.438, 0.375)", "(0.438, 0.385)"),
        (MarginExplorer, facts_more.margin, "4 within", "3 within"),
        (LogisticExplorer, facts_more.logistic, "6 of 40", "5 of 40"),
        (GaussianExplorer, facts_more.gaussians, "a hyperbola", "a parabola"),
        (ClassesExplorer, facts_more.classes, "2.2 %", "7.2 %"),
    ):
        explorer = kind()
        assert check(explorer) == []
        assert old in explorer.text
        explorer.canvas.scene = explorer.canvas.scene | {"text": explorer.text.replace(old, new)}
        assert check(explorer), kind


# ---------------------------------------------------------------- sentences that used to be false


def test_a_weight_outside_the_picture_enlarges_the_picture() -> None:
    explorer = HyperplaneExplorer(w=(20, 10), w0=-30)
    assert explorer.text.startswith("w = (20, 10) and w₀ = −30:")
    assert explorer.handles["normal"] == (20.0, 10.0)
    assert facts.hyperplane(explorer) == []


def test_a_point_on_the_line_by_its_decimals_is_on_the_line() -> None:
    explorer = HyperplaneExplorer(w=(0.1, 0.2), w0=-0.3, point=(1, 1))
    assert "is on the line itself: score 0, signed distance 0" in explorer.text
    explorer.move("point", 1, 1.0001)
    assert "on the positive side: score 2·10⁻⁵" in explorer.text


def test_points_on_a_line_by_their_decimals_are_not_separated() -> None:
    explorer = PerceptronExplorer()
    explorer.fill([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]], [1, -1, 1])
    assert "It can never end: with λ = (0.25, 0.5, 0.25) on rows 0, 1, 2" in explorer.text


def test_an_offset_that_is_not_unique_is_said_and_a_free_point_moves_nothing() -> None:
    explorer = MarginExplorer()
    before = explorer.text
    assert "4 of 28 points support it: 0 on its edges, 4 within it or beyond" in before
    assert "Its offset is not unique: every w₀ from" in before
    x, y = explorer.X[0]
    explorer.move("p0", x + 0.5, y + 0.3)
    assert explorer.text == before


def test_where_there_is_no_boundary_none_is_claimed() -> None:
    explorer = GaussianExplorer("small in large")
    explorer.prior.value = 0.05
    assert explorer.text.count("QDA has no boundary: class 0 is likelier everywhere.") == 1
    assert explorer.qda.log_odds(explorer.X).max() < 0


def test_an_ellipse_around_the_picture_is_not_inside_it() -> None:
    explorer = GaussianExplorer()
    shapes = [[[0, 0], [-3, 0.1], 2.44], [[0, 0], [-2, 1], 2.44]]
    explorer.put(explorer.state | {"shapes": shapes, "prior": 0.75})
    assert "QDA's boundary is an ellipse, none of it inside the picture." in explorer.text
    assert facts_more.gaussians(explorer) == []


def test_two_parallel_lines_are_no_parabola() -> None:
    explorer = GaussianExplorer("small in large")
    explorer.move("mean1", 0.4, 0)
    explorer.move("wide1", 0.4, 1.6)
    assert "QDA's boundary is two parallel lines." in explorer.text


def test_what_no_point_sees_stays_and_is_not_called_arrived() -> None:
    explorer = DescentExplorer(start=(-2.0, 3.0), step=0.04)
    explorer.fill([[1, 1], [-1, -1], [2, 2], [-2, -2]], [1, 1, -1, -1])
    assert "tends to least-squares weights (−2.5, 2.5)" in explorer.text.replace(
        "has arrived at", "tends to"
    )
    assert "seen by no point: along it the weights stay as they are" in explorer.text


def test_a_cycle_is_no_rest() -> None:
    explorer = DescentExplorer(loss="hinge", start=(0.2, 0.1), step=0.3)
    explorer.fill([[1, 1]] * 2, [1, -1])
    explorer.pick.value = "one by one"
    assert "comes to rest" not in explorer.text
    assert "It never rests: it goes round in a circle of 2 steps" in explorer.text


def test_a_start_without_error_does_not_diverge() -> None:
    explorer = DescentExplorer(start=(1.0, -1.0), step=0.1)
    explorer.fill([[2, 2], [2, 2], [2, 2], [-2, -2]], [1, -1, 1, 1])
    assert "diverges" not in explorer.text
    assert np.array_equal(explorer.weights, explorer.start)


def test_a_small_margin_keeps_its_digits_and_a_swinging_length_its_band() -> None:
    explorer = ProofExplorer("AND")
    explorer.move("p3", 0.5051, 0.5051)
    assert "γ = 0.00" in explorer.text
    assert len(explorer.text.split("γ = 0.00")[1].split(" ")[0]) >= 3
    explorer = ProofExplorer("XOR")
    explorer.to_end()
    (curve,) = (d for d in explorer.canvas.scene["panels"][1]["drawables"] if d["name"] == "length")
    heights = np.array(curve["xy"])[:, 1]
    lengths = np.linalg.norm(explorer.path[1:], axis=1)
    assert heights.max() == pytest.approx(lengths.max(), abs=1e-5)
    late = np.array(curve["xy"])[np.array(curve["xy"])[:, 0] > np.log10(900), 1]
    assert late.max() == pytest.approx(lengths[900:].max(), abs=1e-5)
    assert late.min() == pytest.approx(lengths[900:].min(), abs=1e-5)


@pytest.mark.parametrize(
    ("X", "start", "step"),
    [
        ([[2, -2]] * 12, (0.1651, 1.395), 1.0),  # a pass multiplies the error by 7¹²
        ([[3, -4]] * 12, (-3.893, 2.581), 0.96),
        ([[-3.804, 0.0002], [3.6136, -0.0031], [-1.8196, 0.0004]], (3.0, 3.0), 0.77),
    ],
)
def test_a_pass_that_enlarges_the_error_immensely_diverges(
    X: list, start: Any, step: float
) -> None:
    explorer = DescentExplorer(start=start, step=step)
    explorer.fill(X, [1] * len(X))
    explorer.pick.value = "one by one"
    assert "It diverges: a pass multiplies the error by" in explorer.text
    assert "where every pass ends" not in explorer.text
    assert facts.descent(explorer) == []


def test_a_start_at_rest_rests_though_any_error_would_explode() -> None:
    explorer = DescentExplorer(start=(0.25, -0.25), step=1.0)
    explorer.fill([[2, -2]] * 12, [1] * 12)
    explorer.pick.value = "one by one"
    assert "It starts at (0.25, −0.25), where every pass ends" in explorer.text


def test_what_drowns_in_a_runaway_is_not_called_zero() -> None:
    explorer = DescentExplorer(start=(0.6, 0.5), step=0.3)
    explorer.fill([[0, 3], [1, 0]], [1, 1])
    assert "took the weights from (0.6, 0.5) to a length of" in explorer.text
    assert explorer.weights[0] == pytest.approx(1)
    assert facts.descent(explorer) == []


def test_the_end_of_a_slow_descent_is_said_without_rounding() -> None:
    explorer = DescentExplorer("four on a line", start=(-0.5, 0.2), step=0.005)
    explorer.fill([[3.4132], [3.4132], [3.4561], [3.4132]], [1, 1, 1, 1])
    assert "It tends to the least-squares weights (1, 0)." in explorer.text


def test_a_circle_is_one_in_whole_numbers_though_floats_leave_it() -> None:
    explorer = DescentExplorer("four on a line", loss="perceptron", start=(-0.25, -0.5), step=0.005)
    x = [-0.25, 0.2, 0.5, 0.5, -3, 3, 0.25, 0.7, 4, 0.25, 0.7, 4]
    explorer.fill(np.reshape(x, (-1, 1)), [1, -1, 1, -1, 1, 1, 1, 1, -1, 1, -1, -1])
    assert "It never rests: it goes round in a circle of 19 steps." in explorer.text
    path = facts.kinked(explorer, 200)
    assert np.array_equal(path[100], path[119])
    assert facts.descent(explorer) == []


def test_decimals_decide_at_a_kink_and_so_does_the_copied_python() -> None:
    explorer = DescentExplorer("four on a line", loss="hinge", start=(0.5, 1.0), step=0.1)
    explorer.fill([[0], [-4]], [-1, -1])
    assert "15 steps took the weights from (0.5, 1) to (−1, 1) and the loss" in explorer.text
    names: dict[str, Any] = {}
    exec(explorer.python(), names)
    assert "exact_descent" in explorer.python()
    assert np.array_equal(names["run"].path, explorer.run.path)
    explorer.on_move("start", 0.5125, 1.0)
    explorer.fill([[0], [-4.003]], [1, -1])
    exec(explorer.python(), names)
    assert "exact_descent" not in explorer.python()
    assert np.allclose(names["run"].path, explorer.run.path)


def test_a_line_through_one_mixed_place_has_no_point_on_its_wrong_side() -> None:
    explorer = LogisticExplorer()
    explorer.penalty.value = "none"
    for other in (1, -1):
        explorer.fill([[-1.131, 0.8079]] * 3 + [[-4, 0.5]], [1, -1, -1, other])
        assert "3 of 4 on itself (quasi-complete separation)" in explorer.text
        assert facts_more.logistic(explorer) == []
