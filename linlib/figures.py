"""Figures with one palette and one style, and with alt text wherever they are shown.

The colours are Okabe and Ito's, which colour-blind readers can tell apart; the markers differ for
those who print in grey.

>>> with mpl.rc_context():
...     use_style()
...     figure, (left, right) = axes(2)
>>> frame(left, (0, 1), (0, 1), title="squares").get_title()
'squares'
>>> plt.close(figure)
>>> figure, ax = plane((-1, 2), (-1, 2))  # both at once
>>> show(figure, "Two points.")
Traceback (most recent call last):
ValueError: alt: 'Two points.' is too short to state what the figure shows; say more.
>>> plt.close(figure)
"""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Any
from unittest import mock

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#B65E95"


YELLOW, SKY, GREY, BLACK = "#E69F00", "#56B4E9", "#666666", "#111111"


COLOURS = (BLUE, ORANGE, GREEN, PURPLE, YELLOW, SKY)


MARKERS = ("o", "s", "^", "D", "v", "P")


DPI, SHOWN_DPI = 144, 92


def use_style() -> None:
    """Set the course's fonts and lines, large enough for the back of a room."""
    mpl.rcParams.update(
        {
            "figure.constrained_layout.use": True,
            "figure.constrained_layout.h_pad": 0.1,
            "figure.constrained_layout.w_pad": 0.08,
            "font.size": 13,
            "axes.titlesize": 14,
            "axes.labelsize": 14,
            "legend.fontsize": 11.5,
            "legend.framealpha": 0.92,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": cycler(color=COLOURS),
            "lines.linewidth": 2.2,
            "axes.grid": False,
            "mathtext.fontset": "dejavusans",
        }
    )


def axes(
    columns: int = 1, rows: int = 1, *, size: tuple[float, float] = (5.0, 4.4), **options: Any
) -> tuple[Figure, Any]:
    """Return a figure and its axes; ``size`` is that of one panel, in inches."""
    return plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), **options)


def show(figure: Figure, alt: str) -> None:
    """Display a figure once, with alt text that states what it shows, and close it."""
    from IPython.display import display

    if len(alt) < 40:
        raise ValueError(f"alt: {alt!r} is too short to state what the figure shows; say more.")
    data, metadata = described(figure, alt)
    display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]


def described(figure: Figure, alt: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Close a figure; return it as a notebook stores it: PNG and alt text, size and texts beside.

    The texts are titles, labels, ticks and notes in the order drawn: what the picture says can be
    compared exactly, where its pixels cannot.
    """
    picture, texts, draw = BytesIO(), [], RendererAgg.draw_text

    def noted(
        renderer: RendererAgg, gc: Any, x: float, y: float, s: str, *p: Any, **o: Any
    ) -> None:
        texts.append(s)
        draw(renderer, gc, x, y, s, *p, **o)  # type: ignore[no-untyped-call]

    with mock.patch.object(RendererAgg, "draw_text", noted):
        save(figure, picture)
    plt.close(figure)
    data = {"image/png": b64encode(picture.getvalue()).decode(), "text/plain": alt}
    width = round(figure.get_figwidth() * SHOWN_DPI)
    return data, {"image/png": {"alt": alt, "texts": " · ".join(texts), "width": width}}


def save(figure: Figure, file: BytesIO, **about: str) -> None:
    """Write a figure as PNG; ``savefig`` would draw all of it twice, once for the layout alone."""
    figure.set_dpi(DPI)
    FigureCanvasAgg(figure).print_png(file, metadata={**about, "Software": None})  # type: ignore[no-untyped-call]


def frame(
    ax: Axes,
    xlim: tuple[float, float],
    ylim: tuple[float, float],
    *,
    xlabel: str = "$x_1$",
    ylabel: str = "$x_2$",
    title: str = "",
    equal: bool = True,
) -> Axes:
    """Set limits, labels and (for points in a plane) equal scales on both axes."""
    ax.set(xlim=xlim, ylim=ylim, xlabel=xlabel, ylabel=ylabel, title=title)
    if equal:
        ax.set_aspect("equal")
    return ax


def plane(
    xlim: tuple[float, float],
    ylim: tuple[float, float],
    columns: int = 1,
    *,
    size: tuple[float, float] = (5.0, 4.4),
    **options: Any,
) -> tuple[Figure, Any]:
    """Return a figure with one or more framed planes of features side by side."""
    figure, panels = axes(columns, size=size)
    for ax in np.atleast_1d(panels):
        frame(ax, xlim, ylim, **options)
    return figure, panels
