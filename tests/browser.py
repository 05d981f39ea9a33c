"""A real browser on a real JupyterLab: what the tests of the explorers share.

The server listens on the loopback only, with a token, on a copy of the notebooks; its settings and
runtime files lie in a temporary folder. The browser is the system's own Chromium: playwright's
download of one is never used.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright

from lincourse.check import names
from lincourse.publish.pdf import CHROMIUM, tool

ROOT = Path(__file__).resolve().parent.parent
# What must happen may take PATIENCE seconds of the processors' time, however long that is on a busy
# machine. It is given up sooner if nothing computes any more, and at the latest after CAP seconds.
PATIENCE = 60
IDLE = 0.01  # of a processor, over PATIENCE seconds: nothing computes
CAP = 300


def copy_notebooks(folder: Path) -> None:
    """Put a copy of the lectures into a folder."""
    shutil.copytree(ROOT / "notebooks", folder, ignore=shutil.ignore_patterns("homework"))


@contextlib.contextmanager
def jupyterlab(
    home: Path,
    fill: Callable[[Path], None] = copy_notebooks,
    *,
    homework: bool = False,
    plain: bool = False,
) -> Iterator[str]:
    """Serve notebooks as ``make lab`` does; yield the address of its ``lab``, ``{}`` for the name.

    ``fill`` puts them into a new folder, by default a copy of the lectures. A ``plain`` server is
    one that a reader starts by ``jupyter lab``: without the settings of this course, but with what
    comes with linlib wherever it is installed.
    """
    fill(home / "notebooks")
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
    folders += ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    own = {name: str(home / name.lower()) for name in folders}
    outer = {k: v for k, v in os.environ.items() if k not in ("MPLBACKEND", "MATPLOTLIBRC")}
    # This very linlib, not whichever is installed.
    own |= {
        "JUPYTER_TOKEN": secrets.token_hex(16),
        "PYTHONPATH": str(ROOT),
        "OPENBLAS_NUM_THREADS": "1",
        "JUPYTER_CONFIG_PATH": os.pathsep.join(
            str(ROOT / "lincourse" / folder)
            for folder in ([] if plain else ["lab"] if homework else ["lab", "lab/lectures"])
        ),
    }
    if plain:
        own["JUPYTER_PATH"] = str(ROOT / "lincourse/lab/data/share/jupyter")
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0"]
    command += [f"--ServerApp.root_dir={home / 'notebooks'}", "--expose-app-in-browser"]
    command += ["--LabApp.extension_manager=readonly", "--LabApp.news_url="]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    log = home / "server.log"
    with log.open("wb") as file:
        server = subprocess.Popen(command, env=outer | own, cwd=home, stdout=file, stderr=file)
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: answers(f"{address}/api"), lambda: log.read_text("utf-8"))
        yield f"{address}/lab/workspaces/{{0}}/tree/{{0}}.ipynb?token={own['JUPYTER_TOKEN']}"
    finally:
        server.terminate()  # ends the kernels too
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2):
            return True
    except OSError:
        return False


def until(condition: Any, explain: Any = lambda: "", nudge: Any = lambda: None) -> None:
    """Wait for a condition as long as the server, its kernels and the browser get on with it.

    After ``PATIENCE`` seconds, ``nudge`` is called once.
    """
    started = looked = time.monotonic()
    first = used = processor_seconds()
    pause, longest = 0.02, 0.25
    while not condition():
        time.sleep(pause)
        pause = min(1.2 * pause, longest)  # to look costs what we wait for
        now = time.monotonic()
        if now - looked < PATIENCE:
            continue
        if longest < 1:
            nudge()
            longest = 5.0  # so that looking alone does not seem to be something that computes
        last, used = used, processor_seconds()
        idle = used - last < IDLE * (now - looked)
        looked = now
        gone = idle or used - first > PATIENCE or now - started > CAP
        assert not gone, f"this did not happen: {explain()}"


def processor_seconds() -> float:
    """Return what all processes started by this one have used so far."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            total += sum(process.cpu_times()[:2])
    return total


def chromium(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=tool("chromium").path, args=CHROMIUM)


def violations(page: Page, where: dict[str, Any], **options: Any) -> list[list[str]]:
    """Return what axe finds in some part of a page: its rule, and the first place.

    Formulas take the colour of their sentence: axe would look at every letter of them.
    """
    import axe_playwright_python

    if not page.evaluate("() => 'axe' in globalThis"):
        axe = Path(axe_playwright_python.__file__).parent / "axe.min.js"
        page.evaluate(axe.read_text("utf-8"))
    options = {"preload": False, "resultTypes": ["violations"], **options}
    found: list[list[str]] = page.evaluate(
        "async ([where, options]) => (await axe.run(where, options)).violations"
        ".map(v => [v.id, v.nodes[0].html])",
        [{"exclude": [["math"], ["mjx-container"]], **where}, options],
    )
    return found


def window(browser: Browser) -> BrowserContext:
    """Return a window for all pages of a test run: what one has loaded the others need not.

    Nothing moves in it by itself: to draw each frame of a movement costs more than a test does.
    """
    size = {"width": 1280, "height": 1000}
    return browser.new_context(viewport=size, reduced_motion="reduce")


# What a page is asked again and again, in one question: each answer takes a while.
OPEN = """([name, cell]) => {
    const open = globalThis.jupyterapp?.shell.currentWidget;
    return open?.context?.path === `${name}.ipynb`
        && open.sessionContext?.session?.kernel?.status === 'idle'
        && open.content.widgets.some(one => one.model.id === cell);
}"""
SETTLED = f"""([name, cell, place, count]) => {{
    const canvas = document.querySelector(`${{place}} .linlib-canvas[data-count]`);
    return canvas?.dataset.count >= count && !canvas.linlibPending() && ({OPEN})([name, cell]);
}}"""


class Lecture:
    """One lecture opened in JupyterLab, and the explorer in the cell named ``explore``.

    JupyterLab itself takes longest to load: pass the ``page`` of a lecture that was put away, and
    the next one is opened there.
    """

    def __init__(
        self,
        context: BrowserContext,
        address: str,
        name: str,
        *,
        cell: str = "explore",
        page: Page | None = None,
    ) -> None:
        self.name, self.cell = name, cell
        self.complaints: list[str] = []
        self.page: Page = page or context.new_page()
        self.listeners: dict[str, Callable[..., None]] = {
            "console": self._console,
            "pageerror": lambda error: self.complaints.append(f"raised {error}"),
            "request": lambda request: self._look(request.url),
            "websocket": lambda socket: self._look(socket.url),
        }
        for event, listener in self.listeners.items():
            self.page.on(event, listener)
        if page:
            path = f"{name}.ipynb"
            self.page.evaluate(
                "path => { jupyterapp.commands.execute('docmanager:open', { path }); }", path
            )
        else:
            self.page.set_default_timeout(1000 * CAP)
            self.page.goto(address.format(name), wait_until="commit")
        until(self.ready, lambda: f"{name} did not open: {self.complaints}", self.ask_again)
        self.show()

    def ready(self) -> bool:
        """Tell whether the lecture is open and its kernel has nothing to do."""
        return self.page.evaluate(OPEN, [self.name, self.cell])

    def ask_again(self) -> None:
        """Bring the lecture to the front, and let its kernel do nothing and say so.

        Once in many times JupyterLab misses that it is in front, or the first word of its kernel.
        """
        self.page.evaluate(
            """path => {
                jupyterapp.commands.execute('docmanager:open', { path });
                const { sessionContext } = jupyterapp.shell.currentWidget ?? {};
                sessionContext?.session?.kernel?.requestExecute({ code: '', silent: true });
            }""",
            f"{self.name}.ipynb",
        )

    def put_away(self) -> Page:
        """End the kernel and close the lecture without saving; return the page for another."""
        self.page.evaluate(
            """async () => {
                const open = jupyterapp.shell.currentWidget;
                await open.sessionContext.shutdown();
                open.dispose();
            }"""
        )
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        return self.page

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _look(self, url: str) -> None:
        if re.match(r"(https?|wss?|ftp)://", url) and not re.match(r"\w+://127\.0\.0\.1[:/]", url):
            self.complaints.append(f"asked for {url}")

    def close(self) -> None:
        self.page.close()

    # ---- the cell

    def show(self) -> None:
        """Scroll to the explorer's cell, which JupyterLab draws only then."""
        self.index = self.page.evaluate(
            """async cell => {
                const { content } = jupyterapp.shell.currentWidget;
                const index = content.widgets.findIndex(one => one.model.id === cell);
                content.activeCellIndex = index;
                await content.scrollToItem(index, 'start');
                return index;
            }""",
            self.cell,
        )
        self.output.wait_for()

    def turn(self, cell: str) -> None:
        """Look at another explorer of the same notebook."""
        self.cell = cell
        self.show()

    @property
    def place_on_page(self) -> str:
        """The selector of the explorer's cell."""
        return f'.jp-NotebookPanel:not(.lm-mod-hidden) [data-windowed-list-index="{self.index}"]'

    @property
    def output(self) -> Locator:
        return self.page.locator(f"{self.place_on_page} .jp-Cell-outputWrapper")

    @property
    def still(self) -> Locator:
        """The still picture: shown until the cell is run."""
        return self.output.locator("img")

    def run_all(self) -> None:
        """Run every cell and wait for the live explorer."""
        self.page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
        self.wait_for_life()

    def wait_for_life(self) -> None:
        self.show()
        until(self.settled, lambda: self.output.inner_text())

    def run_needed(self) -> None:
        """Run the explorer's cell and those that it takes something from."""
        cells = self.page.evaluate(
            """() => jupyterapp.shell.currentWidget.content.widgets.map(
                (one) => (one.model.type === 'code' ? one.model.sharedModel.source : ''))"""
        )
        self.page.evaluate(
            """async cells => {
                const { content } = jupyterapp.shell.currentWidget;
                for (const index of cells) {
                    content.activeCellIndex = index;
                    await jupyterapp.commands.execute('notebook:run-cell');
                }
            }""",
            names.needed(cells, self.index),
        )
        self.wait_for_life()

    # ---- the explorer

    @property
    def text(self) -> str:
        return self.output.locator(".linlib-status").inner_text()

    @property
    def count(self) -> int:
        """How many pictures Python has sent."""
        return int(self.output.locator(".linlib-canvas").get_attribute("data-count") or 0)

    def handle(self, id: str) -> Locator:
        return self.output.locator(f'.linlib-handle[data-id="{id}"]').first

    def drawn(self, name: str) -> Locator:
        """What was drawn under a name: see ``data-name`` in ``canvas.js``."""
        return self.output.locator(f'[data-name="{name}"]')

    @contextlib.contextmanager
    def answered(self) -> Iterator[None]:
        """Do something, and wait until Python has sent another picture and nothing follows."""
        before = self.count
        yield
        until(lambda: self.settled(before + 1), lambda: self.text)

    def settle(self) -> None:
        """Wait until Python has answered everything that was done."""
        until(self.settled, lambda: self.text)

    def settled(self, count: int = 0) -> bool:
        """Tell whether so many pictures have come and no more will."""
        return self.page.evaluate(SETTLED, [self.name, self.cell, self.place_on_page, count])

    def drag(self, id: str, x: float, y: float, *, panel: int = 0, steps: int = 8) -> None:
        """Drag a handle with the mouse to a place in the units of the data."""
        box = self.handle(id).locator("path").bounding_box()
        with self.answered():
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            self.page.mouse.down()
            self.page.mouse.move(*self.pixels(x, y, panel), steps=steps)
            self.page.mouse.up()

    def sweep(self, id: str, x: float, y: float, *, moves: int) -> None:
        """Drag a handle in so many moves that all of them happen before Python can answer one."""
        box = self.handle(id).locator("path").bounding_box()
        start = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        end = self.pixels(x, y)
        with self.answered():
            self.page.mouse.move(*start)
            self.page.mouse.down()
            self.handle(id).evaluate(
                """(node, [start, end, moves]) => {
                    for (let k = 1; k <= moves; k++) {
                        const part = (i) => start[i] + (end[i] - start[i]) * k / moves;
                        const [clientX, clientY] = [part(0), part(1)];
                        node.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY }));
                    }
                }""",
                [start, end, moves],
            )
            self.page.mouse.move(*end)
            self.page.mouse.up()

    def click(self, x: float, y: float, *, panel: int = 0) -> None:
        """Click a place of a panel."""
        with self.answered():
            self.page.mouse.click(*self.pixels(x, y, panel))

    def press(self, *keys: str) -> None:
        """Press keys, waiting for the picture after each."""
        for key in keys:
            with self.answered():
                self.page.keyboard.press(key)

    def button(self, name: str) -> None:
        with self.answered():
            self.output.get_by_role("button", name=name, exact=True).click()

    def choose(self, label: str, option: str) -> None:
        with self.answered():
            self.output.get_by_label(label).select_option(label=option)

    # ---- geometry

    def frame(self, panel: int = 0) -> tuple[list[float], list[float], dict[str, float]]:
        """Return the limits of a panel and its frame in pixels of the page."""
        scene = self.scene()["panels"][panel]
        box = self.output.locator(".linlib-back").nth(panel).bounding_box()
        return scene["xlim"], scene["ylim"], box

    def scene(self) -> dict[str, Any]:
        """Return the scene that the browser holds."""
        return json.loads(
            self.output.locator(".linlib-canvas").evaluate("node => node.linlibScene()")
        )

    def pixels(self, x: float, y: float, panel: int = 0) -> tuple[float, float]:
        (left, right), (low, high), box = self.frame(panel)
        return (
            box["x"] + box["width"] * (x - left) / (right - left),
            box["y"] + box["height"] * (high - y) / (high - low),
        )

    def measured(self, shapes: Locator, panel: int = 0) -> list[dict[str, Any]]:
        """Return the middle and the ends of everything drawn there, in the units of the data.

        All of it in one question to the browser: each answer takes as long as drawing does.
        """
        found: list[dict[str, Any]] = shapes.evaluate_all(
            """(nodes, panel) => {
                const canvas = nodes[0]?.closest('.linlib-canvas');
                if (!canvas) return [];
                const { xlim, ylim } = JSON.parse(canvas.linlibScene()).panels[panel];
                const back = canvas.querySelectorAll('.linlib-back')[panel].getBoundingClientRect();
                const place = ({ x, y }) => [
                    xlim[0] + (x - back.x) / back.width * (xlim[1] - xlim[0]),
                    ylim[1] - (y - back.y) / back.height * (ylim[1] - ylim[0]),
                ];
                return nodes.map((node) => {
                    const { x, y, width, height } = node.getBoundingClientRect();
                    const length = node.getTotalLength?.() ?? NaN;
                    return {
                        centre: place({ x: x + width / 2, y: y + height / 2 }),
                        ends: isNaN(length) ? [] : [0, length].map((at) => place(
                            node.getPointAtLength(at).matrixTransform(node.getScreenCTM()))),
                    };
                });
            }""",
            panel,
        )
        return found

    def centres(self, shapes: Locator, panel: int = 0) -> list[list[float]]:
        return [one["centre"] for one in self.measured(shapes, panel)]

    def centre(self, shape: Locator, panel: int = 0) -> list[float]:
        """Return the middle of the one thing drawn there."""
        (centre,) = self.centres(shape, panel)
        return centre

    def all_ends(self, shapes: Locator, panel: int = 0) -> list[list[list[float]]]:
        return [one["ends"] for one in self.measured(shapes, panel)]

    def ends(self, shape: Locator, panel: int = 0) -> list[list[float]]:
        """Return the first and last point of the one path drawn there."""
        (ends,) = self.all_ends(shape, panel)
        return ends
