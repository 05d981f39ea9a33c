"""What is drawn and needs a computation of its own: regions, contours, axes, thinned curves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from linlib import Hyperplane, data, linear_machine, one_vs_rest
from linlib.explorers import ClassesExplorer, DescentExplorer, GaussianExplorer
from linlib.explorers import classes as many
from linlib.explorers.classes import learners
from linlib.explorers.classes.regions import area, cells, regions
from linlib.explorers.descent.snapshot import place, reached
from linlib.explorers.gaussians import shapes
from linlib.explorers.proof.picture import MOST_SPOTS, across, thinned, ticks
from tests.explorers.test_values import drawn


def _lines(scheme: Any) -> list[tuple[int, int, Any]]:
    lines = scheme.hyperplanes
    if hasattr(lines, "items"):
        return [(a, b, h) for (a, b), h in lines.items()]
    return [(k, -1, h) for k, h in enumerate(lines)]


def claims_of(scheme: Any, X: np.ndarray) -> np.ndarray:
    """Return which classes claim a place, by the scores and votes themselves."""
    number = len(scheme.classes)
    if hasattr(scheme, "weights"):
        scores = X @ scheme.weights[:, 1:].T + scheme.weights[:, 0]
        return scores >= scores.max(axis=1, keepdims=True) - 1e-12
    won = np.zeros((len(X), number), dtype=int)
    pairs = False
    for a, b, h in _lines(scheme):
        scores = X @ h.w + h.w0
        won[:, a] += scores > 0
        if b >= 0:
            pairs = True
            won[:, b] += scores < 0
    return won == won.max(axis=1, keepdims=True) if pairs else won > 0


def inside(polygon: Any, Q: np.ndarray) -> np.ndarray:
    """Tell which places are well inside a polygon that goes anticlockwise."""
    corners = np.asarray(polygon)
    ways = np.roll(corners, -1, axis=0) - corners
    long = np.linalg.norm(ways, axis=1) > 1e-4  # the scene rounds to six decimals
    reach = Q[:, None, :] - corners[long]
    crosses = ways[long, 0] * reach[..., 1] - ways[long, 1] * reach[..., 0]
    return np.all(crosses > 1e-3, axis=1)


@pytest.mark.parametrize("learner", [learners.STREET, learners.PERCEPTRON, learners.SQUARES])
def test_regions_and_shares_are_those_of_the_schemes(learner: str) -> None:
    explorer = ClassesExplorer("four classes")
    explorer.learner.value = learner
    explorer.move("p2", -1.0, 0.5)
    Q = np.random.default_rng(7).uniform(-6, 6, (3000, 2))
    for k, (name, scheme) in enumerate(explorer.schemes.items()):
        claims, covered = claims_of(scheme, Q), np.zeros(len(Q), dtype=int)
        for item in explorer.canvas.scene["panels"][k]["drawables"]:
            if item["name"].startswith(("region-", "doubt")):
                rows = inside(item["xy"], Q)
                covered += rows
                only = (
                    np.eye(claims.shape[1], dtype=bool)[int(item["name"][-1])]
                    if (item["name"].startswith("region-"))
                    else None
                )
                if only is None:
                    assert np.all(claims[rows].sum(axis=1) != 1)
                else:
                    assert np.all(claims[rows] == only)
        assert covered.max() == 1
        assert covered.mean() > 0.98
        for count in (lambda n: n == 0, lambda n: n > 1, lambda n: n != 1):
            share = np.mean(count(claims.sum(axis=1)))
            assert abs(explorer.share(name, count) - share) < 4 * np.sqrt(0.25 / len(Q))
    assert explorer.doubt(learners.MACHINE) == 0


def test_pieces_fill_the_picture_without_overlap() -> None:
    view = ((-1.0, 3.0), (-2.0, 2.0))
    rng = np.random.default_rng(3)
    lines = [Hyperplane(rng.normal(size=2), rng.normal()) for _ in range(6)]
    pieces = cells(view, lines)
    assert np.isclose(sum(map(area, pieces)), 16)
    for h in lines:
        signs = [np.sign(np.round(h.distance(piece), 9)) for piece in pieces]
        assert all(abs(sign.min() - sign.max()) < 2 for sign in signs)
    middles = np.array([piece.mean(axis=0) for piece in pieces])
    codes = {tuple(h.predict(middles)[k] for h in lines) for k in range(len(pieces))}
    assert len(codes) == len(pieces)


def test_doubt_and_areas_are_exact_where_they_can_be_computed_by_hand() -> None:
    assert [area(corners) for corners in ([[1, 1], [4, 1], [4, 3], [1, 3]], [])] == [6, 0]
    assert area([[1, 1], [3, 1], [4, 2], [2, 4], [1, 3]]) == 6
    scheme = one_vs_rest([[-3, 0], [3, 0]], [0, 1], lambda X, y: Hyperplane([y[0], 0], -1.5))
    found = regions(scheme, many.VIEW)
    doubt = sum(area(region.polygon) for region in found if len(region.claims) != 1)
    assert np.isclose(doubt, 3 * 12)  # the strip |x1| < 1.5 belongs to nobody


def test_a_sliver_is_rounding_and_no_region() -> None:
    view = ((0.0, 12.0), (0.0, 12.0))
    machine = linear_machine(*data.three_in_a_row(6, np.random.default_rng(7)))
    for room, number in ((1e-9, 2), (1e-6, 3)):
        assert len(cells(view, [Hyperplane([1, 0], -6), Hyperplane([1, 0], -6 - room)])) == number
        weights = np.array([[6.0, -1.0, 0.0], [room / 2, 0.0, 0.0], [-6.0, 1.0, 0.0]])
        assert len(regions(replace(machine, weights=weights), view)) == number


@pytest.mark.parametrize("loss", ["squared", "perceptron", "hinge"])
@pytest.mark.parametrize("points", ["six points", "four on a line"])
def test_contours_have_one_loss_and_in_the_wedge_every_point_is_right(
    points: str, loss: str
) -> None:
    explorer = DescentExplorer(points, loss=loss)
    target = explorer.target
    highest = max(target.value(corner) for corner in ([4, 4], [4, -4], [-4, 4], [-4, -4]))
    contours = drawn(explorer, "contour")
    assert len(contours) >= 8
    for item in contours:
        assert np.ptp([target.value(spot) for spot in item["xy"]]) < 0.01 * highest
    (wedge,) = drawn(explorer, "right")
    side = np.linspace(-4, 4, 161)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    share = np.mean((grid @ target.Z.T > 0).all(axis=1))
    assert abs(share - area(wedge["xy"]) / 64) < 0.01
    assert np.all(target.Z @ np.array(wedge["xy"]).T >= -1e-5)


@pytest.mark.parametrize(
    ("weights", "at", "to"),
    [
        ([1e8, 1e-5], "(10⁸, 0)", "a length of 10⁸"),
        ([0.0, 0.0], "(0, 0)", "(0, 0)"),
        ([1e-13, 1e-13], "(10⁻¹³, 10⁻¹³)", "(10⁻¹³, 10⁻¹³)"),
        ([3.0, -4e13], "(0, −4·10¹³)", "a length of 4·10¹³"),
        ([2.0, 3.0], "(2, 3)", "(2, 3)"),
    ],
)
def test_a_weight_whose_digits_drowned_is_not_told(weights: list[float], at: str, to: str) -> None:
    assert (place(np.array(weights)), reached(np.array(weights))) == (at, to)


@pytest.mark.parametrize("id", ["axis0", "wide0", "axis1", "wide1"])
def test_no_ellipse_can_be_crushed(id: str) -> None:
    explorer = GaussianExplorer()
    explorer.move(id, *explorer.shapes[int(id[-1])].mean)
    axes = explorer.shapes[int(id[-1])].axes
    values = np.linalg.eigvalsh(axes @ axes.T)
    assert np.isclose(values.min(), shapes.THINNEST**2)


def test_handles_of_a_class_shape_it_and_stay_in_the_picture() -> None:
    explorer = GaussianExplorer("same shape")
    explorer.move("mean1", 1.0, -1.0)
    explorer.move("axis1", 1.0, 1.0)
    explorer.move("wide1", 2.5, 0.0)
    axes = explorer.shapes[1].axes
    assert np.allclose(axes @ axes.T, [[1.5**2, 0], [0, 4]])
    (shown,) = drawn(explorer, "ellipse1")
    spots = np.array(shown["xy"]) - [1, -1]
    assert np.allclose((spots / [1.5, 2]) ** 2 @ [1, 1], 1, atol=1e-4)
    explorer.move("mean1", 0.0, 3.9)
    right, up = explorer.shapes[1].axis
    assert explorer.handles["axis1"] == pytest.approx((-right, 3.9 - up)), "its other end"
    for x, y in [(9, 9), (-9, 9), (9, -9), (-9, -9)]:
        for id in ("axis1", "mean1", "mean0"):
            explorer.move(id, x, y)
            assert np.all(np.abs(list(explorer.handles.values())) <= [5, 4])
    marks = [item for k in (0, 1) for item in drawn(explorer, f"sample{k}")]
    seen = np.all(np.abs(explorer.X) <= [5, 4], axis=1)
    assert np.allclose([xy for item in marks for xy in item["xy"]], explorer.X[seen], atol=1e-5)
    assert f"{200 - seen.sum()} points lie outside the picture." in explorer.text


def test_axes_of_the_proof_end_at_round_numbers_with_room_for_the_wall() -> None:
    reaches = [across(reach)[1] for reach in (10, 5000, 8000, 3e6)]
    assert reaches == [4.0, 4.0, 5.0, 7.0]
    assert [label for _, label in ticks((-1.0, 3.0))] == ["0.1", "1", "10", "100", "10³"]
    assert [at for at, _ in ticks((0.0, 9.0))] == [0.0, 2.0, 4.0, 6.0, 8.0]


@pytest.mark.parametrize("first", [1, 7])
def test_a_thinned_curve_keeps_its_ends_and_its_extremes(first: int) -> None:
    values = np.random.default_rng(7).normal(size=2001)
    kept = thinned(first, 2000, values)
    assert {first, 2000} <= set(kept)
    assert MOST_SPOTS < len(kept) <= 4 * MOST_SPOTS
    assert (np.diff(kept) > 0).all()
    assert np.ptp(values[kept]) == np.ptp(values[first:])
    assert values[kept[kept >= 900]].max() >= values[1000:].max(), "of every stretch"
    assert thinned(1, MOST_SPOTS, values).tolist() == list(range(1, MOST_SPOTS + 1))
    assert thinned(3, 2, values).tolist() == []
