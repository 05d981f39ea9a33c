"""The base class of all explorers: controls, a canvas, a sentence, and a state to go back to."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from linlib.base import checks
from linlib.explorers.kit import history, scene
from linlib.explorers.kit.controls import CARD, CHIPS, Canvas, Choice, Control, Slider
from linlib.explorers.kit.history import History, State
from linlib.explorers.kit.scene import Button, Card, Panel, Scene, Thumbnail, TimeLine
from linlib.explorers.kit.sentences import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWN = "your own"
PRINTED = 88  # characters in a line of print(explorer)
Verdict = tuple[str, bool]


class Challenge(NamedTuple):
    """Something to bring about; ``judge`` says how far an explorer is, and whether it is done."""

    goal: str
    judge: Callable[[Any], Verdict]
    progress: Callable[[Any], float] = lambda _: 0.0  # a share, until it is done


class Explorer:
    """The base of all explorers; the package's docstring tells how to write one.

    A subclass says what is seen (:meth:`panels`, :meth:`sentence`), what the reader may do
    (:meth:`on_move`, and :meth:`on_add`, :meth:`on_relabel`, :meth:`on_remove`), and which
    attributes are its state (``state_names``), besides the values of its controls. All else follows
    from the state (:meth:`refit`), once an action. Undo, redo, Reset, copy and paste are the same
    for all.
    """

    name = "Explorer"
    tasks: ClassVar[tuple[str, str]] = ("Drag a handle.", "Drag another handle.")
    state_names: ClassVar[tuple[str, ...]] = ()
    # Parts of the state that refit nothing.
    display_only: ClassVar[frozenset[str]] = frozenset({"challenge"})
    presets: ClassVar[Mapping[str, Any]] = {}
    preset_label = "Points"
    challenges: ClassVar[Mapping[str, Challenge]] = {}
    edits = False  # whether points can be added, relabelled and removed
    enlarged = 1.0  # the panels of the still picture, for letters larger than the browser's
    playing = False  # whether the browser shall ask for the next step of a run
    beat_wait = 600  # milliseconds until it does

    def __init__(self, controls: Mapping[str, Control], *buttons: Button, start: str) -> None:
        self.canvas, self.scene = Canvas(), Scene()
        self.history = History()
        self.controls = dict(controls)
        self.buttons = {button.label: button for button in buttons}
        self._answered: dict[str, int] = {}  # of every view of the canvas, the last event
        self._echo: list[object] | None = None
        self._acting = self._restoring = self._forgot = self._displayed = False
        self._problem = ""
        self._gesture: object = None
        self._chosen: str | None = None
        self._beat = 0
        if self.challenges:
            names = list(self.challenges)
            self.challenge = Choice("Challenge", names, names[0], CARD)
            self.controls["challenge"] = self.challenge
        if self.presets:
            checks.choice(start, self.preset_label.lower(), tuple(self.presets))
            pictures = [self.thumbnail(name) for name in self.presets]
            self.preset = Choice(self.preset_label, [*self.presets, OWN], start, CHIPS, pictures)
            self.controls = {"preset": self.preset} | self.controls
            self.load(start)
        self._refit()
        self._first = self.state
        for name, control in self.controls.items():
            self.watch(control, partial(self.on_choose, name))
        self.canvas.on_msg(lambda _, content, __: self.receive(content))
        self.redraw()

    # ---- what a subclass provides

    def panels(self) -> list[Panel]:
        """Return the panels of the picture as it is now."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Return one or two sentences that state what is seen."""
        raise NotImplementedError

    def task(self) -> str:
        """Return the one thing to do now."""
        return self.tasks[self.state != self._first]

    def python(self) -> str:
        """Return the lines of Python that compute what is seen."""
        raise NotImplementedError

    def time_line(self) -> TimeLine | None:
        """Return where in a run the picture is, if there is a run."""
        return None

    def thumbnail(self, preset: str) -> Thumbnail:
        """Return a preset as a few small marks."""
        return []

    def load(self, preset: str) -> None:
        """Put a preset into the state."""

    def refit(self) -> None:
        """Compute all that follows from the state, within a budget."""

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move a handle; positions arrive clamped to the view of its panel."""

    def on_add(self, panel: int, x: float, y: float) -> str:
        """Add something and return the id of its handle."""
        raise ValueError("nothing can be added here.")

    def on_relabel(self, id: str) -> None:
        """Give what the handle stands for its next label."""

    def on_remove(self, id: str) -> None:
        """Remove what the handle stands for."""

    def on_choose(self, name: str, value: Any) -> None:
        """Change what a control changes besides its own value."""
        if name == "preset" and value != OWN:
            self.load(value)

    def forget(self) -> None:
        """Drop what :meth:`refit` might carry over: the state was put in from outside."""
        self._forgot = True

    def from_plain(self, name: str, value: Any) -> Any:
        """Return a kept attribute from its plain form."""
        now = getattr(self, name)
        if isinstance(now, np.ndarray):
            return np.array(value, dtype=now.dtype)
        return tuple(map(tuple, value)) if name == "view" else value

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

    def move(self, id: str, x: float, y: float) -> None:
        """Move a handle, as dragging does; a place outside the picture becomes the nearest inside.

        Positions are rounded to four decimals.
        """
        self.act(self.on_move, id, *_within(self._panel_of(id), x, y))

    def add(self, x: float, y: float, *, panel: int | None = None) -> None:
        """Add something at a place, as a click there does."""
        shown = self.scene.panels
        if panel is None:
            panel = next((k for k, one in enumerate(shown) if one.adds), 0)
        if not (0 <= panel < len(shown) and shown[panel].adds):
            raise ValueError(f"panel: nothing can be added to panel {panel}; try another.")
        self.act(self._add, panel, *_within(shown[panel], x, y))

    def _add(self, panel: int, x: float, y: float) -> None:
        self._chosen = self.on_add(panel, x, y)

    def relabel(self, id: str) -> None:
        """Give what a handle stands for its next label, as a double click does."""
        self._panel_of(id)
        self.act(self.on_relabel, id)

    def remove(self, id: str) -> None:
        """Remove what a handle stands for, as the Delete key does."""
        self._panel_of(id)
        self.act(self.on_remove, id)

    def _panel_of(self, id: str) -> Panel:
        for panel in self.scene.panels:
            if any(item.id == id for item in panel.handles):
                return panel
        listed = ", ".join(map(repr, self.handles)) or "none"
        raise ValueError(f"id: there is no handle {id!r}; choose one of {listed}.")

    def go(self, to: object) -> None:
        """Go to a place on the time line."""
        raise ValueError("there is no run here.")

    def tick(self, beat: object) -> None:
        """Make the next step of a run that plays."""
        self.redraw()

    def receive(self, event: Mapping[str, Any]) -> None:
        """Handle one event of the browser: ``type``, what belongs to it, ``view`` and ``number``.

        An event that is older than one already answered is dropped; every event, also one that
        changes nothing, is answered by a scene that carries its view and number, because the
        browser sends the next event only then; what goes wrong becomes the text line.
        """
        view, number = str(event.get("view", "")), int(event.get("number", 0))
        newest = self._answered.get(view, 0)
        self._answered[view] = max(number, newest)
        self._echo = [view, self._answered[view]]
        gesture = event.get("gesture")
        self._gesture = None if gesture is None else (view, gesture)
        drawn = self.scene.count
        try:
            if number and number <= newest:
                self.redraw()
            else:
                self._dispatch(event, view)
        except Exception as error:
            self._problem = message(error)
            self.redraw()
        else:
            # A control that is set to the value it has tells nobody: answer all the same.
            if self.scene.count == drawn:
                self.redraw()
        finally:
            self._echo = self._gesture = None

    def _dispatch(self, event: Mapping[str, Any], view: str) -> None:
        kind = event.get("type")
        if kind == "move":
            self.move(str(event["id"]), event["x"], event["y"])
        elif kind == "add":
            self.add(event["x"], event["y"], panel=int(event.get("panel", 0)))
        elif kind in ("relabel", "remove") and self.edits:
            getattr(self, kind)(str(event["id"]))
        elif kind in ("undo", "redo", "reset", "cancel"):
            getattr(self, kind)()
        elif kind == "paste":
            self.put(str(event.get("text", "")))
        elif kind in ("python", "state"):
            self._hand_over(kind, view)
        elif kind == "control":
            self.controls[str(event["name"])].take(event["value"])
        elif kind == "press":
            self.act(self.buttons[str(event["name"])].function)
        elif kind == "go":
            self.go(event["to"])
        elif kind == "tick":
            self.tick(event.get("beat"))
        else:
            raise ValueError(f"the event {kind!r} is not known.")

    def _hand_over(self, kind: str, view: str) -> None:
        """Send the browser something to copy."""
        content = self.python() if kind == "python" else json.dumps(self.state)
        self._problem = ""
        self.canvas.send({"type": kind, "content": content, "view": view})
        self.redraw()

    def still(self) -> Figure:
        """Return the picture as a Matplotlib figure, which only a still picture loads."""
        from linlib.explorers.kit import still

        return still.draw(self.scene, enlarged=self.enlarged)

    @property
    def state(self) -> State:
        """All that was chosen and moved, as plain values; ``put`` brings it back."""
        kept = {name: history.plain(getattr(self, name)) for name in self.state_names}
        chosen = {name: control.value for name, control in self.controls.items()}
        return {"explorer": type(self).__name__} | kept | chosen

    def put(self, state: State | str) -> None:
        """Take a state of an explorer of this kind, as copied or as a dictionary."""
        self.act(self._paste, history.read(state))

    def undo(self) -> None:
        """Go back to before the last change."""
        self.act(lambda: self._restore(self.history.back(self.state)), remembered=False)

    def redo(self) -> None:
        """Do again what was undone last."""
        self.act(lambda: self._restore(self.history.forth(self.state)), remembered=False)

    def reset(self) -> None:
        """Put everything back as the cell first showed it; undo brings the rest back."""
        self.act(self._restore, self._first)

    def cancel(self) -> None:
        """Go back to before the gesture that goes on, as if it had never begun."""
        now = self.state
        self.act(lambda: self._restore(self.history.cancel(self._gesture, now)), remembered=False)

    def become_own(self) -> None:
        """Say that what is shown is no preset any more."""
        self.preset.value = OWN

    # ---- what is shown

    def redraw(self) -> None:
        """Send the picture and the text line as they are now."""
        panels, words, problem = self.scene.panels, "", self._problem
        try:
            panels, words = self.panels(), self.sentence()
        except Exception as error:
            problem = problem or message(error)
        if problem:
            words = f"That could not be done: {problem} {words}".strip()
        self._beat += self.playing
        self.scene = Scene(
            name=self.name,
            panels=panels,
            legend=scene.legend(panels),
            text=plain(words),
            pieces=scene.tied(words, panels),
            task=self.task(),
            time=self.time_line(),
            controls=[{"name": name} | one.plain() for name, one in self.controls.items()],
            buttons=list(self.buttons.values()),
            card=self.card(),
            edits=self.edits,
            undo=bool(self.history.past),
            redo=bool(self.history.future),
            moved=self.state != self._first,
            chosen=self._chosen,
            beat={"number": self._beat, "wait": self.beat_wait} if self.playing else None,
            echo=self._echo,
            count=self.scene.count + 1,
        )
        self.canvas.scene = self.scene.plain()
        self._chosen = None

    def card(self) -> Card | None:
        """Return the challenge taken up, and how far the reader is."""
        if not self.challenges:
            return None
        names = list(self.challenges)
        at = names.index(self.challenge.value)
        challenge = self.challenges[names[at]]
        words, done = challenge.judge(self)
        share = 1.0 if done else min(max(challenge.progress(self), 0.0), 0.95)
        after = names[at + 1] if at + 1 < len(names) else ""
        return Card(challenge.goal, words, share, done, at + 1, len(names), after)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, the still picture and the text line, for whoever can show them."""
        if not self._displayed:
            self.start_here()
        from linlib.notebook import plotting

        picture, metadata = plotting.described(self.still(), self.text)
        return self.canvas.shown() | picture, metadata

    def start_here(self) -> None:
        """Let Reset lead back to what the reader sees first: this."""
        self._first, self._displayed, self.history = self.state, True, History()
        self.redraw()

    # ---- the machinery

    def act(
        self,
        function: Callable[..., object],
        *arguments: Any,
        before: State | None = None,
        gesture: object = None,
        remembered: bool = True,
    ) -> None:
        """Call a function, refit once if the state changed, redraw; trouble becomes the text line.

        What failed leaves the state as it was. ``before`` is for what has changed already.
        """
        if self._acting:  # a control that is changed by an action; the action redraws
            function(*arguments)
            return
        before = before or self.state
        self._acting, self._problem = True, ""
        try:
            function(*arguments)
            self._follow(before)
            if remembered and self.state != before:
                self.history.remember(before, gesture or self._gesture)
        except Exception as error:
            self._problem = message(error)
            self._restore(before)
            self._follow(before)
        finally:
            self._acting = False
        self.redraw()

    def _follow(self, before: State) -> None:
        """Refit if anything changed that the fit depends on, or if the fit was forgotten."""
        now = self.state
        changed = (now[name] != before[name] for name in now if name not in self.display_only)
        if self._forgot or any(changed):
            self._refit()

    def _refit(self) -> None:
        self._forgot = False
        self.refit()

    def _restore(self, state: State) -> None:
        self._restoring = True
        try:
            for name, control in self.controls.items():
                if name in state:
                    control.value = state[name]
            for name in self.state_names:
                if name in state:
                    setattr(self, name, self.from_plain(name, state[name]))
        finally:
            self._restoring = False
        self.forget()

    def _paste(self, state: State) -> None:
        if state.get("explorer") != type(self).__name__:
            raise ValueError(f"the state of another kind of explorer; here is a {self.name}.")
        if missing := [name for name in self.state if name not in state]:
            raise ValueError(f"the copied state lacks {missing[0]!r}; copy it again.")
        self._restore(state)

    def watch(self, control: Control, function: Callable[[Any], object]) -> None:
        """Call ``function(value)`` whenever the value of a control changes, then redraw."""

        def changed(old: object) -> None:
            if self._restoring:
                return
            names = [name for name, one in self.controls.items() if one is control]
            before = self.state | dict.fromkeys(names, old)
            slides = ("slider", id(control)) if isinstance(control, Slider) else None
            self.act(function, control.value, before=before, gesture=slides)

        control.changed = changed


def _within(panel: Panel, x: float, y: float) -> list[float]:
    """Return the nearest place inside a panel."""
    at: list[float] = scene.clamp([checks.real(x, "x"), checks.real(y, "y")], panel.view).tolist()
    return at


def message(error: Exception) -> str:
    """Return what an error says, or its kind where it says nothing."""
    return str(error) or type(error).__name__
