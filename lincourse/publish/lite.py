"""Make a JupyterLite of the course: whole lectures that run in the reader's browser.

JupyterLite's builder is pinned here and run by uv in an environment of its own: only who makes
this needs it. Python is Pyodide's official distribution, at an address or in a folder; it has
NumPy, SciPy, Matplotlib and scikit-learn.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lincourse.files import put
from lincourse.paths import ROOT
from lincourse.publish.lectures import lectures

CORE = "jupyterlite-core[contents]==0.8.6"
KERNELS = "jupyterlite-pyodide-kernel==0.8.6"
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
PACKAGES = ["numpy", "scipy", "matplotlib", "scikit-learn", "contourpy"]  # of the distribution
# Below its title a lecture has this cell: what a distribution lacks comes from the site or PyPI.
FIRST = "%pip install -q linlib ipywidgets anywidget"


def uv(work: str, *command: str) -> None:
    """Run a command of uv in a folder, where it may leave something; it fetches what it needs."""
    whole = [sys.executable, "-m", "uv", *command]
    done = subprocess.run(whole, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"JupyterLite was not built:\n{(done.stderr + done.stdout)[-1500:]}")


def fill(folder: Path) -> None:
    """Write the lectures; below its title each has a cell that installs what it needs."""
    for one in lectures():
        stored = json.loads(one.path.read_text("utf-8"))
        cell = {"cell_type": "code", "id": "install", "metadata": {}, "outputs": []}
        stored["cells"].insert(1, {**cell, "execution_count": None, "source": FIRST})
        put(folder / one.path.name, json.dumps(stored, ensure_ascii=False, indent=1) + "\n")
    for path in lectures()[0].path.parent.glob("*.toml"):  # the ledger, which lecture 00 reads
        put(folder / path.name, path.read_bytes())


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
            options["pyodideUrl"] = "./static/pyodide/pyodide.mjs"  # which it does not always say
        settings = {"jupyter-config-data": {"litePluginSettings": {KERNEL: options}}}
        put(place / "jupyter-lite.json", json.dumps(settings | {"jupyter-lite-schema-version": 0}))
        uv(work, "build", "--wheel", "--quiet", "--out-dir", work, str(ROOT))
        shown = (f"--with={name}=={version(name)}" for name in ("jupyterlab_widgets", "anywidget"))
        command = ["tool", "run", "--quiet", "--from", CORE, "--with", KERNELS, *shown]
        command += ["jupyter-lite", "build", "--lite-dir", work, "--output-dir", str(out.resolve())]
        command += ["--contents", str(place / "files")]
        uv(work, *command, "--piplite-wheels", *map(str, place.glob("*.whl")))
