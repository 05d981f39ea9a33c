"""Kinds of curves between two Gaussian classes, degenerate ones included."""

from __future__ import annotations

import numpy as np
import pytest

from linlib.discriminants.gaussian import QDA
from linlib.discriminants.quadric import KINDS, boundary


def model(means: object, covariances: object, prior: float = 0.5) -> QDA:
    priors = np.array([1 - prior, prior])
    return QDA(np.array([0, 1]), priors, np.array(means, float), np.array(covariances, float))


I = np.eye(2)


CASES = {
    "ellipse": model([[0, 0], [0, 0]], [I, 4 * I]),
    "hyperbola": model([[0, 0], [1, 2]], [np.diag([1, 4]), np.diag([4, 1])]),
    "parabola": model([[0, 0], [1, 2]], [np.diag([1, 1]), np.diag([4, 1])]),
    "line": model([[0, 0], [1, 2]], [I, I]),
    "crossing lines": model([[0, 0], [0, 0]], [np.diag([1, 4]), np.diag([4, 1])]),
    "parallel lines": model([[0, 0], [0, 0]], [np.diag([1, 1]), np.diag([4, 1])]),
    "double line": model([[0, 0], [0, 0]], [np.diag([1, 1]), np.diag([4, 1])], prior=2 / 3),
    "point": model([[0, 0], [0, 0]], [I, 4 * I], prior=4 / 5),
    "none": model([[0, 0], [0, 0]], [I, 4 * I], prior=0.9),
    "everywhere": model([[0, 0], [0, 0]], [I, I]),
}


@pytest.mark.parametrize("turn", [0.0, 0.4, 2.1])
@pytest.mark.parametrize(("shift", "unit"), [(0.0, 1.0), (3.7, 1.0), (0.0, 1e-4), (0.0, 1e4)])
@pytest.mark.parametrize("kind", CASES)
def test_every_kind_is_named_wherever_it_lies(
    kind: str, shift: float, unit: float, turn: float
) -> None:
    plain = CASES[kind]
    R = unit * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved = model(
        plain.means @ R.T + shift, [R @ S @ R.T for S in plain.covariances], plain.priors[1]
    )
    curve = boundary(moved)
    assert curve.kind == kind
    assert (curve.sign != 0) == (kind == "none"), "else it has both signs, or neither"
    assert set(CASES) == set(KINDS)
    probe = np.array([0.3, -1.2])
    assert np.isclose(curve.value(probe), moved.log_odds(probe[None])[0])


@pytest.mark.parametrize("kind", ["double line", "point", "crossing lines", "parabola"])
def test_a_hair_beside_it_is_another_kind(kind: str) -> None:
    plain = CASES[kind]
    covariances = plain.covariances + np.array([np.diag([0, 1e-4]), np.zeros((2, 2))])
    assert boundary(model(plain.means, covariances, plain.priors[1])).kind != kind


def test_no_boundary_says_which_class_is_everywhere() -> None:
    assert boundary(CASES["none"]).sign == 1
    assert boundary(model([[0, 0], [0, 0]], [4 * I, I], prior=0.1)).sign == -1


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("turn", [0.4, 1.1, 2.1])
def test_a_slope_along_which_nothing_bends_is_rounding_beside_what_was_subtracted(
    turn: float, unit: float
) -> None:
    R = unit * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    means = np.array([[0.0, 0.0], [1.0, 0.0]]) @ R.T
    curve = boundary(model(means, [R @ R.T, R @ np.diag([4.0, 1.0]) @ R.T]))
    assert curve.kind == "parallel lines", "the means lie apart along the bend alone"
