"""The canvas: where the browser draws, and what it says about mouse and keys."""

from __future__ import annotations

from importlib.resources import files

import anywidget
import traitlets

_FILES = files("linlib.explorers.kit")


class Canvas(anywidget.AnyWidget):
    """The picture and the text line under it; draws the ``scene`` it is given."""

    _esm = _FILES.joinpath("canvas.js").read_text("utf-8")
    _css = _FILES.joinpath("canvas.css").read_text("utf-8")
    scene = traitlets.Dict().tag(sync=True)


def hint(*, adds: bool, relabels: bool, removes: bool) -> str:
    """Return what mouse, finger and keyboard do.

    >>> hint(adds=False, relabels=False, removes=False).partition(". ")[0]
    'Mouse or finger: drag a handle'
    """
    mouse = ["Mouse or finger: drag a handle", "click adds" if adds else ""]
    mouse += ["double click relabels" if relabels else ""]
    keys = ["Keyboard: Tab into the picture", "N and P choose a handle"]
    keys += ["arrow keys move it, with Shift five times as far", "A adds" if adds else ""]
    keys += ["L relabels" if relabels else "", "Delete removes" if removes else ""]
    keys += ["Escape cancels a drag", "Ctrl+Z undoes"]
    return ". ".join(", ".join(filter(None, parts)) for parts in (mouse, keys)) + "."
