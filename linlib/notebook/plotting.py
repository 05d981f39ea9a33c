"""Figures with one palette and one style, and with alt text wherever they are shown.

Functions draw on the axes they are given and return them; class is told by marker and by colour.

>>> rule = Hyperplane([1, 1], -1)
>>> with mpl.rc_context():
...     use_style()
...     figure, ax = axes()
>>> _ = regions(frame(ax, (-1, 2), (-1, 2)), rule.predict, classes=[1, -1])
>>> _ = line(points(street(ax, rule), [[0, 0], [1, 1]], [-1, 1]), rule, normal=True)
>>> _ = arrow(ring(ax, [[1, 1]]), [0, 0], [1, 1], label="x")
>>> plt.close(figure)
>>> figure, ax = plane((-1, 2), (-1, 2))  # axes and frame at once
>>> show(figure, "Two points.")
Traceback (most recent call last):
ValueError: alt: 'Two points.' is too short to state what the figure shows; say more.
>>> plt.close(figure)
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.base import checks, extras
from linlib.base.hyperplane import Hyperplane
from linlib.notebook.colours import (
    BLACK,
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    PURPLE,
    SKY,
    YELLOW,
)

with extras.needed("notebook"):
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
    from matplotlib.figure import Figure
    from matplotlib.rcsetup import cycler

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
    picture = BytesIO()
    texts = save(figure, picture)
    plt.close(figure)
    data = {"image/png": b64encode(picture.getvalue()).decode(), "text/plain": alt}
    width = round(figure.get_figwidth() * SHOWN_DPI)
    return data, {"image/png": {"alt": alt, "texts": " · ".join(texts), "width": width}}


class _NotingRenderer(RendererAgg):
    """A renderer that notes the words it draws, in order."""

    def __init__(self, width: float, height: float, dpi: float) -> None:
        super().__init__(width, height, dpi)  # type: ignore[no-untyped-call]
        self.texts: list[str] = []

    def draw_text(
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: Any,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        """Draw words, and note them."""
        self.texts.append(s)
        super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)  # type: ignore[no-untyped-call]


class _NotingCanvas(FigureCanvasAgg):
    """A canvas for one drawing, whose renderer notes the words it draws."""

    noting: _NotingRenderer | None = None

    def get_renderer(self) -> _NotingRenderer:
        """Return the renderer, one and the same for layout and drawing."""
        if self.noting is None:
            width, height = self.get_width_height(physical=True)
            self.noting = _NotingRenderer(width, height, self.figure.dpi)
        return self.noting


def save(figure: Figure, file: BytesIO) -> list[str]:
    """Write a figure as PNG, and return the words in it, in the order in which they are drawn.

    ``savefig`` would draw all of it twice, once for the layout alone.
    """
    figure.set_dpi(DPI)
    canvas = _NotingCanvas(figure)
    canvas.print_png(file, metadata={"Software": None})  # type: ignore[no-untyped-call]
    return canvas.get_renderer().texts


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


__all__ = ["BLACK", "BLUE", "COLOURS", "DPI", "GREEN", "GREY", "MARKERS", "ORANGE", "PURPLE"]
__all__ += ["SHOWN_DPI", "SKY", "YELLOW", "arrow", "axes", "described", "frame", "line", "plane"]
__all__ += ["points", "regions", "ring", "save", "show", "street", "use_style"]


def points(
    ax: Axes,
    X: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    size: float = 70,
    **options: Any,
) -> Axes:
    """Draw points by class: marker and colour. Labels ±1 are drawn with +1 first."""
    array = checks.points(X)
    labels = np.asarray(y)
    kinds = sorted(set(labels.tolist()), reverse=set(labels.tolist()) <= {-1, 1})
    first = 1 if kinds == [-1] else 0  # a lone negative class keeps its own colour
    for k, kind in enumerate(kinds, start=first):
        name = names[k] if names else f"$y = {kind:+d}$" if {-1, 1} >= set(kinds) else f"{kind}"
        ax.scatter(
            array[labels == kind, 0],
            array[labels == kind, 1],
            s=size * (1.35 if MARKERS[k] in "^v" else 1.0),  # a triangle looks smaller than it is
            color=COLOURS[k],
            marker=MARKERS[k],
            edgecolor="white",
            linewidth=min(0.9, size / 80),
            label=name,
            zorder=3,
            **options,
        )
    return ax


def line(
    ax: Axes,
    h: Hyperplane,
    *,
    level: float = 0.0,
    normal: bool = False,
    label: str | None = None,
    colour: str = BLACK,
    style: str = "-",
    **options: Any,
) -> Axes:
    """Draw the line where ``w · x + w0 = level``; with ``normal`` also w, at its true length."""
    foot = np.asarray(h.w) * (level - h.w0) / h.norm**2
    along = np.array([-h.w[1], h.w[0]]) / h.norm
    ax.axline(
        tuple(foot), tuple(foot + along), color=colour, linestyle=style, label=label, **options
    )
    if normal:
        centre = np.array([np.mean(ax.get_xlim()), np.mean(ax.get_ylim())])
        tail = h.project(centre)
        arrow(ax, tail, tail + h.w, label=r"$\mathbf{w}$", colour=colour)
    return ax


def arrow(
    ax: Axes,
    tail: ArrayLike,
    tip: ArrayLike,
    *,
    label: str = "",
    colour: str = BLACK,
    style: str = "-",
    offset: tuple[float, float] = (7, 5),
) -> Axes:
    """Draw a vector from ``tail`` to ``tip``; the label stands ``offset`` points from the tip."""
    start, end = checks.vector(tail, "tail"), checks.vector(tip, "tip")
    ax.annotate(
        "",
        xy=tuple(end),
        xytext=tuple(start),
        arrowprops={
            "arrowstyle": "-|>,head_width=0.32,head_length=0.6",
            "color": colour,
            "linewidth": 2.2,
            "linestyle": style,
            "shrinkA": 0,
            "shrinkB": 0,
        },
        zorder=4,
    )
    if label:
        ax.annotate(
            label, tuple(end), xytext=offset, textcoords="offset points", color=colour, zorder=5
        )
    return ax


def regions(
    ax: Axes, decide: Callable[[NDArray[np.float64]], ArrayLike], *, classes: Sequence[Any]
) -> Axes:
    """Tint the axes by the class that ``decide`` gives each place; other answers stay white."""
    x = np.linspace(*ax.get_xlim(), 241)
    y = np.linspace(*ax.get_ylim(), 241)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    decided = np.asarray(decide(grid.reshape(-1, 2))).reshape(grid.shape[:2])
    picture = np.ones((*decided.shape, 4))
    picture[..., 3] = 0.0
    for k, kind in enumerate(classes):
        picture[decided == kind] = mpl.colors.to_rgba(COLOURS[k], alpha=0.16)
    extent = (x[0], x[-1], y[0], y[-1])
    ax.imshow(picture, extent=extent, origin="lower", aspect=ax.get_aspect(), zorder=0)
    return ax


def street(ax: Axes, h: Hyperplane, *, colour: str = BLACK) -> Axes:
    """Draw the boundary and, dashed, the margin boundaries where the score is −1 and +1."""
    line(ax, h, colour=colour)
    for level in (-1.0, 1.0):
        line(ax, h, level=level, colour=colour, style="--", linewidth=1.4)
    return ax


def ring(ax: Axes, X: ArrayLike, *, label: str | None = None, colour: str = BLACK) -> Axes:
    """Circle points to draw attention to them: support vectors, mistakes."""
    array = checks.points(X)
    ax.scatter(
        array[:, 0], array[:, 1], s=230, facecolor="none", edgecolor=colour, linewidth=1.8,
        label=label, zorder=4,
    )  # fmt: skip
    return ax
