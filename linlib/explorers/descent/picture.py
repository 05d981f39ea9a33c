"""A descent, drawn: over the plane of its two weights, and as a rule among the points."""

from dataclasses import replace
from functools import partial
from itertools import product

import contourpy
import numpy as np

from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.descent.losses import Objective
from linlib.explorers.descent.long_run import SETTLES, span
from linlib.explorers.descent.snapshot import Snapshot
from linlib.explorers.kit import scene
from linlib.notebook.colours import BLACK, BLUE, GREEN, GREY, PURPLE

MOST_DOTS = 60  # steps that are drawn as dots besides the line
VIEW: scene.View = ((-4.0, 4.0), (-4.0, 4.0))
FAR = 40.0  # where a path that runs away is cut off, ten times the picture's half
LEVELS = 11
WIDE = 300.0  # pixels, of either panel
NOWHERE = np.zeros((0, 2))
LINES = 17  # of the net, in either direction
TALL = 1.1  # height of the surface, where the plane is 2 wide


def background(target: Objective) -> list[scene.Drawable]:
    """Return what depends on points and loss alone: where every point is right, equal losses."""
    drawn: list[scene.Drawable] = []
    right = scene.solutions(target.Z, np.zeros(len(target.Z)), VIEW)
    if len(right):
        green = partial(scene.Path, colour=GREEN, fill=GREEN, opacity=0.2, width=1.2)
        edge = np.vstack([right, right[:1]])
        drawn.append(green(edge, label="every point right", name="right"))
    grey = partial(scene.Path, colour=GREY, width=1.0, alpha=0.75, name="contour")
    for number, spots in enumerate(_contours(target)):
        drawn.append(grey(spots, label="" if number else "equal loss"))
    return drawn


def path_so_far(now: Snapshot) -> list[scene.Drawable]:
    """Return the path so far, where it ends or settles, and where it is now."""
    drawn: list[scene.Drawable] = []
    path = _near(now.run.path[: now.k + 1])
    if len(path) > 1:
        drawn.append(scene.Path(path, width=1.6, name="path", label="descent"))
        dots = inside(path[1:MOST_DOTS])
        drawn.append(scene.Marks(dots, size=2.8, colour=BLACK, name="steps"))
    drawn += _bottom(now)
    drawn += [rest] if len((rest := resting(now)).xy) else []
    if now.k:
        drawn.append(scene.Marks(inside(now.weights), size=6.0, colour=BLACK, name="now"))
    return drawn


def _bottom(now: Snapshot) -> list[scene.Drawable]:
    """Return the least-squares weights: one place, or a line of them where rows are short."""
    if now.bottom is None:
        return []
    Z = now.target.Z
    basis = span(Z) if Z.any() else np.zeros((2, 0))
    if basis.shape[1] == 1:
        seen = basis[:, 0]
        look = partial(scene.line, colour=PURPLE, label="least squares", name="bottom")
        return look(Hyperplane(seen, -float(seen @ now.bottom)), VIEW)
    return [bottom(now)]


def bottom(now: Snapshot) -> scene.Marks:
    """Return the least-squares weights, where they are one place inside the picture."""
    one = now.bottom is not None and now.long_run.rank == 2
    look = partial(
        scene.Marks, marker="P", size=10, colour=PURPLE, label="least squares", name="bottom"
    )
    return look(inside(now.bottom if one else NOWHERE))


def resting(now: Snapshot) -> scene.Marks:
    """Return where passes over single rows settle, if they do so inside the picture."""
    one = now.bottom is not None and now.singly and now.long_run.kind == SETTLES
    look = partial(
        scene.Marks, marker="D", size=6, colour=GREEN, label="passes settle here", name="rest"
    )
    return look(inside(now.long_run.rest if one else NOWHERE))


def decision_line(weights: FloatArray, bias: bool, view: scene.View) -> list[scene.Drawable]:
    """Return the line of the weights, or, over one feature, the graph of their score."""
    size = max(float(np.abs(weights).max()), 1.0)  # a runaway is scaled, not its line
    w = weights / size
    if bias:
        level = partial(scene.Path, colour=GREY, width=1.0, name="level")
        drawn = [level([[view[0][0], at], [view[0][1], at]]) for at in (-1, 0, 1)]
        graph = Hyperplane([w[1], -1.0 / size], float(w[0]))
        return drawn + scene.line(graph, view, label="score w₀ + w₁x", name="line")
    if not w.any():
        return []
    h = Hyperplane(w)
    return scene.sides(h, view) + scene.line(h, view, label="line of the weights")


def _near(path: FloatArray) -> FloatArray:
    """Return the path up to its first place far outside the picture, that place moved nearer.

    Nothing is seen of it but the direction in which the path leaves.
    """
    beyond = np.flatnonzero(~(np.abs(path).max(axis=1) < FAR))
    if not beyond.size:
        return path
    kept = path[: beyond[0] + 1].copy()  # the start is inside, so there is a place before
    way = kept[-1] - kept[-2]
    length = float(np.abs(way).max())
    if length > 3 * FAR:
        kept[-1] = kept[-2] + way * (3 * FAR / length)
    return kept


def inside(spots: FloatArray | None) -> FloatArray:
    """Return the places inside the picture: a marker outside would lie on the words around it."""
    rows: FloatArray = np.asarray(spots).reshape(-1, 2)
    return rows[(np.abs(rows) <= VIEW[0][1]).all(axis=1)]


def _contours(target: Objective) -> list[FloatArray]:
    """Return lines of equal loss: evenly spaced on a bowl, since the levels grow as squares."""
    side = np.linspace(*VIEW[0], 65)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    heights = target.loss.of(grid @ target.Z.T).sum(axis=-1)
    low, high = float(heights.min()), float(heights.max())
    if high - low < 1e-9:
        return []
    levels = low + (high - low) * (np.arange(1, LEVELS) / LEVELS) ** 2
    maker = contourpy.contour_generator(side, side, heights)
    return [np.asarray(line) for level in levels for line in maker.lines(float(level))]


def _tone(share: float) -> str:
    """Return a blue, the darker the larger the share."""
    dark = [int(BLUE[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(250 + share * (part - 250)):02x}" for part in dark)


def surface(now: Snapshot, title: str) -> scene.Panel:
    """Return the loss over the plane as a surface, the path inside it, and its ends."""
    target, path = now.target, now.run.path[: now.k + 1]
    side = [np.linspace(*limits, LINES) for limits in VIEW]
    grid = np.stack(np.meshgrid(*side), axis=-1)
    heights = target.loss.of(grid @ target.Z.T).sum(axis=-1)
    low, high = float(heights.min()), float(heights.max())

    def spots(places: FloatArray, values: FloatArray) -> FloatArray:
        u, v = np.moveaxis(places, -1, 0) / VIEW[0][1]
        h = TALL * (values - low) / max(high - low, 1e-12)
        return np.stack([0.8 * (u - v), 0.35 * (u + v) + h], axis=-1)

    cell = partial(scene.Path, colour=GREY, width=0.6, closed=True, opacity=1.0, name="net")
    net, drawn = spots(grid, heights), list[scene.Drawable]()
    for i, j in sorted(product(range(LINES - 1), repeat=2), key=sum, reverse=True):  # from behind
        fill = _tone(float(heights[i : i + 2, j : j + 2].mean() - low) / max(high - low, 1e-12))
        edge = net[[i, i, i + 1, i + 1], [j, j + 1, j + 1, j]]
        drawn.append(cell(edge, fill=fill, label="" if drawn else "loss, the darker the higher"))
    outside = np.flatnonzero(np.abs(path).max(axis=1) > VIEW[0][1])
    kept = path[: outside[0]] if len(outside) else path
    values = target.loss.of(kept @ target.Z.T).sum(axis=-1)
    walked = spots(kept, values)
    for mark in (bottom(now), resting(now)):
        if len(mark.xy):
            at = np.array(mark.xy)
            drawn.append(replace(mark, xy=spots(at, target.loss.of(at @ target.Z.T).sum(axis=-1))))
    if len(kept) > 1:
        drawn.append(scene.Path(walked, width=2.4, colour=BLACK, name="path", label="descent"))
    if len(kept):
        drawn.append(scene.Marks(walked[:1], size=6, colour=BLACK, name="start", label="start"))
    if len(kept) == len(path):
        drawn.append(scene.Marks(walked[-1:], size=6, colour=PURPLE, name="now"))
    two = ("w₀", "w₁") if target.bias else ("w₁", "w₂")
    names = partial(scene.Panel, title=title, xlabel=f"{two[1]} ↖   loss ↑   {two[0]} ↗")
    bare = partial(names, ylabel="", xticks=[], yticks=[])
    return bare(((-1.7, 1.7), (-0.8, 1.9)), drawn, width=WIDE, height=WIDE)
