"""Where a student's notebook runs and can do no harm: forked by an isolated fork server.

Whatever a cell does, ``run`` and ``ask`` come back with outputs and a fate: ``done``, or why the
sandbox was ended.
"""

from __future__ import annotations

import base64
import contextlib
import selectors
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from lincourse.grader.fork_server import LostError, SandboxConfig, lend_server
from lincourse.grader.inside.protocol import Reader, packed

Lender = Callable[[str, float], str | None]  # packed arguments and seconds give a reply
FATES = {
    "done": "",
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


class Sandbox:
    """One run of a notebook in a fork server; ``close`` leaves nothing of it."""

    def __init__(self, config: SandboxConfig, *, quiet: bool = False) -> None:
        self.limits, self.quiet, self.closed = config.limits, quiet, False
        self.lenders: dict[str, Lender] = {}
        self._lent = contextlib.ExitStack()
        for attempt in range(3):  # an idle fork server may have died meanwhile
            self.server = self._lent.enter_context(lend_server(config))
            try:
                self.channel = self.server.open()
                break
            except LostError:
                self._lent.close()
                if attempt == 2:
                    raise

    def read(self, file: bytes, seconds: float) -> Ran:
        """Ask for the cells of a file, before anything runs."""
        request = {"do": "read", "file": base64.b64encode(file).decode()}
        return self._execute(request, seconds, most=50 * self.limits.output)

    def run(self, source: str, seconds: float, *, quiet: bool = False) -> Ran:
        """Run a cell and keep its outputs; there are none where it is quiet."""
        request = {"do": "run", "source": source, "quiet": quiet or self.quiet}
        return self._execute(request, seconds)

    def ask(self, name: str, arguments: str, seconds: float) -> Ran:
        """Ask for the value of ``name`` called with packed arguments, as the protocol's text."""
        request = {"do": "ask", "name": name, "arguments": arguments, "quiet": self.quiet}
        return self._execute(request, seconds)

    def lend(self, name: str, parameters: Sequence[str], answer: Lender) -> Ran:
        """Define ``name`` as a function of which only the answers come from elsewhere."""
        self.lenders[name] = answer
        return self._execute({"do": "lend", "name": name, "parameters": list(parameters)}, 5)

    def render(self, request: dict[str, Any], seconds: float) -> Ran:
        """Ask for a notebook as HTML; only in a sandbox where no student's code ran."""
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
                        if message["kind"] == "call":
                            lender = self.lenders[message["name"]]
                            reply = lender(message["arguments"], end - time.monotonic())
                            self.channel.sendall(packed({"answer": reply}))
                            continue
                        if message["kind"] == "error":
                            error = message
                        append_output(outputs, message)
        except OverflowError:
            fate = "loud"
        except TimeoutError:
            fate = "slow"
        except Exception:  # a sandbox may say anything, in any form
            fate = "dead"
        self.close()
        return Ran(outputs if fate != "loud" else [], fate, error=error)

    def close(self) -> None:
        """End the sandbox and everything it started."""
        if not self.closed:
            self.closed = True
            self.channel.close()
            self.server.end()
            self._lent.close()


def append_output(outputs: list[NotebookNode], message: dict[str, Any]) -> None:
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
