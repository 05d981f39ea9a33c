"""Right answers made by program: the results of a model answer in every form that counts.

A student may return a list, a tuple or an array, Python's numbers, NumPy's or fractions, a column
for a row, an array that lies in memory in another order. What is the same value in another form
must keep its points, and the tests that students see must not refuse it. (``mutants.py`` makes the
wrong answers.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from linlib.notebook.question import Question

Form = Callable[[np.ndarray], Any]


def tuples(array: np.ndarray) -> Any:
    """Return nested tuples, and a single number as Python's."""
    return tuple(map(tuples, array)) if array.ndim else array.item()


def column(array: np.ndarray) -> Any:
    """Return a row as a column, and a single number as an array of one."""
    return array.reshape(-1, 1) if array.ndim == 1 else np.atleast_1d(array)


def whole_numbers(array: np.ndarray) -> Any:
    """Return integers where all numbers are whole: 1 for True, 3 for 3.0."""
    is_whole = np.isfinite(array).all() and np.all(array == np.round(array))
    return array.astype(int) if is_whole else array


def fractions(array: np.ndarray) -> Any:
    """Return nested lists of fractions; infinity and nan are none, and stay."""
    if array.ndim:
        return [fractions(part) for part in array]
    number = array.item()
    return Fraction(number) if math.isfinite(number) else number


def columns_first(array: np.ndarray) -> Any:
    """Return an array whose columns lie together in memory, as in Fortran."""
    return np.asfortranarray(array) if array.ndim > 1 else array


def backwards(array: np.ndarray) -> Any:
    """Return a view of an array that lies backwards in memory."""
    return array[::-1].copy()[::-1] if array.ndim else array


def every_second(array: np.ndarray) -> Any:
    """Return a view of an array of twice the length, which does not lie in one piece."""
    return np.repeat(array, 2, axis=0)[::2] if array.ndim else array


FORMS: dict[str, Form] = {
    "lists": np.ndarray.tolist,
    "tuples": tuples,
    "arrays": np.asarray,  # a single number as an array without dimensions
    "columns": column,
    "floating-point numbers": lambda array: array.astype(float),
    "whole numbers": whole_numbers,
    "long floating-point numbers": lambda array: array.astype(np.longdouble),
    "fractions": fractions,
    "columns first in memory": columns_first,
    "backwards in memory": backwards,
    "every second number": every_second,
}

# Forms that no homework promises to accept. They keep their points all the same; the tests that
# students see may ask for a row, and for numbers that can be rounded.
NOT_PROMISED = {"columns", "fractions"}


def in_form(value: Any, form: Form) -> Any:
    """Return a result in another form, of several results each; what has no numbers stays.

    >>> in_form((np.array([1.0, 2.0]), 3), FORMS["lists"])
    [[1.0, 2.0], 3]
    >>> in_form({"a": True, "b": "word"}, FORMS["whole numbers"])
    {'b': 'word', 'a': array(1)}
    """
    if isinstance(value, dict):
        return {key: in_form(value[key], form) for key in reversed(value)}
    if isinstance(value, tuple):
        results = [in_form(one, form) for one in value]
        return tuple(results) if form is tuples else results
    array = np.asarray(value)
    return form(array) if array.dtype.kind in "biuf" else value


def in_all_forms(question: Question, names: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield, for each form, the names with the answer among them in that form.

    The function that takes the answer's place has other names for its arguments, and an option
    that nobody asked for.
    """
    answer = names[question.name]
    for name, form in FORMS.items():

        def function(*given: Any, form: Form = form, **options: Any) -> Any:
            return in_form(answer(*given, **options), form)

        value = function if question.is_function else in_form(answer, form)
        yield name, names | {question.name: value}
