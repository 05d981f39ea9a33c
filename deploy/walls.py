"""JupyterHub's own spawner, with limits that the kernel enforces.

Where there are no control groups to be had (a container without rights to them), memory is limited
for each process alone and the processor is not.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable

from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Int, Unicode

from deploy.limits import end_all, group


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
        end_all(self.user.name)
