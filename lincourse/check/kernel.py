"""The one kernel of validation and refresh: nbval's, in a home of its own.

What is stored and what is compared are made alike. A person's own start-up files, history and
settings have no say.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import tempfile
import time
from pathlib import Path
from queue import Empty
from typing import Any
from unittest import mock

import nbval.kernel
import nbval.plugin
from jupyter_client.manager import KernelManager
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, RunningKernel

from lincourse import garbage
from lincourse.check.outputs import merged

SECONDS_FOR_OUTPUT = 30  # nbval's 5 are too few on a busy machine

# nbval joins all writes to a stream, so text could move past a figure unseen.
nbval.plugin.coalesce_streams = merged

# Run in the kernel before the first cell: note the line of every assert that was passed.
START = f"""
__import__('gc').set_threshold{garbage.SELDOM}


def watch_asserts(shell):
    import ast, builtins

    class Watch(ast.NodeTransformer):
        def visit_Assert(self, node):
            note = ast.parse("__passed__(%d)" % node.lineno).body[0]
            return [node, ast.fix_missing_locations(ast.copy_location(note, node))]

    builtins.__passed__ = set().add
    shell.ast_transformers.append(Watch())


watch_asserts(get_ipython())
del watch_asserts
"""
VERSIONS = """[('Python', __import__('platform').python_version())] + [
    (name, __import__('sys').modules[name].__version__)
    for name in ('numpy', 'scipy', 'matplotlib', 'pandas', 'sklearn')
    if name in __import__('sys').modules
]"""
PASSED = "(lambda lines: (sorted(lines), lines.clear())[0])(__passed__.__self__)"


def uncoloured(traceback: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", traceback).strip()


class Kernel(RunningKernel):
    """nbval's kernel, by default of this very interpreter; it notices when its process has died.

    nbval runs cells outside the history; but IPython looks there for a trailing semicolon, so here
    they are in it.
    """

    def __init__(self, kernel_name: str = CURRENT_ENV_KERNEL_NAME, **options: Any) -> None:
        self.home = kernel_home()
        own = {"IPYTHONDIR": self.home.name, "MATPLOTLIBRC": os.devnull}
        if not os.access(Path.home(), os.W_OK):  # Matplotlib would complain to stderr
            own["MPLCONFIGDIR"] = self.home.name
        kept = {k: v for k, v in os.environ.items() if k not in ("MPLBACKEND", "PYTHONSTARTUP")}
        # The default, TCP, chooses free ports some time before the kernel takes them: on a busy
        # machine another program is sometimes faster, and the kernel dies.
        sockets = {} if os.name == "nt" else {"transport": "ipc", "ip": f"{self.home.name}/kernel"}
        with (
            mock.patch.dict(os.environ, kept | own, clear=True),
            mock.patch.object(
                nbval.kernel, "KernelManager", functools.partial(KernelManager, **sockets)
            ),
        ):
            super().__init__(kernel_name, **options)
        self.ask(START)

    def stop(self) -> None:
        if self.is_alive():
            super().stop()
        self.home.cleanup()

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        """Return the next message; nbval would also write each out for a log that nobody keeps."""
        get = self.kc.get_iopub_msg if stream == "iopub" else self.kc.get_shell_msg
        return dict(get(timeout=timeout))

    def execute_cell_input(self, cell_input: str, allow_stdin: bool | None = None) -> str:
        return str(self.kc.execute(cell_input, allow_stdin=allow_stdin, stop_on_error=False))

    def passed_asserts(self) -> set[int]:
        """Return the lines of the asserts passed since the last question."""
        return set(ast.literal_eval(self.ask("", PASSED)))

    def versions(self) -> str:
        """Return the versions of Python and of what computed and drew, as far as it was used."""
        found = ast.literal_eval(self.ask("", VERSIONS)) if self.is_alive() else []
        return ", ".join(f"{name} {version}" for name, version in found)

    def await_reply(self, msg_id: str, timeout: float | None = None) -> dict[str, Any]:
        deadline = time.monotonic() + (timeout or float("inf"))
        while True:
            try:
                message: dict[str, Any] = self.kc.get_shell_msg(timeout=1)
            except Empty:
                if not self.is_alive():
                    raise RuntimeError("The kernel died") from None
                if time.monotonic() > deadline:
                    raise
                continue
            if message["parent_header"].get("msg_id") == msg_id:
                content: dict[str, Any] = message["content"]
                return content

    def ask(self, source: str, expression: str = "None") -> str:
        """Run something beside the notebook; return the text of an expression's value."""
        asked = {"value": expression}
        message = self.kc.execute(source, silent=True, user_expressions=asked, allow_stdin=False)
        answer = self.await_reply(message, timeout=SECONDS_FOR_OUTPUT)["user_expressions"]["value"]
        return str(answer["data"]["text/plain"])


def kernel_home() -> tempfile.TemporaryDirectory[str]:
    """Return a new folder for one kernel, with a path short enough for the names of sockets.

    A system admits about a hundred bytes; a folder for temporary files can be longer than that.
    """
    folders = (tempfile.gettempdir(), "/tmp", "/dev/shm")
    short = (f for f in folders if len(os.fsencode(f)) < 70 and os.access(f, os.W_OK))
    return tempfile.TemporaryDirectory(dir=next(short, None), ignore_cleanup_errors=True)
