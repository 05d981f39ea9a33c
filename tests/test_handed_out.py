"""A template in a student's JupyterLab: it opens, runs to the first question, and validates."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from grader.course import RELEASE
from tests import browser
from tests.handed_in import filled

pytestmark = pytest.mark.skipif(not browser.CHROMIUM, reason=browser.MISSING)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, str]]:
    home = tmp_path_factory.mktemp("student")
    with browser.jupyterlab(home, homework=True) as address, sync_playwright() as playwright:
        shutil.copy(RELEASE / "hw1" / "hw1.ipynb", home / "notebooks")
        answered = json.dumps(filled("hw1"))
        (Path(home) / "notebooks" / "done.ipynb").write_text(answered, encoding="utf-8")
        chromium = browser.chromium(playwright)
        yield chromium.new_page(), address
        chromium.close()


def validated(page: Page, address: str) -> str:
    page.goto(address)
    page.get_by_role("button", name="Validate").click(timeout=1000 * browser.CAP)
    results = page.locator(".jp-Dialog-content")
    expect(results).to_be_visible(timeout=1000 * browser.CAP)
    text = results.inner_text()
    page.keyboard.press("Escape")
    return text


def test_the_validate_button_tells_what_is_missing_and_what_is_done(
    opened: tuple[Page, str],
) -> None:
    page, address = opened
    untouched = validated(page, address.format("hw1"))
    assert untouched.count("The following cell failed") == 7
    assert "NotImplementedError: not answered yet" in untouched
    assert "Success! Your notebook passes all the tests." in validated(page, address.format("done"))
