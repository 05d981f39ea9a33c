"""Timing contestants on one task, turn by turn, so that a busy machine slows all of them alike."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

LINLIB, SKLEARN, MLXTEND, TEXTBOOK = "linlib", "scikit-learn", "mlxtend", "textbook loop"
HIGHS = "HiGHS"
RIVALS = (SKLEARN, HIGHS)  # whom linlib must not be slower than
LEAST = 0.02  # seconds that a contestant is timed for in one turn


@dataclass
class Slice:
    """A contestant that is too slow to run in full: ``share`` of the task is timed instead."""

    run: Callable[[], object]
    share: float


@dataclass
class Row:
    """One task: the seconds of each contestant, turn by turn; slices are scaled to the whole."""

    task: str
    seconds: dict[str, list[float]]
    note: str = ""
    sliced: set[str] = field(default_factory=set)
    reason: str = ""

    def ratio(self, peer: str) -> np.ndarray:
        """Return the quartiles of how many times longer the peer takes."""
        turns = min(len(self.seconds[peer]), len(self.seconds[LINLIB]))
        ratios = np.array(self.seconds[peer][:turns]) / np.array(self.seconds[LINLIB][:turns])
        return np.quantile(ratios, [0.25, 0.5, 0.75])


@dataclass
class Part:
    """What a section found: rows that are compared with peers, and anything else as Markdown."""

    rows: list[Row] = field(default_factory=list)
    note: str = ""
    markdown: str = ""


def contest(
    task: str,
    contestants: dict[str, Callable[[], object] | Slice],
    *,
    repeats: int,
    note: str = "",
    reason: str = "",
) -> Row:
    """Time all contestants in turn, ``repeats`` times; what is short is run often enough.

    Slices are timed in the first three turns only: they are the slow ones.
    """
    runs = {k: c.run if isinstance(c, Slice) else c for k, c in contestants.items()}
    shares = {k: c.share if isinstance(c, Slice) else 1.0 for k, c in contestants.items()}
    loops = {}
    for name, run in runs.items():
        once = _seconds(run, 1)
        loops[name] = max(1, min(200, int(LEAST / max(once, 1e-7)))) if repeats > 1 else 1
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(repeats):
        for name, run in runs.items():
            if turn < 3 or not isinstance(contestants[name], Slice):
                seconds[name].append(_seconds(run, loops[name]) / shares[name])
    sliced = {name for name, share in shares.items() if share < 1}
    return Row(task, seconds, note, sliced, reason)


def _seconds(run: Callable[[], object], loops: int) -> float:
    begin = time.perf_counter()
    for _ in range(loops):
        run()
    return (time.perf_counter() - begin) / loops
