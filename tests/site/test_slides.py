"""Slides and book: what the notebooks say, all of it, large enough and on the page.

The tests that need a browser measure two decks; ``SITE_PAGES=all`` makes them measure every deck.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lincourse import markup
from lincourse.publish import book, lectures, pdf, slides
from lincourse.publish.lectures import Lecture
from tests.site.test_site import NAMES, WHOLE, Seen

MEASURED = NAMES if WHOLE else NAMES[1:3]
SMALLEST = 0.75  # no slide is scaled below this


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slides")
    slides.write(folder, walked=[one for one in lectures.lectures() if one.name in MEASURED])
    return folder


@pytest.fixture(scope="module")
def printed_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    book.write(folder)
    return folder


def notebook(folder: Path, *cells: dict[str, Any]) -> Lecture:
    """Return a small lecture made of cells given as (source, slide type, more)."""
    full = [
        {"cell_type": "markdown", "metadata": {}, "id": f"c{at}", "outputs": []} | cell
        for at, cell in enumerate(cells)
    ]
    path = folder / "99-test.ipynb"
    path.write_text(json.dumps({"cells": full, "metadata": {}, "nbformat": 4}), "utf-8")
    return Lecture(path)


def typed(source: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "metadata": {"slideshow": {"slide_type": kind}}, **more}


def shape(deck: slides.Deck) -> list[list[int]]:
    """How many blocks there are on each slide of each stack."""
    return [[len(slide.blocks) for slide in stack] for stack in deck.stacks]


def test_slide_types_decide_what_is_shown_where(tmp_path: Path) -> None:
    lecture = notebook(
        tmp_path,
        typed("# 99 · Why?\n\nOne.", "slide"),
        typed("Not on the path.", "skip"),
        typed("Two.", "fragment"),
        typed("Three.", "subslide"),
        {"source": "Untyped cells are off the path, once there are types."},
        typed("## Next\n\nFour.", "slide"),
        typed("Five.", "-"),
    )
    deck = slides.Deck(lecture)
    assert shape(deck) == [[2, 1], [2]]
    assert [block.click for block in deck.stacks[0][0].blocks] == [False, True]
    assert deck.stacks[1][0].heading == "Next"
    assert "path" not in deck.html().replace("clip-path", "")


def test_without_slide_types_each_heading_begins_a_slide(tmp_path: Path) -> None:
    lecture = notebook(
        tmp_path,
        {"source": "# 99 · Why?\n\nOne.\n\n## Here\n\nTwo."},
        {"source": "plotting.use_style()", "cell_type": "code"},
        {"source": "## There\n\nThree."},
    )
    deck = slides.Deck(lecture)
    assert [stack[0].heading for stack in deck.stacks] == ["99 · Why?", "Here", "There"]
    assert "use_style" not in deck.html()


def test_the_answer_to_a_prediction_comes_on_the_next_click(tmp_path: Path) -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": "42\n"}
    lecture = notebook(
        tmp_path,
        {"source": "# 99 · Why?\n\n**Predict first.** How many?"},
        {"source": "print(42)", "cell_type": "code", "outputs": [printed]},
        {"source": "And so on.\n\n**Predict first:** Again?"},
        {"source": "x", "cell_type": "code", "outputs": []},
    )
    first, *_ = slides.Deck(lecture).stacks[0]
    assert [block.click for block in first.blocks] == [False, True, True, False, False, True]
    assert first.blocks[0].html.startswith('<div class="predict">')
    shown = [
        (re.sub(r"<[^>]+>|\n", "", html), clicked) for html, clicked in slides.clicks(first.blocks)
    ]
    assert shown == [
        ("Predict first. How many?", False),
        ("print(42)", True),
        ("42And so on.Predict first: Again?", True),
        ("x", True),
    ], "words that answer come along with what they are about"


def test_code_that_is_hidden_or_only_calls_a_widget_is_not_shown(tmp_path: Path) -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": "forty-two\n"}
    code = {"cell_type": "code", "outputs": [printed]}
    hidden = {"metadata": {"tags": ["hide-input"], "slideshow": {"slide_type": "-"}}}
    lecture = notebook(
        tmp_path,
        typed("# 99 · Why?", "slide"),
        typed("shown = 1", "-", **code),
        {"source": "hidden = 2", **code, **hidden},
        typed("explorers.PredictPoint('How?', X, y, (0, 0))", "-", **code),
    )
    text = re.sub(r"<[^>]+>", "", slides.Deck(lecture).html())
    assert "shown = 1" in text
    assert "hidden = 2" not in text
    assert "PredictPoint" not in text
    assert text.count("forty-two") == 3


def test_a_line_left_over_goes_back_and_a_picture_takes_the_room() -> None:
    png = b"\0" * 16 + (1000).to_bytes(4, "big") + (600).to_bytes(4, "big")
    wide = slides.Block("", 300, picture=("f.png", lectures.Figure("f", png, "A line.", 500)))
    alone = slides.Slide("Why?", [wide])
    slides.draw(alone)
    assert f'width="{round(500 * slides.LARGE)}"' in wide.html
    full = slides.Slide("Why?", [wide, slides.Block("words", 300)])
    slides.draw(full)
    assert 'height="290"' in wide.html
    stack = [full, slides.Slide("Why?", [slides.Block("one line", 48)])]
    slides.gather(stack)
    assert [len(slide.blocks) for slide in stack] == [3]
    stack = [full, slides.Slide("Why?", [slides.Block("one line", 48)], asked=True)]
    slides.gather(stack)
    assert len(stack) == 2, "the author asked for it"


def test_what_does_not_fit_goes_below(tmp_path: Path) -> None:
    long = "\n\n".join("word " * 150 for _ in range(4))
    deck = slides.Deck(notebook(tmp_path, {"source": f"# 99 · Why?\n\n{long}"}))
    assert len(deck.stacks) == 1
    assert len(deck.stacks[0]) > 1
    table = "<table><thead><tr><th>n</th></tr></thead><tbody>{}</tbody></table>"
    parts = slides.parted(table.format("".join(f"<tr><td>{n}</td></tr>" for n in range(60))))
    assert len(parts) > 2
    assert re.findall(r"<td>(\d+)", "".join(part for part, _ in parts)) == list(map(str, range(60)))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_the_path_is_lost_on_the_way_to_the_slides(decks: Path, name: str) -> None:
    lecture = Lecture(lectures.NOTEBOOKS / f"{name}.ipynb")
    text = (decks / f"{name}.html").read_text("utf-8")
    text = re.sub(r'<aside class="notes">.*?</aside>', "", text, flags=re.DOTALL)
    path = lecture.cells
    if any(cell.slide for cell in path):
        path = [cell for cell in path if cell.slide not in ("", "skip")]
    prose = [cell.source for cell in path if cell.kind == "markdown"]
    page = Seen(re.sub(r"<h[12].*?</h[12]>", "", text))
    shown = sum(
        markup.markdown(re.sub(r"^#{1,2} .*$", "", s, flags=re.M)).count("<math") for s in prose
    )
    assert page.formulas == shown
    figures = [figure for cell in path for figure in lecture.figures(cell)]
    assert [p["alt"] for p in page.pictures] == [figure.alt for figure in figures]
    for picture in page.pictures:
        assert (decks / str(picture["src"])).is_file()
    assert page.tangled == page.open == []


def test_speaker_notes_tell_minutes_and_questions(decks: Path) -> None:
    for name in NAMES:
        text = (decks / f"{name}.html").read_text("utf-8")
        notes = re.findall(r'<aside class="notes">(.*?)</aside>', text, re.DOTALL)
        assert len(notes) == text.count('<div class="fit">'), "every slide has its section's notes"
        assert all("minute" in note for note in notes)
        assert "cell:" not in "".join(notes)
    everything = "".join((decks / f"{name}.html").read_text("utf-8") for name in NAMES)
    assert everything.count("Ask:") > 40
    assert everything.count("Answer:") > 40


# ---------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with pdf.browser() as shown:
        yield shown


MEASURE = """() => Reveal.getSlides().flatMap((slide) => {
  const { h, v } = Reveal.getIndices(slide);
  Reveal.slide(h, v, 999);
  const name = `slide ${h}.${v}`, zoom = Number(slide.querySelector(".fit > div").style.zoom || 1);
  const problems = zoom < SMALLEST ? [`${name} is scaled to ${zoom}`] : [];
  for (const struck of slide.querySelectorAll(".refuted s math")) {
    if (getComputedStyle(struck).backgroundImage === "none") problems.push(`${name}: not struck`);
  }
  const number = document.querySelector(".slide-number").getBoundingClientRect();
  const shown = "h2, p, li, pre, table, img, math, blockquote, svg.linlib-panel, .linlib-status, "
    + ".linlib-hint";
  for (const thing of slide.querySelectorAll(shown)) {
    if (thing.closest("aside")) continue;
    const { left, top, right, bottom, width } = thing.getBoundingClientRect();
    const outside = left < -0.5 || top < -0.5 || right > innerWidth + 0.5
      || bottom > innerHeight + 0.5;
    const cut = thing.matches("pre, p, li") && thing.scrollWidth > thing.clientWidth + 1;
    const words = `${thing.tagName} ${thing.textContent.slice(0, 50)}`;
    const hidden = bottom > number.top + 1 && left < number.right;
    if (outside || cut || hidden || !width) problems.push(`${name}: ${words}`);
  }
  return problems;
})""".replace("SMALLEST", str(SMALLEST))


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_nothing_on_a_slide_is_clipped(decks: Path, chromium: Any, size: tuple[int, int]) -> None:
    page, problems = chromium.new_page(viewport={"width": size[0], "height": size[1]}), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: problems.append(r.url) if not r.url.startswith("file:") else None)
    for name in MEASURED:
        page.goto((decks / f"{name}.html").as_uri())
        page.wait_for_function("window.deckReady === true")
        problems += [f"{name}, {problem}" for problem in page.evaluate(MEASURE)]
    page.close()
    assert problems == []


COUNT = """(which) => [...document.querySelectorAll(which)].map((page) => [
  page.querySelectorAll("math").length, page.querySelectorAll("img:not(.walk img), .walk").length,
  page.querySelectorAll("pre").length, page.querySelectorAll("tr").length])"""


@pytest.mark.needs("chromium")
def test_the_pdf_of_a_deck_loses_nothing(decks: Path, chromium: Any) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    for name in NAMES if WHOLE else NAMES[1:2]:
        address = (decks / f"{name}.html").as_uri()
        page.goto(address)
        page.wait_for_function("window.deckReady === true")
        slides_ = page.evaluate(COUNT, ".slides section:not(.stack)")
        out = decks / f"{name}.pdf"
        ready = "window.deckReady === true"
        assert pdf.print_page(page, f"{address}?print-pdf", out, ready) == len(slides_)
        assert page.evaluate(COUNT, ".pdf-page") == slides_
        hidden = page.evaluate(
            """() => [...document.querySelectorAll(".pdf-page math, .pdf-page img, .pdf-page pre")]
            .filter((thing) => !thing.closest("aside")
              && !(thing.checkVisibility({ opacityProperty: true })
              && thing.getBoundingClientRect().right <= innerWidth + 1)).length"""
        )
        assert hidden == 0
    page.close()


# ---------------------------------------------------------------- the book


def test_the_book_has_numbered_chapters_contents_and_captions(printed_book: Path) -> None:
    text = (printed_book / "book.html").read_text("utf-8")
    page = Seen(text)
    assert page.tangled == page.open == []
    assert len(page.ids) == len(set(page.ids))
    targets = [link[1:] for _, link in page.links if link.startswith("#")]
    assert set(targets) <= set(page.ids)
    assert all(
        (printed_book / link).is_file() for tag, link in page.links if tag in ("img", "link")
    )
    for one in lectures.lectures():
        number = int(one.number)
        figures = [figure for cell in one.cells for figure in one.figures(cell)]
        assert all(f"Figure {number}.{at}.</strong>" in text for at in range(1, 1 + len(figures)))
        sections = [words for _, level, words in one.headings if level == 2]
        assert f'href="#chapter-{one.number}-{len(sections)}"' in text
    prose = [c.source for one in lectures.lectures() for c in one.cells if c.kind == "markdown"]
    assert page.formulas >= sum(markup.markdown(source).count("<math") for source in prose)


def test_pages_are_read_from_what_chromium_prints() -> None:
    printed = b"""1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R 4 0 R]>> endobj
3 0 obj <</Type /Page>> endobj 4 0 obj <</Type /Page>> endobj
5 0 obj <</chapter-01 [3 0 R /XYZ 0 1 0] /chapter-02 [4 0 R /XYZ 0 1 0]>> endobj"""
    assert pdf.destinations(printed) == {"chapter-01": 1, "chapter-02": 2}


@pytest.mark.needs("chromium")
def test_the_formula_sheet_is_one_page(printed_book: Path, chromium: Any) -> None:
    page = chromium.new_page()
    sheet = printed_book / "formulas.html"
    assert pdf.print_page(page, sheet.as_uri(), printed_book / "formulas.pdf") == 1
    page.close()
