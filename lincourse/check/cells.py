"""What this course asks of a cell that has been run: beyond equal outputs, which nbsame compares.

A cell writes nothing to stderr and no file beside the notebook; every assert of it was passed at
least once; its figures keep their alt text, and the words drawn in them.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from nbformat import NotebookNode

from lincourse import garbage
from lincourse.check.outputs import PNG, alt_text, has_figure, kind, merged, words

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
# The lines of the asserts that were passed since the last question.
PASSED = "(lambda lines: (sorted(lines), lines.clear())[0])(__passed__.__self__)"


# ---------------------------------------------------------------- outputs


def output_problems(
    stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode], *, words: bool = True
) -> Iterator[str]:
    """Yield what nbsame does not ask of outputs; ``words``: whether those of figures count."""
    if any(kind(output) == "stderr" for output in fresh):
        yield "writes to stderr: cure the cause of that message."
    old, new = merged(stored), merged(fresh)
    if list(map(kind, old)) == list(map(kind, new)):
        for number, (one, other) in enumerate(zip(old, new, strict=True), start=1):
            for change in metadata_changes(one, other, drawn=words):
                yield f"output {number} {change}."


def metadata_changes(stored: NotebookNode, fresh: NotebookNode, *, drawn: bool) -> Iterator[str]:
    if alt_text(stored) != alt_text(fresh):
        yield "has another alt text"
    if drawn and words(stored) != words(fresh):
        pairs = itertools.zip_longest(words(fresh), words(stored))
        now, then = next((new, old) for new, old in pairs if new != old)
        yield f"says {now!r} where {then!r} is stored"
    if other_metadata(stored) != other_metadata(fresh):
        yield "has other metadata"


def other_metadata(output: NotebookNode) -> dict[str, object]:
    """Return what a reader is not shown: all metadata but the figure's alt text and words."""
    metadata = dict(output.get("metadata", {}))
    if has_figure(output):
        metadata[PNG] = {**metadata.get(PNG, {}), "alt": "", "texts": ""}
    return metadata


# ---------------------------------------------------------------- files beside a notebook


def files_beside(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of the files in and below a folder, hidden ones and caches left out."""
    found = {}
    for here, folders, names in os.walk(folder):
        inside = [] if "pyvenv.cfg" in names else folders
        folders[:] = [name for name in inside if name[0] != "." and name != "__pycache__"]
        for path in (Path(here, name) for name in names if name[0] != "."):
            if path.is_file():
                state = path.stat()
                found[str(path.relative_to(folder))] = (state.st_size, state.st_mtime_ns)
    return found


def changed_files(
    before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]
) -> list[str]:
    """Return a sentence for each file that was added, changed or removed."""
    return [
        f"{'changes' if name in before and name in after else 'adds or removes'} the file "
        f"{name!r} beside the notebook: write to a temporary folder."
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
