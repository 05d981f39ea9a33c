"""Hold notebooks to what they store: validation, refresh, claims, falsifiers, other seeds."""

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any


def command(
    manual: str | None, *, notebooks: str = "", folder: str = ""
) -> argparse.ArgumentParser:
    """Return the parser of a command whose ``--help`` is the manual in its module.

    ``notebooks`` says which it takes if none are named, ``folder`` what it finds in one.
    """
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=manual, formatter_class=layout)
    if notebooks:
        parser.add_argument("notebook", nargs="*", type=Path, help=f"default: {notebooks}")
    if folder:
        here = Path("notebooks")
        parser.add_argument("--folder", type=Path, default=here, help=f"where {folder} are")
    return parser


def progress(text: str) -> None:
    """Show on one line how far a command is, where somebody is watching; '' takes it away."""
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)


def stored(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds, nothing if there is none."""
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
