"""Say where a number of a text comes from, where `lincourse refresh` cannot or must not.

    lincourse accept notebooks/08-discriminants.ipynb 100 disc        it stands in the cell disc
    lincourse accept notebooks/04-no-line.ipynb 18 02-perceptron#run  in one of another notebook
    lincourse accept notebooks/04-no-line.ipynb 1965 1970 --is year   no cell computes it

Only numbers about which validation complains are accepted, so that a right one is not touched by
mistake; with ``--text`` every such number of one text. The cell has to have the number. Read the
sentence before you accept it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat

from lincourse.check import command, outputs, prose
from lincourse.check.prose import Notebook, Tie
from lincourse.files import put


def accept(path: Path, written: str, *, cell: str = "", what: str = "", text: str = "") -> str:
    """Tie a number of a notebook anew; return which texts have it, or raise ``ValueError``."""
    notebook = outputs.read(path)
    around = Notebook(notebook, path)
    found = []
    for position, one in enumerate(around.cells):
        if text and one.id != text:
            continue
        open_numbers = [problem.number for problem in prose.text_problems(around, position)]
        new = []
        for old, number in prose.paired(prose.ties(one), around.numbers(one)):
            if number is None:
                continue
            asked = number.text.lower() == written.lower()
            if asked and (text or number in open_numbers):
                if cell and not around.has(cell, number):
                    raise ValueError(f"The cell {cell} is not there, or has no {written}.")
                found.append(one.id)
                new.append(Tie(number.text, cell=cell, what=what))
            else:
                new.append(old or around.first_tie(position, number))
        if one.id in found:
            prose.store(one, new)
    if not found:
        where = f"the text {text}" if text else path.name
        raise ValueError(f"There is no {written} in {where} that waits to be accepted.")
    if len(set(found)) > 1:
        texts = ", ".join(sorted(set(found)))
        raise ValueError(f"Say with --text which {written} is meant: it is open in {texts}.")
    put(path, nbformat.writes(notebook) + "\n")
    return str(found[0])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command(__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("number", nargs="+", help="as the text has it; then the cell")
    parser.add_argument("--is", dest="what", metavar="WORD", default="", help="what it is, no cell")
    parser.add_argument("--text", metavar="ID", default="", help="the cell of the text")
    options = parser.parse_args(arguments)
    numbers, cell = list(options.number), ""
    if not options.what:
        cell = numbers.pop()
    if not numbers:
        parser.error("name a number and then its cell, or say what it is with --is.")
    if options.what and not re.fullmatch(r"[\w-]+", options.what):
        parser.error(f"--is: must be one word, got {options.what!r}.")
    try:
        for number in numbers:
            text = accept(options.notebook, number, cell=cell, what=options.what, text=options.text)
            print(f"{options.notebook}: {number} of {text} is {cell or options.what}")
    except (OSError, ValueError) as problem:
        sys.exit(str(problem))
    return 0
