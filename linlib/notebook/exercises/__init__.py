"""Exercises that check themselves, in a notebook and on the site.

A lecture's cell has the task and where to begin. The module that is called like the lecture has the
question: what the function is tried with, the model answer, and the wrong answers that readers
give, each with its hint. The cell ends with the check:

>>> def side(w, w0, x):
...     return 1 if w @ x > 0 else -1
>>> print(check(side))
side(np.array([2, 1]), -3, np.array([1, 0.5])) is 1, not -1. The offset is missing: the line \
w·x + w₀ = 0 passes through the origin only if w₀ = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

from linlib.base import checks
from linlib.notebook.exercises.form import MODULES, course
from linlib.notebook.question import Outcome, Question, arguments_of, hint_for

__all__ = ["MODULES", "PASS", "PROMISE", "check", "course", "questions", "shown"]

PASS = "All checks pass."
PROMISE = f"{', '.join(MODULES)} and all that linlib offers (pla, data, …) need no import."
LECTURES = (
    "hyperplanes",
    "perceptron",
    "convergence",
    "no_line",
    "gradient_descent",
    "least_squares",
    "margins",
    "discriminants",
    "logistic",
    "multiclass",
    "on_real_data",
)


@cache
def questions() -> dict[str, Question]:
    """Return the exercises of all lectures, by the name of the function that each asks for."""
    modules = [import_module(f"linlib.notebook.exercises.{lecture}") for lecture in LECTURES]
    return {question.name: question for module in modules for question in module.QUESTIONS}


def check(written: Callable[..., Any]) -> str:
    """Return what is wrong with a function, by its name an exercise, or that all checks pass."""
    question = questions()[checks.choice(written.__name__, "written", tuple(questions()))]
    function = _with_promised(written)
    problems = (_problem(question, number, function) for number in range(len(question.cases)))
    return next((problem for problem in problems if problem), PASS)


def _with_promised(written: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that finds the promised names, whatever its notebook has imported.

    >>> def norm(x):
    ...     return linlib.Hyperplane(x, 0).norm
    >>> _with_promised(norm)([3, 4])
    5.0
    """
    if not isinstance(written, FunctionType):  # a class or a wrapped function has no names to add
        return written
    names = course() | written.__globals__
    made = FunctionType(
        written.__code__, names, written.__name__, written.__defaults__, written.__closure__
    )
    made.__kwdefaults__ = written.__kwdefaults__
    names[written.__name__] = made  # where it calls itself
    return made


def _problem(question: Question, number: int, written: Callable[..., Any]) -> str:
    """Return what is wrong in one case, with a hint if there is one; empty if nothing is."""
    case = question.cases[number]
    try:
        got = written(*arguments_of(case))
    except Exception as error:
        return f"{case.label} raised {type(error).__name__}: {error}"
    if got is ...:
        return f"{question.name} is not written yet: put your code in place of the dots."
    if question.fault(got, number) is None:
        return ""
    said = f"{case.label} is {shown(got)}, not {shown(question.expected[number])}."
    return f"{said} {hint_for(question, number, Outcome('value', got))}".strip()


def shown(value: Any) -> str:
    """Return a result in few words, arrays to six decimals, as Python's own numbers.

    >>> shown(np.array([0.1 + 0.2, 1.0])), shown((np.float64(0.5), None))
    ('[0.3, 1.0]', '(0.5, None)')
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.round(6) if value.dtype.kind == "f" else value
        return repr(value.tolist())
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    return repr(value)
