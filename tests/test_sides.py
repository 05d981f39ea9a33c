"""Sides and runs that the digits of the data decide."""

from __future__ import annotations

import numpy as np
import pytest

from linlib import Hyperplane, pla, pla_rows
from linlib.sides import difference, side, whole_rows


def test_sides_follow_the_decimals() -> None:
    h = Hyperplane([0.1, 0.2], -0.3)
    assert side(h, [[1, 1], [1, 1.0001], [1, 0.9999]]).tolist() == [0, 1, -1]


@pytest.mark.parametrize("seed", range(10))
def test_whole_rows_make_the_mistakes_of_the_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-20, 21, size=(8, 2)) / 4  # exact in floats too
    y = rng.choice([1, -1], 8)
    run, exact = pla(X, y, max_updates=200), pla_rows(whole_rows(X, y, digits=2), max_updates=200)
    assert np.array_equal(run.mistakes, exact.mistakes)
    assert np.array_equal(run.path, exact.path / 100)
    with pytest.raises(ValueError, match="row 0 has more than 1 decimals in column 1"):
        whole_rows([[0.5, 0.25]], [1], digits=1)


def test_difference_of_two_lines() -> None:
    degrees, apart = difference(Hyperplane([1, 0], -1), Hyperplane([1, 1], 0), [0, 0])
    assert degrees == pytest.approx(45)
    assert apart == pytest.approx(1)
