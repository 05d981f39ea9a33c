"""Sides and runs that the digits of the data decide."""

from __future__ import annotations

import numpy as np
import pytest

from linlib import Hyperplane, explorers, pla, pla_rows
from linlib.explorers.kit.geometry import difference, side, whole_rows
from tests.helpers.states import fill


@pytest.mark.parametrize("seed", range(10))
def test_whole_rows_make_the_mistakes_of_the_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-20, 21, size=(8, 2)) / 4  # exact in floats too
    y = rng.choice([1, -1], 8)
    run, exact = pla(X, y, max_updates=200), pla_rows(whole_rows(X, y, digits=2), max_updates=200)
    assert np.array_equal(run.mistakes, exact.mistakes)
    assert np.array_equal(run.path, exact.path / 100)


def test_no_weights_are_drawn_as_solutions_where_there_are_none() -> None:
    one = explorers.PerceptronExplorer()
    for tenths in ([1, 2, 3], [2, 5, 8], [3, 4, 5]):
        fill(one, [[t / 10, t / 10] for t in tenths], [1, -1, 1])
        drawn = [mark.name for panel in one.panels() for mark in panel.drawables]
        assert "lambda" in drawn
        assert "solutions" not in drawn


def test_difference_of_two_lines() -> None:
    degrees, apart = difference(Hyperplane([1, 0], -1), Hyperplane([1, 1], 0), [0, 0])
    assert degrees == pytest.approx(45)
    assert apart == pytest.approx(1)


@pytest.mark.parametrize("k", [1e-6, 7.0, 1e9])
def test_a_score_is_rounding_beside_its_own_terms(k: float) -> None:
    h = Hyperplane([0.1, 0.2], -0.3 * k)
    assert side(h, [[k, k], [k, k * 1.0001], [k, k * 0.9999]]).tolist() == [0, 1, -1]
    hair = np.nextafter(k, [np.inf, 0])
    assert side(h, [[k, hair[0]], [k, hair[1]]]).tolist() == [0, 0], "the next float is no side"


def test_whole_rows_have_the_constant_or_not() -> None:
    assert whole_rows([[0.1, 0.3]], [-1], digits=1).tolist() == [[-10, -1, -3]]
    assert whole_rows([[0.1, 0.3]], [-1], digits=1, bias=False).tolist() == [[-1, -3]]
    assert not np.signbit(whole_rows([[1e-9]], [-1], digits=1)[0, 1]), "−0.0 is untidy in print"


@pytest.mark.parametrize("k", [1e-6, 1.0, 1e6])
def test_the_same_line_is_no_distance_from_itself(k: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        w, w0 = rng.normal(size=2), rng.normal() * k
        one, other = Hyperplane(w, w0), Hyperplane(w * 0.3, w0 * 0.3)
        assert difference(one, other, [0, 0])[1] == 0, "lines far from a place near the origin"
        assert difference(one, other, rng.normal(size=2) * k)[1] == 0
        upright = [Hyperplane([size * w[0], 0], size * w0) for size in (1, 0.3)]
        assert difference(*upright, [0, 0])[1] == 0
        beside = Hyperplane(w, w0 + 1e-6 * k)
        assert difference(one, beside, [0, 0])[1] == pytest.approx(1e-6 * k / one.norm, rel=1e-3)
