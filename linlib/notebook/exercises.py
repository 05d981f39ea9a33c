"""Exercises that check themselves, in a notebook and on the site: both read ``exercises.toml``.

In a notebook, write the function in a cell and have it checked in the next:

>>> def side(w, w0, x):
...     return 1 if w[0] * x[0] + w[1] * x[1] > 0 else -1
>>> print(check("side", side))
side([2, 1], -3, [1, 0.5]) is 1, not -1. The offset is missing: the line w·x + w₀ = 0 passes \
through the origin only if w₀ = 0.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

import linlib
from linlib.base import checks


@dataclass(frozen=True)
class Exercise:
    """What to write, where to begin, and what it must do."""

    id: str
    lecture: str
    title: str
    ask: str
    start: str
    checks: tuple[Mapping[str, Any], ...]


@cache
def exercises() -> dict[str, Exercise]:
    """Return all exercises by their names."""
    text = files("linlib.notebook").joinpath("exercises.toml").read_text("utf-8")
    found = [
        Exercise(id, lecture, one["title"], one["ask"], one["start"], tuple(one["checks"]))
        for lecture, group in tomllib.loads(text).items()
        for id, one in group.items()
    ]
    return {one.id: one for one in found}


def check(id: str, *written: Callable[..., Any], names: Mapping[str, Any] | None = None) -> str:
    """Return what is wrong with functions written for an exercise, or that all checks pass.

    ``names`` may give them by name instead, as a page does.
    """
    known = exercises()
    checks.choice(id, "id", tuple(known))
    given = dict(names or {}) | {one.__name__: one for one in written}
    for one in known[id].checks:
        problem = _problem(one, given)
        if problem:
            return problem
    return f"All {len(known[id].checks)} checks pass."


def _problem(one: Mapping[str, Any], given: dict[str, Any]) -> str:
    call, course = one["try"], {name: getattr(linlib, name) for name in linlib.__all__}
    expected = eval(one["is"], {"np": np, **course})
    try:
        got = eval(call, {"np": np, **course, **given})
    except Exception as error:
        return f"{call} raised {type(error).__name__}: {error}"
    if got is ...:
        return f"{call} is not written yet: put your code in place of the three dots."
    if same(got, expected):
        return ""
    said = f"{call} is {shown(got)}, not {shown(expected)}."
    hints = [hint for value, hint in one.get("wrong", {}).items() if same(got, eval(value))]
    return " ".join([said, *[*hints, one.get("hint", "")][:1]]).strip()


def same(a: Any, b: Any) -> bool:
    """Tell whether two results are equal, numbers to nine digits.

    >>> same(np.array([0.1 + 0.2]), [0.3]), same((1, "a"), [1, "a"]), same([1], [[1]])
    (True, True, False)
    """
    if a is None or b is None:
        return a is b
    try:
        x, y = np.asarray(a), np.asarray(b)
    except ValueError:
        return False
    if x.shape != y.shape:
        return False
    if x.dtype.kind in "biuf" and y.dtype.kind in "biuf":
        return bool(np.allclose(x, y, rtol=1e-9, atol=1e-9))
    return bool(np.all(x == y))


def shown(value: Any) -> str:
    """Return a result in few words, arrays to six decimals.

    >>> shown(np.array([0.1 + 0.2, 1.0])), shown(None)
    ('[0.3, 1.0]', 'None')
    """
    return repr(value.round(6).tolist() if isinstance(value, np.ndarray) else value)
