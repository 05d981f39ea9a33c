"""What students get, unzipped and started as its README says: links, lectures, homework."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from lincourse.grader import handout
from lincourse.grader.hidden import questions
from tests.handed_in import filled
from tests.helpers import browser

pytestmark = pytest.mark.needs("chromium")
WAIT = 1000 * browser.CAP
ERRORS = """() => jupyterapp.shell.currentWidget.content.widgets.flatMap(
    one => one.model.type === 'code' ? one.model.outputs.toJSON() : []
).filter(one => one.output_type === 'error').map(one => one.evalue)"""
RUN = """() => {
    jupyterapp.commands.execute('notebook:clear-all-cell-outputs');
    window.done = false;
    jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.done = true; });
}"""
READY = """() => {
    const open = jupyterapp.shell.currentWidget;
    return [open?.context?.path, open?.sessionContext?.session?.kernel?.status];
}"""
OPENED = "() => jupyterapp.shell.currentWidget?.context?.path ?? ''"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unzipped copy; a student has answered one homework in it."""
    folder = tmp_path_factory.mktemp("handed out")
    with zipfile.ZipFile(handout.build(folder / "student")) as archive:
        archive.extractall(folder / "unzipped")
    place = folder / "unzipped/student/notebooks/homework/release/hw1"
    (place / "done.ipynb").write_text(json.dumps(filled("hw1")), encoding="utf-8")
    return folder / "unzipped" / "student"


@contextlib.contextmanager
def started(copy: Path, home: Path, *words: str) -> Iterator[str]:
    """Start the copy by its own command; yield the address of JupyterLab, with its token."""
    config = home / "jupyter_config_dir" / "jupyter_lab_config.json"
    config.parent.mkdir(parents=True)
    config.write_text('{"LabApp": {"expose_app_in_browser": true}}')
    variables = browser.environment(home, JUPYTER_TOKEN="student")
    log = home / "server.log"
    command = [sys.executable, "start.py", "--here", *words]
    with log.open("wb") as file:
        server = subprocess.Popen(
            command, cwd=copy, env=variables, stdout=file, stderr=file, start_new_session=True
        )
    try:
        listening = re.compile(r"http://127\.0\.0\.1:(\d+)/lab")
        browser.until(lambda: listening.search(log.read_text("utf-8")), lambda: log.read_text())
        (port,) = set(listening.findall(log.read_text("utf-8")))
        yield f"http://127.0.0.1:{port}/lab/{{}}?token=student"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(60)


def runs_clean(page: Page, path: str) -> None:
    """Run the open notebook to its end; no cell of it ends with an error."""
    browser.until(lambda: page.evaluate(READY) == [path, "idle"])
    page.evaluate(RUN)
    browser.until(lambda: page.evaluate("() => window.done"))
    assert page.evaluate(ERRORS) == []


def test_a_lecture_runs_and_its_links_lead_somewhere(copy: Path, tmp_path: Path) -> None:
    """One stands for all: tests/homework/test_handout.py finds every file of the others."""
    with started(copy, tmp_path) as address, sync_playwright() as playwright:
        chromium = browser.chromium(playwright)
        page = chromium.new_page(reduced_motion="reduce")
        page.goto(address.format("tree/00-start-here.ipynb"))
        page.wait_for_selector(".jp-Notebook", timeout=WAIT)
        runs_clean(page, "00-start-here.ipynb")
        assert page.get_by_role("button", name="Validate").count() == 0, "no assignment tools"
        for text, path in (
            ("hw1", "homework/release/hw1/hw1.ipynb"),
            ("01", "01-hyperplanes.ipynb"),
        ):
            link = page.locator(".jp-RenderedHTMLCommon a").get_by_text(text, exact=True).first
            link.click(timeout=WAIT)  # while JupyterLab is busy, a click may get lost
            browser.until(lambda path=path: page.evaluate(OPENED) == path, nudge=link.click)
            if text == "hw1":
                page.evaluate("() => jupyterapp.shell.currentWidget.dispose()")
                browser.until(lambda: page.evaluate(OPENED) == "00-start-here.ipynb")
        chromium.close()


def test_the_validate_button_tells_what_is_missing_and_what_is_done(
    copy: Path, tmp_path: Path
) -> None:
    with started(copy, tmp_path, "hw1") as address, sync_playwright() as playwright:
        chromium = browser.chromium(playwright)
        page = chromium.new_page(reduced_motion="reduce")
        page.goto(address.format("tree/homework/release/hw1/hw1.ipynb"))
        untouched = validated(page)
        missing = len(questions("hw1")) + 1  # and the written one
        assert untouched.count("The following cell failed") == missing
        assert "NotImplementedError: not answered yet" in untouched
        page.evaluate(
            """async () => {
                jupyterapp.shell.currentWidget.dispose();
                const path = 'homework/release/hw1/done.ipynb';
                await jupyterapp.commands.execute('docmanager:open', { path });
                return 'opened';
            }"""
        )
        assert "Success! Your notebook passes all the tests." in validated(page)
        chromium.close()


def validated(page: Page) -> str:
    page.get_by_role("button", name="Validate").click(timeout=WAIT)
    results = page.locator(".jp-Dialog-content")
    expect(results).to_be_visible(timeout=WAIT)
    text = results.inner_text()
    page.keyboard.press("Escape")
    return text
