"""Writes files whole: at every moment there is either the old one or the new one."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Lend a name beside ``path``; what is written there takes its place, and its permissions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def put(path: Path, content: str | bytes) -> bool:
    """Write a file as it is, line ends included; return False if it is there already like that.

    Half a surrogate pair, which no file can hold, becomes a question mark.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if path.exists() and path.read_bytes() == data:
        return False
    with replacing(path) as temporary:
        temporary.write_bytes(data)
    return True
