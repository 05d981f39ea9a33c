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
    """Start JupyterLab and wait for its end."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=8888, help="default: %(default)s")
    parser.add_argument("--homework", help="open a homework with its tools, for example hw1")
    options = parser.parse_args(arguments)
    homework = options.homework
    start = f"homework/release/{homework}/{homework}.ipynb" if homework else "00-start-here.ipynb"
    if not (NOTEBOOKS / start).exists():
        parser.error(f"there is no {start} in {NOTEBOOKS}")
    settings = [HERE] if homework else [HERE, HERE / "lectures"]
    command = [sys.executable, "-m", "jupyterlab", "--ServerApp.ip=127.0.0.1"]
    command += [f"--port={options.port}", f"--ServerApp.root_dir={NOTEBOOKS}"]
    command += [f"--LabApp.default_url=/lab/tree/{start}", "--LabApp.extension_manager=readonly"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
        command.append("--no-browser")  # there is no screen to open it on
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # containers usually are
    path = os.pathsep.join(map(str, settings))
    try:
        return subprocess.run(command, env={**os.environ, "JUPYTER_CONFIG_PATH": path}).returncode
    except KeyboardInterrupt:
        return 0
