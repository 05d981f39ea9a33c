"""What all explorers share, tested in milliseconds on the smallest one that has everything."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from linlib import data
from linlib.explorers import Explorer, PerceptronExplorer
from linlib.explorers.kit import controls, scene
from linlib.explorers.kit.explorer import MOST, Show
from linlib.explorers.kit.points import PointsExplorer, PointsState
from linlib.explorers.kit.sentences import mark
from linlib.explorers.kit.state import (
    OWN,
    Add,
    Challenge,
    Event,
    Move,
    Press,
    Relabel,
    Remove,
    State,
    computed,
    start,
)

VIEW = ((0.0, 10.0), (0.0, 10.0))


FITS: list[float] = []  # of every fit what came of it


@dataclass(frozen=True, kw_only=True, eq=False)
class Spots(State):
    """A number of spots on a line, the first of which can be dragged."""

    name: ClassVar = "Toy"
    edits: ClassVar = True
    presets: ClassVar = {"one": [1.0], "two": [1.0, 2.0]}
    own_controls: ClassVar = {"level": controls.Slider("level", 0.0, 2.0, 0.1)}
    buttons: ClassVar = (scene.Button("End", "To the end"),)
    challenges: ClassVar = {
        "seven": Challenge("reach seven", lambda now: (f"at {now.total:g}.", now.total == 7))
    }

    spots: np.ndarray = field(default_factory=lambda: np.zeros(0))
    view: Any = VIEW
    word: str = "spots"
    level: float = 1.0

    @computed("spots", "level")
    def total(self) -> float:
        """The sum, which may be too much."""
        FITS.append(float(self.spots.sum()))
        if FITS[-1] > 50:
            raise ValueError("too much.")
        return FITS[-1]

    def with_preset(self, preset: str) -> Spots:
        return self.changed(preset=preset, spots=np.array(self.presets[preset]))

    def update(self, event: Event) -> Spots:
        match event:
            case Move(_, _, 5):
                raise KeyError
            case Move(_, x, _):
                return self.changed(spots=np.array([x, *self.spots[1:]]), preset=OWN)
            case Press("End"):
                return self.update(Move("p0", 9.0, 0.0))
            case Add(_, x, _):
                return self.changed(spots=np.append(self.spots, x))
            case Relabel(id):
                return self.changed(word=f"{self.word} {id}")
            case Remove(id):
                return self.changed(spots=np.delete(self.spots, int(id[1:])))
        return super().update(event)

    def python(self) -> str:
        return f"{self.spots.tolist()}\n"

    def sentence(self) -> str:
        if self.word == "none":
            raise ValueError("no words.")
        return f"{mark('sum', str(self.total))} in {self.word}."

    def panels(self) -> list[scene.Panel]:
        shown = [scene.Handle(f"p{k}", "spot", (x, 1.0)) for k, x in enumerate(self.spots)]
        return [scene.Panel(VIEW, [], []), scene.Panel(VIEW, [], shown, adds=True)]


class Toy(Explorer):
    """The spots, to be dragged."""

    kind = Spots

    def __init__(self, preset: str = "one") -> None:
        FITS.clear()
        super().__init__(start(Spots, preset))


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
        return toy.spots.tolist(), toy.preset.value, len(FITS), shown["undo"], shown["redo"]

    toy.move("p0", 3.00004, 99.0)
    assert now() == ([3.0], OWN, 2, True, False)
    toy.undo()
    assert now() == ([1.0], "one", 2, False, True), "what was shown before is known"
    toy.undo()
    assert "there is nothing to undo" in toy.text
    toy.redo()
    assert now() == ([3.0], OWN, 2, True, False)
    toy.relabel("p0")
    assert (toy.word, len(FITS)) == ("spots p0", 2), "what is only seen refits nothing"
    toy.undo()
    assert toy.word == "spots"
    toy.move("p0", 4.0, 0.0)
    toy.redo()
    assert "there is nothing to redo" in toy.text, "a new change forgets what was undone"


def test_what_fails_leaves_the_state_and_says_so(toy: Toy) -> None:
    before = toy.state
    toy.move("p0", 3.0, 5.0)
    assert (toy.state, toy.text) == (before, "That could not be done: KeyError 1.0 in spots.")
    toy.act(Show(toy.now.changed(spots=np.array([99.0]))))
    assert (toy.state, toy.text) == (before, "That could not be done: too much. 1.0 in spots.")
    assert toy.total == 1.0
    toy.move("p0", 2.0, 0.0)
    assert toy.text == "2.0 in spots.", "trouble is told once"
    panels = toy.canvas.scene["panels"]
    toy.act(Show(toy.now.changed(word="none")))
    assert toy.text == "That could not be done: no words. 2.0 in spots."
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
    assert (toy.spots.tolist(), len(FITS)) == ([1.0, 2.0], 2)
    toy.preset.value = OWN
    assert toy.spots.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"points: .*'one'.*'two'"):
        Toy("three")


def test_all_moves_of_a_slider_are_one_step(toy: Toy) -> None:
    toy.level.value = 0.5
    toy.level.value = 0.75
    toy.preset.value = "two"
    assert len(toy.past) == 2
    toy.undo()
    toy.undo()
    assert toy.level.value == 1.0
    assert (toy.state["level"], len(FITS)) == (1.0, 4)


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
    chosen = controls.Choice("Order", ["a", "b"])
    assert (chosen.options, chosen.checked("b"), chosen.label) == (("a", "b"), "b", "Order")
    with pytest.raises(ValueError, match="order: 'c' is not known; choose one of 'a', 'b'"):
        chosen.checked("c")
    named = controls.Choice("Class", {"one": 1, "two": 2})
    assert (named.taken("two"), named.plain(2)["value"]) == (2, "two")
    lam = controls.Slider("λ", -3, 1, 0.25, log=True)
    value = lam.taken(0.5)
    assert np.isclose(value, 10**0.5)
    assert (lam.plain(value)["value"], lam.plain(value)["words"]) == (pytest.approx(0.5), "3.16")
    assert lam.checked(1000.0) == 10
    with pytest.raises(TypeError, match="λ: expected a number"):
        lam.checked("much")


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


def test_choosing_what_is_chosen_begins_nothing_again(toy: Toy) -> None:
    explorer = PerceptronExplorer()
    explorer.go(5)
    explorer.go(True)
    explorer.receive({"type": "control", "name": "order", "value": "cyclic"})
    assert (explorer.k, explorer.playing) == (5, True)
    explorer.receive({"type": "control", "name": "order", "value": "worst"})
    assert (explorer.k, explorer.playing) == (0, False)
    toy.receive({"type": "go", "to": True})
    assert (toy.playing, toy.text) == (
        False,
        "That could not be done: there is no run here. 1.0 in spots.",
    )
    toy.receive({"type": "control", "name": "preset", "value": "one"})
    assert toy.text == "1.0 in spots.", "the trouble is not told a second time"


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
    toy.act(Show(toy.now.changed(word="a-b " * 40)))
    assert all(len(line) <= 88 for line in str(toy).splitlines())
    assert str(toy).replace("\n", " ") == toy.text
    assert "-\n" not in str(toy), "a formula stays whole"
    toy.act(Show(toy.now.changed(word="a" * 100)))
    assert "a" * 100 in str(toy)


# ---- what the browser sends


def test_every_kind_of_event_is_done(toy: Toy, monkeypatch: Any) -> None:
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
    monkeypatch.setattr(Spots, "edits", False)
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
    assert len(toy.past) == 1
    send(toy, 4, type="move", id="p0", x=6.0, y=0.0, gesture=8)
    assert len(toy.past) == 2
    assert send(toy, 5, type="cancel", gesture=7)["text"] == "6.0 in spots."
    assert send(toy, 6, type="cancel", gesture=8)["text"] == "5.0 in spots."
    assert (len(toy.past), toy.future) == (1, [])
    assert send(toy, 7, type="cancel")["text"] == "5.0 in spots.", "there is nothing to cancel"
    send(toy, 8, "w", type="move", id="p0", x=7.0, y=0.0, gesture=7)
    assert len(toy.past) == 2, "the drag of another view is another one"


def test_what_is_to_be_copied_is_handed_over(toy: Toy, monkeypatch: Any) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(toy.canvas, "send", sent.append)
    for number, kind in enumerate(("python", "state"), start=1):
        toy.redraw(problem="an older trouble.")
        assert send(toy, number, type=kind)["text"] == "1.0 in spots."
        assert [sent[-1][key] for key in ("type", "view")] == [kind, "v"]
    assert sent[0]["content"] == "[1.0]\n"
    assert json.loads(sent[1]["content"]) == toy.state


# ---- with points

TWO = [[1.0, 2.0], [0.5, -1.0]]


@dataclass(frozen=True, kw_only=True, eq=False)
class DotsState(PointsState):
    presets: ClassVar = {"two": lambda: data.Points(np.array(TWO), np.array([1, -1]))}
    first_view: ClassVar = ((-2.0, 2.0), (-2.0, 2.0))

    def sentence(self) -> str:
        return "dots."

    def panels(self) -> list[scene.Panel]:
        return [scene.Panel(self.view, [], self.handles_of_points(), adds=True)]


class Dots(PointsExplorer):
    kind = DotsState

    def __init__(self) -> None:
        super().__init__(start(DotsState, "two"))


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


# ---- going back


def test_the_way_back_is_not_endless_and_undo_ends_a_gesture(toy: Toy) -> None:
    for k in range(MOST + 5):
        toy.move("p0", 1 + k / 100, 0.0)
    assert len(toy.past) == MOST
    assert toy.past[0].plain()["spots"] == [1.04]
    send(toy, 1, type="move", id="p0", x=8.0, y=0.0, gesture="drag")
    toy.undo()
    assert toy.spots.tolist() == [3.04]
    send(toy, 2, type="move", id="p0", x=8.0, y=0.0, gesture="drag")
    assert toy.past[-1].plain()["spots"] == [3.04], (
        "what was undone is not the same gesture any more"
    )
    assert send(toy, 3, type="cancel", gesture="drag")["text"] == "3.04 in spots."
    assert send(toy, 4, type="cancel", gesture="drag")["text"] == "3.04 in spots."


def test_a_state_never_changes_and_keeps_what_it_knows(toy: Toy) -> None:
    first = toy.now
    later = first.changed(word="dots")
    assert later.total == 1.0
    assert FITS == [1.0], "another word changes no sum"
    assert first.changed(spots=np.array([4.0])).total == 4.0
    assert (first.word, first.spots.tolist()) == ("spots", [1.0])
    with pytest.raises(AttributeError):
        first.word = "dots"  # type: ignore[misc]
