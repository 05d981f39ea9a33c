"""Input checks: bad input gets one sentence.

The sentence names the argument, what is wrong, where (row and column) and what to do about it.
A wrong type raises ``TypeError``, a wrong value ``ValueError``. What passes is returned as a fresh
or untouched array: no function of linlib writes into its arguments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Every integer up to here is a float; beyond it neighbours collapse and exact results are lost.
LARGEST_EXACT = 2**53
REAL = (int, float, np.integer, np.floating)
# Beyond this a squared length overflows to infinity.
LARGEST = 1e150
# The distance from 1.0 to the next float: no rounding is off by more than half of it, relatively.
EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)  # the least float with all its digits


def regular(value: ArrayLike, name: str) -> NDArray[Any]:
    """Return ``value`` as an array of whatever kind; its rows must have one length."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{name}: has masked entries; fill them or drop their rows first.")
    try:
        return np.asarray(value)
    except ValueError:
        sizes = [len(row) if hasattr(row, "__len__") else 1 for row in cast(Iterable[Any], value)]
        odd = next((i for i, size in enumerate(sizes) if size != sizes[0]), 0)
        raise ValueError(
            f"{name}: row {odd} has {sizes[odd]} entries, where others have more or fewer, or is "
            f"nested; give every row the same length."
        ) from None


def numbers(value: ArrayLike, name: str) -> FloatArray:
    """Return ``value`` as floats, or say why it is not an array of finite numbers."""
    array = regular(value, name)
    if array.dtype.kind not in "biuf":
        items = np.ndenumerate(array.astype(object))
        bad = ((i, x) for i, x in items if isinstance(x, bool) or not isinstance(x, REAL))
        at, found = next(bad, ((), array.dtype))
        raise TypeError(
            f"{name}: expected numbers, found {repr(found).splitlines()[0]}{_place(at)}; "
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
    places = (f"{word} {i}" for word, i in zip(words, index, strict=False))
    return f" at {', '.join(places)}" if index else ""


def points(X: ArrayLike, name: str = "X", width: int | None = None) -> FloatArray:
    """Return ``X`` as an ``(n, d)`` array of finite floats, n and d at least 1, d perhaps given."""
    array = X if _surely_points(X) else numbers(X, name)
    if array.ndim != 2:
        raise ValueError(
            f"{name}: expected shape (n, d), got {array.shape}; use {name}.reshape(-1, 1) for n "
            f"points on a line or {name}.reshape(1, -1) for one point."
        )
    if array.size == 0:
        what = (
            "columns; give at least one feature" if len(array) else "rows; give at least one point"
        )
        raise ValueError(f"{name}: has no {what}.")
    if width is not None and array.shape[1] != width:
        raise ValueError(
            f"{name}: has {array.shape[1]} features where the model has {width}; "
            f"give points of that dimension."
        )
    return array


def _surely_points(X: ArrayLike) -> TypeGuard[FloatArray]:
    """Tell whether X is an array of finite floats, which a finite sum of squares proves."""
    if type(X) is not np.ndarray or X.dtype != np.float64 or X.ndim != 2:
        return False
    flat = X.ravel("K")  # in the order of the memory, so that nothing is copied
    return bool(np.vdot(flat, flat) < LARGEST**2)


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
    if array.dtype.kind in "USO":
        remedy = "np.array(y, dtype=float)"
        try:
            array.astype(np.float64)
        except (TypeError, ValueError):
            remedy = f"np.where(y == {max(map(str, array.flat))!r}, 1, -1)"
        found = f"found {array.ravel().tolist()[0]!r} at row 0" if array.size else "found none"
        raise TypeError(f"y: labels must be the numbers -1 and +1, {found}; use {remedy}.")
    labels = numbers(array, "y")
    _one_each(labels, n)
    wrong = int(np.flatnonzero(np.abs(labels) != 1)[0])
    remedy = "use 2 * y - 1" if set(np.unique(labels)) <= {0.0, 1.0} else "relabel first"
    raise ValueError(
        f"y: labels must be -1 or +1, found {labels[wrong]:g} at row {wrong}; {remedy}."
    )


def classes(y: ArrayLike, n: int) -> tuple[NDArray[Any], IntArray]:
    """Return the sorted class names and, for every row, the position of its class among them."""
    array = regular(y, "y")
    if array.dtype == object and not all(isinstance(label, str) for label in array.flat):
        raise TypeError("y: labels are mixed objects; use integers or strings throughout.")
    if array.dtype.kind in "fc":
        numbers(array, "y")
    _one_each(array, n)
    if array.dtype == object:
        array = array.astype(str)
    names, codes = np.unique(array, return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            f"y: holds only the class {names[0].item()!r}; at least 2 classes are needed."
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
    if isinstance(value, bool) or not isinstance(value, REAL):
        raise TypeError(f"{name}: expected a number, got {value!r}; give a plain float.")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def positive(value: float, name: str, *, zero: bool = False) -> float:
    """Return a finite number above zero (or from zero on)."""
    number = real(value, name)
    if not math.isfinite(number) or number < 0 or (number == 0 and not zero):
        bound = "zero or more" if zero else "positive"
        raise ValueError(f"{name}: must be {bound} and finite, got {number}; try {name}=1.0.")
    return number


def count(value: int, name: str, *, least: int = 0, below: int | None = None) -> int:
    """Return an integer of at least ``least``, or a position among ``below``, counted from 0."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name}: expected an integer, got {value!r}; write {name}={least or 1}.")
    if value < least:
        raise ValueError(f"{name}: must be at least {least}, got {value}.")
    if below is not None and value >= below:
        raise ValueError(f"{name}: {value} is out of range; there are {below}, numbered from 0.")
    return int(value)


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
    """Return True or False; other values that Python counts as true or false are refused."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}: expected True or False, got {value!r}; write {name}=True.")
    return bool(value)
