"""Step by step, forwards and backwards, by hand or by clock."""

from __future__ import annotations

import pytest

from linlib.explorers import PerceptronExplorer
from linlib.explorers.kit.points import Stepper

LAST = 18  # updates of the perceptron on AND


@pytest.fixture
def explorer() -> Stepper:
    return PerceptronExplorer("AND")


def at(explorer: Stepper) -> tuple[int, bool, str]:
    return explorer.k, explorer.playing, explorer.play.description


def test_it_waits_before_the_first_step_and_says_what_a_step_is(explorer: Stepper) -> None:
    assert Stepper.k == 0
    assert at(explorer) == (0, False, "Play")
    assert explorer.play.tooltip == "update after update"


def test_steps_go_no_further_than_the_run(explorer: Stepper) -> None:
    explorer.back()
    assert explorer.k == 0
    for k in range(1, LAST + 1):
        explorer.step()
        assert explorer.k == k
    explorer.step()
    assert explorer.k == LAST
    explorer.back()
    assert explorer.k == LAST - 1
    explorer.to_start()
    assert explorer.k == 0
    explorer.to_end()
    assert explorer.k == LAST


def test_playing_makes_one_step_a_beat_and_pauses_at_the_end(explorer: Stepper) -> None:
    explorer.step()
    explorer.play.value = True
    assert at(explorer) == (1, True, "Pause")
    for k in range(2, LAST):
        explorer.on_tick()
        assert at(explorer) == (k, True, "Pause")
    explorer.on_tick()
    assert at(explorer) == (LAST, False, "Play")


def test_play_at_the_end_begins_again_and_a_pause_stays_where_it_is(explorer: Stepper) -> None:
    explorer.to_end()
    explorer.play.value = True
    assert at(explorer) == (0, True, "Pause")
    explorer.on_tick()
    explorer.play.value = False
    assert at(explorer) == (1, False, "Play")


def test_a_step_by_hand_while_playing_pauses_only_at_the_end(explorer: Stepper) -> None:
    explorer.play.value = True
    explorer.step()
    assert at(explorer) == (1, True, "Pause")
    explorer.to_end()
    assert at(explorer) == (LAST, False, "Play")


def test_other_points_end_what_plays(explorer: Stepper) -> None:
    explorer.play.value = True
    explorer.on_tick()
    explorer.preset.value = "XOR"
    assert at(explorer) == (0, False, "Play")
