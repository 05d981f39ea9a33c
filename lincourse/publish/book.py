"""Make the book: the whole course as one page to print, and the formula sheet.

Chapters and sections are numbered, figures have captions, the contents tell the pages once the PDF
has been printed (it is printed twice: the first printing tells where everything stands).
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from lincourse import markup
from lincourse.files import put
from lincourse.paths import BUILD, PAGES, ROOT
from lincourse.publish import pdf
from lincourse.publish.lectures import (
    HEADING,
    Cell,
    Lecture,
    html_of,
    lectures,
    split_at_headings,
    text_of,
    write_figures,
)
from lincourse.publish.pages import NOTEBOOK, OUTSIDE, tables


class Chapter:
    """A lecture as a chapter: numbered sections, captions, links inside the book."""

    def __init__(self, lecture: Lecture, number: int) -> None:
        self.lecture, self.number = lecture, number
        self.figures = 0
        self.sections: list[tuple[str, str]] = []  # (id, heading as HTML)
        self.html = "\n".join(part for cell in lecture.cells for part in self.cell(cell))

    @property
    def id(self) -> str:
        return f"chapter-{self.lecture.number}"

    def cell(self, cell: Cell) -> list[str]:
        anchor = f"{self.lecture.number}-{cell.id}"
        if cell.kind == "markdown":
            source = OUTSIDE.sub(r"\1", cell.source)
            pieces = [self.piece(piece) for piece in split_at_headings(source)]
            return [f'<div id="{anchor}">', *pieces, "</div>"]
        if cell.kind != "code":
            return []
        code = markup.code_cell(cell.source)
        outputs = [self.output(cell, output) for output in cell.outputs]
        return [f'<div class="cell" id="{anchor}">{code}', *outputs, "</div>"]

    def piece(self, source: str) -> str:
        found = HEADING.match(source)
        if not found:
            return markup.markdown(source, self.link)
        level, words = len(found[1]), markup.inline(found[2])
        rest = markup.markdown(source[found.end() :], self.link)
        if level == 1:
            title = markup.inline(self.lecture.question)
            return f'<h1 id="{self.id}"><span>{self.number}</span> {title}</h1>\n{rest}'
        if level > 2:
            return f"<h3>{words}</h3>\n{rest}"
        id = f"{self.id}-{len(self.sections) + 1}"
        number = f"{self.number}.{len(self.sections) + 1}"
        self.sections.append((id, f"<span>{number}</span> {words}"))
        return f'<h2 id="{id}"><span>{number}</span> {words}</h2>\n{rest}'

    def link(self, target: str) -> str:
        found = re.fullmatch(r"(?:.*/)?(\d\d)-[\w-]+\.ipynb(?:#cell-id=([\w-]+))?", target)
        if found:
            return f"#{found[1]}-{found[2]}" if found[2] else f"#chapter-{found[1]}"
        return "#homework" if target.endswith(".ipynb") else target

    def output(self, cell: Cell, output: dict[str, Any]) -> str:
        if figure := self.lecture.figure(cell, output):
            self.figures += 1
            source = f"figures/{figure.name}.png"
            image = markup.picture(source, figure.alt, figure.width, figure.height)
            caption = f"<strong>Figure {self.number}.{self.figures}.</strong> {escape(figure.alt)}"
            return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"
        if html := html_of(output):
            html = NOTEBOOK.sub(lambda found: f'href="{self.link(found[0][6:-1])}"', html)
            return tables(html.replace("<details>", "<details open>"))
        return markup.printed(text_of(output))


def book() -> str:
    """Return the book as one page; its contents have room for page numbers."""
    chapters = [Chapter(one, int(one.number)) for one in lectures()]
    listed = "\n".join(contents(chapter) for chapter in chapters)
    rest = '<li><a href="#homework">The homework</a><i data-page="homework"></i></li>'
    body = "\n".join(f'<section class="chapter">{one.html}</section>' for one in chapters)
    template = (PAGES / "book.html").read_text("utf-8")
    return template.replace("{contents}", listed + rest).replace("{chapters}", body)


def contents(chapter: Chapter) -> str:
    lines = "".join(
        f'<li><a href="#{id}">{words}</a><i data-page="{id}"></i></li>'
        for id, words in chapter.sections
    )
    title = f"<span>{chapter.number}</span> {markup.inline(chapter.lecture.question)}"
    head = f'<a href="#{chapter.id}">{title}</a><i data-page="{chapter.id}"></i>'
    return f"<li>{head}<ol>{lines}</ol></li>"


def sheet() -> str:
    """Return the formula sheet as a page of its own."""
    source = (PAGES / "formulas.md").read_text("utf-8")
    body = "\n".join(
        f"<section>{markup.markdown(piece)}</section>"
        for piece in split_at_headings(source, levels=(2,))
    )
    return (PAGES / "sheet.html").read_text("utf-8").replace("{formulas}", body)


def numbered(page: str, printed: bytes) -> str:
    """Return the page with the numbers of the pages on which its parts begin."""
    where = pdf.destinations(printed)
    return re.sub(
        r'<i data-page="([\w-]+)"></i>',
        lambda found: f'<i data-page="{found[1]}">{where.get(found[1], "")}</i>',
        page,
    )


def write(folder: Path) -> None:
    """Write the book and the sheet, with what they need, into a folder."""
    put(folder / "book.html", book())
    put(folder / "formulas.html", sheet())
    put(folder / "book.css", (PAGES / "book.css").read_bytes())
    put(folder / "code.css", markup.code_colours())
    for name in ("stix-two-math.woff2", "stix-two-math-LICENSE.txt"):
        put(folder / name, (PAGES / "static" / name).read_bytes())
    write_figures(folder / "figures", lectures())


def print_all(folder: Path) -> None:
    if not pdf.printer():
        return
    with pdf.browser() as shown:
        page = shown.new_page()
        source, printed = folder / "book.html", folder / "book.pdf"
        pages = pdf.print_page(page, source.as_uri(), printed)
        put(source, numbered(source.read_text("utf-8"), printed.read_bytes()))
        pages = pdf.print_page(page, source.as_uri(), printed)
        print(f"  book.pdf: {pages} pages")
        pages = pdf.print_page(page, (folder / "formulas.html").as_uri(), folder / "formulas.pdf")
        print(f"  formulas.pdf: {pages} page{'s' * (pages > 1)}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=BUILD / "book")
    parser.add_argument("--no-pdf", action="store_true", help="leave out the PDFs")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    write(options.out)
    print(f"book.html and formulas.html in {options.out.relative_to(ROOT)}")
    if not options.no_pdf:
        print_all(options.out.resolve())
    print(f"{time.monotonic() - started:.0f} s")
