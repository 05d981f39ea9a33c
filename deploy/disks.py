"""A file system of limited size for each student: home, temporary files and what is handed in.

It lies in one file, an image that grows as it is filled, and is mounted by a loop device, which
needs no quotas of the file system below. Where nothing can be mounted (most containers), homes are
ordinary folders and their size is **not** limited; the hub says so when it starts.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

from deploy.settings import COURSE, Place, size

PARTS = {"home": 0o700, "tmp": 0o1777, "inbound": 0o1733, "held": 0o700}
OPTIONS = "loop,nosuid,nodev,discard"
NEW_MOUNTS, BIND, BELOW, SLAVE = 0x20000, 0x1000, 0x4000, 0x80000  # of unshare and mount


def attach(place: Place, name: str) -> bool:
    """Mount a student's disk, made if there is none; tell whether that can be done here."""
    image, disk, home = place.disks / f"{name}.img", place.disks / name, place.home(name)
    if os.path.ismount(home):
        return True
    if home.exists() and any(home.iterdir()):
        return False  # a home from before; it is used as it is
    try:
        place.disks.mkdir(mode=0o700, exist_ok=True)
        disk.mkdir(exist_ok=True)
        home.mkdir(mode=0o700, exist_ok=True)
        if not image.exists():
            make(image, size(place.settings().disk))
        if not os.path.ismount(disk):
            run("mount", "-o", OPTIONS, str(image), str(disk))
        for part, mode in PARTS.items():
            (disk / part).mkdir(exist_ok=True)
            if part != "home":
                (disk / part).chmod(mode)
        run("mount", "--bind", str(disk / "home"), str(home))
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def make(image: Path, count: int) -> None:
    """Make an empty file system of so many bytes."""
    partial = image.with_suffix(".new")
    partial.touch(mode=0o600)
    os.truncate(partial, count)
    run("mkfs.ext4", "-q", "-F", "-m", "0", str(partial))
    partial.replace(image)


def run(*command: str) -> None:
    """Run a command of the system, quietly."""
    subprocess.run(command, check=True, capture_output=True)


def detach(place: Place, name: str) -> None:
    """Unmount a student's disk, now or as soon as nobody uses it."""
    for folder in (place.home(name), place.disks / name):
        while os.path.ismount(folder):
            run("umount", "--lazy", str(folder))


def discard(place: Place, name: str) -> None:
    """Take a student's disk away, with all that is on it."""
    detach(place, name)
    shutil.rmtree(place.disks / name, ignore_errors=True)
    (place.disks / f"{name}.img").unlink(missing_ok=True)


def private(place: Place, name: str) -> list[tuple[str, str]]:
    """Return what a student's processes find elsewhere than all others: pairs (what, where)."""
    disk = place.disks / name
    if not os.path.ismount(disk):
        return []
    inbound = place.exchange / COURSE / "inbound"
    pairs = {"/tmp": "tmp", "/var/tmp": "tmp", str(inbound): "inbound"}
    return [(str(disk / part), where) for where, part in pairs.items()]


def rearrange(pairs: list[list[str]]) -> None:
    """Give this process mounts of its own; root's do not change."""
    if not pairs:
        return
    system = ctypes.CDLL(None, use_errno=True)
    done = system.unshare(NEW_MOUNTS) or system.mount(None, b"/", None, SLAVE | BELOW, None)
    for what, where in pairs:
        done = done or system.mount(what.encode(), where.encode(), None, BIND, None)
    if done:
        raise OSError(ctypes.get_errno(), "mounts of a student's own")
