"""Re-execute notebooks from top to bottom and store their outputs in a stable form.

    lincourse refresh [notebook …]          (or: make refresh NB=…)

Without arguments: all below the folder ``notebooks``. A second run changes no byte. A notebook
in which a cell raises, writes to stderr or takes more than a minute is left as it is.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import nbformat.validator
from nbformat import NotebookNode
from nbsame.kernel import uncoloured
from nbsame.refresh import RefusedError
from nbsame.settings import Settings, load

from lincourse.check import command, progress, prose
from lincourse.check.outputs import kind, live_view, read, runs, tags
from lincourse.check.structure import FOLDED
from lincourse.paths import ROOT
from nbsame import refresh as nbsame

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def refresh(path: Path, settings: Settings) -> bool:
    """Bring one notebook up to date; return whether the file changed, or raise ``RefusedError``."""
    fresh = nbsame.executed(named(path), path, settings, refuse)
    tidy(fresh)
    prose.tie(fresh, path)
    return nbsame.written(path, fresh)


def named(path: Path) -> NotebookNode:
    """Read a notebook; cells whose id is missing or already taken get one."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8")) | {"nbformat_minor": 5}
        with warnings.catch_warnings(action="ignore"):  # that some have none
            _, named = nbformat.validator.normalize(raw, 4, 5)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RefusedError(f"it cannot be read as a notebook: {error!r}") from error
    notebook: NotebookNode = nbformat.reads(json.dumps(named), as_version=4)
    return notebook


def refuse(cell: NotebookNode, outputs: list[NotebookNode]) -> str:
    """Say why the outputs of a cell must not be stored; take away what needs a running kernel."""
    for output in outputs:
        if output.output_type == "error":
            text = uncoloured("\n".join(output.traceback))
            return f"must be mended first:\n\n{cell.source}\n\n{text}\n"
        if kind(output) == "stderr":
            return f"must be mended first:\n\n{cell.source}\n\nwrote to stderr: {output.text}\n"
        for mime in live_view(output):
            del output.data[mime]
    return ""


def tidy(notebook: NotebookNode) -> None:
    """Take out what differs from run to run or from machine to machine; fold the answers."""
    notebook.metadata |= {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for timing in ("execution", "ExecuteTime"):
            cell.metadata.pop(timing, None)
        if cell.cell_type != "code":
            continue
        if "answer" in tags(cell):
            cell.metadata["jupyter"] = dict(FOLDED)
        else:
            cell.metadata.pop("jupyter", None)
        if not runs(cell):
            cell.outputs, cell.execution_count = [], None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command(__doc__, notebooks="all below notebooks")
    settings = load(ROOT)
    below = sorted(Path("notebooks").rglob("*.ipynb"))
    left_out = {".ipynb_checkpoints", *settings.ignore}
    found = [path for path in below if not left_out.intersection(path.parts)]
    paths = parser.parse_args(arguments).notebook or found
    refused = 0
    for path in paths:
        started = time.monotonic()
        progress(f"{os.path.relpath(path)}")
        try:
            outcome = "rewritten" if refresh(path, settings) else "unchanged"
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
