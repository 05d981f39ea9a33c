"""A notebook that was run, saved and opened again without its kernel, and one that was exported."""

from __future__ import annotations

import tomllib
from pathlib import Path

import nbconvert
import nbformat
import pytest
from playwright import sync_api

from lincourse.check import names
from tests import browser

LECTURE = "01-hyperplanes"
ASKED = "**Predict first.**"
LIVE = "application/vnd.jupyter.widget-view+json"


def part_of_a_lecture(folder: Path) -> None:
    """Put a notebook there with the explorer, what it needs, and one question with its answer."""
    lecture = nbformat.read(browser.ROOT / "notebooks" / f"{LECTURE}.ipynb", as_version=4)
    sources = [cell.source if cell.cell_type == "code" else "" for cell in lecture.cells]
    asked = next(k for k, cell in enumerate(lecture.cells) if ASKED in cell.source)
    explorer = next(k for k, cell in enumerate(lecture.cells) if cell.id == "explore")
    kept = {asked, asked + 1, *names.needed(sources, asked + 1), *names.needed(sources, explorer)}
    assert "answer" in lecture.cells[asked + 1].metadata.tags
    lecture.cells = [lecture.cells[k] for k in sorted(kept)]
    folder.mkdir(parents=True)
    nbformat.write(lecture, folder / f"{LECTURE}.ipynb")


def test_whoever_installs_linlib_gets_its_part_of_jupyterlab() -> None:
    settings = tomllib.loads((browser.ROOT / "pyproject.toml").read_text("utf-8"))
    shared = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    (data,) = (browser.ROOT / path for path, place in shared.items() if place == "share")
    part = data / "jupyter/labextensions/linlib-lab"
    assert (part / "package.json").exists()
    assert (part / "static/describe.js").exists()
    assert (part / "static/predict.js").exists()


@pytest.mark.needs("chromium")
def test_reopened_without_its_kernel_it_shows_the_still_and_how_to_wake_it(tmp_path: Path) -> None:
    """By ``jupyter lab``, that is; ``make lab`` is in test_browser.py."""
    with (
        browser.jupyterlab(tmp_path, part_of_a_lecture, plain=True) as address,
        sync_api.sync_playwright() as playwright,
    ):
        chromium = browser.chromium(playwright)
        window = browser.window(chromium)
        before = browser.Lecture(window, address, LECTURE)
        # A folded answer shows no line of itself.
        lines = before.page.locator(".linlib-answer .jp-OutputPlaceholder .jp-PlaceholderText")
        browser.until(lambda: lines.count() > 0)
        assert not any(line.is_visible() for line in lines.all())
        before.run_all()
        before.drag("point", 1.0, 2.0)
        before.page.evaluate("() => jupyterapp.shell.currentWidget.context.save()")
        assert before.complaints == []

        after = browser.Lecture(window, address, LECTURE, page=before.put_away())
        asleep = "This explorer is asleep: run its cell again (Shift+Enter) to bring it to life."
        browser.until(lambda: asleep in after.output.inner_text(), after.output.inner_text)
        assert "Error displaying widget" not in after.output.inner_text()
        assert after.still.count() == 1
        assert after.still.evaluate("image => image.complete && image.naturalWidth") > 400
        assert len(after.still.get_attribute("alt")) >= 40
        # What ipywidgets notes down when it has caught the error itself; nothing else, and nothing
        # uncaught.
        assert all("widget model not found" in complaint for complaint in after.complaints)
        assert not any(complaint.startswith("raised") for complaint in after.complaints)
        after.complaints.clear()
        after.run_all()
        assert asleep not in after.output.inner_text()
        after.drag("point", -1.0, 1.0)
        assert after.complaints == []
        chromium.close()

    saved = nbformat.read(tmp_path / "notebooks" / f"{LECTURE}.ipynb", as_version=4)
    cell = next(cell for cell in saved.cells if cell.id == "explore")
    shown = next(output.data for output in cell.outputs if LIVE in output.get("data", {}))
    saved.cells = [cell]
    page, _ = nbconvert.HTMLExporter().from_notebook_node(saved)
    assert "".join(shown["image/png"].split()) in "".join(page.split()), "exported, it is a still"
    assert f'type="{LIVE}"' not in page, "which needs no script from the network"
