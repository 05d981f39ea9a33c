"""Pages with Python in them, as readers meet them: from a server, from a folder, in a real browser.

One page has every explorer, prediction and exercise of the lectures, and is shared by most tests.
Whatever the browser's Python says must be what the kernel's says in the same state. Nothing may be
asked of another machine, and nothing that the policy of a strict server forbids.
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import re
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from playwright import sync_api

from bench.live import MOVES
from lincourse.optional import tool
from lincourse.publish import in_page, live, pages, recordings
from lincourse.publish.lectures import lectures
from tests import browser

pytestmark = [pytest.mark.needs("chromium", "npm"), pytest.mark.slow]

ANSWERS = tomllib.loads((browser.ROOT / "tests/site/answers.toml").read_text("utf-8"))
DESK, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}
HOWTO = browser.ROOT / "lincourse/publish/source/howto/live.md"
(POLICY,) = re.findall(r"^    Content-Security-Policy: (.+)$", HOWTO.read_text("utf-8"), re.M)
ELSEWHERE = "http://localhost:*"  # another origin: where a distribution may be served
# Every cell that shows an explorer or asks for a prediction, by the name of its walk.
WALKS = {
    name: (one, cell)
    for one in lectures()
    for cell in one.cells
    if (name := recordings.name_of(one, cell))
}
EXPLORERS = [name for name, (_, cell) in WALKS.items() if cell.explores]
PREDICTIONS = [name for name in WALKS if name not in EXPLORERS]
LIVE = [name for name in PREDICTIONS if "sklearn" not in recordings.program(*WALKS[name])]
HYPERPLANE, PERCEPTRON, MARGINS = (
    next(name for name, (one, _) in WALKS.items() if one.slug == slug and name == one.name)
    for slug in ("hyperplanes", "perceptron", "margins")
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a page of everything, one of two explorers, and the site's Python."""
    out = tmp_path_factory.mktemp("live")
    recordings.write(out / "walks", live=live.write(out / "live"))
    asked = (pages.exercise(cell) for one in lectures() for cell in one.cells)
    boxes = [
        f'<div data-exercise="{one.id}" class="exercise"><h3>{one.id}</h3>'
        f"<pre>{one.start}</pre></div>"
        for one in asked
        if one
    ]
    head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>live</title>'
    head += '<link rel="stylesheet" href="walks/exercise.css">'
    head += recordings.styles("walks/") + recordings.scripts("walks/", "live", "exercise")
    for page, shown in (("all", WALKS), ("two", (PERCEPTRON, HYPERPLANE))):
        walks = (recordings.box(name, "<p>still</p>", "walks/") for name in shown)
        (out / f"{page}.html").write_text("".join([head, *walks, *boxes]), "utf-8")
    return out


class Server(http.server.ThreadingHTTPServer):
    """A static server with a strict policy that remembers what it sent."""

    def __init__(self, folder: Path) -> None:
        self.sent: list[tuple[str, int]] = []
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))

    def address(self, page: str = "all.html", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.server_port}/{page}"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        self.server.sent.append((self.path, int(code)))  # type: ignore[attr-defined]

    def end_headers(self) -> None:
        policy = re.sub("(script-src|connect-src)", rf"\1 {ELSEWHERE}", POLICY)
        self.send_header("Content-Security-Policy", policy)
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with Server(folder) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = browser.chromium(playwright)
        yield started
        started.close()


@pytest.fixture(scope="module")
def window(chromium: Any) -> Any:
    return chromium.new_context(viewport=DESK, reduced_motion="reduce")


class Page:
    """A page with explorers, and all that is wrong with it."""

    def __init__(self, window: Any, address: str) -> None:
        self.page, self.complaints = window.new_page(), list[str]()
        self.page.set_default_timeout(1000 * browser.CAP)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"raised {error}"))
        self.page.on("request", lambda request: self._look(request.url))
        self.page.goto(address)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _look(self, url: str) -> None:
        known = ("http://127.0.0.1:", "http://localhost:", "file:", "data:", "blob:")
        if not url.startswith(known):
            self.complaints.append(f"asked for {url}")

    def box(self, name: str) -> Any:
        return self.page.locator(f'[data-walk="{name}"]')

    def line(self, name: str) -> str:
        return str(self.box(name).locator(".walk-line").inner_text())

    def says(self, name: str, words: str) -> None:
        """Wait until the line of an explorer has some words."""
        browser.until(lambda: re.search(words, self.line(name)), lambda: self.line(name))

    def text(self, name: str) -> str:
        return str(self.box(name).locator(".linlib-status").inner_text())

    def settle(self, name: str) -> None:
        """Wait until an explorer is alive and Python has nothing to do for it."""
        settled = """name => {
            const { alive, box } = linlibLive.users.get(name), busy = linlibLive.calls.length;
            return alive && !busy && !box.querySelector(".linlib-canvas").linlibPending();
        }"""
        browser.until(
            lambda: self.page.evaluate(settled, name),
            lambda: f"{self.line(name)} {self.complaints}",
        )

    def wake(self, *names: str) -> None:
        """Make explorers live, unless they are."""
        for name in names:
            self.page.evaluate("name => { linlibLive.users.get(name).wake(); }", name)
            self.settle(name)

    def agrees(self, name: str) -> None:
        """Compare what is said with what the kernel says in the state that the page tells."""
        self.settle(name)
        kernel = in_page.made(recordings.program(*WALKS[name]))
        kernel.put(self.state(name))
        assert self.text(name) == kernel.text

    def state(self, name: str) -> dict[str, Any]:
        """Return the state that the page would bring back."""
        found: dict[str, Any] = self.page.evaluate("name => linlibLive.users.get(name).state", name)
        return found

    def start(self, name: str, handle: int) -> tuple[float, float]:
        """Return where a handle is on the screen."""
        grip = self.box(name).locator(".linlib-handle > path").nth(handle)
        grip.scroll_into_view_if_needed()
        box = grip.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, name: str, right: float, down: float, handle: int = 0) -> None:
        x, y = self.start(name, handle)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + right, y + down, steps=4)
        self.page.mouse.up()

    def touch(self, name: str, right: float, down: float, handle: int = 0) -> None:
        """Drag a handle with a finger."""
        x, y = self.start(name, handle)
        session = self.page.context.new_cdp_session(self.page)
        for kind, at in (("Start", 0.0), ("Move", 0.5), ("Move", 1.0), ("End", None)):
            spots = [] if at is None else [{"x": x + at * right, "y": y + at * down}]
            session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": spots})
        session.detach()

    def close(self) -> None:
        assert self.complaints == []
        self.page.close()


@pytest.fixture(scope="module")
def page(window: Any, server: Server) -> Iterator[Page]:
    """A page of a server, shared by the tests that keep it alive."""
    opened = Page(window, server.address())
    yield opened
    opened.close()


# ---------------------------------------------------------------- at first sight, and alive


def test_a_recording_comes_alive_in_place_when_it_is_touched(page: Page) -> None:
    """What the reader has set in the recording stays, and the move that woke it is made."""
    name, box = PERCEPTRON, page.box(PERCEPTRON)
    assert "A recording" in page.line(name)
    for _ in range(3):
        box.get_by_role("button", name="Step", exact=True).click()
    assert page.text(name).startswith("Update 3:")
    assert "A recording" not in page.line(name), "the first step brings Python"
    before = box.locator("svg").first.bounding_box()
    page.drag(name, 15, -30, handle=3)
    page.settle(name)
    assert "Alive" in page.line(name)
    after = box.locator("svg").first.bounding_box()
    assert [round(before[key]) for key in ("x", "width")] == [
        round(after[key]) for key in ("x", "width")
    ]
    assert page.state(name)["preset"] == "your own"
    assert page.state(name)["X"][3] != [1, 1]
    page.agrees(name)
    box.get_by_role("button", name="Undo").click()
    page.settle(name)
    assert page.text(name).startswith("Update 3:")


@pytest.mark.parametrize("name", EXPLORERS)
def test_an_explorer_moves_by_mouse_keyboard_and_finger_as_the_kernel_does(
    page: Page, name: str
) -> None:
    page.drag(name, 12, -9)
    page.settle(name)
    states = [page.state(name)]
    page.page.keyboard.press("ArrowLeft")
    page.page.keyboard.press("Shift+ArrowDown")
    page.settle(name)
    states.append(page.state(name))
    page.touch(name, 14, 8)
    page.agrees(name)
    states.append(page.state(name))
    assert states[0] != states[1] != states[2]
    took = page.page.evaluate(MOVES, name)
    print(f"{name}: {median(took):.0f} ms a move")  # nothing fails on a clock
    assert len(took) == 15
    page.agrees(name)


def test_a_challenge_is_solved_and_certified(page: Page) -> None:
    name, box = PERCEPTRON, page.box(PERCEPTRON)
    page.wake(name)
    browser.choose(box, "Points", "AND")
    page.settle(name)
    card = box.get_by_role("group", name="Challenge", exact=True)
    assert "18 of 100 mistakes." in card.inner_text()
    corner, wrong = (page.start(name, k) for k in (3, 0))
    x, y = (0.48 * (b - a) for a, b in zip(corner, wrong, strict=True))
    page.drag(name, x, y, handle=3)
    page.settle(name)
    assert "✓ Done, and certified" in card.inner_text()


@pytest.mark.parametrize("name", LIVE)
def test_a_prediction_is_committed_and_judged(page: Page, name: str) -> None:
    assert "Predict first." in page.text(name)
    page.drag(name, 40, 30)
    page.settle(name)
    page.box(name).get_by_role("button", name="Commit").click()
    page.agrees(name)
    assert "Predict first." not in page.text(name)


def test_a_prediction_that_needs_scikit_learn_stays_a_picture_and_says_so(page: Page) -> None:
    for name in set(PREDICTIONS) - set(LIVE):
        assert "it needs more than the page's Python has" in page.line(name)
        assert not page.box(name).get_by_role("button", name="Make it live").is_visible()


def test_fifty_moves_cost_no_memory(page: Page) -> None:
    """Browsers collect garbage late: between collections memory grows by some megabytes."""
    session, used = page.page.context.new_cdp_session(page.page), []
    count = """[linlibLive.took.at(-1).heap, performance.memory.usedJSHeapSize,
        document.querySelectorAll("*").length]"""
    page.wake(MARGINS)
    for _ in range(5):
        page.page.evaluate(MOVES, MARGINS)
        page.settle(MARGINS)
        session.send("HeapProfiler.collectGarbage")
        used.append(page.page.evaluate(count))
    session.detach()
    heap, script, nodes = zip(*(used[1], used[-1]), strict=True)
    assert heap[0] == heap[1], "bytes of Python's memory"
    assert script[1] - script[0] < 1e6, "bytes of the page's scripts"
    assert abs(nodes[1] - nodes[0]) < 10, "elements of the page"


def test_a_long_computation_is_stopped_and_the_page_lives_on(page: Page) -> None:
    page.wake(PERCEPTRON, MARGINS)
    before = page.text(PERCEPTRON)
    call = "name => linlibLive.call('show', name, 'while True: pass\\n0', '')"
    page.page.evaluate(call, MARGINS)
    stop = page.box(MARGINS).get_by_role("button", name="Stop")
    stop.wait_for()
    assert page.page.evaluate("1 + 1") == 2, "the page itself goes on"
    stop.click()
    page.settle(PERCEPTRON)
    page.settle(MARGINS)
    assert page.text(PERCEPTRON) == before
    page.drag(MARGINS, 10, 10)
    page.agrees(MARGINS)


# ---------------------------------------------------------------- exercises


class Written:
    """An exercise in a page."""

    def __init__(self, page: Page, id: str) -> None:
        self.box = page.page.locator(f'[data-exercise="{id}"]')
        self.editor = self.box.locator("textarea")
        self.said = self.box.locator(".exercise-says")

    def press(self, name: str, code: str | None = None) -> str:
        """Write something, press a button, and return what is said."""
        if code is not None:
            self.editor.fill(code)
        self.box.get_by_role("button", name=name, exact=True).click()
        browser.until(lambda: "…" not in self.said.inner_text(), self.said.inner_text)
        return str(self.said.inner_text())


def test_an_exercise_is_failed_with_its_misconception_named_and_solved(page: Page) -> None:
    update = Written(page, "update")
    assert "after one look at the point x" in update.box.locator("p").first.inner_text()
    assert "not written yet" in update.press("Check")
    wrong = "def update(w, x, y):\n    return w"
    assert "A product of 0 is a mistake too" in update.press("Check", wrong)
    said = update.press("Run", "w = np.zeros(3)\nprint(w)\nw = w + nothing")
    assert "[0. 0. 0.]" in said
    assert "Line 3: NameError: name 'nothing' is not defined" in said
    assert update.box.locator(".exercise-wrong").inner_text().strip() == "w = w + nothing"
    assert "Line 1: SyntaxError" in update.press("Run", "def update(w, x, y)\n    pass")
    assert "There is no update" in update.press("Check", "pass")
    assert "All checks pass." in update.press("Check", ANSWERS["update"]["right"])


def test_an_editor_indents_keeps_and_hands_over_what_is_written(page: Page) -> None:
    side, keyboard = Written(page, "side"), page.page.keyboard
    assert side.box.locator(".exercise-keyword").first.inner_text() == "def"
    side.editor.fill("")
    side.editor.focus()
    keyboard.type("if True:\nprint(7)")
    assert side.editor.input_value() == "if True:\n    print(7)"
    keyboard.press("Shift+Enter")
    browser.until(lambda: side.said.inner_text().strip() == "7", side.said.inner_text)
    with page.page.expect_download() as given:
        side.box.get_by_role("button", name="Download").click()
    assert Path(given.value.path()).read_text("utf-8") == "if True:\n    print(7)"
    assert given.value.suggested_filename == "side.py"
    side.editor.focus()
    keyboard.press("Escape")
    keyboard.press("Tab")
    assert not side.editor.evaluate("node => node === document.activeElement")
    kept = page.page.evaluate("localStorage.getItem('linlib exercise side')")
    assert kept == "if True:\n    print(7)"


def test_an_endless_loop_is_stopped_and_the_page_lives_on(page: Page) -> None:
    radius = Written(page, "radius")
    page.wake(PERCEPTRON)
    assert page.page.evaluate("linlibExercise.LIMIT") == 5000
    page.page.evaluate("linlibExercise.LIMIT = 2000")
    assert "stopped after 2 seconds" in radius.press("Run", "while True:\n    pass")
    page.agrees(PERCEPTRON)
    assert radius.press("Run", "print(2 + 2)").strip() == "4"


# ---------------------------------------------------------------- elsewhere


def test_a_shared_state_opens_on_a_phone_with_python_from_the_cache(
    page: Page, window: Any, server: Server
) -> None:
    page.wake(MARGINS)
    box = page.box(MARGINS)
    assert box.get_by_role("button", name="Save picture").count() == 0, "Matplotlib is not there"
    box.get_by_role("button", name="Copy as Python").click()
    page.settle(MARGINS)
    assert "soft_margin(" in box.locator("textarea").input_value()
    box.get_by_role("button", name="Share").click()
    page.settle(MARGINS)
    link = box.locator("textarea").input_value()
    server.sent.clear()
    second = Page(window, link)
    second.page.set_viewport_size(PHONE)
    second.settle(MARGINS)
    assert second.state(MARGINS) == page.state(MARGINS)
    assert second.text(MARGINS) == page.text(MARGINS)
    second.touch(MARGINS, 20, -20)
    second.agrees(MARGINS)
    again = [path for path, code in server.sent if path.startswith("/live/") and code == 200]
    assert again == []
    assert second.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    second.close()
    broken = Page(window, f"{link[:-9]}!")
    broken.says(MARGINS, "The link is damaged")
    broken.close()


def test_a_folder_is_alive(chromium: Any, folder: Path) -> None:
    window = chromium.new_context(viewport=DESK)
    page = Page(window, (folder / "two.html").as_uri())
    page.box(HYPERPLANE).get_by_role("button", name="Make it live").click()
    page.settle(HYPERPLANE)
    page.drag(HYPERPLANE, 10, 10)
    page.agrees(HYPERPLANE)
    page.close()
    window.close()


def test_on_a_slow_line_the_page_says_how_far_python_is(chromium: Any, server: Server) -> None:
    window = chromium.new_context(viewport=DESK)
    window.route("**/live/*-03.js", lambda route: None)  # it never arrives
    page = Page(window, server.address("two.html"))
    page.drag(PERCEPTRON, 15, -30, handle=3)
    page.says(PERCEPTRON, r"Python is on its way: [1-7]\.\d of 8\.\d MB")
    page.box(PERCEPTRON).get_by_role("button", name="Step", exact=True).click()
    assert page.text(PERCEPTRON).startswith("Update 1:"), "the recording goes on meanwhile"
    page.close()
    window.close()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("delete globalThis.WebAssembly", "this browser does not allow WebAssembly"),
        ("globalThis.Worker = class { constructor() { throw Error('no workers') } }", "no workers"),
    ],
)
def test_where_python_is_forbidden_the_recording_stays_and_says_why(
    chromium: Any, folder: Path, script: str, why: str
) -> None:
    """A run is stepped through with the keyboard, one handle goes to the places recorded."""
    window = chromium.new_context(viewport=DESK, reduced_motion="reduce")
    window.add_init_script(script)
    page = Page(window, (folder / "two.html").as_uri())
    wake, keyboard = (
        page.box(PERCEPTRON).get_by_role("button", name="Make it live"),
        page.page.keyboard,
    )
    if wake.is_visible():
        wake.click()
    page.says(PERCEPTRON, why)
    page.box(PERCEPTRON).get_by_role("button", name="Step", exact=True).focus()
    keyboard.press("Enter")
    assert page.text(PERCEPTRON).startswith("Update 1:")
    page.box(PERCEPTRON).get_by_role("slider").focus()
    keyboard.press("End")
    assert "(−4, 3, 2)" in page.text(PERCEPTRON)
    assert page.box(PERCEPTRON).locator(".linlib-handle").count() == 0
    page.says(HYPERPLANE, why)
    assert page.box(HYPERPLANE).locator(".linlib-handle").count() == 1
    said = [page.text(HYPERPLANE)]
    page.drag(HYPERPLANE, -140, 0)
    said.append(page.text(HYPERPLANE))
    keyboard.press("ArrowRight")
    said.append(page.text(HYPERPLANE))
    assert len(set(said)) == 3
    page.close()
    window.close()


# ---------------------------------------------------------------- where Python comes from


def distribution(folder: Path) -> None:
    """Write the pinned packages as a distribution of Pyodide."""
    runtime, packages = live.from_registry()
    for name in (*live.RUNTIME, live.STDLIB):
        (folder / name).write_bytes(runtime[name])
    lock = json.loads(runtime["pyodide-lock.json"])
    lock["packages"] = {}
    for name in live.COMPILED:
        inside = {path: file for path, file in packages.items() if path.startswith(name)}
        version = next(
            re.findall(rf"{name}-([\d.]+)\.dist-info", path) for path in inside if "-info" in path
        )[0]
        wheel, content = f"{name}-{version}-py3-none-any.whl", live.zipped(inside)
        (folder / wheel).write_bytes(content)
        about = {"name": name, "version": version, "file_name": wheel, "install_dir": "site"}
        about |= {"sha256": hashlib.sha256(content).hexdigest(), "package_type": "package"}
        lock["packages"][name] = about | {
            "imports": [name],
            "depends": [],
            "unvendored_tests": False,
        }
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), "utf-8")


def test_a_distribution_takes_the_place_of_the_registry(
    folder: Path, chromium: Any, server: Server, tmp_path: Path
) -> None:
    """As a folder, and at an address of another origin."""
    with pytest.raises(SystemExit, match=r"has no pyodide\.js; give a Pyodide distribution"):
        live.write(tmp_path, str(tmp_path / "elsewhere"))
    (folder / "full").mkdir()
    distribution(folder / "full")
    given, usual = live.python_bundle(str(folder / "full")), live.python_bundle("")
    assert given == usual
    told = live.write(tmp_path, server.address("full/", "localhost"))
    assert list(told["bundles"]) == ["linlib"]
    window = chromium.new_context(viewport=DESK)
    page = Page(window, server.address("two.html"))
    page.page.evaluate("told => { linlibLive.about = told; }", told)
    page.drag(HYPERPLANE, 10, 10)
    page.agrees(HYPERPLANE)
    assert ("/full/pyodide.asm.wasm", 200) in server.sent
    page.close()
    window.close()
    (folder / "full" / "pyodide-lock.json").write_text('{"packages": {}}', "utf-8")
    with pytest.raises(SystemExit, match="has no numpy; give a full distribution"):
        live.write(tmp_path, str(folder / "full"))


def test_a_package_with_another_hash_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "CACHE", tmp_path)
    pin = live.pins()["npm"][0]
    (tmp_path / "pyodide-0-25-1").write_bytes(b"something else")
    with pytest.raises(SystemExit, match=r"pyodide@0\.25\.1: its hash is sha512-.* not the pinned"):
        live.fetched(pin)
    assert not list(tmp_path.iterdir())


IN_WASM = '''
import doctest, importlib, json, pkgutil, re
import in_page, linlib
from tests import fuzz, shown
from linlib.notebook import exercises

class Plain(doctest.OutputChecker):
    """Integers of 32 and of 64 bits are the same numbers."""
    def check_output(self, want, got, flags):
        kind = re.compile(r",\\s*dtype=int(?:32|64)|np\\.int(?:32|64)")
        return super().check_output(kind.sub("", want), kind.sub("", got), flags)

told = {"ran": 0, "wrong": [], "absent": []}
runner = doctest.DocTestRunner(Plain(), verbose=False)
for module in pkgutil.walk_packages(linlib.__path__, "linlib."):
    try:
        found = doctest.DocTestFinder().find(importlib.import_module(module.name))
    except ImportError as error:
        told["absent"].append(error.name)
        continue
    for test in found:
        told["ran"] += runner.run(test, out=told["wrong"].append).attempted
stories = {name: shown.story(name) for name in [*shown.EXPLORERS, "predict"]}
for kind in fuzz.KINDS:
    if kind != "margin":  # its facts are scikit-learn's
        told["wrong"] += map(str, fuzz.fuzz(kind, 4, seed=1))
with open("answers.json") as file:
    answers = json.load(file)
for id, answer in answers.items():
    exec(answer["right"], names := exercises.course())
    told["wrong"] += [] if exercises.check(names[id]) == exercises.PASS else [id]
json.dumps(told | {"stories": stories})
'''


@pytest.mark.needs("node")
def test_examples_and_sentences_in_webassembly_are_the_kernels(tmp_path: Path) -> None:
    from tests.shown import FOLDER, differences

    for name, content in live.python_bundle("").items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "linlib.tar").write_bytes(live.tarred(live.linlib_bundle()))
    files = [*(browser.ROOT / "tests").glob("*.py"), *FOLDER.glob("*.py")]
    tests = {path.relative_to(browser.ROOT).as_posix(): path.read_bytes() for path in files}
    tests["answers.json"] = json.dumps(ANSWERS).encode()
    (tmp_path / "tests.tar").write_bytes(live.tarred(tests))
    (tmp_path / "script.py").write_text(IN_WASM, "utf-8")
    runner = Path(__file__).with_name("wasm.cjs")
    command = [tool("node").path, str(runner), str(tmp_path), str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    told = json.loads(done.stdout)
    assert told["wrong"] == []
    assert told["ran"] > 150
    assert set(told["absent"]) <= {"matplotlib"}, "only what draws stills"
    for name, fresh in told["stories"].items():
        stored = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
        # Copied code has all digits, of which the last may differ; what is said has few.
        said, now = ([line for line in lines if line[:1] != ">"] for lines in (stored, fresh))
        assert differences(said, now) == []
