"""What one student takes: memory and processor time of server and kernel, reading to dragging.

``python -m deploy.cluster.measure`` starts one server with the settings of the class server, as an
ordinary process without a hub, runs every lecture in it, drags every explorer, and writes
``figures.toml``. Processor time is counted, not waited for: a busy machine changes little. With
``--python`` of an environment that has JupyterHub, too, its part is in memory as in the image.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import requests

from deploy.client import Kernel, Student
from deploy.cluster import context
from deploy.settings import ROOT, Place
from deploy.trial import free_ports

FIGURES = Path(__file__).with_name("figures.toml")
IDLE, MOVES = 60, 100  # seconds of reading, moves of a drag
POLLED = ("api/kernels", "api/sessions", "api/contents?content=1")  # by JupyterLab, every 10 s
MIB = 1 << 20
START = """
import contextlib
with contextlib.suppress(ImportError):
    import jupyterhub.singleuser.extension  # what a hub's server holds besides
from jupyterlab.labapp import main
main()
"""


class Tree:
    """A process with its children; processor time of those that ended is kept."""

    def __init__(self, pid: int) -> None:
        self.top = psutil.Process(pid)

    def all(self) -> list[psutil.Process]:
        """Return the processes that run."""
        return [self.top, *self.top.children(recursive=True)]

    def memory(self) -> float:
        """Return MiB, a page that several processes share counted in parts."""
        return sum(process.memory_full_info().pss for process in self.all()) / MIB

    def seconds(self) -> float:
        """Return the processor seconds used so far."""
        times = [process.cpu_times() for process in self.all()]
        ended = times[0].children_user + times[0].children_system
        return ended + sum(each.user + each.system for each in times)


@contextlib.contextmanager
def server(place: Place, home: Path, python: str) -> Iterator[tuple[Student, Tree]]:
    """Run a server on the lectures as students get them, and be logged in."""
    token, port = secrets.token_hex(16), free_ports()
    student = Student(f"http://127.0.0.1:{port}", "measured")
    said = {
        "ServerApp.base_url": "/user/measured/",
        "ServerApp.root_dir": place.lectures,
        "ServerApp.port": port,
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": token,
    }
    environment = {
        **os.environ,
        "HOME": str(home),
        "LINLIB_HUB": str(place.folder),
        "LINLIB_TUNED": "1",
        "JUPYTER_CONFIG_PATH": str(place.server),
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
    }
    command = [python, "-c", START, *(f"--{name}={value}" for name, value in said.items())]
    run = subprocess.Popen(command, env=environment, cwd=home, stderr=subprocess.DEVNULL)
    try:
        for _ in range(240):
            with contextlib.suppress(requests.ConnectionError):
                if student.web.get(f"{student.server}/lab?token={token}", timeout=60).ok:
                    break
            time.sleep(0.5)
        yield student, Tree(run.pid)
    finally:
        run.terminate()
        run.wait(60)


def reading(student: Student, tree: Tree) -> float:
    """Return the cores that an open lecture takes while nothing is done but looking at it."""
    kernel = student.kernel("00-start-here.ipynb")
    kernel.run("")
    began = tree.seconds()
    for _ in range(IDLE // 10):
        for path in POLLED:
            student.ask(path).raise_for_status()
        time.sleep(10)
    used = (tree.seconds() - began) / IDLE
    kernel.close()
    student.ask(f"api/kernels/{kernel.ident}", "DELETE").raise_for_status()
    return used


def drag(kernel: Kernel) -> None:
    """Move a handle of the lecture's explorer in a circle, as the browser does: one at a time."""
    told = "import json; _panel = explorer.canvas.scene['panels'][0]\n"
    told += "print(json.dumps([explorer.canvas.comm.comm_id, _panel]))"
    ident, panel = json.loads(kernel.run(told).splitlines()[-1])
    (left, right), (low, high) = panel["xlim"], panel["ylim"]
    kernel.canvas = ident  # of all that the lecture shows, this one
    handle = panel["handles"][0]["id"]
    for number in range(MOVES):
        at = 0.25 + 0.5 * (number % 20) / 20
        kernel.move(handle, left + at * (right - left), low + at * (high - low))


def lecture(student: Student, tree: Tree, name: str) -> Iterator[tuple[str, float]]:
    """Yield what one lecture takes: run all cells in a fresh kernel, then drag its explorer."""
    notebook = student.open(name)
    began = tree.seconds()
    kernel = student.kernel(name)
    kernel.run("")
    yield "kernel_seconds", tree.seconds() - began
    yield "kernel_memory", tree.memory()
    began = tree.seconds()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            kernel.run("".join(cell["source"]))
    yield "run_seconds", tree.seconds() - began
    yield "run_memory", tree.memory()
    if any(cell.get("id") == "explore" for cell in notebook["cells"]):
        began = tree.seconds()
        drag(kernel)
        yield "move_seconds", (tree.seconds() - began) / MOVES
        yield "drag_memory", tree.memory()
    kernel.close()
    student.ask(f"api/kernels/{kernel.ident}", "DELETE").raise_for_status()


def main() -> None:
    """Measure everything, print it and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--python", default=sys.executable, help="of an environment like the image's"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(context.make(Path(folder) / "image"))
        home = Path(folder) / "home"
        home.mkdir()
        with server(place, home, options.python) as (student, tree):
            lines = [f"# Made by python -m {__spec__.name}: MiB, processor seconds. One student."]
            lines.append(f"server_seconds = {tree.seconds():.1f}")
            lines.append(f"server_memory = {tree.memory():.0f}")
            lines.append(f"reading_cores = {reading(student, tree):.4f}")
            for path in sorted(place.lectures.glob("[01]*.ipynb")):
                lines.append(f'\n["{path.stem}"]')
                for name, value in lecture(student, tree, path.name):
                    digits = 4 if name == "move_seconds" else 0 if "memory" in name else 1
                    lines.append(f"{name} = {value:.{digits}f}")
                print("\n".join(lines[-7:]), flush=True)
        homework = sorted((ROOT / "notebooks/homework/release").glob("hw*/*.ipynb"))
        size = sum(path.stat().st_size for path in place.lectures.rglob("*") if path.is_file())
        handed = max(path.stat().st_size for path in homework)
    lines.insert(4, f"lectures_mib = {size / MIB:.1f}")
    lines.insert(5, f"homework = {len(homework)}\nhomework_mib = {handed / MIB:.3f}")
    FIGURES.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
