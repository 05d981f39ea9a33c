"""Labels are ±1, or names of classes, one for each row; what is refused is said with the rest."""

import numpy as np
import pytest

from linlib.base.checks import classes, signs


def test_labels_that_are_floats_already_are_not_copied():
    y = np.array([1.0, -1.0, 1.0])
    assert signs(y, 3) is y
    assert signs(y.astype(int), 3).dtype == np.float64


@pytest.mark.parametrize("y", [[2, -2], [2.0, 2.0], [0.5, -1]], ids=str)
def test_numbers_of_another_size_are_no_signs(y):
    with pytest.raises(ValueError, match=r"^y: labels must be -1 or \+1, found \S+ at row 0; "):
        signs(y, 2)


@pytest.mark.parametrize("check", [signs, classes])
def test_there_is_one_label_for_each_row(check):
    with pytest.raises(ValueError, match=r"^y: has 2 labels for 3 rows of X; "):
        check([1, -1], 3)
    with pytest.raises(ValueError, match=r"^y: expected one label a row, got shape \(2, 1\); "):
        check([[1], [-1]], 2)


def test_classes_are_numbers_or_strings_throughout():
    with pytest.raises(TypeError, match=r"^y: labels are mixed objects; "):
        classes(np.array(["a", 1, None], dtype=object), 3)
    names, codes = classes(np.array(["b", "a", "bb"], dtype=object), 3)
    assert (names.tolist(), codes.tolist()) == (["a", "b", "bb"], [1, 0, 2])


def test_a_class_alone_is_too_few_unless_it_is_enough():
    with pytest.raises(ValueError, match=r"^y: holds only the class 7; at least 2 classes "):
        classes([7, 7], 2)
    assert classes([7, 7], 2, least=1)[1].tolist() == [0, 0]
