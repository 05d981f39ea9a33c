"""Notebooks as pages of the site: what myst-nb reads, and one transform for each tag.

``notebook`` joins a lecture with its worked exercises and says what each cell has put out. myst-nb
makes a document of it without running a cell. The transforms below then act on the tags of its
cells: they fold answers, goals and code, and put solutions under their exercises. The module is
an extension of Sphinx; ``chapters`` does the same for the book.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import groupby, takewhile
from typing import Any

import nbformat.v4 as v4
from docutils import nodes
from docutils.nodes import make_id
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from lincourse.publish import claims_pages, crosslinks, recordings
from lincourse.publish.cells import Renderer
from lincourse.publish.extension import Box, Fold
from lincourse.publish.lectures import (
    HEADING,
    Cell,
    Exercise,
    Lecture,
    answer_first,
    by_name,
    solutions,
)
from lincourse.publish.links import Links, address
from linlib.notebook import exercises

CODE = "Code"
ANSWER = "Predicted? Show the answer"
GOALS = "Goals, what you need, symbols"
PREDICTIONS = "The predictions again, with what to learn from them"
OTHERS = {"warm-up": "Solution of the warm-up", "predictions": PREDICTIONS}
WORKED = "solution-"  # begins the ids of the cells that work the exercises


# ---- the notebook that myst-nb reads


def notebook(shown: Renderer, worked: Renderer | None) -> NotebookNode:
    """Return a lecture and its worked exercises as one notebook, with its outputs as HTML."""
    cells = [stored(cell, shown) for cell in shown.lecture.cells]
    # MyST's sign for the beginning of a cell would come before the title of the page.
    cells[0].source = shown.lecture.cells[0].source
    if worked:
        _, *rest = worked.lecture.cells  # without its title
        cells += [stored(cell, worked, WORKED) for cell in rest]
    metadata = {"language_info": {"name": "python"}}
    made: NotebookNode = v4.new_notebook(cells=cells, metadata=metadata)
    return made


def stored(cell: Cell, shown: Renderer, prefix: str = "") -> NotebookNode:
    """Return one cell, which says its id where myst-nb hands it on."""
    about = {"id": prefix + cell.id}
    if cell.kind == "code":
        pieces = [{"text/html": piece} for piece in shown.outputs(cell) if piece]
        outputs = [v4.new_output("display_data", piece) for piece in pieces]
        made: NotebookNode = v4.new_code_cell(cell.source, metadata=about, outputs=outputs)
    else:
        # The heading of a solution is the title of its fold.
        words = HEADING.sub("", cell.source, count=1) if prefix else cell.source
        made = v4.new_markdown_cell(f"+++ {json.dumps(about)}\n\n{words}")
    return made


def page(lecture: Lecture) -> NotebookNode:
    """Return what the page of a lecture or a homework is made from."""
    worked = solutions().get(lecture.name)
    return notebook(
        Renderer(lecture, "../", address), Renderer(worked, "../", address) if worked else None
    )


# ---- nodes


def raw(html: str) -> nodes.raw:
    """Return HTML as a node."""
    return nodes.raw("", html, format="html")


def anchor(id: str) -> nodes.raw:
    """Return the place that links to a text lead to."""
    return raw(f'<span class="anchor" id="{id}"></span>')


# ---- cells in a document


def mark(node: nodes.Node) -> str:
    """Return the id of the text that begins here, nothing if none does."""
    begins = isinstance(node, nodes.comment) and "block_break" in node["classes"]
    return str(json.loads(node.astext())["id"]) if begins else ""


def code(node: nodes.Node) -> str:
    """Return the id of a cell of code, nothing of another node."""
    is_cell = isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"
    return str(node["cell_metadata"]["id"]) if is_cell else ""


def outputs(node: nodes.Element) -> list[nodes.Node]:
    """Return what a cell of code has put out."""
    held = (one for one in node.children if isinstance(one, nodes.container))
    return [one for part in held if part.get("nb_element") == "cell_code_output" for one in part]


def after(node: nodes.Node) -> list[nodes.Node]:
    """Return the nodes beside a node that follow it."""
    siblings = node.parent.children
    return list(siblings[siblings.index(node) + 1 :])


def taken(parts: list[nodes.Node]) -> list[nodes.Node]:
    """Take nodes out of their parent."""
    for part in parts:
        part.parent.remove(part)
    return parts


def put(new: list[nodes.Node], old: nodes.Node) -> None:
    """Put nodes in the place of another one, none of whose classes they take over."""
    siblings = old.parent
    at = siblings.index(old)
    siblings[at : at + 1] = new


class Shown:
    """What the transforms ask about the notebook of a page."""

    def __init__(self, lecture: Lecture) -> None:
        self.lecture = lecture
        self.cells = {cell.id: cell for cell in lecture.cells}
        worked = solutions().get(lecture.name)
        self.cells |= {WORKED + cell.id: cell for cell in worked.cells} if worked else {}
        # What the lecture, and what its solutions, import from linlib.
        self.names = [self.imported(worked=False), self.imported(worked=True)]

    def tagged(self, document: nodes.document, tag: str) -> list[nodes.Element]:
        """Return where cells with a tag begin, in order."""
        found = ((node, mark(node) or code(node)) for node in document.findall(nodes.Element))
        return [node for node, id in found if id and tag in self.cells[id].tags]

    def imported(self, *, worked: bool) -> dict[str, str]:
        cells = (cell for id, cell in self.cells.items() if id.startswith(WORKED) == worked)
        return crosslinks.imported(cell.source for cell in cells if cell.kind == "code")


@cache
def shown(name: str) -> Shown:
    return Shown(by_name()[name])


class CellTransform(SphinxTransform):
    """A change to the page of a notebook; other pages are left alone."""

    def apply(self, **kwargs: Any) -> None:
        if self.env.doc2path(self.env.docname).suffix == ".ipynb":
            self.page = shown(self.env.docname.rpartition("/")[2])
            self.change()

    def change(self) -> None:
        raise NotImplementedError


class Exercises(CellTransform):
    """``exercises``, ``solution``: each exercise with its solution below it.

    Below all of them come ``warm-up`` and ``predictions``.
    """

    default_priority = 300

    def change(self) -> None:
        sections = self.worked()
        worked = [parts for tag, parts in sections if tag == "solution"]
        for begin in self.page.tagged(self.document, "exercises"):
            every = list(self.document.findall())
            listed = first_list(every[every.index(begin) :], "exercises")
            items = list(listed.children)
            done: list[nodes.Node] = []
            for number, item in enumerate(items, start=1):
                done.append(nodes.enumerated_list("", item, enumtype="arabic", start=number))
                done[-1]["prefix"], done[-1]["suffix"] = "", "."
                if number <= len(worked):
                    done += self.solution(f"Solution of exercise {number}", worked[number - 1])
            for tag, parts in sections:
                if tag in OTHERS:
                    done += self.solution(OTHERS[tag], parts)
            put(done, listed)

    def worked(self) -> list[tuple[str, list[nodes.Node]]]:
        """Take the solutions out of the end of the page, each with the tag that begins it.

        Imports come before the first.
        """
        cells = [node for node in self.document.findall() if mark(node) or code(node)]
        begin = next((one for one in cells if (mark(one) or code(one)).startswith(WORKED)), None)
        if begin is None:
            return []
        found: list[tuple[str, list[nodes.Node]]] = []
        imports: list[nodes.Node] = []
        for node in taken([begin, *after(begin)]):
            if id := mark(node):
                tags = self.page.cells[id].tags & {"warm-up", "solution", "predictions"}
                if tags:
                    found.append((min(tags), [] if found else imports))
            else:
                (found[-1][1] if found else imports).append(node)
        return found

    def solution(self, title: str, parts: list[nodes.Node]) -> list[nodes.Node]:
        return [Fold("", *parts, classes=["answer", "solution"], summary=title)]


def first_list(parts: list[nodes.Node], tag: str) -> nodes.enumerated_list:
    """Return the first numbered list among some nodes."""
    found = next((one for one in parts if isinstance(one, nodes.enumerated_list)), None)
    if found is None:
        raise ValueError(f"The text with the tag `{tag}` has no numbered list: write them as one.")
    return found


class Goals(CellTransform):
    """``goals``: the first numbered list, what leads to it and what follows is folded.

    Something to touch comes before what the lecture asks for and promises.
    """

    default_priority = 310

    def change(self) -> None:
        for cell in self.page.lecture.cells:
            if "goals" in cell.tags:
                self.folded(text_of(self.document, self.page.lecture, cell))

    def folded(self, parts: list[nodes.Node]) -> None:
        at = parts.index(first_list(parts, "goals"))
        leads, *rest = parts[max(at - 1, 0) :]
        promised = Fold("", classes=["goals"], summary=GOALS)
        put([promised], leads)
        promised += [leads, *taken(rest)]


def text_of(document: nodes.document, lecture: Lecture, cell: Cell) -> list[nodes.Node]:
    """Return the nodes of a text, up to the next cell or heading."""
    if cell is lecture.cells[0]:
        title = next(document.findall(nodes.title))
        rest = after(title)
    else:
        rest = after(next(node for node in document.findall() if mark(node) == cell.id))
    return list(takewhile(is_text, rest))


def is_text(node: nodes.Node) -> bool:
    """Return whether a text goes on here: neither a cell nor a section begins."""
    return not (mark(node) or code(node) or isinstance(node, nodes.section))


class Answers(CellTransform):
    """``answer``, ``said``: what answers a prediction is folded, and the form asks before it."""

    default_priority = 320

    def change(self) -> None:
        asks = Renderer(self.page.lecture, "../", address)
        said = {one.cells[0].id: one.words for one in self.page.lecture.questions if one.cells}
        for run in list(runs(self.document)):
            ids = [code(node) for node in run]
            at = [k for k, id in enumerate(ids) if "answer" in self.page.cells[id].tags]
            if not at:
                continue
            first, words = ids[at[0]], said.get(ids[at[0]])
            last = len(run) - 1 if words else at[-1]
            parts = run[at[0] : last + 1]
            if words:
                count = answer_first(words.source)[0].count("\n\n") + 1
                # Between the cell and its words stands the mark of the text.
                parts += after(run[last])[1 : 1 + count]
            self.answer(asks.form(self.page.cells[first]), first, parts)

    def answer(self, form: str, id: str, parts: list[nodes.Node]) -> None:
        opened = Fold("", ids=[f"answer-{id}"], classes=["answer"], summary=ANSWER)
        asks = [nodes.raw("", form, format="html", classes=["asks"])] if form else []
        put([*asks, opened], parts[0])
        opened += [parts[0], *taken(parts[1:])]


def runs(document: nodes.document) -> Iterator[list[nodes.Element]]:
    """Yield cells of code that stand beside each other."""
    seen: set[int] = set()
    for node in document.findall(nodes.container):
        if code(node) and id(node) not in seen:
            run = [node, *takewhile(code, after(node))]
            seen |= {id(one) for one in run}
            yield run


class Code(CellTransform):
    """``hide-input``, ``exercise``, ``claim-…``: code is read, folded, or written by the reader.

    Code that serves the page and puts nothing out is folded with what is shown next.
    """

    default_priority = 330

    def change(self) -> None:
        self.waiting: list[nodes.Node] = []
        for solution in list(self.document.findall(Fold)):
            if "solution" in solution["classes"]:
                self.show(solution)
                solution += self.flushed()
        for section in list(self.document.findall(nodes.section)):
            for stretch in stretches(section):
                end = nodes.comment()
                section.insert(section.index(stretch[-1]) + 1, end)
                seen = [self.show(part) for part in stretch]
                # Else it goes to what is shown next.
                put(self.flushed() if any(seen) else [], end)
        list(self.document.findall(nodes.section))[-1].extend(self.flushed())

    def show(self, part: nodes.Node) -> bool:
        """Show the cells of code in a part of the page; return whether there is any to see."""
        seen = False
        for node in [one for one in part.findall(nodes.container) if code(one)]:
            made = self.shown(code(node), outputs(node))
            put(made, node)
            seen = seen or bool(made)
        return seen

    def flushed(self) -> list[nodes.Node]:
        """Return the code that waits, folded."""
        waiting, self.waiting = self.waiting, []
        return [Fold("", *waiting, classes=["code"], summary=CODE)] if waiting else []

    def shown(self, id: str, put_out: list[nodes.Node]) -> list[nodes.Node]:
        """Return a cell: what it shows before code that only draws it, else after."""
        cell = self.page.cells[id]
        if cell.exercise:
            return [raw(written(cell.exercise))]
        read, shows = ([raw(self.linked(id, part))] if part else [] for part in cell.read)
        made = Box("", ids=[id], classes=["cell"])
        if not (read or put_out):
            self.waiting.append(made)
            made += shows
            return []
        if read:
            made += self.flushed()
            made += read
        made += put_out
        self.waiting += shows
        made += self.flushed()
        if claim := ledger().get(cell.claim):
            made += raw(verdict(claim))
        return [made]

    def linked(self, id: str, source: str) -> str:
        return crosslinks.linked(source, self.page.names[id.startswith(WORKED)], "../")


def stretches(section: nodes.section) -> list[list[nodes.Node]]:
    """Return what stands together in a section without words between: code, forms, answers."""
    found: list[list[nodes.Node]] = []
    for together, part in groupby(section.children, is_code):
        if together:
            found.append(list(part))
    return found


def is_code(node: nodes.Node) -> bool:
    """Return whether this is code, what asks before it, or what is folded until asked for."""
    answers = isinstance(node, Fold) and node["classes"] == ["answer"]
    asks = isinstance(node, nodes.raw) and "asks" in node["classes"]
    return bool(code(node)) or answers or asks


@cache
def ledger() -> dict[str, dict[str, Any]]:
    """Return the claims by their ids, as the pages of claims tell them."""
    return {claim["id"]: claim for claim in claims_pages.checked()["claims"]}


def verdict(claim: dict[str, Any]) -> str:
    """Return the line under a claim's cell: what became of it, and what would make it fail."""
    words = f'<a href="../claims.html#{claim["id"]}">Claim {claim["id"]}</a>: '
    words += escape(claim["verdict"])
    words += "".join(f". This cell would fail if {escape(edit)}" for edit in claim["edits"][:1])
    return f'<p class="verdict {claim["verdict"].split()[0]}">{words}</p>'


def exercise_box(asked: Exercise) -> str:
    """Return the place of an exercise, with what its editor promises."""
    promise = escape(exercises.PROMISE)
    return (
        f'<div class="exercise" data-exercise="{asked.id}" data-promise="{promise}">'
        f"<h3>{escape(asked.title)}</h3><pre>{escape(asked.start)}</pre></div>"
    )


def written(asked: Exercise) -> str:
    """Return the place of an exercise that is written in the page; without scripts it is read."""
    folder = "../walks/"
    sheet = f'<link rel="stylesheet" href="{folder}exercise.css">'
    return exercise_box(asked) + sheet + recordings.scripts(folder, "live", "exercise")


class Anchors(CellTransform):
    """Links lead to the text of each cell."""

    default_priority = 350

    def change(self) -> None:
        # A heading is an anchor already.
        headings = {make_id(text) for _, _, text in self.page.lecture.headings}
        for node in [one for one in self.document.findall(nodes.comment) if mark(one)]:
            put([] if mark(node) in headings else [anchor(mark(node))], node)


class Title(CellTransform):
    """Below the text that begins with the title stand its anchor and the downloads."""

    default_priority = 315

    def change(self) -> None:
        title = next(self.document.findall(nodes.title))
        first = self.page.lecture.cells[0]
        last = [title, *text_of(self.document, self.page.lecture, first)][-1]
        at = last.parent.index(last) + 1
        last.parent.insert(at, self.below(first.id))

    def below(self, id: str) -> list[nodes.Node]:
        lecture = self.page.lecture
        links = [f'<a href="../notebooks/{lecture.name}.ipynb" download>Download the notebook</a>']
        if lecture.number.isdigit():
            links.append(f'<a href="../slides/{lecture.name}.html">Slides</a>')
            links.append('<button type="button" data-unfold hidden>Show all code</button>')
        return [anchor(id), raw(f'<p class="downloads">{" · ".join(links)}</p>')]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transforms; their priorities are the order in which they work."""
    for transform in (Exercises, Goals, Title, Answers, Code, Anchors, Links):
        app.add_transform(transform)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
