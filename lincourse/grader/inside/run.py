"""One run of a notebook: files, cells, questions and pages, asked for over a channel.

The shell is IPython's own, without a notebook server around it; what it would show is sent as it
appears. A sandbox that has to keep quiet (where hidden arguments are) sends answers only.
"""

from __future__ import annotations

import base64
import builtins
import gc
import io
import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

from . import protocol
from .protocol import packed, receive

SEND = 1 << 15  # characters of a stream that travel together


class Channel:
    """Where output goes; nowhere while ``quiet``."""

    def __init__(self) -> None:
        self.socket: socket.socket | None = None
        self.quiet = False
        self.lock = threading.RLock()

    def send(self, kind: str, **content: Any) -> None:
        """Send a message, after the text that was printed before it."""
        if self.socket is None or (self.quiet and kind != "done"):
            return
        with self.lock:
            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, Stream):
                    stream.flush()
            self.socket.sendall(packed({"kind": kind, **content}))


CHANNEL = Channel()
KEPT: dict[str, Any] = {}  # what is put aside while a sandbox is quiet


class Stream(io.TextIOBase):
    """A text stream that sends what is written."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, name: str) -> None:
        self.name, self.size = name, 0
        self.held: list[str] = []

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        with CHANNEL.lock:
            self.held.append(text)
            self.size += len(text)
            if self.size > SEND:
                self.flush()
        return len(text)

    def flush(self) -> None:
        with CHANNEL.lock:
            text, self.held, self.size = "".join(self.held), [], 0
            if text and CHANNEL.socket is not None and not CHANNEL.quiet:
                for start in range(0, len(text), 1 << 20):
                    part = {"kind": "stream", "name": self.name, "text": text[start:][: 1 << 20]}
                    CHANNEL.socket.sendall(packed(part))

    def fileno(self) -> int:
        return 1 if self.name == "stdout" else 2


def text_only(data: dict[str, Any]) -> dict[str, Any]:
    """Return what a display holds with pictures as text, as in a notebook file."""
    return {
        str(kind): base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for kind, value in data.items()
    }


class Publisher(DisplayPublisher):
    def publish(self, data: Any, metadata: Any = None, *rest: Any, **options: Any) -> None:
        CHANNEL.send("display", data=text_only(data), metadata=metadata or {})

    def clear_output(self, wait: bool = False) -> None:
        CHANNEL.send("clear")


class Hook(DisplayHook):
    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        CHANNEL.send("result", data=text_only(format_dict), metadata=md_dict or {})

    def finish_displayhook(self) -> None:
        pass


class Shell(InteractiveShell):
    displayhook_class = Type(Hook)
    display_pub_class = Type(Publisher)

    def enable_gui(self, gui: Any = None) -> None:
        pass

    def ask_exit(self) -> None:
        """Go on: a cell that leaves ends itself only."""

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        line = getattr(evalue, "lineno", None) if issubclass(etype, SyntaxError) else None
        try:
            said = str(evalue)
        except BaseException:
            said = ""
        name, line = etype.__name__, line if isinstance(line, int) else None
        missing = getattr(evalue, "name", None) if issubclass(etype, ImportError) else None
        content = {"ename": name, "evalue": said, "traceback": [str(part) for part in stb]}
        CHANNEL.send("error", **content, line=line, missing=str(missing or ""))


def shell() -> Shell:
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.banner1 = ""
    return Shell.instance(config=config)


def warm() -> None:
    """Import what notebooks use, once for all sandboxes, and draw a picture to read the fonts."""
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    made = shell()
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib_inline.backend_inline import configure_inline_support

    from linlib.notebook import plotting

    configure_inline_support(made, "module://matplotlib_inline.backend_inline")
    plotting.use_style()
    figure, ax = plotting.plane((0, 1), (0, 1))
    ax.plot([0, 1], [0, 1], "o-", label="$x_1$")
    ax.set(title="$w_0$ warm")
    ax.legend()
    ax.annotate("a", (0, 0))
    plotting.show(figure, "A picture that nobody sees: it only has the fonts and tables read.")
    plt.rcdefaults()
    plt.switch_backend("module://matplotlib_inline.backend_inline")
    made.run_cell("1 / 0", silent=True)  # type: ignore[no-untyped-call]  # what errors need
    from . import render

    render.warm()
    np.linalg.norm(np.ones(2))
    gc.collect()
    gc.freeze()  # sandboxes share these pages as long as nobody writes to them


def live(channel: socket.socket) -> None:
    """Do what is asked for on the channel until it is closed."""
    CHANNEL.socket, me = channel, os.getpid()
    made = shell()
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # it is empty
    builtins.input = no_input
    while True:
        try:
            request = receive(channel)
        except (EOFError, OSError):
            return
        if request["do"] in ("render", "read"):
            from . import render

            work = render.rendered if request["do"] == "render" else parsed
            CHANNEL.send("done", answer=work(request))
            continue
        if request["do"] == "lend":
            made.user_ns[request["name"]] = lent(channel, request["name"], request["parameters"])
            CHANNEL.send("done")
            continue
        sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
        be_quiet(request["quiet"])
        answer = None
        if request["do"] == "run":
            made.run_cell(request["source"], store_history=True)  # type: ignore[no-untyped-call]
        else:
            answer = protocol.answer(made.user_ns, request["name"], request["arguments"])
        if os.getpid() != me:  # a cell forked, and this is the copy
            os._exit(0)
        CHANNEL.send("done", answer=answer)


def parsed(request: dict[str, Any]) -> dict[str, Any]:
    """Return the cells of a file, or the sentence that says why there are none."""
    from . import reading

    try:
        return {"cells": reading.read(base64.b64decode(request.pop("file")))}
    except reading.UnreadableError as problem:
        return {"problem": str(problem)}


def lent(channel: socket.socket, name: str, parameters: list[str]) -> Callable[..., Any]:
    """Return a function that is carried out elsewhere: its code never comes here."""

    def call(*given: Any, **named: Any) -> Any:
        order = [*given, *(named.pop(name) for name in parameters[len(given) :])]
        if named or len(order) != len(parameters):
            raise TypeError(f"{name}() takes {', '.join(parameters)}")
        message = {"kind": "call", "name": name, "arguments": json.dumps(protocol.pack(order))}
        with CHANNEL.lock:
            channel.sendall(packed(message))
            reply = json.loads(receive(channel)["answer"] or "{}")
        if reply.get("kind") != "value":
            raise RuntimeError(f"{name}() failed: {reply.get('error', 'it took too long')}")
        return protocol.unpack(reply["value"])

    call.__name__ = name
    return call


def be_quiet(quiet: bool) -> None:
    """Keep everything that is shown from leaving, or not; nobody sees pictures: none is drawn."""
    import matplotlib.pyplot as plt

    from linlib.notebook import plotting

    formatter = shell().display_formatter
    if quiet == CHANNEL.quiet or formatter is None:
        return
    CHANNEL.quiet = quiet
    if quiet:
        KEPT.update(show=plotting.show, types=formatter.active_types)
    plotting.show = (lambda figure, alt: plt.close(figure)) if quiet else KEPT["show"]
    formatter.active_types = ["text/plain"] if quiet else KEPT["types"]


def no_input(prompt: object = "") -> str:
    raise RuntimeError("input() is not there while a notebook is graded: nobody can answer.")
