"""Input checks: bad input gets one sentence.

The sentence names the argument, what is wrong, where (row and column) and what to do about it.
A wrong type raises ``TypeError``, a wrong value ``ValueError``. What passes is returned as a fresh
or untouched array: no function of linlib writes into its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Every integer up to here is a float; beyond it neighbours collapse and exact results are lost.
LARGEST_EXACT = 2**53
# Beyond this a squared length overflows to infinity.
LARGEST = 1e150
# The distance from 1.0 to the next float: no rounding is off by more than half of it, relatively.
EPS = float(np.finfo(np.float64).eps)


def regular(value: ArrayLike, name: str) -> NDArray[Any]:
    """Return ``value`` as an array of whatever kind, if it is a whole and regular one."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{name}: has masked entries; fill them or drop their rows first.")
    if hasattr(value, "toarray"):
        raise TypeError(f"{name}: is a sparse matrix; convert it with {name}.toarray() first.")
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(_ragged(value, name)) from None


def numbers(value: ArrayLike, name: str) -> FloatArray:
    """Return ``value`` as floats, or say why it is not an array of finite numbers."""
    array = regular(value, name)
    if array.dtype == object or array.dtype.kind in "USMmVc":
        odd = _first_odd(array)
        if odd is None:
            raise TypeError(f"{name}: holds objects; convert it with {name}.astype(float) first.")
        place, item = odd
        if isinstance(item, int) and not isinstance(item, bool):
            raise ValueError(
                f"{name}: the integer {item}{place} is too large; rescale the data so that every "
                f"number is at most 2**53 in size."
            )
        raise TypeError(
            f"{name}: expected numbers, found {item!r} ({type(item).__name__}){place}; "
            f"convert the data to floats first."
        )
    if array.dtype.kind in "iu":
        beyond = (array > LARGEST_EXACT) | (array < -LARGEST_EXACT)
        _refuse(beyond, array, name, "is too large an integer", "rescale the data below 2**53")
    floats = array.astype(np.float64, copy=False)
    if not np.abs(floats).max(initial=0.0) <= LARGEST:
        _refuse(np.isnan(floats), floats, name, "is not a number", "drop or fill missing values")
        _refuse(np.isinf(floats), floats, name, "is infinite", "drop or clip it first")
        _refuse(np.abs(floats) > LARGEST, floats, name, "overflows if squared", "rescale the data")
    return floats


def _refuse(bad: NDArray[np.bool_], array: NDArray[Any], name: str, what: str, do: str) -> None:
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"{name}: {array[index]}{_place(index)} {what}; {do}.")


def _place(index: tuple[int, ...]) -> str:
    words = ("row", "column", "layer")
    return "".join(
        f"{' at' if k == 0 else ','} {words[min(k, 2)]} {i}" for k, i in enumerate(index)
    )


def _first_odd(array: NDArray[Any]) -> tuple[str, Any] | None:
    for index in np.ndindex(array.shape):
        item = array[index]
        if isinstance(item, np.generic):
            item = item.item()
        small = isinstance(item, int | float) and abs(item) <= LARGEST_EXACT
        if isinstance(item, bool) or not (small or isinstance(item, float)):
            return _place(index), item
    return None


def _ragged(value: Any, name: str) -> str:
    shapes: list[tuple[int, ...] | None] = []
    for row in value:
        try:
            shapes.append(np.shape(row))
        except ValueError:
            shapes.append(None)  # the row itself is irregular
    if None in shapes:
        return f"{name}: row {shapes.index(None)} is irregular itself; give numbers in every place."
    odd = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), 0)
    counts = [int(np.prod(shape)) for shape in (shapes[odd], shapes[0]) if shape is not None]
    return (
        f"{name}: row {odd} has {counts[0]} numbers where row 0 has {counts[-1]}, or another "
        f"shape; give every row the same length."
    )


def points(X: ArrayLike, name: str = "X") -> FloatArray:
    """Return ``X`` as an ``(n, d)`` array of finite floats, n and d at least 1."""
    if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size:
        flat = X.ravel("K")  # in the order of the memory, so that nothing is copied
        if np.vdot(flat, flat) < LARGEST**2:  # a finite sum of squares proves every entry finite
            return X
    array = numbers(X, name)
    if array.ndim != 2:
        raise ValueError(
            f"{name}: expected shape (n, d), got {array.shape}; use {name}.reshape(-1, 1) for n "
            f"points on a line or {name}.reshape(1, -1) for one point."
        )
    if array.shape[0] == 0:
        raise ValueError(f"{name}: has no rows; give at least one point.")
    if array.shape[1] == 0:
        raise ValueError(f"{name}: has no columns; give at least one feature.")
    return array


def vector(value: ArrayLike, name: str, length: int | None = None) -> FloatArray:
    """Return ``value`` as a one-dimensional array of finite floats of the given length."""
    array = numbers(value, name)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name}: expected a vector, got shape {array.shape}; flatten it first.")
    if length is not None and array.size != length:
        raise ValueError(
            f"{name}: has {array.size} entries where {length} are needed; "
            f"the offset comes first, then one weight for each feature."
        )
    return array


def signs(y: ArrayLike, n: int) -> FloatArray:
    """Return labels as floats −1.0 and +1.0, one for each of the ``n`` rows."""
    array = y if type(y) is np.ndarray else regular(y, "y")
    if array.dtype.kind in "if" and array.shape == (n,) and bool((np.abs(array) == 1).all()):
        return array.astype(np.float64, copy=False)
    if array.dtype.kind == "b":
        raise TypeError("y: labels are True and False; use np.where(y, 1, -1).")
    if array.dtype.kind in "USOT":
        raise TypeError(_not_signs(array))
    labels = numbers(array, "y")
    _one_each(labels, n)
    wrong = np.flatnonzero(np.abs(labels) != 1)
    if wrong.size:
        remedy = "use 2 * y - 1" if set(np.unique(labels)) <= {0.0, 1.0} else "relabel first"
        raise ValueError(
            f"y: labels must be -1 or +1, found {labels[wrong[0]]:g} at row {wrong[0]}; {remedy}."
        )
    return labels


def _not_signs(array: NDArray[Any]) -> str:
    """Say what labels that are no numbers are, and how to get −1 and +1 that mean the same."""
    items = [item.item() if isinstance(item, np.generic) else item for item in array.flat]
    try:
        if {float(item) for item in items} <= {-1.0, 1.0}:
            return "y: labels -1 and +1 are kept as text or objects; use np.array(y, dtype=float)."
    except (TypeError, ValueError):
        pass
    row = next((i for i, item in enumerate(items) if isinstance(item, str)), 0)
    found = f"{items[row]!r} at row {row}" if items else "none"
    last = max((item for item in items if isinstance(item, str)), default=None)
    remedy = "relabel first" if last is None else f"use np.where(y == {last!r}, 1, -1)"
    return f"y: labels must be the numbers -1 and +1, found {found}; {remedy}."


def classes(y: ArrayLike, n: int, least: int = 2) -> tuple[NDArray[Any], IntArray]:
    """Return the sorted class names and, for every row, the position of its class among them."""
    array = regular(y, "y")
    if array.dtype == object and not all(isinstance(label, str) for label in array.flat):
        raise TypeError("y: labels are mixed objects; use integers or strings throughout.")
    if array.dtype.kind in "fc":
        numbers(array, "y")
    _one_each(array, n)
    if array.dtype.kind in "OT":  # strings of any length, whose bytes are elsewhere
        array = np.array(array.tolist(), dtype=str)
    names, codes = np.unique(array, return_inverse=True)
    if len(names) < least:
        raise ValueError(
            f"y: holds only the class {names[0].item()!r}; at least {least} classes are needed."
        )
    return names, codes.astype(np.int64).reshape(-1)


def _one_each(labels: NDArray[Any], n: int) -> None:
    if labels.ndim != 1:
        raise ValueError(
            f"y: expected one label a row, got shape {labels.shape}; use y.ravel() first."
        )
    if labels.size != n:
        raise ValueError(
            f"y: has {labels.size} labels for {n} rows of X; give exactly one label a row."
        )


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
