"""What a class needs, by arithmetic from what one student was measured to take.

``python -m deploy.cluster.sizing`` writes ``sizing.md`` from ``figures.toml`` (measured),
``values.yaml`` (what is guaranteed and allowed) and the assumptions below, which are ours.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

from deploy.cluster.check import read
from deploy.settings import size

OURS = Path(__file__).resolve().parent
TABLE = OURS / "sizing.md"

# Assumptions: change them to yours and run this again.
CLASSES = {30: 1.0, 300: 0.6, 3000: 0.3}  # students, and the share that has a server at once
NODE_CORES, NODE_GIB = 8, 32
USABLE = 0.9  # of a node, besides what Kubernetes takes
BUSY = 0.7  # of the cores at most, on average
PODS = 100  # students on a node at most: Kubernetes allows 110 pods unless told otherwise
MOVES = 20  # a second, while an explorer is dragged
DRAGGING = 0.1  # of those who have a server
RUN_MINUTES = 15  # everybody runs a whole lecture once in these
START_MINUTES = 5  # in which everybody logs in when a lesson begins
HAND_INS = 3  # of each homework by each student


def figures() -> dict[str, Any]:
    """Return what was measured, of each kind the most expensive lecture's."""
    told = tomllib.loads((OURS / "figures.toml").read_text(encoding="utf-8"))
    lectures = {name: each for name, each in told.items() if isinstance(each, dict)}
    kept = {name: each for name, each in told.items() if name not in lectures}
    for kind in ("kernel_seconds", "kernel_memory", "run_seconds", "run_memory"):
        kept[kind] = max(each[kind] for each in lectures.values())
    for kind in ("move_seconds", "drag_memory"):
        kept[kind] = max(each[kind] for each in lectures.values() if kind in each)
    return kept


def student(one: dict[str, Any]) -> list[str]:
    """Return the rows of the table for one student."""
    start = one["server_seconds"] + one["kernel_seconds"]
    return [
        "| one student | memory | processor |",
        "|---|---|---|",
        f"| logs in: server and kernel start | {one['server_memory']:.0f} MiB, the server alone "
        f"| {start:.1f} s |",
        f"| reads: an open lecture, nothing run | {one['kernel_memory']:.0f} MiB "
        f"| {one['reading_cores']:.3f} cores |",
        f"| runs all cells of a lecture | {one['run_memory']:.0f} MiB "
        f"| {one['run_seconds']:.1f} s each time |",
        f"| drags an explorer, {MOVES} moves a second | {one['drag_memory']:.0f} MiB "
        f"| {MOVES * one['move_seconds']:.2f} cores |",
    ]


def needs(students: int, share: float, one: dict[str, Any], user: dict[str, Any]) -> dict[str, str]:
    """Return what a class needs, row by row."""
    there = math.ceil(students * share)
    memory = max(one["run_memory"], one["drag_memory"]) / 1024
    guarantee, limit = (size(user["memory"][name]) / 2**30 for name in ("guarantee", "limit"))
    dragging = DRAGGING * MOVES * one["move_seconds"]
    cores = there * (one["reading_cores"] + dragging + one["run_seconds"] / (60 * RUN_MINUTES))
    start = there * (one["server_seconds"] + one["kernel_seconds"]) / (60 * START_MINUTES)
    promised = there * user["cpu"]["guarantee"]
    by_memory = there * guarantee / (USABLE * NODE_GIB)
    by_cores = max(cores / BUSY, start / BUSY, promised) / (USABLE * NODE_CORES)
    nodes = max(math.ceil(by_memory), math.ceil(by_cores), math.ceil(there / PODS))
    volume = size(user["storage"]["capacity"].removesuffix("i")) / 2**30
    handed = students * one["homework"] * HAND_INS * one["homework_mib"] / 1024
    return {
        "have a server at once": f"{there:,}",
        "memory if all have run a lecture": f"{there * memory:,.0f} GiB",
        "memory guaranteed to them": f"{there * guarantee:,.0f} GiB",
        "memory if all reached their limit": f"{there * limit:,.0f} GiB",
        "cores in use during a lesson, on average": f"{cores:.1f}",
        f"cores in use while all log in within {START_MINUTES} minutes": f"{start:.1f}",
        "cores guaranteed to them": f"{promised:.1f}",
        "nodes by guaranteed memory": f"{by_memory:.2f}",
        "nodes by cores": f"{by_cores:.2f}",
        "nodes for students": f"**{nodes}**",
        "students' volumes": f"{students * volume:,.0f} GiB",
        "exchange": f"{max(1, math.ceil(handed)):,} GiB",
    }


def table() -> str:
    """Return the page."""
    one, user = figures(), read(OURS / "values.yaml")["singleuser"]
    columns = [needs(students, share, one, user) for students, share in CLASSES.items()]
    heads = " | ".join(f"{students:,} students" for students in CLASSES)
    shares = ", ".join(f"{share:.0%} of {students:,}" for students, share in CLASSES.items())
    lines = ["<!-- made by python -m deploy.cluster.sizing -->", *student(one), ""]
    lines += [f"| what | {heads} |", "|---|" + "---|" * len(columns)]
    for name in columns[0]:
        lines.append(f"| {name} | {' | '.join(column[name] for column in columns)} |")
    assumed = f"""
Measured of each kind: the most expensive lecture. Assumed, not measured: nodes of {NODE_CORES}
cores and {NODE_GIB} GiB, {USABLE:.0%} of which students can have, at most {PODS} of them on each;
{shares} have a server at once; of these {DRAGGING:.0%} drag
at any moment, and everybody runs a whole lecture every {RUN_MINUTES} minutes; cores at most
{BUSY:.0%} busy; each homework handed in {HAND_INS} times, as large as it was handed out. Hub and
proxy come on top, with what `values.yaml` requests for them."""
    lines += assumed.splitlines()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
    print(table())
