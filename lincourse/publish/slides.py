"""Make a deck for each lecture from the cells of its lecture path.

A cell's slide type says where it goes: ``slide`` and ``subslide`` begin one, ``fragment`` comes on
the next click, ``-`` follows, ``skip`` is left to self-study. Here a slide is a list of blocks; in
the browser deck.js measures them, and what does not fit goes on on the next slide. Without
reveal.js a deck is a page to scroll. Speaker notes are the guide's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from jinja2 import Template

from lincourse import markup
from lincourse.files import put
from lincourse.paths import PAGES
from lincourse.publish import guide, packages, pdf, recordings
from lincourse.publish.cells import PREDICT_JS, Renderer
from lincourse.publish.lectures import (
    HEADING,
    Cell,
    Figure,
    Lecture,
    answer_first,
    lectures,
    minutes,
    write_figures,
)
from lincourse.publish.links import followed


@dataclass
class Slide:
    """What the author wants on one slide: blocks of HTML below a heading, and speaker notes."""

    heading: str
    notes: str
    more: bool = False  # goes on from the slide before
    blocks: list[str] = field(default_factory=list)


class Deck(Renderer):
    """The slides of a lecture."""

    def __init__(self, lecture: Lecture, root: str = "") -> None:
        super().__init__(lecture, root, deck_address)
        self.clicks = 0
        self.slides: list[Slide] = []
        for heading, parts in lecture.sections():
            self.heading, self.parts, self.begun = heading, parts, False
            for cell, source in parts:
                if cell.slide not in ("", "skip"):
                    self.cell(cell, source)

    def cell(self, cell: Cell, source: str) -> None:
        if not self.begun or cell.slide in ("slide", "subslide"):
            notes = self.notes(minutes(self.parts) if not self.begun else 0)
            self.slides.append(Slide(self.heading, notes, self.begun))
            self.begun = True
        clicked = cell.slide == "fragment" or "answer" in cell.tags
        self.clicks += clicked
        if cell.kind == "code":
            form = self.form(cell)
            self.add([f'<div class="block">{form}</div>'] if form else [], clicked=False)
            self.add(self.code(cell), clicked=clicked)
        elif cell.id in self.lecture.said:  # the words of an answer come along with it
            answer, rest = answer_first(source)
            self.add(self.prose(cell, answer), clicked=True)
            self.add(self.prose(cell, rest), clicked=clicked)
        else:
            self.add(self.prose(cell, source), clicked=clicked)

    def add(self, blocks: Iterable[str], *, clicked: bool) -> None:
        kept = f'class="block fragment" data-fragment-index="{self.clicks}"'
        opened = kept if clicked else 'class="block"'
        self.slides[-1].blocks += [block.replace('class="block"', opened, 1) for block in blocks]

    def prose(self, cell: Cell, source: str) -> Iterator[str]:
        """Return the blocks of a text; a line that only leads to what follows stays with it."""
        found = HEADING.match(source)
        if found and len(found[1]) <= 2:
            source = source[found.end() :]
        for token, html in markup.blocks(source, lambda target: followed(target, self.link)):
            words = re.sub(r"<[^>]+>", "", html)
            leads = token.type == "heading_open" or not re.search(r"[.?!)]\s*$", words)
            leads = leads and token.type not in ("math_block", "table_open")
            asks = "predict" in cell.tags and html.startswith("<p><strong>")
            html = f'<div class="predict">{html}</div>' if asks else html
            yield f'<div class="block"{" data-leads" * leads}>{html}</div>'

    def code(self, cell: Cell) -> list[str]:
        """Return a cell as one block; code that serves the page is left out."""
        code = cell.read[0]
        shown = [*([markup.code(code)] if code else []), *self.outputs(cell)]
        inside = "".join(f"<div>{one}</div>" for one in shown if one)
        return [f'<div class="block">{inside}</div>'] if inside else []

    def figure(self, cell: Cell, figure: Figure) -> str:
        shown = super().figure(cell, figure)
        if recordings.name_of(self.lecture, cell):
            return f'<div class="explorer">{shown}</div>'
        return f'<div class="picture" style="--high: {figure.height}px">{shown}</div>'

    def notes(self, time: float) -> str:
        told = markup.markdown(
            guide.notes(self.lecture, self.heading), lambda target: followed(target, lambda *_: "")
        )
        spent = f'<p class="minutes"><strong>{max(1, round(time))} min.</strong></p>\n'
        return (spent if time else "") + told

    def html(self, missing: str = "") -> str:
        template = Template((PAGES / "deck.html").read_text("utf-8"))
        title = escape(markup.plain(self.lecture.title))
        # Nothing on a slide scrolls, so nothing but links and controls needs the keyboard.
        made: str = template.render(
            title=title,
            root=self.root,
            slides=self.slides,
            missing=missing,
            inline=markup.inline,
            named=markup.named,
        )
        return made.replace(' tabindex="0"', "")


def deck(lecture: Lecture, root: str = "", missing: str = "") -> str:
    """Return the deck of a lecture; ``missing`` says why there is no reveal.js."""
    return Deck(lecture, root).html(missing)


def deck_address(name: str, id: str) -> str:
    """Return the deck that a link means; homework has none."""
    return f"{name}.html" if name[:2].isdigit() else ""


def write(folder: Path, root: str = "", walked: list[Lecture] | None = None) -> None:
    """Write all decks into a folder; figures and walks too, unless they are in ``root`` already."""
    missing = packages.write("reveal.js", folder / "reveal")
    if missing:
        print(f"Slides are pages to scroll, without reveal.js: {missing}.")
    for one in lectures():
        put(folder / f"{one.name}.html", deck(one, root, missing))
    if not root:
        write_figures(folder / "figures", lectures())
        recordings.write(folder / "walks", walked)
        packages.write_fonts(folder / "_static")
    for path in (PAGES / "deck").iterdir():
        put(folder / "reveal" / path.name, path.read_bytes())
    put(folder / "reveal" / "predict.js", PREDICT_JS.read_bytes())
    put(folder / "reveal" / "code.css", markup.code_colours())


def build(out: Path) -> None:
    """Write the decks, and a PDF of each if there is a Chromium."""
    write(out)
    if pdf.printer():
        pdf.print_pages([out / f"{one.name}.html" for one in lectures()], "?print-pdf")
