"""Fork servers: warm isolated processes, each of which opens one sandbox at a time.

A fork server stays warm for the next sandbox if sandboxes have namespaces of their own. Where those
cannot be nested, or without bubblewrap, it serves one sandbox.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lincourse.grader import bwrap
from lincourse.grader.inside.protocol import receive


@dataclass(frozen=True)
class Limits:
    """What one submission may use: seconds, bytes, processes."""

    cell: float = 30.0
    notebook: float = 240.0
    start: float = 120.0
    page: float = 20.0
    output: int = 2_000_000
    memory: int = 2 << 30
    disk: int = 64 << 20
    processes: int = 64


@dataclass(frozen=True)
class SandboxConfig:
    """Where notebooks run: within limits, isolated or not, with these files."""

    limits: Limits
    isolated: bool
    files: dict[str, str] = field(default_factory=bwrap.files, repr=False)


class LostError(Exception):
    """A fork server that does not answer any more."""


class ForkServer:
    """An isolated process that opens sandboxes, one at a time."""

    def __init__(self, config: SandboxConfig) -> None:
        self.config, self.idle, self.closed = config, False, False
        self.folder = tempfile.TemporaryDirectory(prefix="homework-", ignore_cleanup_errors=True)
        outside = Path(self.folder.name)
        bwrap.write_course(outside, config.files)
        course, work, around = outside / "course", outside / "work", []
        settings: dict[str, Any] = asdict(config.limits)
        settings |= {"hidden": bwrap.HIDDEN_PACKAGES, "empty": []}
        if config.isolated:
            around = bwrap.command_line(course, config.limits.disk)
            course, work = bwrap.COURSE, bwrap.WORK
            settings["empty"] = bwrap.private_dirs()
        settings |= {"work": str(work), "fonts": str(course / "fonts")}
        start = f"import inside.fork_server as server; server.main({settings!r})"
        self.control, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [*around, sys.executable, "-c", start],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=None if os.environ.get("GRADER_DEBUG") else subprocess.DEVNULL,
                env=bwrap.environment(course, work),
                cwd=outside / "work",
                start_new_session=True,
            )
        _servers.add(self)
        try:
            self.control.settimeout(config.limits.start)
            # Whether sandboxes have namespaces of their own.
            self.nested = bool(receive(self.control)["nested"])
        except (OSError, EOFError, ValueError) as problem:
            self.close()
            raise LostError(f"the fork server did not start: {type(problem).__name__}") from problem

    def open(self) -> socket.socket:
        """Open a sandbox; return this end of its channel."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self.control, [b"n"], [theirs.fileno()])
            except OSError as problem:
                self.close()
                raise LostError("the fork server is gone") from problem
        return ours

    def end(self) -> None:
        """End the sandbox and everything it started; stay warm for another, if that is allowed."""
        if self.closed:
            raise LostError("the grader was stopped")
        ended = False
        with contextlib.suppress(OSError):
            self.control.sendall(b"e")
            ended = self.control.recv(1) == b"e"
        if ended and self.nested:
            self.idle = True
        else:
            self.close()

    def close(self) -> None:
        """End the fork server; nothing of it is left."""
        self.closed, self.idle = True, False
        self.control.close()
        try:
            self.process.wait(timeout=10)  # it ends its sandboxes, then itself
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
        _servers.discard(self)


_servers: set[ForkServer] = set()
_lock = threading.Lock()


def take_server(config: SandboxConfig) -> ForkServer:
    """Return a fork server: a warm one if there is one, else a new one."""
    with _lock:
        for one in list(_servers):
            if one.idle and one.config == config:
                one.idle = False
                return one
    return ForkServer(config)


def close_all() -> None:
    """End all fork servers, whatever goes on in them."""
    for one in list(_servers):
        one.close()


atexit.register(close_all)
