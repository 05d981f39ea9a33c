"""What pages take from the npm registry when they are built: fetched by npm, pinned by hash.

Python for live pages, reveal.js, and the faces of formulas and of the book.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

from lincourse import programs
from lincourse.files import put
from lincourse.paths import BUILD, PAGES, ROOT

PINS = tomllib.loads(Path(__file__).with_name("packages.toml").read_text("utf-8"))
CACHE = BUILD / "npm"
Files = dict[str, bytes]


class MissingError(Exception):
    """A package cannot be had; the message says in one line what to do."""


def untarred(content: bytes) -> Files:
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        return {one.name: tar.extractfile(one).read() for one in tar if one.isfile()}  # type: ignore[union-attr]


def fetched(name: str) -> Files:
    """Return the files of a package, after comparing its hash; each is fetched once."""
    pin = PINS[name]
    what, kind = f"{name}@{pin['version']}", pin["integrity"].partition("-")[0]
    file = CACHE / re.sub(r"\W+", "-", what)
    npm = programs.find("npm")
    if not npm:
        raise MissingError(programs.missing("npm"))
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", what, "--json", "--fetch-retries=1", "--ignore-scripts"]
        done = subprocess.run(command, cwd=CACHE, capture_output=True, text=True, check=False)
        if done.returncode:
            why = next(iter(re.findall(r"npm (?:error|ERR!) (?!code)(.+)", done.stderr)), "")
            raise MissingError(f"npm could not fetch {what}: {why}")
        (CACHE / json.loads(done.stdout)[0]["filename"]).rename(file)
    content = file.read_bytes()
    found = f"{kind}-{base64.b64encode(hashlib.new(kind, content).digest()).decode()}"
    if found != pin["integrity"]:
        file.unlink()
        sys.exit(f"{what}: its hash is {found}, not the pinned one; it was removed.")
    return {path.removeprefix("package/"): one for path, one in untarred(content).items()}


def write(name: str, folder: Path) -> str:
    """Write the files of a package into a folder; return in one line why there are none."""
    try:
        found = fetched(name)
    except MissingError as missing:
        return str(missing)
    for file in PINS[name]["files"]:
        put(folder / Path(file).name, found[file])
    put(folder / f"{name.rpartition('/')[2]}-LICENSE.txt", found["LICENSE"])
    return ""


def write_fonts(folder: Path) -> None:
    """Write the faces of formulas and of the book, and the sheet of what all pages share."""
    design = ROOT / "linlib" / "explorers" / "kit" / "design.css"
    put(
        folder / "common.css", design.read_text("utf-8") + (PAGES / "common.css").read_text("utf-8")
    )
    for name in PINS:
        if name.startswith("@fontsource/") and (missing := write(name, folder)):
            print(f"Fonts are those of the reader's machine: {missing}.")
            break
