"""Every number of a text is tied to the cell that computes it, or its author said what it is.

The ties of a text stand in its metadata as ``numbers``, one for each number in the order of the
text: "18@cell-10 0.16@claim-P6 1965=year three=word 7=?".

- ``18@cell-10``: the code cell cell-10 computes or shows 18, rounded as the text writes it;
  ``18@02-perceptron#run`` is a cell of another notebook.
- ``1965=year``: no cell computes it, it is a year. Any word that tells a reader will do.
- ``7=?``: nobody has said yet where it comes from.

`lincourse refresh` ties what is new: "lecture 02" to the lecture if it is there, any other number
to a code cell right after or right before the text, else as a ``constant`` of a formula or a small
``word``. It never ties a number anew that was changed, or that its cell has lost: validation stays
red until the text or the cell is mended, or the author names the new place with `lincourse accept`.

A number typed in the alt text of a figure has to be drawn in it, or to stand in a cell beside it.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from lincourse.check.language import Language, language_of
from lincourse.check.numbers import Number, numbers
from lincourse.check.outputs import alt_text, has_figure, read, runs, words
from lincourse.check.values import Values, constants, printed, shown, stands_in, values

SMALL = 12  # "two ideas", "four steps": words that count no result
UNKNOWN = "?"


# ---------------------------------------------------------------- the record


class Tie(NamedTuple):
    """Where a number comes from: a cell, or what its author says it is."""

    number: str  # as the text wrote it when it was tied
    cell: str = ""
    what: str = ""

    def __str__(self) -> str:
        return f"{self.number}@{self.cell}" if self.cell else f"{self.number}={self.what}"


def ties(cell: NotebookNode) -> list[Tie]:
    """Return the ties stored with a text."""
    found = []
    for entry in cell.metadata.get("numbers", "").split():
        number, _, place = entry.partition("@")
        if place:
            found.append(Tie(number, cell=place))
        else:
            number, _, what = entry.partition("=")
            found.append(Tie(number, what=what or UNKNOWN))
    return found


def store(cell: NotebookNode, found: Sequence[Tie]) -> None:
    cell.metadata.pop("numbers", None)
    if found:
        cell.metadata["numbers"] = " ".join(map(str, found))


def same(tie: Tie, number: Number) -> bool:
    return tie.number.lower() == number.text.lower()


Pair = tuple[Tie | None, Number | None]  # no tie: the number is new; no number: it was deleted


def paired(stored: Sequence[Tie], found: Sequence[Number]) -> list[Pair]:
    """Return which tie belongs to which number, with as few changes as possible.

    A changed number counts as one change, a deleted and an added one as two: so a number that was
    changed meets its old tie, wherever numbers were added or deleted around it.
    """
    rows, columns = len(stored), len(found)
    cost = [[i + j for j in range(columns + 1)] for i in range(rows + 1)]
    for i, j in itertools.product(range(1, rows + 1), range(1, columns + 1)):
        changed = cost[i - 1][j - 1] + (not same(stored[i - 1], found[j - 1]))
        cost[i][j] = min(changed, cost[i - 1][j] + 1, cost[i][j - 1] + 1)
    pairs: list[Pair] = []
    i, j = rows, columns
    while i or j:
        changed = cost[i - 1][j - 1] + (not same(stored[i - 1], found[j - 1])) if i and j else -1
        if cost[i][j] == changed:
            i, j = i - 1, j - 1
            pairs.append((stored[i], found[j]))
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
            pairs.append((stored[i], None))
        else:
            j -= 1
            pairs.append((None, found[j]))
    return pairs[::-1]


# ---------------------------------------------------------------- a notebook


class Notebook:
    """The texts of a notebook, and the cells that their numbers may come from."""

    def __init__(self, notebook: NotebookNode, path: Path) -> None:
        # Homework sets its numbers itself; nbgrader's metadata tells it apart.
        homework = any("nbgrader" in cell.metadata for cell in notebook.cells)
        self.cells: list[NotebookNode] = [] if homework else notebook.cells
        self.language: Language = language_of(notebook)
        self.path = path
        self.values = {cell.get("id", ""): values(cell) for cell in self.cells if runs(cell)}

    def numbers(self, cell: NotebookNode) -> list[Number]:
        is_text = cell.cell_type == "markdown"
        return numbers(cell.source, self.language) if is_text else []

    def beside(self, position: int) -> list[NotebookNode]:
        """Return the code cells right after and right before a text."""
        after = self.cells[position + 1 :]
        before = self.cells[:position][::-1]
        found: list[NotebookNode] = []
        for way in (after, before):
            past_texts = itertools.dropwhile(lambda cell: not runs(cell), way)
            found += itertools.takewhile(runs, past_texts)
        return found

    def values_at(self, place: str) -> Values | None:
        """Return the values of a cell, here or ``notebook#cell``; None if it is not there."""
        name, _, cell = place.rpartition("#")
        if not name:
            return self.values.get(cell)
        return other_values(self.path.parent / f"{name}.ipynb").get(cell)

    def has(self, place: str, number: Number) -> bool:
        """Tell whether a cell is there and has a number."""
        found = self.values_at(place)
        return found is not None and stands_in(number, found)

    def first_tie(self, position: int, number: Number) -> Tie:
        """Return the tie of a number that is new."""
        if number.lecture and any(self.path.parent.glob(f"{number.text}-*.ipynb")):
            return Tie(number.text, what="lecture")
        for cell in self.beside(position):
            if stands_in(number, self.values[cell.id]):
                return Tie(number.text, cell=cell.id)
        if number.value in ((0, 1, 2) if number.formula else (0, 1)):
            return Tie(number.text, what="constant")
        if number.spelt and number.value <= SMALL and not number.counted:
            return Tie(number.text, what="word")
        return Tie(number.text, what=UNKNOWN)


@functools.lru_cache(maxsize=32)
def other_values(path: Path) -> dict[str, Values]:
    cells = read(path).cells if path.exists() else []
    return {cell.get("id", ""): values(cell) for cell in cells if runs(cell)}


# ---------------------------------------------------------------- tying


def tie(notebook: NotebookNode, path: Path) -> None:
    """Store the ties of all texts; what was tied keeps its tie, right or wrong."""
    try:
        around = Notebook(notebook, path)
    except ValueError:  # of its language: ``problems`` says it
        return
    for position in range(len(around.cells)):
        tie_text(around, position)


def tie_text(around: Notebook, position: int) -> None:
    """Store the ties of one text."""
    cell = around.cells[position]
    pairs = paired(ties(cell), around.numbers(cell))
    store(cell, [tie_of(around, position, old, new) for old, new in pairs if new is not None])


def tie_of(around: Notebook, position: int, old: Tie | None, new: Number) -> Tie:
    """Return the tie of a number: a first one, the old one, or the old one's cell if that moved on.

    A cell that had the old number, and now has the new one instead, was changed together with the
    text. While it still has the old number, the text alone was changed.
    """
    if old is None or old.what == UNKNOWN:
        return around.first_tie(position, new)
    before = number_of(old, new, around.language)
    if before.value == new.value:  # "two" and 2 are one number
        return old._replace(number=new.text)
    if old.cell and around.has(old.cell, new) and not around.has(old.cell, before):
        return old._replace(number=new.text)
    return old


def number_of(tie: Tie, new: Number, language: Language) -> Number:
    """Return a tied number as it stood in the text, between the words that are there now."""
    found = numbers(tie.number.replace("_", " "), language)
    if len(found) != 1:
        return new._replace(text=tie.number, value=-1.0)  # no number that a text could have
    old = found[0]
    return new._replace(text=old.text, value=old.value, digits=old.digits, spelt=old.spelt)


# ---------------------------------------------------------------- looking up


class Problem(NamedTuple):
    """A number that is not where it should be; ``number`` is none where one was deleted."""

    text: str  # the id of its markdown cell
    number: Number | None
    tied: Tie | None
    message: str


def problems(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Yield a sentence for each number of the prose that is not tied to a value."""
    try:
        around = Notebook(notebook, path)
    except ValueError as reason:
        yield str(reason)
        return
    if any("id" not in cell for cell in around.cells):
        yield "its cells have no ids that a number could be tied to: run `lincourse refresh`."
        return
    count = 0
    for position, cell in enumerate(around.cells):
        count += runs(cell)
        for problem in text_problems(around, position):
            yield f"the text after cell {count} {problem.message}"
        if runs(cell):
            for message in alt_problems(around, position):
                yield f"cell {count} {message}"


def text_problems(around: Notebook, position: int) -> Iterator[Problem]:
    """Yield what is wrong with the numbers of one text."""
    cell = around.cells[position]
    for tied, number in paired(ties(cell), around.numbers(cell)):
        message = problem_of(around, position, tied, number)
        if message:
            yield Problem(cell.id, number, tied, message)


def problem_of(
    around: Notebook, position: int, tied: Tie | None, number: Number | None
) -> str | None:
    """Return what is wrong with a number and its tie, and what to do; None if nothing is."""
    if number is None:
        assert tied is not None
        return f"says {tied.number!r} no more: run `lincourse refresh`."
    here = f"says {number.text!r} in “{number.excerpt}”"
    cell = around.cells[position]
    notebook = os.path.relpath(around.path)
    accept = f"lincourse accept {notebook} --text {cell.id} {number.text}"
    if tied is None or tied.what == UNKNOWN:
        if around.first_tie(position, number).what != UNKNOWN:
            return f"{here}, which is new: run `lincourse refresh`."
        return (
            f"{here}, which stands in no cell beside it: mend it, or compute it, or name the cell "
            f"that has it (`{accept} CELL`), or say what it is (`{accept} --is WORD`)."
        )
    source = f"the cell {tied.cell}" if tied.cell else f"“{tied.what}”"
    if not same(tied, number):
        cell_has_it = bool(tied.cell) and around.has(tied.cell, number)
        place = tied.cell if cell_has_it else "CELL" if tied.cell else f"--is {tied.what}"
        return (
            f"{here} where {tied.number!r} from {source} is stored: mend the sentence, or change "
            f"the cell as well and run `lincourse refresh`, or accept it: `{accept} {place}`."
        )
    if tied.cell and around.values_at(tied.cell) is None:
        return f"{here}, tied to the cell {tied.cell}, which is not there: `{accept} CELL`."
    if tied.cell and not around.has(tied.cell, number):
        return (
            f"{here}, but the cell {tied.cell} has no such number any more: mend the sentence or "
            f"the cell, or name the cell that has it: `{accept} CELL`."
        )
    return None


def alt_problems(around: Notebook, position: int) -> Iterator[str]:
    """Yield a sentence for each number typed in an alt text that is neither drawn nor computed."""
    cell = around.cells[position]
    for output in filter(has_figure, cell.outputs):
        drawn = constants(cell.source) | printed("\n".join([*words(output), *shown(cell)]))
        for number in numbers(alt_text(output), around.language):
            typed = number.text in cell.source
            found = stands_in(number, drawn) or around.first_tie(position, number).what != UNKNOWN
            if typed and not found:
                yield (
                    f"has an alt text that says {number.text!r} in “{number.excerpt}”, which is "
                    "neither drawn nor computed beside it: mend it, or let a value stand in it."
                )
