"""Run every lecture again with every seed moved, and count how often each assert holds.

    python -m tools.reseed [--runs 20] [notebook …]          (or: make reseed N=20 NB=…)

The counts go to ``notebooks/stability.toml``, one line an assert. An assert whose message begins
with ``in this run`` speaks of the shown numbers and may fail elsewhere; every other has to hold in
at least 95 % of the runs, else the command ends with status 1 and says which do not.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools import inprocess
from tools.inprocess import NOTEBOOKS, Outcome

TABLE = NOTEBOOKS / "stability.toml"
RUNS, ENOUGH = 20, 0.95
HEAD = """\
# How often each assert of a lecture holds when every seed in it is moved. Made by `make reseed`.
#
# One line an assert: the id of its cell and its place in it, in how many of the runs it held, and
# what it tests. `this_run` marks those whose message begins with "in this run": they speak of the
# numbers shown, and only of them. Place 0 is a cell that did not always run to its end.

"""

Entry = dict[str, Any]
Table = dict[str, dict[str, Entry]]  # by notebook, then by "cell.place"


def one_run(task: tuple[Path, int]) -> tuple[str, Outcome]:
    path, move = task
    with inprocess.quiet(), inprocess.moved_seeds(move):
        return path.stem, inprocess.run_all(inprocess.read(path))


def outcomes(paths: Sequence[Path], runs: int) -> dict[str, list[Outcome]]:
    """Run each lecture with the moves 1 … ``runs``, as many at a time as there are cores."""
    tasks = list(itertools.product(sorted(paths, key=longest_first), range(1, runs + 1)))
    found: dict[str, list[Outcome]] = {path.stem: [] for path in paths}
    forks = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    with multiprocessing.get_context(forks).Pool(min(os.cpu_count() or 1, len(tasks))) as pool:
        for number, (name, outcome) in enumerate(pool.imap_unordered(one_run, tasks), start=1):
            found[name].append(outcome)
            progress(f"{number} of {len(tasks)} runs, the latest of {name}")
    progress("")
    return found


def longest_first(path: Path) -> int:
    return -path.stat().st_size


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)


# ---------------------------------------------------------------- the table


def counted(path: Path, seen: Iterable[Outcome]) -> dict[str, Entry]:
    """Return one entry for each assert of a lecture, and for each cell that ever raised."""
    seen = list(seen)
    entries: dict[str, Entry] = {}
    for cell in inprocess.read(path):
        raised = sorted({run.raised[cell.id] for run in seen if cell.id in run.raised})
        if raised:
            ended = sum(cell.id not in run.raised for run in seen)
            entries[f"{cell.id}.0"] = {"held": ended, "test": "runs to its end", "raised": raised}
        for check in inprocess.checks(cell):
            held = sum(run.held.get((check.cell, check.number), False) for run in seen)
            entry = {"held": held, "test": check.test}
            entries[f"{cell.id}.{check.number}"] = entry | {"this_run": True} * check.this_run
    return entries


def unstable(table: Table, runs: int) -> Iterator[str]:
    """Say of each assert that does not hold often enough in how many of the runs it held."""
    for notebook, entries in table.items():
        for place, entry in entries.items():
            if not entry.get("this_run") and entry["held"] < ENOUGH * runs:
                why = "".join(f" ({error})" for error in entry.get("raised", [])[:1])
                yield f"{notebook} {place}: held in {entry['held']} of {runs}: {entry['test']}{why}"


def written(table: Mapping[str, Mapping[str, Entry]], runs: int) -> str:
    lines = [f"{HEAD}runs = {runs}\n"]
    for notebook in sorted(table):
        lines.append(f"\n[{notebook}]\n")
        for place, entry in table[notebook].items():
            fields = [f"held = {entry['held']}"]
            fields += ["this_run = true"] * bool(entry.get("this_run"))
            fields.append(f"test = {json.dumps(entry['test'], ensure_ascii=False)}")
            lines.append(f'"{place}" = {{ {", ".join(fields)} }}\n')
    return "".join(lines)


def stored() -> tuple[int, Table]:
    """Return the number of runs and the table as they were last made."""
    if not TABLE.exists():
        return 0, {}
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return table.pop("runs"), table


def changes(old: Table, new: Table) -> Iterator[str]:
    """Say what another table says differently about the notebooks of ``new``."""
    for notebook in new:
        before, after = old.get(notebook, {}), new[notebook]
        for place in [*after, *(before.keys() - after.keys())]:
            a, b = (
                (t[place]["held"], t[place]["test"]) if place in t else None
                for t in (before, after)
            )
            if a != b:
                yield f"{notebook} {place}: {'new' if a is None else a} → {'gone' if b is None else b}"


def store(text: str) -> None:
    """Write the table so that at every moment it is either the old one or the new one."""
    temporary = TABLE.with_name(f".{TABLE.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, TABLE)
    finally:
        temporary.unlink(missing_ok=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebook", nargs="*", type=Path, help="default: all lectures")
    parser.add_argument("--runs", type=int, default=RUNS, help="how many (default: %(default)s)")
    parser.add_argument(
        "--dry", action="store_true", help="compare with the table, do not write it"
    )
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error(f"--runs: must be at least 1, got {options.runs}.")
    paths, runs = options.notebook or inprocess.lectures(), options.runs
    seen = outcomes(paths, runs)
    table = {path.stem: counted(path, seen[path.stem]) for path in paths}
    stored_runs, old = stored()
    if stored_runs == runs:
        print(*changes(old, table), sep="\n")
    elif options.notebook and not options.dry:
        print(f"{TABLE.name} is left as it is: it counts {stored_runs} runs, not {runs}.")
        options.dry = True
    if not options.dry:
        store(written(old | table if options.notebook else table, runs))
    found = list(unstable(table, runs))
    print(*found, sep="\n")
    total = sum(map(len, table.values()))
    print(f"{total} asserts, {runs} runs: {len(found)} hold too seldom without saying so.")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped: nothing was written.")
