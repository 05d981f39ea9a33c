"""Exercises that check themselves, in a notebook and on the site.

A lecture's cell has the task and where to begin; ``exercises.toml`` has what is tried, by the
function's name. The cell ends with the check:

>>> def side(w, w0, x):
...     return 1 if w[0] * x[0] + w[1] * x[1] > 0 else -1
>>> print(check(side))
side([2, 1], -3, [1, 0.5]) is 1, not -1. The offset is missing: the line w·x + w₀ = 0 passes \
through the origin only if w₀ = 0.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import FunctionType
from typing import Any

import numpy as np

import linlib
from linlib.base import checks

PASS = "All checks pass."


@cache
def tries() -> dict[str, list[Mapping[str, Any]]]:
    """Return what each exercise is tried with."""
    text = files("linlib.notebook").joinpath("exercises.toml").read_text("utf-8")
    return tomllib.loads(text)


# What an exercise may use besides linlib's own names; the pages of the site promise it.
MODULES: dict[str, Any] = {"np": np, "linlib": linlib, "Fraction": Fraction}
PROMISE = f"{', '.join(MODULES)} and all that linlib offers (pla, data, …) need no import."


def course() -> dict[str, Any]:
    """Return the names that are promised: what a page's editor and every check begin with."""
    return MODULES | {name: getattr(linlib, name) for name in linlib.__all__}


def check(written: Callable[..., Any]) -> str:
    """Return what is wrong with a function, by its name an exercise, or that all checks pass."""
    id = checks.choice(written.__name__, "written", tuple(tries()))
    function = _with_promised(written)
    return next(filter(None, (_problem(one, function) for one in tries()[id])), PASS)


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


def _problem(one: Mapping[str, Any], written: Callable[..., Any]) -> str:
    call, names = one["try"], course()
    try:
        got = eval(call, names | {written.__name__: written})
    except Exception as error:
        return f"{call} raised {type(error).__name__}: {error}"
    if got is ...:
        return f"{written.__name__} is not written yet: put your code in place of the dots."
    expected = eval(one["is"], names)
    if same(got, expected):
        return ""
    said = f"{call} is {shown(got)}, not {shown(expected)}."
    hints = [hint for value, hint in one.get("wrong", {}).items() if same(got, eval(value, names))]
    return " ".join([said, *[*hints, one.get("hint", "")][:1]]).strip()


def same(a: Any, b: Any) -> bool:
    """Tell whether two results are equal, numbers to nine digits.

    >>> same(np.array([0.1 + 0.2]), [0.3]), same((1, "a"), [1, "a"]), same([1], [[1]])
    (True, True, False)
    """
    try:
        x, y = np.asarray(a), np.asarray(b)
    except ValueError:
        return False
    if x.shape != y.shape or (a is None) != (b is None):
        return False
    if x.dtype.kind in "biuf" and y.dtype.kind in "biuf":
        return bool(np.allclose(x, y, rtol=1e-9, atol=1e-9, equal_nan=True))
    return bool(np.all(x == y))


def shown(value: Any) -> str:
    """Return a result in few words, arrays to six decimals.

    >>> shown(np.array([0.1 + 0.2, 1.0])), shown(None)
    ('[0.3, 1.0]', 'None')
    """
    return repr(value.round(6).tolist() if isinstance(value, np.ndarray) else value)
