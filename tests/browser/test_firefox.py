"""A live page in Firefox: Python arrives, and an explorer is dragged and driven by keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from lincourse.publish import in_page, recordings
from tests import live_pages
from tests.browser import until
from tests.firefox import firefox
from tests.live_pages import HYPERPLANE, WALKS

pytestmark = [pytest.mark.needs("firefox", "npm"), pytest.mark.slow]

WALK = f"""
const walk = globalThis.linlibLive?.users.get('{HYPERPLANE}');
const canvas = walk?.box.querySelector('.linlib-canvas');
"""
SETTLED = WALK + "return walk.alive && !linlibLive.calls.length && !canvas.linlibPending();"
SAID = WALK + "return [canvas.querySelector('.linlib-status').innerText, walk.state];"
CENTRE = """
const handle = canvas.querySelector('.linlib-handle path');
handle.scrollIntoView({ block: 'center' });
const { x, y, width, height } = handle.getBoundingClientRect();
return [x + width / 2, y + height / 2];
"""


def test_an_explorer_is_alive_and_says_what_the_kernel_says(tmp_path: Path) -> None:
    live_pages.write(tmp_path / "pages")
    kernel = in_page.made(recordings.program(*WALKS[HYPERPLANE]))
    with live_pages.served(tmp_path / "pages") as server, firefox(tmp_path / "own") as tab:
        tab.goto(server.address("two.html"))
        until(lambda: tab.evaluate(WALK + "return Boolean(canvas);"), lambda: str(tab.complaints))
        seen = []

        def agrees() -> None:
            until(lambda: tab.evaluate(SETTLED), lambda: str([tab.evaluate(SAID), tab.complaints]))
            text, state = tab.evaluate(SAID)
            kernel.put(state)
            assert text == kernel.text
            assert text not in seen
            seen.append(text)

        x, y = tab.evaluate(WALK + CENTRE)
        tab.drag([x, y], [x + 40, y - 30])  # the first touch brings Python
        agrees()
        tab.press("Shift+ArrowLeft")
        tab.press("ArrowDown")
        agrees()
        assert tab.complaints == []
