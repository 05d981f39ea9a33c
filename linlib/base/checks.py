"""Input checks: bad input gets one sentence.

The sentence names the argument, what is wrong, where (row and column) and what to do about it.
A wrong type raises ``TypeError``, a wrong value ``ValueError``. What passes is returned as a fresh
or untouched array: no function of linlib writes into its arguments.

Arrays, lists and tables of any number type are accepted, also arrays of objects in which every
entry is a number. A float of any width stands for the shortest decimal that prints it:
``np.float32(0.1)`` is one tenth, as ``0.1`` is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, MappingView, Sequence
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Every integer up to here is a float; beyond it neighbours collapse and exact results are lost.
LARGEST_EXACT = 2**53
TOO_LARGE = ("is too large an integer", "rescale the data below 2**53")
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
    if hasattr(value, "toarray"):
        raise TypeError(f"{name}: is a sparse matrix; pass {name}.toarray().")
    if isinstance(value, Iterator | MappingView):
        kind = type(value).__name__
        raise TypeError(f"{name}: expected an array, got a {kind}; pass list({name}).")
    try:
        return np.asarray(value)
    except Exception as error:
        if isinstance(error, ValueError) and isinstance(value, Sequence):
            raise ValueError(_ragged(value, name)) from None
        # Tensors on a graphics card or with a gradient refuse, and say what they want instead.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise TypeError(
            f"{name}: a {type(value).__name__} does not become a NumPy array ({reason!r}); "
            f"convert it to one first."
        ) from error


def _ragged(rows: Sequence[Any], name: str) -> str:
    sizes = [len(row) if hasattr(row, "__len__") else 1 for row in rows]
    odd = next((i for i, size in enumerate(sizes) if size != sizes[0]), 0)
    return (
        f"{name}: row {odd} has {sizes[odd]} entries, where others have more or fewer, or is "
        f"nested; give every row the same length."
    )


def numbers(value: ArrayLike, name: str) -> FloatArray:
    """Return ``value`` as floats, or say why it is not an array of finite numbers."""
    array = _of_columns(value) if _is_table(value) else regular(value, name)
    if array.dtype.kind == "O":
        array = _of_objects(array, name)
    elif array.dtype.kind not in "biuf":
        _refuse_entry(array, name)
    if array.dtype.kind in "iu":
        beyond = (array > LARGEST_EXACT) | (array < -LARGEST_EXACT)
        _refuse(beyond, array, name, *TOO_LARGE)
    floats = _widened(array)
    if not np.abs(floats).max(initial=0.0) <= LARGEST:
        _refuse(np.isnan(floats), floats, name, "is not a number", "drop or fill missing values")
        _refuse(np.isinf(floats), floats, name, "is infinite", "drop or clip it first")
        _refuse(np.abs(floats) > LARGEST, floats, name, "overflows if squared", "rescale the data")
    return floats


def _widened(array: NDArray[Any]) -> FloatArray:
    """Return numbers as float64; a narrow float stands for the decimal that it prints.

    The float32 nearest to 0.1 is another number than the float64 nearest to 0.1. A cast keeps the
    former and so loses the decimal that was typed, on which exact verdicts depend.
    """
    if array.dtype.kind != "f" or array.dtype.itemsize >= 8:
        return array.astype(np.float64, copy=False)
    printed = [float(str(entry)) for entry in array.ravel()]
    return np.array(printed, dtype=np.float64).reshape(array.shape)


def _is_table(value: object) -> bool:
    """Tell whether ``value`` is a table of pandas, whose columns have a type each."""
    return hasattr(value, "dtypes") and hasattr(value, "items") and getattr(value, "ndim", 0) == 2


def _of_columns(table: Any) -> NDArray[Any]:
    """Return a table as an array, each narrow column as the decimals that it prints."""
    columns = [np.asarray(column) for _, column in table.items()]
    narrow = [column.dtype.kind == "f" and column.dtype.itemsize < 8 for column in columns]
    if not any(narrow):
        return np.asarray(table)
    wide = [_widened(column) if column.dtype.kind == "f" else column for column in columns]
    return np.stack([column.astype(object) for column in wide], axis=1)


def _of_objects(array: NDArray[Any], name: str) -> FloatArray:
    """Return an array of objects as floats if every entry is a number."""
    if not all(map(_is_number, array.flat)):
        _refuse_entry(array, name)
    beyond = [_is_whole(entry) and abs(int(entry)) > LARGEST_EXACT for entry in array.flat]
    _refuse(np.reshape(beyond, array.shape), array, name, *TOO_LARGE)
    floats = [real(entry, name) for entry in array.flat]
    return np.array(floats, dtype=np.float64).reshape(array.shape)


def _is_number(entry: object) -> bool:
    return isinstance(entry, REAL) and not isinstance(entry, bool)


def _is_whole(entry: object) -> bool:
    return isinstance(entry, int | np.integer)


def _refuse_entry(array: NDArray[Any], name: str) -> NoReturn:
    """Say which entry of an array is not a number."""
    items = np.ndenumerate(array.astype(object))
    at, found = next(((at, x) for at, x in items if not _is_number(x)), ((), array.dtype))
    if array.ndim == 0 and found is None:
        needed = "one label for each row of X" if name == "y" else "an array of numbers"
        raise TypeError(f"{name}: is None; pass {needed}.")
    shown = repr(found).splitlines()[0]
    missing = found is None or shown in ("<NA>", "NaT")
    do = "drop or fill missing values" if missing else "convert the data to floats first"
    raise TypeError(f"{name}: expected numbers, found {shown}{_place(at)}; {do}.")


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
    entries = array.ravel().tolist()
    if entries and all(isinstance(entry, bool) for entry in entries):
        raise TypeError("y: labels are True and False; use np.where(y, 1, -1).")
    if array.dtype.kind in "UST" or any(isinstance(entry, str) for entry in entries):
        raise TypeError(
            f"y: labels must be the numbers -1 and +1, found {entries[0]!r} at row 0; "
            f"use {_relabelling(array)}."
        )
    labels = numbers(array, "y")
    _one_each(labels, n)
    wrong = np.flatnonzero(np.abs(labels) != 1)
    if not wrong.size:
        return labels
    remedy = "use 2 * y - 1" if set(np.unique(labels)) <= {0.0, 1.0} else "relabel first"
    raise ValueError(
        f"y: labels must be -1 or +1, found {labels[wrong[0]]:g} at row {wrong[0]}; {remedy}."
    )


def _relabelling(labels: NDArray[Any]) -> str:
    """Return what makes numbers of labels that are strings."""
    try:
        labels.astype(np.float64)
    except (TypeError, ValueError):
        return f"np.where(y == {max(map(str, labels.flat))!r}, 1, -1)"
    return "np.array(y, dtype=float)"


def classes(y: ArrayLike, n: int) -> tuple[NDArray[Any], IntArray]:
    """Return the sorted class names and, for every row, the position of its class among them."""
    array = regular(y, "y")
    if array.dtype == object:
        array = _one_kind(array)
    if array.dtype.kind in "fc":
        numbers(array, "y")
    _one_each(array, n)
    names, codes = np.unique(array, return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            f"y: holds only the class {names[0].item()!r}; at least 2 classes are needed."
        )
    return names, codes.astype(np.int64).reshape(-1)


def _one_kind(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels that came as objects as an array of strings, of integers or of floats."""
    if labels.ndim == 0:
        numbers(labels, "y")  # says what it is instead of labels
    if all(isinstance(label, str) for label in labels.flat):
        return labels.astype(str)
    if not all(map(_is_number, labels.flat)):
        raise TypeError("y: labels are mixed objects; use integers or strings throughout.")
    floats = numbers(labels, "y")
    return floats.astype(np.int64) if all(map(_is_whole, labels.flat)) else floats


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
    if not _is_number(value):
        raise TypeError(f"{name}: expected a number, got {value!r}; give a plain float.")
    try:
        # A narrow float is the decimal that it prints, as in _widened.
        narrow = isinstance(value, np.floating) and value.itemsize < 8
        return float(str(value)) if narrow else float(value)
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
