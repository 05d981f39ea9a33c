"""Writes files whole: at every moment there is either the old one or the new one."""

import os
from pathlib import Path


def put(path: Path, text: str) -> None:
    """Write a file in one step, as it is, without changing its line ends."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(temporary, path)
