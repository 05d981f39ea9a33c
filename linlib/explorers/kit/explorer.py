"""What all explorers share: a row of controls, one canvas, one sentence."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from linlib.base import checks
from linlib.explorers.kit import scene
from linlib.explorers.kit.challenges import Challenge
from linlib.explorers.kit.controls import Canvas, Widget, chooser, hint
from linlib.explorers.kit.events import Inbox
from linlib.explorers.kit.history import History
from linlib.explorers.kit.room import Room, told
from linlib.explorers.kit.scene import Item

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NO_CHALLENGE = "none"
PRINTED = 88  # characters in a line of print(explorer)


class Explorer(Room):
    """The base of all explorers; the package's docstring tells how to write one.

    A subclass says what is seen (:meth:`panels`, :meth:`sentence`), what the reader may do
    (:meth:`on_move`, and :meth:`on_add`, :meth:`on_relabel`, :meth:`on_remove`, :meth:`on_tick`),
    which attributes are its state (``kept``) and how all else follows from them (``refit``).
    """

    name = "Explorer"
    adds = relabels = removes = False
    enlarged = 1.0  # the panels of the still picture, for letters larger than the browser's
    beat_wait = 600  # milliseconds between two ticks while playing
    challenges: ClassVar[Mapping[str, Challenge]] = {}

    def __init__(self, controls: Mapping[str, Widget], *buttons: Widget, start: str) -> None:
        self.canvas = Canvas()
        self._inbox = Inbox(self)
        self._chosen: str | None = None
        self._beat = 0
        self._displayed = False
        if self.challenges:
            self.challenge = chooser("Challenge", [NO_CHALLENGE, *self.challenges], NO_CHALLENGE)
            controls = dict(controls) | {"challenge": self.challenge}
        super().__init__(controls, buttons, self.canvas, start)
        self.add_class("linlib-explorer")
        self.canvas.on_msg(lambda _, content, __: self.receive(content))
        self.redraw()

    # ---- what a subclass provides

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

    def hint(self) -> str:
        """Return how to move what is shown."""
        return hint(adds=self.adds, relabels=self.relabels, removes=self.removes)

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
        self.act(self.on_move, id, *_within(self._panel_of(id), x, y))

    def add(self, x: float, y: float, *, panel: int | None = None) -> None:
        """Add something at a place, as a click there does."""
        shown = self.canvas.scene["panels"]
        if panel is None:
            panel = next((k for k, one in enumerate(shown) if one["adds"]), 0)
        if not (0 <= panel < len(shown) and shown[panel]["adds"]):
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

    def _panel_of(self, id: str) -> Item:
        for panel in self.canvas.scene["panels"]:
            if any(item["id"] == id for item in panel["handles"]):
                return panel  # type: ignore[no-any-return]
        listed = ", ".join(map(repr, self.handles)) or "none"
        raise ValueError(f"id: there is no handle {id!r}; choose one of {listed}.")

    def tick(self, beat: object) -> None:
        """Do the next step of an animation, if it is the one that the browser waits for."""
        # Two views of one explorer both ask for the next beat; only the first is meant.
        if self.playing and beat == self._beat:
            self.act(self.on_tick, gesture="play")
        else:
            self.redraw()

    def receive(self, event: Any) -> None:
        """Handle one event of the browser: ``type``, what belongs to it, ``view`` and ``number``.

        An event that is older than one already answered is dropped; every event is answered by a
        scene that carries its view and number.
        """
        self._inbox.receive(event)

    def still(self) -> Figure:
        """Return the picture as a Matplotlib figure, which only a still picture loads."""
        from linlib.explorers.kit import still

        return still.draw(self.canvas.scene, enlarged=self.enlarged)

    def picture(self) -> bytes:
        """Return the picture as a PNG file that carries the text line as its description."""
        from linlib.explorers.kit import still

        return still.png(self.still(), Title=self.name, Description=self.text)

    # ---- what is shown

    def redraw(self) -> None:
        """Send the picture and the text line as they are now."""
        old = self.canvas.scene
        panels, words, problem = old.get("panels", []), "", self._problem
        try:
            panels, words = self.panels(), f"{self.sentence()}{self._challenged()}"
        except Exception as error:
            problem = problem or told(error)
        if problem:
            words = f"That could not be done: {problem} {words}".strip()
        self._beat += self.playing
        self.canvas.scene = {
            "name": self.name,
            "panels": panels,
            "legend": scene.legend(panels),
            "text": scene.plain(words),
            "pieces": scene.tied(words, panels),
            "hint": self.hint(),
            "adds": self.adds,
            "relabels": self.relabels,
            "removes": self.removes,
            "undo": bool(self.history.past),
            "redo": bool(self.history.future),
            "moved": self.state != self._first,
            "chosen": self._chosen,
            "beat": {"number": self._beat, "wait": self.beat_wait} if self.playing else None,
            "echo": self._inbox.echo,
            "count": old.get("count", 0) + 1,
        }
        self._chosen = None

    def _challenged(self) -> str:
        if not self.challenges or self.challenge.value == NO_CHALLENGE:
            return ""
        challenge = self.challenges[self.challenge.value]
        words, done = challenge.judge(self)
        return f" Challenge, {challenge.goal}: {words}{' Done, and certified.' if done else ''}"

    def _repr_mimebundle_(self, **options: Any) -> tuple[Item, Item]:
        """Return the live view, the still picture and the text line, for whoever can show them."""
        if not self._displayed:  # Reset leads back to what the reader saw first
            self._first, self._displayed = self.state, True
            self.history = History()
            self.redraw()
        from linlib.notebook import plotting

        bundle: Item = super()._repr_mimebundle_(**options) or {}
        picture, metadata = plotting.described(self.still(), self.text)
        return bundle | picture, metadata


def _within(panel: Item, x: float, y: float) -> list[float]:
    """Return the nearest place inside a panel."""
    view = tuple(panel["xlim"]), tuple(panel["ylim"])
    at: list[float] = scene.clamp([checks.real(x, "x"), checks.real(y, "y")], view).tolist()
    return at
