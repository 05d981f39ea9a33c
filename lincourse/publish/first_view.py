"""Measure the first view of a page: what the browser reads for it, and when it shows something."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

PAINTED = "performance.getEntriesByName('first-contentful-paint').length > 0"
TIMES = """() => [performance.getEntriesByName('first-contentful-paint')[0].startTime,
  performance.getEntriesByType('navigation')[0].loadEventEnd]"""


class View(NamedTuple):
    """Megabytes that were read, seconds to the first words, seconds until all is there."""

    size: float
    shown: float
    whole: float

    def __str__(self) -> str:
        soon = f"first words after {self.shown:.1f} s, all after {self.whole:.1f} s"
        return f"{self.size:.1f} MB, {soon}"


def first_view(browser: Any, page: Path, times: int = 3) -> View:
    """Open a page in a window that has seen nothing; return the quickest of several times."""
    return min((_once(browser, page) for _ in range(times)), key=lambda view: view.whole)


def _once(browser: Any, page: Path) -> View:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened, read = context.new_page(), set()
    opened.on("request", lambda request: read.add(unquote(urlsplit(request.url).path)))
    opened.goto(page.resolve().as_uri(), wait_until="load")
    opened.wait_for_function(PAINTED)
    shown, whole = opened.evaluate(TIMES)
    context.close()
    size = sum(path.stat().st_size for path in map(Path, read) if path.is_file())
    return View(size / 1e6, shown / 1000, whole / 1000)
