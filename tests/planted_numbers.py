"""Wrong numbers planted in the texts of all lectures, one at a time: how many does validation see?

    python -m tests.planted_numbers

prints the share that is caught after `lincourse refresh` has run: of numbers that were right and
tied before one digit of them was changed, and of numbers that were wrong when they were first
written. The first share has to be nine of ten; CONTRIBUTING.md says what to think of the second.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lincourse.check import prose
from lincourse.check.language import ENGLISH
from lincourse.check.numbers import Number
from lincourse.check.outputs import read
from lincourse.check.prose import Notebook

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
EXACT = re.compile("[a-z]+")


class Planted(NamedTuple):
    size: str  # what kind of number it was
    changed: bool  # a change of a tied number was caught
    new: bool  # the same number was caught where nothing had been tied
    where: str


def planted(path: Path, step: int = 1) -> Iterator[Planted]:
    """Plant one wrong number after the other in a lecture, or only in every so manyth place."""
    around = Notebook(read(path), path)
    for position, cell in enumerate(around.cells):
        source, ties = cell.source, prose.ties(cell)
        for place, number in list(enumerate(around.numbers(cell)))[::step]:
            cell.source = spoilt(source, number)
            yield Planted(
                size=size(number),
                changed=caught(around, position, ties),
                new=caught(around, position, ties[:place] + ties[place + 1 :]),
                where=f"{path.stem} {cell.id}: {number.excerpt}",
            )
        cell.source = source
        prose.store(cell, ties)


def caught(around: Notebook, position: int, ties: list[prose.Tie]) -> bool:
    """Tell whether a text is still wrong after its numbers were tied, beginning with these ties."""
    cell = around.cells[position]
    prose.store(cell, ties)
    prose.tie_text(around, position)
    return any(prose.text_problems(around, position))


def spoilt(source: str, number: Number) -> str:
    """Return a text with one digit of a number changed, or another word in place of a word."""
    chance = random.Random(f"{number.start} {number.text}")
    stop = number.start + len(number.text)
    written = source[number.start : stop]
    if number.spelt:
        words = [word for word in ENGLISH.words if EXACT.fullmatch(word)]
        others = [word for word in words if ENGLISH.words[word] != number.value]
        near = sorted(others, key=lambda word: abs(ENGLISH.words[word] - number.value))[:2]
        wrong = chance.choice(near)
    else:
        k = chance.choice([k for k, sign in enumerate(written) if sign.isdigit()])
        wrong = written[:k] + str((int(written[k]) + chance.randint(1, 9)) % 10) + written[k + 1 :]
    return source[: number.start] + wrong + source[stop:]


def size(number: Number) -> str:
    if number.spelt:
        return "in words"
    figures = re.sub(r"\D", "", number.text).strip("0")
    return "one digit" if len(figures) <= 1 else "two digits" if len(figures) == 2 else "longer"


def in_all_lectures(step: int = 1) -> list[Planted]:
    paths = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
    return [one for path in paths for one in planted(path, step)]


def main() -> None:
    found = in_all_lectures()
    for name in ("one digit", "two digits", "longer", "in words", "all"):
        part = [one for one in found if name in ("all", one.size)]
        changed, new = (sum(getattr(one, kind) for one in part) for kind in ("changed", "new"))
        print(
            f"{name:10}  {len(part):5} planted, caught when changed {changed / len(part):4.0%}, "
            f"when first written {new / len(part):4.0%}"
        )


if __name__ == "__main__":
    main()
