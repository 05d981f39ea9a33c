"""What explorers say and draw is what was stored, and read by a person.

    python -m pytest tests/explorers/test_shown.py --snapshot-update

stores it anew in ``__snapshots__``; then read the difference.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from syrupy.extensions.amber import AmberSnapshotExtension

from linlib import Hyperplane, data
from linlib.explorers import (
    ClassesExplorer,
    DescentExplorer,
    GaussianExplorer,
    HyperplaneExplorer,
    LineExplorer,
    LogisticExplorer,
    MarginExplorer,
    PerceptronExplorer,
    PredictLine,
    ProofExplorer,
)
from linlib.explorers.kit.points import PointsExplorer, Stepper
from linlib.explorers.kit.state import OWN
from tests.helpers.shown import EXPLORERS, alike, near, shown
from tests.helpers.states import KINDS, fill

NAMES = list(EXPLORERS)
WITH_PRESETS = [name for name in NAMES if EXPLORERS[name].kind.presets]
WITH_POINTS = [name for name in NAMES if issubclass(EXPLORERS[name], PointsExplorer)]
STEPPED = [name for name in NAMES if issubclass(EXPLORERS[name], Stepper)]


class ButForRounding(AmberSnapshotExtension):
    """Stored text, which is still the same where only the last digit of a number differs."""

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Tell whether what is shown is what was stored."""
        return alike(str(snapshot_data), str(serialized_data))


@pytest.fixture
def stored(snapshot: Any) -> Any:
    return snapshot.use_extension(ButForRounding)


# ---- what all have


@pytest.mark.parametrize("name", NAMES)
def test_at_first(name: str, stored: Any) -> None:
    assert shown(EXPLORERS[name]()) == stored


@pytest.mark.parametrize("name", WITH_PRESETS)
def test_every_preset(name: str, stored: Any) -> None:
    explorer: Any = EXPLORERS[name]()
    for preset in explorer.presets:
        explorer.preset.value = preset
        assert shown(explorer) == stored(name=preset)


@pytest.mark.parametrize("name", NAMES)
def test_every_control(name: str, stored: Any) -> None:
    explorer: Any = EXPLORERS[name]()
    for label, control in explorer.controls.items():
        if label == "preset":
            continue
        for value in _values(control):
            explorer.reset()
            if name in STEPPED:
                explorer.step()  # another order or offset begins again
            control.value = value
            assert shown(explorer) == stored(name=f"{label} {value}")


def _values(control: Any) -> list[Any]:
    if hasattr(control, "options"):
        return [value for value in control.options if value not in (control.value, OWN)]
    return list(control.ends) if hasattr(control, "ends") else [not control.value]


@pytest.mark.parametrize("name", STEPPED)
def test_steps(name: str, stored: Any) -> None:
    explorer: Any = EXPLORERS[name]()
    explorer.to_start()
    assert shown(explorer) == stored(name="start")
    explorer.step()
    explorer.step()
    assert shown(explorer) == stored(name="two steps")
    explorer.to_end()
    assert shown(explorer) == stored(name="end")
    explorer.go(explorer.k - 1)
    assert shown(explorer) == stored(name="one back")


@pytest.mark.parametrize("name", WITH_POINTS)
def test_points_come_and_go(name: str, stored: Any) -> None:
    explorer: Any = EXPLORERS[name]()
    explorer.add(0.75, 0.5)
    assert shown(explorer) == stored(name="one added")
    explorer.relabel("p0")
    assert shown(explorer) == stored(name="p0 relabelled")
    explorer.move("p0", 0.5, -0.25)
    assert shown(explorer) == stored(name="p0 moved")
    features, labels = explorer.X.shape[1], list(explorer.looks)
    for y in ([], labels[:1], labels[:2], labels[:2] * 2):
        spots = np.array([[0.0, 0.0], [1.0, 0.5], [0.5, 1.0], [0.5, -0.25]])[: len(y), :features]
        fill(explorer, spots, y)
        assert shown(explorer) == stored(name=f"labels {y}")


@pytest.mark.parametrize("name", NAMES)
def test_random_and_nasty_states(name: str, stored: Any) -> None:
    for number, explorer in enumerate(islice(KINDS[name](np.random.default_rng(3)), 6)):
        assert shown(explorer) == stored(name=f"{number}")


# ---- states that are seldom met, of many of which an explorer once said something false


def test_a_line_whose_ends_lie_on_each_other(stored: Any) -> None:
    line = LineExplorer()
    line.move("to", 34, 21)
    assert shown(line) == stored


def test_hyperplanes(stored: Any) -> None:
    rule = HyperplaneExplorer()
    rule.move("normal", 0, 0)
    assert shown(rule) == stored(name="no normal")
    rule = HyperplaneExplorer()
    rule.move("normal", 0.0001, 0)
    assert shown(rule) == stored(name="outside")
    rule = HyperplaneExplorer([0.1, 0.2], -0.3, [1, 1])
    assert shown(rule) == stored(name="on the line by decimals")


@pytest.mark.parametrize("kind", [PerceptronExplorer, ProofExplorer])
def test_runs_to_their_end(kind: Any, stored: Any) -> None:
    for preset in kind.kind.presets:
        explorer = kind(preset)
        explorer.to_end()
        assert shown(explorer) == stored(name=preset)


def test_a_perceptron_with_hulls_in_another_order(stored: Any) -> None:
    explorer = PerceptronExplorer("three points")
    explorer.to_end()
    explorer.show.value = "line and hulls"
    assert shown(explorer) == stored(name="hulls")
    explorer.preset.value = "random"
    explorer.order.value = "worst"
    explorer.to_end()
    assert shown(explorer) == stored(name="worst first")
    fill(explorer, [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]], [1, -1, 1])
    assert shown(explorer) == stored(name="on a line by decimals")


def test_a_proof_in_weight_space_and_one_too_small_for_floats(stored: Any) -> None:
    explorer = ProofExplorer()
    explorer.to_end()
    explorer.show.value = "weight space"
    assert shown(explorer) == stored(name="weights")
    fill(explorer, [[0, 0], [1e7, 1e7], [5e6, 5e6 + 1e-4]], [1, 1, -1])
    assert shown(explorer) == stored(name="too small for floats")


ALONG = [[1, 1], [2, 2], [-1, -1]], [1, 1, -1]


def test_descents_at_the_limit_and_at_rest(stored: Any) -> None:
    descent = DescentExplorer()
    descent.eta.value = descent.limit
    assert shown(descent) == stored(name="at the limit")
    descent.move("start", *descent.bottom)
    assert shown(descent) == stored(name="at rest at the limit")
    fill(descent, *ALONG)
    assert shown(descent) == stored(name="along one direction")
    fill(descent, [[0, 0], [0, 0]], [1, -1])
    assert shown(descent) == stored(name="flat")
    fill(descent, [[0.1, 0], [0, 4]], [1, 1])
    descent.move("start", -4, 4)
    assert shown(descent) == stored(name="outside")
    descent.eta.value = 0.3
    fill(descent, [[0, 3], [1, 0]], [1, 1])
    descent.move("start", 0.6, 0.5)
    descent.to_end()
    assert shown(descent) == stored(name="what drowns in a runaway")


def test_descents_one_by_one(stored: Any) -> None:
    descent = DescentExplorer("four on a line")
    descent.pick.value = "one by one"
    assert shown(descent) == stored(name="passes settle")
    descent.eta.value = 1.0
    assert shown(descent) == stored(name="passes diverge")
    descent = DescentExplorer()
    descent.pick.value = "one by one"
    fill(descent, *ALONG)
    descent.move("start", 0.5, 0.5)
    assert shown(descent) == stored(name="at rest along one direction")
    descent.eta.value = 1.0
    fill(descent, [[2, -2]] * 12, [1] * 12)
    descent.move("start", 0.1651, 1.395)
    assert shown(descent) == stored(name="a pass times 7 to the 12th")
    descent.move("start", 0.25, -0.25)
    assert shown(descent) == stored(name="at rest, though it would explode")


@pytest.mark.parametrize("loss", ["perceptron", "hinge"])
def test_descents_on_kinks(loss: str, stored: Any) -> None:
    descent = DescentExplorer("four on a line", loss=loss)
    descent.to_end()
    assert shown(descent) == stored(name="all at once")
    descent.pick.value = "one by one"
    descent.to_end()
    assert shown(descent) == stored(name="one by one")
    descent = DescentExplorer(loss=loss, step=0.3)
    descent.pick.value = "one by one"
    fill(descent, [[1, 1]] * 2, [1, -1])
    descent.move("start", 0.2, 0.1)
    descent.to_end()
    assert shown(descent) == stored(name="a cycle")


def test_streets_with_hulls(stored: Any) -> None:
    for preset, penalty in (("apart", 0.001), ("overlapping", 0.01)):
        explorer = MarginExplorer(preset, penalty=penalty)
        explorer.show.value = "street and hulls"
        assert shown(explorer) == stored(name=preset)


def test_odds_without_a_best_line(stored: Any) -> None:
    explorer = LogisticExplorer()
    explorer.penalty.value = "none"
    for preset in ("apart", "apart but for a line"):
        explorer.preset.value = preset
        assert shown(explorer) == stored(name=preset)
    fill(explorer, [[-1.131, 0.8079]] * 3 + [[-4, 0.5]], [1, -1, -1, 1])
    assert shown(explorer) == stored(name="through one mixed place")
    fill(explorer, [[k / 10, k / 10] for k in (1, 2, 3, 4)], [1, -1, 1, -1])
    assert shown(explorer) == stored(name="on a line by decimals")
    explorer = LogisticExplorer()
    fill(explorer, [[1, 1]] * 3, [1, -1, 1])
    assert shown(explorer) == stored(name="flat")


AROUND = [[[0, 0], [-3, 0.1], 2.44], [[0, 0], [-2, 1], 2.44]]
BESIDE = [[[0, 0], [1.9, 0], 1.6], [[0.4, 0], [0.6, 0], 1.6]]


def test_gaussian_classes_with_unusual_boundaries(stored: Any) -> None:
    classes = GaussianExplorer()
    classes.move("mean1", -1.4, -0.8)
    assert shown(classes) == stored(name="equal means")
    classes.prior.value = 0.75
    assert shown(classes) == stored(name="equal means, prior")
    classes.prior.value = 0.5
    classes.equalise()
    assert shown(classes) == stored(name="equal")
    classes.move("mean1", 5.0, 4.0)
    assert shown(classes) == stored(name="in a corner")
    classes = GaussianExplorer("small in large")
    classes.prior.value = 0.05
    assert shown(classes) == stored(name="small in large, prior")
    classes.put(classes.state | {"shapes": AROUND, "prior": 0.75})
    assert shown(classes) == stored(name="around the picture")
    classes.put(classes.state | {"shapes": BESIDE, "prior": 0.5})
    assert shown(classes) == stored(name="parallel lines")


def test_classes_that_a_line_cannot_tell_apart(stored: Any) -> None:
    classes = ClassesExplorer("pinwheel")
    classes.learner.value = "least squares"
    assert shown(classes) == stored(name="pinwheel")
    fill(classes, [[1, 1]] * 3, [0, 1, 2])
    assert shown(classes) == stored(name="flat")
    classes.scheme.value = "pair by pair"
    classes.learner.value = "widest street"
    fill(classes, [[1, 1]] * 3, [0, 1, 1])
    assert shown(classes) == stored(name="flat pair")


def test_a_prediction(stored: Any) -> None:
    X, y = data.and_gate()
    line = PredictLine("Where?", X, y, lambda: Hyperplane([2, 2], -3), because="So.")
    line.move("to", 0.75, 0.25)
    assert shown(line) == stored(name="asked")
    line.commit()
    assert shown(line) == stored(name="committed")


# ---- what counts as the same

MARK = "  1 in 0.00 to 0.25, 1.00 to 1.50 {colour: #111111, kind: path, name: line, width: 2.2}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0 of 4 points are wrong.", "1 of 4 points are wrong."),
        ("a length of 0.25.", "a length of 0.27."),
        ("It will end.", "It never ends."),
        ("weights (−1, 0)", "weights (1, 0)"),
        (MARK, MARK.replace("width: 2.2", "width: 2.3")),
        (MARK, MARK.replace("1 in", "2 in")),
        (MARK, MARK.replace("1.50", "1.52")),
    ],
)
def test_another_word_number_or_look_is_noticed(old: str, new: str) -> None:
    assert not near(old, new)
    matches = ButForRounding().matches
    assert matches(serialized_data=old, snapshot_data=old)
    assert not matches(serialized_data=f"{old}\n{old}", snapshot_data=old)
    assert not matches(serialized_data="", snapshot_data=old)


@pytest.mark.parametrize(
    ("old", "new"),
    [("a length of 0.25.", "a length of 0.26."), (MARK, MARK.replace("1.50", "1.51"))],
)
def test_rounding_is_not(old: str, new: str) -> None:
    assert near(old, new)
