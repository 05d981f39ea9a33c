"""The first program of a sandbox: it gives up rights, sets limits, and does what is asked for.

Bubblewrap has set the walls up before this starts. One submission is run several times in its
sandbox: for what the student will see, and for the judgement. Each run is a process of its own with
its own channel to the grader.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

from .protocol import packed, receive


def main(settings: dict[str, Any]) -> None:
    """Serve the channels until they are closed."""
    if settings["user"] is not None:
        become(settings["user"])
    set_limits(settings["limits"], settings["isolated"])
    channels = [socket.socket(fileno=number) for number in settings["channels"]]
    for package in settings["hidden"]:
        sys.modules[package] = None  # type: ignore[assignment]  # an import says: not there
    if settings["notebook"]:
        serve_notebooks(channels, Path(settings["fonts"]))
    else:
        serve_pages(channels[0])


def become(user: int) -> None:
    """Go on as a user without an account or any right; there is no way back."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def set_limits(limits: dict[str, Any], isolated: bool) -> None:
    """Limit what this process and each that it starts may use, as far as the system knows how."""
    wanted = {
        "AS": limits["memory"],
        "FSIZE": limits["disk"],
        "NOFILE": limits["descriptors"],
        "CORE": 0,
    }
    if isolated:  # else the limit would count all that its user runs on this machine
        wanted["NPROC"] = limits["processes"]
    for kind, most in wanted.items():
        with contextlib.suppress(ValueError, OSError):  # macOS does not limit memory
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))


def serve_notebooks(channels: list[socket.socket], fonts: Path) -> None:
    """Serve each channel by a process of its own, which begins before any student's code runs."""
    # What Matplotlib found out about the fonts of this machine, so that it need not search again.
    place = Path(os.environ["MPLCONFIGDIR"])
    place.mkdir(parents=True)
    for file in fonts.iterdir():
        shutil.copyfile(file, place / file.name)
    from . import run  # which imports what notebooks use: half a second, once for all of them

    run.shell()
    gc.freeze()  # the processes share these pages as long as nobody writes to them
    for own in channels:
        if os.fork():
            continue
        try:
            for channel in channels:
                if channel is not own:
                    channel.close()
            ready(own)
            with contextlib.suppress(EOFError, ConnectionError):
                run.live(own)
        finally:
            os._exit(0)
    for channel in channels:
        channel.close()
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def serve_pages(channel: socket.socket) -> None:
    """Draw pages; no student's code ever runs here."""
    from . import render

    ready(channel)
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            answer = render.rendered(receive(channel))
            channel.sendall(packed({"kind": "done", "answer": answer}))


def ready(channel: socket.socket) -> None:
    channel.sendall(packed({"kind": "ready"}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
