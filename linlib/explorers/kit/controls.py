"""Labelled controls, all of one look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets

ROW = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "2px 10px"}


def row(controls: Sequence[ipywidgets.Widget]) -> ipywidgets.Box:
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


def _labelled(control: ipywidgets.Widget) -> ipywidgets.Widget:
    control.style.description_width = "initial"
    return control
