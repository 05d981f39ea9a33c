"""Python for the pages of the site: fetched when the site is built, packed as pages can load it.

The runtime is Pyodide, as pinned packages of the npm registry or as a distribution that the caller
names. It becomes two bundles, one that never changes (the runtime) and one that does (linlib). A
bundle is a compressed tar file, cut into scripts of text: a page loads scripts from a folder too,
where browsers let it fetch nothing.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from lincourse.files import put
from lincourse.paths import ROOT
from lincourse.publish import packages
from lincourse.publish.packages import Files

CHUNK = 1_200_000  # bytes of a bundle in one script, so that a page can say how far it is
RUNTIME = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "pyodide-lock.json")
STDLIB = "python_stdlib.zip"
COMPILED = ("numpy", "contourpy")
# What no page runs: tests, types, what builds extensions.
UNUSED = re.compile(
    r"/tests?/|_tests\.\w|/f2py/|/distutils/|\.pyi$|\.pyc$|\.a$|\.h$|\.build$|-info/"
)
# These builds of NumPy look for a function `backtrace` when an array is large. This is a module of
# WebAssembly that has it, and does nothing: sections dylink.0, types, functions, exports, code.
BACKTRACE = bytes.fromhex(
    "0061736d01000000000f0864796c696e6b2e30010400000000010a0260000060027f7f017f03030200010721021"
    "15f5f7761736d5f63616c6c5f63746f72730000096261636b747261636500010a090202000b040041000b"
)


def unzipped(content: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist() if name[-1] != "/"}


def from_registry() -> tuple[Files, Files]:
    """Return the files of the runtime, and those of its packages."""
    found: Files = {}
    for name in COMPILED:  # a conda package inside an npm package
        outer = packages.fetched(f"@emscripten-forge/{name}")
        inner = next(file for path, file in outer.items() if path.endswith(".tar.gz"))
        for path, file in packages.untarred(inner).items():
            if "site-packages/" in path:
                found[path.partition("site-packages/")[2]] = file
    return packages.fetched("pyodide"), found


def from_folder(folder: Path) -> tuple[Files, Files]:
    """Return the same from a distribution of Pyodide that has NumPy and contourpy."""
    if lacking := [name for name in (*RUNTIME, STDLIB) if not (folder / name).is_file()]:
        sys.exit(f"--pyodide: {folder} has no {lacking[0]}; give a Pyodide distribution.")
    runtime = {name: (folder / name).read_bytes() for name in (*RUNTIME, STDLIB)}
    listed = json.loads(runtime["pyodide-lock.json"])["packages"]
    found: Files = {}
    for name in COMPILED:
        wheel = folder / listed.get(name, {}).get("file_name", name)
        if not wheel.is_file():
            sys.exit(f"--pyodide: {folder} has no {name}; give a full distribution.")
        found |= unzipped(wheel.read_bytes())
    return runtime, found


def zipped(files: Files) -> bytes:
    """Return a zip file without compression: the whole bundle is compressed, and better."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, file in sorted(files.items()):
            packed.writestr(zipfile.ZipInfo(name), file)
    return out.getvalue()


def python_bundle(given: str) -> Files:
    """Return the runtime's files, for a folder that was given or from the registry."""
    runtime, found = from_folder(Path(given)) if given else from_registry()
    kept = {name: file for name, file in found.items() if not UNUSED.search("/" + name)}
    lock = json.loads(runtime["pyodide-lock.json"]) | {"packages": {}}  # everything is here
    return {name: runtime[name] for name in RUNTIME} | {
        "pyodide-lock.json": json.dumps(lock).encode(),
        STDLIB: zipped(unzipped(runtime[STDLIB])),
        "packages.tar": tarred(kept),
        "backtrace.so": BACKTRACE,
    }


def linlib_bundle() -> Files:
    """Return linlib, what draws its controls, and what the page's worker calls."""
    found = {"in_page.py": Path(__file__).with_name("in_page.py").read_bytes()}
    for path in sorted((ROOT / "linlib").rglob("*")):
        if path.is_file() and path.suffix != ".pyc" and "sklearn" not in path.parts:
            found[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    # Where an installed linlib has them: linlib.formal writes them before a run's own theorems.
    for path in sorted((ROOT / "proofs").glob("*.v")):
        found[f"linlib/proofs/{path.name}"] = path.read_bytes()
    for file in distribution("traitlets").files or ():
        if file.suffix == ".py" and not UNUSED.search(f"/{file}"):
            found[file.as_posix()] = file.read_binary()
    return found


# ---- as a page loads it


def tarred(files: Files) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in sorted(files.items()):
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return out.getvalue()


def scripts(name: str, files: Files) -> Iterator[tuple[str, str]]:
    """Yield the scripts of a bundle, each with a name that changes with the bundle."""
    packed = gzip.compress(tarred(files), mtime=0, compresslevel=6)
    digest = hashlib.sha256(packed).hexdigest()[:8]
    for at in range(0, len(packed), CHUNK):
        file = f"{name}-{digest}-{at // CHUNK:02}.js"
        text = base64.b64encode(packed[at : at + CHUNK]).decode()
        yield file, f'linlibLive.chunk("{file}", "{text}");\n'


def write(folder: Path, given: str = "") -> dict[str, Any]:
    """Write the bundles; return what a page is told about them.

    Raises MissingError where there is no runtime.
    """
    address = given if re.match("https?://", given) else ""
    told: dict[str, Any] = {"address": address, "bundles": {}}
    bundles = {} if address else {"python": python_bundle(given)}
    for name, files in (bundles | {"linlib": linlib_bundle()}).items():
        made = dict(scripts(name, files))
        for file, text in made.items():
            put(folder / file, text)
        told["bundles"][name] = {file: len(text) for file, text in made.items()}
    return told
