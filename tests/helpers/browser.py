"""A real browser on a real JupyterLab, for the tests that need one.

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
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright

from lincourse import programs
from lincourse.publish.pdf import CHROMIUM

ROOT = Path(__file__).resolve().parents[2]
# What must happen may take PATIENCE seconds of the processors' time, however long that is on a busy
# machine. It is given up sooner if nothing computes any more, and at the latest after CAP seconds.
PATIENCE = 60
IDLE = 0.01  # of a processor, over PATIENCE seconds: nothing computes
CAP = 300
FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
FOLDERS += ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the variables of a server whose settings and runtime files lie in ``home``."""
    drop = ("MPLBACKEND", "MATPLOTLIBRC", "PYTHONPATH", "DISPLAY", "WAYLAND_DISPLAY")
    outer = {name: value for name, value in os.environ.items() if name not in drop}
    return outer | {name: str(home / name.lower()) for name in FOLDERS} | more


@contextlib.contextmanager
def jupyterlab(home: Path) -> Iterator[str]:
    """Serve ``home/notebooks`` as ``make lab`` does; yield the address, ``{}`` for a notebook."""
    lab, port, token = ROOT / "lincourse" / "lab", free_port(), secrets.token_hex(16)
    own = {
        "JUPYTER_TOKEN": token,
        "PYTHONPATH": str(ROOT),  # this very linlib, not whichever is installed
        "OPENBLAS_NUM_THREADS": "1",
        "JUPYTER_CONFIG_PATH": os.pathsep.join(map(str, (lab, lab / "lectures"))),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0"]
    command += [f"--ServerApp.root_dir={home / 'notebooks'}", "--expose-app-in-browser"]
    command += ["--LabApp.extension_manager=readonly", "--LabApp.news_url="]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    log = home / "server.log"
    with log.open("wb") as file:
        server = subprocess.Popen(
            command, env=environment(home, **own), cwd=home, stdout=file, stderr=file
        )
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: answers(f"{address}/api"), lambda: log.read_text("utf-8"))
        yield f"{address}/lab/tree/{{}}.ipynb?token={token}"
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
    return playwright.chromium.launch(executable_path=programs.find("chromium"), args=CHROMIUM)


def watch(page: Page) -> list[str]:
    """Return a list that fills with whatever is wrong: errors, and requests to other machines."""
    found: list[str] = []

    def note(message: Any) -> None:
        if message.type == "error":
            found.append(f"console: {message.text} ({message.location.get('url', '')})")

    def look(to: Any) -> None:
        here = r"\w+://(127\.0\.0\.1|localhost)[:/]"
        if re.match(r"(https?|wss?|ftp)://", to.url) and not re.match(here, to.url):
            found.append(f"asked for {to.url}")

    page.on("console", note)
    page.on("pageerror", lambda error: found.append(f"raised {error}"))
    page.on("request", look)
    page.on("websocket", look)
    return found


def finger(page: Page, path: Iterable[tuple[float, float]]) -> None:
    """Put a finger down, move it along a path of pixels, and lift it."""
    session, kind = page.context.new_cdp_session(page), "touchStart"
    for x, y in path:
        spot = {"x": float(x), "y": float(y)}
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [spot]})
        kind = "touchMove"
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


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
# Return the names of marks and handles that are not drawn where the scene has them, and of texts
# that say something else. Marks are drawn in the order of the scene.
MISPLACED = """canvas => {
    const scene = JSON.parse(canvas.linlibScene()), wrong = [];
    const check = (good, name) => { if (!good) wrong.push(name); };
    check(canvas.querySelector('.linlib-status').textContent === scene.text, 'the sentence');
    scene.panels.forEach(({ xlim, ylim, drawables, handles }, k) => {
        const panel = canvas.querySelectorAll('.linlib-panel')[k];
        const back = panel.querySelector('.linlib-back').getBoundingClientRect();
        const pixel = ([x, y]) => [
            back.x + back.width * (x - xlim[0]) / (xlim[1] - xlim[0]),
            back.y + back.height * (ylim[1] - y) / (ylim[1] - ylim[0]),
        ];
        const far = ([x, y], [a, b]) => Math.hypot(x - a, y - b);
        const near = (spot, at) => far(spot, pixel(at)) < 2.5 || far(pixel(at), [0, 0]) > 5000;
        const middle = (node) => {
            const { x, y, width, height } = node.getBoundingClientRect();
            return [x + width / 2, y + height / 2];
        };
        const end = (node, part) => {
            const at = node.getPointAtLength(part * node.getTotalLength());
            const { x, y } = at.matrixTransform(node.getScreenCTM());
            return [x, y];
        };
        const nodes = [...panel.querySelectorAll('[data-name]:not(text)')];
        for (const { kind, name, xy, at, closed, tail, tip } of drawables) {
            if (kind === 'arrow' && far(pixel(tail), pixel(tip)) < 1) continue; // none is drawn
            if (kind === 'path') {
                const node = nodes.shift();
                check(near(end(node, 0), xy[0]) && (closed || near(end(node, 1), xy.at(-1))), name);
            } else if (kind === 'arrow') {
                check(near(end(nodes.shift(), 0), tail), name);
            } else if (kind === 'marks' || kind === 'ring') {
                for (const one of xy ?? [at]) check(near(middle(nodes.shift()), one), name);
            }
        }
        check(!nodes.length, 'marks that the scene does not have');
        const words = [...panel.querySelectorAll('text[data-name]')];
        const inside = ([x, y]) =>
            xlim[0] <= x && x <= xlim[1] && ylim[0] <= y && y <= ylim[1];
        const texts = drawables.filter(({ kind, at }) => kind === 'text' && inside(at));
        let from = 0; // words that would lie on others are left out
        for (const { textContent } of words) {
            from = texts.findIndex(({ text }, k) => k >= from && text === textContent) + 1;
            check(from, 'words of the picture');
        }
        for (const { id, at } of handles) {
            const node = panel.querySelector(`.linlib-handle[data-id="${id}"] path`);
            check(near(middle(node), at), id);
        }
    });
    return wrong;
}"""


def choose(box: Locator, label: str, option: str) -> None:
    """Choose an option in an explorer: a chip, or an option of a list, behind More if need be."""
    chips = box.get_by_role("group", name=label, exact=True)
    if chips.count():
        chips.get_by_role("button", name=option, exact=True).click()
        return
    wanted = box.get_by_label(label, exact=True)
    if not wanted.is_visible():
        box.get_by_text("More", exact=True).click()
    wanted.select_option(label=option)


class Lab:
    """JupyterLab in one page of Chromium, a notebook open in it, and one of its cells in sight.

    Nothing moves in the page by itself: to draw each frame of a movement costs more than a test.
    """

    def __init__(self, chromium: Browser, address: str, size: dict[str, int]) -> None:
        self.address = address
        self.window: BrowserContext = chromium.new_context(viewport=size, reduced_motion="reduce")
        self.page: Page = self.window.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.cdp = self.window.new_cdp_session(self.page)
        self.cdp.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        self.complaints = watch(self.page)

    def open(self, name: str, cell: str) -> None:
        """Open a notebook and wait for its kernel; JupyterLab itself is loaded once."""
        self.name, self.cell = name, cell
        if self.page.url.startswith("http"):
            self.bring_forward()
        else:
            self.page.goto(self.address.format(name), wait_until="commit", timeout=1000 * CAP)
        until(self.ready, lambda: f"{name} did not open: {self.complaints}", self.ask_again)
        self.turn(cell)

    def bring_forward(self) -> None:
        path = f"{self.name}.ipynb"
        self.do(f"jupyterapp.commands.execute('docmanager:open', {{ path: '{path}' }});")

    def ask_again(self) -> None:
        """Bring the notebook to the front, and let its kernel do nothing and say so.

        Once in many times JupyterLab misses that it is in front, or the first word of its kernel.
        """
        self.bring_forward()
        self.do(
            "const { sessionContext } = jupyterapp.shell.currentWidget ?? {};"
            "sessionContext?.session?.kernel?.requestExecute({ code: '', silent: true });"
        )

    def ready(self) -> bool:
        """Tell whether the notebook is open and its kernel has nothing to do."""
        return self.page.evaluate(OPEN, [self.name, self.cell])

    def do(self, script: str) -> Any:
        """Run statements of JavaScript in the page; return what they return."""
        return self.page.evaluate(f"async () => {{ {script} }}")

    def put_away(self) -> None:
        """End the kernel and close the notebook without saving."""
        self.do(
            "const open = jupyterapp.shell.currentWidget;"
            "await open.sessionContext.shutdown(); open.dispose();"
        )

    # ---- the cell

    def turn(self, cell: str) -> None:
        """Scroll to a cell, which JupyterLab draws only then."""
        self.cell = cell
        self.index = self.page.evaluate(
            """async cell => {
                const { content } = jupyterapp.shell.currentWidget;
                const index = content.widgets.findIndex(one => one.model.id === cell);
                content.activeCellIndex = index;
                await content.scrollToItem(index, 'start');
                return index;
            }""",
            cell,
        )
        self.output.wait_for()

    @property
    def place_on_page(self) -> str:
        """The selector of the cell."""
        return f'.jp-NotebookPanel:not(.lm-mod-hidden) [data-windowed-list-index="{self.index}"]'

    @property
    def output(self) -> Locator:
        return self.page.locator(f"{self.place_on_page} .jp-Cell-outputWrapper")

    @property
    def still(self) -> Locator:
        """The still picture: shown until the cell is run."""
        return self.output.locator("img")

    def run(self, which: str = "run-all-cells") -> None:
        """Run every cell, or this one, and wait for the live explorer in sight."""
        self.do(f"jupyterapp.commands.execute('notebook:{which}');")
        self.turn(self.cell)
        self.settle()

    # ---- the explorer

    @property
    def canvas(self) -> Locator:
        return self.output.locator(".linlib-canvas")

    @property
    def text(self) -> str:
        return self.output.locator(".linlib-status").inner_text()

    def handle(self, id: str) -> Locator:
        return self.output.locator(f'.linlib-handle[data-id="{id}"]').first

    def drawn(self, name: str) -> Locator:
        """What was drawn under a name: see ``data-name`` in ``canvas.js``."""
        return self.output.locator(f'[data-name="{name}"]')

    def tool(self, name: str) -> Locator:
        return self.output.locator(f'[data-tool="{name}"]')

    @contextlib.contextmanager
    def answered(self) -> Iterator[None]:
        """Do something, and wait until Python has sent another picture and nothing follows."""
        before = int(self.canvas.get_attribute("data-count") or 0)
        yield
        self.settle(before + 1)

    def settle(self, count: int = 0) -> None:
        """Wait until so many pictures have come and no more will."""
        asked = [self.name, self.cell, self.place_on_page, count]
        until(lambda: self.page.evaluate(SETTLED, asked), self.output.inner_text)

    def drag(self, id: str, x: float, y: float, *, panel: int = 0) -> None:
        """Drag a handle with the mouse to a place in the units of the data.

        As a hand does it: the picture may have moved when the sentence has grown by a line.
        """
        box = self.output.locator(f'.linlib-panel >> nth={panel} >> [data-id="{id}"] path')
        self.pixels(x, y, panel)  # brings the picture into sight
        start = box.bounding_box()
        with self.answered():
            self.page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
            self.page.mouse.down()
            with self.answered():
                self.page.mouse.move(*self.pixels(x, y, panel), steps=6)
            self.page.mouse.move(*np.add(self.pixels(x, y, panel), (1, 0)))
            self.page.mouse.up()

    def touch(self, *path: tuple[float, float]) -> None:
        """Move a finger along a path of pixels."""
        with self.answered():
            finger(self.page, path)

    def click(self, x: float, y: float, *, panel: int = 0) -> None:
        """Click a place of a panel."""
        with self.answered():
            self.page.mouse.click(*self.pixels(x, y, panel))

    def press(self, *keys: str, on: str = "") -> None:
        """Press keys, on a handle if one is named, waiting for the picture after each."""
        if on:
            self.handle(on).focus()
        for key in keys:
            with self.answered():
                self.page.keyboard.press(key)

    def press_tool(self, name: str) -> None:
        with self.answered():
            self.tool(name).click()

    def button(self, name: str) -> None:
        with self.answered():
            self.output.get_by_role("button", name=name, exact=True).click()

    def choose(self, label: str, option: str) -> None:
        with self.answered():
            choose(self.output, label, option)

    def copied(self, name: str) -> str:
        """Return what an explorer hands over: its ``state``, or itself as ``python``."""
        with self.answered():
            self.tool(name).dispatch_event("click")
        return self.output.locator("textarea").input_value()

    def scene(self) -> dict[str, Any]:
        """Return the scene that the browser holds."""
        return json.loads(self.canvas.evaluate("node => node.linlibScene()"))

    def place(self, id: str) -> tuple[float, float]:
        """Return where a handle is, as Python said."""
        handles = (item for panel in self.scene()["panels"] for item in panel["handles"])
        return tuple(next(item["at"] for item in handles if item["id"] == id))

    def pixels(self, x: float, y: float, panel: int = 0) -> tuple[float, float]:
        """Return where a place of a panel is on the page, in sight."""
        self.canvas.evaluate("node => node.scrollIntoView({ block: 'start' })")
        scene = self.scene()["panels"][panel]
        (left, right), (low, high) = scene["xlim"], scene["ylim"]
        box = self.output.locator(".linlib-back").nth(panel).bounding_box()
        return (
            box["x"] + box["width"] * (x - left) / (right - left),
            box["y"] + box["height"] * (high - y) / (high - low),
        )
