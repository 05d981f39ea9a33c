"""Results that nobody can change: their arrays are read-only, and so are copies of them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
