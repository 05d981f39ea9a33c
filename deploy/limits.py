"""What a student can use up: limits that the kernel enforces, and what is in use.

Memory, processor and processes are limited by control groups, for a student's server and kernels
together.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import psutil

GROUPS = Path("/sys/fs/cgroup")
PERIOD = 100_000  # microseconds


def group(label: str, memory: int, cpu: float, processes: int, groups: Path = GROUPS) -> list[Path]:
    """Make a control group with these limits; return the files that take a process into it."""
    if (groups / "cgroup.controllers").exists():  # version 2: one tree
        top = groups / Path(label).parts[0]
        top.mkdir(exist_ok=True)
        for each in (groups, top):
            (each / "cgroup.subtree_control").write_text("+memory +cpu +pids")
        limits = {
            "memory.max": memory,
            "cpu.max": f"{int(cpu * PERIOD)} {PERIOD}",
            "pids.max": processes,
        }
        return [limited(groups / label, limits)]
    made = []
    for tree, limits in {
        "memory": {"memory.limit_in_bytes": memory},
        "cpu": {"cpu.cfs_period_us": PERIOD, "cpu.cfs_quota_us": int(cpu * PERIOD)},
        "pids": {"pids.max": processes},
    }.items():
        made.append(limited(groups / tree / label, limits))
    return made


def limited(folder: Path, limits: dict[str, Any]) -> Path:
    """Make one group; return the file that takes processes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in limits.items():
        (folder / name).write_text(str(value))
    return folder / "cgroup.procs"


def processes_of(*names: str) -> list[psutil.Process]:
    """Return the processes that run as one of the accounts; not those that have ended."""
    found = []
    for process in psutil.process_iter(["username", "status"]):
        if process.info["username"] in names and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def end_all(*names: str) -> None:
    """End whatever runs as one of the accounts, and see that it has ended."""
    for _ in range(25):
        found = processes_of(*names)
        if not found:
            return
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        time.sleep(0.2)


def memory_of(name: str) -> int:
    """Return the bytes an account uses, a shared page counted in parts (as root sees it)."""
    return int(usage([name])[name].memory)


class Usage(NamedTuple):
    """What an account uses: bytes, and the processor seconds of what runs."""

    memory: float
    seconds: float


def usage(names: Iterable[str]) -> dict[str, Usage]:
    """Return what accounts use, a page that k processes share counted as 1/k in each."""
    found = dict.fromkeys(names, Usage(0, 0))
    for process in psutil.process_iter(["username"]):
        name = process.info["username"]
        if name in found:
            with contextlib.suppress(psutil.Error):
                found[name] = added(found[name], process)
    return found


def added(before: Usage, process: psutil.Process) -> Usage:
    """Return what is used with one process more."""
    seconds = sum(process.cpu_times()[:2])
    return Usage(before.memory + process.memory_full_info().pss, before.seconds + seconds)
