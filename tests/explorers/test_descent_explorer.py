"""The descent explorer without a browser: path, loss, limit and resting point are linlib's."""

from __future__ import annotations

import json
import re
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from linlib import (
    Hyperplane,
    gradient_descent,
    hinge_loss,
    least_squares,
    lms,
    objective,
    pass_map,
    perceptron_loss,
    squared_loss,
)
from linlib.explorers import DescentExplorer
from linlib.explorers.descent.long_run import exact_descent
from linlib.explorers.descent.picture import FAR
from linlib.explorers.descent.snapshot import BUDGET, place, reached
from linlib.explorers.kit import scene
from linlib.explorers.kit.sentences import brief
from tests.explorers.test_widgets import assert_back_undoes_step, button, drawn, send

LOSSES = {loss.name: loss for loss in (squared_loss, perceptron_loss, hinge_loss)}
WEIGHTS, POINTS = 0, 1


def by_linlib(explorer: DescentExplorer) -> Any:
    target = objective(
        explorer.X, explorer.y, LOSSES[explorer.loss.value], bias=explorer.X.shape[1] == 1
    )
    pick = "all" if explorer.pick.value == "all at once" else "cyclic"
    way = {"step": explorer.eta.value, "start": explorer.start, "order": pick}
    exact = exact_descent(target, max_updates=BUDGET, **way)  # where there are kinks
    run = exact[0] if exact else None
    return target, run or gradient_descent(target, max_updates=BUDGET, tolerance=1e-9, **way)


@pytest.mark.parametrize("pick", ["all at once", "one by one"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("points", ["six points", "four on a line"])
def test_the_path_the_loss_and_the_line_are_linlibs(points: str, loss: str, pick: str) -> None:
    explorer = DescentExplorer(points, loss=loss, step=0.05, start=(2.0, -1.5))
    explorer.pick.value = pick
    target, run = by_linlib(explorer)
    assert explorer.k == len(run.path) - 1
    explorer.to_start()
    for k in range(min(len(run.path), 12)):
        weights = run.path[k]
        assert np.allclose(explorer.weights, weights, rtol=0, atol=1e-12)
        if k:
            assert np.allclose(drawn(explorer, "path")[0]["xy"], run.path[: k + 1], atol=1e-5)
            assert f"{k} step{'' if k == 1 else 's'} took the weights" in explorer.text
            assert f" to {brief(target.value(weights))}; " in explorer.text
        wrong = np.sum(target.Z @ weights <= 0)
        assert (
            f"{wrong} of {len(explorer.X)} points {'is' if wrong == 1 else 'are'} wrong."
            in explorer.text
        )
        for item in drawn(explorer, "line", POINTS):
            x, height = np.array(item["xy"]).T
            if points == "six points":
                assert np.allclose(Hyperplane(weights).distance(item["xy"]), 0, atol=1e-5)
            else:
                assert np.allclose(height, weights[0] + weights[1] * x, atol=1e-4)
        explorer.step()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("points", ["six points", "four on a line"])
def test_the_loss_is_the_same_along_every_contour(points: str, loss: str) -> None:
    explorer = DescentExplorer(points, loss=loss)
    target, _ = by_linlib(explorer)
    highest = max(target.value(corner) for corner in scene.corners(((-4, 4), (-4, 4))))
    contours = drawn(explorer, "contour")
    assert len(contours) >= 8
    for item in contours:
        values = [target.value(spot) for spot in item["xy"]]
        assert np.ptp(values) < 0.01 * highest


@pytest.mark.parametrize("points", ["six points", "four on a line"])
def test_in_the_green_wedge_every_point_is_right_and_nowhere_else(points: str) -> None:
    explorer = DescentExplorer(points)
    Z = explorer.target.Z
    (wedge,) = drawn(explorer, "right")
    corners = np.array(wedge["xy"][:-1])
    assert np.all(Z @ corners.T >= -1e-5)
    side = np.linspace(-4, 4, 161)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    share = np.mean((grid @ Z.T > 0).all(axis=1))
    x, y = corners.T
    area = 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert abs(share - area / 64) < 0.01


@pytest.mark.parametrize("points", ["six points", "four on a line"])
def test_it_diverges_above_two_over_lambda_max_and_says_the_number(points: str) -> None:
    explorer = DescentExplorer(points)
    limit = 2 / np.linalg.eigvalsh(explorer.target.Z.T @ explorer.target.Z)[-1]
    assert np.isclose(explorer.limit, limit)
    explorer.eta.value = 0.97 * limit
    assert f"η is below 2/λmax = {brief(limit)}. It " in explorer.text
    assert np.allclose(explorer.weights, explorer.bottom, atol=0.05)
    explorer.eta.value = 1.2 * limit
    assert f"It diverges: η is above 2/λmax = {brief(limit)}, " in explorer.text
    assert "multiplies the error by −1.4." in explorer.text
    assert explorer.run.values[-1] > 1e6 * explorer.run.values[0]
    (path,) = drawn(explorer, "path")
    assert FAR <= np.abs(path["xy"][-1]).max() <= 4 * FAR, "it leaves the picture, and is cut off"
    for name in ("steps", "now", "bottom"):
        for item in drawn(explorer, name):
            assert all(np.abs(spot).max() <= 4 for spot in item["xy"])
    explorer.loss.value = "perceptron"
    assert "no step size diverges" in explorer.text


@pytest.mark.parametrize("step", [0.2, 0.5, 1.0])
def test_a_runaway_is_cut_off_in_the_direction_of_its_step(step: float) -> None:
    explorer = DescentExplorer(step=step)
    (path,) = drawn(explorer, "path")
    last = len(path["xy"]) - 1
    assert np.allclose(path["xy"][:-1], explorer.run.path[:last], atol=1e-5)
    seen, true = np.diff(path["xy"], axis=0)[-1], np.diff(explorer.run.path, axis=0)[last - 1]
    assert np.isclose(seen @ true, np.linalg.norm(seen) * np.linalg.norm(true))


def test_exactly_at_the_limit_it_jumps_to_and_fro() -> None:
    explorer = DescentExplorer()
    explorer.eta.value = explorer.limit
    assert "η is exactly 2/λmax" in explorer.text
    assert 0.1 < np.linalg.norm(explorer.weights - explorer.bottom) < 10


def test_one_by_one_is_lms_and_rests_where_its_pass_rests() -> None:
    explorer = DescentExplorer("four on a line", step=0.1)
    explorer.pick.value = "one by one"
    X, y = explorer.X, explorer.y
    run = lms(X, y, step=0.1, max_passes=BUDGET // 4, start=explorer.start)
    assert np.allclose(explorer.run.path[:: len(X)], run.path)
    turn = pass_map(X, y, step=0.1)
    away = np.linalg.norm(turn.resting_point - least_squares(X, y).weights)
    assert f"A pass multiplies the error by {brief(turn.contraction)}" in explorer.text
    assert (
        f"settle at ({', '.join(map(brief, turn.resting_point))}), {brief(away)} " in explorer.text
    )
    explorer.preset.value = "six points"
    explorer.eta.value = 0.8
    grows = pass_map(explorer.X, y=explorer.y, step=0.8, bias=False).contraction
    assert grows > 1
    assert f"It diverges: a pass multiplies the error by {brief(grows)}" in explorer.text


def test_start_and_points_can_be_moved() -> None:
    explorer = DescentExplorer()
    send(explorer, type="move", id="start", x=1.0, y=3.5)
    assert explorer.start.tolist() == [1, 3.5]
    assert explorer.preset.value == "six points"
    assert np.array_equal(explorer.run.path, by_linlib(explorer)[1].path)
    before = explorer.limit
    send(explorer, type="move", id="p2", x=3.0, y=3.5)
    assert explorer.X[2].tolist() == [3, 3.5]
    assert explorer.preset.value == "your own"
    assert np.array_equal(explorer.run.path, by_linlib(explorer)[1].path)
    assert explorer.limit < before
    explorer.preset.value = "six points"
    assert explorer.X[2].tolist() == [1, 2]
    assert explorer.start.tolist() == [1, 3.5]


def test_a_point_on_the_line_keeps_to_it() -> None:
    explorer = DescentExplorer("four on a line")
    assert explorer.canvas.scene["panels"][POINTS]["handles"][0]["rail"] == [1, 0]
    explorer.move("p3", 2.0, -3.0)
    assert explorer.X[3].tolist() == [2]
    assert explorer.handles["p3"] == (2, 1)


def test_back_after_step_restores_picture_and_text_and_reset_the_start() -> None:
    explorer = DescentExplorer()
    button(explorer, "To the start").click()
    assert explorer.text.startswith(
        "Squared loss, all points at once, η = 0.1: at the start (−3, 2) the loss is "
    )
    assert not drawn(explorer, "path")
    assert_back_undoes_step(explorer)
    button(explorer, "Back").click()
    assert explorer.k == 0
    button(explorer, "To the end").click()
    assert explorer.k == explorer.last
    explorer.step()
    assert explorer.k == explorer.last


def test_a_descent_shown_to_its_end_stays_so_and_another_keeps_its_step() -> None:
    explorer = DescentExplorer(step=0.05)
    explorer.eta.value = 0.02
    assert explorer.k == explorer.last
    explorer.to_start()
    explorer.step()
    explorer.eta.value = 0.05
    assert explorer.k == 1


ABSURD = {
    "all at the origin": [[0, 0]] * 6,
    "all equal": [[1, 1]] * 6,
    "on one line": [[k / 2, k / 2] for k in range(6)],
    "in the corners": [[4, 4], [-4, 4], [4, -4], [-4, -4], [4, 4], [-4, -4]],
    "one far from five at the origin": [[0, 0]] * 5 + [[4, 4]],
}


@pytest.mark.slow
@pytest.mark.parametrize("pick", ["all at once", "one by one"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", ABSURD)
@pytest.mark.parametrize("points", ["six points", "four on a line"])
def test_absurd_points_end_in_a_clear_sentence(
    points: str, name: str, loss: str, pick: str
) -> None:
    explorer = DescentExplorer(points, loss=loss)
    explorer.pick.value = pick
    for row, spot in enumerate(ABSURD[name][: len(explorer.X)]):
        explorer.move(f"p{row}", *map(float, spot))
    for eta in (0.005, 0.1, 1.0):
        explorer.eta.value = eta
        assert "could not be done" not in explorer.text
        assert re.search(
            r"piecewise|flat|below 2/λmax|diverges|A pass multiplies|seen by no point",
            explorer.text,
        )
        json.dumps(explorer.canvas.scene, allow_nan=False)
    if (loss, pick) == ("squared", "all at once"):
        explorer.still()
    plt.close("all")


@pytest.mark.parametrize("start", [(0, 0), (4, -4), (-0.4286, 0.5714)])
def test_any_start_will_do(start: Any) -> None:
    explorer = DescentExplorer("four on a line", step=0.5)
    explorer.move("start", *start)
    assert "could not be done" not in explorer.text
    assert explorer.run.path[0].tolist() == list(start)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1e8, 1e-5], "(1·10⁸, 0)"),
        ([1e8, 1.0], "(1·10⁸, 1)"),
        ([0.0, 0.0], "(0, 0)"),
        ([1e-13, 1e-13], "(1·10⁻¹³, 1·10⁻¹³)"),
    ],
)
def test_a_weight_that_is_rounding_beside_the_other_is_said_to_be_zero(weights, words):
    assert place(np.array(weights)) == words


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([3.0, -4e13], "a length of 4·10¹³"),
        ([1.0, 1e-13], "(1, 0)"),
        ([1e-14, 4e13], "(0, 4·10¹³)"),
        ([2.0, 3.0], "(2, 3)"),
    ],
)
def test_a_place_whose_digits_drowned_is_told_by_its_length(weights, words):
    assert reached(np.array(weights)) == words


def test_without_points_there_is_nothing_to_descend():
    explorer = DescentExplorer()
    explorer.fill([], [])
    assert (explorer.last, explorer.wrong, explorer.weights.tolist()) == (0, 0, [-3.0, 2.0])
    explorer.to_end()
    assert explorer.k == 0
    assert explorer.limit == np.inf


def test_the_sliders_are_fine_enough_for_two_over_lambda():
    eta = DescentExplorer(step=0.25).eta
    assert (eta.value, eta.min, eta.max, eta.step) == (0.25, 0.005, 1.0, 0.005)
    assert eta.readout_format == ".3f"


def test_a_path_on_a_surface_ends_where_it_leaves_the_picture():
    explorer = DescentExplorer(step=0.16)
    path = explorer.run.path
    out = int(np.argmax((np.abs(path) > 4).any(axis=1)))
    assert out > 1
    explorer.show.value = "surface"
    (walked,) = drawn(explorer, "path")
    assert len(walked["xy"]) == out
    assert not drawn(explorer, "now"), "it is outside"
    assert len(drawn(explorer, "start")) == 1
    explorer.to_start()
    assert not drawn(explorer, "path")
    assert drawn(explorer, "now")[0]["xy"] == drawn(explorer, "start")[0]["xy"]
