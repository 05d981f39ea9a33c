"""The session of an explorer: its states past, present and to come, and the answers to events."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from linlib.base import checks
from linlib.explorers.kit import scene, state
from linlib.explorers.kit.controls import Canvas, Control, Slider
from linlib.explorers.kit.scene import Panel, Scene
from linlib.explorers.kit.sentences import plain
from linlib.explorers.kit.state import (
    Add,
    Choose,
    Event,
    Go,
    Move,
    Plain,
    Press,
    Relabel,
    Remove,
    State,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRINTED = 88  # characters in a line of print(explorer)
MOST = 200  # states that are kept to go back to


# ---- events that concern the session, not the state alone


@dataclass(frozen=True)
class Undo(Event):
    """Go back to before the last change."""


@dataclass(frozen=True)
class Redo(Event):
    """Do again what was undone last."""


@dataclass(frozen=True)
class Reset(Event):
    """Put everything back as the cell first showed it."""


@dataclass(frozen=True)
class Cancel(Event):
    """Go back to before the gesture that goes on, as if it had never begun."""


@dataclass(frozen=True)
class Paste(Event):
    """Show another state, as it was copied."""

    state: Plain


@dataclass(frozen=True)
class Show(Event):
    """Show another state."""

    state: State


@dataclass(frozen=True)
class Copy(Event):
    """Hand over the lines of Python, or the state."""

    what: str


@dataclass(frozen=True)
class Play(Event):
    """Begin or end to play a run."""

    plays: bool


@dataclass(frozen=True)
class Tick(Event):
    """Make the next step of a run that plays, if it is the one that the browser waits for."""

    beat: object


BACK_AND_FORTH = (Undo, Redo, Reset, Cancel, Paste, Show)


class Asked(NamedTuple):
    """Who sent an event: a view of the canvas, the event's number, and the gesture it is part of.

    What a cell does is asked by nobody.
    """

    view: str = ""
    number: int = 0
    gesture: object = None

    @property
    def echo(self) -> list[object]:
        """What the answer carries, so that the view knows to what it is one."""
        return [self.view, self.number]


class Picture(NamedTuple):
    """All that is drawn and said of a state."""

    panels: list[Panel]
    words: str


class Setting:
    """A control of an explorer, with the value that the present state has."""

    def __init__(self, explorer: Explorer, name: str, control: Control) -> None:
        self._explorer, self._name, self.control = explorer, name, control

    @property
    def value(self) -> Any:
        """What is chosen."""
        return getattr(self._explorer.now, self._name)

    @value.setter
    def value(self, value: Any) -> None:
        self._explorer.act(Choose(self._name, self.control.checked(value)))

    def plain(self) -> dict[str, object]:
        """Return the control as the browser reads it."""
        disabled = self._name in self._explorer.now.disabled()
        return {"name": self._name} | self.control.plain(self.value, disabled=disabled)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.control, name)


class Explorer:
    """A state to begin with, shown by a canvas, and changed by what a reader does.

    What is seen now can be asked of the explorer by its name: ``explorer.hyperplane`` is that of
    ``explorer.now``, the present state, and ``explorer.penalty.value`` that of a control.
    """

    kind: type[State]
    now: State
    playing = False  # whether the browser shall ask for the next step of a run

    def __init__(self, first: State) -> None:
        self.now = self._first = first
        self.past: list[State] = []
        self.future: list[State] = []
        self.canvas = Canvas()
        self.scene = Scene()
        known = state.controls(type(first))
        self.controls = {name: Setting(self, name, one) for name, one in known.items()}
        self.buttons = {button.label: button for button in first.buttons}
        self._gesture: object = None  # of the last change
        self._answered: dict[str, int] = {}  # of every view of the canvas, the last event
        self._beat = 0
        self._displayed = False
        self._picture = _picture(first)
        self.canvas.on_msg(lambda _, content, __: self.receive(content))
        self.redraw()

    def __getattr__(self, name: str) -> Any:
        # Only what is not found otherwise: a control, or a part of the present state.
        if name in ("now", "controls"):
            raise AttributeError(name)
        return self.controls[name] if name in self.controls else getattr(self.now, name)

    # ---- what a reader or a cell can do

    @property
    def text(self) -> str:
        """What is seen, in words: the line under the picture."""
        return str(self.canvas.scene["text"])

    def __str__(self) -> str:
        return textwrap.fill(self.text, PRINTED, break_long_words=False, break_on_hyphens=False)

    @property
    def handles(self) -> dict[str, tuple[float, float]]:
        """Where every handle is, by its id."""
        shown = (item for panel in self.scene.panels for item in panel.handles)
        return {item.id: (item.at[0], item.at[1]) for item in shown}

    @property
    def state(self) -> Plain:
        """All that was chosen and moved, as plain values; ``put`` brings it back."""
        return {"explorer": type(self).__name__} | self.now.plain()

    def move(self, id: str, x: float, y: float) -> None:
        """Move a handle, as dragging does; a place outside the picture becomes the nearest inside.

        Positions are rounded to four decimals.
        """
        self.act(self._read_move(id, x, y))

    def add(self, x: float, y: float, *, panel: int | None = None) -> None:
        """Add something at a place, as a click there does."""
        self.act(self._read_add(x, y, panel))

    def relabel(self, id: str) -> None:
        """Give what a handle stands for its next label, as a double click does."""
        self._panel_of(id)
        self.act(Relabel(id))

    def remove(self, id: str) -> None:
        """Remove what a handle stands for, as the Delete key does."""
        self._panel_of(id)
        self.act(Remove(id))

    def go(self, to: object) -> None:
        """Go to a place on the time line, or begin (True) or end (False) to play."""
        self.act(_read_go(to))

    def put(self, state: Plain | str) -> None:
        """Take a state of an explorer of this kind, as copied or as a dictionary."""
        self.act(Paste(read(state)))

    def undo(self) -> None:
        """Go back to before the last change."""
        self.act(Undo())

    def redo(self) -> None:
        """Do again what was undone last."""
        self.act(Redo())

    def reset(self) -> None:
        """Put everything back as the cell first showed it; undo brings the rest back."""
        self.act(Reset())

    # ---- events

    def receive(self, event: Mapping[str, Any]) -> None:
        """Handle one event of the browser: ``type``, what belongs to it, ``view`` and ``number``.

        An event that is older than one already answered is dropped; every event, also one that
        changes nothing, is answered by a scene that carries its view and number, because the
        browser sends the next event only then; what goes wrong becomes the text line.
        """
        view, number = str(event.get("view", "")), int(event.get("number", 0))
        newest = self._answered.get(view, 0)
        self._answered[view] = max(number, newest)
        gesture = event.get("gesture")
        asked = Asked(view, self._answered[view], None if gesture is None else (view, gesture))
        if number and number <= newest:
            self.redraw(asked)
            return
        try:
            done = self._read(event)
        except Exception as error:
            self.redraw(asked, message(error))
        else:
            self.act(done, asked)

    def act(self, event: Event, asked: Asked | None = None) -> None:
        """Do what an event says, and show what came of it.

        What fails, also in drawing, leaves the state as it was and becomes the text line.
        """
        gesture = self._gesture_of(event, asked)
        try:
            if isinstance(event, Copy):
                self._hand_over(event.what, asked)
            after = self._after(event, gesture)
            picture = self._picture if after is self.now else _picture(after)
        except Exception as error:
            self.redraw(asked, message(error))
            return
        known = self.handles
        dragged = isinstance(event, Move) and self._continues(gesture)
        self._remember(event, after, gesture)
        before, self.now, self._picture = self.now, after, picture
        self.playing = self._goes_on(event, before)
        new = (item.id for panel in picture.panels for item in panel.handles)
        chosen = next((id for id in new if id not in known), None)
        added = chosen if isinstance(event, Add) else None
        self.redraw(asked, chosen=added, dragged=dragged)

    def _after(self, event: Event, gesture: object) -> State:
        """Return the state after an event."""
        match event:
            case Undo():
                return _last(self.past, "undo")
            case Redo():
                return _last(self.future, "redo")
            case Reset():
                return self._first
            case Cancel():
                return self.past[-1] if self._continues(gesture) else self.now
            case Paste(copied):
                return self._pasted(copied)
            case Show(other):
                return other
            case Play() if self.now.time_line(playing=False) is None:
                raise ValueError("there is no run here.")
            case Copy() | Play(False):
                return self.now
            case Choose(name, value) if value == self.controls[name].value:
                return self.now  # the chip already chosen begins nothing again
            case Play(True):
                # From the end, play begins again.
                return self.now.update(Go(0)) if self._at_end() else self.now
            case Tick(beat):
                # Two views of one explorer both ask for the next beat; only the first is meant.
                expected = self.playing and beat == self._beat
                return self.now.update(Go(self.now.k + 1)) if expected else self.now  # type: ignore[attr-defined]
        return self.now.update(event)

    def _remember(self, event: Event, after: State, gesture: object) -> None:
        """Keep the present state to go back to; all moves of one gesture are one step."""
        match event:
            case Undo():
                self.past.pop()
                self.future.append(self.now)
                self._gesture = None
            case Redo():
                self.future.pop()
                self.past.append(self.now)
                self._gesture = None
            case Cancel():
                if self._continues(gesture):
                    self.past.pop()
                    self._gesture = None
            case _ if not after.same(self.now):
                if not self._continues(gesture):
                    self.past = [*self.past[1 - MOST :], self.now]
                self.future = []
                self._gesture = gesture

    def _continues(self, gesture: object) -> bool:
        return gesture is not None and gesture == self._gesture and bool(self.past)

    def _gesture_of(self, event: Event, asked: Asked | None) -> object:
        """Return what an event is a part of: a slide, a run that plays, or a drag."""
        match event:
            case Choose(name, _) if isinstance(self.controls[name].control, Slider):
                return "slide", name
            case Tick():
                return "play"
        return asked.gesture if asked else None

    def _at_end(self) -> bool:
        time = self.now.time_line(playing=False)
        return time is not None and time.at == time.last

    def _goes_on(self, event: Event, before: State) -> bool:
        """Tell whether a run still plays after an event."""
        match event:
            case Play(plays):
                return plays
            case Go() | Tick():
                return self.playing and not self._at_end()
            case Choose(name, _) if name in self.now.restarts and self.now is not before:
                return False
        return self.playing and not isinstance(event, BACK_AND_FORTH)

    def _pasted(self, copied: Plain) -> State:
        if copied.get("explorer") != type(self).__name__:
            raise ValueError(f"the state of another kind of explorer; here is a {self.now.name}.")
        if missing := [name for name in state.kept(type(self.now)) if name not in copied]:
            raise ValueError(f"the copied state lacks {missing[0]!r}; copy it again.")
        return self.now.pasted(copied)

    def _hand_over(self, what: str, asked: Asked | None) -> None:
        """Send the browser something to copy."""
        content = self.now.python() if what == "python" else json.dumps(self.state)
        self.canvas.send({"type": what, "content": content, "view": asked.view if asked else ""})

    # ---- what the browser sends, read

    def _read(self, event: Mapping[str, Any]) -> Event:
        kind = event.get("type")
        match kind:
            case "move":
                return self._read_move(str(event["id"]), event["x"], event["y"])
            case "add":
                return self._read_add(event["x"], event["y"], int(event.get("panel", 0)))
            case "relabel" | "remove" if self.now.edits:
                id = str(event["id"])
                self._panel_of(id)
                return Relabel(id) if kind == "relabel" else Remove(id)
            case "paste":
                return Paste(read(str(event.get("text", ""))))
            case "python" | "state":
                return Copy(str(kind))
            case "control":
                name = str(event["name"])
                if name not in self.controls:
                    raise ValueError(f"name: there is no control {name!r} here.")
                return Choose(name, self.controls[name].control.taken(event["value"]))
            case "press":
                label = str(event["name"])
                if label not in self.buttons:
                    raise ValueError(f"name: there is no button {label!r} here.")
                return Press(label)
            case "go":
                return _read_go(event["to"])
            case "tick":
                return Tick(event.get("beat"))
        plain_ones = {"undo": Undo, "redo": Redo, "reset": Reset, "cancel": Cancel}
        if kind not in plain_ones:
            raise ValueError(f"the event {kind!r} is not known.")
        return plain_ones[str(kind)]()

    def _read_move(self, id: str, x: float, y: float) -> Move:
        return Move(id, *_within(self._panel_of(id), x, y))

    def _read_add(self, x: float, y: float, panel: int | None) -> Add:
        shown = self.scene.panels
        if panel is None:
            panel = next((k for k, one in enumerate(shown) if one.adds), 0)
        if not (0 <= panel < len(shown) and shown[panel].adds):
            raise ValueError(f"panel: nothing can be added to panel {panel}; try another.")
        return Add(panel, *_within(shown[panel], x, y))

    def _panel_of(self, id: str) -> Panel:
        for panel in self.scene.panels:
            if any(item.id == id for item in panel.handles):
                return panel
        listed = ", ".join(map(repr, self.handles)) or "none"
        raise ValueError(f"id: there is no handle {id!r}; choose one of {listed}.")

    # ---- what is shown

    def redraw(
        self,
        asked: Asked | None = None,
        problem: str = "",
        *,
        chosen: str | None = None,
        dragged: bool = False,
    ) -> None:
        """Send the picture and the text line as they are now; a problem is told before them."""
        now = self.now
        panels, words = self._picture
        if problem:
            words = f"That could not be done: {problem} {words}"
        self._beat += self.playing
        moved = not now.same(self._first)
        wait = getattr(now, "beat_wait", 0)
        self.scene = Scene(
            name=now.name,
            panels=panels,
            legend=scene.legend(panels),
            text=plain(words),
            pieces=scene.tied(words, panels),
            task=now.task(moved=moved),
            time=now.time_line(playing=self.playing),
            controls=[one.plain() for one in self.controls.values()],
            buttons=now.buttons,
            card=now.card(),
            edits=now.edits,
            undo=bool(self.past),
            redo=bool(self.future),
            moved=moved,
            chosen=chosen,
            beat={"number": self._beat, "wait": wait} if self.playing else None,
            echo=asked.echo if asked else None,
            count=self.scene.count + 1,
        )
        self.canvas.show(self.scene.plain(), dragged=dragged)

    def still(self) -> Figure:
        """Return the picture as a Matplotlib figure, which only a still picture loads."""
        from linlib.explorers.kit import still

        return still.draw(self.scene, enlarged=self.now.enlarged)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, the still picture and the text line, for whoever can show them."""
        if not self._displayed:
            self.start_here()
        from linlib.notebook import plotting

        picture, metadata = plotting.described(self.still(), self.text)
        return self.canvas.shown() | picture, metadata

    def start_here(self) -> None:
        """Let Reset lead back to what the reader sees first: this."""
        self._first, self._displayed = self.now, True
        self.past, self.future, self._gesture = [], [], None
        self.redraw()


def _picture(now: State) -> Picture:
    return Picture(now.panels(), now.sentence())


def _last(states: list[State], what: str) -> State:
    if not states:
        raise ValueError(f"there is nothing to {what}.")
    return states[-1]


def _within(panel: Panel, x: float, y: float) -> list[float]:
    """Return the nearest place inside a panel."""
    at: list[float] = scene.clamp([checks.real(x, "x"), checks.real(y, "y")], panel.view).tolist()
    return at


def _read_go(to: object) -> Event:
    return Play(to) if isinstance(to, bool) else Go(int(str(to)))


def read(text: Any) -> Plain:
    """Return the state that a reader pasted, or say what is wrong with it."""
    try:
        found = json.loads(text) if isinstance(text, str) else text
    except json.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise ValueError("this is not a copied state; press Share in an explorer to copy one.")
    return found


def message(error: Exception) -> str:
    """Return what an error says, or its kind where it says nothing."""
    return str(error) or type(error).__name__
