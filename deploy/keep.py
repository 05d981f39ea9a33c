"""Keeps students' work: one archive of all that cannot be made again, and the way back."""

from __future__ import annotations

import io
import os
import sqlite3
import tarfile
import tempfile
from pathlib import Path

from deploy import accounts
from deploy.exchange import COURSE, collect
from deploy.settings import Place, WrongError

PARTS = ("hub.toml", "class.txt", "hub", "course", "exchange", "homes")
LEFT = (".cache", ".ipynb_checkpoints", "runtime")  # made again by itself


def backup(place: Place, archive: Path) -> int:
    """Write everything into one archive, readable by root alone; return how many files.

    What was handed in is collected first, so that the time at which it came is kept.
    """
    for folder in sorted((place.exchange / COURSE / "outbound").iterdir()):
        collect(place, folder.name)
    partial = archive.with_name(f".{archive.name}.new")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    count = 0
    with tarfile.open(partial, "w:gz", compresslevel=3) as packed:
        for part in PARTS:
            for path in walk(place.folder / part):
                name = str(path.relative_to(place.folder))
                if name == "hub/jupyterhub.sqlite":
                    database(path, packed, name)
                elif not name.startswith("hub/jupyterhub.sqlite") and path.name != "pids":
                    try:
                        packed.add(path, name, recursive=False)
                    except FileNotFoundError:
                        continue  # a student deleted it meanwhile
                count += 1
        packed.add(archive.parent, "complete", recursive=False)
    partial.replace(archive)
    return count


def walk(path: Path) -> list[Path]:
    """Return a file, or a folder and all in it; links are kept as links."""
    found = [path]
    for folder, inner, files in os.walk(path):
        inner[:] = [name for name in inner if name not in LEFT]
        found += [Path(folder) / name for name in (*inner, *files)]
    return found


def database(path: Path, packed: tarfile.TarFile, name: str) -> None:
    """Pack the hub's database as it is at one moment, while the hub goes on."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite"
        with sqlite3.connect(path) as source, sqlite3.connect(copy) as target:
            source.backup(target)
        entry = packed.gettarinfo(copy, name)
        entry.mode = 0o600
        packed.addfile(entry, io.BytesIO(copy.read_bytes()))


def restore(place: Place, archive: Path) -> int:
    """Put everything back, on this machine or another; return how many files.

    The hub must not run. Accounts that are missing are made; files are given to them by name. What
    a student has here under another name than in the archive stays.
    """
    if running(place):
        raise WrongError("The hub runs: stop it first (Ctrl-C where `make hub` runs).")
    with tarfile.open(archive) as packed:
        members = packed.getmembers()
        if not members or members[-1].name != "complete":
            raise WrongError(f"{archive} is not complete: it cannot be restored.")
        place.folder.mkdir(parents=True, exist_ok=True)
        place.folder.chmod(0o711)
        place.homes.mkdir(exist_ok=True)
        place.homes.chmod(0o711)
        for member in members[:-1]:
            if member.name in ("hub.toml", "class.txt"):
                packed.extract(member, place.folder, filter="tar")
        names = [place.settings().instructor, *place.class_list()]
        owners = {name: accounts.ensure(place, name) for name in names}
        for member in members[:-1]:
            owner = owners.get(member.uname)
            member.uid, member.gid = (owner.pw_uid, owner.pw_gid) if owner else (0, 0)
            member.uname = member.gname = ""
            packed.extract(member, place.folder, filter=inside, numeric_owner=True)
    return len(members) - 1


def inside(member: tarfile.TarInfo, path: str) -> tarfile.TarInfo | None:
    """Let nothing out of the folder; keep rights and links as they are."""
    checked = tarfile.tar_filter(member, path)
    # tar_filter drops the right of others to write, which students have in the exchange
    return checked.replace(mode=member.mode & 0o1777, deep=False)


def running(place: Place) -> bool:
    """Tell whether a hub runs on this folder."""
    try:
        pids = dict(line.split() for line in (place.hub / "pids").read_text().splitlines())
        os.kill(int(pids["keeper"]), 0)
    except (OSError, KeyError, ValueError):
        return False
    return b"deploy" in Path(f"/proc/{pids['keeper']}/cmdline").read_bytes()
