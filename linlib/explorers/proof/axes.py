"""Axes of numbers that may be large, plain or logarithmic, and curves with no more than is seen."""

from __future__ import annotations

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.explorers.kit import scene
from linlib.explorers.kit.scene import Item, Limits, brief

MOST_SPOTS = 150  # of one curve; a curve that swings has up to four times as many


class Plain:
    """Plain axes."""

    first = 0

    def of(self, values: float | FloatArray | IntArray) -> FloatArray:
        """Return places on an axis."""
        return np.asarray(values, dtype=np.float64)

    def spots(self, k: FloatArray | IntArray, heights: FloatArray) -> FloatArray:
        """Return places in the panel, one a row."""
        return np.column_stack([self.of(k), self.of(heights)])

    def across(self, reach: float) -> Limits:
        """Return where the horizontal axis begins and ends to hold a number."""
        return 0.0, 1.2 * reach

    def up(self, low: float, high: float) -> Limits:
        """Return where the vertical axis begins and ends."""
        return 0.0, 1.25 * high

    def samples(self, across: Limits) -> FloatArray:
        """Return numbers whose places are evenly spread."""
        return np.linspace(*across, 100)

    def xticks(self, across: Limits) -> list[list[object]]:
        """Return the ticks of an axis."""
        return [[at, brief(at)] for at, _ in scene.ticks(across, about=4)]

    def ticks(self, across: Limits, up: Limits) -> Item:
        """Return the ticks of both axes."""
        return {"xticks": self.xticks(across), "yticks": self.xticks(up)}


class Log(Plain):
    """Logarithmic axes, in whole powers of ten so that they hold still while a point moves."""

    first = 1

    def of(self, values: float | FloatArray | IntArray) -> FloatArray:
        """Return places on an axis."""
        return np.log10(np.asarray(values, dtype=np.float64))

    def across(self, reach: float) -> Limits:
        """Return where the horizontal axis begins and ends to hold a number."""
        return 0.0, max(4.0, float(np.ceil(np.log10(1.5 * reach))))

    def up(self, low: float, high: float) -> Limits:
        """Return where the vertical axis begins and ends."""
        return min(-1.0, float(np.floor(np.log10(low)))), max(2.0, float(np.ceil(np.log10(high))))

    def samples(self, across: Limits) -> FloatArray:
        """Return numbers whose places are evenly spread."""
        return np.asarray(10.0 ** np.linspace(*across, 100))

    def xticks(self, across: Limits) -> list[list[object]]:
        """Return the ticks of an axis, seven at most."""
        apart = max(1, int(np.ceil((across[1] - across[0]) / 6)))
        powers = range(int(np.ceil(across[0])), int(across[1]) + 1, apart)
        named = {-1: "0.1", 0: "1", 1: "10", 2: "100"}
        return [[float(p), named.get(p) or scene.power_of_ten(p)] for p in powers]


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
