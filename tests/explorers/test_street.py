"""Who holds the street, told as exactly as the gap of the fit allows."""

from typing import Any

import numpy as np
import pytest

from linlib.explorers.margin import COARSEST, street
from linlib.margins.linear_svm import SoftMargin, soft_margin

X = np.array([[-1.0, 0], [1, 0], [1, 0], [2, 3], [2, -3], [-1, 0]])
y = np.array([-1, 1, 1, 1, 1, -1])
REACH = float(np.linalg.norm(X - X.mean(axis=0), axis=1).max())
GAP = 1e-10


def held(gap: float, excess: float = 0.0, share: float = 1.0, penalty: float = 0.5) -> Any:
    """Return the street of a fit with this gap, far from the origin, which must not matter.

    Rows 0 and 1 lie on an edge, row 2 lies ``excess`` off one and has the multiplier ``share``. The
    last row, which lies on an edge too, keeps the offset where it is.
    """
    points = X + np.array([0, 10.0])
    points[2, 0] += excess
    fit = SoftMargin(
        weights=np.array([0.0, 1.0, 0.0]), errors=0, converged=False, status="", value=1.5,
        gap=gap, multipliers=np.array([1.0, 1.0, share, 0.0, 0.0, 0.0]), updates=0,
    )  # fmt: skip
    return street(fit, points, y, penalty)


@pytest.mark.parametrize("penalty", [0.5, 2.0])
def test_what_the_gap_leaves_unknown_is_on_the_edge_and_holds_nothing(penalty: float) -> None:
    known = float(np.sqrt(2 * GAP / penalty))  # w may be so far off
    for factor, edge in ((0.9, [0, 1, 2]), (1.1, [0, 1])):
        outside = held(GAP, factor * 2 * known * REACH, penalty=penalty)
        assert (outside.edge.tolist(), outside.support.tolist()) == (edge, [0, 1, 2])
        within = held(GAP, -factor * 2 * known * REACH, penalty=penalty)
        assert (within.edge.tolist(), within.wrong.tolist()) == (edge, [])
        assert within.inside.tolist() == ([] if 2 in edge else [2])
        tiny = held(GAP, share=factor * known / REACH, penalty=penalty)
        assert tiny.support.tolist() == ([0, 1] if factor < 1 else [0, 1, 2])


def test_a_fit_that_stopped_early_is_described_as_it_is_drawn() -> None:
    assert held(1.0, 0.5 * COARSEST).edge.tolist() == [0, 1, 2]
    assert held(1.0, 2 * COARSEST).edge.tolist() == [0, 1]


def test_who_pays_is_inside_and_not_on_an_edge() -> None:
    pair = np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([-1, 1])
    found = street(soft_margin(*pair, penalty=2.0), *pair, 2.0)
    assert (found.inside.tolist(), found.edge.tolist(), found.wrong.tolist()) == ([0, 1], [], [])
    assert found.free, "multipliers at their bound leave the offset free"
    assert found.weights[0] == pytest.approx(0)
    found = street(soft_margin(*pair, penalty=0.01), *pair, 0.01)
    assert (found.free, found.edge.tolist()) == (False, [0, 1])
    beyond = held(GAP, -6.0)
    assert beyond.inside.tolist() == beyond.wrong.tolist() == [2]
