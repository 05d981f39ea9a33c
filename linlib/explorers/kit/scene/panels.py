"""A panel: one picture with its axes, and the legend of all panels together."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from linlib.explorers.kit.scene.kinds import Item, Limits, View
from linlib.explorers.kit.scene.words import say


def panel(
    view: View,
    drawables: Sequence[Item],
    handles: Sequence[Item] = (),
    *,
    title: str = "",
    xlabel: str = "x₁",
    ylabel: str = "x₂",
    width: float = 420.0,
    height: float | None = None,
    adds: bool = False,
    step: float | None = None,
    xticks: Sequence[Sequence[Any]] | None = None,
    yticks: Sequence[Sequence[Any]] | None = None,
) -> Item:
    """Return one picture of the scene, ``width`` pixels wide.

    Without ``height`` both axes have the same scale. ``adds`` lets a click add something. An arrow
    key moves a handle by ``step`` (default: a hundredth of the width, rounded).
    """
    (left, right), (low, high) = view
    if height is None:
        height = width * (high - low) / (right - left)
    if step is None:
        step = float(f"{(right - left) / 100:.0e}")
    return {
        "xlim": [left, right],
        "ylim": [low, high],
        "xticks": ticks(view[0]) if xticks is None else list(xticks),
        "yticks": ticks(view[1]) if yticks is None else list(yticks),
        "size": [float(width), float(height)],
        "title": title,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "adds": adds,
        "step": step,
        "drawables": list(drawables),
        "handles": list(handles),
    }


def ticks(limits: Limits, about: int = 6) -> list[list[Any]]:
    """Return round tick positions inside the limits, with their labels.

    >>> ticks((-1.0, 3.0), about=4)
    [[-1.0, '−1'], [0.0, '0'], [1.0, '1'], [2.0, '2'], [3.0, '3']]
    """
    low, high = limits
    rough = (high - low) / about
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(k for k in (1, 2, 2.5, 5, 10) if k * power >= 0.999 * rough)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    digits = max(0, int(np.ceil(-np.log10(step) - 1e-9)) + (step / power == 2.5))
    return [
        [round(float(k * step), 9) + 0.0, say(k * step, digits)] for k in np.arange(first, last + 1)
    ]


def legend(panels: Sequence[Item]) -> list[Item]:
    """Return one entry for each label that occurs, markers first."""
    found: dict[str, Item] = {}
    for shown in panels:
        for item in [*shown["handles"], *shown["drawables"]]:
            name = item.get("legend") or ("" if "id" in item else item.get("label", ""))
            keys = ("colour", "width", "dash", "alpha")
            look = {"width": 2.2, "dash": "", "alpha": 1.0} | {
                k: item[k] for k in keys if k in item
            }
            if name:
                found.setdefault(name, {"label": name, "marker": item.get("marker", "")} | look)
    markers = [entry for entry in found.values() if entry["marker"]]
    lines = [entry for entry in found.values() if not entry["marker"]]
    return sorted(markers, key=lambda entry: str(entry["label"])) + lines  # +1 before −1
