"""Tables that read well in a notebook, on paper and in a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np


class Table:
    """Columns with a header: HTML where the notebook can show it, aligned text elsewhere.

    >>> Table({"k": [1, 2], "score": [0.5, -0.25]}, digits=2)
    k  score
    1   0.50
    2  -0.25
    """

    def __init__(self, columns: Mapping[str, Iterable[Any]], *, digits: int = 4) -> None:
        self.header = list(columns)
        texts = [[_text(value, digits) for value in column] for column in columns.values()]
        if len({len(column) for column in texts}) > 1:
            raise ValueError("columns: have different lengths; give every column the same length.")
        self.rows = list(zip(*texts, strict=True))
        self._right = [all(_is_number(value) for value in column) for column in columns.values()]

    def __repr__(self) -> str:
        widths = [
            max(len(name), *(len(row[j]) for row in self.rows)) if self.rows else len(name)
            for j, name in enumerate(self.header)
        ]
        lines = [self._line(self.header, widths)]
        lines += [self._line(row, widths) for row in self.rows]
        return "\n".join(lines)

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, self._right, strict=True)
        ]
        return "  ".join(parts).rstrip()

    def _repr_html_(self) -> str:
        def line(tag: str, cells: Sequence[str]) -> str:
            align = ["right" if right else "left" for right in self._right]
            return "".join(
                f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
                for cell, side in zip(cells, align, strict=True)
            )

        body = "\n".join(f"<tr>{line('td', row)}</tr>" for row in self.rows)
        return (
            f"<table>\n<thead><tr>{line('th', self.header)}</tr></thead>\n"
            f"<tbody>\n{body}\n</tbody>\n</table>"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _text(value: Any, digits: int) -> str:
    """Write a value the same way on every machine: rounded, and never as −0."""
    if isinstance(value, float | np.floating):
        return f"{np.round(float(value), digits) + 0.0:.{digits}f}"
    if isinstance(value, np.ndarray | tuple | list):
        items = [f"{np.round(float(v), digits) + 0.0:g}" for v in value]
        return f"({', '.join(items)})"
    return str(value)
