"""The parts of a scene: numbers in words, lines cut off at the frame, ticks, legends, marks."""

from __future__ import annotations

import numpy as np
import pytest

from linlib import Hyperplane
from linlib.explorers.kit import scene
from linlib.explorers.kit.sentences import brief, mark, plain, rounded, say

VIEW = ((-5.0, 5.0), (-4.0, 4.0))
SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2]]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (-np.inf, "−∞"),
        (0.001, "0.001"),
        (-0.000999, "−9.99·10⁻⁴"),
        (99999.0, "99999"),
        (100000.0, "10⁵"),
        (0.01234, "0.0123"),
        (12.34, "12.3"),
        (999.6, "1000"),
    ],
)
def test_a_number_of_any_size_has_three_digits_or_a_power_of_ten(value: float, words: str) -> None:
    assert brief(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.01, "0.01"), (0.0099, "0.0099"), (-0.0, "0"), (2.005, "2"), (1e-5, "10⁻⁵")],
)
def test_only_zero_is_rounded_to_zero(value: float, words: str) -> None:
    assert rounded(value) == words


def test_a_sentence_without_its_marks_is_plain_and_its_parts_know_what_they_light_up() -> None:
    words = f"a {mark('line', '1')}{mark('gone', '2')} b"
    assert plain(words) == "a 12 b"
    drawn = scene.Panel(
        VIEW, [scene.Path([[0, 0]], name="line")], [scene.Handle("p", "it", (0, 0))]
    )
    assert scene.tied(words, [drawn]) == [["a ", ""], ["1", "line"], ["2", ""], [" b", ""]]
    assert scene.tied(mark("p", "3"), [drawn]) == [["3", "p"]]


def test_places_are_rounded_and_have_no_negative_zero() -> None:
    assert repr(scene.clamp([-0.00001, 9.0], VIEW).tolist()) == "[0.0, 4.0]"
    spots = scene.Path([[-1e-9, 1.23456789], [1.0, -1e-9]])
    assert repr(spots.xy) == "[[0.0, 1.234568], [1.0, 0.0]]"
    assert spots.opacity == 0.16
    assert scene.Ring((1.23456789, 9.87654321)).at == [1.234568, 9.876543]
    assert repr(scene.Handle("p", "it", (-1e-9, -0.0)).at) == "[0.0, 0.0]"


@pytest.mark.parametrize("bad", [(np.nan, 0.0), (0.0, np.inf)])
def test_what_is_no_place_is_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="position"):
        scene.Ring(bad)
    with pytest.raises(ValueError, match="positions"):
        scene.Marks([(0.0, 0.0), bad])


def test_both_sides_of_a_line_fill_the_view_and_share_the_line() -> None:
    h = Hyperplane([1, 1], -1)
    halves = [scene.clip(SQUARE, h, sign) for sign in (1, -1)]
    assert halves[0].dtype == halves[1].dtype == np.float64
    assert sorted(map(len, halves)) == [3, 5]
    for half, sign in zip(halves, (1, -1), strict=True):
        assert (sign * h.score(half) >= 0).all()
    whole = scene.clip(SQUARE, Hyperplane([1, 0], 5))
    assert (whole.tolist(), whole.dtype) == (SQUARE, np.float64)
    assert scene.clip(SQUARE, Hyperplane([1, 0], -5)).shape == (0, 2)
    assert scene.clip([], h).shape == (0, 2)
    (line,) = scene.line(h, VIEW, name="it")
    assert sorted(map(tuple, line.xy)) == [(-3.0, 4.0), (5.0, -4.0)]
    assert [item.name for item in scene.sides(h, VIEW)] == ["side+1", "side-1"]
    assert not scene.line(Hyperplane([1, 0], 9), VIEW)
    assert not scene.side(Hyperplane([1, 0], -9), VIEW, 1)


def test_solutions_are_where_every_row_is_positive() -> None:
    rows, offsets = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([0.0, 1.0])
    (found,) = scene.solutions(rows, offsets, VIEW, name="right")
    assert sorted(found.xy) == [[0.0, -4.0], [0.0, 4.0], [5.0, -4.0], [5.0, 4.0]]
    assert (found.name, found.closed) == ("right", True)
    assert not scene.solutions(rows, np.array([0.0, 0.0]), VIEW), "0 > 0 holds nowhere"


@pytest.mark.parametrize(
    ("limits", "labels"),
    [
        ((0.0, 1.0), "0 0.2 0.4 0.6 0.8 1"),
        ((0.0, 15.0), "0 2.5 5 7.5 10 12.5 15"),
        ((-20.0, 40.0), "−20 −10 0 10 20 30 40"),
        ((0.0, 0.3), "0 0.05 0.1 0.15 0.2 0.25 0.3"),
        ((0.0, 1.5), "0 0.25 0.5 0.75 1 1.25 1.5"),
        ((0.001, 0.0061), "0.001 0.002 0.003 0.004 0.005 0.006"),
    ],
)
def test_ticks_are_round_and_inside_the_limits(limits: tuple[float, float], labels: str) -> None:
    found = scene.ticks(limits)
    assert " ".join(label for _, label in found) == labels
    assert [say(at, 4) for at, _ in found] == labels.split()


def test_a_panel_has_equal_scales_and_a_round_step_unless_told_otherwise() -> None:
    shown = scene.Panel(((0.0, 15.05), (-1.0, 1.0)), [], width=301.0)
    assert (shown.size, shown.step, shown.adds) == ([301.0, 40.0], 0.2, False)
    assert (shown.xlabel, shown.ylabel, shown.title) == ("x₁", "x₂", "")
    shown = scene.Panel(VIEW, [], height=7, step=0.5, xticks=[], yticks=[[0.0, "none"]])
    assert (shown.size, shown.step) == ([420.0, 7.0], 0.5)
    assert (shown.xticks, shown.yticks) == ([], [[0.0, "none"]])


def test_the_legend_has_each_label_once_markers_first() -> None:
    drawn = [
        scene.Path([[0, 0]], label="line", width=3.0, dash="1 2", alpha=0.5),
        scene.Path([[1, 1]], label="line", width=9.0),
        scene.Arrow((0, 0), (1, 1), label="arrow"),
        scene.Marks([[0, 0]], label="b", marker="s"),
        scene.Path([[0, 0]]),
    ]
    handles = [scene.Handle("p0", "row 0", (0, 0), marker="o", legend="a")] * 2
    found = scene.legend([scene.Panel(VIEW, drawn, handles)])
    assert [entry.label for entry in found] == ["a", "b", "line", "arrow"]
    assert [entry.marker for entry in found] == ["o", "s", "", ""]
    assert (found[2].width, found[2].dash, found[2].alpha) == (3.0, "1 2", 0.5)
