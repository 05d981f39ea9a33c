"""The core of the explorers in Firefox: a lecture opened, run, dragged and driven by keys."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

from linlib import Hyperplane
from linlib.explorers.kit.sentences import say, vector
from tests import browser
from tests.firefox import Tab, firefox

pytestmark = pytest.mark.needs("firefox")

LECTURE = "01-hyperplanes"
CELL = """
const panel = [...(globalThis.jupyterapp?.shell.widgets('main') ?? [])].at(-1);
const notebook = panel?.content;
const index = notebook?.widgets?.findIndex(one => one.model.id === 'explore') ?? -1;
const output = notebook?.widgets?.[index]?.node.querySelector('.jp-Cell-outputWrapper');
const canvas = output?.querySelector('.linlib-canvas');
"""


class Shown:
    """The lecture's explorer in Firefox."""

    def __init__(self, tab: Tab, address: str) -> None:
        self.tab = tab
        tab.goto(address.format(LECTURE))
        browser.until(lambda: self.ready(), lambda: f"it did not open: {tab.complaints}")
        self.show()

    def ready(self) -> bool:
        return self.tab.evaluate(
            CELL + "return index >= 0 && panel.sessionContext?.session?.kernel?.status === 'idle';"
        )

    def show(self) -> None:
        self.tab.evaluate(
            CELL + "jupyterapp.shell.activateById(panel.id); notebook.activeCellIndex = index;"
            "await notebook.scrollToItem(index, 'start');"
        )
        browser.until(lambda: self.tab.evaluate(CELL + "return Boolean(output);"))

    def run_all(self) -> None:
        self.tab.evaluate("jupyterapp.commands.execute('notebook:run-all-cells');")
        self.show()
        live = CELL + "return Boolean(canvas?.dataset.count);"
        browser.until(lambda: self.tab.evaluate(live) and self.ready())

    @property
    def text(self) -> str:
        found = self.tab.evaluate(CELL + "return canvas.querySelector('.linlib-status').innerText;")
        return str(found)

    def place(self, id: str) -> tuple[float, float]:
        """Return where a handle is, as Python said."""
        handles = self.tab.evaluate(
            CELL + "return JSON.parse(canvas.linlibScene()).panels[0].handles;"
        )
        return tuple(next(item["at"] for item in handles if item["id"] == id))

    def settle(self, count: int) -> None:
        """Wait for a later picture than this, with nothing on its way."""
        done = f"return Number(canvas.dataset.count) > {count} && !canvas.linlibPending();"
        browser.until(lambda: self.tab.evaluate(CELL + done) and self.ready(), lambda: self.text)

    @property
    def count(self) -> int:
        return int(self.tab.evaluate(CELL + "return canvas.dataset.count;"))

    def drag(self, id: str, x: float, y: float) -> None:
        start, end = self.tab.evaluate(
            CELL
            + f"""
            const centre = (node) => {{
                const {{ x, y, width, height }} = node.getBoundingClientRect();
                return [x + width / 2, y + height / 2];
            }};
            const {{ xlim, ylim }} = JSON.parse(canvas.linlibScene()).panels[0];
            const back = canvas.querySelector('.linlib-back').getBoundingClientRect();
            return [
                centre(canvas.querySelector('.linlib-handle[data-id="{id}"] path')),
                [back.x + back.width * ({x} - xlim[0]) / (xlim[1] - xlim[0]),
                 back.y + back.height * (ylim[1] - {y}) / (ylim[1] - ylim[0])],
            ];"""
        )
        before = self.count
        self.tab.drag(start, end)
        self.settle(before)

    def press(self, *keys: str) -> None:
        for key in keys:
            before = self.count
            self.tab.press(key)
            self.settle(before)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    home = tmp_path_factory.mktemp("firefox")
    (home / "notebooks").mkdir()
    shutil.copy(browser.ROOT / "notebooks" / f"{LECTURE}.ipynb", home / "notebooks")
    with browser.jupyterlab(home) as address, firefox(home / "own") as tab:
        yield Shown(tab, address)


def test_a_lecture_runs_in_firefox_and_its_explorer_says_what_linlib_says(shown: Shown) -> None:
    width = CELL + "return output.querySelector('img')?.naturalWidth ?? 0;"
    browser.until(lambda: shown.tab.evaluate(width) > 400)
    shown.run_all()
    w, w0 = np.array([2.0, 1.0]), -3.0

    def agrees() -> None:
        h, point = Hyperplane(w, w0), shown.place("point")
        side = {1: "positive", -1: "negative"}[int(h.predict(point))]
        assert f"The point {vector(point)} is on the {side} side" in shown.text
        assert f"signed distance {say(h.distance(point))}" in shown.text
        assert f"projection {vector(h.project(point))}" in shown.text

    agrees()
    shown.drag("point", 3.0, 2.5)
    assert np.allclose(shown.place("point"), (3, 2.5), atol=0.03)
    agrees()
    before = np.array(shown.place("point"))
    shown.press("ArrowRight", "ArrowDown", "Shift+ArrowLeft")
    assert np.allclose(shown.place("point"), np.add(before, (0.1 - 0.5, -0.1)), atol=1e-4)
    agrees()
    shown.drag("normal", 1.0, -2.0)
    w = np.array(shown.place("normal"))
    assert np.allclose(w, (1, -2), atol=0.03)
    agrees()
    shown.press("Control+z")
    w = np.array([2.0, 1.0])
    assert np.allclose(shown.place("normal"), w)
    agrees()
    assert shown.tab.complaints == []
