"""Corrections are followed to their end or to that of a budget; runs are tested as results."""

import numpy as np

from linlib import data
from linlib.base.rows import SignedRows
from linlib.perceptron.algorithm import run_on, start_of

RIGHT = SignedRows(np.array([[1.0, 2.0], [1.0, 3.0]]))
XOR = SignedRows.of(*data.xor_gate(), bias=True)


def test_unless_told_otherwise_ten_thousand_updates_are_made_from_zero_with_a_bias():
    run = run_on(XOR)
    assert run.updates == 10_000
    assert run.status.startswith("Stopped: max_updates=10000 ran out in pass ")
    assert run.start.tolist() == [0, 0, 0]
    assert run_on(RIGHT).hyperplane.w0 == run_on(RIGHT).weights[0], "the offset comes first"


def test_a_budget_of_nothing_is_used_up_before_the_first_pass():
    run = run_on(XOR, max_updates=0)
    assert (run.updates, run.passes, run.converged) == (0, 0, False)


def test_a_run_without_mistakes_has_empty_lists_of_row_numbers():
    run = run_on(RIGHT, start=[1.0, 1.0])
    assert (run.updates, run.passes, run.converged) == (0, 1, True)
    for numbers in (run.mistakes, run.visits):
        assert (numbers.dtype, numbers.shape) == (np.int64, (0,))


def test_the_start_is_zero_or_what_is_given():
    assert start_of(None, 2).tolist() == [0, 0]
    assert start_of([3, 4], 2).tolist() == [3, 4]
