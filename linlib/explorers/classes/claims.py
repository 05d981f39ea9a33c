"""Who claims which part of the plane, drawn: tinted regions, lines, words where there is room."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linlib.base.checks import FloatArray
from linlib.explorers.classes.regions import Region, Scheme, area, borders
from linlib.explorers.kit import scene
from linlib.explorers.kit.hulls import Look
from linlib.explorers.kit.scene import Item
from linlib.multiclass.schemes import LinearMachine, OneVsOne
from linlib.notebook.colours import BLACK, GREY

LABELLED = 0.025  # pieces with at least this share of the picture say who claims them


def doubt(name: str) -> str:
    """Return the name of what a scheme leaves in doubt."""
    return f"doubt: {name}"


def tinted(
    name: str, scheme: Scheme, regions: list[Region], looks: Mapping[int, Look]
) -> list[Item]:
    """Return the tinted regions; those in doubt are grey, the darker for no claim at all."""
    drawn = []
    for region in regions:
        if len(region.claims) == 1:
            label = int(scheme.classes[region.claims[0]])
            look: Item = {"fill": looks[label].colour, "name": f"region-{label}"}
        else:
            opacity = 0.34 if region.claims else 0.5
            look = {"fill": BLACK, "opacity": opacity, "name": doubt(name)}
        drawn.append(scene.polygon(region.polygon, **look))
    return drawn


def lines(scheme: Scheme, view: scene.View, looks: Mapping[int, Look]) -> list[Item]:
    """Return the lines of a scheme, or the borders where classes of a machine meet."""
    if isinstance(scheme, LinearMachine):
        return [
            scene.path(ends, name=f"border-{a}{b}", width=1.8)
            for a, b, ends in borders(scheme, view)
        ]
    drawn = []
    if isinstance(scheme, OneVsOne):
        for (a, b), h in scheme.hyperplanes.items():
            drawn += scene.line(h, view, colour=GREY, width=1.6, name=f"line-{a}{b}")
        return drawn
    for k, h in enumerate(scheme.hyperplanes):
        colour = looks[int(scheme.classes[k])].colour
        drawn += scene.line(h, view, colour=colour, name=f"line-{k}")
    return drawn


def notes(scheme: Scheme, regions: list[Region], view: scene.View, X: FloatArray) -> list[Item]:
    """Return who claims the larger pieces in doubt, written where no point is."""
    made = []
    whole = area(scene.corners(view))
    for region in regions:
        if len(region.claims) != 1 and area(region.polygon) > LABELLED * whole:
            classes = [str(scheme.classes[k]) for k in region.claims]
            look: Item = {"anchor": "middle", "offset": (0, -5), "name": "claim"}
            spot = _room(region, view, X)
            made.append(scene.text(spot, " or ".join(classes) or "none", **look))
    return made


def _room(region: Region, view: scene.View, X: FloatArray) -> FloatArray:
    """Return a place inside a region, away from its points and from the frame."""
    (left, right), (low, high) = view
    inner = (
        (0.85 * left + 0.15 * right, 0.15 * left + 0.85 * right),
        (0.93 * low + 0.07 * high, 0.07 * low + 0.93 * high),
    )
    ways = region.polygon - region.middle
    spots = [region.middle, *(region.middle + t * way for t in (0.3, 0.55) for way in ways)]
    places = np.array([scene.clamp(spot, inner) for spot in spots])
    gaps = np.linalg.norm(places[:, None] - X[None], axis=2).min(axis=1)
    # The middle is best unless a point is near it.
    gaps[0] += 0.08 * (right - left)
    return np.asarray(places[int(gaps.argmax())])
