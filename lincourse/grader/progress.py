"""How far it is: on a screen one line that changes, else one line for each submission."""

from __future__ import annotations

import time
from typing import TextIO


class Progress:
    """Counts what is done; rate and time left are those of this run alone."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total, self.stream, self.live = total, stream, stream.isatty()
        self.count = self.fresh = 0
        self.started = time.monotonic()

    def known(self, key: str, problem: str) -> None:
        """Count a submission that was graded before."""
        self.count += 1
        self._show(key, problem or "graded before")

    def step(self, key: str, outcome: str) -> None:
        """Count a submission that was graded now."""
        self.count += 1
        self.fresh += 1
        self._show(key, outcome)

    def line(self) -> str:
        """Return how much is done, how fast it goes and how long it will take."""
        text = f"{self.count}/{self.total}"
        passed = time.monotonic() - self.started
        if self.fresh and passed > 0:
            left = (self.total - self.count) * passed / self.fresh
            text += f", {self.fresh / passed:.1f} a second, {duration(left)} left"
        return text

    def _show(self, key: str, outcome: str) -> None:
        if self.live:
            full = 30 * self.count // self.total
            bar = "#" * full + "." * (30 - full)
            print(f"\r[{bar}] {self.line()}\033[K", end="", file=self.stream, flush=True)
        else:
            text = f"[{self.count}/{self.total}] {key}: {outcome}"
            print(text, file=self.stream, flush=True)

    def end(self) -> None:
        """Say at last how fast it was."""
        passed = max(time.monotonic() - self.started, 1e-9)
        text = f"{self.fresh} in {duration(passed)}, {self.fresh / passed:.1f} a second."
        print(f"{chr(10) if self.live else ''}{text}", file=self.stream, flush=True)


def duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
