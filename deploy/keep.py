"""Keeps students' work: one archive of all that cannot be made again, and the way back.

Both run as root over folders that students can change meanwhile. So a backup follows no link and
opens every file in the folder in which it was found; a restore moves what is there aside, writes
into empty folders, and refuses an archive in which something lies behind a link.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from deploy import accounts, disks
from deploy.exchange import COURSE, collect
from deploy.settings import Place, WrongError

FILES, FOLDERS = ("hub.toml", "class.txt"), ("hub", "course", "exchange", "homes")
DATABASE = "hub/jupyterhub.sqlite"
LEFT = (".cache", ".ipynb_checkpoints", "runtime")  # made again by itself
END = "complete"  # the last entry of an archive that was written to its end


def backup(place: Place, archive: Path) -> int:
    """Write everything into one archive, readable by root alone; return how many files.

    What was handed in is collected first, so that the time at which it came is kept.
    """
    for name in accounts.members(place):
        accounts.ensure(place, name)  # their disks are mounted
    for folder in sorted((place.exchange / COURSE / "outbound").iterdir()):
        collect(place, folder.name)
    partial = archive.with_name(f".{archive.name}.new")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    with tarfile.open(partial, "w:gz", compresslevel=3) as packed:
        for name in FILES:
            packed.add(place.folder / name, name)
        database(place.folder / DATABASE, packed)
        for part in FOLDERS:
            pack(place.folder, part, packed)
        count = len(packed.getmembers())
        packed.addfile(tarfile.TarInfo(END))
    partial.replace(archive)
    return count


def pack(top: Path, part: str, packed: tarfile.TarFile) -> None:
    """Pack a folder: its folders, files and links; sockets and pipes are left."""
    packed.add(top / part, part, recursive=False)
    for folder, inner, files, where in os.fwalk(top / part):
        inner[:] = [name for name in inner if name not in LEFT]
        inside = os.path.relpath(folder, top)
        for name in (*inner, *files):
            label = f"{inside}/{name}"
            if label.startswith(DATABASE) or label == "hub/pids":
                continue
            try:
                add(packed, name, label, where)
            except FileNotFoundError:
                continue  # it was deleted meanwhile


def add(packed: tarfile.TarFile, name: str, label: str, where: int) -> None:
    """Add what is in an open folder under a name, whatever that name means elsewhere."""
    seen = os.stat(name, dir_fd=where, follow_symlinks=False)
    entry = tarfile.TarInfo(label)
    if stat.S_ISREG(seen.st_mode):
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(name, flags, dir_fd=where), "rb") as file:
            described(entry, os.fstat(file.fileno()))
            entry.size = os.fstat(file.fileno()).st_size
            packed.addfile(entry, Padded(file))
        return
    described(entry, seen)
    if stat.S_ISDIR(seen.st_mode):
        entry.type = tarfile.DIRTYPE
    elif stat.S_ISLNK(seen.st_mode):
        entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(name, dir_fd=where)
    else:
        return
    packed.addfile(entry)


class Padded:
    """A file that does not end too early, though somebody cuts it while it is read."""

    def __init__(self, file: object) -> None:
        self.file = file

    def read(self, count: int) -> bytes:
        """Return as many bytes as asked for."""
        return bytes(self.file.read(count).ljust(count, b"\0"))  # type: ignore[attr-defined]


def described(entry: tarfile.TarInfo, seen: os.stat_result) -> None:
    """Note rights, time and owner; the owner by name, because numbers differ between machines."""
    entry.mode, entry.mtime = stat.S_IMODE(seen.st_mode), seen.st_mtime
    try:
        entry.uname = accounts.pwd.getpwuid(seen.st_uid).pw_name
    except KeyError:
        entry.uname = ""


def database(path: Path, packed: tarfile.TarFile) -> None:
    """Pack the hub's database as it is at one moment, while the hub goes on."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite"
        source, target = sqlite3.connect(path), sqlite3.connect(copy)
        source.backup(target)
        source.close()
        target.close()
        copy.chmod(0o600)
        packed.add(copy, DATABASE)


def restore(place: Place, archive: Path) -> int:
    """Put everything back, on this machine or another; return how many files.

    The hub must not run. What is there is moved aside, not deleted. Accounts that are missing are
    made, and files are given to them by name.
    """
    if running(place):
        raise WrongError("The hub runs: stop it first (Ctrl-C where `make hub` runs).")
    with tarfile.open(archive) as packed:
        members = packed.getmembers()
        if not members or members[-1].name != END:
            raise WrongError(f"{archive} is not complete: it cannot be restored.")
        for problem in wrong(members):
            raise WrongError(f"{archive} is not as it was made: {problem}.")
        place.folder.mkdir(parents=True, exist_ok=True)
        place.folder.chmod(0o711)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        for name in accounts.members(place):
            disks.detach(place, name)
        for part in (*FILES, *FOLDERS, "disks"):
            old = place.folder / part
            if old.exists():
                old.rename(place.folder / f"before-{stamp}-{part}")
                (place.folder / f"before-{stamp}-{part}").chmod(0o700)
        members.pop()
        for member in members:
            if member.name in FILES:
                packed.extract(member, place.folder, filter="tar")
        place.homes.mkdir(mode=0o711)
        place.homes.chmod(0o711)
        names = [place.settings().instructor, *place.class_list()]
        owners = {name: accounts.ensure(place, name) for name in names}
        members.sort(key=lambda member: (member.name.startswith("homes/"), member.name))
        for member in members:
            owner = owners.get(member.uname)
            member.uid, member.gid = (owner.pw_uid, owner.pw_gid) if owner else (0, 0)
            member.uname = member.gname = ""
            if member.name not in FILES:
                packed.extract(member, place.folder, filter=as_it_was, numeric_owner=True)
    return len(members)


def wrong(members: list[tarfile.TarInfo]) -> Iterator[str]:
    """Yield what no backup holds: ways out of the folder, and things behind links."""
    links = {PurePosixPath(member.name) for member in members if member.issym()}
    for member in members:
        path = PurePosixPath(member.name)
        if path.is_absolute() or ".." in path.parts:
            yield f"{member.name} leads out"
        elif links.intersection(path.parents):
            yield f"{member.name} lies behind a link"
        elif not (member.isreg() or member.isdir() or member.issym()):
            yield f"{member.name} is neither file, folder nor link"


def as_it_was(member: tarfile.TarInfo, _: str) -> tarfile.TarInfo:
    """Keep rights and links as they are; ``wrong`` has looked at the names."""
    return member.replace(mode=member.mode & 0o1777, deep=False)


def running(place: Place) -> bool:
    """Tell whether a hub runs on this folder."""
    try:
        pids = dict(line.split() for line in (place.hub / "pids").read_text().splitlines())
        return b"deploy" in Path(f"/proc/{pids['keeper']}/cmdline").read_bytes()
    except (OSError, KeyError, ValueError):
        return False
