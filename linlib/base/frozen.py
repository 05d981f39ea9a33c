"""Immutable results with a short representation: the few numbers that a lecture speaks of.

Arrays of a result are read-only, and so are copies of them. Shown numbers are rounded so that no
processor shows another digit; a result never prints whole arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

PLAIN = (int, float, str, type(None))  # what nobody can write into


def frozen(array: NDArray[Any], *, own: bool = False) -> NDArray[Any]:
    """Return a copy that nobody can make writeable, neither it nor what it is a view of.

    Its memory is a ``bytes`` object, and those never change. An array that nobody else knows of
    (``own``) need not be copied: it is locked, and looked at through a read-only window.
    """
    if own:
        array.setflags(write=False)
        return np.asarray(memoryview(array))  # type: ignore[arg-type]
    if array.dtype.hasobject:
        raise TypeError("a result holds numbers or strings, not an array of objects")
    return np.ndarray(array.shape, array.dtype, buffer=array.tobytes())


def _is_frozen(array: NDArray[Any]) -> bool:
    while isinstance(array.base, np.ndarray) and not array.flags.writeable:
        array = array.base
    return isinstance(array.base, bytes | memoryview) and not array.flags.writeable


class Frozen:
    """What results share: their arrays are frozen too, and stay so when copied or unpickled."""

    def __post_init__(self) -> None:
        lock(self)

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: dict(value) if isinstance(value, MappingProxyType) else value
            for name, value in vars(self).items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        lock(self)


def lock(result: object) -> None:
    """Freeze the arrays of a result, also those in a tuple of it, and its dictionaries."""
    held = vars(result)
    for name, value in held.items():
        if not isinstance(value, PLAIN):
            held[name] = _locked(value)


def _locked(value: Any) -> Any:
    if type(value) is np.ndarray:
        return value if _is_frozen(value) else frozen(value)
    if type(value) is tuple:
        return tuple(map(_locked, value))
    return MappingProxyType(value) if type(value) is dict else value


DIGITS, MOST = 4, 6  # significant digits of the largest entry, and entries of a vector, shown


class Shown:
    """A short representation, as text and as HTML, of the facts that a class names."""

    def _facts(self) -> Mapping[str, str]:
        """Return name → value, in the order in which they are read."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return text(type(self).__name__, self._facts())

    def _repr_html_(self) -> str:
        return html(type(self).__name__, self._facts())


def text(title: str, facts: Mapping[str, str]) -> str:
    """Return the facts on one line; a status is a sentence and needs no name.

    >>> text("Run", {"errors": "0", "status": "Converged."})
    'Run(errors 0; Converged.)'
    """
    told = (value if name == "status" else f"{name} {value}" for name, value in facts.items())
    return f"{title}({'; '.join(told)})"


def html(title: str, facts: Mapping[str, str]) -> str:
    """Return the facts as a small table."""
    left = 'style="text-align: left"'
    rows = "".join(
        f'<tr><th scope="row" {left}>{escape(name)}</th><td {left}>{escape(value)}</td></tr>'
        for name, value in facts.items()
    )
    return f"<table><caption {left}>{title}</caption><tbody>{rows}</tbody></table>"


def number(value: float) -> str:
    """Return a number to four digits; what is rounding beside 1 is not told from 0.

    >>> number(1 / 3), number(-0.0), number(3e-17), number(20000.0)
    ('0.3333', '0', '0', '2e+04')
    """
    return f"{0.0 if abs(value) < 1e-12 else float(value):.{DIGITS}g}"


def vector(values: ArrayLike) -> str:
    """Return a vector to as many decimals as give its largest entry four digits.

    >>> vector([-4.0, 3.0, 2.00000000001]), vector([1000.0, 1e-13])
    ('(-4, 3, 2)', '(1000, 0)')
    >>> vector(np.arange(9.0))
    '(0, 1, 2, 3, 4, 5, … 9 entries)'
    """
    array = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
    # A little more than the largest: 0.999… and 1.000… must be rounded alike.
    decimals = DIGITS - 1 - int(np.floor(np.log10(largest * (1 + 1e-9)))) if largest else 0
    rounded = np.round(array, decimals) + 0.0 if abs(decimals) < 300 else array
    shown = ", ".join(f"{value:.{DIGITS}g}" for value in rounded[:MOST])
    return f"({shown})" if len(array) <= MOST else f"({shown}, … {len(array)} entries)"


def names(classes: ArrayLike) -> str:
    """Return the names of classes, the first few of them.

    >>> names(["a", "b"]), names(range(10))
    ('a, b', '0, 1, 2, 3, 4, 5, … 10 classes')
    """
    array = np.asarray(classes)
    listed = ", ".join(str(name) for name in array[:MOST])
    return listed if len(array) <= MOST else f"{listed}, … {len(array)} classes"
