"""Notebooks as chapters of the book: as ``pages``, for paper.

Sections are numbered and figures have captions. Code that only serves the page is left out; answers
and solutions stand at the chapter's end.
"""

from __future__ import annotations

from html import escape
from itertools import count

from docutils import nodes
from docutils.nodes import make_id
from nbformat import NotebookNode
from sphinx.application import Sphinx

from lincourse import markup
from lincourse.publish import links, pages
from lincourse.publish.cells import Renderer
from lincourse.publish.extension import Box
from lincourse.publish.lectures import Cell, Figure, Lecture, solutions
from lincourse.publish.links import Link

ANSWERS, SOLUTIONS = "Answers to the predictions", "Solutions of the exercises"


def printed_link(name: str, id: str) -> str:
    """Return the place in a book of one page that a link means; homework has none."""
    if not name[:2].isdigit():
        return ""
    return f"#{name[:2]}-{id}" if id else f"#document-{name}"


def epub_link(name: str, id: str) -> str:
    """Return the same place in a book of one file a chapter."""
    place = printed_link(name, id)
    return f"{name}.xhtml{place if id else ''}" if place else ""


# ---- what myst-nb reads


class Captioned(Renderer):
    """Cells whose figures have numbers, and their words below them."""

    def __init__(self, lecture: Lecture, link: Link, numbers: count[int]) -> None:
        super().__init__(lecture, "", link)
        self.numbers = numbers

    def figure(self, cell: Cell, figure: Figure) -> str:
        name = f"Figure {int(self.lecture.number)}.{next(self.numbers)}"
        source = f"figures/{figure.name}.png"
        image = markup.picture(source, name, figure.width, figure.height)
        words = f"<strong>{name}.</strong> {escape(figure.alt)}"
        return f"<figure>{image}<figcaption>{words}</figcaption></figure>"


def chapter(lecture: Lecture, link: Link) -> NotebookNode:
    """Return what the chapter of a lecture is made from."""
    numbers = count(1)
    worked = Captioned(solutions()[lecture.name], link, numbers)
    return pages.notebook(Captioned(lecture, link, numbers), worked)


# ---- one transform for each tag


class Exercises(pages.Exercises):
    """Solutions go to the end of the chapter."""

    default_priority = 325  # after the answers

    def change(self) -> None:
        self.put_off: list[nodes.Node] = []
        super().change()
        if self.put_off:
            self.document[-1] += section(SOLUTIONS, self.put_off)

    def solution(self, title: str, parts: list[nodes.Node]) -> list[nodes.Node]:
        self.put_off += [bold(nodes.Text(title)), *parts]
        return []


class Answers(pages.Answers):
    """Answers go to the end of the chapter."""

    def change(self) -> None:
        self.put_off: list[nodes.Node] = []
        super().change()
        if self.put_off:
            self.document[-1] += section(ANSWERS, self.put_off)

    def answer(self, form: str, id: str, parts: list[nodes.Node]) -> None:
        title = heading(parts[0])
        self.put_off += [bold(*(one.deepcopy() for one in title)), *pages.taken(parts)]


class Code(pages.Code):
    """Code is read or left out; nothing is folded on paper."""

    def shown(self, id: str, put_out: list[nodes.Node]) -> list[nodes.Node]:
        cell = self.page.cells[id]
        # On paper nothing tells that an exercise is not written yet.
        code = cell.exercise.start if cell.exercise else cell.read[0]
        made = Box("", ids=[f"{self.page.lecture.number}-{id}"], classes=["cell"])
        made += [pages.raw(markup.code(code))] if code else []
        made += [] if cell.exercise else put_out
        return [made if made.children else pages.anchor(made["ids"][0])]


class Title(pages.Title):
    """Nothing can be downloaded from paper."""

    def below(self, id: str) -> list[nodes.Node]:
        return [pages.anchor(f"{self.page.lecture.number}-{id}")]


class Anchors(pages.CellTransform):
    """Places in the book say their chapter."""

    default_priority = 350

    def change(self) -> None:
        for node in [one for one in self.document.findall(nodes.comment) if pages.mark(one)]:
            place = pages.anchor(f"{self.page.lecture.number}-{pages.mark(node)}")
            pages.put([place], node)


class Numbers(pages.CellTransform):
    """The sections of a chapter have numbers."""

    default_priority = 360

    def change(self) -> None:
        sections = [one for one in self.document[-1].children if isinstance(one, nodes.section)]
        for number, part in enumerate(sections, start=1):
            part[0].insert(0, nodes.Text(f"{int(self.page.lecture.number)}.{number} "))


class Links(links.Links):
    """Links stay in the book."""

    def link(self, name: str, id: str) -> str:
        epub = self.app.builder.name == "epub"
        return epub_link(name, id) if epub else printed_link(name, id)


def section(title: str, parts: list[nodes.Node]) -> nodes.section:
    """Return a section of a chapter."""
    return nodes.section("", nodes.title("", title), *parts, ids=[make_id(title)])


def bold(*words: nodes.Node) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong("", "", *words), nodes.Text("."))


def heading(node: nodes.Node) -> nodes.title:
    """Return the title of the section of a chapter in which a node stands."""
    within = [node.parent]
    while within[-1].parent is not None:
        within.append(within[-1].parent)
    _, chapter, *sections = within[::-1]
    return next((sections[0] if sections else chapter).findall(nodes.title))


def setup(app: Sphinx) -> dict[str, bool]:
    for transform in (Exercises, Title, Answers, Code, Anchors, Numbers, Links):
        app.add_transform(transform)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
