"""Run every lecture again with seeds and settings moved, and count how often each assert holds.

    lincourse reseed [--runs 20] [notebook …]          (or: make reseed NB=…)
    lincourse reseed --few 2                           (what make test does)

A setting is moved where its cell declares other values: ``n = 40  # also holds for 20, 80``. The
counts go to ``notebooks/stability.toml``, one line an assert. An assert whose message begins
with ``in this run`` speaks of the shown numbers and may fail elsewhere; every other has to hold in
at least 95 % of the runs, else the command ends with status 1 and says which do not. ``--few``
writes nothing: it holds the table to the lectures and to the first few of the same runs.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nbformat import NotebookNode

from lincourse.check import asserts, command, in_process, names, stored
from lincourse.check.in_process import Outcome, settings
from lincourse.files import put

TABLE = "stability.toml"
RUNS, ENOUGH = 20, 0.95
HEAD = """\
# How often each assert of a lecture holds when every seed in it, and every setting that a cell
# declares, is moved. Made by `make reseed`.
#
# One line an assert: the id of its cell and its place in it, in how many of the runs it held, the
# settings that were `moved` before it, and what it tests. `this_run` marks those whose message
# begins with "in this run": they speak of the numbers shown, and only of them.

"""

Entry = dict[str, Any]
Table = dict[str, dict[str, Entry]]  # by notebook, then by "cell.place"


def one_run(task: tuple[str, list[NotebookNode], int]) -> tuple[str, Outcome]:
    """Run a lecture from top to bottom; a failed assert and a cell that raises stop nothing."""
    name, cells, move = task
    outcome, scope = Outcome(), in_process.fresh_scope()
    with in_process.quiet(), in_process.moved_seeds(move):
        for cell in cells:
            in_process.run_counted(in_process.moved_settings(cell, move), scope, outcome)
    return name, outcome


def outcomes(
    books: Mapping[str, list[NotebookNode]], runs: int, jobs: int
) -> dict[str, list[Outcome]]:
    """Run each lecture with the moves 1 … ``runs``, so many at a time."""
    long_first = sorted(books, key=lambda name: -len(books[name]))  # no core waits at the end
    tasks = [(name, books[name], move) for name in long_first for move in range(1, runs + 1)]
    found: dict[str, list[Outcome]] = {name: [] for name in books}
    for name, outcome in in_process.each(one_run, tasks, jobs):
        found[name].append(outcome)
    return found


# ---------------------------------------------------------------- the table


def counted(cells: Sequence[NotebookNode], seen: Sequence[Outcome]) -> dict[str, Entry]:
    """Return one entry for each assert of a lecture.

    ``moved`` are the settings that its cell declares, or a cell that this one needs.
    """
    sources = [cell.source for cell in cells]
    declared = [
        [f"{name} = {' or '.join(map(str, each))}" for name, each in settings(cell).items()]
        for cell in cells
    ]
    entries: dict[str, Entry] = {}
    for k, cell in enumerate(cells):
        before = names.needed(sources, k) if any(declared) else []
        moved = [said for j in before for said in declared[j]]
        for number, node in enumerate(asserts.asserts(cell.source), start=1):
            held = [run.held.get((cell.id, number), False) for run in seen]
            entry: Entry = {"held": sum(held)}
            entry |= {"this_run": True} if in_process.speaks_of_this_run(node) else {}
            entry |= {"moved": moved} if moved else {}
            entries[f"{cell.id}.{number}"] = entry | {"test": ast.unparse(node.test)}
    return entries


def flat(table: Table) -> dict[str, Entry]:
    """Return the entries by notebook and place."""
    return {f"{name} {place}": entry for name in table for place, entry in table[name].items()}


def unstable(table: Table, runs: int) -> Iterator[str]:
    """Say of each assert that does not hold often enough in how many of the runs it held."""
    for place, entry in flat(table).items():
        if not entry.get("this_run") and entry["held"] < ENOUGH * runs:
            yield f"{place}: held in {entry['held']} of {runs}: {entry['test']}"


def raised(seen: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """Say which cells did not always run to their end."""
    for notebook, runs in seen.items():
        found = {(cell, error) for run in runs for cell, error in run.raised.items()}
        yield from (f"{notebook} {cell}: raises {error}" for cell, error in sorted(found))


def written(table: Table, runs: int) -> str:
    lines = [f"{HEAD}runs = {runs}\n"]
    for notebook in sorted(table):
        lines.append(f"\n[{notebook}]\n")
        for place, entry in table[notebook].items():
            fields = (f"{key} = {json.dumps(entry[key], ensure_ascii=False)}" for key in entry)
            lines.append(f'"{place}" = {{ {", ".join(fields)} }}\n')
    return "".join(lines)


def disagreements(old: Table, runs: int, new: Table, few: int) -> Iterator[str]:
    """Say where ``few`` of the table's own runs, or the asserts there are, contradict it.

    The few runs have the moves 1, 2, … of the many, so an assert cannot fail more often in them.
    """
    tables = flat(old), flat(new)
    for place in sorted(set().union(*tables)):
        before, now = (table.get(place, {}) for table in tables)
        if before | {"held": 0} != now | {"held": 0}:
            yield f"{place}: {TABLE} has {before or 'nothing'}, the lecture {now or 'nothing'}"
        elif not now.get("this_run") and few - now["held"] > runs - before["held"]:
            failed, allowed = few - now["held"], runs - before["held"]
            yield f"{place}: failed in {failed} of {few} runs, allowed {allowed} of {runs}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command(__doc__, notebooks="all lectures", folder="lectures and table")
    parser.add_argument("--runs", type=int, default=RUNS, help="how many (default: %(default)s)")
    parser.add_argument(
        "--few", type=int, help="compare so many runs with the table, write nothing"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time; 1 starts no process"
    )
    options = parser.parse_args(arguments)
    runs = options.few or options.runs
    if runs < 1:
        parser.error(f"--runs: must be at least 1, got {runs}.")
    paths = in_process.lectures(options.folder, options.notebook)
    books = {path.stem: in_process.read(path) for path in paths}
    try:
        with contextlib.chdir(options.folder):  # where the cells of a lecture find their files
            seen = outcomes(books, runs, options.jobs)
    except ValueError as problem:  # of a setting; what a cell raises is counted
        sys.exit(str(problem))
    table = {name: counted(cells, seen[name]) for name, cells in books.items()}
    old = stored(options.folder / TABLE)
    stored_runs = old.pop("runs", 0)
    if options.few:
        here = {name: old[name] for name in old if name in table or not options.notebook}
        found = [*raised(seen), *disagreements(here, stored_runs, table, runs)]
        what = f"contradict {TABLE}; `make reseed` makes it again"
    else:
        found = [*raised(seen), *unstable(table, runs)]
        what = "hold too seldom without saying so"
        if options.notebook and stored_runs not in (0, runs):
            print(f"{TABLE} is left as it is: it counts {stored_runs} runs, not {runs}.")
        else:
            put(options.folder / TABLE, written(old | table if options.notebook else table, runs))
    for line in found:
        print(line)
    entries = [entry for part in table.values() for entry in part.values()]
    this_run = sum(bool(entry.get("this_run")) for entry in entries)
    print(
        f"{len(entries)} asserts, {this_run} of them of this run, {runs} runs: {len(found)} {what}."
    )
    return 1 if found else 0
