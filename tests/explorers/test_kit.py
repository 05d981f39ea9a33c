"""What all explorers share, tested in milliseconds on the smallest one that has everything."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
import pytest

from linlib import data
from linlib.explorers import Explorer, PerceptronExplorer
from linlib.explorers.kit import controls, scene
from linlib.explorers.kit.explorer import OWN, Challenge
from linlib.explorers.kit.history import MOST, History
from linlib.explorers.kit.points import PointsExplorer
from linlib.explorers.kit.sentences import mark

VIEW = ((0.0, 10.0), (0.0, 10.0))


class Toy(Explorer):
    """A number of spots on a line, the first of which can be dragged."""

    name = "Toy"
    edits = True
    state_names: ClassVar = ("spots", "view", "word")
    display_only: ClassVar = frozenset({"word", "challenge"})
    presets: ClassVar = {"one": [1.0], "two": [1.0, 2.0]}
    challenges: ClassVar = {
        "seven": Challenge("reach seven", lambda one: (f"at {one.total:g}.", one.total == 7))
    }

    def __init__(self, start: str = "one") -> None:
        self.view, self.word, self.fits = VIEW, "spots", 0
        self.level = controls.Slider("level", 1.0, 0.0, 2.0, 0.1)
        end = scene.Button("End", self.end, "To the end")
        super().__init__({"level": self.level}, end, start=start)

    def load(self, preset: str) -> None:
        self.spots = np.array(self.presets[preset])

    def refit(self) -> None:
        self.fits += 1
        self.total = float(self.spots.sum())
        if self.total > 50:
            raise ValueError("too much.")

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
    def now() -> tuple[Any, ...]:
        shown = toy.canvas.scene
        return toy.spots.tolist(), toy.preset.value, toy.fits, shown["undo"], shown["redo"]

    toy.move("p0", 3.00004, 99.0)
    assert now() == ([3.0], OWN, 2, True, False)
    toy.undo()
    assert now() == ([1.0], "one", 3, False, True)
    toy.undo()
    assert "there is nothing to undo" in toy.text
    toy.redo()
    assert now() == ([3.0], OWN, 5, True, False)
    toy.relabel("p0")
    assert (toy.word, toy.fits) == ("spots p0", 5), "what is only seen refits nothing"
    toy.undo()
    assert toy.word == "spots"
    toy.move("p0", 4.0, 0.0)
    toy.redo()
    assert "there is nothing to redo" in toy.text, "a new change forgets what was undone"


def test_what_fails_leaves_the_state_and_says_so(toy: Toy) -> None:
    before = toy.state
    toy.move("p0", 3.0, 5.0)
    assert (toy.state, toy.text) == (before, "That could not be done: KeyError 1.0 in spots.")
    toy.act(lambda: setattr(toy, "spots", np.array([99.0])))
    assert (toy.state, toy.text) == (before, "That could not be done: too much. 1.0 in spots.")
    assert toy.total == 1.0
    toy.move("p0", 2.0, 0.0)
    assert toy.text == "2.0 in spots.", "trouble is told once"
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
    assert "the state of another kind of explorer; here is a Toy." in other.text
    for text in ("{", "[]", "3"):
        with pytest.raises(ValueError, match="not a copied state"):
            other.put(text)
    assert other.state == toy.state


def test_a_challenge_tells_how_far_and_when_it_is_done(toy: Toy) -> None:
    card = {"goal": "reach seven", "number": 1, "total": 1, "after": ""}
    assert toy.canvas.scene["card"] == card | {"words": "at 1.", "share": 0, "done": False}
    toy.move("p0", 7.0, 0.0)
    assert toy.canvas.scene["card"] == card | {"words": "at 7.", "share": 1, "done": True}


def test_controls_keep_to_their_values_and_take_what_the_browser_shows() -> None:
    chosen = controls.Choice("Order", ["a", "b"], "b")
    assert (chosen.options, chosen.value, chosen.label) == (("a", "b"), "b", "Order")
    with pytest.raises(ValueError, match="order: 'c' is not known; choose one of 'a', 'b'"):
        chosen.value = "c"
    named = controls.Choice("Class", {"one": 1, "two": 2}, 1)
    named.take("two")
    assert (named.value, named.plain()["value"]) == (2, "two")
    lam = controls.Slider("λ", 0.1, -3, 1, 0.25, log=True)
    lam.take(0.5)
    assert np.isclose(lam.value, 10**0.5)
    assert (lam.plain()["value"], lam.plain()["words"]) == (pytest.approx(0.5), "3.16")
    lam.value = 1000.0
    assert lam.value == 10
    with pytest.raises(TypeError, match="λ: expected a number"):
        lam.value = "much"


def test_the_browser_scrubs_plays_and_pauses() -> None:
    explorer = PerceptronExplorer()
    shown = explorer.canvas.scene["time"]
    assert (shown["at"], shown["last"], len(shown["marks"]), shown["what"]) == (0, 18, 18, "update")
    for to, k, plays in ((5, 5, False), (99, 18, False), (True, 0, True), (False, 0, False)):
        explorer.receive({"type": "go", "to": to})
        assert (explorer.k, explorer.playing) == (k, plays)
    for to in (1, 2):
        explorer.receive({"type": "go", "to": to, "gesture": 7})
    explorer.undo()
    assert explorer.k == 0, "one drag over the time line is one step of undo"


# ---- handles


def test_handles_are_found_by_their_names(toy: Toy) -> None:
    assert toy.handles == {"p0": (1.0, 1.0)}
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


def test_printed_words_are_wrapped_between_words(toy: Toy) -> None:
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
    toy.edits = False
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


def test_what_is_to_be_copied_is_handed_over(toy: Toy, monkeypatch: Any) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(toy.canvas, "send", sent.append)
    for number, kind in enumerate(("python", "state"), start=1):
        toy._problem = "an older trouble."
        assert send(toy, number, type=kind)["text"] == "1.0 in spots."
        assert [sent[-1][key] for key in ("type", "view")] == [kind, "v"]
    assert sent[0]["content"] == "[1.0]\n"
    assert json.loads(sent[1]["content"]) == toy.state


# ---- with points


class Dots(PointsExplorer):
    presets: ClassVar = {"two": ([[1.0, 2.0], [0.5, -1.0]], [1, -1])}

    def __init__(self) -> None:
        super().__init__("two", {})

    first_view = ((-2.0, 2.0), (-2.0, 2.0))

    def points_of(self, preset: str) -> data.Points:
        X, y = self.presets[preset]
        return data.Points(np.array(X), np.array(y))

    def sentence(self) -> str:
        return "dots."

    def panels(self) -> list[scene.Panel]:
        return [scene.Panel(self.view, [], self.handles_of_points(), adds=True)]


@pytest.fixture
def dots() -> Dots:
    return Dots()


def test_every_change_of_the_points_makes_them_the_readers_own(dots: Dots) -> None:
    old = [[1.0, 2.0], [0.5, -1.0]]
    for act, X, y in (
        (lambda: dots.move("p1", 1.5, 0.5), [old[0], [1.5, 0.5]], [1, -1]),
        (lambda: dots.add(0.25, 0.75), [*old, [0.25, 0.75]], [1, -1, 1]),
        (lambda: dots.relabel("p0"), old, [-1, -1]),
        (lambda: dots.remove("p0"), [old[1]], [-1]),
    ):
        act()
        assert (dots.X.tolist(), dots.y.tolist(), dots.preset.value) == (X, y, OWN)
        dots.reset()
    dots.new_label.value = -1
    dots.add(0.25, 0.75)
    assert (dots.y.tolist(), dots.canvas.scene["chosen"]) == ([1, -1, -1], "p2")


def test_there_is_room_for_a_hundred_points(dots: Dots) -> None:
    for _ in range(98):
        dots.add(0.5, 0.5)
    assert len(dots.X) == 100
    dots.add(0.5, 0.5)
    assert "there are already 100 points; remove one first." in dots.text
    for _ in range(100):
        dots.remove("p0")
    assert (dots.X.shape, dots.X.dtype, dots.y.dtype) == ((0, 2), np.float64, np.int64)
    state = dots.state
    dots.reset()
    dots.put(state)
    assert dots.X.shape == (0, 2)


# ---- its parts


def test_history_is_not_endless_and_undo_ends_a_gesture() -> None:
    past = History()
    for k in range(MOST + 5):
        past.remember({"k": k}, None)
    assert [past.past[0]["k"], len(past.past)] == [5, MOST]
    past.remember({"k": "drag"}, "drag")
    assert past.back({"k": "now"}) == {"k": "drag"}
    past.remember({"k": "again"}, "drag")
    assert past.past[-1] == {"k": "again"}, "what was undone is not the same gesture any more"
    assert past.cancel("drag", {}) == {"k": "again"}
    assert past.cancel("drag", {"k": "over"}) == {"k": "over"}
