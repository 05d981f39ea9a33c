"""A warm interpreter that never runs a student's code: it forks a sandbox for each run.

Everything a notebook usually imports is here already, so a sandbox is ready in milliseconds. It has
its own user, process, mount, network and message namespaces, empty folders of its own, and no other
sandbox's process, file or descriptor in reach; it cannot signal, trace or write to the fork server,
which knows nothing but what is imported. Where namespaces cannot be nested, a fork server serves
one sandbox only.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import resource
import select
import shutil
import signal
import socket
import struct
import sys
from typing import Any

import psutil

from .protocol import packed

LIBC = ctypes.CDLL(None, use_errno=True)
NEW_MOUNTS, NEW_UTS, NEW_IPC = 0x00020000, 0x04000000, 0x08000000
NEW_USER, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
NEW = NEW_MOUNTS | NEW_UTS | NEW_IPC | NEW_USER | NEW_PIDS | NEW_NETWORK
NOSUID, NODEV, RDONLY, REC, PRIVATE = 2, 4, 1, 0x4000, 0x40000
# System calls that a notebook never needs, by processor: memory that belongs to no process (memfd,
# shared segments, message queues, io_uring), namespaces and mounts, keys, tracing.
# Before them the processor's code and the number of clone.
REFUSED = {
    "x86_64": (
        *(0xC000003E, 56),
        "319 447 29 68 240 425 272 308 165 166 155 161 428 429 430 442 248 249 250 321 298 323 101 "
        "310 311",
    ),
    "aarch64": (
        *(0xC00000B7, 220),
        "279 447 194 186 180 425 97 268 40 39 41 51 428 429 430 442 217 218 219 280 241 282 117 "
        "270 271",
    ),
}
CLONE3, OTHER_ABI = 435, 0x40000000
TICK = 0.1  # seconds between two looks at a sandbox's processes


def main(settings: dict[str, Any]) -> None:
    """Serve one sandbox at a time, asked for on standard input, until that is closed.

    ``settings`` are the limits, the folders ``work`` and ``fonts``, packages to be ``hidden``, and
    folders that each sandbox gets ``empty`` for itself: none without bubblewrap.
    """
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    if sys.platform == "linux":
        LIBC.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come here and can be found
    for package in settings["hidden"]:
        sys.modules[package] = None  # type: ignore[assignment]  # an import says: not there
    shutil.copytree(settings["fonts"], os.environ["MPLCONFIGDIR"], dirs_exist_ok=True)

    from . import run

    run.warm()
    nested = bool(settings["empty"]) and can_nest(settings)
    control.sendall(packed({"nested": nested}))
    with contextlib.suppress(EOFError, OSError):
        while descriptors := socket.recv_fds(control, 1, 1)[1]:
            serve(control, descriptors[0], settings, nested)
    end_all()


def serve(control: socket.socket, channel: int, settings: dict[str, Any], nested: bool) -> None:
    """Open a sandbox on a channel; end it when told to, or when it uses too much."""
    if not os.fork():
        try:
            if nested:
                isolate(settings)
            os.setsid()
            os.closerange(3, channel)
            os.closerange(channel + 1, 65536)
            restrict(settings)
            from . import run

            run.live(socket.socket(fileno=channel))
        finally:
            os._exit(1)
    os.close(channel)
    while not select.select([control], [], [], TICK)[0]:
        if exceeds(settings):
            end_all()
    message = control.recv(1)
    end_all()
    control.sendall(message)


# ---------------------------------------------------------------- isolation of a sandbox


def call(name: str, *arguments: Any) -> None:
    if getattr(LIBC, name)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def isolate(settings: dict[str, Any]) -> None:
    """Go on as the first process of new namespaces; this one waits for it, with nothing open."""
    user, group = os.getuid(), os.getgid()
    call("unshare", NEW)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    inner = os.fork()
    if inner:
        os.closerange(3, 65536)  # the channel ends with the sandbox
        os._exit(os.waitpid(inner, 0)[1] != 0)
    mount_private_dirs(settings)


def mount_private_dirs(settings: dict[str, Any]) -> None:
    """Give the sandbox empty folders, hide the fork server's processes, and give up every right."""
    call("mount", b"none", b"/", None, REC | PRIVATE, None)
    size = f"size={settings['disk']}".encode()
    for folder in settings["empty"]:
        call("mount", b"sandbox", folder.encode(), b"tmpfs", NOSUID | NODEV, size)
    call("mount", b"sandbox", b"/proc", b"tmpfs", NOSUID | NODEV | RDONLY, b"size=4k")
    for capability in range(64):
        LIBC.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    call("capset", header, (ctypes.c_uint32 * 6)())
    os.chdir(settings["work"])


def restrict(settings: dict[str, Any]) -> None:
    """Limit memory, files and system calls, as far as the system knows how to."""
    for kind, most in (("AS", settings["memory"]), ("FSIZE", settings["disk"]), ("CORE", 0)):
        with contextlib.suppress(ValueError, OSError):  # macOS does not limit memory
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))
    if sys.platform == "linux" and platform.machine() in REFUSED:
        filter_system_calls(*REFUSED[platform.machine()])


def filter_system_calls(processor: int, clone: int, refused: str) -> None:
    """Refuse some system calls for good, in this process and all that it starts."""
    allow, refuse = (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050000 | errno.EPERM)
    program = [(0x20, 0, 0, 4), (0x15, 1, 0, processor), refuse]  # else the numbers mean others
    program += [(0x20, 0, 0, 0), (0x35, 0, 1, OTHER_ABI), refuse]
    for number in map(int, refused.split()):
        program += [(0x15, 0, 1, number), refuse]
    # The C library falls back to clone, whose flags can be looked at.
    program += [(0x15, 0, 1, CLONE3), (0x06, 0, 0, 0x00050000 | errno.ENOSYS)]
    program += [(0x15, 0, 3, clone), (0x20, 0, 0, 16), (0x45, 0, 1, NEW), refuse, allow]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in program))
    call("prctl", 38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    call("prctl", 22, 2, struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code)), 0, 0)


def can_nest(settings: dict[str, Any]) -> bool:
    """Return whether a sandbox can have namespaces of its own here."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    try:
        isolate(settings)
        os._exit(0)
    finally:
        os._exit(1)


# ---------------------------------------------------------------- keeping watch


def exceeds(settings: dict[str, Any]) -> bool:
    """Return whether the sandbox's processes together are too many or too large."""
    processes = psutil.Process().children(recursive=True)
    used = 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            used += process.memory_info().rss
    return bool(used > 1.5 * settings["memory"] or len(processes) > settings["processes"])


def end_all() -> None:
    """Kill every process that a sandbox started; a process may start another while being ended."""
    for _ in range(500):
        alive = 0
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if process.status() != psutil.STATUS_ZOMBIE:
                    alive += 1
                    process.send_signal(signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not alive:
            return
        select.select([], [], [], 0.002)
