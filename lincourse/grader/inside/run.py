"""One run of a notebook: its file, cells and questions, asked for over a channel.

The shell is IPython's own, without a notebook server around it; what it would show is sent as it
appears. A sandbox that has to keep quiet (where hidden arguments are) sends answers only.
"""

from __future__ import annotations

import base64
import builtins
import codecs
import functools
import inspect
import io
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

from linlib.notebook import plotting

from . import protocol, reading
from .protocol import packed, receive

SEND = 1 << 20  # bytes of a stream that travel together at most
SHOW = plotting.show  # put aside while a sandbox is quiet


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
            for stream in (sys.stdout, sys.stderr) if kind != "stream" else ():
                if isinstance(stream, io.TextIOWrapper) and not stream.closed:
                    stream.flush()
            self.socket.sendall(packed({"kind": kind, **content}))


CHANNEL = Channel()


class Stream(io.RawIOBase):
    """Sends what is written to a text stream around it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        for start in range(0, len(data), SEND):
            text = self.decoder.decode(data[start : start + SEND])
            CHANNEL.send("stream", name=self.name, text=text)
        return len(data)

    def fileno(self) -> int:
        return 1 if self.name == "stdout" else 2


class Publisher(DisplayPublisher):
    def publish(self, data: Any, metadata: Any = None, *rest: Any, **options: Any) -> None:
        CHANNEL.send("display_data", data=data, metadata=metadata or {})

    def clear_output(self, wait: bool = False) -> None:
        CHANNEL.send("clear")


class Hook(DisplayHook):
    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        CHANNEL.send("execute_result", data=format_dict, metadata=md_dict or {})


class Shell(InteractiveShell):
    displayhook_class = Type(Hook)
    display_pub_class = Type(Publisher)

    def enable_gui(self, gui: Any = None) -> None:
        pass

    def system(self, cmd: str) -> None:
        """Run ``!cmd`` and show what it prints; IPython's own way asks for a terminal."""
        command = self.var_expand(cmd, depth=1)  # type: ignore[no-untyped-call]
        ended = subprocess.run(
            command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        print(ended.stdout.decode("utf-8", "replace"), end="")
        self.user_ns["_exit_code"] = ended.returncode

    def ask_exit(self) -> None:
        """Go on: a cell that leaves ends itself only."""

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        line = getattr(evalue, "lineno", None) if issubclass(etype, SyntaxError) else None
        missing = getattr(evalue, "name", None) if issubclass(etype, ImportError) else None
        try:
            said = str(evalue)
        except BaseException:
            said = ""
        content = {"ename": etype.__name__, "evalue": said, "traceback": [*map(str, stb)]}
        CHANNEL.send("error", **content, line=line, missing=missing)


def shell() -> Shell:
    """Return the shell of this process, made when it is first asked for."""
    if Shell.initialized():
        return Shell.instance()
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    made = Shell.instance(config=config)
    made.enable_matplotlib("inline")  # type: ignore[no-untyped-call]
    plt.rcdefaults()  # as a notebook has them; the style is the notebook's own
    return made


def live(channel: socket.socket) -> None:
    """Do what is asked for on the channel; EOFError when it is closed."""
    CHANNEL.socket, me = channel, os.getpid()
    made = shell()
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # it is empty
    builtins.input = no_input
    while True:
        request = receive(channel)
        answer: Any = None
        be_quiet(request.get("quiet", CHANNEL.quiet))
        for name in ("stdout", "stderr"):  # anew: a cell may have spoilt or closed them
            setattr(sys, name, io.TextIOWrapper(Stream(name), "utf-8", "replace"))
        if request["do"] == "read":
            try:
                file = base64.b64decode(request.pop("file"))
                answer = {"cells": reading.read(file, request["homework"])}
            except reading.UnreadableError as problem:
                answer = {"problem": str(problem)}
        elif request["do"] == "lend":
            scope: dict[str, Any] = {}
            exec(request["stub"], scope)
            made.user_ns[request["name"]] = lent(channel, scope[request["name"]])
        elif request["do"] == "run":
            made.run_cell(request["source"], store_history=True)  # type: ignore[no-untyped-call]
        else:
            answer = protocol.answer(made.user_ns, request["name"], request["arguments"])
        if os.getpid() != me:  # a cell forked, and this is the copy
            os._exit(0)
        CHANNEL.send("done", answer=answer)


def lent(channel: socket.socket, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is carried out elsewhere: only its signature comes here."""
    name, signature = function.__name__, inspect.signature(function)

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        order = list(signature.bind(*given, **named).args)
        message = {"kind": "call", "name": name, "arguments": json.dumps(protocol.pack(order))}
        with CHANNEL.lock:
            channel.sendall(packed(message))
            reply = json.loads(receive(channel)["answer"] or "{}")
        if reply.get("kind") != "value":
            raise RuntimeError(f"{name}() failed: {reply.get('error', 'it took too long')}")
        return protocol.unpack(reply["value"])

    return call


def be_quiet(quiet: bool) -> None:
    """Keep everything that is shown from leaving, or not; nobody sees pictures: none is drawn."""
    formatter = shell().display_formatter
    if quiet == CHANNEL.quiet or formatter is None:
        return
    CHANNEL.quiet = quiet
    plotting.show = (lambda figure, alt: plt.close(figure)) if quiet else SHOW
    formatter.active_types = ["text/plain"] if quiet else formatter.format_types


def no_input(prompt: object = "") -> str:
    raise RuntimeError("input() is not there while a notebook is graded: nobody can answer.")
