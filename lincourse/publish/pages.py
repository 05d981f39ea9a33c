"""Notebooks as pages of the site and as chapters of the book: MyST text, made from what is stored.

Code that draws, imports or builds tables is folded on the site and absent from the book. The
answer to a *Predict first* is folded until asked for; the book has it at the chapter's end.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from itertools import count, groupby
from typing import Any, NamedTuple

from docutils.nodes import make_id

from lincourse.publish import crosslinks, recordings
from lincourse.publish.cells import Link, Renderer, relinked
from lincourse.publish.lectures import (
    HEADING,
    Cell,
    Lecture,
    answer_first,
    solutions,
    split_at_headings,
)
from linlib.notebook import exercises

FENCE = "```````"
ANSWER = '<details class="answer" id="answer-{}"><summary>Predicted? Show the answer</summary>'
SOLUTION = '<details class="answer solution"><summary>{}</summary>'
CODE = '<details class="code"><summary>Code</summary>'
# Something to touch comes before what the lecture asks for and promises.
GOALS = "**After it you can**"
GOALS_FOLDED = '<details class="goals"><summary>Goals, what you need, symbols</summary>'
EXERCISES, EXERCISE = "## Exercises", re.compile(r"^(?=\d+\. )", re.MULTILINE)
Ledger = dict[str, dict[str, Any]]


def raw(html: str) -> str:
    """Return HTML as a directive of MyST."""
    inside = html.strip("\n")
    return f"{FENCE}{{raw}} html\n{inside}\n{FENCE}"


def address(name: str, id: str, root: str = "../") -> str:
    """Return the page of the site that shows a notebook, at one of its cells.

    >>> address("02-perceptron", "claim-P6"), address("hw1", "")
    ('../lectures/02-perceptron.html#claim-P6', '../homework/hw1.html')
    """
    folder = "lectures" if name[:2].isdigit() else "homework"
    return f"{root}{folder}/{name}.html" + (f"#{id}" if id else "")


class Exercise(NamedTuple):
    """A function to write, in a cell that ends with its check."""

    id: str
    title: str
    start: str


def exercise(cell: Cell) -> Exercise | None:
    """Return the exercise of a cell, if it has one."""
    words, _, check = cell.source.rpartition("\n\n\nprint(check(")
    if not words or cell.kind != "code":
        return None
    title, _, start = words.partition("\n")
    return Exercise(check[:-2], title.partition(". ")[2], start[start.index("def ") :] + "\n")


def exercise_box(asked: Exercise) -> str:
    """Return the place of an exercise, with what its editor promises."""
    promise = escape(exercises.PROMISE)
    return (
        f'<div class="exercise" data-exercise="{asked.id}" data-promise="{promise}">'
        f"<h3>{escape(asked.title)}</h3><pre>{escape(asked.start)}</pre></div>"
    )


class Page(Renderer):
    """A notebook as a page of the site."""

    def __init__(
        self, lecture: Lecture, claims: Ledger, link: Link = address, prefix: str = ""
    ) -> None:
        super().__init__(lecture, "../", link)
        self.claims, self.prefix = claims, prefix  # of the ids of cells
        self.waiting = ""  # code that serves what is shown next
        self.parts: list[str] = []
        self.count = count(1)  # of figures
        self.said = {one.cells[0].id: one.words for one in lecture.questions if one.cells}
        code = (cell.source for cell in lecture.cells if cell.kind == "code")
        self.names = crosslinks.imported(code)
        # A heading is an anchor already.
        self.taken = {make_id(text) for _, _, text in lecture.headings}

    def text(self) -> str:
        for kind, cells in groupby(self.lecture.cells, lambda cell: cell.kind):
            if kind == "code":
                self.code(list(cells))
            else:
                for cell in cells:
                    self.prose(cell)
        self.flush()
        return "\n\n".join(self.parts) + "\n"

    def prose(self, cell: Cell) -> None:
        """Add a text, without what has been said of it in an answer."""
        source, first = cell.source, cell is self.lecture.cells[0]  # it begins with the title
        if not first and cell.id not in self.taken:
            self.anchor(cell.id)
        if cell.id in self.lecture.said:
            source = answer_first(source)[1]
        for piece in split_at_headings(source, levels=(1, 2)):
            self.exercises(piece) if piece.startswith(EXERCISES) else self.add(piece)
        if first:
            self.anchor(cell.id)
            self.parts += self.downloads()

    def downloads(self) -> list[str]:
        name = self.lecture.name
        links = [f'<a href="{self.root}notebooks/{name}.ipynb" download>Download the notebook</a>']
        if self.lecture.number.isdigit():
            links.append(f'<a href="{self.root}slides/{name}.html">Slides</a>')
            links.append('<button type="button" data-unfold hidden>Show all code</button>')
        return [raw(f'<p class="downloads">{" · ".join(links)}</p>')]

    def add(self, source: str) -> None:
        source, mark, goals = source.partition(GOALS)
        if source.strip():
            self.parts.append(relinked(source, self.link))
        if mark:
            self.goals(relinked(mark + goals, self.link))

    def goals(self, words: str) -> None:
        self.parts += [raw(GOALS_FOLDED), words, raw("</details>")]

    def anchor(self, id: str) -> None:
        self.parts.append(raw(f'<span class="anchor" id="{self.prefix}{id}"></span>'))

    def code(self, run: list[Cell]) -> None:
        """Add cells of code, and folded with those that answer what is said of them."""
        shown = len(self.parts)
        at = [k for k, cell in enumerate(run) if "answer" in cell.tags]
        said = self.said.get(run[at[0]].id) if at else None
        first, last = (at[0], len(run) if said else at[-1] + 1) if at else (len(run), len(run))
        for cell in run[:first]:
            self.cell(cell)
        if at:
            self.answer(run[first:last], said)
        for cell in run[last:]:
            self.cell(cell)
        if len(self.parts) > shown:  # else it goes to what is shown next
            self.flush()

    def answer(self, cells: list[Cell], said: Cell | None) -> None:
        self.parts.append(raw(self.form(cells[0]) + ANSWER.format(cells[0].id)))
        self.answered(cells, said)
        self.parts.append(raw("</details>"))

    def answered(self, cells: list[Cell], said: Cell | None) -> None:
        for cell in cells:
            self.cell(cell)
        if said:
            self.add(answer_first(said.source)[0])

    def cell(self, cell: Cell) -> None:
        """Add a cell: what it shows before code that only draws it, else after."""
        if asked := exercise(cell):
            self.written(asked)
            return
        outputs = "".join(f'<div class="output">{one}</div>' for one in self.outputs(cell))
        opened = f'<div class="cell" id="{self.prefix}{cell.id}">'
        read, shows = (self.linked(code) for code in cell.read)
        if not (read or outputs):
            self.waiting += f"{opened}{shows}</div>"
            return
        before = f"{CODE}{self.waiting}</details>" if self.waiting and read else ""
        folded = shows if read else self.waiting + shows
        after = f"{CODE}{folded}</details>" if folded else ""
        inside = before + read + outputs + after
        self.waiting = ""
        if cell.claim in self.claims:
            inside += verdict(self.claims[cell.claim], self.root)
        self.parts.append(raw(f"{opened}{inside}</div>"))

    def linked(self, code: str) -> str:
        return crosslinks.linked(code, self.names, self.root) if code else ""

    def exercises(self, source: str) -> None:
        """Add the exercises, each with its solution."""
        head, *items = EXERCISE.split(source)
        last, _, rest = items.pop().partition("\n\n") if items else ("", "", "")
        self.add(head)
        worked = solved(self.lecture.name)
        for number, item in enumerate([*items, last], start=1):
            self.add(item)
            if found := worked.get(f"Exercise {number}"):
                self.solution(f"Solution of exercise {number}", found)
        if found := worked.get("Predictions"):
            self.solution("The predictions again, with what to learn from them", found)
        self.add(rest)

    def solution(self, title: str, cells: list[Cell]) -> None:
        self.parts.append(raw(SOLUTION.format(title)))
        self.worked(cells)
        self.parts.append(raw("</details>"))

    def worked(self, cells: list[Cell]) -> None:
        own = type(self)(solutions()[self.lecture.name], {}, self.link, f"{self.prefix}solution-")
        own.count = self.count
        for cell in cells:
            own.cell(cell) if cell.kind == "code" else own.add(HEADING.sub("", cell.source, 1))
        self.parts += own.parts

    def written(self, asked: Exercise) -> None:
        """Add the place of an exercise that is written in the page; without scripts it is read."""
        folder = f"{self.root}walks/"
        sheet = f'<link rel="stylesheet" href="{folder}exercise.css">'
        loaded = recordings.scripts(folder, "live", "exercise")
        self.parts.append(raw(exercise_box(asked) + sheet + loaded))

    def flush(self) -> None:
        if self.waiting:
            self.parts.append(raw(f"{CODE}{self.waiting}</details>"))
        self.waiting = ""


@cache
def solved(name: str) -> dict[str, list[Cell]]:
    """Return the cells that solve each exercise of a lecture, by their heading."""
    found: dict[str, list[Cell]] = {}
    worked, heading = solutions().get(name), "Exercise 1"  # imports come before it
    for cell in worked.cells[1:] if worked else ():
        begins = re.match(r"## (.+)", cell.source)
        heading = begins[1] if begins and cell.kind == "markdown" else heading
        found.setdefault(heading, []).append(cell)
    return found


def verdict(claim: dict[str, Any], root: str) -> str:
    """Return the line under a claim's cell: what became of it, and what would make it fail."""
    words = f'<a href="{root}claims.html#{claim["id"]}">Claim {claim["id"]}</a>: '
    words += escape(claim["verdict"])
    words += "".join(f". This cell would fail if {escape(edit)}" for edit in claim["edits"][:1])
    return f'<p class="verdict {claim["verdict"].split()[0]}">{words}</p>'
