"""A student's notebook, cell by cell, in a sandbox of its own.

Whatever a cell does, a session comes back with outputs and a fate: ``done``, or why the sandbox was
ended.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from lincourse.grader.inside.protocol import decoded, frame, packed
from lincourse.grader.sandbox import LostError, Sandbox, SandboxConfig

Lender = Callable[[str, float], str | None]  # packed arguments and seconds give a reply
FATES = {
    "slow": "This cell did not finish in time and was stopped.",
    "dead": "This cell ended the kernel.",
    "loud": "This cell printed more than can be kept and was stopped.",
    "late": "The time for the whole notebook was used up.",
}


@dataclass(frozen=True)
class Ran:
    """What came of one cell or one question."""

    outputs: list[NotebookNode]
    fate: str
    answer: Any = None
    error: dict[str, Any] | None = None  # the last error: its name, line and missing package


class Session(AbstractContextManager["Session"]):
    """Cells run one after another; a cell that ends its sandbox is left out of the next one.

    The first run may be one of a ``sandbox`` that other sessions of the same submission use; what
    ends it ends all of them, and each goes on in a sandbox of its own.
    """

    def __init__(
        self,
        config: SandboxConfig,
        *,
        quiet: bool = False,
        pages: bool = False,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.config, self.limits, self.quiet = config, config.limits, quiet
        self.ends = time.monotonic() + config.limits.notebook
        self.runs = 0 if pages else 1
        self.given = sandbox
        self.own: Sandbox | None = None
        self.sandbox: Sandbox | None = None  # in which it runs now
        self.channel: socket.socket | None = None
        self.history: list[tuple[dict[str, Any], float]] = []
        self.lenders: dict[str, Lender] = {}

    @property
    def late(self) -> bool:
        """Whether the time for all of it is used up."""
        return time.monotonic() > self.ends

    def read(self, file: bytes, homework: str) -> Ran:
        """Ask for the cells of a file, or why there are none, before anything runs."""
        return self._do("read", self.limits.page, file=file, homework=homework)

    def run(self, source: str, *, quiet: bool = False) -> Ran:
        """Run a cell and keep its outputs; there are none where it is quiet.

        If it does not end well, later cells meet a sandbox that never saw it.
        """
        quiet = quiet or self.quiet
        return self._do("run", self.limits.cell, keep=True, source=source, quiet=quiet)

    def lend(self, name: str, stub: str, lender: Lender) -> Ran:
        """Define ``name`` with the signature in ``stub``; the answers come from elsewhere."""
        self.lenders[name] = lender
        return self._do("lend", 5.0, keep=True, name=name, stub=stub)

    def ask(self, name: str, arguments: str, seconds: float) -> str | None:
        """Return what ``name`` gives for packed arguments, as the protocol's text, if it does."""
        ran = self._do("ask", seconds, name=name, arguments=arguments, quiet=self.quiet)
        return ran.answer if ran.fate == "done" and isinstance(ran.answer, str) else None

    def render(self, cells: list[dict[str, Any]]) -> Any:
        """Return each cell as HTML by its id, or nothing if that takes too long.

        Only in a session where no student's code ran.
        """
        return self._do("render", self.limits.page, cells=cells).answer

    def _do(self, what: str, seconds: float, *, keep: bool = False, **fields: Any) -> Ran:
        if self.late:
            return Ran([], "late")
        if self.channel is None:
            self._open()
            for earlier in self.history:
                if self._execute(*earlier).fate != "done":
                    return Ran([], "late" if self.late else "dead")
        request = {"do": what, **fields}
        ran = self._execute(request, seconds)
        if keep and ran.fate == "done":
            self.history.append((request, seconds))
        return ran

    def _open(self) -> None:
        self.sandbox, self.channel = self.given, self.given.take() if self.given else None
        if self.channel is None:
            self.sandbox = self.own = Sandbox(self.config, runs=self.runs)
            self.channel = self.own.take()

    def _execute(self, request: dict[str, Any], seconds: float) -> Ran:
        """Ask for something; if it does not come in time and within limits, end the sandbox."""
        channel, sandbox = self.channel, self.sandbox
        assert channel is not None
        assert sandbox is not None
        seconds = min(seconds, self.ends - time.monotonic())
        outputs: list[NotebookNode] = []
        error: dict[str, Any] | None = None
        ends, left = time.monotonic() + seconds, self.limits.output
        left *= 50 if request["do"] in ("read", "render") else 1
        try:
            channel.settimeout(max(seconds, 0.1))
            channel.sendall(packed(request))
            while True:
                data = frame(channel, left, ends)
                left -= len(data)
                message = decoded(data)
                if message["kind"] == "done":
                    return Ran(outputs, "done", message.get("answer"), error)
                if message["kind"] == "call":
                    left += len(data)  # what a lender is asked is no output
                    lender = self.lenders[message["name"]]
                    reply = lender(message["arguments"], ends - time.monotonic())
                    channel.sendall(packed({"answer": reply}))
                    continue
                if message["kind"] == "error":
                    error = message
                append_output(outputs, message)
        except OverflowError:
            outputs, fate = [], "loud"
        except TimeoutError:
            fate = "slow"
        except Exception:  # a sandbox may say anything, in any form
            fate = "dead"
        if sandbox.stopped:
            raise LostError("the grader was stopped")
        sandbox.close()
        self.close()
        return Ran(outputs, fate, error=error)

    def close(self, *error: object) -> None:
        """End this run, and the sandbox if it is this session's own."""
        if self.channel is not None:
            self.channel.close()
            self.channel = None
        if self.own is not None:
            self.own.close()
            self.own = None

    __exit__ = close


def append_output(outputs: list[NotebookNode], message: dict[str, Any]) -> None:
    """Append a message to a cell's outputs as a notebook would; nbformat refuses other forms."""
    kind, last = message["kind"], outputs[-1] if outputs else {}
    if kind == "clear":
        outputs.clear()
    elif kind == "stream" and last.get("name") == message["name"]:
        last["text"] += message["text"]
    else:
        fields = {k: v for k, v in message.items() if k not in ("kind", "line", "missing")}
        outputs.append(new_output(kind, **fields))
