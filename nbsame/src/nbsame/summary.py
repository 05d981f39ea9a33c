"""What a run found, grouped by cause over all notebooks: the lines at its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from nbsame import causes
from nbsame.settings import Settings

Record = dict[str, Any]
EXAMPLES = 3  # notebooks that a line names
LISTED = 50  # places that are listed of what fails nothing

# What a kind of difference is called where there are many.
CALLED = {
    "number": "other numbers",
    "text": "other text",
    "table": "other tables",
    "picture": "other pictures",
    "missing output": "outputs that are missing now",
    "new output": "outputs that are not stored",
    "other order": "outputs in another order",
    "other form": "outputs of another form",
    "other error": "other errors",
    "raises no more": "errors that are no longer raised",
    "stderr": "other messages on stderr",
    "unstable": "outputs that differ between two runs made now",
    "never run": "cells that were never run",
    "no count": "outputs without a count",
    "order": "run in another order than the cells stand in",
    "near miss": "numbers in the text that nearly are a nearby output",
    "check": "checks of the course",
    "stopped": "cells that ended the run",
}


def lines(records: list[Record], settings: Settings) -> Iterator[str]:
    """Yield one line for each cause, those with the most notebooks first."""
    yield from repainted(records, settings)
    failing = [record for record in records if not record.get("repainted")]
    yield from grouped(failing)
    yield from told(records)
    yield from skipped(records)
    yield from not_compared(records, settings)


def repainted(records: list[Record], settings: Settings) -> Iterator[str]:
    """Say once that another Matplotlib draws differently."""
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.get("repainted"):
            stored, present = record["matplotlib"]
            groups[stored, present].append(record)
    for (stored, present), found in groups.items():
        number = sum(len(record["found"]) for record in found)
        yield (
            f"text equal, pixels differ in {number} figure{'s' * (number != 1)} of {where(found)}; "
            f"stored with Matplotlib {stored}, here {present}; look at {settings.figures} "
            f"and run `{settings.refresh}` if that is all"
        )


def grouped(records: list[Record]) -> Iterator[str]:
    """Yield a line for each cause of failures, with how many later cells follow from it."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        for kind, _, detail in record.get("found", ()):
            groups[cause_of(kind, detail, record)].append(record)
    follow = followers(records)
    for cause, found in sorted(groups.items(), key=lambda group: -len(group[1])):
        yield f"{cause}: {len(found)} in {where(found)}{after(found, follow)}"


def told(records: list[Record]) -> Iterator[str]:
    """Yield what fails nothing: a line for each kind, and below it one for each place."""
    groups: dict[str, list[tuple[Record, str]]] = defaultdict(list)
    for record in records:
        for kind, place, detail in record.get("told", ()):
            cell = f"cell {record['number']}" if "number" in record else ""
            line = ", ".join(filter(None, [record["path"], cell, place]))
            groups[kind].append((record, f"  {line}: {detail}"))
    for kind, found in groups.items():
        noted = [record for record, _ in found]
        yield f"only told: {CALLED.get(kind, kind)}: {len(found)} in {where(noted)}"
        yield from (line for _, line in found[:LISTED])
        if len(found) > LISTED:
            yield f"  … and {len(found) - LISTED} more"


def cause_of(kind: str, detail: str, record: Record) -> str:
    """Return by what differences of different notebooks are one."""
    if kind in ("raises", "missing"):
        return detail.split("\n")[0]
    stored, present = record.get("stored", {}), record.get("present", {})
    versions = causes.versions_differ(stored, present) if stored else ""
    return CALLED.get(kind, kind) + (f" ({versions})" if "; here" in versions else "")


def after(found: list[Record], follow: dict[tuple[str, int], int]) -> str:
    """Say how many later cells follow from these."""
    places = {(str(record["path"]), int(record.get("number") or 0)) for record in found}
    number = sum(follow.get(place, 0) for place in places)
    return f"; {number} later cell{'s follow' if number > 1 else ' follows'}" if number else ""


def followers(records: list[Record]) -> dict[tuple[str, int], int]:
    """Return how many cells follow from each cell that failed."""
    found: dict[tuple[str, int], int] = defaultdict(int)
    for record in records:
        if record.get("cause"):
            found[record["path"], record["cause"]] += 1
    return found


def skipped(records: list[Record]) -> Iterator[str]:
    """Say what was not told same or changed, by reason."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.get("skipped") and not record.get("cause"):
            groups[record["skipped"]].append(record)
    follow = followers(records)
    for reason, found in sorted(groups.items(), key=lambda group: -len(group[1])):
        yield f"not validated: {reason}: {len(found)} in {where(found)}{after(found, follow)}"


def not_compared(records: list[Record], settings: Settings) -> Iterator[str]:
    """Say once which pictures were not compared, and what would let them be."""
    found = [record for record in records if record.get("not_compared")]
    if not found:
        return
    number = sum(record["not_compared"] for record in found)
    versions = {tuple(record.get("matplotlib") or ("", "")) for record in found}
    drawn = sorted({stored or "an unrecorded version" for stored, _ in versions})
    present = causes.installed("matplotlib") or "none"
    yield (
        f"pictures NOT compared: {number} in {where(found)}; drawn with Matplotlib "
        f"{', '.join(drawn)}, here {present}; `{settings.refresh}` records what draws them"
    )


def where(records: list[Record]) -> str:
    """Name the notebooks of some records, or the first few of them."""
    paths = list(dict.fromkeys(record["path"] for record in records))
    named = ", ".join(paths[:EXAMPLES]) + (", …" if len(paths) > EXAMPLES else "")
    return f"{len(paths)} notebook{'s' * (len(paths) != 1)} ({named})"
