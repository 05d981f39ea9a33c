"""Writes files whole: at every moment there is either the old one or the new one."""

import os
import shutil
from pathlib import Path


def put(path: Path, text: str) -> None:
    """Write a file in one step, as it is, without changing its line ends or who may read it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
