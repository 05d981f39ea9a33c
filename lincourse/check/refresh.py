"""Re-execute notebooks from top to bottom and store their outputs in a stable form.

    lincourse refresh [notebook …]          (or: make refresh NB=…)

Without arguments: all below the folder ``notebooks``. A second run changes no byte. A notebook
in which a cell raises, writes to stderr or takes more than a minute is left as it is.
"""

from __future__ import annotations

import copy
import json
import os
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import nbformat.validator
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbformat import NotebookNode

from lincourse.check import command, progress, prose
from lincourse.check.kernel import Kernel, uncoloured
from lincourse.check.outputs import NOT_COLLECTED, keep_stored, kind, live_view, merged, runs, tags
from lincourse.check.structure import FOLDED
from lincourse.files import put

SECONDS = 60  # of a cell
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


class RefusedError(Exception):
    """A notebook that must not be written, and why."""


def refresh(path: Path) -> bool:
    """Bring one notebook up to date; return whether the file changed, or raise ``RefusedError``."""
    stored = read(path)
    tidy = tidied(stored, executed(stored, path))
    prose.tie(tidy, path)
    return put(path, nbformat.writes(tidy) + "\n")


def read(path: Path) -> NotebookNode:
    """Read a notebook; cells whose id is missing or already taken get one."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8")) | {"nbformat_minor": 5}
        with warnings.catch_warnings(action="ignore"):  # that some have none
            _, named = nbformat.validator.normalize(raw, 4, 5)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RefusedError(f"cannot be read as a notebook: {error!r}") from error
    notebook: NotebookNode = nbformat.reads(json.dumps(named), as_version=4)
    return notebook


def executed(notebook: NotebookNode, path: Path) -> NotebookNode:
    """Return a copy with the outputs of a fresh kernel."""
    notebook = copy.deepcopy(notebook)
    kernel = Kernel(cwd=str(path.parent))
    runner = client(notebook, kernel)
    try:
        for position, cell in enumerate(notebook.cells):
            progress(f"{os.path.relpath(path)}: cell {position + 1} of {len(notebook.cells)}")
            runner.execute_cell(cell, position)
            for output in cell.get("outputs", ()):
                if kind(output) == "stderr":
                    raise RefusedError(f"{cell.source}\n\nwrote to stderr: {output.text}")
    except (CellControlSignal, DeadKernelError, RefusedError) as error:
        number, reason = runner.code_cells_executed, uncoloured(str(error))
        raise RefusedError(f"cell {number} must be mended first:\n\n{reason}\n") from None
    finally:
        kernel.stop()
    return notebook


def client(notebook: NotebookNode, kernel: Kernel) -> NotebookClient:
    """Return what runs the cells of a notebook in a kernel; no tag stops it from doing so.

    All replies of the kernel go to it from now on.
    """
    made = NotebookClient(
        notebook, km=kernel.km, timeout=SECONDS, force_raise_errors=True, skip_cells_with_tag=""
    )
    kernel.km.client_class = "jupyter_client.asynchronous.AsyncKernelClient"
    made.start_new_kernel_client()
    return made


def tidied(stored: NotebookNode, fresh: NotebookNode) -> NotebookNode:
    """Return ``fresh`` without what differs from run to run or from machine to machine."""
    fresh.metadata |= {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}
    fresh.metadata.pop("widgets", None)
    count = 0
    for old, cell in zip(stored.cells, fresh.cells, strict=True):
        for timing in ("execution", "ExecuteTime"):
            cell.metadata.pop(timing, None)
        if cell.cell_type != "code":
            continue
        if "answer" in tags(cell):
            cell.metadata["jupyter"] = dict(FOLDED)
        else:
            cell.metadata.pop("jupyter", None)
        count += runs(cell)
        cell.execution_count = count if runs(cell) else None
        for output in cell.outputs:
            for mime in live_view(output):
                del output.data[mime]
        cell.outputs = keep_stored(merged(old.outputs), merged(cell.outputs)) if runs(cell) else []
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    return fresh


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command(__doc__, notebooks="all below notebooks")
    below = sorted(Path("notebooks").rglob("*.ipynb"))
    found = [path for path in below if not NOT_COLLECTED.intersection(path.parts)]
    paths = parser.parse_args(arguments).notebook or found
    refused = 0
    for path in paths:
        started = time.monotonic()
        try:
            outcome = "rewritten" if refresh(path) else "unchanged"
            problems = list(prose.problems(read(path), path))
        except RefusedError as reason:
            outcome, problems = f"REFUSED, {reason}", []
            refused += 1
        progress("")
        print(f"{os.path.relpath(path)}: {time.monotonic() - started:.1f} s, {outcome}", flush=True)
        for problem in problems:
            print(f"  {problem}")
    if refused:
        print(f"{refused} of {len(paths)} notebooks were refused and left as they were.")
    return 1 if refused else 0
