"""What a descent comes to in the long run, beside descents that are followed."""

from __future__ import annotations

import numpy as np
import pytest

from linlib.descent import gradient_descent
from linlib.losses import hinge_loss, squared_loss
from linlib.objectives import objective
from linlib.outlook import outlook


def looked(X: object, y: object, loss: object, step: float, start: object, singly: bool) -> object:
    target = objective(X, y, loss, bias=False)
    order = "cyclic" if singly else "all"
    run = gradient_descent(target, step=step, start=start, order=order, max_updates=60)
    return outlook(target, run, step=step, one_by_one=singly)


@pytest.mark.parametrize("singly", [False, True])
def test_long_runs_on_the_squared_loss(singly: bool) -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]], [1, 1]
    assert looked(X, y, squared_loss, 0.5, [3, -1], singly).kind == "settles"
    assert np.allclose(looked(X, y, squared_loss, 0.5, [3, -1], singly).rest, 1)
    assert looked(X, y, squared_loss, 2.5, [3, -1], singly).kind == "diverges"
    assert looked(X, y, squared_loss, 2.0, [3, -1], singly).kind == "swings"
    assert looked(X, y, squared_loss, 2.5, [1, 1], singly).kind == "rests"
    flat = looked([[1.0, 1.0], [2.0, 2.0]], y, squared_loss, 0.1, [-3, 3], singly)
    assert (flat.kind, flat.rank) == ("settles", 1)
    assert np.isclose(flat.rest @ [1, -1], -6), "what no row sees stays"


def test_long_runs_on_the_hinge_loss() -> None:
    assert looked([[1.0, 0.0]], [1], hinge_loss, 0.5, [0, 0], False).kind == "rests"
    turning = looked([[1.0, 1.0]] * 2, [1, -1], hinge_loss, 0.3, [0.2, 0.1], True)
    assert (turning.kind, turning.period) == ("cycles", 2)
    assert looked([[1.0, 0.0]], [1], hinge_loss, 1e-3, [0, 0], False).kind == "goes on"
