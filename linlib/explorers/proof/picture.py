"""Both proofs of convergence as curves up to update k, in front of the wall that the bound is."""

from functools import partial
from typing import NamedTuple

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.explorers.kit import scene
from linlib.explorers.kit.sentences import brief, power_of_ten
from linlib.notebook.colours import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE
from linlib.perceptron.proof import ProofTable

MOST_SPOTS = 150  # of one curve; a curve that swings has up to four times as many
DASH_DOT = "9 4 2 4"
TALL, WIDE = 230.0, 195.0  # pixels: three panels fit beside each other in JupyterLab
PANEL = partial(scene.Panel, width=WIDE, height=TALL, xlabel="updates k")


class Axes(NamedTuple):
    """Plain axes, or logarithmic ones in whole powers of ten, which hold still in a drag."""

    log: bool

    @property
    def first(self) -> int:
        """The first update that has a place."""
        return int(self.log)

    def of(self, values: float | FloatArray | IntArray) -> FloatArray:
        """Return places on an axis."""
        numbers = np.asarray(values, dtype=np.float64)
        return np.log10(numbers) if self.log else numbers

    def spots(self, k: FloatArray | IntArray, heights: FloatArray) -> FloatArray:
        """Return places in the panel, one a row."""
        return np.column_stack([self.of(k), self.of(heights)])

    def across(self, reach: float) -> scene.Limits:
        """Return where the horizontal axis begins and ends to hold a number."""
        return 0.0, max(4.0, float(np.ceil(np.log10(1.5 * reach)))) if self.log else 1.2 * reach

    def up(self, low: float, high: float) -> scene.Limits:
        """Return where the vertical axis begins and ends."""
        if not self.log:
            return 0.0, 1.25 * high
        return min(-1.0, float(np.floor(np.log10(low)))), max(2.0, float(np.ceil(np.log10(high))))

    def samples(self, across: scene.Limits) -> FloatArray:
        """Return numbers whose places are evenly spread."""
        spread = np.linspace(*across, 100)
        return np.asarray(10.0**spread) if self.log else spread

    def ticks(self, limits: scene.Limits) -> list[scene.Tick]:
        """Return the ticks of an axis, seven at most where it is logarithmic."""
        if not self.log:
            return [[at, brief(at)] for at, _ in scene.ticks(limits, about=4)]
        apart = max(1, int(np.ceil((limits[1] - limits[0]) / 6)))
        powers = range(int(np.ceil(limits[0])), int(limits[1]) + 1, apart)
        named = {-1: "0.1", 0: "1", 1: "10", 2: "100"}
        return [[float(p), named.get(p) or power_of_ten(p)] for p in powers]


def thinned(first: int, last: int, values: FloatArray) -> IntArray:
    """Return numbers of updates from first to last, not more than a curve needs.

    Where a stretch is shortened, its ends, its lowest and its highest value stay: a curve that
    swings at every update is drawn as the band it fills, not as some slower swing of the samples.
    """
    if last - first < MOST_SPOTS:
        return np.arange(first, last + 1)
    edges = np.geomspace(max(first, 1), last + 1, MOST_SPOTS).round().astype(np.int64)
    edges[0] = first
    kept = {first, last}
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if high > low:
            stretch = values[low:high]
            kept |= {low, high - 1, low + int(stretch.argmin()), low + int(stretch.argmax())}
    return np.array(sorted(kept))


class Curves(NamedTuple):
    """How far the curves go: to update ``k``, and on which axes."""

    k: int
    axis: Axes

    def curve(
        self, values: FloatArray, *, upright: bool = True, **look: object
    ) -> list[scene.Drawable]:
        """Return a column of the table up to update k, and a dot at its end."""
        k = thinned(self.axis.first, self.k, values)
        if not len(k):
            return []
        heights = values[k]
        of = self.axis.of
        xy = self.axis.spots(k, heights) if upright else np.column_stack([of(k), heights])
        drawn = [scene.Path(xy, **look)] if len(k) > 1 else []  # type: ignore[arg-type]
        colour, name = str(look.get("colour", BLACK)), str(look["name"])
        name = f"{name}-now" if drawn else name
        return [*drawn, scene.Marks(xy[-1:], colour=colour, size=5, name=name)]

    def wall(self, bound: float, across: scene.Limits, up: scene.Limits) -> list[scene.Drawable]:
        """Return the bound as a wall: nothing may happen to the right of it."""
        at = float(self.axis.of(bound))
        beyond = scene.corners(((at, across[1]), up))
        look = partial(scene.Path, colour=GREY, width=5, name="wall", label="wall at R²/γ²")
        return [
            scene.polygon(beyond, fill=GREY, opacity=0.3, name="beyond"),
            look([[at, up[0]], [at, up[1]]]),
        ]

    def bound(self, bound: float, across: scene.Limits, up: scene.Limits) -> scene.Drawable:
        """Return the number of the bound, on the side of the wall that has room for it."""
        at = float(self.axis.of(bound))
        right = at > (across[0] + across[1]) / 2
        offset, anchor = ((-8.0, 12.0), "end") if right else ((8.0, 12.0), "start")
        beside = partial(scene.Text, offset=offset, anchor=anchor, name="bound")
        return beside([at, up[0]], f"R²/γ² = {brief(bound)}")


def squeeze(
    curves: Curves, lengths: FloatArray, table: ProofTable | None, why_none: str
) -> scene.Panel:
    """Return kγ ≤ w(k) · w* ≤ ‖w(k)‖ ≤ √k R, whose ends meet at the bound."""
    axis = curves.axis
    panel = partial(PANEL, title="first proof: squeeze")
    length = partial(curves.curve, lengths, colour=GREEN, label="‖w(k)‖", name="length")
    if table is None:
        across = axis.across(_reach(lengths))
        up = (0.0, 1.25 * max(float(lengths.max()), 1.0))  # a length may return to 0: no logs
        drawn = [*length(upright=False), _note(across, up, why_none)]
        ticks = {"xticks": axis.ticks(across), "yticks": scene.ticks(up, about=4)}
        return panel((across, up), drawn, ylabel="length ‖w(k)‖", **ticks)
    across, up = axis.across(table.bound), axis.up(table.margin, table.radius**2 / table.margin)
    drawn = [*curves.wall(table.bound, across, up), curves.bound(table.bound, across, up)]
    drawn += _limits(table, axis, across) + length()
    blue = partial(curves.curve, colour=BLUE, dash=scene.DASHED, name="alignment")
    drawn += blue(table.alignment, label="w(k)·w*")
    ticks = {"xticks": axis.ticks(across), "yticks": axis.ticks(up)}
    return panel((across, up), drawn, ylabel="alignment, length", **ticks)


def potential(
    curves: Curves, lengths: FloatArray, table: ProofTable | None, why_none: str
) -> scene.Panel:
    """Return the potential in per cent of its start, above it the slowest fall allowed."""
    axis = curves.axis
    up: scene.Limits = (0.0, 109.0)
    across = axis.across(table.bound if table else _reach(lengths))
    yticks = [[float(value), str(value)] for value in (0, 25, 50, 75, 100)]
    panel = partial(PANEL, (across, up), xticks=axis.ticks(across), yticks=yticks)
    panel = partial(panel, title="second proof: potential", ylabel="potential, % of start")
    if table is None:
        return panel([_note(across, up, why_none)])
    k = axis.samples((across[0], float(axis.of(table.bound))))
    share = 100.0 / table.potential[0]
    slowest = np.maximum(100.0 - share * table.least_drop * k, 0.0)
    limit = np.column_stack([axis.of(k), slowest])
    drawn = curves.wall(table.bound, across, up)
    orange = partial(scene.Path, colour=ORANGE, dash=DASH_DOT, width=2.0, name="slowest")
    drawn.append(orange(limit, label="slowest fall allowed"))
    curve = partial(curves.curve, label="‖w(k) − a w*‖²", name="potential")
    return panel([*drawn, *curve(share * table.potential, upright=False)])


def _reach(lengths: FloatArray) -> float:
    """Return how far the axis of the updates goes where no bound says it."""
    return float(max(len(lengths) - 1, 10))


def _limits(table: ProofTable, axis: Axes, across: scene.Limits) -> list[scene.Drawable]:
    """Return the table's own limits, continued: from zero weights they are kγ and √k R."""
    k = axis.samples(across)
    high = partial(scene.Path, colour=PURPLE, dash=scene.DOTTED, label="√k R", name="ceiling")
    low = partial(scene.Path, colour=ORANGE, dash=DASH_DOT, label="kγ", name="floor")
    return [
        high(axis.spots(k, np.sqrt(k) * table.radius), width=2.0),
        low(axis.spots(k, k * table.margin), width=2.0),
    ]


def _note(across: scene.Limits, up: scene.Limits, words: str) -> scene.Drawable:
    at = [(across[0] + across[1]) / 2, up[0] + 0.88 * (up[1] - up[0])]
    return scene.Text(at, words, offset=(0.0, 0.0), anchor="middle", name="note")
