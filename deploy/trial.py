"""A class server for a trial: a folder of its own, the environment that is there already."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests

from deploy import accounts, setup
from deploy.client import Student
from deploy.settings import ROOT, Place


class Trial:
    """A hub with a class of its own; ``remove`` takes everything away, accounts included."""

    def __init__(self, ready: Place, names: list[str], settings: str) -> None:
        folder = Path(tempfile.mkdtemp(prefix="linlib-hub-", dir=ready.folder.parent))
        folder.chmod(setup.ENTER)
        self.place, self.names = Place(folder), names
        for name in ("env", "proxy"):
            (folder / name).symlink_to(getattr(ready, name))
        setup.folders(self.place)
        setup.contents(self.place)
        (folder / "hub.toml").write_text(settings)
        (folder / "class.txt").write_text("\n".join(names))
        self.port = free_ports()
        self.address = f"http://127.0.0.1:{self.port}"
        self.keeper: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start proxy and hub, and wait for them."""
        run = (
            "from deploy.up import Keeper; from deploy.settings import here; "
            f"Keeper(here(), {self.port}).run()"
        )
        environment = {**os.environ, "LINLIB_HUB": str(self.place.folder)}
        self.keeper = subprocess.Popen([sys.executable, "-c", run], cwd=ROOT, env=environment)
        self.wait()

    def wait(self) -> None:
        """Wait until the hub answers."""
        for _ in range(240):
            with contextlib.suppress(OSError):
                if requests.get(f"{self.address}/hub/health", timeout=5).ok:
                    return
            time.sleep(0.5)
        raise TimeoutError((self.place.hub / "hub.log").read_text()[-2000:])

    def stop(self) -> None:
        """End the hub, the proxy and every server."""
        if self.keeper:
            self.keeper.terminate()
            self.keeper.wait(60)
            self.keeper = None

    def remove(self) -> None:
        """Take everything away."""
        self.stop()
        for name in accounts.members(self.place):
            accounts.remove(self.place, name)
        shutil.rmtree(self.place.folder)

    def pid(self, name: str) -> int:
        """Return the process of the hub or the proxy."""
        pids = dict(line.split() for line in (self.place.hub / "pids").read_text().splitlines())
        return int(pids[name])

    def student(self, name: str) -> Student:
        """Return a student who has logged in and has a server."""
        someone = Student(self.address, name)
        if not someone.log_in():
            raise PermissionError(name)
        someone.spawn()
        return someone


def free_ports() -> int:
    """Return the first of four neighbouring ports that nobody uses."""
    for port in range(18000 + os.getpid() % 1000 * 4, 30000, 4):
        with contextlib.ExitStack() as stack:
            try:
                for each in range(port, port + 4):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", each))
            except OSError:
                continue
            return port
    raise OSError("There are no four free ports in a row.")
