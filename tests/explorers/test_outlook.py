"""What a descent on the squared loss comes to, beside steps and passes that are really made."""

from __future__ import annotations

import numpy as np
import pytest

from linlib.explorers import DescentExplorer
from linlib.explorers.descent.outlook import outlook
from tests.helpers.states import fill


def walked(Z: np.ndarray, w: np.ndarray, step: float, passes: int, one_by_one: bool) -> np.ndarray:
    """Return the weights after so many steps, or passes, each as a plain sum over its rows."""
    for _ in range(passes):
        for rows in Z[:, None] if one_by_one else Z[None]:
            w = w + step * ((1 - rows @ w) @ rows)
    return w


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_it_ends_where_it_is_said_to_and_shrinks_by_the_factor(seed: int, one_by_one: bool) -> None:
    rng = np.random.default_rng(seed)
    Z, start = rng.uniform(-1, 1, size=(4, 2)), rng.uniform(-3, 3, size=2)
    rank, factor, rest = outlook(Z, start, 0.3, one_by_one=one_by_one)
    assert (rank, abs(factor) < 1) == (2, True)
    assert np.allclose(walked(Z, start, 0.3, 2000, one_by_one), rest, atol=1e-8)
    far = [np.linalg.norm(walked(Z, start, 0.3, k, one_by_one) - rest) for k in (10, 30)]
    # The sizes of both eigenvalues may be close, so that the other one is still seen.
    assert (far[1] / far[0]) ** (1 / 20) == pytest.approx(abs(factor), rel=0.1)


@pytest.mark.parametrize("one_by_one", [False, True])
def test_a_large_step_grows_by_the_factor(one_by_one: bool) -> None:
    Z, start = np.array([[1.0, 2.0], [2.0, -0.5]]), np.array([1.0, 0.7])
    _, factor, _ = outlook(Z, start, 0.9, one_by_one=one_by_one)
    late, later = (np.linalg.norm(walked(Z, start, 0.9, k, one_by_one)) for k in (20, 120))
    assert (later / late) ** (1 / 100) == pytest.approx(abs(factor), rel=0.01)


@pytest.mark.parametrize("one_by_one", [False, True])
def test_what_no_row_sees_stays(one_by_one: bool) -> None:
    Z = np.array([[1.0, 1.0], [2.0, 2.0]])
    rank, factor, rest = outlook(Z, np.array([3.0, 1.0]), 0.1, one_by_one=one_by_one)
    assert (rank, abs(factor) < 1) == (1, True)
    assert rest[0] - rest[1] == pytest.approx(2)
    assert outlook(np.zeros((2, 2)), np.array([3.0, 1.0]), 0.1, one_by_one=one_by_one)[0] == 0


def test_a_descent_that_starts_where_it_would_rest_is_not_said_to_diverge() -> None:
    explorer = DescentExplorer(step=1.0)
    explorer.pick.value = "one by one"
    fill(explorer, [[2, -2]] * 12, [1] * 12)  # a pass multiplies an error by 7¹²
    explorer.move("start", 0.25, -0.25)
    explorer.to_end()
    assert "diverge" not in explorer.text
    explorer.move("start", 0.26, -0.25)
    assert "It diverges: a pass multiplies the error by 1.38·10¹⁰ in the long run." in explorer.text
