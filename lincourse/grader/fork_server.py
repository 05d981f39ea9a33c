"""Fork servers: warm isolated processes, each of which opens one sandbox at a time.

A fork server stays warm for the next sandbox if sandboxes have namespaces of their own. Where those
cannot be nested it serves one sandbox; without bubblewrap it serves those of one submission.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lincourse.grader import bwrap
from lincourse.grader.inside.protocol import packed, receive


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
        if _stopped.is_set():
            raise LostError("the grader was stopped")
        self.config, self.closed, self.owner = config, False, threading.get_ident()
        limits, isolated = config.limits, config.isolated
        _open.add(self)
        self.folder = Path(tempfile.mkdtemp(prefix="homework-"))
        self.control, theirs = socket.socketpair()
        self.process: subprocess.Popen[bytes] | None = None
        try:
            bwrap.write_course(self.folder, config.files)
            outside = self.folder / "course", self.folder / "work"
            course, self.work = (bwrap.COURSE, bwrap.WORK) if isolated else outside
            empty = bwrap.private_dirs() if isolated else []
            arguments = empty, list(bwrap.HIDDEN_PACKAGES), str(course / "fonts")
            start = f"import inside.fork_server as server; server.main(*{arguments!r})"
            around = bwrap.command_line(outside[0], limits.disk) if isolated else []
            self.process = subprocess.Popen(
                [*around, sys.executable, "-c", start],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=None if os.environ.get("GRADER_DEBUG") else subprocess.DEVNULL,
                env=bwrap.environment(course, self.work),
                cwd=outside[1],
                start_new_session=True,
            )
            theirs.close()
            self.control.settimeout(limits.start)
            nested = bool(receive(self.control)["nested"])  # sandboxes have namespaces of their own
            self.again = nested or not isolated
        except (OSError, EOFError, ValueError) as problem:
            self.close()
            raise LostError(f"the fork server did not start: {type(problem).__name__}") from problem
        except BaseException:
            self.close()
            raise

    def open(self) -> socket.socket:
        """Open a sandbox; return this end of its channel."""
        ours, theirs = socket.socketpair()
        limits = asdict(self.config.limits)
        try:
            socket.send_fds(self.control, [b"n"], [theirs.fileno()])
            self.control.sendall(
                packed(limits | {"work": str(self.work), "empty": bwrap.private_dirs()})
            )
        except OSError as problem:
            ours.close()
            self.close()
            raise LostError("the fork server is gone") from problem
        finally:
            theirs.close()
        return ours

    def end(self) -> None:
        """End the sandbox and everything it started; stay warm for another, if that is allowed."""
        try:
            self.control.sendall(b"e")
            ended = self.control.recv(1) == b"e"
        except OSError:
            ended = False
        if ended and self.again:
            with _lock:
                _idle.append(self)
        else:
            self.close()

    def close(self) -> None:
        """End the fork server; nothing of it is left."""
        if self.closed:
            return
        self.closed = True
        self.control.close()
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=10)  # it ends its sandboxes, then itself
            with contextlib.suppress(OSError):
                self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        _open.discard(self)


_idle: list[ForkServer] = []
_open: set[ForkServer] = set()
_lock = threading.Lock()
_stopped = threading.Event()


def take_server(config: SandboxConfig) -> ForkServer:
    """Return a fork server: a warm one if there is one, else a new one."""
    with _lock:
        for one in _idle:
            mine = config.isolated or one.owner == threading.get_ident()
            if mine and one.config == config and not one.closed:
                _idle.remove(one)
                return one
    return ForkServer(config)


def close_idle(owner: int | None = None) -> None:
    """End all fork servers that are idle, or those of one thread."""
    with _lock:
        idle = [one for one in _idle if owner in (None, one.owner)]
        _idle[:] = [one for one in _idle if one not in idle]
    for one in idle:
        one.close()


def stop() -> None:
    """End all fork servers, whatever goes on in them, and let no other be opened."""
    _stopped.set()
    for one in list(_open):
        one.close()


def resume() -> None:
    """Let fork servers be opened again."""
    _stopped.clear()


atexit.register(close_idle)
