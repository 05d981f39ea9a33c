"""Messages over a socket: four bytes of length, then JSON. Either end may be lying."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

# Bound now: a notebook that replaces json.dumps spoils its answers, not the messages.
ENCODE, DECODE = json.JSONEncoder(default=str).encode, json.JSONDecoder().decode


def packed(message: Any) -> bytes:
    """Return a message as it travels."""
    data = ENCODE(message).encode("utf-8", "replace")
    return struct.pack("!I", len(data)) + data


def decoded(data: bytes) -> Any:
    """Return a message; half a surrogate pair, which no file can hold, becomes a question mark."""
    text = data.decode("utf-8", "replace")
    return whole(DECODE(text)) if "\\ud" in text.lower() else DECODE(text)


def whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [whole(item) for item in value]
    if isinstance(value, dict):
        return {whole(key): whole(item) for key, item in value.items()}
    return value


class Reader:
    """Cuts what arrives into messages; keeps at most ``most`` bytes of one that is not whole."""

    def __init__(self, most: int) -> None:
        self.most, self.held = most, bytearray()

    def feed(self, data: bytes) -> list[Any]:
        """Return the messages that are whole now; ValueError for what is none, or too long."""
        self.held += data
        found = []
        while len(self.held) >= 4:
            (length,) = struct.unpack("!I", self.held[:4])
            if length > self.most:
                raise OverflowError("a message that is too long")
            if len(self.held) < 4 + length:
                break
            data = bytes(self.held[4 : 4 + length])
            del self.held[: 4 + length]
            found.append(decoded(data))
        return found


def receive(channel: socket.socket, most: int = 1 << 28) -> Any:
    """Wait for one message; EOFError when the other end is gone."""
    (length,) = struct.unpack("!I", exactly(channel, 4))
    if length > most:
        raise OverflowError("a message that is too long")
    return decoded(exactly(channel, length))


def exactly(channel: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        some = channel.recv(min(count - len(data), 1 << 20))
        if not some:
            raise EOFError
        data += some
    return bytes(data)
