"""What the browser reports, and how it is answered: every event by a scene, the newest wins."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linlib.explorers.kit.explorer import Explorer


class Inbox:
    """The events of all views of one explorer.

    An event that is older than one already answered is dropped; every event is answered by a scene
    that carries its view and number (``echo``).
    """

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self.echo: list[Any] | None = None
        self._newest: dict[str, int] = {}  # of every view, the last event that was answered

    def receive(self, event: Mapping[str, Any]) -> None:
        """Do what an event asks for; what goes wrong becomes the text line."""
        view, number = str(event.get("view", "")), int(event.get("number", 0))
        newest = self._newest.get(view, 0)
        self._newest[view] = max(number, newest)
        self.echo = [view, self._newest[view]]
        gesture = event.get("gesture")
        self.explorer._gesture = None if gesture is None else (view, gesture)
        try:
            if number and number <= newest:
                self.explorer.redraw()
            else:
                self._dispatch(event)
        except Exception as error:
            self.explorer._problem = told(error)
            self.explorer.redraw()
        finally:
            self.echo = self.explorer._gesture = None

    def _dispatch(self, event: Mapping[str, Any]) -> None:
        explorer, kind = self.explorer, event.get("type")
        if kind == "move":
            explorer.move(str(event["id"]), event["x"], event["y"])
        elif kind == "add":
            explorer.add(event["x"], event["y"], panel=int(event.get("panel", 0)))
        elif kind == "relabel" and explorer.relabels:
            explorer.relabel(str(event["id"]))
        elif kind == "remove" and explorer.removes:
            explorer.remove(str(event["id"]))
        elif kind in ("undo", "redo", "reset", "cancel"):
            getattr(explorer, kind)()
        elif kind == "paste":
            explorer.put(str(event.get("text", "")))
        elif kind in ("python", "state", "picture"):
            self._hand_over(kind)
        elif kind == "tick":
            explorer.tick(event.get("beat"))
        else:
            raise ValueError(f"the event {kind!r} is not known.")

    def _hand_over(self, kind: str) -> None:
        """Send the browser something to copy or to save."""
        explorer = self.explorer
        if kind == "picture":
            content = b64encode(explorer.picture()).decode()
        else:
            content = explorer.python() if kind == "python" else json.dumps(explorer.state)
        view = (self.echo or [""])[0]
        explorer._problem = ""
        explorer.canvas.send(
            {"type": kind, "content": content, "view": view, "name": explorer.name}
        )
        explorer.redraw()


def told(error: Exception) -> str:
    """Return an error in words.

    >>> told(ValueError("there is nothing to undo.")), told(KeyError())
    ('there is nothing to undo.', 'KeyError')
    """
    return str(error) or type(error).__name__
