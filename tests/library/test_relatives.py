"""The perceptron's relatives, in what they do not share with it; their runs are tested as runs."""

import warnings

import numpy as np
import pytest

from linlib import batch, data, pocket, signed_rows

AND, XOR = data.and_gate(), data.xor_gate()


def test_the_first_batch_adds_every_row_once():
    run = batch(*AND, max_updates=1)
    assert run.weights.tolist() == signed_rows(*AND).sum(axis=0).tolist()
    assert batch(*AND, max_updates=1, step=0.5).weights.tolist() == (run.weights / 2).tolist()


def test_a_batch_that_converged_made_one_look_more_than_updates():
    run = batch(*AND)
    assert run.converged
    assert run.passes == run.updates + 1
    stopped = batch(*XOR, start=[1, 0, 0], max_updates=3)
    assert (stopped.converged, stopped.updates, stopped.passes) == (False, 3, 3)


@pytest.mark.parametrize("step", [1e100, 1e200])
def test_a_pocket_of_enormous_weights_gives_no_warning(step):
    X = np.array([[1e150, 1.0], [-1e150, 1.0], [1.0, -1e150]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = pocket(X, [1, 1, -1], step=step, max_updates=5)
    assert len(run.best_errors) == run.updates + 1
