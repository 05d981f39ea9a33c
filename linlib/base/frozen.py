"""Immutable results with a short representation: the few numbers that a lecture speaks of.

Arrays of a result are read-only, and so are copies of them. Shown numbers are rounded so that no
processor shows another digit; a result never prints whole arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy; what nobody can write into already is returned as it is."""
    if not array.flags.writeable:
        owner = array if array.base is None else array.base
        if isinstance(owner, np.ndarray) and not owner.flags.writeable:
            return array
    copy = array.copy()
    copy.setflags(write=False)
    return copy


class Frozen:
    """What results share: read-only arrays, also when copied or unpickled, and a short repr."""

    def __post_init__(self) -> None:
        fields = vars(self)
        for name, value in fields.items():
            if type(value) in (np.ndarray, tuple):
                fields[name] = _frozen(value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        Frozen.__post_init__(self)

    def _facts(self) -> Mapping[str, str]:
        """Return name → value, in the order in which they are read."""
        raise NotImplementedError

    def __repr__(self) -> str:
        facts = self._facts().items()
        told = (value if name == "status" else f"{name} {value}" for name, value in facts)
        return f"{type(self).__name__}({'; '.join(told)})"  # a status is a sentence without a name

    def _repr_html_(self) -> str:
        left = 'style="text-align: left"'
        rows = "".join(
            f'<tr><th scope="row" {left}>{escape(name)}</th><td {left}>{escape(value)}</td></tr>'
            for name, value in self._facts().items()
        )
        title = type(self).__name__
        return f"<table><caption {left}>{title}</caption><tbody>{rows}</tbody></table>"


def _frozen(value: Any) -> Any:
    if type(value) is np.ndarray:
        return frozen(value)
    return tuple(map(_frozen, value)) if type(value) is tuple else value


DIGITS, MOST = 4, 6  # significant digits of the largest entry, and entries of a vector, shown


def number(value: float) -> str:
    """Return a number to four digits; below 1e-12 it is rounding, and is shown as 0.

    >>> number(1 / 3), number(-0.0), number(3e-17), number(20000.0)
    ('0.3333', '0', '0', '2e+04')
    """
    return f"{0.0 if abs(value) < 1e-12 else float(value):.{DIGITS}g}"


def vector(values: ArrayLike) -> str:
    """Return a vector to as many decimals as give its largest entry four digits.

    A smaller entry has one digit at least, unless it is rounding beside the largest.

    >>> vector([-4.0, 3.0, 2.00000000001]), vector([1000.0, 1e-13]), vector([-8e8, 0.8])
    ('(-4, 3, 2)', '(1000, 0)', '(-8e+08, 0.8)')
    >>> vector(np.arange(9.0))
    '(0, 1, 2, 3, 4, 5, … 9 entries)'
    """
    array = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
    # A little more than the largest: 0.999… and 1.000… must be rounded alike.
    decimals = DIGITS - 1 - int(np.floor(np.log10(largest * (1 + 1e-9)))) if largest else 0
    rounded = np.round(array, decimals) + 0.0 if abs(decimals) < 300 else array
    small = (rounded == 0) & (np.abs(array) > 1e-12 * largest)
    digits = np.where(small, 1, DIGITS)
    pairs = zip(np.where(small, array, rounded)[:MOST], digits[:MOST], strict=True)
    shown = ", ".join(f"{value:.{many}g}" for value, many in pairs)
    return f"({shown})" if len(array) <= MOST else f"({shown}, … {len(array)} entries)"


def names(classes: ArrayLike) -> str:
    """Return the names of classes, the first few of them.

    >>> names(["a", "b"]), names(range(10))
    ('a, b', '0, 1, 2, 3, 4, 5, … 10 classes')
    """
    array = np.asarray(classes)
    listed = ", ".join(str(name) for name in array[:MOST])
    return listed if len(array) <= MOST else f"{listed}, … {len(array)} classes"
