"""JupyterHub's own spawner, with limits that the kernel enforces.

Where there are no control groups to be had (a container without rights to them), memory is limited
for each process alone and the processor is not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from jupyterhub.spawner import LocalProcessSpawner
from jupyterhub.utils import random_port
from traitlets import Int, Unicode

from deploy.disks import private
from deploy.enter import enter
from deploy.limits import end_all, group
from deploy.settings import here


class WalledSpawner(LocalProcessSpawner):
    """Starts a server as the student's own account, within limits, and leaves nothing behind."""

    group_label = Unicode("linlib-hub", config=True, help="where the control groups are")
    process_limit = Int(200, config=True, help="a student's processes and threads")
    file_limit = Int(1 << 30, config=True, help="bytes of the largest file")
    warm = Unicode("", config=True, help="socket of deploy.warm; empty: start each server anew")

    def walls(self) -> dict[str, Any]:
        """Return who the new process becomes, and within which limits."""
        name = self.user.name
        limits = {
            "RLIMIT_FSIZE": self.file_limit,
            "RLIMIT_NPROC": self.process_limit,
            "RLIMIT_CORE": 0,
        }
        try:
            label = f"{self.group_label}/{name}"
            made = group(label, self.mem_limit, self.cpu_limit, self.process_limit)
            groups = [str(procs) for procs in made]
        except OSError as problem:
            self.log.warning("No control groups (%s): memory is limited by process.", problem)
            groups, limits["RLIMIT_DATA"] = [], self.mem_limit
        mounts = private(here(), name)
        return {"account": name, "groups": groups, "limits": limits, "mounts": mounts}

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """Return what the new process does before anything of the student's runs."""
        walls = self.walls()
        return lambda: enter(**walls)

    async def start(self) -> tuple[str, int]:
        """Have the server split off from the warm process; without one, start it anew."""
        if not self.warm:
            return await super().start()
        self.port = self.port or random_port()
        request = {**self.walls(), "env": self.get_env()}
        try:
            reader, writer = await asyncio.open_unix_connection(self.warm)
            writer.write(json.dumps(request).encode() + b"\n")
            self.pid = int(await reader.readline())
            writer.close()
        except (OSError, ValueError) as problem:
            self.log.warning("No warm process (%s): the server is started anew.", problem)
            return await super().start()
        self.proc = None
        return ("127.0.0.1", self.port)

    async def stop(self, now: bool = False) -> None:
        """Stop the server, and whatever else the student left running."""
        await super().stop(now)
        await asyncio.to_thread(end_all, self.user.name)
