"""What a new process does before anything of a student's runs in it."""

from __future__ import annotations

import os
import pwd
import resource
from typing import Any

from deploy.disks import rearrange


def enter(account: str, groups: list[str], limits: dict[str, int], mounts: list[Any]) -> None:
    """Become the account, inside its control groups and with its limits; there is no way back."""
    who = pwd.getpwnam(account)
    for procs in groups:
        with open(procs, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
    rearrange(mounts)
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))
    os.umask(0o077)
    os.initgroups(account, who.pw_gid)
    os.setgid(who.pw_gid)
    os.setuid(who.pw_uid)
    os.chdir(who.pw_dir)
    log = os.open(".server.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    for stream in (1, 2):
        os.dup2(log, stream)  # not the hub's log, which nobody else may cut or fill
    os.close(log)
