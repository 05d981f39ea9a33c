"""The command ``nbsame``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from nbsame.refresh import RefusedError, refresh
from nbsame.settings import SettingError, load

MANUAL = """\
  nbsame refresh [notebook or folder …]

runs notebooks from top to bottom and stores their outputs, with the versions that made them. An
output that counts as the same is kept as it is. A notebook in which a cell raises an error that is
neither stored nor asked for is left as it was. `pytest --nbsame` compares.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the command; return its exit code."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("nbsame", description=MANUAL, formatter_class=layout)
    parser.add_argument("command", choices=["refresh"])
    parser.add_argument("path", nargs="*", type=Path, default=[Path()], help="default: all here")
    paths = parser.parse_args(arguments).path
    try:
        settings = load(Path())
    except SettingError as problem:
        parser.error(str(problem))
    left_out = {".ipynb_checkpoints", *settings.ignore}
    refused = 0
    for path in found(paths):
        if left_out.intersection(path.parts):
            continue
        started = time.monotonic()
        try:
            outcome = "rewritten" if refresh(path, settings) else "unchanged"
        except RefusedError as reason:
            outcome = f"REFUSED and left as it was: {reason}"
            refused += 1
        print(f"{path}: {outcome} ({time.monotonic() - started:.1f} s)", flush=True)
    return 1 if refused else 0


def found(paths: Sequence[Path]) -> list[Path]:
    """Return the notebooks among and below some paths."""
    notebooks: list[Path] = []
    for path in paths:
        notebooks += sorted(path.rglob("*.ipynb")) if path.is_dir() else [path]
    return notebooks


if __name__ == "__main__":
    sys.exit(main())
