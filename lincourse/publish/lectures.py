"""Read the notebooks as lectures: what site, slides, book and guide are made from.

A lecture is its stored cells; a figure is a stored picture with its alt text. What a cell is for
stands in its tags (``notebook_known`` in pyproject.toml lists them), never in its words.
"""

from __future__ import annotations

import ast
import itertools
import re
import struct
from base64 import b64decode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode

from lincourse.check.asserts import parsed
from lincourse.check.outputs import read
from lincourse.files import put
from lincourse.paths import NOTEBOOKS
from linlib.notebook.answers import MIME

HEADING = re.compile(r"^(#{1,4}) +(.+?)\s*$", re.MULTILINE)
TABLE = re.compile(r"^\|.*$", re.MULTILINE)
# Of a text: tables, addresses, the names of fonts.
UNSPOKEN = re.compile(
    r"^\|.*$|\]\([^)]*\)|\\(?:math\w+|text\w*|operatorname|boldsymbol|left|right|q?quad|begin|end)",
    re.MULTILINE,
)
SHORT = 20  # letters of a paragraph that only announces the answer below it
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def answer_first(source: str) -> tuple[str, str]:
    r"""Return the paragraph that answers, to the end of its sentence, and what follows it.

    >>> answer_first("It is A. Since\n\n$$w_0 = 3$$\n\nit lies behind.\n\nNow the foot.")
    ('It is A. Since\n\n$$w_0 = 3$$\n\nit lies behind.', 'Now the foot.')
    """
    parts = source.split("\n\n")
    number = 1
    while number < len(parts) and (
        len("".join(parts[:number])) < SHORT or not re.search(r"[.?!)*|]\s*$", parts[number - 1])
    ):
        number += 1
    return "\n\n".join(parts[:number]), "\n\n".join(parts[number:])


@dataclass(frozen=True)
class Figure:
    """A stored picture: its bytes, what it shows in words, how wide it is meant to be."""

    name: str
    png: bytes
    alt: str
    width: int

    @property
    def height(self) -> int:
        """How high it is then, by its size in pixels in the header of the file."""
        wide, high = map(int, struct.unpack(">II", self.png[16:24]))
        return round(self.width * high / wide)


class Exercise(NamedTuple):
    """A function to write: its name, what it is about, how it begins."""

    id: str
    title: str
    start: str


@dataclass(frozen=True)
class Cell:
    """One cell as stored."""

    id: str
    kind: str
    source: str
    tags: frozenset[str] = frozenset()
    slide: str = ""  # slide, subslide, fragment, - or skip; empty where the author has not said
    outputs: tuple[NotebookNode, ...] = field(default=(), repr=False)

    @property
    def explores(self) -> bool:
        """Whether it shows an explorer, and nothing else."""
        return "explorer" in self.tags

    @property
    def live(self) -> bool:
        """Whether a page shows it live: an explorer, or one that asks for a drawn prediction."""
        return not self.tags.isdisjoint({"explorer", "predict-explorer"})

    @property
    def plumbing(self) -> bool:
        """Whether its code serves the page more than the reader: it imports, draws, only checks.

        Templates of homework have no tags; there the cells that are given have names for it.
        """
        given = self.id == "setup" or self.id.endswith("-picture")
        return "hide-input" in self.tags or given

    @cached_property
    def exercise(self) -> Exercise | None:
        """The function that a reader is to write, if it asks for one."""
        if "exercise" not in self.tags:
            return None
        (function,) = (one for one in parsed(self.source).body if isinstance(one, ast.FunctionDef))
        heading = self.source.partition("\n")[0].removeprefix("# Self-study. ")
        start = ast.get_source_segment(self.source, function) or ""
        return Exercise(function.name, heading, f"{start}\n")

    @cached_property
    def read(self) -> tuple[str, str]:
        """Its code to read, and the statements that only show a table or an answer."""
        if self.plumbing:
            return "", self.source
        lines = self.source.splitlines()
        shows = {
            at
            for node in parsed(self.source).body
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            if getattr(node.value.func, "id", "") in ("Answer", "Table", "display")
            for at in range(node.lineno - 1, node.end_lineno or node.lineno)
        }
        kept = "\n".join(line for at, line in enumerate(lines) if at not in shows)
        kept = re.sub(r"\n{3,}", "\n\n", kept.replace("  # fmt: skip", ""))
        return kept.strip(), "\n".join(lines[at] for at in sorted(shows))

    @property
    def claim(self) -> str:
        """The id of the claim this cell checks, or nothing."""
        return self.id.removeprefix("claim-") if self.id.startswith("claim-") else ""


class Question(NamedTuple):
    """A *Predict first*: the text that asks, the cells that answer, the words after them."""

    asked: Cell
    cells: list[Cell]
    words: Cell | None

    @property
    def truths(self) -> list[dict[str, Any]]:
        """What the cells say was asked, and what is true: see ``linlib.answers``."""
        shown = (output.get("data", {}) for cell in self.cells for output in cell.outputs)
        return [data[MIME] for data in shown if MIME in data]


class Lecture:
    """A notebook of the course: its name, title and cells."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem
        self.number, _, self.slug = self.name.partition("-")  # its number may change
        self.cells = [
            Cell(
                id=cell.id,
                kind=cell.cell_type,
                source=cell.source,
                tags=frozenset(cell.metadata.get("tags", ())),
                slide=cell.metadata.get("slideshow", {}).get("slide_type", ""),
                outputs=tuple(cell.get("outputs", ())),
            )
            for cell in read(path).cells
        ]

    @cached_property
    def title(self) -> str:
        return next(text for _, level, text in self.headings if level == 1)

    @cached_property
    def headings(self) -> list[tuple[str, int, str]]:
        """Every heading as (cell id, level, text)."""
        return [
            (cell.id, len(marks), text)
            for cell in self.cells
            if cell.kind == "markdown"
            for marks, text in HEADING.findall(FENCE.sub("", cell.source))
        ]

    @cached_property
    def questions(self) -> list[Question]:
        """Every *Predict first*, with what answers it before the next text."""
        found = []
        for at, cell in enumerate(self.cells):
            if "predict" in cell.tags:
                rest = self.cells[at + 1 :]
                code = list(itertools.takewhile(lambda one: one.kind == "code", rest))
                cells = [one for one in code if "answer" in one.tags]
                after = rest[len(code)] if len(code) < len(rest) else None
                said = after if after and "said" in after.tags else None
                found.append(Question(cell, cells, said))
        return found

    @cached_property
    def said(self) -> frozenset[str]:
        """The texts that begin with the answer to a *Predict first*: the first after its cells."""
        return frozenset(question.words.id for question in self.questions if question.words)

    def figures(self, cell: Cell) -> list[Figure]:
        """Return the pictures among the outputs of a cell."""
        shown = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        found = []
        for number, output in enumerate(shown, start=1):
            name = f"{self.name}-{cell.id}" + (f"-{number}" if number > 1 else "")
            facts = output.metadata["image/png"]
            png = b64decode(output.data["image/png"])
            found.append(Figure(name, png, facts["alt"], facts["width"]))
        return found

    def all_figures(self) -> Iterator[tuple[Cell, Figure]]:
        """Yield every picture of the notebook with its cell."""
        for cell in self.cells:
            for figure in self.figures(cell):
                yield cell, figure

    def sections(self) -> Iterator[tuple[str, list[tuple[Cell, str]]]]:
        """Yield (heading, parts); a part is a cell and the piece of its source under the heading.

        The title stands for what comes before the first heading of the second level.
        """
        heading, parts = self.title, []
        for cell in self.cells:
            if cell.kind != "markdown":
                parts.append((cell, cell.source))
                continue
            for piece in split_at_headings(cell.source, levels=(1, 2)):
                found = HEADING.match(piece)
                if found and len(found[1]) == 2:
                    yield heading, parts
                    heading, parts = found[2], []
                parts.append((cell, piece))
        yield heading, parts


def split_at_headings(source: str, levels: tuple[int, ...] = (1, 2, 3)) -> list[str]:
    """Cut Markdown before each heading of the given levels; fenced code is left alone."""
    fenced = [found.span() for found in FENCE.finditer(source)]
    cuts = [
        found.start()
        for found in HEADING.finditer(source)
        if len(found[1]) in levels and not any(a <= found.start() < b for a, b in fenced)
    ]
    edges = sorted({0, *cuts, len(source)})
    pieces = [source[a:b].strip("\n") for a, b in itertools.pairwise(edges)]
    return [piece for piece in pieces if piece.strip()]


@cache
def lectures() -> list[Lecture]:
    """Return all lectures, in order."""
    return [Lecture(path) for path in sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))]


@cache
def templates() -> list[Lecture]:
    """Return the homework as students get it."""
    return [Lecture(path) for path in sorted(NOTEBOOKS.glob("homework/release/*/*.ipynb"))]


@cache
def solutions() -> dict[str, Lecture]:
    """Return the worked exercises of the lectures, by the lecture's name."""
    found = sorted(NOTEBOOKS.glob("**/solutions/[0-9][0-9]-*.ipynb"))
    return {path.stem: Lecture(path) for path in found}


@cache
def by_name() -> dict[str, Lecture]:
    """Return what has a page on the site, lectures and homework, by the name of its notebook."""
    return {one.name: one for one in [*lectures(), *templates()]}


def minutes(parts: list[tuple[Cell, str]]) -> float:
    """How long a section takes: words, figures, tables, predictions, explorers and code.

    Spoken words at 130 a minute, one minute a figure, a table or a displayed formula, two a
    *Predict first*, five an explorer, one for ten lines of code; what is off the lecture path
    takes no time.
    """
    total = 0.0
    for cell, source in parts:
        if cell.slide == "skip":
            continue
        if cell.kind == "markdown":
            words = re.findall(r"[^\W_]+", UNSPOKEN.sub("", source))
            total += len(words) / 130 + 2 * ("predict" in cell.tags)
            total += bool(TABLE.search(source)) + source.count("$$") // 2
        else:
            lines = [line for line in source.splitlines() if line.strip()]
            total += 0 if "hide-input" in cell.tags else len(lines) / 10
            kinds = [set(output.get("data", ())) for output in cell.outputs]
            total += sum(bool(kind & {"image/png", "text/html"}) for kind in kinds)
            total += 5 * cell.explores
    return total


def write_figures(folder: Path, course: Iterable[Lecture]) -> None:
    """Write the figures of lectures, those that changed."""
    for one in course:
        for _, figure in one.all_figures():
            put(folder / f"{figure.name}.png", figure.png)
