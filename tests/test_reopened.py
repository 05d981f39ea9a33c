"""A notebook that was run, saved and opened again without its kernel, and one that was exported."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import nbconvert
import nbformat
import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests import browser  # noqa: E402

LECTURE = "01-hyperplanes"
LIVE = "application/vnd.jupyter.widget-view+json"


def one_lecture(folder: Path) -> None:
    folder.mkdir(parents=True)
    shutil.copy(browser.ROOT / "notebooks" / f"{LECTURE}.ipynb", folder)


def test_whoever_installs_linlib_gets_its_part_of_jupyterlab() -> None:
    settings = tomllib.loads((browser.ROOT / "pyproject.toml").read_text("utf-8"))
    data = browser.ROOT / settings["tool"]["flit"]["external-data"]["directory"]
    part = data / "share/jupyter/labextensions/linlib-lab"
    assert (part / "package.json").exists()
    assert (part / "static/describe.js").exists()
    assert (part / "static/predict.js").exists()


@pytest.mark.skipif(not browser.CHROMIUM, reason=browser.MISSING)
@pytest.mark.parametrize("plain", [False, True], ids=["make lab", "jupyter lab"])
def test_reopened_without_its_kernel_it_shows_the_still_and_how_to_wake_it(
    tmp_path: Path, plain: bool
) -> None:
    with (
        browser.jupyterlab(tmp_path, one_lecture, plain=plain) as address,
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
        before.page.evaluate(
            """async () => {
                const { context, sessionContext } = jupyterapp.shell.currentWidget;
                await context.save();
                await sessionContext.shutdown();
            }"""
        )
        assert before.complaints == []
        before.close()

        after = browser.Lecture(window, address, LECTURE)
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
