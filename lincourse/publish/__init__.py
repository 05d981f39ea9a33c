"""Make pages of the notebooks: the site, slides, the book, and a JupyterLite."""

import argparse
import importlib
from collections.abc import Sequence
from pathlib import Path

from lincourse.paths import BUILD


def main(arguments: Sequence[str]) -> None:
    """Make what the first word names: the function ``build`` of its module does it."""
    name, *rest = arguments
    module = importlib.import_module(f"lincourse.publish.{name}")
    parser = argparse.ArgumentParser(description=(module.__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=BUILD / name)
    if name in ("site", "lite"):
        words = "a Pyodide distribution, in place of the one that is fetched"
        parser.add_argument("--pyodide", default="", metavar="FOLDER_OR_ADDRESS", help=words)
    options = parser.parse_args(rest)
    module.build(**vars(options))
    size = sum(path.stat().st_size for path in options.out.rglob("*")) / 1e6
    print(f"{size:.1f} MB in {options.out}")
