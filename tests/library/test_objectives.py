"""The defaults of objectives, and what they say of themselves; their values: test_descent."""

import numpy as np

from linlib.descent.losses import Objective, hinge_loss, hinge_objective, objective, squared_loss

X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, -1, 1]


def test_an_objective_is_a_sum_with_a_free_offset_and_no_penalty_unless_told_otherwise():
    plain = Objective(np.array([[1.0, 2.0], [-1.0, 0.0]]), hinge_loss)
    assert (plain.penalty, plain.average, plain.bias) == (0.0, False, True)
    assert plain.value([0.0, 0.0]) == 2.0
    assert objective(X, y, hinge_loss).value([0, 0, 0]) == 4.0
    assert objective(X, y, hinge_loss).bias


def test_the_objective_of_the_margin_lecture_is_a_mean_with_or_without_an_offset():
    with_offset = hinge_objective(X, y, 0.5)
    assert with_offset.Z.shape == (4, 3)
    assert with_offset.value([2.0, 0.0, 0.0]) == 9 / 4, "an offset costs no length"
    without = hinge_objective(X, y, 0.5, bias=False)
    assert without.Z.shape == (4, 2)
    assert without.value([2.0, 0.0]) == (1 + 1 + 3 + 0) / 4 + 0.5 * 0.5 * 4


def test_an_objective_says_what_it_is_made_of():
    plain, penalised = objective(X, y, squared_loss), hinge_objective(X, y, 0.5, bias=False)
    assert repr(plain) == "Objective(loss squared; rows 4 × 3; taken as sum)"
    assert repr(penalised) == "Objective(loss hinge; rows 4 × 2; taken as mean; penalty 0.5)"
