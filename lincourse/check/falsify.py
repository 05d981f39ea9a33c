"""Break each claim on purpose, and see the cell that checks it fail.

    lincourse falsify [notebook …]          (or: make falsify NB=…)

Every claim in ``claims.toml`` has at least one small edit of its lecture, in which ``old`` becomes
``new``. Under it the cell of the claim must fail, with an ``AssertionError`` and no other. What a
claim lacks is listed first, before any cell is run. Each lecture runs once, without the cells that
no claim takes anything from; at an edited cell the process forks, and the child goes on with the
edit as far as the cell of the claim.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from lincourse.check import asserts, claims, command, in_process, names, outputs
from lincourse.check.claims import Falsifier

SECONDS = 60  # of computing, for an edit that makes a loop endless
Verdicts = dict[Falsifier, str]  # the assert that noticed it, or PROBLEM and why none did


# ---------------------------------------------------------------- one lecture


def lecture(task: tuple[Path, list[Falsifier]]) -> Verdicts:
    """Try the falsifiers of one lecture; the lecture itself must run without a failure."""
    path, falsifiers = task
    cells = in_process.read(path)
    named = {name for entry in falsifiers for name in (entry.cell, f"claim-{entry.claim}")}
    last = {k for k, cell in enumerate(cells) if cell.id in named}
    cells = [cells[k] for k in names.needed([cell.source for cell in cells], *last)]
    ids = [cell.id for cell in cells]
    verdicts: Verdicts = {}
    scope, own = in_process.fresh_scope(), in_process.Outcome()
    with in_process.quiet(), contextlib.chdir(path.parent):
        for k, cell in enumerate(cells):
            for entry in falsifiers:
                if entry.cell == cell.id:
                    stop = ids.index(f"claim-{entry.claim}") + 1
                    verdicts[entry] = forked(entry, cells[k:stop], scope)
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
    parser = command(__doc__, notebooks="all lectures", folder="lectures and claims.toml")
    options = parser.parse_args(arguments)
    if not hasattr(os, "fork"):
        sys.exit("This needs a system that can fork a process (Linux, macOS).")
    paths = in_process.lectures(options.folder, options.notebook)
    try:
        ledger = claims.ledger(options.folder)
        lacking = [f"{path}: {problem}" for path in paths for problem in problems(path)]
    except ValueError as error:
        sys.exit(str(error))
    if lacking:
        print("\n".join(lacking))
        print(f"{len(lacking)} problems: nothing was run.")
        return 1
    lists: dict[str, list[Falsifier]] = {path.stem: [] for path in paths}
    here = [claim for claim in ledger if claim["notebook"] in lists]
    for claim in here:
        lists[claim["notebook"]] += claims.falsifiers(claim)
    tasks = [(path, lists[path.stem]) for path in paths]
    verdicts: Verdicts = {}
    for part in in_process.each(lecture, tasks, os.cpu_count() or 1):
        verdicts |= part
    for entry in itertools.chain(*lists.values()):
        print(f"{entry.claim} would fail if {entry.would_fail_if}\n    {verdicts[entry]}")
    count = sum(verdict.startswith("PROBLEM") for verdict in verdicts.values())
    print(f"{len(here)} claims, {count} problems.")
    return 1 if count else 0


def problems(path: Path) -> list[str]:
    """Return what the claims of a lecture lack before any is tried."""
    return list(claims.notebook_problems(outputs.read(path), path))
