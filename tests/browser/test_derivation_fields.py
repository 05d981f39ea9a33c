"""Derivations in JupyterLab and in a page: set as formulas, and filled in with the keyboard."""

import nbformat
import pytest
from playwright import sync_api

from lincourse.publish import live, recordings
from lincourse.publish.cells import Renderer
from lincourse.publish.lectures import Lecture
from linlib.derivations import Blank
from linlib.derivations.course import convergence
from tests import live_pages
from tests.helpers import browser
from tests.helpers.browser import Lab

pytestmark = pytest.mark.needs("chromium")

CELLS = {
    "whole": "from linlib.derivations import Blank\n"
    "from linlib.derivations.course import convergence\nconvergence.length",
    "blank": "Blank(convergence.length, [2, 3])",
}


def notebook(**outputs):
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    made.cells = [
        nbformat.v4.new_code_cell(source, id=id, outputs=[outputs[id]])
        for id, source in CELLS.items()
    ]
    return made


@pytest.fixture(scope="module")
def chromium():
    with sync_api.sync_playwright() as playwright:
        started = browser.chromium(playwright)
        yield started
        started.close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory, chromium):
    home = tmp_path_factory.mktemp("lab")
    (home / "notebooks").mkdir()
    before = nbformat.v4.new_output("stream", text="not run yet\n")
    nbformat.write(notebook(whole=before, blank=before), home / "notebooks/derivations.ipynb")
    with browser.jupyterlab(home) as address:
        page = Lab(chromium, address, {"width": 1366, "height": 657})
        page.open("derivations", "whole")
        page.do("jupyterapp.commands.execute('notebook:run-all-cells');")
        yield page
        page.window.close()


def test_a_derivation_is_set_as_formulas(lab):
    lab.turn("whole")
    lines = lab.output.locator("ol > li")
    browser.until(lambda: lines.count() == 4)
    browser.until(lambda: lab.output.locator("mjx-container").count() >= 9)
    assert "$" not in lab.output.inner_text()
    words = lines.nth(0).locator("[role=math]").get_attribute("aria-label")
    assert words == "the length of open bracket w plus z close bracket squared"


def test_blank_lines_are_filled_in_with_the_keyboard(lab):
    lab.turn("blank")
    second = lab.output.get_by_label("2. =")
    second.focus()
    lab.page.keyboard.type("norm(w)**2 + norm(z)**2 - 2*w @ z")
    lab.page.keyboard.press("Enter")
    said = lab.output.locator("p[role=status]")
    browser.until(lambda: said.count() == 1)
    assert said.first.inner_text().startswith("✗ At w = (")
    lab.page.keyboard.press("Control+A")
    lab.page.keyboard.type("w @ w + 2*w @ z + z @ z")
    lab.page.keyboard.press("Enter")
    browser.until(lambda: said.first.inner_text() == "✓ Right.", lambda: said.first.inner_text())
    assert lab.complaints == []


@pytest.fixture(scope="module")
def page(tmp_path_factory, chromium):
    out = tmp_path_factory.mktemp("page")
    recordings.write(out / "walks", [], live=live.write(out / "live"))
    shown = {"whole": convergence.length, "blank": Blank(convergence.length, [2, 3])}
    outputs = {
        id: nbformat.v4.new_output("display_data", {"text/html": one._repr_html_()})
        for id, one in shown.items()
    }
    nbformat.write(notebook(**outputs), out / "derivations.ipynb")
    lecture = Lecture(out / "derivations.ipynb")
    renderer = Renderer(lecture, "./", lambda name, id: "")
    body = "".join(piece for cell in lecture.cells for piece in renderer.outputs(cell))
    head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>page</title>'
    head += '<meta name="viewport" content="width=device-width">'
    (out / "page.html").write_text(head + body, "utf-8")
    with live_pages.served(out) as server:
        page = chromium.new_page(viewport={"width": 360, "height": 800})
        page.set_default_timeout(1000 * browser.CAP)
        complaints = browser.watch(page)
        page.goto(server.address("page.html"))
        yield page
        page.close()
        assert complaints == []


@pytest.mark.needs("npm")
def test_on_a_page_a_phone_shows_formulas_and_reasons_without_scrolling(page):
    assert "$" not in page.locator("body").inner_text()
    assert page.locator("math").count() > 20
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    above, below = page.get_by_text("multiply out the square").locator("..").locator("> span").all()
    assert below.bounding_box()["y"] > above.bounding_box()["y"]


@pytest.mark.needs("npm")
@pytest.mark.slow
def test_on_a_page_a_line_is_judged_by_the_same_python(page):
    blank, wrong = Blank(convergence.length, [2, 3]), "norm(w)**2 - 2*w @ z + norm(z)**2"
    assert page.locator(".call").count() == 0
    page.get_by_label("Line 2").focus()
    page.keyboard.type(wrong)
    page.keyboard.press("Enter")
    said = page.locator(".written-says")
    browser.until(lambda: "your line" in said.first.inner_text(), lambda: said.first.inner_text())
    assert said.first.inner_text() == str(blank.answer(wrong, line=2))
    page.keyboard.press("Tab")
    page.keyboard.type("w @ w + z @ z")
    page.keyboard.press("Enter")
    browser.until(lambda: said.nth(1).inner_text() == "Right.", lambda: said.nth(1).inner_text())
