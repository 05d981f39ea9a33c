"""Break each claim on purpose, and see the cell that checks it fail.

    lincourse falsify [notebook …]          (or: make falsify NB=…)

``falsifiers.toml`` beside the lectures holds for every claim at least one small edit of its
lecture: in one cell, ``old`` becomes ``new``. Under it the cell of the claim must fail, with an
``AssertionError`` and no other. Each lecture runs once, without the cells that no claim takes
anything from; at an edited cell the process forks, and the child goes on with the edit as far as
the cell of the claim.
"""

from __future__ import annotations

import ast
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode

from lincourse.check import asserts, claims, command, in_process, names, stored

EDITS = "falsifiers.toml"
SECONDS = 60  # of computing, for an edit that makes a loop endless


class Falsifier(NamedTuple):
    claim: str
    would_fail_if: str
    old: str
    new: str
    cell: str


Verdicts = dict[Falsifier, str]  # the assert that noticed it, or PROBLEM and why none did


def read(path: Path) -> list[Falsifier]:
    """Return the falsifiers; ``cell`` is the claim's own unless another is named."""
    found = []
    for entry in stored(path).get("falsifier", []):
        strange = {*entry, "cell"} ^ {*Falsifier._fields}
        if strange:
            raise ValueError(f"{path.name}: {entry} lacks or does not need {sorted(strange)}.")
        found.append(Falsifier(**{"cell": f"claim-{entry['claim']}"} | entry))
    return found


# ---------------------------------------------------------------- one lecture


def lecture(task: tuple[Path, list[Falsifier]]) -> Verdicts:
    """Try the falsifiers of one lecture; the lecture itself must run without a failure."""
    path, falsifiers = task
    cells = in_process.read(path)
    named = {name for entry in falsifiers for name in (entry.cell, f"claim-{entry.claim}")}
    last = {k for k, cell in enumerate(cells) if cell.id in named}
    cells = [cells[k] for k in names.needed([cell.source for cell in cells], *last)]
    ids = [cell.id for cell in cells]
    verdicts = {
        entry: f"PROBLEM: there is no cell {entry.cell} with its old text exactly once, "
        f"in or before the cell claim-{entry.claim}."
        for entry in falsifiers
    }
    scope, own = in_process.fresh_scope(), in_process.Outcome()
    with in_process.quiet(), contextlib.chdir(path.parent):
        for k, cell in enumerate(cells):
            for entry in falsifiers:
                target = f"claim-{entry.claim}"
                here = entry.cell == cell.id and cell.source.count(entry.old) == 1
                if here and target in ids[k:]:
                    verdicts[entry] = forked(entry, cells[k : ids.index(target) + 1], scope)
            in_process.run_counted(cell, scope, own)
            if own.raised or not all(own.held.values()):
                return dict.fromkeys(falsifiers, f"PROBLEM: the lecture itself fails in {cell.id}.")
    return verdicts


def forked(entry: Falsifier, cells: list[NotebookNode], scope: dict[str, Any]) -> str:
    """Run ``cells`` with the edit in a child process; the parent's names stay as they are."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            with open(writing, "w", encoding="utf-8") as answer:
                answer.write(outcome(entry, cells, scope))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return text or f"PROBLEM: the cell ran for {SECONDS} s, or ended the process."


def outcome(entry: Falsifier, cells: list[NotebookNode], scope: dict[str, Any]) -> str:
    """Return the assert that noticed the edit, or PROBLEM and what happened instead."""
    edited = cells[0] | {"source": cells[0].source.replace(entry.old, entry.new)}
    seen = in_process.Outcome()
    for cell in [NotebookNode(edited), *cells[1:]]:  # asserts on the way may fail
        in_process.run_counted(cell, scope, seen)
        if error := seen.raised.get(cell.id) or seen.errors.get(cell.id):
            return f"PROBLEM: {cell.id} raises {error}"
    for number, node in enumerate(asserts.asserts(cell.source), start=1):
        if not seen.held.get((cell.id, number), True):
            return ast.unparse(node)
    return "PROBLEM: the cell does not notice it."


# ---------------------------------------------------------------- all of them


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command(__doc__, notebooks="all lectures", folder="lectures and lists")
    options = parser.parse_args(arguments)
    if not hasattr(os, "fork"):
        sys.exit("This needs a system that can fork a process (Linux, macOS).")
    paths = in_process.lectures(options.folder, options.notebook)
    here = {path.stem for path in paths}
    try:
        home = {claim: at for claim, at in claims.places(options.folder).items() if at in here}
        falsifiers = read(options.folder / EDITS)
    except ValueError as error:
        sys.exit(str(error))
    if options.notebook:
        falsifiers = [entry for entry in falsifiers if entry.claim in home]
    tasks = [(p, [e for e in falsifiers if home.get(e.claim) == p.stem]) for p in paths]
    verdicts: Verdicts = {}
    for part in in_process.each(lecture, tasks, os.cpu_count() or 1):
        verdicts |= part
    problems = 0
    for entry in filter(verdicts.get, falsifiers):
        print(f"{entry.claim} would fail if {entry.would_fail_if}\n    {verdicts[entry]}")
        problems += verdicts[entry].startswith("PROBLEM")
    for claim in sorted(home.keys() ^ {entry.claim for entry in falsifiers}):
        lacks = f"falsifier in {EDITS}" if claim in home else f"claim in {claims.LEDGER}"
        print(f"PROBLEM: {claim} has no {lacks}.")
        problems += 1
    print(f"{len(home)} claims, {problems} problems.")
    return 1 if problems else 0
