"""The still picture: a scene drawn with Matplotlib, for readers without a running kernel."""

from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from linlib.explorers.kit import scene
from linlib.notebook import plotting

INCH = 84.0  # pixels of the browser's picture that become one inch
HOLLOW = ("grip", "ring")
HOW = "A still picture: run this cell in JupyterLab to move what it shows."


def draw(shown: scene.Scene, *, enlarged: float = 1.0) -> Figure:
    """Return a figure of all panels, side by side, in the course's style."""
    panels = shown.panels
    widths = [enlarged * panel.size[0] + 70 for panel in panels]
    height = max(enlarged * panel.size[1] for panel in panels) + 80
    with mpl.rc_context():
        plotting.use_style()
        figure, row = plotting.axes(
            len(panels),
            size=(sum(widths) / INCH / len(panels), height / INCH),
            gridspec_kw={"width_ratios": widths},
            squeeze=False,
        )
        for ax, panel in zip(row[0], panels, strict=True):
            _panel(ax, panel)
        entries = [_entry(item) for item in shown.legend]
        if entries:
            wide = figure.get_figwidth() > 7
            columns = min(len(entries), 4 if wide else 2)
            figure.legend(handles=entries, loc="outside upper left", ncols=columns, frameon=False)
        figure.supxlabel(HOW, fontsize=10, x=0.01, ha="left", style="italic")
    return figure


def _entry(item: scene.Entry) -> Line2D:
    if item.text:
        return Line2D([], [], label=f"{item.text} {item.label}", linestyle="none")
    if not item.marker:
        return Line2D([], [], label=item.label, alpha=item.alpha, **_stroke(item))
    look = {f"marker{key}": value for key, value in _fill(item.marker, item.colour).items()}
    marker = "o" if item.marker in HOLLOW else item.marker
    return Line2D([], [], label=item.label, marker=marker, markersize=9, linestyle="none", **look)


def _fill(marker: str, colour: str) -> dict[str, Any]:
    """Return the colours of a marker: grips and rings are hollow, the others have a white edge."""
    face, edge = ("white", colour) if marker in HOLLOW else (colour, "white")
    return {"facecolor": face, "edgecolor": edge}


def _panel(ax: Axes, panel: scene.Panel) -> None:
    (left, right), (low, high) = panel.view
    equal = abs((right - left) / panel.size[0] / ((high - low) / panel.size[1]) - 1) < 1e-6
    frame = partial(plotting.frame, xlabel=panel.xlabel, ylabel=panel.ylabel, title=panel.title)
    frame(ax, *panel.view, equal=equal)
    if not equal:
        ax.set_box_aspect(panel.size[1] / panel.size[0])
    ax.set_xticks(*zip(*panel.xticks, strict=True)) if panel.xticks else ax.set_xticks([])
    ax.set_yticks(*zip(*panel.yticks, strict=True)) if panel.yticks else ax.set_yticks([])
    for order, item in enumerate(panel.drawables):
        _draw(ax, item, 1.5 + order / 1000)
    for _, same in groupby(panel.handles, attrgetter("marker", "colour", "size")):
        items = list(same)  # drawn in one go, which costs as much as one of them
        _markers(ax, [item.at for item in items], items[0], 4)


def _stroke(item: scene.Path | scene.Entry) -> dict[str, Any]:
    pieces = [float(part) for part in item.dash.split()]
    style = (0, tuple(part / item.width for part in pieces)) if pieces else "-"
    return {"color": item.colour, "linewidth": item.width, "linestyle": style}


def _draw(ax: Axes, item: scene.Drawable, zorder: float) -> None:
    match item:
        case scene.Path():
            xy = np.array([*item.xy, *item.xy[: item.closed]]).reshape(-1, 2).T
            if item.fill:
                ax.fill(*xy, color=item.fill, alpha=item.opacity, linewidth=0, zorder=zorder - 1)
            if item.width:
                ax.plot(*xy, **_stroke(item), alpha=item.alpha, zorder=zorder)
        case scene.Arrow() if item.tail != item.tip:
            style = "--" if item.dash else "-"
            plotting.arrow(ax, item.tail, item.tip, colour=item.colour, style=style)
        case scene.Marks():
            _markers(ax, item.xy, item, zorder)
        case scene.Ring():
            circle = partial(ax.scatter, s=(1.75 * item.size) ** 2, facecolor="none", zorder=4)
            circle(*item.at, edgecolor=item.colour, linewidth=item.width)
        case scene.Text():
            _text(ax, item)


def _markers(ax: Axes, xy: scene.Places, item: scene.Marks | scene.Handle, zorder: float) -> None:
    hollow = item.marker in HOLLOW
    look = _fill(item.marker, item.colour) | {"linewidth": 2.4 if hollow else 0.9}
    marker, area = "o" if hollow else item.marker, (1.75 * item.size) ** 2
    x, y = np.asarray(xy).reshape(-1, 2).T
    ax.scatter(x, y, s=area, marker=marker, zorder=zorder, clip_on=False, **look)


def _text(ax: Axes, item: scene.Text) -> None:
    halo = {"boxstyle": "square,pad=0.05", "facecolor": "white", "alpha": 0.7, "linewidth": 0}
    side = {"start": "left", "middle": "center", "end": "right"}[item.anchor]
    words = partial(ax.annotate, item.text, color=item.colour, ha=side, fontsize=12, bbox=halo)
    away = (0.86 * item.offset[0], 0.86 * item.offset[1])
    # Points lie on words, not under them.
    words((item.at[0], item.at[1]), xytext=away, textcoords="offset points", zorder=3.5)
