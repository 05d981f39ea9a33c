"""Which part of a curve of second degree a picture of ten by eight shows."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.path import Path

from linlib.discriminants import quadric
from linlib.discriminants.quadric import Quadric
from linlib.explorers.gaussians.shapes import VIEW, meets, tinted, traced
from linlib.explorers.kit import scene

NOT_BENT = np.zeros(2)


def circle(x: float, y: float, radius: float) -> Quadric:
    kind = quadric.ELLIPSE if radius else quadric.POINT
    return Quadric(kind, 0, np.array([x, y]), np.eye(2), np.ones(2), np.zeros(2), -(radius**2))


def line(x: float, slope: float = 1.0) -> Quadric:
    slopes = np.array([slope, 0.0])
    return Quadric(quadric.LINE, 0, np.array([x, 0.0]), np.eye(2), NOT_BENT, slopes, 0.0)


def hyperbola(x: float, y: float) -> Quadric:
    bends = np.array([1.0, -1.0])
    return Quadric(
        quadric.HYPERBOLA, 0, np.array([x, y]), np.eye(2), bends, np.zeros(2), 1.0
    )  # (x − x₀)² + 1 = (y − y₀)²


@pytest.mark.parametrize(
    ("curve", "seen"),
    [
        (circle(0, 0, 1), True),
        (circle(8, 0, 1), False),
        (circle(0, 0, 10), False),  # around the whole picture
        (circle(0, 0, 4.5), True),
        (circle(5.5, 1.3, 0.6), True),  # through one edge, beside its ends and its middle
        (circle(5.5, 1.3, 0.4), False),
        (circle(1.3, 4.5, 0.6), True),
        (circle(1.3, 4.5, 0.4), False),
        (circle(5.3, 4.3, 0.35), False),  # beyond a corner
        (circle(5.3, 4.3, 0.45), True),
        (circle(1, 1, 0), True),
        (circle(6, 1, 0), False),
        (hyperbola(0, 20), False),
        (hyperbola(0, 4.5), True),
        (line(4.9), True),
        (line(5.0), True),  # along the frame
        (line(-5.0), True),
        (line(5.1), False),
    ],
)
def test_a_curve_is_seen_if_any_of_it_is_inside(curve: Quadric, seen: bool) -> None:
    assert meets(curve) is seen


@pytest.mark.parametrize(
    "curve",
    [circle(1, 2, 1.5), circle(100, 0, 98), circle(30, 20, 40), hyperbola(0, 1), hyperbola(90, 88)],
)
def test_what_is_drawn_lies_on_the_curve_and_leaves_nothing_out(curve: Quadric) -> None:
    spots = np.vstack(traced(curve))
    spots = scene.inside(spots, VIEW)
    t = (spots - curve.origin) @ curve.axes
    value = t**2 @ curve.bends + t @ curve.slopes + curve.level
    steepness = np.linalg.norm(2 * t * curve.bends + curve.slopes, axis=1)
    assert (np.abs(value) < 0.01 * steepness).all(), "off by less than a pixel"
    fine = np.stack(np.meshgrid(np.linspace(-4.9, 4.9, 99), np.linspace(-3.9, 3.9, 79)), axis=-1)
    heights = np.array([[curve.value(spot) for spot in row] for row in fine])
    crossed = fine[:, 1:][heights[:, 1:] * heights[:, :-1] < 0]
    assert len(crossed)
    gaps = np.linalg.norm(crossed[:, None] - spots[None], axis=2).min(axis=1)
    assert gaps.max() < 0.4


def test_every_place_is_tinted_as_the_class_that_wins_there() -> None:
    for curve in (circle(1, 1, 1.5), hyperbola(0, 1), line(1.0), circle(0, 0, 10)):
        areas = tinted(curve)
        for spot in np.random.default_rng(7).uniform([-5, -4], [5, 4], (40, 2)):
            won = {k for k, xy in areas if Path(xy).contains_point(spot)}
            assert won == {int(curve.value(spot) > 0)}
