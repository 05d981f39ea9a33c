"""Make the book: the whole course as one page to print and as an EPUB, and the formula sheet.

Sphinx makes both from the same chapters. Sections are numbered, figures have captions, answers
and solutions stand at the chapter's end. The contents tell the pages once the PDF has been printed.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from io import BytesIO
from pathlib import Path

from lincourse import markup
from lincourse.files import put
from lincourse.paths import PAGES
from lincourse.publish import packages, pages, pdf, reference, site
from lincourse.publish.cells import Link
from lincourse.publish.claims_pages import filled
from lincourse.publish.lectures import (
    Cell,
    Figure,
    Lecture,
    lectures,
    split_at_headings,
    write_figures,
)

SOURCE = PAGES / "book"
DATED = (2000, 1, 1, 0, 0, 0)  # the files inside the EPUB, so that the same book has the same bytes


class Chapter(pages.Page):
    """A lecture as a chapter: figures with captions, answers and solutions at its end."""

    def __init__(
        self, lecture: Lecture, claims: pages.Ledger, link: Link, prefix: str = ""
    ) -> None:
        super().__init__(lecture, claims, link, prefix)
        self.root, self.taken = "", set()
        self.section, self.heading = 0, ""
        self.answers: list[str] = []
        self.solved: list[str] = []

    def text(self) -> str:
        made, self.parts = super().text(), []
        ends = {"Answers to the predictions": self.answers}
        ends["Solutions of the exercises"] = self.solved
        for title, parts in ends.items():
            if parts:
                self.add(f"## {title}")
                self.parts += parts
        return "\n\n".join([made, *self.parts]) + "\n"

    def figure(self, cell: Cell, figure: Figure) -> str:
        name = f"Figure {int(self.lecture.number)}.{next(self.count)}"
        source = f"figures/{figure.name}.png"
        image = markup.picture(source, name, figure.width, figure.height)
        words = f"<strong>{name}.</strong> {escape(figure.alt)}"
        return f"<figure>{image}<figcaption>{words}</figcaption></figure>"

    def add(self, source: str) -> None:
        if source.startswith("## "):
            self.section += 1
            self.heading = source[3:].partition("\n")[0]
            source = f"## {int(self.lecture.number)}.{self.section} {source[3:]}"
        super().add(source)

    @contextmanager
    def later(self, title: str, end: list[str]) -> Iterator[None]:
        """Put off to the end of the chapter what is added meanwhile."""
        body, self.parts = self.parts, [f"**{title}.**"]
        yield
        end += self.parts
        self.parts = body

    def answer(self, cells: list[Cell], said: Cell | None) -> None:
        with self.later(self.heading, self.answers):
            self.answered(cells, said)

    def solution(self, title: str, cells: list[Cell]) -> None:
        with self.later(title, self.solved):
            self.worked(cells)

    def cell(self, cell: Cell) -> None:
        asked = pages.exercise(cell)  # on paper nothing tells that it is not written yet
        code = asked.start if asked else cell.read[0]
        shown = (markup.code(code) if code else "") + "".join([] if asked else self.outputs(cell))
        if shown:
            self.parts.append(
                pages.raw(f'<div class="cell" id="{self.prefix}{cell.id}">{shown}</div>')
            )
        else:
            self.anchor(cell.id)

    def downloads(self) -> list[str]:
        return []

    def goals(self, words: str) -> None:
        self.parts.append(words)


def printed_link(name: str, id: str) -> str:
    """Return the place in a book of one page that a link means; homework has none."""
    if not name[:2].isdigit():
        return ""
    return f"#{name[:2]}-{id}" if id else f"#document-{name}"


def epub_link(name: str, id: str) -> str:
    """Return the same place in a book of one file a chapter."""
    place = printed_link(name, id)
    return f"{name}.xhtml{place if id else ''}" if place else ""


def collect(folder: Path, link: Link) -> None:
    """Write the chapters into a folder."""
    course = lectures()
    for one in course:
        put(folder / f"{one.name}.md", Chapter(one, {}, link, f"{one.number}-").text())
    put(folder / "words.md", reference.words_page(course, link))
    names = "\n".join([*(one.name for one in course), "words"])
    put(folder / "index.md", filled("book/index.md.jinja", chapters=names))


def unique(page: str) -> str:
    """Return the book with ids of sections that say their chapter: Sphinx leaves them alike."""
    page = re.sub(r'href="#document-(\d\d)[\w-]*#', r'href="#s\1-', page)
    first, *chapters = re.split(r'(?=<span id="document-\d\d)', page)
    for number, chapter in enumerate(chapters):
        first += chapter.replace('<section id="', f'<section id="s{number:02}-')
    # What leads to a chapter leads to its first page, not to the last one before it.
    return re.sub(r'(<span id="document-[\w-]+"></span>)(<section[^>]*>)', r"\2\1", first)


def sheet() -> str:
    """Return the formula sheet as a page of its own."""
    source = (PAGES / "formulas.md").read_text("utf-8")
    body = "\n".join(
        f"<section>{markup.markdown(piece)}</section>"
        for piece in split_at_headings(source, levels=(2,))
    )
    return (SOURCE / "sheet.html").read_text("utf-8").replace("{formulas}", body)


def numbered(page: str, where: dict[str, int]) -> str:
    """Return the page with the numbers of the pages on which its parts begin."""
    before, nav, rest = re.split(r"(<nav.*?</nav>)", page, maxsplit=1, flags=re.DOTALL)
    numbers = re.sub(
        r'href="#([\w-]+)">(.*?)</a>(?:<i>\d+</i>)?',
        lambda found: f'href="#{found[1]}">{found[2]}</a><i>{where.get(found[1], 100)}</i>',
        nav,
    )
    return before + numbers + rest


def as_epub(content: bytes) -> bytes:
    """Return Sphinx's EPUB with formulas declared, the same for the same book."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as made, zipfile.ZipFile(out, "w") as packed:
        files = {name: made.read(name) for name in made.namelist()}
        with_math = {name for name, file in files.items() if b"<math" in file}
        files["content.opf"] = re.sub(
            rb'href="([^"]+)" media-type',
            lambda found: (
                (b'properties="mathml" ' if found[1].decode() in with_math else b"") + found[0]
            ),
            files["content.opf"],
        )
        for name in sorted(files, key=lambda name: (name != "mimetype", name)):
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            packed.writestr(zipfile.ZipInfo(name, DATED), files[name], kind)
    return out.getvalue()


def built(builder: str, link: Link, name: str, **settings: str) -> bytes:
    """Return the file that Sphinx makes of the chapters."""
    with tempfile.TemporaryDirectory() as work:
        sources, out = Path(work) / "pages", Path(work) / "made"
        collect(sources, link)
        write_figures(out / "figures", lectures())
        put(Path(work) / "static" / "code.css", markup.code_colours())
        site.sphinx(sources, out, builder, SOURCE, **settings)
        return next(out.glob(name)).read_bytes()


def write(folder: Path) -> None:
    """Write the book, the EPUB and the sheet, with what they need, into a folder."""
    page = built("singlehtml", printed_link, "index.html", templates_path="templates")
    put(folder / "book.html", unique(page.decode()))
    put(folder / "book.epub", as_epub(built("epub", epub_link, "*.epub")))
    put(folder / "formulas.html", sheet())
    put(folder / "_static" / "book.css", (SOURCE / "book.css").read_bytes())
    put(folder / "_static" / "code.css", markup.code_colours())
    packages.write_fonts(folder / "_static")
    write_figures(folder / "figures", lectures())


def build(out: Path) -> None:
    """Write all of it, and print it if there is a Chromium.

    The book is printed twice: the numbers of its pages are known after the first time.
    """
    write(out)
    if pdf.printer():
        source, where = out / "book.html", dict[str, int]()
        for _ in range(2):
            put(source, numbered(source.read_text("utf-8"), where))
            pdf.print_pages([source])
            where = pdf.destinations(out / "book.pdf")
        pdf.print_pages([out / "formulas.html"])
