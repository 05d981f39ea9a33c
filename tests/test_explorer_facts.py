"""Sentences of the explorers against recomputed facts; thousands more by ``tests.fuzz``."""

from __future__ import annotations

import numpy as np
import pytest

from linlib.widgets import (
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
