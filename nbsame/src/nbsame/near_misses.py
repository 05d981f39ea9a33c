"""Numbers of the text that nearly are a nearby output: perhaps slips, for an author to look at.

"14.5 %" where the cell above shows 0.134 is a number of an older run, or a slip. Only numbers of
three digits or more are looked at, beside the outputs of the cells right before and after the text;
a number that stands there, rounded as it is written, is right, and so is one that the code has.
What is left can still be meant: nothing fails for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nbformat import NotebookNode

from nbsame.comparison import Difference, visible
from nbsame.notebook import runs

NEAR = 0.08  # share of the number by which it may be off to count as a slip
DIGITS = 3  # a number of fewer stands near something by chance
NUMBER = re.compile(r"(?<![\w.,^_{\\-])-?\d+(?:,\d{3})*(?:\.\d+)?(?!,?\d|\.\d|\w)")
SHOWN_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?")
NOT_PROSE = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$\n]*\$|\]\([^)]*\)|https?://\S+|<[^>]*>", re.S
)
ABOUT = re.compile(
    r"(?:about|roughly|nearly|almost|around|approximately|some|over|than|~|≈)\W*$", re.I
)
REFERENCE = re.compile(
    r"(?:figure|fig\.|section|sec\.|chapter|table|exercise|equation|eq\.|page|pages|p\.|version|v|©)"
    r"\W*$",
    re.I,
)
SHARE = re.compile(r"^\s?(?:\\?%|per ?cent)")


class Written(NamedTuple):
    """A number of a text: as it is written, its value, and what stands around it."""

    text: str
    value: float
    share: bool  # a percentage
    around: str

    @property
    def unit(self) -> float:
        """The place to which it is written: 0.1 for 14.5."""
        return 10.0 ** -len(self.text.partition(".")[2])


def near_misses(notebook: NotebookNode) -> list[Difference]:
    """Return the numbers of a notebook's text that nearly, but not quite, are a nearby output."""
    found = []
    count = 0
    for position, cell in enumerate(notebook.cells):
        count += runs(cell)
        if cell.cell_type != "markdown":
            continue
        beside = list(neighbours(notebook.cells, position))
        shown = [value for one in beside for value in shown_values(one)]
        typed = {value for one in beside for value in values_of(one.source)}
        for number in written(cell.source):
            nearest = slip(number, shown, typed)
            if nearest is not None:
                detail = f"says {number.text} in “{number.around}”, an output beside it {nearest:g}"
                found.append(Difference("near miss", f"the text after cell {count}", detail))
    return found


def neighbours(cells: list[NotebookNode], position: int) -> Iterator[NotebookNode]:
    """Yield the code cells right before and right after a text, up to the next text."""
    for way in (range(position - 1, -1, -1), range(position + 1, len(cells))):
        for k in way:
            if cells[k].cell_type != "code":
                break
            yield cells[k]


def written(source: str) -> Iterator[Written]:
    """Yield the numbers of a text that may be results: no references, years or round numbers.

    >>> [one.text for one in written("In 1936, 62 of about 500 (14.5%), Figure 4.31, `x[123]`.")]
    ['14.5']
    """
    text = NOT_PROSE.sub(lambda part: " " * len(part.group()), source)
    for match in NUMBER.finditer(text):
        before, after = text[max(0, match.start() - 30) : match.start()], text[match.end() :]
        digits = match.group().replace(",", "").replace(".", "").lstrip("-0")
        year = re.fullmatch(r"1[6-9]\d\d|20\d\d", match.group())
        if len(digits) < DIGITS or year or ABOUT.search(before) or REFERENCE.search(before):
            continue
        around = " ".join((before[-25:] + match.group() + after[:25]).split())
        value = float(match.group().replace(",", ""))
        yield Written(match.group(), value, bool(SHARE.match(after)), around)


def slip(number: Written, shown: list[float], typed: set[float]) -> float | None:
    """Return the output that a number nearly is; None if it is one, or is near none."""
    if abs(number.value) in typed:
        return None
    scales = (1.0, 100.0) if number.share else (1.0,)
    off = [
        (abs(abs(scale * value) - abs(number.value)), value) for value in shown for scale in scales
    ]
    # Rounded or cut off as it is written, it is right.
    if not off or min(off)[0] < number.unit * (1 - 1e-9):
        return None
    distance, nearest = min(off)
    return nearest if distance <= NEAR * abs(number.value) else None


def shown_values(cell: NotebookNode) -> Iterator[float]:
    """Yield the numbers of what a cell printed and showed."""
    for output in cell.outputs:
        data = output.get("data", {})
        yield from values_of(output.get("text", ""))
        yield from values_of(data.get("text/plain", ""))
        for row in visible(data.get("text/html", "")):
            yield from values_of(" ".join(row))


def values_of(text: str) -> Iterator[float]:
    for match in SHOWN_NUMBER.finditer(text):
        yield abs(float(match.group().replace(",", "")))
