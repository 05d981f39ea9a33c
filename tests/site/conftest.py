"""The browser in which pages of the site are looked at."""

from collections.abc import Iterator
from typing import Any

import pytest

from lincourse.publish import pdf


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    """One window for all pages: to open another takes half a second. Nothing moves by itself."""
    with pdf.browser() as chromium:
        yield chromium.new_context(reduced_motion="reduce")


@pytest.fixture
def page(window: Any) -> Iterator[Any]:
    opened = window.new_page()
    yield opened
    opened.close()
