"""A kernel that can do no harm: walls where bubblewrap is installed, limits everywhere.

Behind the walls there is no network, no other process, no file but Python's own and a small private
folder that vanishes. The course's learners and scikit-learn are not there either. Whatever a cell
does, ``run`` and ``ask`` come back with outputs and a fate: ``done``, or why the kernel was ended.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import functools
import os
import queue
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
import zmq
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import KernelManager
from nbformat import NotebookNode

import linlib
from grader import wire

HIDDEN_PACKAGES = ("sklearn", "scipy", "mlxtend")
GIVEN_MODULES = ("checks", "data", "hyperplane", "plotting", "shown", "tables")
LAUNCHER = Path(__file__).with_name("launcher.py")
WIRE = Path(wire.__file__).read_text(encoding="utf-8")

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
    start: float = 60.0
    output: int = 2_000_000
    memory: int = 2 << 30
    disk: int = 64 << 20
    processes: int = 64


@dataclass(frozen=True)
class Ran:
    """What came of one cell."""

    outputs: list[NotebookNode]
    fate: str
    answer: str | None = None


# ---------------------------------------------------------------- walls


@functools.cache
def walls_available() -> bool:
    """Return whether bubblewrap is installed and may build its walls here."""
    if shutil.which("bwrap") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        for name in ("sockets", "course", "work"):
            (Path(folder) / name).mkdir()
        command = [*walls(Path(folder), Limits()), sys.executable, "-c", "print('inside')"]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            tried = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            return tried.stdout.strip() == "inside"
    return False


def walls(folder: Path, limits: Limits) -> list[str]:
    """Return bubblewrap's command line; of the file system only Python and ``folder`` remain."""
    command = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent"]
    command += ["--new-session", "--clearenv", "--cap-drop", "ALL"]
    for name, value in environment(folder).items():
        command += ["--setenv", name, value]
    command += ["--proc", "/proc", "--dev", "/dev", "--size", str(limits.disk), "--tmpfs", "/tmp"]
    system = ["/usr", "/bin", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"]
    python = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}
    for path in [*system, *sorted(python)]:
        command += ["--ro-bind-try", path, path]
    packages = Path(sysconfig.get_path("purelib"))
    for name in HIDDEN_PACKAGES:
        if (packages / name).is_dir():
            command += ["--tmpfs", str(packages / name)]
    command += ["--ro-bind", str(LAUNCHER), str(LAUNCHER)]
    command += ["--ro-bind", str(folder / "course"), str(folder / "course")]
    command += ["--bind", str(folder / "sockets"), str(folder / "sockets")]
    command += ["--size", str(limits.disk), "--tmpfs", str(folder / "work")]
    return [*command, "--chdir", str(folder / "work")]


def environment(folder: Path) -> dict[str, str]:
    """Return the kernel's whole environment: nothing of the grader's own reaches it."""
    inside = {
        "HOME": folder / "work",
        "IPYTHONDIR": folder / "work" / ".ipython",
        "MPLCONFIGDIR": folder / "work" / ".matplotlib",
        "PYTHONPATH": folder / "course",
    }
    fixed = {"LANG": "C.UTF-8", "MATPLOTLIBRC": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    places = {name: str(place) for name, place in inside.items()}
    return places | fixed | threads | {"PATH": path}


def furnish(folder: Path) -> None:
    """Put into ``folder`` what a kernel needs: the given part of linlib, and Matplotlib's fonts."""
    for name in ("work", "sockets", "course/linlib", "course/fonts"):
        (folder / name).mkdir(parents=True)
    package = Path(linlib.__file__).parent
    for name in GIVEN_MODULES:
        shutil.copy(package / f"{name}.py", folder / "course" / "linlib")
    (folder / "course" / "linlib" / "__init__.py").write_text('"""What homework may use."""\n')
    import matplotlib as mpl
    import matplotlib.font_manager as fonts  # finds the fonts once for all kernels

    for cache in Path(mpl.get_cachedir()).glob(f"fontlist-v{fonts.FontManager.__version__}*"):
        shutil.copy(cache, folder / "course" / "fonts")


# ---------------------------------------------------------------- a kernel


class _Spec(KernelSpecManager):  # type: ignore[misc]
    """Knows one kernel: the launcher, behind walls if there are any."""

    argv: list[str]

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(argv=self.argv, display_name="homework", language="python")


class Kernel:
    """One kernel in a private folder; ``close`` leaves nothing of it."""

    def __init__(self, limits: Limits, *, isolated: bool) -> None:
        self.limits = limits
        if not isolated:
            adopt_orphans()
        self.before = {child.pid for child in psutil.Process().children(recursive=True)}
        self.folder = Path(tempfile.mkdtemp(prefix="homework-"))
        self.closed = False
        try:
            furnish(self.folder)
            launch = [sys.executable, str(LAUNCHER), str(limits.memory), str(limits.disk)]
            launch += [",".join(HIDDEN_PACKAGES), str(self.folder / "course" / "fonts")]
            launch += ["-f", "{connection_file}"]
            specs = _Spec()
            specs.argv = [*(walls(self.folder, limits) if isolated else ()), *launch]
            context = zmq.Context()
            context.setsockopt(zmq.MAXMSGSIZE, 25 * limits.output)
            context.setsockopt(zmq.LINGER, 0)
            self.manager = KernelManager(
                kernel_name="homework",
                kernel_spec_manager=specs,
                context=context,
                transport="ipc",
                ip=str(self.folder / "sockets" / "k"),
                connection_file=str(self.folder / "sockets" / "connection.json"),
                client_class="jupyter_client.blocking.BlockingKernelClient",
            )
            self.manager.start_kernel(
                env=environment(self.folder),
                cwd=str(self.folder / "work"),
                stderr=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
            )
            self.client: BlockingKernelClient = self.manager.client()
            self.client.start_channels()
            self.client.wait_for_ready(timeout=limits.start)
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self) -> None:
        """End the kernel as soon as its processes together are too many or too large."""
        while not self.closed:
            time.sleep(0.2)
            with contextlib.suppress(psutil.Error, AttributeError, OSError):
                processes = self.processes()
                used = sum(process.memory_info().rss for process in processes)
                stored = sum(file.stat().st_size for file in self.folder.rglob("*"))
                excess = used > 1.5 * self.limits.memory or stored > 2 * self.limits.disk
                if excess or len(processes) > self.limits.processes:
                    for process in processes:
                        process.kill()

    def processes(self) -> list[psutil.Process]:
        """Return all processes that this kernel started and that still run, orphans included."""
        children = psutil.Process().children(recursive=True)
        return [child for child in children if child.pid not in self.before and running(child)]

    def run(self, source: str, seconds: float) -> Ran:
        """Run a cell and keep its outputs."""
        return self._execute(source, seconds, {})

    def ask(self, name: str, arguments: str, seconds: float) -> Ran:
        """Ask for the value of ``name`` called with packed arguments, as the wire's text."""
        request = (
            f"(lambda w: (exec({WIRE!r}, w), w['answer']"
            f"(__import__('IPython').get_ipython().user_ns, {name!r}, {arguments!r}))[1])"
            "({'__name__': 'wire'})"
        )
        return self._execute("", seconds, {"answer": request})

    def _execute(self, source: str, seconds: float, expressions: dict[str, str]) -> Ran:
        outputs: list[NotebookNode] = []
        end = time.monotonic() + seconds
        fate, answer = "slow", None
        replied_at = None
        size = 0
        try:
            sent = self.client.execute(
                source, user_expressions=expressions, allow_stdin=False, stop_on_error=False
            )
            idle = False
            while time.monotonic() < end:
                for message in self._messages():
                    if message["parent_header"].get("msg_id") != sent:
                        continue
                    kind, content = message["msg_type"], message["content"]
                    if kind == "execute_reply":
                        replied_at = time.monotonic()
                        answer = content.get("user_expressions", {}).get("answer")
                    elif kind == "status":
                        idle = idle or content.get("execution_state") == "idle"
                    else:
                        size += len(str(content))
                        keep(outputs, kind, message)
                if size > self.limits.output:
                    fate = "loud"
                    break
                if idle and replied_at is not None:
                    return Ran(outputs, "done", text_of(answer))
                if replied_at is not None and time.monotonic() > replied_at + 5:
                    fate = "loud"  # its output was too large to arrive
                    break
                if not self.manager.is_alive():
                    fate = "dead"
                    break
        except Exception:  # a kernel may say anything, in any form
            fate = "dead"
        self.close()
        return Ran(outputs if fate != "loud" else [], fate)

    def _messages(self) -> Iterator[dict[str, Any]]:
        """Yield what has arrived on both channels; wait a little if that is nothing."""
        channels = (self.client.shell_channel, self.client.iopub_channel)
        poller = zmq.Poller()
        for channel in channels:
            poller.register(channel.socket, zmq.POLLIN)
        poller.poll(100)  # milliseconds
        for channel in channels:
            with contextlib.suppress(queue.Empty):
                for _ in range(100):
                    yield channel.get_msg(timeout=0)

    def close(self) -> None:
        """End the kernel and everything it started, and remove its folder."""
        if self.closed:
            return
        self.closed = True
        with contextlib.suppress(Exception):
            self.client.stop_channels()
        for _ in range(500):  # a process may start another while it is being ended
            left = self.processes()
            if not left:
                break
            for process in left:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            time.sleep(0.01)
        with contextlib.suppress(Exception):
            self.manager.shutdown_kernel(now=True)
        with contextlib.suppress(Exception):
            self.manager.context.destroy(linger=0)
        shutil.rmtree(self.folder, ignore_errors=True)


def running(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def keep(outputs: list[NotebookNode], kind: str, message: dict[str, Any]) -> None:
    """Append a message to a cell's outputs as a notebook would."""
    if kind == "clear_output":
        outputs.clear()
    elif kind in ("stream", "display_data", "execute_result", "error"):
        outputs.append(nbformat.v4.output_from_msg(message))


def text_of(answer: Any) -> str | None:
    """Return the text in the reply to an expression, if it is one."""
    try:
        text = ast.literal_eval(answer["data"]["text/plain"])
    except (TypeError, KeyError, ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return text if isinstance(text, str) else None


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent ended, so that they can be found."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER, Linux only
