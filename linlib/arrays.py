"""Check arrays: finite numbers of the right shape, or a sentence that says where they are not.

What passes is returned as a fresh or untouched array: no function of linlib writes into its
arguments.
"""

from __future__ import annotations

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
