"""What every explorer does, without a browser: events in, scene and sentence out."""

from __future__ import annotations

import base64
import io
import itertools
import json
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

import linlib
from lincourse.check.outputs import WIDGET
from linlib.explorers import Explorer
from linlib.explorers import classes as many
from linlib.explorers import logistic as odds
from linlib.explorers import margin as widest
from linlib.explorers.kit import geometry
from linlib.explorers.kit.points import PointsExplorer, Stepper
from linlib.explorers.kit.state import computed_parts
from tests.helpers.shown import EXPLORERS
from tests.helpers.states import fill

NAMES = list(EXPLORERS)
WITH_POINTS = [name for name in NAMES if issubclass(EXPLORERS[name], PointsExplorer)]
STEPPED = [name for name in NAMES if issubclass(EXPLORERS[name], Stepper)]
numbers = itertools.count(1)
sent: list[int] = []


@pytest.fixture
def explorer(request: pytest.FixtureRequest) -> Any:
    return EXPLORERS[request.param]()


every = pytest.mark.parametrize("explorer", NAMES, indirect=True)
stepped = pytest.mark.parametrize("explorer", STEPPED, indirect=True)


def last_handle(explorer: Explorer) -> str:
    return list(explorer.handles)[-1]


def send(explorer: Explorer, view: str = "view", **event: Any) -> None:
    """Send an event as the browser does, through the canvas."""
    sent.append(next(numbers))
    content = {"view": view, "number": sent[-1]} | event
    explorer.canvas._handle_custom_msg(content, [])


@every
def test_the_scene_is_plain_and_every_handle_says_what_it_is(explorer: Any) -> None:
    scene = explorer.canvas.scene
    assert json.loads(json.dumps(scene, allow_nan=False)) == scene
    handles = [item for panel in scene["panels"] for item in panel["handles"]]
    assert handles
    assert all(len(item["label"]) >= 5 for item in handles)
    for panel in scene["panels"]:
        assert len({item["id"] for item in panel["handles"]}) == len(panel["handles"])


@every
def test_a_number_is_tied_only_to_what_is_drawn(explorer: Any) -> None:
    if isinstance(explorer, Stepper):
        explorer.to_end()
    scene = explorer.canvas.scene
    items = [item for panel in scene["panels"] for item in panel["drawables"] + panel["handles"]]
    tied = {name for _, name in scene["pieces"] if name}
    assert tied
    assert tied <= {item.get("name") or item.get("id") for item in items}
    assert "".join(words for words, _ in scene["pieces"]) == explorer.text


@pytest.mark.slow
@every
def test_the_display_is_a_live_view_a_still_picture_and_the_text_line(explorer: Any) -> None:
    bundle, metadata = explorer._repr_mimebundle_()
    assert set(bundle) == {WIDGET, "image/png", "text/plain"}
    assert bundle["text/plain"] == metadata["image/png"]["alt"] == explorer.text
    assert len(explorer.text) >= 40  # notebook_alt_text of pyproject.toml
    picture = Image.open(io.BytesIO(base64.b64decode(bundle["image/png"])))
    assert picture.size[0] > metadata["image/png"]["width"] > 400
    assert not plt.get_fignums()


@pytest.mark.slow
@every
def test_the_still_picture_has_every_handle_line_and_word_of_the_scene(explorer: Any) -> None:
    explorer.move(last_handle(explorer), 0.7, 0.9)
    figure = explorer.still()
    for ax, panel in zip(figure.axes, explorer.canvas.scene["panels"], strict=True):
        spots = [spot for marks in ax.collections for spot in np.asarray(marks.get_offsets())]
        for item in panel["handles"]:
            assert np.isclose(spots, item["at"]).all(axis=1).any()
        curves = [np.asarray(curve.get_xydata()).tolist() for curve in ax.lines]
        strokes = [item for item in panel["drawables"] if item["kind"] == "path" and item["width"]]
        assert [[*item["xy"], *item["xy"][: item["closed"]]] for item in strokes] == curves
        words = [item["text"] for item in panel["drawables"] if item["kind"] == "text"]
        assert [note.get_text() for note in ax.texts if note.get_text()] == words
        assert ax.get_xlim() == tuple(panel["xlim"])
    plt.close(figure)


@every
def test_undo_and_redo_travel_and_a_state_shows_the_same_elsewhere(explorer: Any) -> None:
    (left, right), (low, high) = (explorer.canvas.scene["panels"][0][k] for k in ("xlim", "ylim"))
    seen = [(explorer.state, explorer.text)]
    for share in (0.6, 0.4, 0.7):
        at = left + share * (right - left), low + (1 - share) * (high - low)
        explorer.move(last_handle(explorer), *at)
        seen.append((explorer.state, explorer.text))
    other = type(explorer)()
    other.put(json.dumps(explorer.state))
    assert (other.state, other.text) == seen[-1]
    assert other.canvas.scene["panels"] == explorer.canvas.scene["panels"]
    for act, states in ((explorer.undo, seen[-2::-1]), (explorer.redo, seen[1:])):
        for shown in states:
            act()
            assert (explorer.state, explorer.text) == shown


@every
def test_one_action_computes_each_part_once_and_what_is_only_seen_nothing(
    explorer: Any, monkeypatch: Any
) -> None:
    done = list[str]()
    for part in computed_parts(explorer.kind).values():
        function, name = part.function, part.name
        noted = lambda now, function=function, name=name: (done.append(name), function(now))[1]  # noqa: E731
        monkeypatch.setattr(part, "function", noted)
    explorer.move(last_handle(explorer), 0.3, 0.6)
    assert len(done) == len(set(done)), "once for the picture, the sentence and the challenge"
    done.clear()
    explorer.undo()
    assert done == [], "what was shown before is known"
    for name in {"challenge", "new_label", "show", "speed"} & set(explorer.controls):
        *_, last = explorer.controls[name].options
        explorer.controls[name].value = last
        assert done == [], f"{name} changes what is seen, not what is computed"


@every
def test_what_a_state_keeps_is_what_it_would_compute(explorer: Any) -> None:
    """A part whose ``computed`` lacks a field would stay as it was when that field changes."""
    for name, setting in explorer.controls.items():
        for value in getattr(setting.control, "options", getattr(setting, "ends", (False, True))):
            setting.value = value
            now, anew = explorer.now, replace(explorer.now)
            parts = computed_parts(explorer.kind)
            assert parts.keys().isdisjoint(vars(anew)), "this one knows nothing yet"
            assert anew.sentence() == now.sentence(), f"{name} {value}"
            pictures = ([panel.plain() for panel in one.panels()] for one in (anew, now))
            assert next(pictures) == next(pictures), f"{name} {value}"


def events(explorer: Any) -> list[dict[str, Any]]:
    """Return one event of each kind that a browser may send, among them what cannot be done."""
    id, at = next(iter(explorer.handles.items()))
    found = [{"type": "move", "id": id, "x": at[0], "y": at[1], "gesture": 1}]
    found += [{"type": "add", "panel": 0, "x": at[0], "y": at[1]}, {"type": "add", "panel": 9}]
    found += [{"type": kind, "id": id} for kind in ("relabel", "remove")]
    found += [{"type": "paste", "text": text} for text in ("", json.dumps(explorer.state))]
    found += [{"type": "go", "to": to} for to in (0, 1, True, False, "nowhere")]
    for name, control in explorer.controls.items():
        found.append({"type": "control", "name": name, "value": control.plain()["value"]})
    found.append({"type": "control", "name": "nothing", "value": 1})
    found += [{"type": "press", "name": name} for name in [*explorer.buttons, "nothing"]]
    kinds = ("python", "state", "tick", "undo", "redo", "cancel", "reset", "nonsense")
    return found + [{"type": kind} for kind in kinds] + [{}]


@every
def test_every_event_is_answered_also_one_that_changes_nothing(explorer: Any) -> None:
    """The browser sends nothing more until an event is answered: it would stand for ten seconds."""
    unanswered = []
    for event in events(explorer):
        for again in ("", " again"):
            send(explorer, **event)
            _, number = explorer.canvas.scene["echo"] or ["view", 0]
            if number != sent[-1]:
                unanswered.append(f"{event}{again}")
    assert unanswered == []


@stepped
def test_steps_go_back_and_forth_and_no_further_than_the_run(explorer: Any) -> None:
    explorer.to_start()
    seen = []
    for _ in range(4):
        seen.append((explorer.k, explorer.text, explorer.canvas.scene["panels"]))
        explorer.step()
    assert [k for k, _, _ in seen] == [0, 1, 2, 3]
    assert len({text for _, text, _ in seen}) == 4, "every step says something new"
    for shown in reversed(seen):
        explorer.go(explorer.k - 1)
        assert (explorer.k, explorer.text, explorer.canvas.scene["panels"]) == shown
    explorer.go(explorer.k - 1)
    assert explorer.k == 0
    explorer.to_end()
    explorer.step()
    assert explorer.k == explorer.last


@stepped
def test_playing_steps_once_a_beat_however_many_views_ask(explorer: Any) -> None:
    explorer.to_end()
    assert explorer.canvas.scene["beat"] is None
    explorer.go(True)
    assert explorer.k == 0, "at the end it begins again"
    for k in range(1, 4):
        beat = explorer.canvas.scene["beat"]["number"]
        send(explorer, "one", type="tick", beat=beat)
        send(explorer, "two", type="tick", beat=beat)
        assert (explorer.k, explorer.playing) == (k, True)
    explorer.go(False)
    send(explorer, "one", type="tick", beat=beat)
    assert (explorer.k, explorer.canvas.scene["beat"]) == (3, None)
    explorer.go(True)
    waits = []
    for speed in ("slow", "medium", "fast"):
        explorer.speed.value = speed
        waits.append(explorer.canvas.scene["beat"]["wait"])
    assert waits[0] > waits[1] > waits[2]
    explorer.to_end()
    assert not explorer.playing, "and pauses at the end"


@pytest.mark.parametrize(
    ("name", "module", "functions"),
    [
        ("margin", widest, ["soft_margin"]),
        ("margin", geometry, ["gap"] * 2),  # for the picture and for the sentence
        ("logistic", odds, ["logistic"]),
        ("classes", many.learners, ["linear_machine"] + ["soft_margin"] * (4 + 3)),
    ],
)
def test_a_move_learns_everything_once(
    name: str, module: Any, functions: list[str], monkeypatch: Any
) -> None:
    """See ``bench.live`` for the milliseconds."""
    explorer, done = EXPLORERS[name](), list[str]()
    known = list(explorer.looks)
    rng = np.random.default_rng(3)
    X = rng.uniform(-5, 5, (100, 2)).round(4)
    fill(explorer, X, rng.choice(known, 100))
    if module is geometry:
        explorer.show.value = "street and hulls"
    for called in set(functions):
        function = getattr(module, called)
        monkeypatch.setattr(
            module,
            called,
            lambda *a, function=function, called=called, **o: (
                done.append(called),
                function(*a, **o),
            )[1],
        )
    explorer.move("p99", 1.0, 2.0)
    assert sorted(done) == functions


def test_linlib_and_its_data_know_nothing_of_the_explorers() -> None:
    assert "explorers" not in linlib.__all__
    explorer = EXPLORERS["perceptron"]()
    explorer.move("p0", -0.5, -0.5)
    assert linlib.data.and_gate().X[0].tolist() == [0, 0]
    fill(explorer, [], [])
    assert (explorer.last, explorer.weights.tolist(), explorer.counts.tolist()) == (
        0,
        [0, 0, 0],
        [],
    )
