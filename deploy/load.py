"""How many the class server carries: N students at once, on a tuned and an untuned hub, in one run.

``python -m deploy.load --students 4`` prints a table: each student logs in, gets a server, opens a
lecture and reads, runs all its cells, drags its explorer, fetches a homework and hands it in.
``--largest`` doubles N on the tuned hub until a step fails or a bound is reached.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import threading
import time
from typing import NamedTuple

import psutil

from deploy import exchange, limits
from deploy.client import Student
from deploy.day import PATIENCE, PHASES, STEPS, Day, Together
from deploy.settings import here
from deploy.trial import Trial

MOST = 200  # students


class Run(NamedTuple):
    """What was measured with one class."""

    days: list[Day]
    together: Together
    shared: float  # bytes of hub, proxy and what servers are split off from

    def problems(self) -> list[str]:
        """Return what failed, each once."""
        return [day.problem for day in self.days if day.problem]

    def rows(self) -> dict[str, str]:
        """Return what is measured, by its name."""
        shown = {}
        for step in STEPS:
            shown[f"{step}, s"] = spread(
                [s for day in self.days for s in day.seconds.get(step, [])]
            )
        looks = self.together.looks
        for k, phase in enumerate(PHASES, 1):
            if len(looks) > k + 1:
                (began, before), (ended, after) = looks[k], looks[k + 1]
                memory = [after[name].memory / 1e6 for name in after]
                used = [after[n].seconds - before[n].seconds for n in after]
                shown[f"memory {phase}, MB"] = f"{statistics.mean(memory):.0f}"
                shown[f"processor {phase}, s"] = f"{statistics.mean(used):.1f}"
                shown[f"{phase} took, s"] = f"{ended - began:.0f}"
        if len(looks) > 1:
            until = [use.seconds for use in looks[1][1].values()]
            shown["processor until the lecture is open, s"] = f"{statistics.mean(until):.2f}"
        shown["memory of hub, proxy and what is shared, MB"] = f"{self.shared / 1e6:.0f}"
        return shown


def spread(values: list[float]) -> str:
    """Return median and 95th percentile: of few values, the largest."""
    if not values:
        return "–"
    high = sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]
    return f"{statistics.median(values):.2f} ({high:.2f})"


def measured(count: int, lecture: str, seconds: float, tuned: bool) -> Run:
    """Let a class have a day at a hub of its own."""
    names = [f"load{os.getpid():x}-{k}" for k in range(count)]
    settings = f'instructor = "load{os.getpid():x}-t"\ntuned = {str(tuned).lower()}\n'
    trial = Trial(here(), names, settings)
    try:
        trial.start()
        exchange.release(trial.place, "hw1")
        together = Together(names)
        days = [Day(Student(trial.address, name), lecture, seconds, together) for name in names]
        threads = [threading.Thread(target=day.live, daemon=True) for day in days]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5 * PATIENCE)
        shared = sum(
            limits.added(limits.Usage(0, 0), psutil.Process(trial.pid(name))).memory
            for name in ("hub", "proxy", *(["warm"] if tuned else []))
        )
    finally:
        trial.remove()
    return Run(days, together, shared)


def compare(options: argparse.Namespace) -> int:
    """Measure an untuned and a tuned hub and print them side by side."""
    runs = {}
    for name, tuned in (("untuned", False), ("tuned", True)):
        runs[name] = measured(options.students, options.lecture, options.seconds, tuned)
        print(f"{name}: load {os.getloadavg()[0]:.1f}", *runs[name].problems(), sep="\n")
    shown = {name: run.rows() for name, run in runs.items()}
    print("| median (95th percentile) | untuned | tuned |\n|---|---|---|")
    for row in shown["tuned"]:
        print(f"| {row} | {' | '.join(each.get(row, '–') for each in shown.values())} |")
    return min(100, sum(len(run.problems()) for run in runs.values()))


def largest(options: argparse.Namespace) -> int:
    """Double the class until a step fails; print what the largest that did not took."""
    count, held, began = options.students, 0, time.monotonic()
    while True:
        run = measured(count, options.lecture, options.seconds, tuned=True)
        print(f"{count} students, load {os.getloadavg()[0]:.1f}:", *run.problems(), sep="\n")
        for row, value in run.rows().items():
            print(f"| {row} | {value} |", flush=True)
        if run.problems():
            reason = f"with {count}, a step failed"
            break
        held = count
        if count == options.most or time.monotonic() - began > 60 * options.minutes:
            reason = "the bound of this test, not of the server"
            break
        count = min(2 * count, options.most)
    print(f"No step failed with {held} students at once ({reason}).")
    return 0 if held else 1


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=4)
    parser.add_argument("--lecture", default="01-hyperplanes.ipynb")
    parser.add_argument("--seconds", type=float, default=60, help="to read, and to drag")
    parser.add_argument("--largest", action="store_true")
    parser.add_argument("--most", type=int, default=64, help="students, with --largest")
    parser.add_argument("--minutes", type=float, default=20, help="begin no more after, --largest")
    options = parser.parse_args()
    if not 1 <= options.students <= MOST or not 1 <= options.most <= MOST:
        parser.error(f"between 1 and {MOST} students")
    if not 1 <= options.seconds <= 600:
        parser.error("between 1 and 600 seconds")
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}", flush=True)
    return largest(options) if options.largest else compare(options)


if __name__ == "__main__":
    sys.exit(main())
