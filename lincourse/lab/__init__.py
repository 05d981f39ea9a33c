"""JupyterLab for the course: on loopback, with a token, and nothing that leaves the machine.

The files beside this one name figures and their stills, hide solutions, and show the tools for
assignments only where homework is asked for.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lincourse.paths import NOTEBOOKS

HERE = Path(__file__).resolve().parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Start JupyterLab and wait for its end; it is handed every option that is not listed here."""
    parser = argparse.ArgumentParser(description=main.__doc__, allow_abbrev=False)
    parser.add_argument("--port", type=int, default=8888, help="default: %(default)s")
    parser.add_argument("--homework", help="open a homework with its tools, for example hw1")
    options, others = parser.parse_known_args(arguments)
    homework = options.homework
    start = f"homework/release/{homework}/{homework}.ipynb" if homework else "00-start-here.ipynb"
    if not (NOTEBOOKS / start).exists():
        parser.error(f"there is no {start} in {NOTEBOOKS}")
    settings = [HERE] if homework else [HERE, HERE / "lectures"]
    command = [sys.executable, "-m", "jupyterlab", f"--port={options.port}"]
    command += [f"{name}={value}" for name, value in ours(start).items() if not said(name, others)]
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
        command.append("--no-browser")  # there is no screen to open it on
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # containers usually are
    command += others
    path = os.pathsep.join(map(str, settings))
    try:
        return subprocess.run(command, env={**os.environ, "JUPYTER_CONFIG_PATH": path}).returncode
    except KeyboardInterrupt:
        return 0


def ours(start: str) -> dict[str, str]:
    """Return JupyterLab's options as the course sets them, unless the reader says otherwise."""
    return {
        "--ServerApp.ip": "127.0.0.1",
        "--ServerApp.root_dir": str(NOTEBOOKS),
        "--LabApp.default_url": f"/lab/tree/{start}",
        "--LabApp.extension_manager": "readonly",
        "--LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }


def said(name: str, words: Sequence[str]) -> bool:
    """Tell whether words set an option, by its name or by its short form: JupyterLab takes one.

    >>> said("--ServerApp.ip", ["--ip=0.0.0.0"]), said("--ServerApp.ip", ["--no-browser"])
    (True, False)
    """
    short = {"--ServerApp.root_dir": "--notebook-dir"}.get(name, f"--{name.partition('.')[2]}")
    return any(word.partition("=")[0] in (name, short) for word in words)
