"""Make the book: the whole course as one page to print and as an EPUB, and the formula sheet.

Sphinx makes both from the same chapters. Sections are numbered, figures have captions, answers
and solutions stand at the chapter's end. The contents tell the pages once the PDF has been printed.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

import nbformat

from lincourse import markup
from lincourse.files import put
from lincourse.paths import PAGES
from lincourse.publish import chapters, packages, pdf, site
from lincourse.publish.chapters import epub_link, printed_link
from lincourse.publish.claims_pages import filled
from lincourse.publish.lectures import lectures, split_at_headings, write_figures
from lincourse.publish.links import Link

SOURCE = PAGES / "book"
DATED = (2000, 1, 1, 0, 0, 0)  # the files inside the EPUB, so that the same book has the same bytes


def collect(folder: Path, link: Link) -> None:
    """Write the chapters into a folder."""
    course = lectures()
    for one in course:
        put(folder / f"{one.name}.ipynb", nbformat.writes(chapters.chapter(one, link)))
    put(folder / "words.md", filled("words.md"))
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
