"""Slides and the book: nothing lost, nothing clipped, every slide readable from the last row."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from lincourse import markup
from lincourse.publish import book, lectures, pdf, slides
from lincourse.publish.lectures import Lecture
from tests.site.test_site import NAMES, WHOLE, Seen


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slides")
    slides.write(folder, walked=None if WHOLE else lectures.lectures()[1:3])
    return folder


@pytest.fixture(scope="module")
def printed_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    book.write(folder)
    return folder


def typed(source: str, kind: str, *tags: str, printed: str = "") -> dict[str, Any]:
    metadata = {"slideshow": {"slide_type": kind}, "tags": list(tags)}
    output = {"output_type": "stream", "name": "stdout", "text": printed}
    code = {"cell_type": "code", "outputs": [output]} if printed else {"cell_type": "markdown"}
    return {"source": source, "metadata": metadata, **code}


def test_cells_become_slides_clicks_and_what_is_left_out(tmp_path: Path) -> None:
    cells = [
        typed("# 99 · Why?\n\nOne.", "slide"),
        typed("Not on the path.", "skip"),
        typed("Two.", "fragment"),
        typed("**Predict first.** How many?", "subslide", "predict"),
        typed("n = 42\nAnswer('How many?', n)", "-", "answer", printed="42"),
        typed("It is forty-two of them.\n\nNow on.", "-", "said"),
        typed("## Next\n\nFour.", "slide"),
        typed("hidden = 2", "-", "hide-input", printed="two"),
    ]
    path = tmp_path / "99-test.ipynb"
    stored = [cell | {"id": f"cell-{at}"} for at, cell in enumerate(cells)]
    path.write_text(json.dumps({"cells": stored, "metadata": {}, "nbformat": 4}), "utf-8")
    deck = slides.Deck(Lecture(path))
    clicks = re.compile(r'^<div class="block fragment" data-fragment-index="(\d+)"')
    shown = [
        [(re.sub(r"<[^>]+>|\n", "", one), "".join(clicks.findall(one))) for one in slide.blocks]
        for slide in deck.slides
    ]
    assert shown == [
        [("One.", ""), ("Two.", "1")],
        [
            ("Predict first. How many?", ""),
            ("n = 4242", "2"),
            ("It is forty-two of them.", "2"),
            ("Now on.", ""),
        ],
        [("Four.", ""), ("two", "")],
    ]
    assert '<div class="predict">' in deck.slides[1].blocks[0]
    heads = [(slide.heading, slide.more) for slide in deck.slides]
    assert heads == [("99 · Why?", False), ("99 · Why?", True), ("Next", False)]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_the_path_is_lost_on_the_way_to_the_slides(decks: Path, name: str) -> None:
    lecture = Lecture(lectures.NOTEBOOKS / f"{name}.ipynb")
    text = (decks / f"{name}.html").read_text("utf-8")
    text = re.sub(r'<aside class="notes">.*?</aside>', "", text, flags=re.DOTALL)
    path = [cell for cell in lecture.cells if cell.slide not in ("", "skip")]
    prose = [cell.source for cell in path if cell.kind == "markdown"]
    page = Seen(re.sub(r"<h[12].*?</h[12]>", "", text))
    bare = [re.sub(r"^#{1,2} .*$", "", source, flags=re.M) for source in prose]
    assert page.formulas == sum(markup.markdown(source).count("<math") for source in bare)
    figures = [figure for cell in path for figure in lecture.figures(cell)]
    assert [p["alt"] for p in page.pictures] == [figure.alt for figure in figures]
    for picture in page.pictures:
        assert (decks / str(picture["src"])).is_file()
    assert page.tangled == page.open == []


def test_notes_are_on_every_slide_and_minutes_once_a_section(decks: Path) -> None:
    for one in lectures.lectures():
        text = (decks / f"{one.name}.html").read_text("utf-8")
        assert text.count('<aside class="notes">') == text.count("<section>")
        spent = [lectures.minutes(parts) for _, parts in one.sections()]
        assert text.count('<p class="minutes">') == sum(time > 0 for time in spent)
        assert ".ipynb" not in text
    everything = "".join((decks / f"{name}.html").read_text("utf-8") for name in NAMES)
    assert everything.count("Ask:") > 40
    assert everything.count("Answer:") > 40


# ---------------------------------------------------------------- in a browser


READY = "window.deckReady === true"
# What is wrong with a slide: → does not reach it, nothing is on it before the first click, a wall
# of words, small letters, something outside, cut, without width, or under the slide's number.
MEASURE = """async () => {
const all = [];
if (document.querySelector(".slides > section > section")) all.push("has two directions");
for (const [at, slide] of Reveal.getSlides().entries()) {
  const body = slide.querySelector(".body"), problems = [];
  Reveal.slide(at, 0, -1);
  const there = [...body.children].some((one) => one.checkVisibility({ visibilityProperty: true })
    && one.getBoundingClientRect().height > 10);
  if (!there) problems.push("begins empty");
  Reveal.slide(at, 0, 999);
  await window.deckFilled;
  const more = Reveal.getSlides()[at + 1]?.querySelector("h2.more");
  const { dataset, textContent } = body.lastElementChild;
  if (more && "leads" in dataset && textContent.length < 60) problems.push("ends with a heading");
  const prose = [...body.querySelectorAll(":is(p, li):not(.linlib-canvas *, .linlib-predict *)")];
  const words = prose.filter((one) => !one.querySelector("p, li")).map((one) => one.textContent);
  const count = words.join(" ").split(/\\s+/).length;
  if (count > 130) problems.push(`has ${count} words`);
  const zoom = Number(body.style.zoom || 1);
  for (const thing of body.querySelectorAll("pre, pre *, td, th, .truth")) {
    const size = parseFloat(getComputedStyle(thing).fontSize) * zoom;
    if (size < 24) problems.push(`${thing.tagName} in ${size} px`);
  }
  for (const struck of slide.querySelectorAll(".refuted s math")) {
    if (getComputedStyle(struck).backgroundImage === "none") problems.push("not struck");
  }
  const number = document.querySelector(".slide-number").getBoundingClientRect();
  const kinds = "h2, p, li, pre, table, img, math, blockquote, svg.linlib-panel, .linlib-status";
  for (const thing of slide.querySelectorAll(kinds)) {
    if (thing.closest("aside, [hidden]") || !thing.checkVisibility()) continue;
    const { left, top, right, bottom, width, height } = thing.getBoundingClientRect();
    const outside = left < -0.5 || top < -0.5 || right > innerWidth + 0.5
      || bottom > innerHeight + 0.5;
    const cut = thing.matches("pre, p, li") && thing.scrollWidth > thing.clientWidth + 1;
    const under = bottom > number.top + 1 && left < number.right;
    const small = thing.matches(".picture img") && height < 150;
    if (outside || cut || under || small || !width) {
      problems.push(`${thing.tagName} ${thing.textContent.slice(0, 50)}`);
    }
  }
  all.push(...problems.map((problem) => `slide ${at + 1}: ${problem}`));
}
return all;
}"""


@pytest.mark.needs("chromium", "npm")
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_every_slide_says_something_large_enough_and_whole(
    decks: Path, page: Any, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: problems.append(r.url) if not r.url.startswith("file:") else None)
    for name in NAMES if size[0] == 1280 or WHOLE else NAMES[1:2]:
        page.goto((decks / f"{name}.html").as_uri())
        page.wait_for_function(READY)
        problems += [f"{name}, {problem}" for problem in page.evaluate(MEASURE)]
    assert problems == []


COUNT = """(which) => [...document.querySelectorAll(which)].map((page) => [
  page.querySelectorAll("math").length, page.querySelectorAll("img:not(.walk img), .walk").length,
  page.querySelectorAll("pre").length, page.querySelectorAll("tr").length])"""
UNSEEN = """() => [...document.querySelectorAll(".pdf-page :is(math, img, pre)")].filter((thing) =>
{
  const { right, height } = thing.getBoundingClientRect();
  const least = thing.matches("img") ? 100 : 5;
  return !thing.closest("aside") && !(thing.checkVisibility({ opacityProperty: true })
    && right <= innerWidth + 1 && height > least);
}).length"""


@pytest.mark.needs("chromium", "npm")
def test_the_pdf_of_a_deck_loses_nothing(decks: Path, page: Any) -> None:
    for name in NAMES if WHOLE else NAMES[1:2]:
        address = (decks / f"{name}.html").as_uri()
        page.goto(address)
        page.wait_for_function(READY)
        on_slides = page.evaluate(COUNT, ".slides > section")
        made = pdf.print_page(page, f"{address}?print-pdf", decks / f"{name}.pdf")
        in_print = page.evaluate(COUNT, ".pdf-page")
        assert made == len(in_print)
        assert [sum(kind) for kind in zip(*in_print, strict=True)][:3] == [
            sum(kind) for kind in zip(*on_slides, strict=True)
        ][:3]
        assert page.evaluate(UNSEEN) == 0
        assert page.locator(".linlib-predict form").count() == 0, "nobody fills in a form on paper"


@pytest.mark.needs("chromium")
def test_without_reveal_a_deck_is_a_page_to_scroll(
    tmp_path: Path, page: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("PATH", "")
    slides.write(tmp_path, walked=[])
    printed = capsys.readouterr().out
    assert "Slides are pages to scroll, without reveal.js: npm is not on this machine" in printed
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / f"{NAMES[2]}.html").as_uri())
    page.wait_for_function(READY)
    tops = page.evaluate(
        """[...document.querySelectorAll(".slides > section")].map((one) =>
        [one.getBoundingClientRect().top, one.checkVisibility(), one.scrollWidth <= 1280
        && [...one.querySelectorAll(".picture img")].every((image) => image.clientHeight > 150)])"""
    )
    assert [top for top, *_ in tops] == sorted({top for top, *_ in tops})
    assert all(seen and fits for _, seen, fits in tops)
    assert problems == []


# ---------------------------------------------------------------- the book


def test_the_book_has_numbered_sections_captions_and_answers_at_the_end(printed_book: Path) -> None:
    text = (printed_book / "book.html").read_text("utf-8")
    page = Seen(text)
    assert page.tangled == page.open == []
    assert len(page.ids) == len(set(page.ids))
    inside = [link[1:] for _, link in page.links if link.startswith("#")]
    assert set(inside) <= set(page.ids)
    files = [link for _, link in page.links if not link.startswith(("#", "http"))]
    assert [link for link in files if not (printed_book / link).is_file()] == []
    assert not re.search(r'id="document-[\w-]+"></span><section', text), "on the page before it"
    assert not re.search(r"plotting\.show|is not written yet", text)
    assert "<details" not in text
    for one in lectures.lectures():
        number = int(one.number)
        figures = [figure for cell in one.cells for figure in one.figures(cell)]
        assert all(f"Figure {number}.{at}.</strong>" in text for at in range(1, 1 + len(figures)))
        sections = [words for _, level, words in one.headings if level == 2]
        ends = len(sections) + 1 + any("answer" in cell.tags for cell in one.cells)
        assert re.search(rf">{number}\.{ends} Solutions of the exercises<", text)
    prose = [c.source for one in lectures.lectures() for c in one.cells if c.kind == "markdown"]
    assert page.formulas >= sum(markup.markdown(source).count("<math") for source in prose)


def test_the_epub_is_well_formed_and_whole(printed_book: Path) -> None:
    """As epubcheck asks; https://www.w3.org/publishing/epubcheck/ itself needs Java."""
    with zipfile.ZipFile(printed_book / "book.epub") as packed:
        first, *rest = packed.infolist()
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        files = {one.filename: packed.read(one) for one in rest}
    listed = ElementTree.fromstring(files["content.opf"])
    items = [one.attrib for one in listed.iter("{http://www.idpf.org/2007/opf}item")]
    hidden = {"META-INF/container.xml", "content.opf"}
    assert {one["href"] for one in items} == set(files) - hidden
    pages = {name: ElementTree.fromstring(file) for name, file in files.items() if "xhtml" in name}
    ids = {name: {one.get("id") for one in page.iter()} for name, page in pages.items()}
    math = "{http://www.w3.org/1998/Math/MathML}math"
    for name, page in pages.items():
        declared = next(one for one in items if one["href"] == name).get("properties", "")
        assert (page.find(f".//{math}") is not None) == ("mathml" in declared)
        for one in page.iter():
            link = one.get("href") or one.get("src") or "http:"
            target, _, place = link.partition("#")
            assert link.startswith("http") or not target or target in files, f"{name}: {link}"
            assert not place or place in ids[target or name], f"{name}: {link}"
    assert {f"{one.name}.xhtml" for one in lectures.lectures()} < set(pages)


@pytest.mark.needs("chromium")
def test_pages_are_read_from_what_chromium_prints(tmp_path: Path, page: Any) -> None:
    links = "".join(f'<a href="#part-{k}">{k}</a><p id="part-{k}" class="p">' for k in (1, 2, 3))
    source = tmp_path / "three.html"
    source.write_text(f"<style>.p {{ break-before: page }}</style>{links}", "utf-8")
    assert pdf.print_page(page, source.as_uri(), tmp_path / "three.pdf") == 4
    assert pdf.destinations(tmp_path / "three.pdf") == {"part-1": 2, "part-2": 3, "part-3": 4}


@pytest.mark.needs("chromium")
def test_the_formula_sheet_is_one_page(printed_book: Path, page: Any) -> None:
    sheet = printed_book / "formulas.html"
    assert pdf.print_page(page, sheet.as_uri(), printed_book / "formulas.pdf") == 1
