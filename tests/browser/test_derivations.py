"""Derivations in JupyterLab: set as formulas, and filled in with the keyboard."""

import nbformat
import pytest
from playwright import sync_api

from tests.helpers import browser
from tests.helpers.browser import Lab

pytestmark = pytest.mark.needs("chromium")

CELLS = {
    "whole": "from linlib.derivations import Blank\n"
    "from linlib.derivations.course import convergence\nconvergence.length",
    "blank": "Blank(convergence.length, [2, 3])",
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    home = tmp_path_factory.mktemp("lab")
    (home / "notebooks").mkdir()
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    before = [nbformat.v4.new_output("stream", text="not run yet\n")]
    notebook.cells = [
        nbformat.v4.new_code_cell(source, id=id, outputs=before) for id, source in CELLS.items()
    ]
    nbformat.write(notebook, home / "notebooks/derivations.ipynb")
    with browser.jupyterlab(home) as address, sync_api.sync_playwright() as playwright:
        chromium = browser.chromium(playwright)
        page = Lab(chromium, address, {"width": 1366, "height": 657})
        page.open("derivations", "whole")
        page.do("jupyterapp.commands.execute('notebook:run-all-cells');")
        yield page
        chromium.close()


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
