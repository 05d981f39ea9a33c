"""What pages take from the npm registry: reveal.js and the faces of formulas and of the book."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from lincourse.files import put
from lincourse.paths import PAGES, ROOT
from lincourse.publish import live

PINS = Path(__file__).with_name("packages.toml")


@cache
def pins() -> dict[str, dict[str, Any]]:
    return tomllib.loads(PINS.read_text("utf-8"))


def licences() -> str:
    """Return a line of a table for every package."""
    return "".join(
        f"| {name} {pin['version']} | {pin['purpose']} | {pin['licence']} |\n"
        for name, pin in pins().items()
    )


def write(name: str, folder: Path) -> str:
    """Write the files of a package into a folder; return in one line why there are none."""
    pin = pins()[name]
    try:
        found = live.untarred(live.fetched({"name": name, **pin}))
    except live.MissingError as missing:
        return str(missing)
    for file in pin["files"]:
        put(folder / Path(file).name, found[f"package/{file}"])
    put(folder / f"{name.rpartition('/')[2]}-LICENSE.txt", found["package/LICENSE"])
    return ""


def write_fonts(folder: Path) -> None:
    """Write the faces of formulas and of the book, and the sheet of what all pages share."""
    design = ROOT / "linlib" / "explorers" / "kit" / "design.css"
    put(
        folder / "common.css", design.read_text("utf-8") + (PAGES / "common.css").read_text("utf-8")
    )
    for name in pins():
        if name.startswith("@fontsource/") and (missing := write(name, folder)):
            print(f"Fonts are those of the reader's machine: {missing}.")
            break
