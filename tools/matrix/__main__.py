"""Run library tests and strict validation in many environments; print and write one line each.

    python -m tools.matrix [--rows 3,Haswell,26-30] [--tests tests/test_data.py …]
    (or: make matrix ROWS=… TESTS=…)

Every row runs in a copy of the checkout under ``build/matrix``, where its log stays. A row that
this machine cannot run says what is missing; a row that fails does not stop the others.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from tools.matrix.places import BUILD, ROOT, MissingError, Place, last_line
from tools.matrix.rows import ROWS, Row

TABLE = ROOT / "build" / "matrix.md"
# What is tested once on one machine: the course's tools, and what needs a browser or a sandbox.
ELSEWHERE = (
    "bench",
    "claims",
    "falsify",
    "home",
    "lectures",
    "lint",
    "matrix",
    "reseed",
)
ELSEWHERE += ("validation", "site", "slides", "canvas", "hub")
ELSEWHERE += ("browser", "firefox", "reopened")
ELSEWHERE += ("cluster", "cluster_files", "grading", "handed_out", "handout", "homework", "marking")
ELSEWHERE += ("mutated", "platforms", "similar")
NAMED = 4  # failures that a line names


def chosen(words: str) -> list[Row]:
    """Return the rows of a list such as ``3,Haswell,26-30``; all rows if it is empty."""
    names = {row.name.casefold(): number for number, row in enumerate(ROWS)}
    found: set[int] = set()
    for word in filter(None, (word.strip() for word in words.split(","))):
        span = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
        if span:
            picked = range(int(span[1]) - 1, int(span[2] or span[1]))
        else:
            picked = range(n := names.get(word.casefold(), -1), n + 1)
        if not picked or picked[0] < 0 or picked[-1] >= len(ROWS):
            known = ", ".join(f"{k} {row.name}" for k, row in enumerate(ROWS, start=1))
            raise SystemExit(f"ROWS: there is no row {word!r}; the rows are {known}.")
        found.update(picked)
    return [ROWS[k] for k in sorted(found)] if found else list(ROWS)


def run(row: Row, tests: Sequence[str], show: Progress) -> tuple[bool | None, str]:
    """Run one row; return whether nothing differed (None: not tested), and its sentence."""
    place = Place()
    try:
        row.prepare(place)
        place.fill()
        verdict = tested(row, place, tests, show)
    except MissingError as missing:
        return None, f"not tested: {missing}"
    passed, sentence = verdict
    remarks = [*place.remarks, row.cannot] if row.cannot else place.remarks
    return passed, f"{sentence} ({'; '.join(remarks)})" if remarks else sentence


def tested(row: Row, place: Place, tests: Sequence[str], show: Progress) -> tuple[bool, str]:
    stem = re.sub(r"\W+", "-", row.name.lower())
    log, report = BUILD / f"{stem}.log", BUILD / f"{stem}.xml"
    report.unlink(missing_ok=True)
    command = [*place.wrapper, str(place.python), "-m", "pytest", *place.options]
    command += ["-n", "3", "--dist", "loadfile", "-m", "", f"--junitxml={report}"]
    command += [*(tests or everything(place.folder))]
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=place.folder, env=place.environment, stdout=file, stderr=file
        )
        try:
            while process.poll() is None:
                time.sleep(0.5)
                show(log)
        finally:
            process.terminate()
            process.wait()
    if not report.exists():
        text = log.read_text("utf-8", "replace")
        return False, f"did not finish: {last_line(text)} (see {os.path.relpath(log, ROOT)})"
    return verdict(report, log)


def everything(folder: Path) -> list[str]:
    """Return the library's doctests and tests, and all notebooks."""
    files = sorted(path.name for path in (folder / "tests").glob("test_*.py"))
    library = [name for name in files if name[5:-3] not in ELSEWHERE]
    return ["linlib", *(f"tests/{name}" for name in library), "notebooks"]


def verdict(report: Path, log: Path) -> tuple[bool, str]:
    """Return what a JUnit report says, in a sentence."""
    outcomes: Counter[str] = Counter()
    failed = []
    for case in ElementTree.parse(report).iter("testcase"):
        kind = "cells" if re.match(r"cell \d+$", case.get("name", "")) else "tests"
        tags = {child.tag for child in case}
        if tags & {"failure", "error"}:
            failed.append(f"{path(case.get('classname', ''))} {case.get('name')}")
        outcomes["skipped" if "skipped" in tags else kind] += 1
    counted = ", ".join(f"{outcomes[kind]} {kind}" for kind in ("tests", "cells", "skipped"))
    if not failed:
        return bool(outcomes), f"passed: {counted}" if outcomes else "nothing was tested"
    more = f" and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
    where = os.path.relpath(log, ROOT)
    return (
        False,
        f"{len(failed)} DIFFER of {counted}: {'; '.join(failed[:NAMED])}{more} (see {where})",
    )


def path(module: str) -> str:
    """Return the file of a test: pytest's report writes it with dots."""
    stem, dot, notebook = module.partition(".ipynb")
    return stem.replace(".", "/") + (dot + notebook or ".py")


class Progress:
    """The line of a row while it runs: what pytest said last, on a terminal only."""

    def __init__(self, start: str) -> None:
        self.start = start
        self.live = sys.stdout.isatty()
        print(f"{start} …", end="" if self.live else "\n", flush=True)

    def __call__(self, log: Path) -> None:
        if self.live:
            share = re.findall(r"\[ *(\d+%)\]", log.read_text("utf-8", "replace"))
            print(f"\r{self.start} … {share[-1] if share else ''}\033[K", end="", flush=True)

    def done(self, sentence: str) -> None:
        start = "\r\033[K" if self.live else ""
        print(f"{start}{self.start}: {sentence}", flush=True)


def table(found: dict[str, str], tests: Sequence[str]) -> str:
    """Return the rows so far as Markdown, without a date."""
    lines = ["# The course in other environments", "", "Written by `make matrix`.", ""]
    if tests:
        lines += [f"Only these were run: {', '.join(tests)}.", ""]
    lines += ["| | environment | what differs from the first | outcome |", "|---|---|---|---|"]
    for number, row in enumerate(ROWS, start=1):
        if row.name in found:
            outcome = found[row.name].replace("|", "/")
            lines.append(f"| {number} | {row.name} | {row.about} | {outcome} |")
    left = [row.name for row in ROWS if row.name not in found]
    return "\n".join([*lines, *(["", f"Not run: {', '.join(left)}."] if left else []), ""])


def write(text: str) -> None:
    """Replace the table at once: an interrupted run leaves the one of the rows before."""
    half = TABLE.with_suffix(".tmp")
    half.write_text(text, encoding="utf-8", newline="\n")
    os.replace(half, TABLE)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", default="", help="numbers, ranges and names, with commas")
    parser.add_argument("--tests", nargs="*", default=[], help="default: library and notebooks")
    options = parser.parse_args(arguments)
    picked = chosen(options.rows)
    BUILD.mkdir(parents=True, exist_ok=True)
    found: dict[str, str] = {}
    failures = missed = 0
    for row in picked:
        show = Progress(f"{ROWS.index(row) + 1:2} of {len(ROWS)}, {row.name}")
        passed, found[row.name] = run(row, options.tests, show)
        failures += passed is False
        missed += passed is None
        show.done(found[row.name])
        write(table(found, options.tests))
    ran = len(picked) - missed
    where = os.path.relpath(TABLE)
    print(f"{ran - failures} of {ran} rows without a difference, {missed} not tested: {where}")
    # Who asks for a row by name wants to know that it was not tested; a machine lacks some of all.
    return 1 if failures or (missed and options.rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped: the table holds the rows before.")
