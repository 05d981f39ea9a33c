"""Cells run in a kernel: of the present Python, in a home of its own, one cell after another.

Validation and ``nbsame refresh`` run cells here and nowhere else, so what is stored and what is
compared are made alike. A person's own start-up files, history and settings have no say.
"""

from __future__ import annotations

import ast
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from nbsame.notebook import merged

# What computes, draws or words an output; recorded as far as a notebook uses it.
RECORDED = (
    *("numpy", "scipy", "pandas", "matplotlib", "seaborn", "sklearn", "statsmodels"),
    *("sympy", "networkx", "plotly", "polars", "torch", "tensorflow", "jax"),
)
VERSIONS = f"""[('python', __import__('platform').python_version())] + [
    (name, str(__import__('sys').modules[name].__version__))
    for name in {RECORDED!r}
    if hasattr(__import__('sys').modules.get(name), '__version__')
]"""
NOT_INHERITED = ("MPLBACKEND", "PYTHONSTARTUP")


class StoppedError(Exception):
    """No further cell of a notebook can be run, and why."""


class PresentPython(KernelSpecManager):
    """Offers one kernel, that of the running interpreter, whatever name a notebook gives it.

    A name such as ``conda-env-course-py`` means something on its author's machine alone.
    """

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(resource_dir="", **get_kernel_dict())


class Kernel:
    """A fresh kernel that runs cells in a folder; stop it when done."""

    def __init__(self, folder: Path, *, seconds: float | None = 60, before: str = "") -> None:
        """Start the kernel; ``seconds`` is what a cell may take, ``before`` is run at once."""
        self.seconds = seconds
        self.home = kernel_home()
        # The default, TCP, chooses free ports some time before the kernel takes them: on a busy
        # machine another program is sometimes faster, and the kernel dies.
        sockets = {} if os.name == "nt" else {"transport": "ipc", "ip": f"{self.home.name}/kernel"}
        self.manager = KernelManager(kernel_spec_manager=PresentPython(), **sockets)
        self.manager.client_class = "jupyter_client.asynchronous.AsyncKernelClient"
        with mock.patch.dict(os.environ, environment(self.home.name), clear=True):
            self.manager.start_kernel(cwd=str(folder))
        # No tag stops a cell here: whether one is left out is decided by whoever asks to run it.
        self.client = NotebookClient(
            new_notebook(),
            km=self.manager,
            timeout=seconds,
            allow_errors=True,
            skip_cells_with_tag="",
            store_widget_state=False,
            record_timing=False,
        )
        try:
            self.client.start_new_kernel_client()
            if before:
                self.ask("None", after=before)
        except BaseException:
            self.stop()
            raise

    def run(self, cell: NotebookNode) -> list[NotebookNode]:
        """Run a cell and return its outputs, an error among them if it raises one."""
        copy = NotebookNode(cell | {"outputs": []})
        self.client.nb.cells = [copy]
        try:
            self.client.execute_cell(copy, 0)
        except CellTimeoutError:
            raise StoppedError(f"took longer than {self.seconds:g} seconds") from None
        except DeadKernelError:
            raise StoppedError("ended the kernel: it died") from None
        return merged(copy.outputs)

    def ask(self, expression: str, *, after: str = "") -> Any:
        """Return the value of an expression, after running code that leaves no trace.

        Only values that Python prints as it writes them come through: numbers, strings, lists.
        """
        assert self.client.kc is not None
        wanted = {"value": expression}
        message = self.client.kc.execute(
            after, silent=True, user_expressions=wanted, stop_on_error=False
        )
        reply = self.client.wait_for_reply(message)
        content = reply["content"] if reply else {}
        answer = content.get("user_expressions", {}).get("value", content)
        if answer.get("status") != "ok":
            raise RuntimeError(f"{answer.get('ename')}: {answer.get('evalue')} in {expression!r}")
        return ast.literal_eval(answer["data"]["text/plain"])

    def versions(self) -> dict[str, str]:
        """Return the versions of Python and of what the cells so far have imported of RECORDED."""
        return dict(self.ask(VERSIONS)) if self.manager.is_alive() else {}

    def stop(self) -> None:
        if self.client.kc is not None:
            self.client.kc.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)
        self.home.cleanup()


def environment(home: str) -> Mapping[str, str]:
    """Return the variables of a kernel: the caller's, without what is a person's own."""
    own = {"IPYTHONDIR": home, "MATPLOTLIBRC": os.devnull}
    if not os.access(Path.home(), os.W_OK):  # Matplotlib would complain to stderr
        own["MPLCONFIGDIR"] = home
    kept = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    # A debugger that nobody starts would write a warning to stderr.
    return {"PYDEVD_DISABLE_FILE_VALIDATION": "1", **kept, **own}


def kernel_home() -> tempfile.TemporaryDirectory[str]:
    """Return a new folder for one kernel, with a path short enough for the names of sockets.

    A system admits about a hundred bytes; a folder for temporary files can be longer than that.
    """
    folders = (tempfile.gettempdir(), "/tmp", "/dev/shm")
    short = (f for f in folders if len(os.fsencode(f)) < 70 and os.access(f, os.W_OK))
    return tempfile.TemporaryDirectory(dir=next(short, None), ignore_cleanup_errors=True)


def uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text).strip()
