"""What all explorers share: a row of controls, one canvas, one sentence, one guarded way to act."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import anywidget
import ipywidgets
import traitlets
from matplotlib.figure import Figure

from linlib import checks, plotting
from linlib.widgets import scene, still
from linlib.widgets.scene import Item

ROW = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "2px 10px"}
_FILES = files("linlib.widgets")


class Canvas(anywidget.AnyWidget):
    """The picture and the text line under it; draws the ``scene`` it is given."""

    _esm = _FILES.joinpath("canvas.js").read_text("utf-8")
    _css = _FILES.joinpath("canvas.css").read_text("utf-8")
    scene = traitlets.Dict().tag(sync=True)


class Explorer(ipywidgets.VBox):  # type: ignore[misc]
    """The base of all explorers; the package's docstring tells how to write one.

    A subclass says what is seen (:meth:`panels`, :meth:`sentence`) and what the reader may do
    (:meth:`on_move`, and :meth:`on_add`, :meth:`on_relabel`, :meth:`on_remove`, :meth:`on_tick`).
    """

    name = "Explorer"
    adds = relabels = removes = False
    beat_wait = 600  # milliseconds between two ticks while playing

    def __init__(self, *controls: ipywidgets.Widget) -> None:
        self.canvas = Canvas()
        row = ipywidgets.Box(controls, layout=ROW)
        super().__init__([row, self.canvas] if controls else [self.canvas])
        self.add_class("linlib-explorer")
        self.canvas.on_msg(lambda _, content, __: self.receive(content))
        self._acting = False
        self._problem = ""
        self._chosen: str | None = None
        self._newest: dict[str, int] = {}  # of every view, the last event that was answered
        self._beat = 0
        self.redraw()

    # ---- what a subclass provides

    def panels(self) -> list[Item]:
        """Return the panels of the picture as it is now."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Return one or two sentences that state what is seen."""
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

    def add(self, x: float, y: float, *, panel: int = 0) -> None:
        """Add something at a place, as a click there does."""
        shown = self.canvas.scene["panels"]
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

    def still(self) -> Figure:
        """Return the picture as a Matplotlib figure."""
        return still.draw(self.canvas.scene)

    # ---- the machinery

    def act(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function, then redraw; whatever goes wrong becomes the text line."""
        if self._acting:  # a control that is changed by an action; the action redraws
            function(*arguments)
            return
        self._acting, self._problem = True, ""
        try:
            function(*arguments)
        except Exception as error:
            self._problem = str(error) or type(error).__name__
        finally:
            self._acting = False
        self.redraw()

    def watch(self, control: ipywidgets.Widget, function: Callable[[Any], object]) -> None:
        """Call ``function(value)`` whenever the value of a control changes, then redraw."""
        control.observe(lambda change: self.act(function, change["new"]), "value")

    def button(self, label: str, function: Callable[[], object], tip: str) -> ipywidgets.Button:
        """Return a button that calls a function."""
        made = ipywidgets.Button(description=label, tooltip=tip, layout={"width": "auto"})
        made.on_click(lambda _: self.act(function))
        return made

    def receive(self, event: Any) -> None:
        """Handle one event of the browser: ``type``, what belongs to it, ``view`` and ``number``.

        An event that is older than one already answered is dropped; every event is answered by a
        scene that carries its view and number.
        """
        view, number = str(event.get("view", "")), int(event.get("number", 0))
        stale = number <= self._newest.get(view, 0) if number else False
        self._newest[view] = max(number, self._newest.get(view, 0))
        self._echo = [view, self._newest[view]]
        try:
            self.act((lambda: None) if stale else self._dispatch, *([] if stale else [event]))
        finally:
            self._echo = None

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
        elif kind == "tick":
            # Two views of one explorer both ask for the next beat; only the first is meant.
            if self.playing and event.get("beat") == self._beat:
                self.on_tick()
        else:
            raise ValueError(f"the event {kind!r} is not known.")

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
            panels, words = self.panels(), self.sentence()
        except Exception as error:
            problem = problem or str(error) or type(error).__name__
        if problem:
            words = f"That could not be done: {problem} {words}".strip()
        self._beat += self.playing
        self.canvas.scene = {
            "name": self.name,
            "panels": panels,
            "legend": scene.legend(panels),
            "text": words,
            "hint": self._hint(),
            "relabels": self.relabels,
            "removes": self.removes,
            "chosen": self._chosen,
            "beat": {"number": self._beat, "wait": self.beat_wait} if self.playing else None,
            "echo": self._echo,
            "count": old.get("count", 0) + 1,
        }
        self._chosen = None

    def _hint(self) -> str:
        mouse = ["Mouse: drag a handle", "click adds" if self.adds else ""]
        mouse += ["double click relabels" if self.relabels else ""]
        keys = ["Keyboard: Tab into the picture", "N and P choose a handle"]
        keys += ["arrow keys move it, with Shift five times as far", "A adds" if self.adds else ""]
        keys += ["L relabels" if self.relabels else "", "Delete removes" if self.removes else ""]
        return ". ".join(", ".join(filter(None, parts)) for parts in (mouse, keys)) + "."

    def _repr_mimebundle_(self, **options: Any) -> tuple[Item, Item]:
        """Return the live view, the still picture and the text line, for whoever can show them."""
        bundle: Item = super()._repr_mimebundle_(**options) or {}
        picture, metadata = plotting.described(self.still(), self.text)
        return bundle | picture, metadata


def _view(panel: Item) -> scene.View:
    return tuple(panel["xlim"]), tuple(panel["ylim"])
