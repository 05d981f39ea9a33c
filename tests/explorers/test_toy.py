"""The smallest explorer that has everything: what all share, tested in milliseconds."""

from __future__ import annotations

import base64
import io
import json
from typing import Any, ClassVar

import ipywidgets
import numpy as np
import pytest
from PIL import Image

from linlib import data
from linlib.explorers import Explorer
from linlib.explorers.kit import controls, scene
from linlib.explorers.kit.controls import Canvas, hint
from linlib.explorers.kit.explorer import OWN, Challenge, message
from linlib.explorers.kit.geometry import Look
from linlib.explorers.kit.history import MOST, History, plain, read
from linlib.explorers.kit.points import PointsExplorer
from linlib.explorers.kit.sentences import mark
from tests.shown import EXPLORERS

VIEW = ((0.0, 10.0), (0.0, 10.0))


class Toy(Explorer):
    """A number of spots on a line, the first of which can be dragged."""

    name = "Toy"
    adds = relabels = removes = True
    state_names: ClassVar = ("spots", "view", "word")
    display_only: ClassVar = frozenset({"word", "challenge"})
    presets: ClassVar = {"one": [1.0], "two": [1.0, 2.0]}
    challenges: ClassVar = {
        "seven": Challenge("reach seven", lambda one: (f"at {one.total:g}.", one.total == 7))
    }

    def __init__(self, start: str = "one") -> None:
        self.view, self.word, self.fits, self.goes = VIEW, "spots", 0, False
        self.level = controls.slider("level", value=1.0, min=0.0, max=2.0)
        end = self.button("End", self.end, "To the end")
        super().__init__({"level": self.level}, end, start=start)

    def load(self, preset: str) -> None:
        self.spots = np.array(self.presets[preset])

    def refit(self) -> None:
        self.fits += 1
        self.total = float(self.spots.sum())
        if self.total > 50:
            raise ValueError("too much.")

    def forget(self) -> None:
        super().forget()
        self.goes = False

    def python(self) -> str:
        return f"{self.spots.tolist()}\n"

    def end(self) -> None:
        self.on_move("p0", 9.0, 0.0)

    def on_move(self, id: str, x: float, y: float) -> None:
        if y == 5:
            raise KeyError
        self.spots = np.array([x, *self.spots[1:]])
        self.become_own()

    def on_add(self, panel: int, x: float, y: float) -> str:
        self.spots = np.append(self.spots, x)
        return f"p{len(self.spots) - 1}"

    def on_relabel(self, id: str) -> None:
        self.word = f"{self.word} {id}"

    def on_remove(self, id: str) -> None:
        self.spots = np.delete(self.spots, int(id[1:]))

    def on_tick(self) -> None:
        self.end()

    @property
    def playing(self) -> bool:
        return self.goes

    def sentence(self) -> str:
        if self.word == "none":
            raise ValueError("no words.")
        return f"{mark('sum', str(self.total))} in {self.word}."

    def panels(self) -> list[scene.Panel]:
        shown = [scene.Handle(f"p{k}", "spot", (x, 1.0)) for k, x in enumerate(self.spots)]
        return [scene.Panel(VIEW, [], []), scene.Panel(VIEW, [], shown, adds=True)]


@pytest.fixture
def toy() -> Toy:
    return Toy()


def send(toy: Toy, number: int, view: str = "v", **event: Any) -> dict[str, Any]:
    toy.canvas._handle_custom_msg({"view": view, "number": number} | event, [])
    return toy.canvas.scene


# ---- doing and undoing


def test_an_action_refits_once_and_can_be_undone_and_redone(toy: Toy) -> None:
    toy.move("p0", 3.00004, 99.0)
    assert (toy.spots.tolist(), toy.preset.value, toy.fits) == ([3.0], OWN, 2)
    assert (toy.text, toy.canvas.scene["undo"], toy.canvas.scene["redo"]) == (
        "3.0 in spots.",
        True,
        False,
    )
    toy.undo()
    assert (toy.spots.tolist(), toy.preset.value, toy.fits) == ([1.0], "one", 3)
    assert (toy.canvas.scene["undo"], toy.canvas.scene["redo"]) == (False, True)
    toy.redo()
    assert toy.spots.tolist() == [3.0]
    assert len(toy.history.past) == 1


def test_what_is_only_seen_refits_nothing_and_can_be_undone(toy: Toy) -> None:
    toy.relabel("p0")
    assert (toy.word, toy.fits) == ("spots p0", 1)
    toy.undo()
    assert toy.word == "spots"


def test_what_changes_nothing_is_not_remembered(toy: Toy) -> None:
    toy.act(lambda: None)
    assert (toy.history.past, toy.fits) == ([], 1)


def test_what_fails_leaves_the_state_and_says_so(toy: Toy) -> None:
    before = toy.state
    toy.move("p0", 3.0, 5.0)
    assert (toy.state, toy.text) == (before, "That could not be done: KeyError 1.0 in spots.")
    toy.act(lambda: setattr(toy, "spots", np.array([99.0])))
    assert (toy.state, toy.text) == (before, "That could not be done: too much. 1.0 in spots.")
    assert toy.total == 1.0
    toy.move("p0", 2.0, 0.0)
    assert toy.text == "2.0 in spots.", "trouble is told once"


def test_a_picture_that_fails_stays_as_it_was(toy: Toy) -> None:
    panels = toy.canvas.scene["panels"]
    toy.act(lambda: setattr(toy, "word", "none"))
    assert toy.text == "That could not be done: no words."
    assert toy.canvas.scene["panels"] == panels


def test_reset_leads_back_to_what_was_shown_first(toy: Toy) -> None:
    toy.move("p0", 3.0, 0.0)
    bundle, metadata = toy._repr_mimebundle_()
    assert {"image/png", "text/plain"} <= set(bundle)
    assert metadata["image/png"]["alt"] == toy.text
    assert not toy.canvas.scene["moved"]
    assert not toy.canvas.scene["undo"]
    toy.move("p0", 4.0, 0.0)
    assert toy.canvas.scene["moved"]
    toy._repr_mimebundle_()
    toy.reset()
    assert (toy.spots.tolist(), toy.canvas.scene["moved"]) == ([3.0], False)
    toy.undo()
    assert toy.spots.tolist() == [4.0]


def test_a_preset_is_loaded_when_it_is_chosen_and_an_unknown_one_is_refused(toy: Toy) -> None:
    toy.preset.value = "two"
    assert (toy.spots.tolist(), toy.fits) == ([1.0, 2.0], 2)
    toy.preset.value = OWN
    assert toy.spots.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"points: .*'one'.*'two'"):
        Toy("three")


def test_all_moves_of_a_slider_are_one_step(toy: Toy) -> None:
    toy.level.value = 0.5
    toy.level.value = 0.75
    toy.preset.value = "two"
    assert len(toy.history.past) == 2
    toy.undo()
    toy.undo()
    assert toy.level.value == 1.0
    assert (toy.state["level"], toy.fits) == (1.0, 6)


def test_a_button_acts_and_its_change_can_be_undone(toy: Toy) -> None:
    (row, canvas) = toy.children
    assert [one.description for one in row.children] == ["Points", "level", "Challenge", "End"]
    button = row.children[-1]
    assert (button.tooltip, button.layout.width, canvas) == ("To the end", "auto", toy.canvas)
    button.click()
    assert toy.spots.tolist() == [9.0]
    toy.undo()
    assert toy.spots.tolist() == [1.0]


def test_a_state_is_json_and_can_be_put_into_another(toy: Toy) -> None:
    toy.preset.value = "two"
    state = json.dumps(toy.state)
    other = Toy()
    other.put(state)
    assert other.state == toy.state
    assert isinstance(other.spots, np.ndarray)
    assert other.view == VIEW
    lacking = {name: value for name, value in toy.state.items() if name != "word"}
    other.put(lacking)
    assert "the copied state lacks 'word'; copy it again." in other.text
    other.put({"explorer": "Another", "spots": [3.0]})
    assert "nothing in common" in other.text
    assert other.state == toy.state


def test_a_challenge_tells_how_far_and_when_it_is_done(toy: Toy) -> None:
    assert "Challenge" not in toy.text
    toy.challenge.value = "seven"
    assert toy.text.endswith(" Challenge, reach seven: at 1.")
    toy.move("p0", 7.0, 0.0)
    assert toy.text.endswith(" Challenge, reach seven: at 7. Done, and certified.")


# ---- handles


def test_handles_are_found_by_their_names(toy: Toy) -> None:
    assert toy.handles == {"p0": (1.0, 1.0)}
    assert toy.canvas.scene["hint"] == hint(adds=True, relabels=True, removes=True)
    for act in (lambda: toy.move("q", 1, 1), lambda: toy.remove("q"), lambda: toy.relabel("q")):
        with pytest.raises(ValueError, match="there is no handle 'q'; choose one of 'p0'"):
            act()
    toy.remove("p0")
    with pytest.raises(ValueError, match="choose one of none"):
        toy.move("p0", 1, 1)


def test_something_is_added_where_that_is_possible_and_chosen_then(toy: Toy) -> None:
    toy.add(2.0, 3.0)
    assert (toy.spots.tolist(), toy.canvas.scene["chosen"]) == ([1.0, 2.0], "p1")
    toy.redraw()
    assert toy.canvas.scene["chosen"] is None
    toy.add(4.0, 3.0, panel=1)
    for panel in (-1, 0, 2):
        with pytest.raises(ValueError, match=f"nothing can be added to panel {panel}"):
            toy.add(2.0, 3.0, panel=panel)
    for x in (np.nan, "far"):
        with pytest.raises((ValueError, TypeError), match=r"position|x: "):
            toy.add(x, 1.0)
    assert toy.spots.tolist() == [1.0, 2.0, 4.0]


def test_the_picture_carries_its_words() -> None:
    toy = Toy("two")
    image = Image.open(io.BytesIO(toy.picture()))
    assert (image.info["Title"], image.info["Description"]) == ("Toy", toy.text)
    assert "Software" not in image.info
    toy.act(lambda: setattr(toy, "word", "a-b " * 40))
    assert all(len(line) <= 88 for line in str(toy).splitlines())
    assert str(toy).replace("\n", " ") == toy.text
    assert "-\n" not in str(toy), "a formula stays whole"
    toy.act(lambda: setattr(toy, "word", "a" * 100))
    assert "a" * 100 in str(toy)


# ---- what the browser sends


def test_every_kind_of_event_is_done(toy: Toy) -> None:
    assert send(toy, 1, type="move", id="p0", x=3.0, y=0.0)["text"] == "3.0 in spots."
    assert send(toy, 2, type="add", x=4.0, y=0.0, panel=1)["chosen"] == "p1"
    assert send(toy, 3, type="relabel", id="p0")["text"] == "7.0 in spots p0."
    assert send(toy, 4, type="remove", id="p1")["text"] == "3.0 in spots p0."
    assert send(toy, 5, type="undo")["text"] == "7.0 in spots p0."
    assert send(toy, 6, type="redo")["text"] == "3.0 in spots p0."
    assert send(toy, 7, type="reset")["text"] == "1.0 in spots."
    state = json.dumps(Toy("two").state)
    assert send(toy, 8, type="paste", text=state)["text"] == "3.0 in spots."
    assert "is not known" in send(toy, 9, type="dance")["text"]
    assert "could not be done" in send(toy, 10, type="add", x=4.0, y=0.0)["text"], "not in panel 0"
    toy.relabels = toy.removes = False
    assert "'relabel' is not known" in send(toy, 11, type="relabel", id="p0")["text"]
    assert "'remove' is not known" in send(toy, 12, type="remove", id="p0")["text"]
    assert send(toy, 13, type="move", id="p0", x=1.0, y=0.0)["text"] == "3.0 in spots."


def test_an_answer_carries_the_number_of_its_event_and_older_ones_are_dropped(toy: Toy) -> None:
    assert send(toy, 5, type="move", id="p0", x=3.0, y=0.0)["echo"] == ["v", 5]
    assert send(toy, 5, type="move", id="p0", x=4.0, y=0.0)["echo"] == ["v", 5]
    assert send(toy, 4, type="move", id="p0", x=5.0, y=0.0)["echo"] == ["v", 5]
    assert toy.spots.tolist() == [3.0]
    assert send(toy, 1, "w", type="move", id="p0", x=6.0, y=0.0)["echo"] == ["w", 1]
    assert toy.spots.tolist() == [6.0]
    toy.receive({"type": "move", "id": "p0", "x": 7.0, "y": 0.0})
    toy.receive({"type": "move", "id": "p0", "x": 8.0, "y": 0.0})
    assert (toy.spots.tolist(), toy.canvas.scene["echo"]) == ([8.0], ["", 0])
    toy.redraw()
    assert toy.canvas.scene["echo"] is None
    before = toy.canvas.scene["count"]
    toy.redraw()
    assert toy.canvas.scene["count"] == before + 1


def test_all_moves_of_a_drag_are_one_step_and_can_be_cancelled(toy: Toy) -> None:
    for number, x in enumerate((3.0, 4.0, 5.0), start=1):
        send(toy, number, type="move", id="p0", x=x, y=0.0, gesture=7)
    assert len(toy.history.past) == 1
    send(toy, 4, type="move", id="p0", x=6.0, y=0.0, gesture=8)
    assert len(toy.history.past) == 2
    assert send(toy, 5, type="cancel", gesture=7)["text"] == "6.0 in spots."
    assert send(toy, 6, type="cancel", gesture=8)["text"] == "5.0 in spots."
    assert (len(toy.history.past), toy.history.future) == (1, [])
    toy.cancel()
    assert toy.text == "5.0 in spots."
    send(toy, 7, "w", type="move", id="p0", x=7.0, y=0.0, gesture=7)
    assert len(toy.history.past) == 2, "the drag of another view is another one"


def test_a_tick_is_obeyed_while_playing_and_only_the_one_waited_for(toy: Toy) -> None:
    assert toy.canvas.scene["beat"] is None
    assert send(toy, 1, type="tick", beat=0)["text"] == "1.0 in spots."
    toy.goes = True
    toy.redraw()
    assert toy.canvas.scene["beat"] == {"number": 1, "wait": 600}
    assert send(toy, 2, type="tick", beat=0)["text"] == "1.0 in spots."
    assert send(toy, 3, type="tick", beat=2)["text"] == "9.0 in spots."
    assert toy.canvas.scene["beat"]["number"] == 3
    toy.undo()
    assert not toy.playing


def test_what_is_to_be_copied_or_saved_is_handed_over(toy: Toy, monkeypatch: Any) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(toy.canvas, "send", sent.append)
    for number, kind in enumerate(("python", "state", "picture"), start=1):
        toy._problem = "an older trouble."
        assert send(toy, number, type=kind)["text"] == "1.0 in spots."
        assert {key: sent[-1][key] for key in ("type", "view", "name")} == {
            "type": kind,
            "view": "v",
            "name": "Toy",
        }
    assert sent[0]["content"] == "[1.0]\n"
    assert json.loads(sent[1]["content"]) == toy.state
    assert base64.b64decode(sent[2]["content"]).startswith(b"\x89PNG")


# ---- with points


class Dots(PointsExplorer):
    presets: ClassVar = {"two": ([[1.0, 2.0], [0.5, -1.0]], [1, -1])}

    def __init__(self) -> None:
        super().__init__("two", {})

    def load(self, preset: str) -> None:
        X, y = self.presets[preset]
        self.take(data.Points(np.array(X), np.array(y)), ((-2.0, 2.0), (-2.0, 2.0)))

    def sentence(self) -> str:
        return "dots."

    def panels(self) -> list[scene.Panel]:
        return [scene.Panel(self.view, [], self.handles_of_points(), adds=True)]


class Kinds(Dots):
    looks: ClassVar = {k: Look("o", "red", f"class {k}") for k in range(3)}
    presets: ClassVar = {"two": ([[1.0, 2.0], [0.5, -1.0]], [0, 2])}


@pytest.fixture
def dots() -> Dots:
    return Dots()


@pytest.mark.parametrize(
    ("given", "taken"),
    [([0, 1], [-1, 1]), ([0, 0], [-1, -1]), ([1, -1], [1, -1]), ([1, 1], [1, 1])],
)
def test_two_classes_of_any_names_become_plus_and_minus(given: list[int], taken: list[int]) -> None:
    dots = Dots()
    dots.put({"X": [[1.00004, -0.0], [7.0, 3.0]], "y": given})
    assert (dots.y.tolist(), dots.y.dtype) == (taken, np.int64)
    assert repr(dots.X.tolist()) == "[[1.0, 0.0], [7.0, 3.0]]"
    assert dots.view == ((-8.0, 8.0), (-8.0, 8.0))
    assert dots.preset.value == OWN


def test_plus_and_minus_become_the_first_two_classes() -> None:
    kinds = Kinds()
    kinds.put({"X": [[1.0, 0.0], [1.0, 1.0]], "y": [1, -1]})
    assert kinds.y.tolist() == [1, 0]
    kinds.put({"X": [[1.0, 0.0], [1.0, 1.0]], "y": [2, 1]})
    assert kinds.y.tolist() == [2, 1]
    kinds.relabel("p0")
    assert kinds.y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"X": [[1.0, 2.0]]}, "has no points to take over"),
        ({"y": [1]}, "has no points to take over"),
        ({"X": [[1.0, 2.0, 3.0]], "y": [1]}, "its points have 3 features, here are 2."),
        ({"X": [[1.0, 2.0]], "y": [1, 1]}, "room for 100 points, one label each"),
        ({"X": [[1.0, 2.0]] * 101, "y": [1] * 101}, "room for 100 points, one label each"),
        ({"X": [[1.0, 2.0]] * 2, "y": [0, 2]}, "its labels are [0, 2], of which only [1, -1]"),
    ],
)
def test_points_that_do_not_fit_are_refused(dots: Dots, state: Any, words: str) -> None:
    before = dots.state
    dots.put(state)
    assert words in dots.text
    assert dots.state == before


def test_every_change_of_the_points_makes_them_the_readers_own(dots: Dots) -> None:
    acts: list[Any] = [lambda: dots.move("p1", 1.5, 0.5), lambda: dots.add(0.25, 0.75)]
    acts += [
        lambda: dots.relabel("p0"),
        lambda: dots.remove("p0"),
        lambda: dots.fill([[1, 0]], [1]),
    ]
    found = []
    for act in acts:
        act()
        found.append((dots.X.tolist(), dots.y.tolist()))
        assert dots.preset.value == OWN
        dots.reset()
    old = [[1.0, 2.0], [0.5, -1.0]]
    assert found == [
        ([old[0], [1.5, 0.5]], [1, -1]),
        ([*old, [0.25, 0.75]], [1, -1, 1]),
        (old, [-1, -1]),
        ([old[1]], [-1]),
        ([[1.0, 0.0]], [1]),
    ]
    dots.new_label.value = -1
    dots.add(0.25, 0.75)
    assert (dots.y.tolist(), dots.canvas.scene["chosen"]) == ([1, -1, -1], "p2")


def test_there_is_room_for_a_hundred_points(dots: Dots) -> None:
    dots.fill(np.zeros((99, 2)), [1] * 99)
    dots.add(0.5, 0.5)
    assert len(dots.X) == 100
    dots.add(0.5, 0.5)
    assert "there are already 100 points; remove one first." in dots.text
    for X, y in ((np.zeros((101, 2)), [1] * 101), ([[0, 0]], [1, 1]), ([[0, 0]], [2])):
        dots.fill(X, y)
        assert "give up to 100 points, each with one label of [1, -1]." in dots.text
    assert len(dots.X) == 100
    dots.fill([], [])
    assert (dots.X.shape, dots.X.dtype, dots.y.dtype) == ((0, 2), np.float64, np.int64)
    state = dots.state
    dots.reset()
    dots.put(state)
    assert dots.X.shape == (0, 2)


@pytest.mark.parametrize(
    ("across", "step"), [(2.9, 0.05), (3.0, 0.1), (12.0, 0.1), (13.0, 0.5), (39.5, 2.0)]
)
def test_an_arrow_key_moves_a_point_by_a_round_step(dots: Dots, across: float, step: float) -> None:
    dots.view = ((-1.0, across - 1.0), (0.0, 1.0))
    assert dots.step_of_keys == step


def test_handles_say_which_row_and_class_they_are(dots: Dots) -> None:
    first, second = dots.handles_of_points(5.0)
    assert (first.id, first.label, first.at, first.size) == (
        "p0",
        "row 0, y = +1,",
        [1.0, 2.0],
        5.0,
    )
    assert (second.legend, second.rail) == ("y = −1", None)
    (moved, _) = dots.handles_of_points(places=np.zeros((2, 2)), rail=[1.0, 0.0])
    assert (moved.at, moved.rail, moved.size) == ([0.0, 0.0], [1.0, 0.0], 8.0)


def test_copied_points_are_the_points(dots: Dots) -> None:
    dots.X = np.array([[1.0, 0.25], [1e15, -2.0]])
    assert "[[1, 0.25], [1000000000000000.0, -2]]" in dots.data_in_python()
    names: dict[str, Any] = {}
    exec(dots.data_in_python(), names)
    assert np.array_equal(names["X"], dots.X)
    assert np.array_equal(names["y"], dots.y)
    assert dots.data_alone() == dots.data_in_python() + "# dots.\n"
    dots.fill([], [])
    assert "X = np.zeros((0, 2))" in dots.data_in_python()


def test_what_one_class_lacks_is_said(dots: Dots) -> None:
    end = ": odds need both classes. Add a point, or relabel one."
    dots.fill([[0, 0]], [-1])
    assert dots.no_fit("odds need") == f"All points have y = −1{end}"
    dots.fill([], [])
    assert dots.no_fit("odds need") == f"There are no points{end}"


def test_hulls_are_found_once_for_the_same_points(dots: Dots) -> None:
    first = dots.hulls
    assert dots.hulls is first
    dots.move("p0", 1.5, 2.0)
    assert dots.hulls is not first
    assert dots.hulls.gap is not None
    assert dots.hulls.gap.distance == pytest.approx(np.hypot(1.0, 3.0))


# ---- all explorers


@pytest.mark.parametrize("kind", EXPLORERS.values())
def test_what_is_only_seen_is_not_fitted_again(kind: Any, monkeypatch: Any) -> None:
    explorer, fits, refit = kind(), list[int](), kind.refit
    monkeypatch.setattr(kind, "refit", lambda self: (fits.append(1), refit(self)))
    for name in set(explorer.controls) & kind.display_only - {"preset"}:
        *_, last = explorer.controls[name].options
        explorer.controls[name].value = last[1] if isinstance(last, tuple) else last
        assert fits == [], f"{name} changes what is seen, not what is computed"
    seen = {"challenge", "new_label", "show", "scale", "speed"}
    assert seen & set(explorer.controls) <= kind.display_only


# ---- its parts


def test_history_goes_back_and_forth_and_is_not_endless() -> None:
    past = History()
    for refused, act in (("undo", past.back), ("redo", past.forth)):
        with pytest.raises(ValueError, match=f"nothing to {refused}"):
            act({})
    for k in range(MOST + 5):
        past.remember({"k": k}, None)
    assert [past.past[0]["k"], len(past.past)] == [5, MOST]
    assert past.back({"k": "now"}) == {"k": MOST + 4}
    assert past.forth({"k": "then"}) == {"k": "now"}
    assert past.past[-1] == {"k": "then"}
    past.back({"k": "now"})
    past.remember({"k": "new"}, None)
    assert past.future == [], "a new change forgets what was undone"


def test_a_gesture_is_remembered_once_and_undo_ends_it() -> None:
    past = History()
    for k in range(3):
        past.remember({"k": k}, "drag")
    assert past.past == [{"k": 0}]
    past.back({})
    past.remember({"k": 3}, "drag")
    past.remember({"k": 4}, "drag")
    assert past.past == [{"k": 3}]
    past.back({})
    past.forth({"k": 5})
    past.remember({"k": 6}, "drag")
    assert past.past == [{"k": 5}, {"k": 6}]
    assert past.cancel("other", {"k": 9}) == past.cancel(None, {"k": 9}) == {"k": 9}
    assert past.cancel("drag", {"k": 9}) == {"k": 6}
    assert past.cancel("drag", {"k": 9}) == {"k": 9}, "it is over"


def test_plain_values_are_lists_and_numbers() -> None:
    assert plain({"a": 1}) == {"a": 1}
    assert plain((np.float64(1.5), [np.arange(2)])) == [1.5, [[0, 1]]]
    assert type(plain(np.int64(3))) is int


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_only_a_dictionary_is_a_state(text: str) -> None:
    with pytest.raises(ValueError, match="not a copied state"):
        read(text)
    assert read({"a": 1}) == read('{"a": 1}') == {"a": 1}


def test_an_error_without_words_tells_its_kind() -> None:
    assert (message(ValueError("so.")), message(KeyError())) == ("so.", "KeyError")


def test_controls_have_all_of_their_labels() -> None:
    chosen = controls.chooser("Order", ["a", "b"], "b")
    assert (chosen.options, chosen.value, chosen.description) == (("a", "b"), "b", "Order")
    assert (chosen.layout.width, chosen.style.description_width) == ("auto", "initial")
    lam = controls.penalties(0.1, -3, 1, 0.25)
    assert (lam.value, lam.base, lam.min, lam.max, lam.step) == (0.1, 10, -3, 1, 0.25)
    assert (lam.description, lam.readout_format, lam.style.description_width) == (
        "λ",
        ".3g",
        "initial",
    )
    step = controls.slider("Step", value=0.5, min=0.25, max=1.0)
    assert (step.description, step.value, step.min, step.max) == ("Step", 0.5, 0.25, 1.0)
    row = controls.row([ipywidgets.Label("a")])
    assert (row.layout.flex_flow, row.layout.align_items) == ("row wrap", "center")
    assert len(row.children) == 1


def test_the_hint_tells_what_is_possible_and_no_more() -> None:
    bare = hint(adds=False, relabels=False, removes=False)
    for option, words in (("adds", "add"), ("relabels", "relabel"), ("removes", "remove")):
        full = hint(**({"adds": False, "relabels": False, "removes": False} | {option: True}))
        assert words not in bare
        assert full.count(words) == (1 if option == "removes" else 2)
    assert bare.endswith(".")
    assert ", ," not in bare
    assert "scene" in Canvas().keys  # sent to the browser
