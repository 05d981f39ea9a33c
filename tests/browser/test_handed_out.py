"""A template in a student's JupyterLab: it opens, runs to the first question, and validates."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from lincourse.grader.gradebook import RELEASE
from tests import browser
from tests.handed_in import ALL_MISSING, filled

pytestmark = pytest.mark.needs("chromium")


def hand_out(folder: Path) -> None:
    """Put a template into a student's folder, and the same with answers."""
    folder.mkdir(parents=True)
    shutil.copy(RELEASE / "hw1" / "hw1.ipynb", folder)
    (folder / "done.ipynb").write_text(json.dumps(filled("hw1")), encoding="utf-8")


def validated(page: Page) -> str:
    page.get_by_role("button", name="Validate").click(timeout=1000 * browser.CAP)
    results = page.locator(".jp-Dialog-content")
    expect(results).to_be_visible(timeout=1000 * browser.CAP)
    text = results.inner_text()
    page.keyboard.press("Escape")
    return text


def test_the_validate_button_tells_what_is_missing_and_what_is_done(tmp_path: Path) -> None:
    with (
        browser.jupyterlab(tmp_path, hand_out, homework=True) as address,
        sync_playwright() as playwright,
    ):
        chromium = browser.chromium(playwright)
        page = chromium.new_page()
        page.goto(address.format("hw1"))
        untouched = validated(page)
        assert untouched.count("The following cell failed") == ALL_MISSING
        assert "NotImplementedError: not answered yet" in untouched
        page.evaluate(
            """async () => {
                jupyterapp.shell.currentWidget.dispose();
                await jupyterapp.commands.execute('docmanager:open', { path: 'done.ipynb' });
                return 'opened';
            }"""
        )
        assert "Success! Your notebook passes all the tests." in validated(page)
        chromium.close()
