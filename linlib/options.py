"""Check what else a function is given: numbers, counts, names, switches and generators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def real(value: float, name: str) -> float:
    """Return one number as a float; what no float can hold comes out as infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name}: expected a number, got {value!r}; give a plain float.")
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def positive(value: float, name: str, *, zero: bool = False) -> float:
    """Return a finite number above zero (or from zero on)."""
    number = real(value, name)
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        bound = "zero or more" if zero else "positive"
        raise ValueError(f"{name}: must be {bound} and finite, got {number}; try {name}=1.0.")
    return number


def count(value: int, name: str, *, least: int = 0) -> int:
    """Return an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name}: expected an integer, got {value!r}; write {name}={least or 1}.")
    if value < least:
        raise ValueError(f"{name}: must be at least {least}, got {value}.")
    return int(value)


def place(value: int, name: str, n: int) -> int:
    """Return a position among n, counted from 0."""
    position = count(value, name)
    if position >= n:
        raise ValueError(f"{name}: {position} is none of the {n} there are; count from 0.")
    return position


def choice(value: str, name: str, options: Sequence[str]) -> str:
    """Return ``value`` if it is one of the options."""
    if not isinstance(value, str) or value not in options:
        listed = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name}: {value!r} is not known; choose one of {listed}.")
    return value


def generator(rng: np.random.Generator | None, why: str) -> np.random.Generator:
    """Return ``rng``, or say that randomness has to be passed in."""
    if rng is None:
        raise ValueError(f"rng: {why} needs a random generator; pass rng=np.random.default_rng(7).")
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng: expected a numpy Generator, got {rng!r}; pass rng=np.random.default_rng(7)."
        )
    return rng


def flag(value: bool, name: str) -> bool:
    """Return True or False; what Python merely takes for one of them is refused."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}: expected True or False, got {value!r}; write {name}=True.")
    return bool(value)
