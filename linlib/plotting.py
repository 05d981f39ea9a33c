"""Pictures: class is told by marker and by colour.

Functions draw on the axes they are given and return them. How figures are made and shown is in
:mod:`linlib.figures`, whose names are here too.

>>> rule = Hyperplane([1, 1], -1)
>>> figure, ax = plane((-1, 2), (-1, 2))
>>> _ = regions(ax, lambda X: np.sign(rule.score(X)), classes=[1, -1])
>>> _ = points(ax, [[0, 0], [1, 1]], [-1, 1])
>>> _ = line(street(ax, rule), rule, normal=True)  # with w as an arrow()
>>> _ = arrow(ring(ax, [[1, 1]]), [0, 0], [1, 1], label="x")
>>> [len(things) for things in (ax.images, ax.collections, ax.lines)]
[1, 3, 4]
>>> mpl.pyplot.close(figure)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.figures import (
    BLACK,
    BLUE,
    COLOURS,
    DPI,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    PURPLE,
    SHOWN_DPI,
    SKY,
    YELLOW,
    axes,
    described,
    frame,
    plane,
    save,
    show,
    use_style,
)
from linlib.hyperplane import Hyperplane

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
    """Circle points to draw attention to them: support points, mistakes."""
    array = checks.points(X)
    ax.scatter(
        array[:, 0], array[:, 1], s=230, facecolor="none", edgecolor=colour, linewidth=1.8,
        label=label, zorder=4,
    )  # fmt: skip
    return ax
