"""Break each claim on purpose, and see the cell that checks it fail.

    lincourse falsify [notebook …]          (or: make falsify NB=…)

``falsifiers.toml`` beside the lectures holds for every claim at least one small edit of its
lecture: in one cell, ``old`` becomes ``new``. Under it the cell of the claim must fail, with an
``AssertionError`` and no other. Each lecture runs once, without the cells that no claim takes
anything from; at an edited cell the process forks, and the child goes on with the edit as far as
the cell of the claim.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode

from lincourse.check import claims, command, in_process, names, stored

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
    verdicts = {entry: misplaced(entry, cells, ids) for entry in falsifiers}
    scope = in_process.fresh_scope()
    with in_process.quiet(), contextlib.chdir(path.parent):
        for k, cell in enumerate(cells):
            for entry in falsifiers:
                if entry.cell == cell.id and not verdicts[entry]:
                    target = ids.index(f"claim-{entry.claim}")
                    verdicts[entry] = forked(entry, cells[k : target + 1], scope)
            try:
                exec(in_process.plain(cell), scope)
            except Exception as error:
                why = f"the lecture itself fails in {cell.id}: {type(error).__name__} {error}"
                return dict.fromkeys(falsifiers, f"PROBLEM: {why}")
    return verdicts


def misplaced(entry: Falsifier, cells: Sequence[NotebookNode], ids: Sequence[str]) -> str:
    """Return why an edit cannot be tried, or nothing."""
    target = f"claim-{entry.claim}"
    for name in (target, entry.cell):
        if name not in ids:
            return f"PROBLEM: the notebook has no code cell {name}."
    if ids.index(entry.cell) > ids.index(target):
        return f"PROBLEM: {entry.cell} comes after {target}, and cannot make it fail."
    times = cells[ids.index(entry.cell)].source.count(entry.old)
    return (
        "" if times == 1 else f"PROBLEM: its old text is {times} times in {entry.cell}, not once."
    )


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
    edited = in_process.with_source(cells[0], cells[0].source.replace(entry.old, entry.new))
    *before, target = [edited, *cells[1:]]
    seen = in_process.Outcome()
    for cell in before:  # asserts on the way may fail; the claim's is meant
        in_process.run_counted(cell, scope, seen)
        if cell.id in seen.raised:
            return f"PROBLEM: {cell.id}, on the way, raises {seen.raised[cell.id]}"
    try:
        exec(in_process.plain(target), scope)
    except AssertionError as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno or 1 for frame in frames if frame.filename == f"<{target.id}>"]
        if not lines:
            return "PROBLEM: the assert that fails is not in the claim's cell."
        return str(target.source.splitlines()[lines[-1] - 1].strip())
    except Exception as error:
        return f"PROBLEM: the cell raises {type(error).__name__}: {error}"
    return "PROBLEM: the cell does not notice it."


# ---------------------------------------------------------------- all of them


def verdicts(
    paths: Sequence[Path], home: Mapping[str, str], falsifiers: Sequence[Falsifier]
) -> Verdicts:
    """Try every falsifier of these lectures, as many lectures at a time as there are cores."""
    tasks = [(p, [e for e in falsifiers if home.get(e.claim) == p.stem]) for p in paths]
    found: Verdicts = {}
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for part in pool.imap(lecture, [task for task in tasks if task[1]], chunksize=1):
            found |= part
    return {entry: found[entry] for entry in falsifiers if entry in found}


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
    problems = 0
    for entry, said in verdicts(paths, home, falsifiers).items():
        print(f"{entry.claim} would fail if {entry.would_fail_if}\n    {said}")
        problems += said.startswith("PROBLEM")
    named = {entry.claim for entry in falsifiers}
    lines = [
        f"{claim}: has no falsifier; what edit would its cell notice?"
        for claim in home.keys() - named
    ]
    if not options.notebook:
        lines += [
            f"{claim}: has a falsifier and is not in the ledger." for claim in named - home.keys()
        ]
    for line in sorted(lines):
        print(f"PROBLEM: {line}")
    problems += len(lines)
    print(f"{len(home)} claims, {problems} problems.")
    return 1 if problems else 0
