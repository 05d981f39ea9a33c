"""Make a JupyterLite of the course: whole lectures that run in the reader's browser.

JupyterLite's builder is pinned here and run by uv in an environment of its own: only who makes
this needs it. Python is Pyodide's official distribution, at an address or in a folder; it has
NumPy, SciPy, Matplotlib and scikit-learn.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lincourse.files import put
from lincourse.paths import BUILD, ROOT
from lincourse.publish import live
from lincourse.publish.lectures import lectures

CORE = "jupyterlite-core[contents]==0.8.6"
KERNELS = "jupyterlite-pyodide-kernel==0.8.6"
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
PACKAGES = ["numpy", "scipy", "matplotlib", "scikit-learn", "contourpy"]  # of the distribution
# A lecture begins with this cell there: what a distribution lacks comes from the site or PyPI.
FIRST = "%pip install -q linlib ipywidgets anywidget"


def wheel(folder: Path) -> Path:
    """Write linlib as a wheel; it is Python alone, and a page installs it from there."""
    number, about = version("linlib"), f"linlib-{version('linlib')}.dist-info"
    files = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in sorted((ROOT / "linlib").rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    head = f"Metadata-Version: 2.1\nName: linlib\nVersion: {number}\n"
    files[f"{about}/METADATA"] = head.encode()
    files[f"{about}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={digest(file)},{len(file)}\n" for name, file in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    path = folder / f"linlib-{number}-py3-none-any.whl"
    put(path, live.zipped(files))
    return path


def digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def fill(folder: Path) -> None:
    """Write the lectures, each with a first cell that installs what it needs."""
    for one in lectures():
        stored = json.loads(one.path.read_text("utf-8"))
        cell = {"cell_type": "code", "id": "install", "metadata": {}, "outputs": []}
        stored["cells"].insert(0, {**cell, "execution_count": None, "source": FIRST})
        put(folder / one.path.name, json.dumps(stored, ensure_ascii=False, indent=1) + "\n")


def build(out: Path, pyodide: str) -> None:
    """Make the JupyterLite in ``out``, from nothing."""
    address = re.match("https?://", pyodide)
    if pyodide and not (address or (Path(pyodide) / "pyodide.mjs").is_file()):
        sys.exit(f"--pyodide: {pyodide} has no pyodide.mjs; give a Pyodide distribution.")
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work:
        place = Path(work)
        fill(place / "files")
        options: dict[str, Any] = {"loadPyodideOptions": {"packages": PACKAGES}}
        if address:
            options["pyodideUrl"] = f"{pyodide.rstrip('/')}/pyodide.mjs"
        elif pyodide:
            shutil.copytree(pyodide, place / "static" / "pyodide")  # where the builder looks
        settings = {"jupyter-config-data": {"litePluginSettings": {KERNEL: options}}}
        put(place / "jupyter-lite.json", json.dumps(settings | {"jupyter-lite-schema-version": 0}))
        command = [sys.executable, "-m", "uv", "tool", "run", "--quiet", "--from", CORE]
        shown = (f"--with={name}=={version(name)}" for name in ("jupyterlab_widgets", "anywidget"))
        command += ["--with", KERNELS, *shown, "jupyter-lite", "build", "--lite-dir", work]
        command += ["--contents", "files", "--output-dir", str(out.resolve())]
        command += ["--piplite-wheels", str(wheel(place))]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"JupyterLite was not built:\n{(done.stderr + done.stdout)[-1500:]}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=BUILD / "lite")
    parser.add_argument(
        "--pyodide",
        default="",
        metavar="FOLDER_OR_ADDRESS",
        help="a Pyodide distribution (default: the official one that JupyterLite names)",
    )
    options = parser.parse_args(arguments)
    build(options.out, options.pyodide)
    size = sum(path.stat().st_size for path in options.out.rglob("*") if path.is_file()) / 1e6
    print(f"{size:.0f} MB: {options.out}/lab/index.html, to be served by any static server")
