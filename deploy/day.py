"""What a student does at the class server, and how long each step takes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

from deploy import limits
from deploy.client import Kernel, Student

STEPS = ("log in", "server ready", "open a lecture", "first cell", "run all cells")
STEPS += ("one move of a drag", "fetch", "submit")
PHASES = ("reading", "running", "dragging")
RATE = 20  # moves a second at most, as a mouse makes them
GLANCE = 10  # seconds between two looks of JupyterLab at files, kernels and sessions
PATIENCE = 600  # seconds for the slowest of all


class Together:
    """Lets a class begin each phase at the same moment, and measures all before it goes on."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.barrier = threading.Barrier(len(names), self.look)
        self.looks: list[tuple[float, dict[str, limits.Usage]]] = []

    def look(self) -> None:
        """Note what everybody uses."""
        self.looks.append((time.monotonic(), limits.usage(self.names)))

    def wait(self) -> None:
        """Wait for all."""
        self.barrier.wait(PATIENCE)


class Day:
    """One student's day."""

    def __init__(self, student: Student, lecture: str, seconds: float, together: Together) -> None:
        self.student, self.lecture, self.phase = student, lecture, seconds
        self.together = together
        self.seconds: dict[str, list[float]] = {}
        self.problem = ""

    def step(self, name: str, action: Callable[[], Any]) -> Any:
        """Do one step and note its time."""
        began = time.monotonic()
        result = action()
        self.seconds[name] = [time.monotonic() - began]
        return result

    def live(self) -> None:
        """Do all steps; the first that fails ends the day of all."""
        try:
            self.steps()
        except threading.BrokenBarrierError:
            pass  # somebody else failed and says why
        except Exception as problem:
            self.problem = f"{self.student.name}: {type(problem).__name__}: {problem}"[:300]
            self.together.barrier.abort()

    def steps(self) -> None:
        """Log in, read, run, drag, fetch, submit."""
        me = self.student
        self.together.wait()
        if not self.step("log in", me.log_in):
            raise PermissionError("not let in")
        self.step("server ready", me.spawn)
        notebook = self.step("open a lecture", lambda: me.open(self.lecture))
        self.together.wait()
        self.read()
        self.together.wait()
        kernel = self.step("first cell", self.begin)
        self.step("run all cells", lambda: self.run(kernel, notebook))
        self.together.wait()
        self.seconds["one move of a drag"] = self.drag(kernel)
        self.together.wait()
        kernel.close()
        self.step("fetch", lambda: me.assignments("fetch", "hw1"))
        self.step("submit", lambda: me.assignments("submit", "hw1"))

    def read(self) -> None:
        """Read, while JupyterLab looks now and then what is new."""
        end = time.monotonic() + self.phase
        while time.monotonic() < end:
            for path in ("api/contents?content=1", "api/kernels", "api/sessions"):
                self.student.ask(path).raise_for_status()
            time.sleep(max(0, min(GLANCE, end - time.monotonic())))

    def begin(self) -> Kernel:
        """Start a kernel and let it answer."""
        kernel = self.student.kernel(self.lecture)
        kernel.run("1")
        return kernel

    def run(self, kernel: Kernel, notebook: dict[str, Any]) -> None:
        """Run all cells of a lecture; the explorer to drag is the one in the cell ``explore``."""
        canvas = ""
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                kernel.run("".join(cell["source"]))
                canvas = kernel.canvas if cell.get("id") == "explore" else canvas
        kernel.canvas = canvas

    def drag(self, kernel: Kernel) -> list[float]:
        """Drag a handle round in circles; return of every move how long until it was drawn."""
        began = time.monotonic()
        taken: list[float] = []
        while time.monotonic() - began < self.phase:
            turn = 2 * math.pi * (time.monotonic() - began) / 4
            taken.append(kernel.move("point", 2 * math.cos(turn), 2 * math.sin(turn)))
            time.sleep(max(0, 1 / RATE - taken[-1]))
        return taken
