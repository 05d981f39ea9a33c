"""How an exercise is written: what may be used, and what the function is tried with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import linlib
from linlib.notebook.question import Case, Question

# What an exercise may use; the pages of the site promise it.
GIVEN = """
from fractions import Fraction

import numpy as np

import linlib
from linlib import *
"""


def course() -> dict[str, Any]:
    """Return the names that are promised: what a page's editor and every check begin with."""
    return dict(_course())


@cache
def _course() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(GIVEN, names)
    return {name: names[name] for name in names if name != "__builtins__"}


MODULES = {name: value for name, value in course().items() if name not in linlib.__all__}


def exercise(
    name: str, tries: Sequence[Case], *, answer: str, wrong: Mapping[str, str]
) -> Question:
    """Return the question that asks for a function of this name; see ``Question``."""
    return Question(name, tries, answer=answer, wrong=wrong, given=GIVEN)


def tried(call: str, hint: str = "") -> Case:
    """Return the case that is this call, written as a reader would repeat it.

    >>> tried("side(np.array([2, 1]), -3)").arguments
    (array([2, 1]), -3)
    """
    name = call.partition("(")[0]
    arguments = eval(call, course() | {name: lambda *given: given})
    return Case(call, arguments, hint=hint)
