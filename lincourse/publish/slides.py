"""Make a deck for each lecture from the cells of its lecture path.

A cell's slide type says where it goes: ``slide`` and ``subslide`` begin one, ``fragment`` comes on
the next click, ``-`` follows, ``skip`` is left to self-study. A notebook without slide types gets a
slide for each heading, without the code of large figures. What does not fit on a slide goes on
below it. Speaker notes are the guide's.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from lincourse import markup
from lincourse.files import put
from lincourse.paths import BUILD, PAGES, ROOT
from lincourse.publish import guide, pdf, recordings
from lincourse.publish.lectures import (
    HEADING,
    PREDICT,
    Cell,
    Figure,
    Lecture,
    html_of,
    lectures,
    minutes,
    split_at_headings,
    text_of,
    write_figures,
)

ROOM = 590  # pixels below the heading of a slide of 1280 × 720
LINE, CODE, ROW = 34, 25, 31  # height of a line of prose, of code, of a table's row
COLUMNS = 92  # letters in a line of prose
SHORT, SHRINK = 150, 1.2  # a slide with this little on it may overflow so much, and is scaled
LEAST, LARGE = 1.1, 1.6  # figures grow by the first beside words, by the second if there is room


@dataclass
class Block:
    """A piece of a slide that is not torn apart, with its height as estimated."""

    html: str
    height: float
    click: bool = False  # comes on the next click
    along: bool = False  # comes with what came on a click before it
    sticky: bool = False  # leads to what follows, and goes along with it
    picture: tuple[str, Figure] | None = None  # where it is; it grows into the room that is left


@dataclass
class Slide:
    """A heading and the blocks below it."""

    heading: str
    blocks: list[Block] = field(default_factory=list)
    notes: str = ""
    asked: bool = False  # begun by the author, not for want of room

    @property
    def height(self) -> float:
        return sum(block.height for block in self.blocks)


class Deck:
    """The slides of a lecture: stacks of slides that lie below each other."""

    def __init__(self, lecture: Lecture, root: str = "") -> None:
        self.lecture, self.root = lecture, root
        self.stacks: list[list[Slide]] = []
        self.tagged = any(cell.slide for cell in lecture.cells)
        self.fresh = True  # the next block begins a slide
        for heading, parts in lecture.sections():
            begun = len(self.stacks)
            self.section(heading, parts)
            if len(self.stacks) > begun:
                for stack in self.stacks[begun:]:
                    gather(stack)
                notes = self.notes(heading, parts)
                for slide in (slide for stack in self.stacks[begun:] for slide in stack):
                    slide.notes = notes  # on every slide of the section: the speaker goes down

    # ---- from cells to slides

    def section(self, heading: str, parts: list[tuple[Cell, str]]) -> None:
        self.heading, self.fresh = heading, True
        for cell, source in parts:
            if (kind := self.kind(cell)) == "skip":
                continue
            said = cell.id in self.lecture.said
            if kind == "slide" or (kind == "subslide" and not self.stacks):
                self.fresh = True
            elif kind == "subslide" and not self.fresh:
                self.stacks[-1].append(Slide(self.heading, asked=True))
            for group in self.groups(cell, source):
                for block in group:
                    block.along = said
                self.add(group, click=kind == "fragment" or cell.id in self.lecture.answers)

    def kind(self, cell: Cell) -> str:
        if self.tagged:
            return cell.slide or "skip"
        imports = cell.kind == "code" and not cell.outputs and "use_style()" in cell.source
        return "skip" if imports or cell.kind not in ("code", "markdown") else "-"

    def add(self, group: list[Block], *, click: bool) -> None:
        """Add blocks that belong together, on this slide if they fit, else on the next."""
        if self.fresh:
            self.stacks.append([Slide(self.heading)])
            self.fresh = False
        for block in group:
            block.click = block.click or click
        stack = self.stacks[-1]
        together = sum(block.height for block in group)
        whole = stack[-1].height + together
        if stack[-1].height < SHORT and whole <= SHRINK * ROOM:
            stack[-1].blocks += group  # better a little smaller than a line alone on its slide
            return
        if stack[-1].blocks and whole > ROOM >= together:
            self.turn(stack)
        for block in group:
            if stack[-1].blocks and stack[-1].height + block.height > SHRINK * ROOM:
                self.turn(stack)
            stack[-1].blocks.append(block)

    def turn(self, stack: list[Slide]) -> None:
        """Begin the next slide, with the lines that lead to what follows."""
        old = stack[-1].blocks
        taken: list[Block] = []
        while len(old) > 1 and old[-1].sticky and sum(b.height for b in taken) < SHORT:
            taken.insert(0, old.pop())
        stack.append(Slide(self.heading, taken))

    def groups(self, cell: Cell, source: str) -> list[list[Block]]:
        if cell.kind == "markdown":
            return [[block] for piece in split_at_headings(source) for block in self.prose(piece)]
        shown = [block for output in cell.outputs for block in self.output(cell, output)]
        code = self.code(cell)
        if (
            "hide-input" in cell.tags
            or cell.id == "explore"
            or recordings.PREDICTS.search(cell.source)
        ):
            return [shown]
        if self.lecture.figures(cell) and code.height + sum(b.height for b in shown) > ROOM:
            return [shown, [code]] if self.tagged else [shown]  # the figure large, its code below
        return [[code, *shown]]

    # ---- blocks

    def prose(self, piece: str) -> list[Block]:
        found = HEADING.match(piece)
        if found and len(found[1]) <= 2:
            piece = piece[found.end() :]
        made: list[Block] = []
        for token, html in markup.blocks(piece, self.link):
            # Homework, and files of the repository.
            html = re.sub(r'<a href="(?:[^"]*\.ipynb|\.\./[^"]*)">(.*?)</a>', r"\1", html)
            words = re.sub(r"<[^>]+>", "", html)
            height = tall(token.type, html, words)
            if PREDICT.match(token.type and _source(html)):
                html = f'<div class="predict">{html}</div>'
                height += 20
            if token.type == "math_block" and made and made[-1].sticky:
                made[-1] = Block(made[-1].html + html, made[-1].height + height)
            else:
                made.append(Block(html, height, sticky=leads(token.type, words)))
        return made

    def link(self, target: str) -> str:
        return re.sub(r"^(?:.*/)?(\d\d-[\w-]+)\.ipynb(?:#cell-id=.*)?$", r"\1.html", target)

    def code(self, cell: Cell) -> Block:
        lines = cell.source.count("\n") + 1
        return Block(markup.code_cell(cell.source), CODE * lines + 26)

    def output(self, cell: Cell, output: dict[str, Any]) -> list[Block]:
        if figure := self.lecture.figure(cell, output):
            source = f"{self.root}figures/{figure.name}.png"
            if name := recordings.name_of(self.lecture, cell):
                still = picture(source, figure, ROOM)
                box = recordings.box(name, still, self.root + "walks/")
                return [Block(f'<div class="recorded">{box}</div>', ROOM)]
            height = LEAST * figure.height * min(1, 1200 / figure.width / LEAST)
            return [Block("", min(height, ROOM - 10) + 10, picture=(source, figure))]
        if html := html_of(output):
            html = re.sub(r'<a href="[^"]*">(.*?)</a>', r"\1", html)
            # What is folded in the notebook is left to self-study.
            html = re.sub(
                r"<details><summary>(.*?)</summary>.*?</details>", r"<p>\1</p>", html, flags=re.S
            )
            return [Block(markup.table(part), height) for part, height in parted(html)]
        words = text_of(output)
        lines = sum(1 + len(line) // 100 for line in words.split("\n"))
        return [Block(markup.printed(words), CODE * lines + 12)] if words else []

    # ---- as HTML

    def notes(self, heading: str, parts: list[tuple[Cell, str]]) -> str:
        words = guide.cell_links(
            guide.notes(self.lecture, heading), self.lecture, lambda _, shown: shown
        )
        spent = guide.spent(minutes(parts))
        return f"<p><strong>{spent}.</strong></p>\n" + markup.markdown(words)

    def html(self) -> str:
        made = []
        for stack in self.stacks:
            slides = "\n".join(slide_html(slide, at) for at, slide in enumerate(stack))
            made.append(slides if len(stack) == 1 else f"<section>\n{slides}\n</section>")
        template = (PAGES / "deck.html").read_text("utf-8")
        title = escape(markup.plain(self.lecture.title))
        template = template.replace("{root}", self.root).replace("{title}", title)
        # Nothing on a slide scrolls, so nothing but links and controls needs the keyboard.
        return template.replace("{slides}", "\n".join(made).replace(' tabindex="0"', ""))


def gather(stack: list[Slide]) -> None:
    """Put the few lines that are left for a slide of their own on the slide before, if it can be.

    A slide may be scaled a little; one that the author began stays.
    """
    for at in range(len(stack) - 1, 0, -1):
        before, slide = stack[at - 1], stack[at]
        few = slide.height < SHORT and not any(block.picture for block in slide.blocks)
        if few and not slide.asked and before.height + slide.height <= SHRINK * ROOM:
            before.blocks += slide.blocks
            del stack[at]


def picture(source: str, figure: Figure, room: float) -> str:
    """Return a figure as large as the room allows, in either direction."""
    grown = min(LARGE, 1200 / figure.width, (room - 10) / figure.height)
    size = round(figure.width * grown), round(figure.height * grown)
    return markup.picture(source, figure.alt, *size)


def draw(slide: Slide) -> None:
    """Let the pictures of a slide share the room that is left."""
    pictures = [block for block in slide.blocks if block.picture]
    for block in pictures:
        if block.picture:
            room = block.height + max(0, ROOM - slide.height) / len(pictures)
            block.html = f'<div class="picture">{picture(*block.picture, room)}</div>'


def slide_html(slide: Slide, at: int) -> str:
    draw(slide)
    more = ' class="more"' if at else ""
    blocks = "\n".join(
        f'<div class="fragment">{html}</div>' if clicked else html
        for html, clicked in clicks(slide.blocks)
    )
    notes = f'\n<aside class="notes">{slide.notes}</aside>' if slide.notes else ""
    heading = f"<h2{more}>{markup.inline(slide.heading)}</h2>"
    return (
        f'<section>\n{heading}\n<div class="fit"><div>\n{blocks}\n</div></div>{notes}\n</section>'
    )


def clicks(blocks: list[Block]) -> list[tuple[str, bool]]:
    """Return what is there at once or comes on a click: words of an answer come along with it.

    Where no answer is shown before them, but its question is, they come on a click of their own.
    """
    made: list[tuple[str, bool]] = []
    for block in blocks:
        before = made[-1] if made else ("", False)
        if block.along and not block.click and before[1]:
            made[-1] = before[0] + block.html, True
        else:
            asked = block.along and 'class="predict"' in before[0]
            made.append((block.html, block.click or asked))
    return made


def leads(kind: str, words: str) -> bool:
    """Tell whether a block is only the beginning of what follows it."""
    return kind == "heading_open" or not re.search(r"[.?!)]\s*$", words)


def parted(table: str) -> list[tuple[str, float]]:
    """Cut a table that is taller than a slide between its rows; return parts with their height."""
    head, _, rest = table.partition("<tbody>")
    rows = re.findall(r"<tr>.*?</tr>", rest, flags=re.S)
    heights = [ROW * row_lines(row) for row in rows]
    if sum(heights) + ROW + 14 <= SHRINK * ROOM or len(rows) < 2:
        return [(table, sum(heights) + ROW + 14)]
    parts: list[tuple[list[str], float]] = []
    now: list[str] = []
    used = 0.0
    for row, height in zip(rows, heights, strict=True):
        if now and used + height + ROW + 14 > ROOM:
            parts.append((now, used))
            now, used = [], 0.0
        now, used = [*now, row], used + height
    parts.append((now, used))
    foot = "</tbody></table>"
    return [(head + "<tbody>" + "".join(now) + foot, used + ROW + 14) for now, used in parts]


def row_lines(row: str) -> int:
    """Estimate how many lines a row of a table takes: the columns share the slide."""
    cells = [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.S)]
    long = sum(len(cell) > 30 for cell in cells)
    return max([1 + len(cell) * long // 110 + cell.count("<br") for cell in cells] or [1])


def tall(kind: str, html: str, words: str) -> float:
    """Estimate the height of a block of prose."""
    if kind == "table_open":
        return ROW * html.count("<tr") + 20
    if kind == "math_block":
        return 74 * max(1, html.count("<mtr"))
    if kind == "fence":
        return CODE * html.count("\n") + 20
    items = re.split(r"<li>", html)
    lines = sum(-(-len(re.sub(r"<[^>]+>", "", item)) // COLUMNS) for item in items)
    return LINE * max(lines, 1) + 14


def _source(html: str) -> str:
    """Return how the HTML of a paragraph began in Markdown, as far as bold words go."""
    return re.sub(r"^<p><strong>", "**", html)


def write(folder: Path, root: str = "", walked: list[Lecture] | None = None) -> list[Deck]:
    """Write all decks into a folder; figures and walks too, unless they are in ``root`` already."""
    decks = [Deck(one, root) for one in lectures()]
    for deck in decks:
        put(folder / f"{deck.lecture.name}.html", deck.html())
    if not root:
        write_figures(folder / "figures", lectures())
        recordings.write(folder / "walks", walked)
    for path in [*(PAGES / "reveal").iterdir(), *(PAGES / "deck").iterdir()]:
        put(folder / "reveal" / path.name, path.read_bytes())
    put(folder / "reveal" / "code.css", markup.code_colours())
    for name in ("stix-two-math.woff2", "stix-two-math-LICENSE.txt"):
        put(folder / "reveal" / name, (PAGES / "static" / name).read_bytes())
    return decks


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=BUILD / "slides")
    parser.add_argument("--no-pdf", action="store_true", help="leave out the PDFs")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    decks = write(options.out)
    count = sum(len(stack) for deck in decks for stack in deck.stacks)
    print(f"{len(decks)} decks, {count} slides in {options.out.relative_to(ROOT)}")
    if not options.no_pdf:
        names = [deck.lecture.name for deck in decks]
        pdf.print_decks([options.out / f"{name}.html" for name in names])
    print(f"{time.monotonic() - started:.0f} s")
