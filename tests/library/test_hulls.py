"""The hulls of two classes, and where they are nearest."""

from __future__ import annotations

import numpy as np
import pytest

from linlib import certify
from linlib.margins.hard_margin import gap, hull


def test_hulls_meet_where_no_line_separates() -> None:
    square = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 1]]
    assert hull(square).tolist() == [[0, 0], [2, 0], [2, 2], [0, 2]]
    found = gap([[0, 0], [2, 2], [0, 2], [2, 0]], [1, 1, -1, -1])
    assert found.distance == 0
    assert np.allclose(found.positive, [1, 1])
    found = gap([[0, 0], [0, 2], [3, 0], [4, 4]], [-1, -1, 1, 1])
    assert found.distance == pytest.approx(3)
    assert np.allclose([found.negative, found.positive], [[0, 0], [3, 0]])


@pytest.mark.parametrize("seed", range(12))
def test_a_corner_is_a_point_that_a_line_cuts_off_from_all_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spots = np.unique(rng.integers(-2, 3, size=(2 + seed, 2)), axis=0)
    corners = hull(spots).tolist()
    for i, spot in enumerate(spots.tolist()):
        cut = certify(spots, np.where(np.arange(len(spots)) == i, 1, -1)).separable
        assert (spot in corners) == cut


@pytest.mark.parametrize("seed", range(12))
def test_corners_are_named_anticlockwise_and_once(seed: int) -> None:
    corners = hull(np.random.default_rng(seed).normal(size=(3 + seed, 2)))
    assert len(np.unique(corners, axis=0)) == len(corners) >= 3
    for a, b, c in zip(corners, np.roll(corners, -1, axis=0), np.roll(corners, -2, axis=0)):  # noqa: B905
        assert np.linalg.det([b - a, c - a]) > 0


def test_few_points_are_their_own_hull() -> None:
    assert hull([[3, 4], [3, 4]]).tolist() == [[3, 4]]
    assert hull([[3, 4], [1, 2]]).tolist() == [[1, 2], [3, 4]]
    assert hull([[0, 0], [2, 2], [1, 1]]).tolist() == [[0, 0], [2, 2]]


def test_points_that_do_not_clash_have_no_share_in_where_hulls_meet() -> None:
    found = gap([[0, 0], [2, 2], [0, 2], [2, 0], [9, 9]], [1, 1, -1, -1, 1])
    assert found.distance == 0
    assert np.allclose([found.positive, found.negative], 1)
