"""Run every lecture again with seeds and settings moved, and list the asserts that then fail.

    lincourse reseed [--runs 20] [notebook …]          (or: make reseed NB=…)
    lincourse reseed --few 2                           (what make test does)

A setting is moved where its cell declares other values: ``n = 40  # also holds for 20, 80``. An
assert whose message begins with ``in this run`` speaks of the shown numbers and may fail elsewhere;
every other has to hold in at least 95 % of the runs, else the command ends with status 1 and says
which do not. ``notebooks/stability.toml`` gets how many asserts there were, and those that did not
hold every time. ``--few`` writes nothing: an assert may fail in the first few of the same runs only
if it is listed.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode

from lincourse.check import asserts, command, in_process, moves, names, stored
from lincourse.check.in_process import Outcome
from lincourse.files import put

TABLE = "stability.toml"
RUNS, ENOUGH = 20, 0.95
HEAD = """\
# What `make reseed` found when it last ran the lectures with every seed in them moved, and every
# setting for which a cell declares other values.
#
# Of each lecture: how many asserts it had, for how many of them settings were moved as well, and
# how many speak only of the run that is shown (their message begins with "in this run").
# Below that its exceptions, by cell and place: in how many of the runs such an assert held. Every
# other assert held in all of them.

"""


class Counted(NamedTuple):
    """One assert of a lecture, and in how many of the runs it held."""

    test: str
    held: int
    this_run: bool  # it speaks of the shown run only
    moved: list[str]  # the settings moved in its cell, or in a cell that this one needs


Lecture = dict[str, Counted]  # by "cell.place"
Table = dict[str, Any]  # what the file holds


# ---------------------------------------------------------------- the runs


def one_run(task: tuple[str, list[NotebookNode], int]) -> tuple[str, Outcome]:
    """Run a lecture from top to bottom; a failed assert and a cell that raises stop nothing."""
    name, cells, move = task
    outcome, scope = Outcome(), in_process.fresh_scope()
    with in_process.quiet(), moves.moved_seeds(move):
        for cell in cells:
            in_process.run_counted(moves.moved_settings(cell, move), scope, outcome)
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


# ---------------------------------------------------------------- what they show


def counted(cells: Sequence[NotebookNode], seen: Sequence[Outcome]) -> Lecture:
    """Count for each assert of a lecture in how many runs it held."""
    sources = [cell.source for cell in cells]
    declared = [
        [f"{name} = {' or '.join(map(str, each))}" for name, each in moves.settings(cell).items()]
        for cell in cells
    ]
    found: Lecture = {}
    for k, cell in enumerate(cells):
        before = names.needed(sources, k) if any(declared) else []
        moved = [setting for j in before for setting in declared[j]]
        for number, node in enumerate(asserts.asserts(cell.source), start=1):
            found[f"{cell.id}.{number}"] = Counted(
                test=ast.unparse(node.test),
                held=sum(run.held.get((cell.id, number), False) for run in seen),
                this_run=in_process.speaks_of_this_run(node),
                moved=moved,
            )
    return found


def exceptions(lecture: Lecture, runs: int) -> Lecture:
    """Return the asserts that did not hold every time, though they do not speak of one run."""
    return {place: one for place, one in lecture.items() if one.held < runs and not one.this_run}


def unstable(lectures: Mapping[str, Lecture], runs: int) -> Iterator[str]:
    """Say of each assert that does not hold often enough in how many of the runs it held."""
    for name, lecture in lectures.items():
        for place, one in exceptions(lecture, runs).items():
            if one.held < ENOUGH * runs:
                yield f"{name} {place}: held in {one.held} of {runs}: {one.test}"


def raised(seen: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """Say which cells did not always run to their end."""
    for notebook, runs in seen.items():
        found = {(cell, error) for run in runs for cell, error in run.raised.items()}
        yield from (f"{notebook} {cell}: raises {error}" for cell, error in sorted(found))


# ---------------------------------------------------------------- the table


def entry(lecture: Lecture, runs: int) -> Table:
    """Return what the table says of a lecture."""
    return {
        "asserts": len(lecture),
        "moved": sum(bool(one.moved) for one in lecture.values()),
        "this_run": sum(one.this_run for one in lecture.values()),
        "exceptions": {
            place: {"held": one.held, "test": one.test}
            for place, one in exceptions(lecture, runs).items()
        },
    }


def written(table: Table, runs: int) -> str:
    lines = [f"{HEAD}runs = {runs}\n"]
    for name in sorted(table):
        known = dict(table[name])
        found = known.pop("exceptions")
        lines.append(f"\n[{name}]\n")
        lines += [f"{key} = {number}\n" for key, number in known.items()]
        lines.append(f"[{name}.exceptions]\n")
        for place, one in found.items():
            test = json.dumps(one["test"], ensure_ascii=False)
            lines.append(f'"{place}" = {{ held = {one["held"]}, test = {test} }}\n')
    return "".join(lines)


def contradictions(
    table: Table, runs: int, lectures: Mapping[str, Lecture], few: int
) -> Iterator[str]:
    """Say where ``few`` of the table's own runs contradict it.

    The few runs have the moves 1, 2, … of the many, so an assert cannot fail more often in them.
    """
    for name, lecture in lectures.items():
        listed = table.get(name, {}).get("exceptions", {})
        for place, one in listed.items():
            if place not in lecture or lecture[place].test != one["test"]:
                yield f"{name} {place}: {TABLE} lists {one['test']!r}, the lecture has it no more"
        for place, now in exceptions(lecture, few).items():
            known = listed.get(place, {})
            allowed = runs - known["held"] if known.get("test") == now.test else 0
            if few - now.held > allowed:
                yield (
                    f"{name} {place}: failed in {few - now.held} of {few} runs, "
                    f"allowed {allowed} of {runs}: {now.test}"
                )


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
    lectures = {name: counted(cells, seen[name]) for name, cells in books.items()}
    path = options.folder / TABLE
    if options.few:
        table = stored(path)
        found = [*raised(seen), *contradictions(table, table.pop("runs", 0), lectures, runs)]
        what = f"contradict {TABLE}; `make reseed` makes it again"
    else:
        store(path, {name: entry(lecture, runs) for name, lecture in lectures.items()}, runs)
        found = [*raised(seen), *unstable(lectures, runs)]
        what = "hold too seldom without saying so"
    for line in found:
        print(line)
    every = [one for lecture in lectures.values() for one in lecture.values()]
    this_run = sum(one.this_run for one in every)
    print(
        f"{len(every)} asserts, {this_run} of them of this run, {runs} runs: {len(found)} {what}."
    )
    return 1 if found else 0


def store(path: Path, table: Table, runs: int) -> None:
    """Write what was found; other lectures keep theirs if it came from as many runs."""
    old = stored(path)
    stored_runs = old.pop("runs", runs)
    others = {name for name in old if (path.parent / f"{name}.ipynb").exists()} - table.keys()
    if others and stored_runs != runs:
        print(f"{path.name} is left as it is: it counts {stored_runs} runs, not {runs}.")
    else:
        put(path, written({name: old[name] for name in others} | table, runs))
