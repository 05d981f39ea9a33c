"""From key press and pointer move to the new picture, beside ``interact`` on the same idea.

Both run in JupyterLab in the system's Chromium. A notebook holds the explorer and, below it,
``interact`` with a slider that moves the same handle and draws the same scene with Matplotlib
inline. The clock is the browser's: it starts when the event arrives there and stops at the frame
after the new picture is in the page.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import numpy as np
from nbformat.v4 import new_code_cell, new_notebook, new_output
from playwright.sync_api import Browser, sync_playwright

from bench.contest import Part
from tests import browser

TITLE = "Explorers: how long until the new picture"
EXPLORERS = ("Hyperplane", "Perceptron", "Proof", "Descent", "Margin", "Gaussian", "Classes")
WATCH = """([root, selector, attribute]) => {
    const done = resolve => requestAnimationFrame(() => requestAnimationFrame(
        () => resolve(performance.now() - window.benchStart)));
    window.benchStart = null;
    const start = () => { window.benchStart ??= performance.now(); };
    for (const kind of ['keydown', 'pointermove'])
        document.addEventListener(kind, start, { capture: true, once: true });
    window.benchResult = new Promise(resolve => {
        const look = new MutationObserver(changes => {
            const fresh = attribute
                || changes.some(c => [...c.addedNodes].some(n => n.querySelector?.('img')));
            if (window.benchStart === null || !fresh) return;
            look.disconnect();
            const image = attribute ? null : document.querySelector(`${root} img`);
            if (image && !image.complete) image.addEventListener('load', () => done(resolve));
            else done(resolve);
        });
        look.observe(document.querySelector(`${root} ${selector}`), attribute
            ? { attributes: true, attributeFilter: [attribute] }
            : { childList: true, subtree: true });
    });
}"""


def run(quick: bool) -> Part:
    """Measure every explorer; without a browser say so instead."""
    if not (found := browser.tool("chromium")):
        return Part(markdown=f"Not measured: {found.why}.")
    names = EXPLORERS[: 1 if quick else None]
    with opened() as (chromium, address, folder):
        lines = [one(chromium, address, folder, name, 5 if quick else 40) for name in names]
    head = (
        "| explorer | key press | pointer move | `interact` | times faster |\n|---|---|---|---|---|"
    )
    note = (
        "Milliseconds, median and 95th percentile in brackets; 40 events each, one after another; "
        "the last column compares key presses."
    )
    return Part(note=note, markdown="\n".join([head, *lines]))


@contextlib.contextmanager
def opened() -> Iterator[tuple[Browser, str, Path]]:
    """Serve JupyterLab from a temporary folder, and open a browser."""
    home = Path(tempfile.mkdtemp())
    try:
        with browser.jupyterlab(home) as address, sync_playwright() as playwright:
            chromium = browser.chromium(playwright)
            yield chromium, address, home / "notebooks"
            chromium.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def notebook(name: str) -> nbformat.NotebookNode:
    """Return a notebook with the explorer and its counterpart."""
    explorer = f"from linlib import widgets\nexplorer = widgets.{name}Explorer()\nexplorer"
    plain = f"""
import matplotlib.pyplot as plt
from ipywidgets import FloatSlider, interact
%matplotlib inline
other = widgets.{name}Explorer()
handle = next(iter(other.handles))
x, y = other.handles[handle]

def draw(shift):
    other.move(handle, x + shift, y)
    other.still()
    plt.show()

interact(draw, shift=FloatSlider(value=0, min=-0.2, max=0.2, step=0.01))
"""
    cells = [new_code_cell(explorer, id="explore"), new_code_cell(plain.strip(), id="plain")]
    cells[0].outputs = [new_output("stream", text="not run yet")]  # something to be seen
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def one(chromium: Browser, address: str, folder: Path, name: str, times: int) -> str:
    """Return the line of the table for one explorer."""
    nbformat.write(notebook(name), folder / f"{name}.ipynb")
    page = browser.Lecture(browser.window(chromium), address, name)
    page.run_all()
    handle = page.output.locator(".linlib-handle").first
    root = f'[data-windowed-list-index="{page.index}"]'
    handle.focus()
    keys = []
    for turn in range(times):
        page.page.evaluate(WATCH, [root, ".linlib-canvas", "data-count"])
        page.page.keyboard.press("ArrowRight" if turn % 2 else "ArrowLeft")
        keys.append(page.page.evaluate("() => window.benchResult"))
        page.settle()
    moves = pointer_moves(page, root, times)
    slider = page.page.locator(f'[data-windowed-list-index="{page.index + 1}"] .noUi-handle')
    slider.scroll_into_view_if_needed()
    slider.focus()
    root = f'[data-windowed-list-index="{page.index + 1}"]'
    page.page.locator(f"{root} .jp-Cell-outputWrapper img").first.wait_for()
    plain = []
    for turn in range(times):
        page.page.wait_for_timeout(150)
        page.page.evaluate(WATCH, [root, ".jp-Cell-outputWrapper", ""])
        page.page.keyboard.press("ArrowRight" if turn % 2 else "ArrowLeft")
        plain.append(page.page.evaluate("() => window.benchResult"))
    page.close()
    ratio = np.median(plain) / np.median(keys)
    cells = " | ".join(map(spread, (keys, moves, plain)))
    return f"| {name} | {cells} | {ratio:.1f} |"


def pointer_moves(page: browser.Lecture, root: str, times: int) -> list[float]:
    """Return the milliseconds of moves during one drag."""
    box = page.output.locator(".linlib-handle path").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.settle()
    found = []
    for turn in range(times):
        page.page.evaluate(WATCH, [root, ".linlib-canvas", "data-count"])
        page.page.mouse.move(x + 3 + turn % 2 * 4, y)
        found.append(page.page.evaluate("() => window.benchResult"))
        page.settle()
    page.page.mouse.up()
    return found


def spread(values: list[float]) -> str:
    """Return the median and the 95th percentile."""
    return f"{np.median(values):.0f} [{np.quantile(values, 0.95):.0f}]"
