"""Both proofs of convergence as curves up to update k, in front of the wall that the bound is."""

from functools import partial

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
PER_CENT = [[float(value), str(value)] for value in (0, 25, 50, 75, 100)]


# ---- axes are logarithmic, in whole powers of ten, which hold still in a drag


def across(reach: float) -> scene.Limits:
    """Return where the horizontal axis begins and ends to hold a number."""
    return 0.0, max(4.0, float(np.ceil(np.log10(1.5 * reach))))


def ticks(limits: scene.Limits) -> list[scene.Tick]:
    """Return the ticks of an axis, seven at most."""
    apart = max(1, int(np.ceil((limits[1] - limits[0]) / 6)))
    powers = range(int(np.ceil(limits[0])), int(limits[1]) + 1, apart)
    named = {-1: "0.1", 0: "1", 1: "10", 2: "100"}
    return [[float(p), named.get(p) or power_of_ten(p)] for p in powers]


def spots(k: FloatArray | IntArray, heights: FloatArray, *, upright: bool = True) -> FloatArray:
    """Return places in the panel, one a row; where ``upright`` the heights are logarithms too."""
    return np.column_stack([np.log10(k), np.log10(heights) if upright else heights])


def thinned(first: int, last: int, values: FloatArray) -> IntArray:
    """Return numbers of updates from first to last, not more than a curve needs.

    Where a stretch is shortened, its ends, its lowest and its highest value stay: a curve that
    swings at every update is drawn as the band it fills, not as some slower swing of the samples.
    """
    if last - first < MOST_SPOTS:
        return np.arange(first, last + 1)
    edges = np.geomspace(first, last + 1, MOST_SPOTS).round().astype(np.int64)
    kept = {first, last}
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if high > low:
            stretch = values[low:high]
            kept |= {low, high - 1, low + int(stretch.argmin()), low + int(stretch.argmax())}
    return np.array(sorted(kept))


def curve(
    last: int, values: FloatArray, name: str, label: str, *, upright: bool = True, **look: str
) -> list[scene.Drawable]:
    """Return a column of the table up to an update, and a dot at its end."""
    k = thinned(1, last, values)
    if not len(k):
        return []
    xy = spots(k, values[k], upright=upright)
    drawn = [scene.Path(xy, name=name, label=label, **look)] if len(k) > 1 else []  # type: ignore[arg-type]
    end = f"{name}-now" if drawn else name
    return [*drawn, scene.Marks(xy[-1:], colour=look.get("colour", BLACK), size=5, name=end)]


def wall(bound: float, view: scene.View) -> list[scene.Drawable]:
    """Return the bound as a wall: nothing may happen to the right of it."""
    at, (low, high) = float(np.log10(bound)), view[1]
    beyond = scene.corners(((at, view[0][1]), view[1]))
    look = partial(scene.Path, colour=GREY, width=5, name="wall", label="wall at R²/γ²")
    return [
        scene.polygon(beyond, fill=GREY, opacity=0.3, name="beyond"),
        look([[at, low], [at, high]]),
    ]


def squeeze(last: int, lengths: FloatArray, table: ProofTable | None, why_none: str) -> scene.Panel:
    """Return kγ ≤ w(k) · w* ≤ ‖w(k)‖ ≤ √k R, whose ends meet at the bound."""
    panel = partial(PANEL, title="first proof: squeeze")
    length = partial(curve, last, lengths, "length", "‖w(k)‖", colour=GREEN)
    if table is None:
        wide = across(_reach(lengths))
        up = (0.0, 1.25 * max(float(lengths.max()), 1.0))  # a length may return to 0: no logs
        drawn = [*length(upright=False), _note((wide, up), why_none)]
        return panel((wide, up), drawn, ylabel="length ‖w(k)‖", xticks=ticks(wide))
    low, high = np.log10([table.margin, table.radius**2 / table.margin])
    up = min(-1.0, float(np.floor(low))), max(2.0, float(np.ceil(high)))
    view = across(table.bound), up
    drawn = [*wall(table.bound, view), _bound(table.bound, view), *_limits(table, view[0])]
    drawn += length()
    drawn += curve(last, table.alignment, "alignment", "w(k)·w*", colour=BLUE, dash=scene.DASHED)
    named = {"ylabel": "alignment, length", "xticks": ticks(view[0]), "yticks": ticks(up)}
    return panel(view, drawn, **named)


def potential(
    last: int, lengths: FloatArray, table: ProofTable | None, why_none: str
) -> scene.Panel:
    """Return the potential in per cent of its start, above it the slowest fall allowed."""
    wide = across(table.bound if table else _reach(lengths))
    view: scene.View = wide, (0.0, 109.0)
    panel = partial(PANEL, view, xticks=ticks(wide), yticks=PER_CENT)
    panel = partial(panel, title="second proof: potential", ylabel="potential, % of start")
    if table is None:
        return panel([_note(view, why_none)])
    k = np.logspace(0.0, np.log10(table.bound), 100)
    share = 100.0 / table.potential[0]
    slowest = spots(k, np.maximum(100.0 - share * table.least_drop * k, 0.0), upright=False)
    orange = partial(scene.Path, colour=ORANGE, dash=DASH_DOT, width=2.0, name="slowest")
    drawn = [*wall(table.bound, view), orange(slowest, label="slowest fall allowed")]
    fall = partial(curve, last, share * table.potential, "potential", "‖w(k) − a w*‖²")
    return panel([*drawn, *fall(upright=False)])


def _reach(lengths: FloatArray) -> float:
    """Return how far the axis of the updates goes where no bound says it."""
    return float(max(len(lengths) - 1, 10))


def _limits(table: ProofTable, wide: scene.Limits) -> list[scene.Drawable]:
    """Return the table's own limits, continued: from zero weights they are kγ and √k R."""
    k = np.logspace(*wide, 100)
    high = partial(scene.Path, colour=PURPLE, dash=scene.DOTTED, label="√k R", name="ceiling")
    low = partial(scene.Path, colour=ORANGE, dash=DASH_DOT, label="kγ", name="floor")
    return [
        high(spots(k, np.sqrt(k) * table.radius), width=2.0),
        low(spots(k, k * table.margin), width=2.0),
    ]


def _bound(bound: float, view: scene.View) -> scene.Drawable:
    """Return the number of the bound, on the side of the wall that has room for it."""
    at, (left, right) = float(np.log10(bound)), view[0]
    offset, anchor = ((-8.0, 12.0), "end") if at > (left + right) / 2 else ((8.0, 12.0), "start")
    beside = partial(scene.Text, offset=offset, anchor=anchor, name="bound")
    return beside([at, view[1][0]], f"R²/γ² = {brief(bound)}")


def _note(view: scene.View, words: str) -> scene.Drawable:
    (left, right), (low, high) = view
    at = [(left + right) / 2, low + 0.88 * (high - low)]
    return scene.Text(at, words, offset=(0.0, 0.0), anchor="middle", name="note")
