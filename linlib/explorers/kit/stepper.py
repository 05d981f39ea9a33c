"""What explorers with a run share: step by step, forwards and backwards, by hand or by clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from linlib.explorers.kit.controls import ToggleButton, Widget, chooser
from linlib.explorers.kit.points import PointsExplorer

SPEEDS = {"slow": 1500, "medium": 600, "fast": 120}  # milliseconds a step


class Stepper(PointsExplorer):
    """Points and a run on them, of which ``k`` steps are shown."""

    kept: ClassVar[tuple[str, ...]] = ("X", "y", "view", "k")
    seen_only: ClassVar = PointsExplorer.seen_only | {"k", "speed"}
    k = 0

    def __init__(self, start: str, controls: Mapping[str, Widget], *, what: str) -> None:
        self.play = ToggleButton(description="Play", tooltip=f"{what} after {what}")
        self.play.layout.width = "auto"
        self.speed = chooser("Speed", list(SPEEDS), "medium")
        super().__init__(
            start,
            dict(controls) | {"speed": self.speed},
            self.button("To the start", self.to_start, f"Before the first {what}"),
            self.button("Back", self.back, f"Undo the last {what}"),
            self.button("Step", self.step, f"Make the next {what}"),
            self.play,
            self.button("To the end", self.to_end, f"Make every {what}"),
            self.speed,
        )
        self.watch(self.play, self._play)

    run: Any = None

    def forget(self) -> None:
        """Stop playing; a run that had ended says nothing about the next."""
        super().forget()
        self.run = None
        self.play.value = False

    @property
    def last(self) -> int:
        """How many steps the run has."""
        raise NotImplementedError

    @property
    def beat_wait(self) -> int:  # type: ignore[override]
        """Milliseconds between two steps while playing."""
        return SPEEDS[self.speed.value]

    def step(self) -> None:
        """Make the next step."""
        self.act(self._go, self.k + 1)

    def back(self) -> None:
        """Undo the last step."""
        self.act(self._go, self.k - 1)

    def to_end(self) -> None:
        """Make all steps, or as many as the budget allows."""
        self.act(self._go, self.last)

    def to_start(self) -> None:
        """Go back before the first step, with everything else as it is."""
        self.act(self._go, 0)

    def _go(self, k: int) -> None:
        self.k = min(max(k, 0), self.last)
        if self.k == self.last:
            self.play.value = False

    def _play(self, value: bool) -> None:
        self.play.description = "Pause" if value else "Play"
        if value and self.k == self.last:
            self.k = 0  # from the end, play begins again

    @property
    def playing(self) -> bool:
        """Whether the next step comes by itself."""
        return bool(self.play.value)

    def on_tick(self) -> None:
        """Make the next step."""
        self._go(self.k + 1)
