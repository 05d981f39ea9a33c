"""Check labels: ±1 for two classes, or the names of any number of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib.arrays import FloatArray, IntArray, numbers, regular


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
