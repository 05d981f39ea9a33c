"""What a student can use up: JupyterHub's own spawner, with limits that the kernel enforces.

Memory, processor and processes are limited by control groups, for a student's server and kernels
together. Where there are none to be had (a container without rights to them), memory is limited
for each process alone and the processor is not.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Int, Unicode

GROUPS = Path("/sys/fs/cgroup")
PERIOD = 100_000  # microseconds


def group(
    label: str, memory: int, cpu: float, processes: int, groups: Path = GROUPS
) -> list[Path]:
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
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in limits.items():
        (folder / name).write_text(str(value))
    return folder / "cgroup.procs"


class WalledSpawner(LocalProcessSpawner):
    """Starts a server as the student's own account, within limits, and leaves nothing behind."""

    group_label = Unicode("linlib-hub", config=True, help="where the control groups are")
    process_limit = Int(200, config=True, help="a student's processes and threads")
    file_limit = Int(1 << 30, config=True, help="bytes of the largest file")

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """Return what the new process does before anything of the student's runs."""
        become = super().make_preexec_fn(name)
        try:
            label = f"{self.group_label}/{name}"
            groups = group(label, self.mem_limit, self.cpu_limit, self.process_limit)
        except OSError as problem:
            self.log.warning("No control groups (%s): memory is limited by process.", problem)
            groups = []
        limits = [
            (resource.RLIMIT_FSIZE, self.file_limit),
            (resource.RLIMIT_NPROC, self.process_limit),
            (resource.RLIMIT_CORE, 0),
        ]
        if not groups:
            limits.append((resource.RLIMIT_DATA, self.mem_limit))

        def begin() -> None:
            for procs in groups:
                procs.write_text(str(os.getpid()))
            for what, most in limits:
                resource.setrlimit(what, (most, most))
            os.umask(0o077)
            become()

        return begin

    async def stop(self, now: bool = False) -> None:
        """Stop the server, and whatever else the student left running."""
        await super().stop(now)
        for process in processes_of(self.user.name):
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)


def processes_of(name: str) -> list[psutil.Process]:
    """Return the processes that run as an account."""
    found = []
    for process in psutil.process_iter(["username"]):
        if process.info["username"] == name:
            found.append(process)
    return found


def memory_of(name: str) -> int:
    """Return the bytes an account uses, a shared page counted in parts (as root sees it)."""
    total = 0
    for process in processes_of(name):
        with contextlib.suppress(psutil.Error):
            total += process.memory_full_info().pss
    return total
