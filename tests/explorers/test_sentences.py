"""What explorers say and draw against recomputed facts; thousands more by ``tests.fuzz``."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from linlib import explorers as kinds
from linlib.data import real
from linlib.explorers.kit.sentences import brief
from tests import facts, facts_challenges
from tests.facts import drawn
from tests.fuzz import KINDS, fuzz
from tests.shown import EXPLORERS


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_false_in_random_and_nasty_states(kind: str) -> None:
    assert list(fuzz(kind, 40, seed=1)) == []
    for explorer in islice(KINDS[kind][0](np.random.default_rng(2)), 6):
        json.dumps(explorer.canvas.scene, allow_nan=False)
        plt.close(explorer.still())


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("line", "penguins are", "penguin is"),
        ("hyperplane", "negative", "positive"),
        ("perceptron", "It will end", "It can never end"),
        ("proof", "R²/γ² is 51", "R²/γ² is 52"),
        ("descent", "(0.438, 0.375)", "(0.438, 0.385)"),
        ("margin", "4 within", "3 within"),
        ("logistic", "6 of 40", "5 of 40"),
        ("gaussians", "a hyperbola", "a parabola"),
        ("classes", "2.2 %", "7.2 %"),
    ],
)
def test_the_facts_notice_a_false_sentence(name: str, old: str, new: str) -> None:
    explorer, check = EXPLORERS[name](), KINDS[name][1]
    assert check(explorer) == []
    assert old in explorer.text
    explorer.canvas.scene = explorer.canvas.scene | {"text": explorer.text.replace(old, new)}
    assert check(explorer)


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("hyperplane", "line"),
        ("perceptron", "line"),
        ("proof", "wall"),
        ("proof", "length"),
        ("descent", "path"),
        ("margin", "edge+1"),
        ("logistic", "level"),
        ("gaussians", "lda"),
    ],
)
def test_the_facts_notice_what_is_drawn_elsewhere(name: str, mark: str) -> None:
    explorer, check = EXPLORERS[name](), KINDS[name][1]
    if name in ("perceptron", "proof"):
        explorer.to_end()
    assert check(explorer) == []
    scene = explorer.canvas.scene
    panels = [
        panel | {"drawables": [_moved(item, mark) for item in panel["drawables"]]}
        for panel in scene["panels"]
    ]
    assert panels != scene["panels"]
    explorer.canvas.scene = scene | {"panels": panels}
    assert check(explorer)


def _moved(item: dict[str, Any], mark: str) -> dict[str, Any]:
    if item.get("name") != mark:
        return item
    return item | {"xy": [[x + 0.01, y + 0.01] for x, y in item["xy"]]}


def test_a_sorted_line_is_counted_in_whole_numbers_and_certified() -> None:
    explorer = kinds.LineExplorer()
    assert facts.sorted_by(explorer) is not None
    assert "Done" not in facts_challenges.challenged(explorer)
    explorer.move("from", 31, 13)
    explorer.move("to", 60, 22)
    assert min(facts.sorted_by(explorer), key=len) == []
    assert facts_challenges.challenged(explorer).endswith("Done, and certified.")
    row = explorer.X[0]
    explorer.move("from", *row)  # a point on the line itself is wrong
    assert 0 in min(facts.sorted_by(explorer), key=len)
    explorer.species.value = "Adelie and Chinstrap"
    assert facts.by_lda(explorer.X, explorer.y) == explorer.lda_errors == 3
    assert facts.line(explorer) + facts_challenges.challenge(explorer) == []


def test_the_penguins_kept_back_are_those_not_drawn() -> None:
    explorer = kinds.LineExplorer(test=True)
    explorer.move("from", 31, 13)
    explorer.move("to", 60, 22)  # 9 / 29 upwards for 1 to the right
    birds = real.load("penguins")
    drawn = set(map(tuple, explorer.X))
    others = [(*x, species) for x, species in zip(birds.X[:, :2], birds.y, strict=True)]
    others = [bird for bird in others if bird[2] != 1 and bird[:2] not in drawn]
    below = [29 * (depth - 13) < 9 * (length - 31) for length, depth, _ in others]
    missed = sum(low != (species == 2) for low, (_, _, species) in zip(below, others, strict=True))
    assert f"Of the {len(others)} kept back it gets {missed} wrong." in explorer.text


def test_a_fit_that_spends_its_budget_says_how_far_it_may_be_off(monkeypatch: Any) -> None:
    from linlib.explorers import margin

    monkeypatch.setattr(margin, "BUDGET", 1)
    explorer = kinds.MarginExplorer("overlapping")
    assert f"the minimum is at most {brief(explorer.fit.gap, 2)} lower." in explorer.text


def test_a_free_point_moves_nothing() -> None:
    explorer = kinds.MarginExplorer()
    before = explorer.text
    explorer.move("p0", *(explorer.X[0] + [0.5, 0.3]))
    assert explorer.text == before


def test_a_run_that_had_ended_is_shown_at_its_new_end_while_a_point_moves() -> None:
    explorer = kinds.PerceptronExplorer("three points")
    explorer.to_end()
    explorer.move("p2", -1, 10)
    assert (explorer.k, explorer.counts.tolist()) == (6, [5, 0, 1])
    explorer.go(explorer.k - 1)
    explorer.move("p2", -1, 1.5)
    assert explorer.k == 2, "never beyond the end"


def test_the_length_of_a_run_keeps_its_band_when_its_curve_is_thinned() -> None:
    explorer = kinds.ProofExplorer("XOR")
    explorer.to_end()
    (curve,) = drawn(explorer, "length", 1)
    x, heights = np.array(curve["xy"]).T
    lengths = np.linalg.norm(explorer.path[1:], axis=1)
    assert len(x) < 400
    assert heights.max() == pytest.approx(lengths.max(), abs=1e-5)
    late = heights[x > np.log10(900)]
    assert [late.min(), late.max()] == pytest.approx([lengths[900:].min(), lengths[900:].max()])
