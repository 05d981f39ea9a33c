"""One sandbox: bubblewrap around one submission, which lives and dies with it.

Nothing in it is shared with another sandbox but files that nobody can write. Whatever happens in
it, ``close`` ends every process that it started, and what they held is gone.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

from lincourse.grader import bwrap, system_calls
from lincourse.grader.inside.protocol import receive

TICK = 0.1  # seconds between two looks at what a sandbox uses


@dataclass(frozen=True)
class Limits:
    """What one submission may use: seconds, bytes, processes, descriptors."""

    cell: float = 30.0
    notebook: float = 240.0
    start: float = 120.0
    page: float = 20.0
    output: int = 2_000_000
    memory: int = 2 << 30  # of one process; all together may hold half as much again
    disk: int = 64 << 20
    processes: int = 64  # and threads
    descriptors: int = 64  # of one process


@dataclass(frozen=True)
class SandboxConfig:
    """Where notebooks run: within limits, isolated or not, with these files."""

    limits: Limits
    isolated: bool
    files: dict[str, str] = field(default_factory=bwrap.files, repr=False)


class LostError(Exception):
    """A sandbox that did not start, or was ended by the grader itself: the work can be repeated."""


class Sandbox:
    """An isolated process that begins so many runs, each with a channel of its own.

    The runs are those of one submission. They begin alike, before any of its code ran, and what
    they are asked for says what they do. Without ``runs`` it only draws pages, on one channel.
    """

    def __init__(self, config: SandboxConfig, *, runs: int) -> None:
        self.limits = config.limits
        self.stopped = False  # by the grader
        self._ended = threading.Event()
        self._ending = threading.Lock()
        self._own_folder = tempfile.TemporaryDirectory(
            prefix="homework-", ignore_cleanup_errors=True
        )
        pairs = [socket.socketpair() for _ in range(max(runs, 1))]
        theirs = [pair[1] for pair in pairs]
        self._unused = [pair[0] for pair in pairs]
        try:
            self.process = self._started(config, theirs, notebook=runs > 0)
        finally:
            for channel in theirs:
                channel.close()
        with _lock:
            _open.add(self)
        threading.Thread(target=self._watch, daemon=True).start()
        try:
            for channel in self._unused:
                channel.settimeout(config.limits.start)
                receive(channel)  # it is ready
        except (OSError, EOFError, ValueError) as problem:
            self.close()
            raise LostError(f"the sandbox did not start: {type(problem).__name__}") from problem

    def take(self) -> socket.socket | None:
        """Return a channel that nobody has used, None if there is none or the sandbox ended."""
        return self._unused.pop(0) if self._unused and not self._ended.is_set() else None

    def _started(
        self, config: SandboxConfig, channels: list[socket.socket], notebook: bool
    ) -> subprocess.Popen[bytes]:
        course, work = course_folder(config.files), Path(self._own_folder.name)
        numbers = [channel.fileno() for channel in channels]
        settings: dict[str, Any] = {
            "limits": asdict(config.limits),
            "isolated": config.isolated,
            "user": None,
            "hidden": bwrap.HIDDEN_PACKAGES,
            "notebook": notebook,
            "channels": numbers,
        }
        around: list[str] = []
        given = list(numbers)
        if config.isolated:
            given.append(system_calls.opened())
            around = bwrap.command_line(course, config.limits.disk, given[-1])
            course, work = bwrap.COURSE, bwrap.WORK
            settings["user"] = bwrap.unprivileged_user()
        settings["fonts"] = str(course / "fonts")
        try:
            return subprocess.Popen(
                [*around, sys.executable, "-m", "inside", json.dumps(settings)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=None if os.environ.get("GRADER_DEBUG") else subprocess.DEVNULL,
                env=bwrap.environment(course, work),
                cwd=self._own_folder.name,
                pass_fds=given,
                start_new_session=True,
            )
        finally:
            if config.isolated:
                os.close(given[-1])

    def _watch(self) -> None:
        """End the sandbox when all of its processes together use too much."""
        while not self._ended.wait(TICK):
            processes, held = used(self.process.pid)
            if processes > self.limits.processes or held > 1.5 * self.limits.memory:
                self._kill()

    def _kill(self) -> None:
        with self._ending:
            if self.process.returncode is None:
                end_tree(self.process)

    def close(self) -> None:
        """End the sandbox and everything it started; nothing of it is left."""
        self._ended.set()
        for channel in self._unused:
            channel.close()
        self._kill()
        self._own_folder.cleanup()
        with _lock:
            _open.discard(self)


def used(root: int) -> tuple[int, int]:
    """Return how many processes there are from ``root`` on, and the bytes they hold together.

    Besides its memory each process is charged, for every descriptor it has open, the most that
    the kernel may keep in the buffer of a socket: what was sent and not read belongs to nobody.
    """
    count, held = 0, 0
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(root)
        for process in [first, *first.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                held += process.memory_info().rss + process.num_fds() * socket_buffer()
                count += 1
    return count, held


def socket_buffer() -> int:
    """Return the bytes that one end of a pair of sockets may hold unread, at most."""
    path = Path("/proc/sys/net/core/wmem_default")
    usual = int(path.read_text("ascii")) if path.exists() else 212_992
    return 2 * usual  # the last message may go beyond it


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started, and wait for it.

    Below bubblewrap there is one child, the first process of a namespace. When it is killed, the
    kernel ends all others of the namespace before bubblewrap hears of it. Without bubblewrap,
    what made itself independent of its parents is not found.
    """
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
    try:
        process.wait(timeout=1)  # bubblewrap ends when its child has
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# ---------------------------------------------------------------- what all sandboxes read

_lock = threading.Lock()
_open: set[Sandbox] = set()
_courses: dict[str, tempfile.TemporaryDirectory[str]] = {}


def course_folder(files: dict[str, str]) -> Path:
    """Return a folder with the program of a sandbox and the given part of linlib, compiled.

    It is written once in a process; sandboxes see it read-only.
    """
    digest = hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()
    with _lock:
        if digest not in _courses:
            made = tempfile.TemporaryDirectory(prefix="homework-", ignore_cleanup_errors=True)
            bwrap.write_course(Path(made.name), files)
            _courses[digest] = made
        return Path(_courses[digest].name) / "course"


def close_all() -> None:
    """End all sandboxes, whatever goes on in them, and remove what they read."""
    with _lock:
        running = list(_open)
    for sandbox in running:
        sandbox.stopped = True
        sandbox.close()
    with _lock:
        for folder in _courses.values():
            folder.cleanup()
        _courses.clear()


atexit.register(close_all)
