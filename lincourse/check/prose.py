"""Numbers in prose, each tied to a value: ``lincourse refresh`` ties, validation looks them up.

A number in a lecture's text has to stand in an output or in the source of a cell nearby, rounded as
it is printed. Nearby are the code cells right before and after the text; those under the same
heading, if the number stands there as it is written. Or the sentence names where it comes from:
a lecture ("in lecture 02"), a document of the ledger.

What was found is kept with the cell, as ``numbers``: "18@cell-10 0.16@claim-P6 2@formula". A number
changed in the text, or a value changed in its cell, no longer fits the record, even where the new
one stands nearby by chance. `lincourse refresh` ties again; what it cannot tie is an error.
A number typed in an alt text must be drawn in its figure, or stand in a cell nearby as well.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from lincourse.check.asserts import parsed
from lincourse.check.claims import ledger
from lincourse.check.markdown import MATH, blank
from lincourse.check.outputs import alt_text, has_figure, read, runs, words

UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
UNITS += " fifteen sixteen seventeen eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
WORDS: dict[str, float] = {word: k for k, word in enumerate(UNITS.split())}
WORDS |= {word: 10 * k for k, word in enumerate(TENS.split(), start=2)}
WORDS |= {"half": 0.5, "quarter": 0.25, "twice": 2, "double": 2, "½": 0.5, "¼": 0.25, "¾": 0.75}
SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6}
EASY = 12  # a small whole number stands everywhere, so it must stand close by

FIGURES = r"\d{1,3}(?:(?:[ ,_\u2009\u202f]|\\,|\{,\})\d{3})+(?!\d)|\d+"
NUMERAL = rf"(?P<numeral>(?:{FIGURES})(?:\.\d+)?(?:e[-+]?\d+)?)"
NAME = r"(?P<name>[A-Za-z_]\w*\d\w*|[²³⁴⁵⁶⁷⁸⁹⁰¹₀-₉]+)"
SPELT = "|".join(sorted({*WORDS, *SCALES} - {"one"}, key=len, reverse=True))
WORD = rf"(?P<word>(?<![\w-])(?:{SPELT})(?:-one|[- ](?:{SPELT}))*(?!\w))"
TOKEN = re.compile(f"{NAME}|{NUMERAL}|{WORD}", re.IGNORECASE)
INDEX = re.compile(r"[_^]\s*(\{[^{}]*\}|\\?\w)|\\[td]?frac\s*\d\s*\d|\\sqrt\s*\d")
PRINTED = re.compile(rf"(?<![A-Za-z_\d.]){NUMERAL}")
ABOUT = re.compile(r"\b(about|roughly|nearly|almost|around|approximately|some)\W+$", re.IGNORECASE)
SHARE = re.compile(r"^\W{0,2}(%|per ?cent|°|\\%)", re.IGNORECASE)
OUT_OF = re.compile(rf"^ of (?:the |its |all |our )?(?:\d|{SPELT})", re.IGNORECASE)
AFTER_OF = re.compile(rf"(?:\d|{SPELT}) of (?:the |its |all |our )?$", re.IGNORECASE)
NAMED_LECTURE = re.compile(r"\blectures?\W+(\d\d)\b|\[(\d\d)\]|\band \[?(\d\d)\b", re.IGNORECASE)
YEAR = re.compile(r"(\(|[Ii]n|late|since|and|[A-Z]\w+,?) ?$")
SENTENCE_ENDS = re.compile(r"\n\n|(?<=[.!?])(?=\s+[A-Z*$\"“(\[])")
EXERCISES = re.compile(r"^#+ .*exercise", re.IGNORECASE | re.MULTILINE)
SECTION = re.compile(r"\A##? ")


class Number(NamedTuple):
    """A number as written, with what stands around it."""

    text: str
    value: float | None  # None: part of a name, an index or an exponent
    digits: int  # after the point
    spelt: bool  # as a word
    formula: bool
    before: str
    after: str
    sentence: str


# ---------------------------------------------------------------- reading numbers


def numbers(source: str) -> list[Number]:
    """Return the numbers of a markdown cell in order, list markers and link targets left out."""
    text = re.sub(r"(?<=\])\([^)]*\)", blank, source)
    text = re.sub(r"^ *\d+[.)](?= )", blank, text, flags=re.MULTILINE)
    formulas = [part.span() for part in MATH.finditer(text)]
    indices = [part.span() for part in INDEX.finditer(text) if within(formulas, part.start())]
    found = []
    for token in TOKEN.finditer(MATH.sub(without_letters, text)):
        start, end = token.span()
        plain = token["name"] is None and not within(indices, start)
        found.append(
            Number(
                text=re.sub(r"\s+", "_", token.group().strip()),
                value=value_of(token.group()) if plain else None,
                digits=len(token.group().partition(".")[2].split("e")[0]),
                spelt=token["word"] is not None,
                formula=within(formulas, start),
                before=text[max(0, start - 40) : start],
                after=text[end : end + 40],
                sentence=sentence_at(text, start),
            )
        )
    return found


def within(spans: Sequence[tuple[int, int]], position: int) -> bool:
    return any(start <= position < end for start, end in spans)


def without_letters(formula: re.Match[str]) -> str:
    r"""Blank the commands and letters of a formula: in \mathbf w_12x only 12 counts."""
    text = re.sub(r"\\[A-Za-z]+", blank, formula.group())
    return "".join(" " if sign.isalpha() or sign == "_" else sign for sign in text)


def sentence_at(text: str, position: int) -> str:
    ends = [part.end() for part in SENTENCE_ENDS.finditer(text)]
    start = max((end for end in ends if end <= position), default=0)
    return text[start : min((end for end in ends if end > position), default=len(text))]


def value_of(token: str) -> float:
    plain = re.sub(r"[ ,_\u2009\u202f{}]|\\,", "", token)
    if plain[0].isdigit():
        return float(plain)
    total = 0.0
    for word in re.split(r"[- ]", token.lower()):
        total = (total or 1) * SCALES[word] if word in SCALES else total + WORDS.get(word, 0)
    return total


# ---------------------------------------------------------------- values of cells


def values(cell: NotebookNode) -> frozenset[float]:
    """Return the numbers that a code cell computes with or shows; words in quotes do not count."""
    return values_of(cell.source, "\n".join(shown(cell)))


@functools.lru_cache(maxsize=4096)
def values_of(source: str, printed: str) -> frozenset[float]:
    found = {value_of(token.group()) for token in PRINTED.finditer(printed)}
    found |= {float(part) for part in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", printed)}
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            found.add(abs(float(node.value)))  # type: ignore[arg-type]
    return frozenset(found)


def shown(cell: NotebookNode) -> Iterator[str]:
    """Yield the text of outputs; the alt text of a figure is typed, not computed."""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            yield output.text
        elif not (output.output_type == "display_data" and has_figure(output)):
            yield output.get("data", {}).get("text/plain", "")


def stands_in(number: Number, found: frozenset[float]) -> bool:
    """Tell whether one of these values is printed like the number."""
    assert number.value is not None
    if number.value in found:
        return True
    share = bool(SHARE.match(number.after))
    unit = 10.0**-number.digits
    if ABOUT.search(number.before) and not number.digits:
        unit = 10.0 ** (len(number.text) - len(number.text.rstrip("0")))
    elif not (share or number.digits):
        return False
    scales = (1, 100) if share and "°" not in number.after[:3] else (1,)
    room = unit / 2 * (1 + 1e-9)
    return any(abs(scale * value - number.value) <= room for value in found for scale in scales)


# ---------------------------------------------------------------- where a number may come from


class Surroundings:
    """Where the numbers of a notebook may come from: its cells, and files that sentences name."""

    def __init__(self, notebook: NotebookNode, path: Path) -> None:
        # Homework sets its numbers itself; nbgrader's metadata tells it apart.
        homework = any("nbgrader" in cell.metadata for cell in notebook.cells)
        self.cells, self.folder = [] if homework else notebook.cells, path.parent
        self.exercises = self.headed(EXERCISES)
        self.sections = self.headed(SECTION)

    def headed(self, heading: re.Pattern[str]) -> list[int]:
        """Return the positions of the texts that have such a heading."""
        texts = ((k, cell) for k, cell in enumerate(self.cells) if cell.cell_type == "markdown")
        return [k for k, cell in texts if heading.search(cell.source)]

    def places(self, position: int, number: Number) -> Iterator[str]:
        """Yield where a number of the cell at this position may come from, the nearest first."""
        if number.value is None:
            yield "formula" if number.formula else "name"
            return
        for k in self.beside(position):
            if stands_in(number, values(self.cells[k])):
                yield self.cells[k].id
        for k in self.section(position):  # farther away only as it is written, not rounded
            if number.value in values(self.cells[k]):
                yield self.cells[k].id
        yield from self.named(number)
        yield from by_nature(number)
        if any(position >= k for k in self.exercises):
            yield "exercise"

    def beside(self, position: int) -> list[int]:
        """Return the positions of the code cells right after and right before a text."""
        found: list[int] = []
        for way in (range(position + 1, len(self.cells)), range(position - 1, -1, -1)):
            past_text = itertools.dropwhile(lambda k: not runs(self.cells[k]), way)
            found += itertools.takewhile(lambda k: runs(self.cells[k]), past_text)
        return found

    def section(self, position: int) -> list[int]:
        """Return the positions of the code cells under the same heading, the nearest first."""
        start = max((k for k in self.sections if k <= position), default=0)
        stop = min((k for k in self.sections if k > position), default=len(self.cells))
        inside = (k for k in range(start, stop) if runs(self.cells[k]))
        return sorted(inside, key=lambda k: abs(k - position))

    def named(self, number: Number) -> Iterator[str]:
        """Yield the lectures and documents that the sentence names, and that have the number."""
        if re.fullmatch(r"\d\d", number.text) and [*self.folder.glob(f"{number.text}-*.ipynb")]:
            yield "lecture"
        for match in NAMED_LECTURE.finditer(number.sentence):
            name = next(filter(None, match.groups()))
            for path in sorted(self.folder.glob(f"{name}-*.ipynb")):
                if any(stands_in(number, found) for found in lecture_values(path)):
                    yield path.stem
        for source in itertools.chain(*(claim.get("sources", []) for claim in ledger(self.folder))):
            title = re.split(r"[\d,(]", source)[0].strip()
            if number.text in re.findall(r"\d+", source) and title in number.sentence:
                yield "document"


@functools.lru_cache(maxsize=32)
def lecture_values(path: Path) -> list[frozenset[float]]:
    return [values(cell) for cell in read(path).cells if runs(cell)]


def by_nature(number: Number) -> Iterator[str]:
    """Yield what a number is when it is no value: a constant of a formula, a year, a plan."""
    assert number.value is not None
    counted = OUT_OF.match(number.after) or AFTER_OF.search(number.before)
    if re.search(r"lecture \d* ?(of )?$", number.before, re.IGNORECASE):
        yield "lecture"
    if re.match(r"^ (to \d+ )?minutes", number.after):
        yield "plan"
    if YEAR.search(number.before) and 1600 < number.value < 2100 and len(number.text) == 4:
        yield "year"
    if re.match(r"^\s*°|^\^\\circ", number.after) and number.value % 90 == 0:
        yield "angle"
    if number.value in ((0, 1, 2) if number.formula else (0, 1)):
        yield "formula"
    if number.spelt and not counted and (number.value <= EASY or number.text.lower() in SCALES):
        yield "word"


# ---------------------------------------------------------------- tying and looking up


def tie(notebook: NotebookNode, path: Path) -> None:
    """Write beside every text which of its numbers comes from where; ? where nothing has it."""
    around = Surroundings(notebook, path)
    for position, cell in enumerate(around.cells):
        cell.metadata.pop("numbers", None)
        found = numbers(cell.source) if cell.cell_type == "markdown" else []
        ties = (f"{one.text}@{next(around.places(position, one), '?')}" for one in found)
        if found:
            cell.metadata["numbers"] = " ".join(ties)


def problems(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Yield a sentence for each number of the prose that is not tied to a value."""
    around, count = Surroundings(notebook, path), 0
    for position, cell in enumerate(around.cells):
        count += runs(cell)
        if cell.cell_type == "markdown":
            for problem in text_problems(around, position):
                yield f"the text after cell {count} {problem}"
        elif runs(cell):
            for problem in alt_problems(around, position):
                yield f"cell {count} {problem}"


def text_problems(around: Surroundings, position: int) -> Iterator[str]:
    cell = around.cells[position]
    record = cell.metadata.get("numbers", "").split()
    for number, tied in itertools.zip_longest(numbers(cell.source), record):
        places = list(around.places(position, number)) if number else []
        here = f"says {number.text!r} in “{excerpt(number)}”" if number else "says no number"
        if number and not places:
            yield f"{here}, which stands in no cell nearby: compute it, or name its source."
        elif tied not in [f"{number.text}@{place}" for place in places]:
            stored = "“{}” from {}".format(*tied.rsplit("@", 1)) if tied else "nothing"
            yield (
                f"{here} where {stored} is stored: mend the sentence, or the cell, or run "
                "`lincourse refresh` if that is meant."
            )
            return  # all that follows is shifted


def alt_problems(around: Surroundings, position: int) -> Iterator[str]:
    """Yield a sentence for each number typed in an alt text that is neither drawn nor computed."""
    cell = around.cells[position]
    for output in filter(has_figure, cell.outputs):
        drawn = values_of(cell.source, "\n".join([*words(output), *shown(cell)]))
        for number in numbers(alt_text(output)):
            typed = number.value is not None and number.text in cell.source
            if typed and not (stands_in(number, drawn) or any(around.places(position, number))):
                yield (
                    f"has an alt text that says {number.text!r} in “{excerpt(number)}”, which is "
                    "neither drawn nor computed nearby: mend it, or let a value stand in it."
                )


def excerpt(number: Number) -> str:
    around = f"{number.before[-24:]}{number.text}{number.after[:24]}"
    return re.sub(r"\s+", " ", around).strip()
