"""Where a student's notebook runs and can do no harm: a room, forked by a hall behind walls.

Whatever a cell does, ``run`` and ``ask`` come back with outputs and a fate: ``done``, or why the
room was ended. A hall stays warm for the next room if rooms have namespaces of their own. Where
those cannot be nested it serves one room, and without any walls the rooms of one submission.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from grader import walls
from grader.inside.frames import Reader, packed, receive

FATES = {
    "done": "",
    "slow": "This cell did not finish in time and was stopped.",
    "dead": "This cell ended the kernel.",
    "loud": "This cell printed more than can be kept and was stopped.",
    "late": "The time for the whole notebook was used up.",
}


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
class Place:
    """Where notebooks run: within limits, behind walls or not, with these files."""

    limits: Limits
    isolated: bool
    files: dict[str, str] = field(default_factory=walls.files, repr=False)


@dataclass(frozen=True)
class Ran:
    """What came of one cell or one question."""

    outputs: list[NotebookNode]
    fate: str
    answer: Any = None
    error: dict[str, Any] | None = None  # the last error: its name, line and missing package


class LostError(Exception):
    """A hall that does not answer any more."""


# ---------------------------------------------------------------- halls


class Hall:
    """A process behind walls that opens rooms, one at a time."""

    def __init__(self, place: Place) -> None:
        if _stopped.is_set():
            raise LostError("the grader was stopped")
        self.place, self.closed, self.owner = place, False, threading.get_ident()
        limits, isolated = place.limits, place.isolated
        _open.add(self)
        self.folder = Path(tempfile.mkdtemp(prefix="homework-"))
        self.control, theirs = socket.socketpair()
        self.process: subprocess.Popen[bytes] | None = None
        try:
            walls.furnish(self.folder, place.files)
            outside = self.folder / "course", self.folder / "work"
            course, self.work = (walls.COURSE, walls.WORK) if isolated else outside
            empty = walls.emptied() if isolated else []
            arguments = empty, list(walls.HIDDEN_PACKAGES), str(course / "fonts")
            start = f"import inside.hall as hall; hall.main(*{arguments!r})"
            around = walls.around(outside[0], limits.disk) if isolated else []
            self.process = subprocess.Popen(
                [*around, sys.executable, "-c", start],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=None if os.environ.get("GRADER_DEBUG") else subprocess.DEVNULL,
                env=walls.environment(course, self.work),
                cwd=outside[1],
                start_new_session=True,
            )
            theirs.close()
            self.control.settimeout(limits.start)
            nested = bool(receive(self.control)["nested"])  # rooms have walls of their own
            self.again = nested or not isolated
        except (OSError, EOFError, ValueError) as problem:
            self.close()
            raise LostError(f"the walls did not open: {type(problem).__name__}") from problem
        except BaseException:
            self.close()
            raise

    def open(self) -> socket.socket:
        """Open a room; return this end of its channel."""
        ours, theirs = socket.socketpair()
        fields = {
            name: getattr(self.place.limits, name) for name in ("memory", "disk", "processes")
        }
        try:
            socket.send_fds(self.control, [b"n"], [theirs.fileno()])
            self.control.sendall(
                packed(fields | {"work": str(self.work), "empty": walls.emptied()})
            )
        except OSError as problem:
            ours.close()
            self.close()
            raise LostError("the hall is gone") from problem
        finally:
            theirs.close()
        return ours

    def end(self) -> None:
        """End the room and everything it started."""
        try:
            self.control.sendall(b"e")
            if self.control.recv(1) != b"e":
                self.close()
        except OSError:
            self.close()
        if not self.again:
            self.close()

    def close(self) -> None:
        """End the hall; nothing of it is left."""
        if self.closed:
            return
        self.closed = True
        self.control.close()
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=10)  # it ends its rooms, then itself
            with contextlib.suppress(OSError):
                self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        _open.discard(self)


_idle: list[Hall] = []
_open: set[Hall] = set()
_lock = threading.Lock()
_stopped = threading.Event()


@contextlib.contextmanager
def hall(place: Place) -> Iterator[Hall]:
    """Lend a hall: a warm one if there is one, else a new one."""
    with _lock:
        fit = [one for one in _idle if one.place == place and not one.closed]
        fit = [one for one in fit if place.isolated or one.owner == threading.get_ident()]
        found = fit[0] if fit else None
        if found is not None:
            _idle.remove(found)
    found = found or Hall(place)
    try:
        yield found
    except BaseException:
        found.close()
        raise
    if not found.closed:
        with _lock:
            _idle.append(found)


def close_halls(owner: int | None = None) -> None:
    """End all halls that are idle, or those of one thread."""
    with _lock:
        idle = [one for one in _idle if owner in (None, one.owner)]
        _idle[:] = [one for one in _idle if one not in idle]
    for one in idle:
        one.close()


def stop() -> None:
    """End all halls, whatever goes on in them, and let no other be opened."""
    _stopped.set()
    for one in list(_open):
        one.close()


def resume() -> None:
    """Let halls be opened again."""
    _stopped.clear()


atexit.register(close_halls)


# ---------------------------------------------------------------- rooms


class Room:
    """One run of a notebook in a hall; ``close`` leaves nothing of it."""

    def __init__(self, place: Place, *, quiet: bool = False) -> None:
        self.limits, self.closed = place.limits, False
        self._lent = contextlib.ExitStack()
        for attempt in range(3):  # an idle hall may have died meanwhile
            self.hall = self._lent.enter_context(hall(place))
            try:
                self.channel = self.hall.open()
                break
            except LostError:
                self._lent.close()
                if attempt == 2:
                    raise
        if quiet:
            self.channel.sendall(packed({"do": "quiet"}))

    def run(self, source: str, seconds: float) -> Ran:
        """Run a cell and keep its outputs."""
        return self._execute({"do": "run", "source": source}, seconds)

    def ask(self, name: str, arguments: str, seconds: float) -> Ran:
        """Ask for the value of ``name`` called with packed arguments, as the wire's text."""
        return self._execute({"do": "ask", "name": name, "arguments": arguments}, seconds)

    def render(self, request: dict[str, Any], seconds: float) -> Ran:
        """Ask for a notebook as HTML; only in a room where no student's code ran."""
        return self._execute({"do": "render", **request}, seconds, most=50 * self.limits.output)

    def _execute(self, request: dict[str, Any], seconds: float, most: int = 0) -> Ran:
        outputs: list[NotebookNode] = []
        error: dict[str, Any] | None = None
        end, size, fate = time.monotonic() + seconds, 0, "slow"
        limit = most or self.limits.output
        reader = Reader(limit + (1 << 16))
        try:
            self.channel.settimeout(max(seconds, 0.1))
            self.channel.sendall(packed(request))
            with selectors.DefaultSelector() as selector:
                selector.register(self.channel, selectors.EVENT_READ)
                while (left := end - time.monotonic()) > 0:
                    if not selector.select(left):
                        continue
                    data = self.channel.recv(1 << 18)
                    if not data:
                        fate = "dead"
                        break
                    size += len(data)
                    if size > limit:
                        fate = "loud"
                        break
                    for message in reader.feed(data):
                        if message["kind"] == "done":
                            return Ran(outputs, "done", message.get("answer"), error)
                        if message["kind"] == "error":
                            error = message
                        keep(outputs, message)
        except OverflowError:
            fate = "loud"
        except TimeoutError:
            fate = "slow"
        except Exception:  # a room may say anything, in any form
            fate = "dead"
        self.close()
        return Ran(outputs if fate != "loud" else [], fate, error=error)

    def close(self) -> None:
        """End the room and everything it started."""
        if not self.closed:
            self.closed = True
            self.channel.close()
            self.hall.end()
            self._lent.close()


def keep(outputs: list[NotebookNode], message: dict[str, Any]) -> None:
    """Append a message to a cell's outputs as a notebook would."""
    kind = message["kind"]
    if kind == "clear":
        outputs.clear()
    elif kind == "stream":
        name = "stderr" if message["name"] == "stderr" else "stdout"
        if outputs and outputs[-1].get("name") == name:
            outputs[-1].text += str(message["text"])
        else:
            outputs.append(new_output("stream", name=name, text=str(message["text"])))
    elif kind in ("display", "result"):
        data, details = dict(message["data"]), dict(message["metadata"])
        shape = {"execution_count": None} if kind == "result" else {}
        kind = "execute_result" if kind == "result" else "display_data"
        outputs.append(new_output(kind, data=data, metadata=details, **shape))
    elif kind == "error":
        texts = {key: str(message[key]) for key in ("ename", "evalue")}
        outputs.append(new_output("error", **texts, traceback=[*map(str, message["traceback"])]))
