"""The still picture: a scene drawn with Matplotlib, for readers without a running kernel."""

import textwrap
from collections.abc import Sequence
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from linlib.explorers.kit.scene import Item
from linlib.notebook import plotting

INCH = 84.0  # pixels of the browser's picture that become one inch
HOW = "A still picture: run this cell in JupyterLab to move what it shows."


def draw(scene: Item, *, enlarged: float = 1.0) -> Figure:
    """Return a figure of all panels, side by side, in the course's style."""
    panels = scene["panels"]
    widths = [enlarged * panel["size"][0] + 70 for panel in panels]
    height = max(enlarged * panel["size"][1] for panel in panels) + 80
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
        entries = [_entry(item) for item in scene["legend"]]
        if entries:
            wide = figure.get_figwidth() > 7
            columns = min(len(entries), 4 if wide else 2)
            figure.legend(handles=entries, loc="outside upper left", ncols=columns, frameon=False)
        figure.supxlabel(HOW, fontsize=10, x=0.01, ha="left", style="italic")
    return figure


def draw_words(text: str, answers: Sequence[str]) -> Figure:
    """Return a question and its answers as a picture."""
    lines = textwrap.wrap(text, 70) + [f"   ○ {answer}" for answer in answers]
    with mpl.rc_context():
        plotting.use_style()
        figure, ax = plotting.axes(size=(7.0, 0.32 * (len(lines) + 1)))
        ax.axis("off")
        ax.text(0, 1, "\n".join(lines), va="top", fontsize=13, transform=ax.transAxes)
    return figure


def png(figure: Figure, **about: str) -> bytes:
    """Close a figure; return it as a PNG file that carries words about itself."""
    file = BytesIO()
    plotting.save(figure, file, **about)
    plt.close(figure)
    return file.getvalue()


def _entry(item: Item) -> Line2D:
    if item["marker"]:
        hollow = item["marker"] == "grip"
        look: Item = {
            "marker": "o" if hollow else item["marker"],
            "markersize": 9,
            "linestyle": "none",
        }
        face: Item = {"markerfacecolor": "white" if hollow else item["colour"]}
        edge: Item = {"markeredgecolor": item["colour"] if hollow else "white"}
        return Line2D([], [], label=item["label"], **look, **face, **edge)
    return Line2D([], [], label=item["label"], alpha=item["alpha"], **_stroke(item))


def _panel(ax: Axes, panel: Item) -> None:
    equal = abs(_units(panel, 0) / _units(panel, 1) - 1) < 1e-6
    limits = tuple(panel["xlim"]), tuple(panel["ylim"])
    names = {"xlabel": panel["xlabel"], "ylabel": panel["ylabel"], "title": panel["title"]}
    plotting.frame(ax, *limits, equal=equal, **names)
    if not equal:
        ax.set_box_aspect(panel["size"][1] / panel["size"][0])
    for axis in ("x", "y"):
        ticks = panel[f"{axis}ticks"]
        getattr(ax, f"set_{axis}ticks")([tick[0] for tick in ticks], [tick[1] for tick in ticks])
    for order, item in enumerate(panel["drawables"]):
        _DRAW[item["kind"]](ax, item, 1.5 + order / 1000)
    for _, same in groupby(panel["handles"], itemgetter("marker", "colour", "size")):
        items = list(same)  # drawn in one go, which costs as much as one of them
        _markers(ax, [item["at"] for item in items], items[0], 4)


def _units(panel: Item, k: int) -> float:
    low, high = panel[("xlim", "ylim")[k]]
    return float((high - low) / panel["size"][k])


def _stroke(item: Item) -> dict[str, Any]:
    pieces = [float(part) for part in item["dash"].split()]
    style = (0, tuple(part / item["width"] for part in pieces)) if pieces else "-"
    return {"color": item["colour"], "linewidth": item["width"], "linestyle": style}


def _path(ax: Axes, item: Item, zorder: float) -> None:
    xy = [*item["xy"], *item["xy"][: item["closed"]]]
    x, y = [spot[0] for spot in xy], [spot[1] for spot in xy]
    if item["fill"]:
        ax.fill(x, y, color=item["fill"], alpha=item["opacity"], linewidth=0, zorder=zorder - 1)
    if item["width"]:
        ax.plot(x, y, **_stroke(item), alpha=item["alpha"], zorder=zorder)


def _arrow(ax: Axes, item: Item, zorder: float) -> None:
    if item["from"] != item["to"]:
        style = "--" if item["dash"] else "-"
        plotting.arrow(ax, item["from"], item["to"], colour=item["colour"], style=style)


def _markers(ax: Axes, xy: list[list[float]], item: Item, zorder: float) -> None:
    hollow = item["marker"] == "grip"
    colour = item["colour"]
    ax.scatter(
        [spot[0] for spot in xy],
        [spot[1] for spot in xy],
        s=(1.75 * item["size"]) ** 2,
        marker="o" if hollow else item["marker"],
        facecolor="white" if hollow else colour,
        edgecolor=colour if hollow else "white",
        linewidth=2.4 if hollow else 0.9,
        zorder=zorder,
        clip_on=False,
    )


def _marks(ax: Axes, item: Item, zorder: float) -> None:
    _markers(ax, item["xy"], item, zorder)


def _ring(ax: Axes, item: Item, zorder: float) -> None:
    area = (1.75 * item["size"]) ** 2
    look: Item = {"facecolor": "none", "edgecolor": item["colour"], "linewidth": item["width"]}
    x, y = item["at"]
    ax.scatter([x], [y], s=area, zorder=4, **look)


def _text(ax: Axes, item: Item, zorder: float) -> None:
    halo = {"boxstyle": "square,pad=0.05", "facecolor": "white", "alpha": 0.7, "linewidth": 0}
    ax.annotate(
        item["text"],
        item["at"],
        xytext=(0.86 * item["offset"][0], 0.86 * item["offset"][1]),
        textcoords="offset points",
        color=item["colour"],
        ha={"start": "left", "middle": "center", "end": "right"}[item["anchor"]],
        fontsize=12,
        bbox=halo,
        zorder=3.5,  # points lie on words, not under them
    )


_DRAW = {"path": _path, "arrow": _arrow, "marks": _marks, "ring": _ring, "text": _text}
