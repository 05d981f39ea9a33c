"""Re-execute notebooks from top to bottom and store their outputs in a stable form.

    python -m tools.refresh [notebook …]          (or: make refresh NB=…)

Without arguments: all lectures and all homework sources. A second run changes no byte. A notebook
in which a cell raises, writes to stderr or takes more than a minute is left as it is.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager

from tests.validation import (
    NOT_COLLECTED,
    keep_stored,
    kind,
    live_view,
    merged,
    plain_environment,
    private_channels,
    runs,
)

ROOT = Path(__file__).resolve().parent.parent
SECONDS_PER_CELL = 60
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


class RefusedError(Exception):
    """A notebook that must not be written, and why."""


def refresh(path: Path, show: Callable[[int, int], None]) -> bool:
    """Bring one notebook up to date; return whether the file changed, or raise ``RefusedError``.

    ``show(number, total)`` is called before each code cell.
    """
    stored = read(path)
    fresh = executed(stored, path.parent, show)
    text = nbformat.writes(tidied(stored, fresh)) + "\n"
    if text.encode() == path.read_bytes():
        return False
    replace(path, text)
    return True


def read(path: Path) -> NotebookNode:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        name_cells(raw["cells"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RefusedError(f"cannot be read as a notebook: {error!r}") from error
    return nbformat.reads(json.dumps(raw | {"nbformat_minor": 5}), as_version=4)


def name_cells(cells: list[dict[str, Any]]) -> None:
    """Give each cell whose id is missing or already taken one that tells its position."""
    taken = {cell.get("id") for cell in cells}
    seen = {None}
    for position, cell in enumerate(cells, start=1):
        if cell.get("id") in seen:
            names = (f"cell-{k:02}" for k in itertools.count(position))
            cell["id"] = next(name for name in names if name not in taken)
            taken.add(cell["id"])
        seen.add(cell["id"])


def executed(
    notebook: NotebookNode, folder: Path, show: Callable[[int, int], None]
) -> NotebookNode:
    """Return a copy with the outputs of a fresh kernel of this very interpreter."""
    notebook = copy.deepcopy(notebook)
    cells = [(index, cell) for index, cell in enumerate(notebook.cells) if runs(cell)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, plain_environment(home):
        client = client_for(notebook, home)
        with client.setup_kernel(cwd=str(folder), cleanup_kc=True):
            for number, (index, cell) in enumerate(cells, start=1):
                show(number, len(cells))
                execute(client, index, cell, number)
    return notebook


def client_for(notebook: NotebookNode, home: str) -> NotebookClient:
    return NotebookClient(
        notebook,
        km=AsyncKernelManager(
            kernel_name=CURRENT_ENV_KERNEL_NAME,
            kernel_spec_manager=NbvalKernelspecManager(),
            **private_channels(home),
        ),
        timeout=SECONDS_PER_CELL,
        iopub_timeout=SECONDS_PER_CELL,  # else a busy machine loses outputs without a word
        raise_on_iopub_timeout=True,
        force_raise_errors=True,
        skip_cells_with_tag="",
        store_widget_state=False,
        record_timing=False,
        shutdown_kernel="immediate",
    )


def execute(client: NotebookClient, index: int, cell: NotebookNode, number: int) -> None:
    try:
        client.execute_cell(cell, index)
    except CellExecutionError as error:
        raise RefusedError(complaint(number, cell, error.traceback)) from error
    except (CellTimeoutError, DeadKernelError) as error:
        raise RefusedError(complaint(number, cell, str(error))) from error
    for output in cell.outputs:
        if kind(output) == "stderr":
            raise RefusedError(complaint(number, cell, f"it wrote to stderr: {output.text}"))


def complaint(number: int, cell: NotebookNode, reason: str) -> str:
    # nbclient repeats the source above the traceback; the reader has it already.
    reason = re.sub(r"\x1b\[[\d;]*m", "", reason).rpartition("------------------\n")[2].strip()
    source = "\n".join(f"    {line}" for line in cell.source.split("\n"))
    return f"cell {number} must be mended first:\n\n{source}\n\n{reason}\n"


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


def replace(path: Path, text: str) -> None:
    """Write a file so that at every moment it is either the old one or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        shutil.copymode(path, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def all_notebooks() -> list[Path]:
    folder = ROOT / "notebooks"
    found = [*folder.glob("*.ipynb"), *folder.glob("homework/source/**/*.ipynb")]
    return sorted(path for path in found if not NOT_COLLECTED.intersection(path.parts))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebook", nargs="*", type=Path, help="default: all of the course")
    paths = parser.parse_args(arguments).notebook or all_notebooks()
    refused = sum(not report(path) for path in paths)
    if refused:
        print(f"{refused} of {len(paths)} notebooks were refused and left as they were.")
    return 1 if refused else 0


def report(path: Path) -> bool:
    """Refresh one notebook and say so on one line; return False if it was refused."""
    name = os.path.relpath(path)
    live = sys.stdout.isatty()
    started = time.monotonic()

    def show(number: int, total: int) -> None:
        if live:
            print(f"\r{name}: cell {number} of {total} \033[K", end="", flush=True)

    try:
        outcome = "rewritten" if refresh(path, show) else "unchanged"
    except RefusedError as reason:
        outcome = f"REFUSED, {reason}"
    start = "\r\033[K" if live else ""
    print(f"{start}{name}: {time.monotonic() - started:.1f} s, {outcome}", flush=True)
    return not outcome.startswith("REFUSED")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped: the notebook at hand is as it was.")
