"""What all explorers share: a row of controls, one canvas, one sentence, one guarded way to act."""

from __future__ import annotations

import json
import textwrap
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from io import BytesIO
from typing import Any, ClassVar, NamedTuple

import anywidget
import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import traitlets
from matplotlib.figure import Figure

from linlib import checks, plotting
from linlib.widgets import history, scene, still
from linlib.widgets.history import History, State
from linlib.widgets.scene import Item

ROW = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "2px 10px"}
OWN, NO_CHALLENGE = "your own", "none"
PRINTED = 88  # characters in a line of print(explorer)
_FILES = files("linlib.widgets")


class Canvas(anywidget.AnyWidget):
    """The picture and the text line under it; draws the ``scene`` it is given."""

    _esm = _FILES.joinpath("canvas.js").read_text("utf-8")
    _css = _FILES.joinpath("canvas.css").read_text("utf-8")
    scene = traitlets.Dict().tag(sync=True)


class Challenge(NamedTuple):
    """Something to bring about; ``judge`` says how far the reader is, and whether it is done."""

    goal: str
    judge: Callable[[Any], tuple[str, bool]]


class Explorer(ipywidgets.VBox):  # type: ignore[misc]
    """The base of all explorers; the package's docstring tells how to write one.

    A subclass says what is seen (:meth:`panels`, :meth:`sentence`), what the reader may do
    (:meth:`on_move`, and :meth:`on_add`, :meth:`on_relabel`, :meth:`on_remove`, :meth:`on_tick`),
    which attributes are its state (``kept``) and how all else follows from them (:meth:`refit`).
    """

    name = "Explorer"
    adds = relabels = removes = False
    beat_wait = 600  # milliseconds between two ticks while playing
    kept: ClassVar[tuple[str, ...]] = ()
    seen_only: ClassVar[frozenset[str]] = frozenset()  # parts of the state that refit nothing
    presets: ClassVar[Mapping[str, Any]] = {}
    preset_label = "Points"
    challenges: ClassVar[Mapping[str, Challenge]] = {}

    def __init__(
        self, controls: Mapping[str, ipywidgets.Widget], *buttons: ipywidgets.Widget, start: str
    ) -> None:
        self.canvas = Canvas()
        self.history = History()
        self.controls = dict(controls)
        self._acting = self._restoring = False
        self._problem = ""
        self._chosen: str | None = None
        self._newest: dict[str, int] = {}  # of every view, the last event that was answered
        self._gesture: object = None
        self._beat = 0
        self._first: State | None = None
        if self.presets:
            checks.choice(start, self.preset_label.lower(), tuple(self.presets))
            self.preset = chooser(self.preset_label, [*self.presets, OWN], start)
            self.controls = {"preset": self.preset} | self.controls
            self.load(start)
            self.watch(self.preset, self._choose)
        if self.challenges:
            listed = [NO_CHALLENGE, *self.challenges]
            self.challenge = chooser("Challenge", listed, NO_CHALLENGE)
            self.controls["challenge"] = self.challenge
            self.watch(self.challenge, lambda _: None)
        self.refit()
        self._first = self.state
        self._displayed = False
        first = [one for one in self.controls.values() if one not in buttons]
        row = ipywidgets.Box([*first, *buttons], layout=ROW)
        super().__init__([row, self.canvas] if row.children else [self.canvas])
        self.add_class("linlib-explorer")
        self.canvas.on_msg(lambda _, content, __: self.receive(content))
        self.redraw()

    # ---- what a subclass provides

    def load(self, preset: str) -> None:
        """Put a preset into the state."""

    def refit(self) -> None:
        """Compute all that follows from the state, within a budget."""

    def forget(self) -> None:
        """Drop what :meth:`refit` might carry over: the state was put in from outside."""

    def adopt(self, state: State) -> None:
        """Take what another kind of explorer's state has in common with this one's."""
        raise ValueError("this explorer has nothing in common with the copied one.")

    def thaw(self, name: str, value: Any) -> Any:
        """Return a kept attribute from its plain form."""
        now = getattr(self, name)
        return np.array(value, dtype=now.dtype) if isinstance(now, np.ndarray) else value

    def panels(self) -> list[Item]:
        """Return the panels of the picture as it is now."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Return one or two sentences that state what is seen."""
        raise NotImplementedError

    def python(self) -> str:
        """Return the lines of Python that compute what is seen."""
        raise NotImplementedError

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move a handle; positions arrive clamped to the view of its panel."""

    def on_add(self, panel: int, x: float, y: float) -> str:
        """Add something and return the id of its handle."""
        raise ValueError("nothing can be added here.")

    def on_relabel(self, id: str) -> None:
        """Give what the handle stands for its next label."""

    def on_remove(self, id: str) -> None:
        """Remove what the handle stands for."""

    def on_tick(self) -> None:
        """Do one step of a playing animation."""

    @property
    def playing(self) -> bool:
        """Whether the browser shall ask for another tick."""
        return False

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
        shown = self.canvas.scene["panels"]
        return {item["id"]: tuple(item["at"]) for panel in shown for item in panel["handles"]}

    def move(self, id: str, x: float, y: float) -> None:
        """Move a handle, as dragging does; a place outside the picture becomes the nearest inside.

        Positions are rounded to four decimals.
        """
        panel = self._panel_of(id)
        at = scene.clamp([checks.real(x, "x"), checks.real(y, "y")], _view(panel))
        self.act(self.on_move, id, *at.tolist())

    def add(self, x: float, y: float, *, panel: int | None = None) -> None:
        """Add something at a place, as a click there does."""
        shown = self.canvas.scene["panels"]
        if panel is None:
            panel = next((k for k, one in enumerate(shown) if one["adds"]), 0)
        if not (0 <= panel < len(shown) and shown[panel]["adds"]):
            raise ValueError(f"panel: nothing can be added to panel {panel}; try another.")
        at = scene.clamp([checks.real(x, "x"), checks.real(y, "y")], _view(shown[panel]))
        self.act(self._add, panel, *at.tolist())

    def relabel(self, id: str) -> None:
        """Give what a handle stands for its next label, as a double click does."""
        self._panel_of(id)
        self.act(self.on_relabel, id)

    def remove(self, id: str) -> None:
        """Remove what a handle stands for, as the Delete key does."""
        self._panel_of(id)
        self.act(self.on_remove, id)

    def undo(self) -> None:
        """Go back to before the last change."""
        self.act(lambda: self._restore(self.history.back(self.state)), remembered=False)

    def redo(self) -> None:
        """Do again what was undone last."""
        self.act(lambda: self._restore(self.history.forth(self.state)), remembered=False)

    def reset(self) -> None:
        """Put everything back as the cell first showed it; undo brings the rest back."""
        if self._first is not None:
            self.act(self._restore, self._first)

    @property
    def state(self) -> State:
        """All that was chosen and moved, as plain values; ``put`` brings it back."""
        kept = {name: history.plain(getattr(self, name)) for name in self.kept}
        chosen = {name: control.value for name, control in self.controls.items()}
        return {"explorer": type(self).__name__} | kept | chosen

    def put(self, state: State | str) -> None:
        """Take a state, of this or of another explorer, as copied or as a dictionary."""
        self.act(self._paste, history.read(state))

    def still(self) -> Figure:
        """Return the picture as a Matplotlib figure."""
        return still.draw(self.canvas.scene)

    def picture(self) -> bytes:
        """Return the picture as a PNG file that carries the text line as its description."""
        figure, file = self.still(), BytesIO()
        about = {"Title": self.name, "Description": self.text, "Software": None}
        figure.savefig(file, format="png", dpi=plotting.DPI, metadata=about)
        plt.close(figure)
        return file.getvalue()

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
            self._problem = str(error) or type(error).__name__
            self._restore(before)
            self.refit()
        finally:
            self._acting = False
        self.redraw()

    def _follow(self, before: State) -> None:
        """Refit if anything changed that the fit depends on."""
        now = self.state
        if any(now[name] != before[name] for name in now if name not in self.seen_only):
            self.refit()

    def watch(self, control: ipywidgets.Widget, function: Callable[[Any], object]) -> None:
        """Call ``function(value)`` whenever the value of a control changes, then redraw."""

        def changed(change: Item) -> None:
            if self._restoring:
                return
            names = [name for name, one in self.controls.items() if one is control]
            before = self.state | dict.fromkeys(names, change["old"])
            slides = ("slider", id(control)) if hasattr(control, "readout") else None
            self.act(function, change["new"], before=before, gesture=slides)

        control.observe(changed, "value")

    def button(self, label: str, function: Callable[[], object], tip: str) -> ipywidgets.Button:
        """Return a button that calls a function."""
        made = ipywidgets.Button(description=label, tooltip=tip, layout={"width": "auto"})
        made.on_click(lambda _: self.act(function))
        return made

    def _choose(self, preset: str) -> None:
        if preset != OWN:
            self.load(preset)

    def owned(self) -> None:
        """Say that what is shown is no preset any more."""
        self.preset.value = OWN

    def _restore(self, state: State) -> None:
        self._restoring = True
        try:
            for name, control in self.controls.items():
                if name in state:
                    control.value = state[name]
            for name in self.kept:
                if name in state:
                    setattr(self, name, self.thaw(name, state[name]))
        finally:
            self._restoring = False
        self.forget()

    def _paste(self, state: State) -> None:
        if state.get("explorer") == type(self).__name__:
            if missing := [name for name in self.state if name not in state]:
                raise ValueError(f"the copied state lacks {missing[0]!r}; copy it again.")
            self._restore(state)
        else:
            self.adopt(state)

    def receive(self, event: Any) -> None:
        """Handle one event of the browser: ``type``, what belongs to it, ``view`` and ``number``.

        An event that is older than one already answered is dropped; every event is answered by a
        scene that carries its view and number.
        """
        view, number = str(event.get("view", "")), int(event.get("number", 0))
        stale = number <= self._newest.get(view, 0) if number else False
        self._newest[view] = max(number, self._newest.get(view, 0))
        self._echo = [view, self._newest[view]]
        gesture = event.get("gesture")
        self._gesture = None if gesture is None else (view, gesture)
        try:
            if stale:
                self.redraw()
            else:
                self._dispatch(event)
        except Exception as error:
            self._problem = str(error) or type(error).__name__
            self.redraw()
        finally:
            self._echo = self._gesture = None

    _echo: list[Any] | None = None

    def _dispatch(self, event: Item) -> None:
        kind = event.get("type")
        if kind == "move":
            self.move(str(event["id"]), event["x"], event["y"])
        elif kind == "add":
            self.add(event["x"], event["y"], panel=int(event.get("panel", 0)))
        elif kind == "relabel" and self.relabels:
            self.relabel(str(event["id"]))
        elif kind == "remove" and self.removes:
            self.remove(str(event["id"]))
        elif kind in ("undo", "redo", "reset"):
            getattr(self, kind)()
        elif kind == "cancel":
            self.act(self._cancel, remembered=False)
        elif kind == "paste":
            self.put(str(event.get("text", "")))
        elif kind in ("python", "state", "picture"):
            self._hand_over(kind)
        elif kind == "tick":
            # Two views of one explorer both ask for the next beat; only the first is meant.
            if self.playing and event.get("beat") == self._beat:
                self.act(self.on_tick, gesture="play")
            else:
                self.redraw()
        else:
            raise ValueError(f"the event {kind!r} is not known.")

    def _cancel(self) -> None:
        self._restore(self.history.cancel(self._gesture, self.state))

    def _hand_over(self, kind: str) -> None:
        """Send the browser something to copy or to save."""
        if kind == "picture":
            content = b64encode(self.picture()).decode()
        else:
            content = self.python() if kind == "python" else json.dumps(self.state)
        view = (self._echo or [""])[0]
        self._problem = ""
        self.canvas.send({"type": kind, "content": content, "view": view, "name": self.name})
        self.redraw()

    def _add(self, panel: int, x: float, y: float) -> None:
        self._chosen = self.on_add(panel, x, y)

    def _panel_of(self, id: str) -> Item:
        for panel in self.canvas.scene["panels"]:
            if any(item["id"] == id for item in panel["handles"]):
                return panel  # type: ignore[no-any-return]
        listed = ", ".join(map(repr, self.handles)) or "none"
        raise ValueError(f"id: there is no handle {id!r}; choose one of {listed}.")

    def redraw(self) -> None:
        """Send the picture and the text line as they are now."""
        old = self.canvas.scene
        panels, words, problem = old.get("panels", []), "", self._problem
        try:
            panels, words = self.panels(), f"{self.sentence()}{self._challenged()}"
        except Exception as error:
            problem = problem or str(error) or type(error).__name__
        if problem:
            words = f"That could not be done: {problem} {words}".strip()
        self._beat += self.playing
        self.canvas.scene = {
            "name": self.name,
            "panels": panels,
            "legend": scene.legend(panels),
            "text": scene.plain(words),
            "pieces": scene.tied(words, panels),
            "hint": self._hint(),
            "adds": self.adds,
            "relabels": self.relabels,
            "removes": self.removes,
            "undo": bool(self.history.past),
            "redo": bool(self.history.future),
            "moved": self._first is not None and self.state != self._first,
            "chosen": self._chosen,
            "beat": {"number": self._beat, "wait": self.beat_wait} if self.playing else None,
            "echo": self._echo,
            "count": old.get("count", 0) + 1,
        }
        self._chosen = None

    def _challenged(self) -> str:
        if not self.challenges or self.challenge.value == NO_CHALLENGE:
            return ""
        challenge = self.challenges[self.challenge.value]
        words, done = challenge.judge(self)
        return f" Challenge, {challenge.goal}: {words}{' Done, and certified.' if done else ''}"

    def _hint(self) -> str:
        mouse = ["Mouse or finger: drag a handle", "click adds" if self.adds else ""]
        mouse += ["double click relabels" if self.relabels else ""]
        keys = ["Keyboard: Tab into the picture", "N and P choose a handle"]
        keys += ["arrow keys move it, with Shift five times as far", "A adds" if self.adds else ""]
        keys += ["L relabels" if self.relabels else "", "Delete removes" if self.removes else ""]
        keys += ["Escape cancels a drag", "Ctrl+Z undoes"]
        return ". ".join(", ".join(filter(None, parts)) for parts in (mouse, keys)) + "."

    def _repr_mimebundle_(self, **options: Any) -> tuple[Item, Item]:
        """Return the live view, the still picture and the text line, for whoever can show them."""
        if not self._displayed:  # Reset leads back to what the reader saw first
            self._first, self._displayed = self.state, True
            self.history = History()
            self.redraw()
        bundle: Item = super()._repr_mimebundle_(**options) or {}
        picture, metadata = plotting.described(self.still(), self.text)
        return bundle | picture, metadata


def chooser(description: str, options: Sequence[object], value: object) -> ipywidgets.Dropdown:
    """Return a labelled list to choose from, as wide as it needs to be."""
    made = ipywidgets.Dropdown(options=options, value=value, description=description)
    made.layout.width = "auto"
    made.style.description_width = "initial"
    return made


def _view(panel: Item) -> scene.View:
    return tuple(panel["xlim"]), tuple(panel["ylim"])
