"""The explorers without a browser: events in, scene and sentence out, as linlib says."""

from __future__ import annotations

import base64
import functools
import io
import itertools
import json
import re
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

import linlib
from lincourse.check.outputs import WIDGET
from linlib import Hyperplane, certify, data, pla
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
from linlib.explorers.kit import scene
from linlib.explorers.kit.points import MOST_POINTS
from linlib.explorers.kit.sentences import say, vector
from linlib.explorers.perceptron import SEED
from linlib.explorers.perceptron.snapshot import BUDGET

EXPLORERS = [HyperplaneExplorer, PerceptronExplorer, ProofExplorer, DescentExplorer]
EXPLORERS += [MarginExplorer, LogisticExplorer, GaussianExplorer, ClassesExplorer]
numbers = itertools.count(1)


def fill(explorer: Any, X: Any, y: Any) -> None:
    """Replace all points of an explorer in one change: a hundred additions are a hundred fits."""
    points = np.asarray(X, dtype=float).reshape(-1, 2)
    explorer.act(explorer._changed, points, np.asarray(y, dtype=np.int64))


def send(explorer: Explorer, view: str = "view", **event: Any) -> None:
    """Send an event as the browser does, through the canvas."""
    content = {"view": view, "number": next(numbers)} | event
    explorer.canvas._handle_custom_msg(content, [])


def drawn(explorer: Explorer, name: str, panel: int = 0) -> list[dict[str, Any]]:
    items = explorer.canvas.scene["panels"][panel]["drawables"]
    return [item for item in items if item.get("name") == name]


@functools.cache
def displayed(kind: type[Explorer]) -> tuple[Explorer, dict[str, Any], dict[str, Any]]:
    """Return an explorer that nobody moves, and what it hands out to be shown."""
    explorer = kind()
    return explorer, *explorer._repr_mimebundle_()


def button(explorer: Explorer, label: str) -> Any:
    (row, _) = explorer.children
    return next(child for child in row.children if getattr(child, "description", "") == label)


# ---------------------------------------------------------------- all explorers


@pytest.mark.parametrize("kind", EXPLORERS)
def test_the_scene_is_plain_json_of_finite_numbers(kind: type[Explorer]) -> None:
    shown = kind().canvas.scene
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown


@pytest.mark.parametrize("kind", EXPLORERS)
def test_every_control_has_a_label_and_every_handle_says_what_it_is(kind: type[Explorer]) -> None:
    explorer = kind()
    controls = explorer.children[0].children if len(explorer.children) > 1 else ()
    assert all(control.description for control in controls)
    handles = [item for panel in explorer.canvas.scene["panels"] for item in panel["handles"]]
    assert handles
    assert all(len(item["label"]) >= 5 for item in handles)
    for panel in explorer.canvas.scene["panels"]:
        assert len({item["id"] for item in panel["handles"]}) == len(panel["handles"])
    assert "arrow keys move it" in explorer.canvas.scene["hint"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXPLORERS)
def test_the_display_is_a_live_view_a_still_picture_and_the_text_line(kind: type[Explorer]) -> None:
    explorer, bundle, metadata = displayed(kind)
    assert set(bundle) == {WIDGET, "image/png", "text/plain"}
    assert bundle["text/plain"] == explorer.text
    assert metadata["image/png"]["alt"] == explorer.text
    assert len(explorer.text) >= 40  # notebook_alt_text of pyproject.toml
    picture = Image.open(io.BytesIO(base64.b64decode(bundle["image/png"])))
    assert picture.size[0] > metadata["image/png"]["width"] > 400
    assert not plt.get_fignums()


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXPLORERS)
def test_the_still_picture_follows_what_was_moved(kind: type[Explorer]) -> None:
    before = displayed(kind)[1]["image/png"]
    explorer = kind()
    assert explorer._repr_mimebundle_()[0]["image/png"] == before, "two runs give one picture"
    explorer.move(list(explorer.handles)[-1], 0.4, 0.3)
    assert explorer._repr_mimebundle_()[0]["image/png"] != before


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXPLORERS)
def test_the_still_picture_has_every_handle_line_and_word_of_the_scene(
    kind: type[Explorer],
) -> None:
    explorer = kind()
    explorer.move(list(explorer.handles)[-1], 0.7, 0.9)
    figure = explorer.still()
    for ax, panel in zip(figure.axes, explorer.canvas.scene["panels"], strict=True):
        spots = [spot for drawn in ax.collections for spot in np.asarray(drawn.get_offsets())]
        for item in panel["handles"]:
            assert np.isclose(spots, item["at"]).all(axis=1).any()
        curves = [np.asarray(curve.get_xydata()).tolist() for curve in ax.lines]
        strokes = [item for item in panel["drawables"] if item["kind"] == "path" and item["width"]]
        assert [[*item["xy"], *item["xy"][: item["closed"]]] for item in strokes] == curves
        words = [item["text"] for item in panel["drawables"] if item["kind"] == "text"]
        assert [note.get_text() for note in ax.texts if note.get_text()] == words
        assert ax.get_xlim() == tuple(panel["xlim"])
    plt.close(figure)


@pytest.mark.parametrize("kind", EXPLORERS)
def test_an_event_is_answered_with_its_view_and_number(kind: type[Explorer]) -> None:
    explorer = kind()
    handle = list(explorer.handles)[-1]
    send(explorer, type="move", id=handle, x=0.5, y=0.25, number=41)
    assert explorer.canvas.scene["echo"] == ["view", 41]
    assert explorer.handles[handle] == (0.5, 0.25)
    explorer.move(handle, 0.0, 0.25)
    assert explorer.canvas.scene["echo"] is None, "a move by a cell answers no event"


@pytest.mark.parametrize("kind", EXPLORERS)
def test_an_event_older_than_one_already_answered_is_dropped(kind: type[Explorer]) -> None:
    explorer = kind()
    handle = list(explorer.handles)[-1]
    send(explorer, type="move", id=handle, x=0.5, y=0.25, number=9)
    for number in (8, 9):
        send(explorer, type="move", id=handle, x=-0.5, y=0.75, number=number)
        assert explorer.handles[handle] == (0.5, 0.25)
        assert explorer.canvas.scene["echo"] == ["view", 9]
    send(explorer, "another", type="move", id=handle, x=0.25, y=0.75, number=1)
    assert explorer.handles[handle] == (0.25, 0.75)


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXPLORERS)
@pytest.mark.parametrize(
    "event",
    [
        {"type": "move", "id": "nobody", "x": 0, "y": 0},
        {"type": "move", "id": None, "x": 0, "y": 0},
        {"type": "move", "x": 0, "y": 0},
        {"type": "add", "x": 0, "y": 0, "panel": 7},
        {"type": "relabel", "id": "nobody"},
        {"type": "remove", "id": "nobody"},
        {"type": "dance"},
        {},
    ],
    ids=str,
)
def test_an_impossible_event_becomes_the_text_line(kind: type[Explorer], event: Any) -> None:
    explorer = kind()
    before = explorer.canvas.scene["panels"]
    send(explorer, **event)
    assert explorer.text.startswith("That could not be done: ")
    assert explorer.canvas.scene["panels"] == before
    assert explorer.canvas.scene["echo"], "the browser must not wait for ever"
    explorer.move(list(explorer.handles)[-1], 0.5, 0.5)
    assert "could not be done" not in explorer.text, "the next action clears it"


@pytest.mark.parametrize("kind", EXPLORERS)
@pytest.mark.parametrize("place", [(None, 0), ("far", 0), (float("nan"), 0), (True, 0)], ids=str)
def test_a_place_that_is_none_becomes_the_text_line(kind: type[Explorer], place: Any) -> None:
    explorer = kind()
    handle = list(explorer.handles)[-1]
    before = explorer.handles
    send(explorer, type="move", id=handle, x=place[0], y=place[1])
    assert explorer.text.startswith("That could not be done: ")
    assert explorer.handles == before


@pytest.mark.parametrize("kind", EXPLORERS)
def test_a_handle_dragged_outside_stops_at_the_edge(kind: type[Explorer]) -> None:
    explorer = kind()
    handle = list(explorer.handles)[-1]
    panel = explorer.canvas.scene["panels"][0]
    send(explorer, type="move", id=handle, x=1e9, y=-1e9)
    assert explorer.handles[handle] == (panel["xlim"][1], panel["ylim"][0])


def test_an_error_inside_an_explorer_surfaces_as_the_text_line() -> None:
    class Broken(HyperplaneExplorer):
        def sentence(self) -> str:
            if self.point[0] > 1:
                raise ZeroDivisionError("division by zero")
            return super().sentence()

    explorer = Broken()
    explorer.move("point", 2, 0)
    assert explorer.text == "That could not be done: division by zero"
    explorer.move("point", 0, 0)
    assert explorer.text.startswith("w = ")


def test_a_cell_that_names_no_handle_is_told_which_there_are() -> None:
    with pytest.raises(
        ValueError, match="no handle 'w'; choose one of 'normal', 'offset', 'point'"
    ):
        HyperplaneExplorer().move("w", 1, 1)
    with pytest.raises(ValueError, match="nothing can be added to panel 0"):
        HyperplaneExplorer().add(1, 1)


# ---------------------------------------------------------------- the scene


@pytest.mark.parametrize("seed", range(20))
def test_line_and_sides_in_the_view_are_those_of_the_hyperplane(seed: int) -> None:
    rng = np.random.default_rng(seed)
    view = ((-3.0, 2.0), (-1.0, 4.0))
    h = Hyperplane(rng.normal(size=2), rng.normal())
    plus, minus = (
        np.array(scene.side(h, view, sign)[0].xy) if scene.side(h, view, sign) else np.zeros((0, 2))
        for sign in (1, -1)
    )
    assert np.all(h.distance(plus) >= -1e-5) if len(plus) else True
    assert np.all(h.distance(minus) <= 1e-5) if len(minus) else True
    assert np.isclose(area(plus) + area(minus), 25.0, atol=1e-4)
    for item in scene.line(h, view):
        assert np.allclose(h.distance(np.array(item.xy)), 0, atol=1e-5)
    assert bool(scene.line(h, view)) == (area(plus) > 0 and area(minus) > 0)


def area(polygon: np.ndarray) -> float:
    x, y = polygon.reshape(-1, 2).T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def test_a_line_outside_the_view_is_not_drawn() -> None:
    view = ((-1.0, 1.0), (-1.0, 1.0))
    assert scene.line(Hyperplane([1, 0], 5), view) == []
    assert scene.side(Hyperplane([1, 0], 5), view, -1) == []


def test_a_number_that_is_none_is_refused_and_not_sent() -> None:
    with pytest.raises(ValueError, match="is not a number"):
        scene.Path([[0, 0], [np.nan, 1]])
    with pytest.raises(ValueError, match="is infinite"):
        scene.Arrow([0, 0], [np.inf, 1])


# ---------------------------------------------------------------- hyperplane


@pytest.mark.parametrize("w", [(2, 1), (-3, 0.5), (0.01, -0.02)])
@pytest.mark.parametrize("point", [(-2, 2), (4.5, -3.5), (0, 0)])
def test_side_distance_projection_and_angle_are_linlibs(w: Any, point: Any) -> None:
    explorer = HyperplaneExplorer()
    send(explorer, type="move", id="normal", x=w[0], y=w[1])
    send(explorer, type="move", id="point", x=point[0], y=point[1])
    h = Hyperplane(w, -3)
    assert explorer.hyperplane.coincides(h)
    side = "positive" if h.predict(point) > 0 else "negative"
    foot = h.project(np.array(point, dtype=float))
    base = h.project(np.zeros(2))
    for words in (
        f"on the {side} side",
        f"score {say(h.score(point))},",
        f"signed distance {say(h.distance(point))},",
        f"projection {vector(foot)}",
        f"shifted by {say(-h.w0 / h.norm)} along w",
    ):
        assert words in explorer.text
    way = np.array(point) - base
    cosine = way @ h.w / np.linalg.norm(way) / h.norm
    assert np.isclose(np.cos(np.radians(explorer.angle)), cosine)
    assert np.sign(cosine) == h.predict(point)
    (distance,) = drawn(explorer, "distance")
    assert np.allclose(distance["xy"], [point, foot], atol=1e-5)


def test_the_offset_moves_the_line_along_w_and_leaves_w_alone() -> None:
    explorer = HyperplaneExplorer()
    explorer.move("offset", 1.0, 2.5)
    assert np.array_equal(explorer.w, [2, 1])
    assert explorer.hyperplane.score([1.0, 2.5]) == 0
    (line,) = drawn(explorer, "line")
    assert np.allclose(explorer.hyperplane.score(line["xy"]), 0, atol=1e-5)
    x, y = explorer.handles["offset"]
    assert abs(explorer.hyperplane.distance([x, y])) < 1e-3


def test_a_zero_normal_is_said_and_can_be_left_again() -> None:
    explorer = HyperplaneExplorer()
    explorer.move("normal", 0, 0)
    assert explorer.text.startswith("w is the zero vector: it points nowhere")
    assert not drawn(explorer, "line")
    assert set(explorer.handles) == {"normal", "point"}
    explorer.still()
    plt.close("all")
    explorer.move("normal", 0, 2)
    assert explorer.hyperplane.coincides(Hyperplane([0, 2], -3))


def test_a_line_outside_the_picture_and_a_point_on_the_line_are_said() -> None:
    explorer = HyperplaneExplorer()
    explorer.move("normal", 0.0001, 0)
    assert explorer.text.endswith("The line lies outside the picture.")
    assert drawn(explorer, "side-1")
    assert not drawn(explorer, "side+1")
    explorer.move("normal", 2, 1)
    explorer.move("point", 1, 1)
    assert "is on the line itself: score 0, signed distance 0" in explorer.text
    explorer.move("point", 1.2, 0.6)
    assert explorer.text.endswith("projection (1.2, 0.6).")


# ---------------------------------------------------------------- perceptron


@pytest.mark.parametrize("order", ["cyclic", "random", "worst"])
@pytest.mark.parametrize("points", ["AND", "XOR", "three points", "random"])
def test_stepping_follows_the_path_of_pla(points: str, order: str) -> None:
    explorer = PerceptronExplorer(points)
    explorer.order.value = order
    bias = points != "three points"
    assert explorer.offset.value == bias
    rng = np.random.default_rng(SEED)
    run = pla(explorer.X, explorer.y, order=order, bias=bias, max_updates=40, rng=rng)
    for k, weights in enumerate(run.path):
        assert np.allclose(explorer.weights, weights, rtol=1e-14, atol=1e-14)
        if k:
            row = run.mistakes[k - 1]
            (ring,) = drawn(explorer, "mistake")
            assert np.allclose(ring["at"], explorer.X[row], atol=1e-6)
            made = np.bincount(run.mistakes[:k], minlength=len(explorer.X))
            assert np.array_equal(explorer.counts, made)
            notes = [item["text"] for item in drawn(explorer, "count")]
            assert notes == [f"{count}×" for count in made if count]
            assert f"Update {k}: row {row} " in explorer.text
            assert vector(weights) in explorer.text
        explorer.step()


def test_the_pictures_show_the_old_and_the_new_line_and_the_update() -> None:
    explorer = PerceptronExplorer()
    run = pla(*data.and_gate())
    for k in range(1, run.updates + 1):
        explorer.step()
        for name, weights in (("old-line", run.path[k - 1]), ("line", run.path[k])):
            for item in drawn(explorer, name):
                h = Hyperplane.from_weights(weights)
                assert np.allclose(h.score(item["xy"]), 0, atol=1e-5)
        (update,) = drawn(explorer, "update", panel=1)
        assert np.allclose([update["tail"], update["tip"]], run.path[k - 1 : k + 1, 1:])
    assert drawn(explorer, "line")
    assert drawn(explorer, "old-line")


def assert_back_undoes_step(explorer: Explorer) -> tuple[str, Any]:
    """Step forwards and back, picture by picture; return the text and the picture at the start."""
    seen = []
    for _ in range(6):
        seen.append((explorer.text, explorer.canvas.scene["panels"]))
        button(explorer, "Step").click()
    assert len({text for text, _ in seen}) == len(seen), "every step says something new"
    for shown in reversed(seen):
        button(explorer, "Back").click()
        assert (explorer.text, explorer.canvas.scene["panels"]) == shown
    return seen[0]


def test_back_after_step_restores_picture_and_text() -> None:
    explorer = PerceptronExplorer()
    assert_back_undoes_step(explorer)
    button(explorer, "Back").click()
    assert explorer.k == 0


def test_it_says_when_it_has_converged() -> None:
    explorer = PerceptronExplorer()
    assert "It will end: some line separates the points." in explorer.text
    button(explorer, "To the end").click()
    run = pla(*data.and_gate())
    assert explorer.k == run.updates
    assert np.array_equal(explorer.weights, run.weights)
    assert explorer.text.endswith(f"It has converged: pass {run.passes} over the points is clean.")
    assert "0 of 4 points are wrong now." in explorer.text
    explorer.step()
    assert explorer.k == run.updates
    button(explorer, "To the start").click()
    assert explorer.k == 0
    assert np.array_equal(explorer.weights, np.zeros(3))


def test_it_says_that_it_can_never_end_and_the_certificate_proves_it() -> None:
    explorer = PerceptronExplorer("XOR")
    verdict = certify(*data.xor_gate())
    assert verdict.check(explorer.X, explorer.y, exact=True)
    shares = vector(verdict.multipliers[verdict.support])
    assert f"It can never end: with λ = {shares} on rows 0, 1, 2, 3 the signed" in explorer.text
    assert [item["text"] for item in drawn(explorer, "lambda")] == ["λ 0.25"] * 4
    explorer.to_end()
    assert explorer.k == BUDGET
    assert f"The budget of {BUDGET} updates is spent." in explorer.text


def test_playing_steps_once_a_beat_however_many_views_ask() -> None:
    explorer = PerceptronExplorer()
    assert explorer.canvas.scene["beat"] is None
    explorer.play.value = True
    assert explorer.play.description == "Pause"
    for k in range(1, 4):
        beat = explorer.canvas.scene["beat"]["number"]
        send(explorer, "one", type="tick", beat=beat)
        send(explorer, "two", type="tick", beat=beat)
        assert explorer.k == k
    explorer.play.value = False
    assert explorer.canvas.scene["beat"] is None
    send(explorer, "one", type="tick", beat=beat)
    assert explorer.k == 3
    explorer.play.value = True
    while explorer.play.value:
        send(explorer, type="tick", beat=explorer.canvas.scene["beat"]["number"])
    assert explorer.k == 18, "it stops by itself at the end"


def test_points_can_be_moved_added_relabelled_and_removed() -> None:
    explorer = PerceptronExplorer()
    explorer.new_label.value = -1
    send(explorer, type="add", panel=0, x=0.5, y=0.25)
    assert explorer.canvas.scene["chosen"] == "p4"
    assert explorer.preset.value == "your own"
    send(explorer, type="relabel", id="p4")
    send(explorer, type="move", id="p4", x=1.5, y=0.5)
    send(explorer, type="remove", id="p1")
    assert explorer.X.tolist() == [[0, 0], [1, 0], [1, 1], [1.5, 0.5]]
    assert explorer.y.tolist() == [-1, -1, 1, 1]
    explorer.to_end()
    assert np.array_equal(explorer.weights, pla(explorer.X, explorer.y).weights)
    explorer.preset.value = "AND"
    assert np.array_equal(explorer.X, data.and_gate().X)


def test_a_run_that_had_ended_is_shown_at_its_new_end_while_a_point_moves() -> None:
    explorer = PerceptronExplorer("three points")
    explorer.to_end()
    assert explorer.counts.tolist() == [1, 0, 1]
    explorer.move("p2", -1, 10)
    assert (explorer.k, explorer.counts.tolist()) == (6, [5, 0, 1])
    assert explorer.weights.tolist() == [-6, 5]
    explorer.back()
    explorer.move("p2", -1, 1.5)
    assert explorer.k == 2, "never beyond the end"


def test_the_presets_keep_linlibs_data_untouched() -> None:
    explorer = PerceptronExplorer()
    explorer.move("p0", -0.5, -0.5)
    assert data.and_gate().X[0].tolist() == [0, 0]


ABSURD = {
    "no points": ([], []),
    "one point": ([[0.5, 0.5]], [1]),
    "one class": ([[0, 0], [1, 1], [0, 1]], [-1, -1, -1]),
    "all equal": ([[0.5, 0.5]] * 6, [1] * 6),
    "all equal, both labels": ([[0.5, 0.5]] * 6, [1, -1] * 3),
    "twice, with opposite labels": ([[0, 0], [1, 1], [1, 1]], [-1, 1, -1]),
    "all at the origin": ([[0, 0]] * 4, [1, 1, -1, -1]),
    "on one line": ([[k / 4, k / 4] for k in range(5)], [1, -1, 1, -1, 1]),
    "hardly separable": ([[0, 0], [1, 1], [0.5, 0.5001]], [1, 1, -1]),
    "a hundred": (np.random.default_rng(1).uniform(-0.7, 1.7, (100, 2)), [1, -1] * 50),
}


@pytest.mark.slow
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ABSURD)
def test_absurd_points_end_in_a_clear_sentence(name: str, bias: bool) -> None:
    X, y = ABSURD[name]
    explorer = PerceptronExplorer()
    explorer.offset.value = bias
    fill(explorer, X, y)
    for act in (explorer.step, explorer.back, explorer.to_end):
        act()
        assert "could not be done" not in explorer.text
        assert re.search(r"no points|It (will end|has converged|can never end)", explorer.text)
        json.dumps(explorer.canvas.scene, allow_nan=False)
    if len(X):
        separable = certify(explorer.X, explorer.y, bias=bias).separable
        assert ("It can never end" in explorer.text) == (not separable)
    explorer.still()
    plt.close("all")


def test_too_many_points_are_refused_with_a_sentence() -> None:
    explorer = PerceptronExplorer()
    explorer.X = np.zeros((MOST_POINTS, 2))
    explorer.y = np.ones(MOST_POINTS, dtype=np.int64)
    send(explorer, type="add", panel=0, x=0, y=0)
    assert f"there are already {MOST_POINTS} points; remove one first." in explorer.text
    assert len(explorer.X) == MOST_POINTS


def test_linlib_itself_knows_nothing_of_the_explorers() -> None:
    assert "explorers" not in linlib.__all__


def test_without_points_a_perceptron_has_no_run():
    explorer = PerceptronExplorer()
    fill(explorer, [], [])
    assert (explorer.last, explorer.wrong, explorer.ended) == (0, 0, False)
    assert (explorer.weights.tolist(), explorer.counts.tolist()) == ([0.0, 0.0, 0.0], [])
    assert explorer.counts.dtype == np.int64
    explorer.offset.value = False
    assert explorer.weights.tolist() == [0.0, 0.0]
    assert explorer.offset.indent is False, "its label begins where the others do"


def test_the_offset_is_moved_along_w():
    explorer = HyperplaneExplorer((3.0, 4.0))
    panel = explorer.canvas.scene["panels"][0]
    (offset,) = (item for item in panel["handles"] if item["id"] == "offset")
    assert offset["rail"] == [0.6, 0.8], "a unit vector"
