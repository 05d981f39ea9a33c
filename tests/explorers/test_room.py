"""The room that all explorers share: one state, undo, one Reset, copy, paste, challenges."""

from __future__ import annotations

import functools
import json
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from linlib.explorers import (
    ClassesExplorer,
    DescentExplorer,
    Explorer,
    GaussianExplorer,
    HyperplaneExplorer,
    LogisticExplorer,
    MarginExplorer,
    PerceptronExplorer,
    ProofExplorer,
)
from linlib.explorers.kit import still
from linlib.explorers.kit.explorer import OWN
from tests.explorers.test_widgets import EXPLORERS, send

WITH_POINTS = [
    PerceptronExplorer,
    ProofExplorer,
    DescentExplorer,
    MarginExplorer,
    LogisticExplorer,
    ClassesExplorer,
]


def last_handle(explorer: Explorer) -> str:
    return list(explorer.handles)[-1]


@pytest.mark.parametrize("kind", EXPLORERS)
def test_undo_and_redo_travel_through_all_states(kind: type[Explorer]) -> None:
    explorer = kind()
    seen = [(explorer.state, explorer.text)]
    for place in ((0.5, 0.25), (0.25, 0.5), (0.75, 0.75)):
        explorer.move(last_handle(explorer), *place)
        seen.append((explorer.state, explorer.text))
    for state, text in reversed(seen[:-1]):
        explorer.undo()
        assert (explorer.state, explorer.text) == (state, text)
    explorer.undo()
    assert "there is nothing to undo" in explorer.text
    for state, text in seen[1:]:
        explorer.redo()
        assert (explorer.state, explorer.text) == (state, text)
    explorer.undo()
    explorer.move(last_handle(explorer), 0.1, 0.1)
    explorer.redo()
    assert "there is nothing to redo" in explorer.text, "a new change forgets what was undone"


@pytest.mark.parametrize("kind", EXPLORERS)
def test_a_drag_is_one_step_and_escape_takes_it_back(kind: type[Explorer]) -> None:
    explorer = kind()
    before = explorer.state
    handle = last_handle(explorer)
    for step in range(1, 6):
        send(explorer, type="move", id=handle, x=0.1 * step, y=0.2, gesture=1)
    explorer.undo()
    assert explorer.state == before
    for step in range(1, 6):
        send(explorer, type="move", id=handle, x=0.1 * step, y=0.2, gesture=2)
    send(explorer, type="cancel", gesture=2)
    assert explorer.state == before
    explorer.redo()
    assert "nothing to redo" in explorer.text, "what was cancelled leaves no trace"
    send(explorer, type="cancel", gesture=2)
    assert explorer.state == before, "what has ended is not cancelled"


@pytest.mark.parametrize("kind", EXPLORERS)
def test_reset_leads_back_to_what_the_cell_first_showed(
    kind: type[Explorer], monkeypatch: Any
) -> None:
    monkeypatch.setattr(
        still, "draw", lambda _, enlarged: plt.figure(figsize=(1, 1))
    )  # not looked at here
    explorer = kind()
    explorer.move(last_handle(explorer), 0.3, 0.4)
    explorer._repr_mimebundle_()
    shown = explorer.state, explorer.text
    assert not explorer.canvas.scene["undo"]
    explorer.move(last_handle(explorer), 0.9, 0.8)
    explorer.reset()
    assert (explorer.state, explorer.text) == shown
    explorer.undo()
    assert explorer.state != shown[0], "Reset can be undone"


def test_reset_puts_the_speed_back_too() -> None:
    explorer = PerceptronExplorer()
    explorer.speed.value = "fast"
    explorer.reset()
    assert explorer.speed.value == "medium"


@pytest.mark.parametrize("kind", EXPLORERS)
def test_a_number_is_tied_only_to_what_is_drawn(kind: type[Explorer]) -> None:
    explorer = kind()
    if isinstance(explorer, PerceptronExplorer):
        explorer.to_end()
    shown = explorer.canvas.scene
    drawn = {
        item.get("name") or item.get("id")
        for panel in shown["panels"]
        for item in [*panel["drawables"], *panel["handles"]]
    }
    tied = {name for _, name in shown["pieces"] if name}
    assert tied
    assert tied <= drawn
    assert "".join(words for words, _ in shown["pieces"]) == explorer.text


def test_each_scheme_lights_up_its_own_doubt_and_passes_show_where_they_settle() -> None:
    classes = ClassesExplorer("four classes")
    tied = [name for _, name in classes.canvas.scene["pieces"] if name]
    assert tied == ["doubt: one against the rest", "doubt: pair by pair"], "the machine has none"
    descent = DescentExplorer("four on a line")
    descent.pick.value = "one by one"
    assert "rest" in {name for _, name in descent.canvas.scene["pieces"]}
    descent.show.value = "surface"
    assert "rest" in {name for _, name in descent.canvas.scene["pieces"]}


@pytest.mark.parametrize("kind", EXPLORERS)
def test_a_state_is_json_and_put_into_a_fresh_explorer_shows_the_same(kind: type[Explorer]) -> None:
    explorer = kind()
    explorer.move(last_handle(explorer), 0.4, 0.7)
    other = kind()
    other.put(json.dumps(explorer.state))
    assert other.state == explorer.state
    assert other.text == explorer.text
    assert other.canvas.scene["panels"] == explorer.canvas.scene["panels"]


@pytest.mark.parametrize("kind", [PerceptronExplorer, ProofExplorer, DescentExplorer])
def test_undoing_a_step_brings_the_step_before_back(kind: Any) -> None:
    explorer = kind()
    explorer.to_start()
    before = explorer.state, explorer.text
    explorer.step()
    after = explorer.state, explorer.text
    explorer.undo()
    assert (explorer.state, explorer.text) == before
    explorer.redo()
    assert (explorer.state, explorer.text) == after


@pytest.mark.parametrize("kind", EXPLORERS)
def test_undoing_what_is_only_seen_brings_the_sentence_back(kind: type[Explorer]) -> None:
    explorer = kind()
    for name in sorted({"challenge", "show", "scale", "new_label"} & set(explorer.controls)):
        control, before = explorer.controls[name], (explorer.state, explorer.text)
        options = [one[1] if isinstance(one, tuple) else one for one in control.options]
        control.value = options[-1]
        explorer.undo()
        assert (explorer.state, explorer.text) == before


@pytest.mark.parametrize("kind", [one for one in EXPLORERS if one.presets])
def test_a_preset_that_is_chosen_again_is_shown_again(kind: type[Explorer]) -> None:
    explorer = kind()
    name, text = explorer.preset.value, explorer.text
    explorer.preset.value = OWN
    explorer.preset.value = name
    assert explorer.text == text


@functools.cache
def filled(source: Any) -> Any:
    """Return an explorer with three points, to give them to others."""
    giver = source()
    known = list(giver.looks)[:2]
    giver.fill([[0.5, 0.25], [-1.0, 3.0], [2.0, -2.0]], [known[0], known[1], known[0]])
    return giver


@pytest.mark.parametrize("source", WITH_POINTS)
@pytest.mark.parametrize("target", WITH_POINTS)
def test_points_can_be_put_into_another_explorer(source: Any, target: Any) -> None:
    giver, taker = filled(source), target()
    taker.put(giver.state)
    assert np.array_equal(taker.X, giver.X)
    assert "could not be done" not in taker.text
    assert taker.preset.value == OWN
    (low, high), _ = taker.view
    assert low <= -1 and high >= 2, "the picture holds them"  # noqa: PT018


@pytest.mark.parametrize("text", ["", "[]", "{", '{"X": [[1, 2]]}', '{"X": [["a", 1]], "y": [1]}'])
def test_what_is_no_state_is_refused_and_changes_nothing(text: str) -> None:
    explorer = PerceptronExplorer()
    before = explorer.state
    send(explorer, type="paste", text=text)
    assert explorer.text.startswith("That could not be done: ")
    assert explorer.state == before


@pytest.mark.parametrize("kind", EXPLORERS)
def test_one_action_refits_at_most_once(kind: type[Explorer], monkeypatch: Any) -> None:
    explorer = kind()
    fits = []
    refit = type(explorer).refit
    monkeypatch.setattr(kind, "refit", lambda self: (fits.append(1), refit(self)))
    explorer.move(last_handle(explorer), 0.3, 0.6)
    assert len(fits) == 1
    if kind is not HyperplaneExplorer:
        explorer.preset.value = list(explorer.presets)[1]
        assert len(fits) == 2
    fits.clear()
    explorer.reset()
    assert len(fits) == 1


def test_python_is_exact_where_floats_would_make_other_mistakes() -> None:
    explorer = PerceptronExplorer()
    rng = np.random.default_rng(3)
    for _ in range(200):
        X = rng.integers(-9, 10, size=(5, 2)) / 10
        explorer.fill(X, rng.choice([1, -1], 5))
        explorer.to_end()
        if "whole_rows" in explorer.python():
            break
    names: dict[str, Any] = {}
    exec(explorer.python(), names)
    assert np.array_equal(names["run"].mistakes, explorer.run.mistakes)


def test_an_action_that_fails_leaves_the_state_as_it_was() -> None:
    explorer = PerceptronExplorer()
    before = explorer.state

    def half() -> None:
        explorer.X = explorer.X + 1
        raise RuntimeError("half way")

    explorer.act(half)
    assert explorer.text.startswith("That could not be done: half way")
    assert explorer.state == before


def test_the_speed_of_play_is_the_wait_between_two_beats() -> None:
    explorer = PerceptronExplorer()
    explorer.play.value = True
    waits = []
    for speed in ("slow", "medium", "fast"):
        explorer.speed.value = speed
        waits.append(explorer.canvas.scene["beat"]["wait"])
    assert waits == sorted(waits, reverse=True)
    assert waits[0] > 5 * waits[2]


# ---------------------------------------------------------------- challenges and predictions


def test_a_hundred_mistakes_with_four_points_is_counted_and_certified() -> None:
    explorer = PerceptronExplorer()
    explorer.challenge.value = "a hundred mistakes"
    assert "18 of 100 mistakes." in explorer.text
    assert "certified" not in explorer.text
    explorer.move("p3", 0.51, 0.51)
    assert explorer.run.updates >= 100
    assert explorer.text.endswith(f"{explorer.run.updates} of 100 mistakes. Done, and certified.")
    explorer.add(0.9, 0.9)
    assert explorer.text.endswith("there are 5 points, at most 4 count.")


def test_a_parabola_is_done_only_when_it_is_one() -> None:
    explorer = GaussianExplorer()
    explorer.challenge.value = "a parabola"
    assert "it is a hyperbola;" in explorer.text
    for k, reach in ((0, 0.5), (1, 0.9)):
        x, y = explorer.shapes[k].mean
        explorer.move(f"axis{k}", x + reach, y)
        explorer.move(f"wide{k}", x, y + 0.5)
    assert "it is a parabola;" in explorer.text
    assert explorer.text.count("Done, and certified.") == 1


def test_least_squares_wrong_and_the_perceptron_right() -> None:
    explorer = DescentExplorer()
    explorer.challenge.value = "wrong and right"
    assert "Done" not in explorer.text
    explorer.fill([[0.5, 0.4], [-0.5, -0.6], [4.0, -3.0]], [1, -1, 1])
    assert ("Done, and certified." in explorer.text) == (
        "least squares gets 0 points wrong" not in explorer.text
    )
