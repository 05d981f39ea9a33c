"""How many the class server carries: N students at once, on a tuned and an untuned hub, in one run.

``python -m deploy.load --students 4`` prints a table. Each student logs in, gets a server, opens a
lecture, runs all its cells, fetches a homework and hands it in. At most 200 students, ten minutes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from deploy import exchange, limits
from deploy.client import Student
from deploy.settings import here
from deploy.trial import Trial

MOST, MINUTES = 200, 10
STEPS = ("log in", "spawn", "open a lecture", "run all its cells", "fetch", "submit")


class Day:
    """What one student does, and how long each step takes."""

    def __init__(self, student: Student, lecture: str, together: threading.Barrier) -> None:
        self.student, self.lecture, self.together = student, lecture, together
        self.seconds: dict[str, float] = {}
        self.memory: dict[str, int] = {}
        self.problem = ""

    def step(self, name: str, action: Callable[[], Any]) -> Any:
        """Do one step and note its time."""
        began = time.monotonic()
        result = action()
        self.seconds[name] = time.monotonic() - began
        return result

    def live(self) -> None:
        """Do all steps; the first that fails ends the day."""
        me = self.student
        try:
            if not self.step("log in", me.log_in):
                raise PermissionError("not let in")
            self.step("spawn", me.spawn)
            self.together.wait(60 * MINUTES)  # all servers run, no kernel yet
            self.memory["server"] = limits.memory_of(me.name)
            notebook = self.step("open a lecture", lambda: me.open(self.lecture))
            self.step("run all its cells", lambda: self.run(notebook))
            self.step("fetch", lambda: me.assignments("fetch", "hw1"))
            self.step("submit", lambda: me.assignments("submit", "hw1"))
            self.together.wait(60 * MINUTES)
            self.memory["server and kernel"] = limits.memory_of(me.name)
            self.together.wait(60 * MINUTES)
        except Exception as problem:
            self.problem = f"{me.name}: {type(problem).__name__}: {problem}"[:300]
            self.together.abort()

    def run(self, notebook: dict[str, Any]) -> None:
        """Run all cells of a lecture."""
        kernel = self.student.kernel(self.lecture)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                kernel.run("".join(cell["source"]))
        kernel.close()


def measured(count: int, lecture: str, tuned: bool) -> list[Day]:
    """Let a class have a day at a hub of its own."""
    names = [f"load{os.getpid():x}-{k}" for k in range(count)]
    settings = f'instructor = "load{os.getpid():x}-t"\ntuned = {str(tuned).lower()}\n'
    trial = Trial(here(), names, settings)
    try:
        trial.start()
        exchange.release(trial.place, "hw1")
        together = threading.Barrier(count)
        days = [Day(Student(trial.address, name), lecture, together) for name in names]
        threads = [threading.Thread(target=day.live, daemon=True) for day in days]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60 * MINUTES)
    finally:
        trial.remove()
    return days


def high(values: list[float]) -> float:
    """Return the 95th percentile: of few values, the largest."""
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=4)
    parser.add_argument("--lecture", default="01-hyperplanes.ipynb")
    options = parser.parse_args()
    if not 1 <= options.students <= MOST:
        parser.error(f"between 1 and {MOST} students")
    load = os.getloadavg()[0]
    print(f"{options.students} students at once, {os.cpu_count()} cores, load before: {load:.1f}")
    table = {}
    for name, tuned in (("untuned", False), ("tuned", True)):
        table[name] = measured(options.students, options.lecture, tuned)
    print("| seconds: median (95 %) | untuned | tuned |\n|---|---|---|")
    for step in STEPS:
        shown = []
        for days in table.values():
            values = [day.seconds[step] for day in days if step in day.seconds]
            shown.append(f"{statistics.median(values):.1f} ({high(values):.1f})" if values else "–")
        print(f"| {step} | {' | '.join(shown)} |")
    for what in ("server", "server and kernel"):
        shown = []
        for days in table.values():
            sizes = [day.memory[what] / 1e6 for day in days if what in day.memory]
            shown.append(f"{statistics.mean(sizes):.0f} MB" if sizes else "–")
        print(f"| memory of a student, {what} | {' | '.join(shown)} |")
    problems = [day.problem for days in table.values() for day in days if day.problem]
    print("\n".join(problems) or "No step failed.")
    return min(len(problems), 100)


if __name__ == "__main__":
    sys.exit(main())
