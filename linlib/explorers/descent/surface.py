"""A loss as a surface over the plane of two weights, with a path on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray
from linlib.descent.losses import Objective
from linlib.explorers.kit import scene
from linlib.explorers.kit.scene import Item
from linlib.notebook.colours import BLACK, GREY, PURPLE

LINES = 17  # of the net, in either direction
TALL = 1.1  # height of the surface, where the plane is 2 wide


class Spot(NamedTuple):
    """Places in the plane of the weights, none or one, and how they are marked."""

    at: FloatArray
    look: Item


def panel(
    target: Objective,
    path: FloatArray,
    view: scene.View,
    title: str,
    width: float,
    ends: Sequence[Spot] = (),
) -> Item:
    """Return the net of the loss over the view, the part of a path inside it, and its ends."""
    side = [np.linspace(*limits, LINES) for limits in view]
    grid = np.stack(np.meshgrid(*side), axis=-1)
    heights = target.loss.of(grid @ target.Z.T).sum(axis=-1)
    low, high = float(heights.min()), float(heights.max())

    def spots(places: FloatArray, values: FloatArray) -> FloatArray:
        (left, right), (bottom, top) = view
        u = 2 * (places[..., 0] - left) / (right - left) - 1
        v = 2 * (places[..., 1] - bottom) / (top - bottom) - 1
        h = TALL * (values - low) / max(high - low, 1e-12)
        return np.stack([0.8 * (u - v), 0.35 * (u + v) + h], axis=-1)

    net: Item = {"colour": GREY, "width": 1.0, "alpha": 0.7, "name": "net"}
    drawn: list[Item] = []
    for rows in (spots(grid, heights), spots(grid, heights).transpose(1, 0, 2)):
        drawn += [scene.path(line, label="" if drawn else "loss", **net) for line in rows]
    limit = np.array(view).T
    inside = np.flatnonzero(~((path >= limit[0]) & (path <= limit[1])).all(axis=1))
    kept = path[: inside[0]] if len(inside) else path
    values = target.loss.of(kept @ target.Z.T).sum(axis=-1)
    walked = spots(kept, values)
    for spot in ends:
        if len(spot.at):
            heights = target.loss.of(spot.at @ target.Z.T).sum(axis=-1)
            drawn.append(scene.marks(spots(spot.at, heights), **spot.look))
    if len(kept) > 1:
        drawn.append(scene.path(walked, width=2.4, colour=PURPLE, name="path", label="descent"))
    if len(kept):
        drawn.append(scene.marks(walked[:1], size=6, colour=BLACK, name="start", label="start"))
    if len(kept) == len(path):
        drawn.append(scene.marks(walked[-1:], size=6, colour=PURPLE, name="now"))
    two = ("w₀", "w₁") if target.bias else ("w₁", "w₂")
    names: Item = {"title": title, "xlabel": f"{two[1]} ↖   loss ↑   {two[0]} ↗"}
    look: Item = {"ylabel": "", "xticks": [], "yticks": [], "width": width, "height": width}
    return scene.panel(((-1.7, 1.7), (-0.8, 1.9)), drawn, **names, **look)
