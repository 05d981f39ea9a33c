"""Give a class server accounts that nobody else sees, then become it.

Run under ``unshare`` as root of a mount namespace of its own: what is mounted here, and so the
accounts, ends with the server. ``python namespace.py FOLDER NAME,NAME,… COMMAND …``
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FIRST = 20000  # the first account's number


def main() -> None:
    folder, names, command = Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]
    let_in(Path(sys.base_prefix), (folder / "env").resolve().parent)
    for file, line in {
        "passwd": "{name}:x:{uid}:{uid}::{home}:/bin/sh",
        "group": "{name}:x:{uid}:",
    }.items():
        lines = [Path("/etc", file).read_text().rstrip()]
        for uid, name in enumerate(names, FIRST):
            lines.append(line.format(name=name, uid=uid, home=folder / "homes" / name))
        (folder / file).write_text("\n".join(lines) + "\n")
        mount("--bind", folder / file, f"/etc/{file}")
    for uid, name in enumerate(names, FIRST):
        own(folder / "homes" / name, uid, 0o700)
    own(folder / "exchange/linear", FIRST, 0o755)  # the instructor is the first
    os.execv(command[0], command)


def own(path: Path, uid: int, mode: int) -> None:
    """Give a folder, which may be there already, and all in it to an account."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    subprocess.run(["chown", "-R", f"{uid}:{uid}", path], check=True)


def let_in(*paths: Path) -> None:
    """Let every account reach these folders: cover closed folders above them by empty ones."""
    closed = {
        above
        for path in paths
        for above in reversed(path.parents)
        if not above.stat().st_mode & 0o001
    }
    held = {path: Path("/mnt", str(k)) for k, path in enumerate(paths)}
    mount("-t", "tmpfs", "tmpfs", "/mnt")
    for path, here in held.items():
        here.mkdir()
        mount("--bind", path, here)
    for above in sorted(closed):
        if above.exists() and not above.stat().st_mode & 0o001:
            mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", above)
    for path, here in held.items():
        path.mkdir(parents=True, exist_ok=True)
        mount("--bind", here, path)


def mount(*words: str | Path) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)


if __name__ == "__main__":
    main()
