"""All that passes between a sandbox and the grader: messages of JSON, and values in them.

It is not trusted in a sandbox: either end may be lying, and whatever an answer holds is only a
value to be compared.
"""

from __future__ import annotations

import base64
import json
import math
import socket
import struct
import time
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

LARGEST = 100_000  # numbers or characters in one value


def pack(value: Any, depth: int = 0) -> Any:
    """Return ``value`` as something JSON can carry; a type it does not know keeps its name only."""
    if value is None or isinstance(value, bool | str):
        return value[:LARGEST] if isinstance(value, str) else value
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else {"other": "int"}
    if isinstance(value, float | Fraction | Decimal):
        return float(value)
    if isinstance(value, np.generic) or hasattr(value, "__array__"):
        return pack_array(np.asarray(value))
    if isinstance(value, dict) and len(value) <= LARGEST and depth < 8:
        return {"dict": [[pack(k, 8), pack(v, depth + 1)] for k, v in value.items()]}
    if isinstance(value, list | tuple | set | frozenset | range) and depth < 8:
        return {"list": [pack(item, depth + 1) for item in list(value)[:LARGEST]]}
    return {"other": type(value).__name__[:40]}


def pack_array(array: Any) -> Any:
    if array.size > LARGEST or array.dtype.kind not in "biufUO":
        return {"other": f"array of kind {array.dtype.kind}"}
    if array.dtype.kind == "f":
        array = array.astype(float)  # half, single and long numbers, too
    flat = array.ravel().tolist()
    if array.dtype.kind == "O":
        flat = [pack(item, 1) for item in flat]
    elif not array.shape:
        return pack(flat[0])
    return {"shape": list(array.shape), "dtype": array.dtype.kind, "flat": flat}


def unpack(packed: Any) -> Any:
    """Return the value; arrays as arrays, tuples and sets as lists, unknown types as ``Other``."""
    if not isinstance(packed, dict):
        return packed
    if "shape" in packed:
        flat = packed["flat"]
        kind = {"b": bool, "i": np.int64, "u": np.uint64, "f": float}.get(packed["dtype"])
        if kind is None:
            flat = [unpack(item) for item in flat]
        array = np.empty(len(flat), dtype=kind or object)
        array[:] = flat
        return array.reshape(packed["shape"])
    if "dict" in packed:
        return {str(unpack(key)): unpack(item) for key, item in packed["dict"]}
    if "list" in packed:
        return [unpack(item) for item in packed["list"]]
    return Other(str(packed.get("other", "something"))[:60])


@dataclass(frozen=True)
class Other:
    """Stands for a value of a type that does not travel."""

    name: str


def answer(namespace: dict[str, Any], name: str, text: str) -> str:
    """Call ``namespace[name]`` with the packed arguments; return what happened, packed as text.

    Without arguments (``null``) the value itself is asked for.
    """
    try:
        if name not in namespace:
            return json.dumps({"kind": "missing"})
        arguments = unpack(json.loads(text))
        value = namespace[name] if arguments is None else namespace[name](*arguments)
        after = pack(arguments)
        return json.dumps({"kind": "value", "value": pack(value), "after": after})
    except BaseException as error:  # a student's function may raise anything, SystemExit included
        return json.dumps({"kind": "error", "error": type(error).__name__[:80]})


# ---------------------------------------------------------------- messages over a socket


def plain(value: Any) -> str:
    """Return what JSON has no form for as text; a picture or a file as in a notebook."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


# Bound now: a notebook that replaces json.dumps spoils its answers, not the messages.
ENCODE, DECODE = json.JSONEncoder(default=plain).encode, json.JSONDecoder().decode


def packed(message: Any) -> bytes:
    """Return a message as it travels: four bytes of length, then JSON."""
    data = ENCODE(message).encode("utf-8", "replace")
    return struct.pack("!I", len(data)) + data


def decoded(data: bytes) -> Any:
    """Return a message; half a surrogate pair, which no file can hold, becomes a question mark."""
    text = data.decode("utf-8", "replace")
    if "\\ud" in text.lower():
        whole = json.dumps(DECODE(text), ensure_ascii=False).encode("utf-8", "replace")
        return DECODE(whole.decode())
    return DECODE(text)


def frame(channel: socket.socket, most: int = 1 << 28, ends: float = math.inf) -> bytes:
    """Wait for one message, at most until ``ends``; EOFError when the other end is gone."""
    (length,) = struct.unpack("!I", exactly(channel, 4, ends))
    if length > most:
        raise OverflowError("a message that is too long")
    return exactly(channel, length, ends)


def exactly(channel: socket.socket, count: int, ends: float) -> bytes:
    data = bytearray()
    while len(data) < count:
        if ends < math.inf:
            left = ends - time.monotonic()
            if left <= 0:  # also if there is always something more to read
                raise TimeoutError
            channel.settimeout(left)
        some = channel.recv(min(count - len(data), 1 << 20))
        if not some:
            raise EOFError
        data += some
    return bytes(data)


def receive(channel: socket.socket) -> Any:
    """Wait for one message and return what it says."""
    return decoded(frame(channel))
