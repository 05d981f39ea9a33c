"""The loss of the softmax model; its minimum is tested in test_softmax."""

import numpy as np
import pytest

from linlib.multiclass.multinomial import sum_zero


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_coordinates_are_orthonormal_and_add_up_to_zero(k):
    turn = sum_zero(k)
    assert turn.shape == (k, k - 1)
    assert np.allclose(turn.T @ turn, np.eye(k - 1))
    assert np.allclose(turn.sum(axis=0), 0)
