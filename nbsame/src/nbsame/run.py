"""One fresh run of a notebook, cell by cell, as far as somebody asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from nbsame.kernel import Kernel, StoppedError
from nbsame.notebook import asked, code_cells


@dataclass(frozen=True)
class CellRun:
    """A cell that has just been run: what the hook ``pytest_nbsame_check_cell`` is given."""

    path: Path
    number: int  # cell k is the k-th that runs
    cell: NotebookNode  # as it is stored, outputs too
    outputs: list[NotebookNode]  # fresh
    ask: Callable[[str], Any]  # the value of an expression in the kernel


class Run:
    """A fresh run of a notebook; the kernel starts with the first cell that is asked for."""

    def __init__(
        self,
        notebook: NotebookNode,
        folder: Path,
        *,
        seconds: float | None = 60,
        before: Callable[[], str] = str,
        tags: bool = True,
    ) -> None:
        self.cells = code_cells(notebook)
        self.folder, self.seconds, self.before, self.tags = folder, seconds, before, tags
        self.kernel: Kernel | None = None
        self.outputs: list[list[NotebookNode]] = []
        self.stopped = ""  # why no further cell can be run

    def upto(self, number: int) -> list[NotebookNode]:
        """Run the cells up to this one that have not been run; return its outputs.

        A cell whose author asks to skip it is left out.
        """
        if self.stopped:
            raise StoppedError(self.stopped)
        if self.kernel is None:
            self.kernel = Kernel(self.folder, seconds=self.seconds, before=self.before())
        while len(self.outputs) < number:
            cell = self.cells[len(self.outputs)]
            skipped = self.tags and "skip" in asked(cell)
            try:
                self.outputs.append([] if skipped else self.kernel.run(cell))
            except StoppedError as reason:
                self.stopped = f"cell {len(self.outputs) + 1} {reason}"
                raise StoppedError(self.stopped) from None
        return self.outputs[number - 1]

    def ask(self, expression: str) -> Any:
        assert self.kernel is not None
        return self.kernel.ask(expression)

    def versions(self) -> dict[str, str]:
        return self.kernel.versions() if self.kernel and not self.stopped else {}

    def stop(self) -> None:
        if self.kernel is not None:
            self.kernel.stop()
            self.kernel = None
