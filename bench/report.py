"""Time contestants turn by turn, so that a busy machine slows all of them alike; report ratios."""

import importlib.metadata
import math
import os
import platform
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

LINLIB = "linlib"
LEAST = 0.02  # CPU seconds that a contestant is timed for in one turn
PACKAGES = ("numpy", "scipy", "scikit-learn")
HOW = (
    "A ratio says how many times as many CPU seconds the peer takes: the median over interleaved "
    "turns, with the quartiles in brackets. Above 1 linlib is faster. Before timing, every task "
    "asserts that the contestants agree."
)


class Task(NamedTuple):
    """What is timed: linlib's call and its peer's, which are known to agree."""

    name: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    note: str = ""


class Section(NamedTuple):
    """Tasks with one peer; ``tasks(quick)`` makes them, small ones to see that all works."""

    title: str
    peer: str
    tasks: Callable[[bool], list[Task]]
    note: str = ""


class Row(NamedTuple):
    """One task: the seconds of linlib and of its peer, turn by turn."""

    task: Task
    ours: np.ndarray
    theirs: np.ndarray

    def quartiles(self) -> np.ndarray:
        """Return the quartiles of how many times longer the peer takes."""
        return np.quantile(self.theirs / self.ours, [0.25, 0.5, 0.75])


def timed(task: Task, quick: bool) -> Row:
    """Time both in turn; what is short is run often enough."""
    loops = [_loops(run) for run in (task.ours, task.theirs)]
    turns = [
        [_seconds(run, n) for run, n in zip((task.ours, task.theirs), loops, strict=True)]
        for _ in range(2 if quick else 9)
    ]
    ours, theirs = np.array(turns).T
    return Row(task, ours, theirs)


def _loops(run: Callable[[], object]) -> int:
    return max(1, min(500, int(LEAST / max(_seconds(run, 1), 1e-7))))


def _seconds(run: Callable[[], object], loops: int) -> float:
    """Return the CPU seconds of one run: all have one thread, and waiting is nobody's fault."""
    begin = time.process_time()
    for _ in range(loops):
        run()
    return (time.process_time() - begin) / loops


def written(sections: dict[Section, list[Row]]) -> str:
    """Return the whole report as Markdown."""
    lines = ["# How fast linlib is", "", "Written by `make bench`.", "", machine(), "", HOW, ""]
    lines += ["| | peer | geometric mean | least |", "|---|---|--:|--:|"]
    for section, rows in sections.items():
        medians = [float(row.quartiles()[1]) for row in rows]
        mean = math.exp(float(np.mean(np.log(medians))))
        lines.append(
            f"| {section.title} | {section.peer} | {figure(mean)} | {figure(min(medians))} |"
        )
    for section, rows in sections.items():
        lines += ["", f"## {section.title}", "", *([section.note, ""] if section.note else [])]
        lines += [f"| task | linlib | {section.peer}, ratio | |", "|---|--:|--:|---|"]
        for row in rows:
            low, middle, high = map(figure, row.quartiles())
            own = f"{1e3 * float(np.median(row.ours)):.3g} ms"
            lines.append(f"| {row.task.name} | {own} | {middle} [{low}–{high}] | {row.task.note} |")
    return "\n".join([*lines, ""])


def figure(value: float) -> str:
    """Return two significant digits, no exponent."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def machine() -> str:
    """Return what the numbers were measured on, and nothing that identifies the place."""
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    cores = f"{platform.machine()}, {os.cpu_count()} cores, one BLAS thread"
    return f"{cores}; Python {platform.python_version()}, {packages}."
