"""What the stored counts of a notebook tell: cells never run, and the order of those that were."""

from __future__ import annotations

from nbformat import NotebookNode

from nbsame.comparison import Difference
from nbsame.notebook import code_cells, never_run


def uncounted(notebook: NotebookNode) -> list[Difference]:
    """Return the cells that were never run, and those whose outputs have lost their count."""
    found = []
    for number, cell in enumerate(code_cells(notebook), start=1):
        if never_run(cell):
            detail = "was never run: it has no count and no outputs"
            found.append(Difference("never run", f"cell {number}", detail))
        elif cell.get("execution_count") is None:
            detail = "has outputs and no count: they may be from another version of the cell"
            found.append(Difference("no count", f"cell {number}", detail))
    return found


def out_of_order(notebook: NotebookNode) -> list[Difference]:
    """Return the first cell that was run before one that stands above it."""
    above, highest = 0, 0
    for number, cell in enumerate(code_cells(notebook), start=1):
        count = cell.get("execution_count")
        if count is None:
            continue
        if count <= highest:
            detail = f"was run before cell {above}: their counts are [{count}] and [{highest}]"
            return [Difference("order", f"cell {number}", detail)]
        above, highest = number, count
    return []
