"""Measure what one student takes: memory and processor time of a server and of each lecture.

``env/bin/python deploy/measure.py [LECTURE …]`` starts a JupyterLab, then a kernel for each
lecture and runs all its cells. Memory is counted as Linux does for shared pages (PSS).
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def lab() -> Iterator[psutil.Process]:
    """Start a JupyterLab as a student has it, and wait until it has settled."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0"]
        server = subprocess.Popen([*command, f"--ServerApp.root_dir={folder}"], stderr=-3)
        try:
            time.sleep(10)
            yield psutil.Process(server.pid)
        finally:
            server.terminate()
            server.wait()


def taken(process: psutil.Process) -> tuple[float, float]:
    """Return MiB and seconds of processor time that a process and its children have taken."""
    family = [process, *process.children(recursive=True)]
    memory = sum(one.memory_full_info().pss for one in family) / 2**20
    return memory, sum(sum(one.cpu_times()[:2]) for one in family)


def lecture(path: Path) -> tuple[float, float, float]:
    """Run a lecture; return MiB of its kernel before and (at most) after a cell, and seconds."""
    client = NotebookClient(nbformat.read(path, as_version=4), resources={"metadata": {}})
    client.resources["metadata"]["path"] = str(path.parent)
    seen: list[tuple[float, float]] = []
    me = psutil.Process()
    before = {child.pid for child in me.children()}

    def look(**_: object) -> None:
        new = [child for child in me.children() if child.pid not in before]
        seen.append(taken(new[0]))

    client.on_cell_start = look
    client.on_cell_executed = look
    client.execute()
    return seen[0][0], max(memory for memory, _ in seen), seen[-1][1]


def main() -> None:
    """Print a table."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    named = sorted((ROOT / "notebooks").glob("[01]?-*.ipynb"))
    with lab() as server:
        memory, seconds = taken(server)
    print(f"| a server | {memory:.0f} MiB | {seconds:.1f} s |")
    for path in [Path(name).resolve() for name in sys.argv[1:]] or named:
        idle, most, seconds = lecture(path)
        print(f"| {path.stem} | {idle:.0f} to {most:.0f} MiB | {seconds:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
