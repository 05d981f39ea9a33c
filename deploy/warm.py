"""A process that has imported everything, from which servers and kernels are split off.

A forked process shares the memory of what was imported and has no imports to wait for. Root runs
this process and only the hub can speak to it, over a socket in the hub's folder. It holds no
secret: its environment is empty but for what is said in ``Keeper.environment``. What is split off
becomes the student before it does anything else: control groups, limits, account, environment.

A student's kernels are split off from a second process, the student's own, that was split off
before the server began. So no student can speak to a process of root's.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import io
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from deploy.enter import enter
from deploy.server import begin
from deploy.settings import ROOT, here

SERVER = """jupyterhub.singleuser.extension jupyterlab.labapp jupyter_server.kernelspecs.handlers
jupyter_server.services.contents.largefilemanager jupyter_server.view.handlers psutil jinja2.ext
nbgrader.server_extensions.assignment_list nbgrader.server_extensions.validate_assignment
anyio._backends._asyncio tornado.platform.asyncio ipykernel.kernelspec"""
KERNEL = """ipykernel.kernelapp ipykernel.ipkernel ipykernel.debugger ipywidgets anywidget
IPython.core.completerlib IPython.core.debugger IPython.core.logger IPython.core.oinspect
IPython.extensions.storemagic matplotlib.pyplot scipy.special linlib
linlib.explorers linlib.tables"""
DUMPABLE = 4  # PR_SET_DUMPABLE of prctl


def main() -> NoReturn:
    """Import everything; then split a server off for each request of the hub's."""
    sys.path[:] = [path for path in sys.path if path not in (str(ROOT), str(Path.cwd()))]
    prepare()
    sys.dont_write_bytecode = False
    address = here().hub / "warm.socket"
    address.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(address))
    address.chmod(0o600)
    listener.listen(100)
    serve_forks(listener)


def prepare() -> None:
    """Have in memory what everybody needs."""
    gc.disable()
    for name in (SERVER + " " + KERNEL).split():
        importlib.import_module(name)
    import nbformat
    from jupyter_server.serverapp import JUPYTER_SERVICE_HANDLERS
    from matplotlib.figure import Figure

    for handlers in JUPYTER_SERVICE_HANDLERS.values():
        for name in handlers or ():
            importlib.import_module(name)
    nbformat.validate(nbformat.v4.new_notebook())  # its rules
    figure = Figure()  # fonts, formulas and the writer of pictures
    figure.subplots().set_title("$w_1^2$ α")
    figure.savefig(io.BytesIO())
    del figure
    gc.collect()
    gc.freeze()  # a look through all objects would copy their memory
    gc.collect()  # so that what comes later is looked through as often as in a new process


def serve_forks(listener: socket.socket) -> NoReturn:
    """Split a process off for each request; who asks gets its number."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    while True:
        asked, _ = listener.accept()
        with contextlib.suppress(OSError, ValueError), asked:
            request = json.loads(asked.makefile("rb").readline())
            pid = os.fork()
            if pid == 0:
                listener.close()
                asked.close()
                alone(server, request)
            asked.sendall(b"%d\n" % pid)


def alone(action: Callable[..., Any], *arguments: Any) -> NoReturn:
    """Run as a process of its own, and never come back to what was split."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        gc.enable()
        action(*arguments)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def server(request: dict[str, Any]) -> None:
    """Become the student; then a server."""
    enter(request["account"], request["groups"], request["limits"], request["mounts"])
    ctypes.CDLL(None).prctl(DUMPABLE, 1, 0, 0, 0)  # as after exec: the process is the student's
    os.environ.clear()
    os.environ.update(request["env"])
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        alone(kernels, theirs)
    theirs.close()
    import jupyter_client.provisioning.local_provisioner as local
    from jupyterhub.singleuser import main as serve
    from jupyterlab import commands

    local.launch_kernel = Launcher(ours, local.launch_kernel)
    # what JupyterLab asked for when it was imported
    own = [f"--LabApp.workspaces_dir={commands.get_workspaces_dir()}"]
    own += [f"--LabApp.user_settings_dir={commands.get_user_settings_dir()}"]
    sys.argv = ["jupyterhub-singleuser", *begin.prepared(), *own]
    serve()


# kernels


class Launcher:
    """Starts a kernel as ``jupyter_client.launcher.launch_kernel`` does, already warm."""

    def __init__(self, forks: socket.socket, cold: Callable[..., Any]) -> None:
        self.forks, self.cold = forks, cold

    def __call__(self, cmd: list[str], **options: Any) -> Any:
        """Return a process; another kernel than the course's is started as ever."""
        if "ipykernel_launcher" not in cmd:
            return self.cold(cmd, **options)
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        request = {"arguments": arguments, "cwd": str(options.get("cwd") or Path.home())}
        request["env"] = options.get("env") or dict(os.environ)
        try:
            self.forks.sendall(json.dumps(request).encode() + b"\n")
            return Forked(int(self.forks.recv(20)))
        except (OSError, ValueError):
            return self.cold(cmd, **options)


class Forked:
    """A process that is not a child, with what ``jupyter_client`` asks of one."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid, self.file = pid, os.pidfd_open(pid)

    def poll(self) -> int | None:
        """Return None while it runs."""
        return 1 if select.select([self.file], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        if not select.select([self.file], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("kernel", timeout or 0)
        return 1

    def send_signal(self, number: int) -> None:
        """Send a signal to this process and to no other that got its number."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.file, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def __del__(self) -> None:
        os.close(self.file)


def kernels(asked: socket.socket) -> None:
    """Split kernels off, as the student, until the server is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in asked.makefile("rb"):
        if os.fork() == 0:
            alone(kernel, json.loads(line), asked)


def kernel(request: dict[str, Any], asked: socket.socket) -> None:
    """Become a kernel like one that was started anew."""
    asked.sendall(b"%d" % os.getpid())
    asked.close()
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    import matplotlib as mpl
    import numpy as np
    from ipykernel.kernelapp import IPKernelApp

    np.random.seed()  # noqa: NPY002  not everybody the same numbers
    random.seed()
    own = str(Path.home() / ".cache/matplotlib")  # and not where this process looked
    mpl.get_configdir = mpl.get_cachedir = lambda: own
    sys.argv = ["ipykernel_launcher", *request["arguments"]]
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"  # it ends with its parent
    IPKernelApp.launch_instance(argv=[*request["arguments"], parent])


if __name__ == "__main__":
    main()
