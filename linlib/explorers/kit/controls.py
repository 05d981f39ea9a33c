"""The canvas and the labelled controls: the one place that knows ipywidgets and anywidget."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import anywidget
import ipywidgets
import traitlets
from ipywidgets import Widget

ROW = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "2px 10px"}
FILES = files("linlib.explorers.kit")

__all__ = ["Canvas", "Widget", "chooser", "hint", "ipywidgets", "penalties", "row", "slider"]


class Canvas(anywidget.AnyWidget):
    """The picture and the text line under it; draws the ``scene`` it is given."""

    _esm = FILES.joinpath("canvas.js").read_text("utf-8")
    _css = FILES.joinpath("canvas.css").read_text("utf-8")
    scene = traitlets.Dict().tag(sync=True)


def hint(*, adds: bool, relabels: bool, removes: bool) -> str:
    """Return what mouse, finger and keyboard do."""
    mouse = ["Mouse or finger: drag a handle", "click adds" if adds else ""]
    mouse += ["double click relabels" if relabels else ""]
    keys = ["Keyboard: Tab into the picture", "N and P choose a handle"]
    keys += ["arrow keys move it, with Shift five times as far", "A adds" if adds else ""]
    keys += ["L relabels" if relabels else "", "Delete removes" if removes else ""]
    keys += ["Escape cancels a drag", "Ctrl+Z undoes"]
    return ". ".join(", ".join(filter(None, parts)) for parts in (mouse, keys)) + "."


def row(controls: Sequence[Widget]) -> ipywidgets.Box:
    """Return controls beside each other, in as many lines as they need."""
    return ipywidgets.Box(controls, layout=ROW)


def chooser(description: str, options: Sequence[object], value: object) -> ipywidgets.Dropdown:
    """Return a labelled list to choose from, as wide as it needs to be."""
    made = ipywidgets.Dropdown(options=options, value=value, description=description)
    made.layout.width = "auto"
    return _labelled(made)


def slider(description: str, **options: Any) -> ipywidgets.FloatSlider:
    """Return a slider with all of its label."""
    return _labelled(ipywidgets.FloatSlider(description=description, **options))


def penalties(value: float, low: int, high: int, step: float) -> ipywidgets.FloatLogSlider:
    """Return a slider of λ between two powers of ten."""
    made = ipywidgets.FloatLogSlider(
        value=value, base=10, min=low, max=high, step=step, description="λ", readout_format=".3g"
    )
    return _labelled(made)


def _labelled(control: Widget) -> Widget:
    control.style.description_width = "initial"
    return control
