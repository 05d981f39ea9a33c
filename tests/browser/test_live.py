"""Pages with Python in them, as readers meet them: from a server, from a folder, in a real browser.

One page has every explorer and every prediction of the lectures. Whatever the browser's Python says
must be what the kernel's says in the same state. Nothing may be asked of another machine.
"""

from __future__ import annotations

import functools
import http.server
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from playwright import sync_api

import linlib
from lincourse.optional import tool
from lincourse.publish import in_page, live, recordings
from lincourse.publish.lectures import Lecture, lectures
from linlib.notebook import exercises
from tests import browser

pytestmark = [pytest.mark.needs("chromium", "npm"), pytest.mark.slow]

MOVE = 50  # milliseconds of Python that a move may take, where nothing else runs
BUSY = 2  # times as long may the quickest of some moves take where the machine is busy
DESK, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}


def walks() -> dict[str, tuple[Lecture, Any]]:
    """Return every cell that shows an explorer or asks for a prediction, by the walk's name."""
    named = ((recordings.name_of(one, cell), one, cell) for one in lectures() for cell in one.cells)
    return {name: (one, cell) for name, one, cell in named if name}


WALKS = walks()
EXPLORERS = [name for name, (_, cell) in WALKS.items() if cell.explores]
PREDICTIONS = [name for name in WALKS if name not in EXPLORERS]


def named(slug: str) -> str:
    """Return the walk of a lecture."""
    (found,) = (name for name, (one, _) in WALKS.items() if one.slug == slug and name == one.name)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one page, short recordings, and the Python that the site brings."""
    out = tmp_path_factory.mktemp("live")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recordings, "STEPS", 12)
        patch.setattr(recordings, "COLUMNS", 4)
        recordings.write(out / "walks", live=live.write(out / "live"))
    boxes = "".join(recordings.box(name, "<p>still</p>", "walks/") for name in WALKS)
    for one in exercises.exercises().values():
        boxes += f'<div data-exercise="{one.id}"><h3>{one.id}</h3><pre>{one.start}</pre></div>'
    boxes += recordings.scripts("walks/", "exercise")
    head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>all</title>'
    (out / "all.html").write_text(head + recordings.styles("walks/") + boxes, "utf-8")
    return out


class Server(http.server.ThreadingHTTPServer):
    """A static server that remembers what it sent."""

    def __init__(self, folder: Path) -> None:
        self.sent: list[tuple[str, int]] = []
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/all.html"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        self.server.sent.append((self.path, int(code)))  # type: ignore[attr-defined]


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
        if not url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:")):
            self.complaints.append(f"asked for {url}")

    def box(self, name: str) -> Any:
        return self.page.locator(f'[data-walk="{name}"]')

    def line(self, name: str) -> str:
        return str(self.box(name).locator(".walk-line").inner_text())

    def text(self, name: str) -> str:
        return str(self.box(name).locator(".linlib-status").inner_text())

    def settled(self, name: str) -> bool:
        """Tell whether an explorer is alive and Python has nothing to do for it."""
        told: bool = self.page.evaluate(
            """name => {
                const box = document.querySelector(`[data-walk="${name}"]`);
                return linlibLive.users.get(name).alive && !linlibLive.calls.length
                    && !box.querySelector(".linlib-canvas").linlibPending();
            }""",
            name,
        )
        return told

    def settle(self, name: str) -> None:
        browser.until(lambda: self.settled(name), lambda: f"{self.line(name)} {self.complaints}")

    def agrees(self, name: str) -> None:
        """Compare what is said with what the kernel says in the state that the page tells."""
        self.settle(name)
        one, cell = WALKS[name]
        kernel = in_page.made(recordings.program(one, cell))
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
    opened = Page(window, server.address)
    yield opened
    opened.close()


# ---------------------------------------------------------------- at first sight, and alive


def test_a_recording_comes_alive_in_place_when_it_is_touched(page: Page) -> None:
    """What the reader has set in the recording stays, and the move that woke it is made."""
    name = named("perceptron")
    box = page.box(name)
    assert "A recording" in page.line(name)
    for _ in range(3):
        box.get_by_role("button", name="Step", exact=True).click()
    assert page.text(name).startswith("Update 3:")
    before = box.locator("svg").first.bounding_box()
    page.drag(name, 15, -30, handle=3)
    page.settle(name)
    assert "Alive" in page.line(name)
    after = box.locator("svg").first.bounding_box()
    assert {key: round(before[key]) for key in ("x", "width")} == {
        key: round(after[key]) for key in ("x", "width")
    }
    state = page.state(name)
    assert state["preset"] == "your own"
    assert state["X"][3] != [1, 1]
    page.agrees(name)
    box.get_by_role("button", name="Undo").click()
    page.settle(name)
    assert page.text(name).startswith("Update 3:")


@pytest.mark.parametrize("name", EXPLORERS)
def test_an_explorer_moves_with_mouse_and_keyboard_as_the_kernel_does(
    page: Page, name: str
) -> None:
    page.drag(name, 12, -9)
    page.agrees(name)
    moved = page.state(name)
    page.page.keyboard.press("ArrowLeft")
    page.page.keyboard.press("Shift+ArrowDown")
    page.agrees(name)
    assert page.state(name) != moved
    took = page.page.evaluate(
        """async name => {
            linlibLive.took = [];
            const walk = linlibLive.users.get(name), [handle] = walk.get().panels[0].handles;
            for (let k = 1; k < 8; k++) {
                const at = { x: handle.at[0] + k * 0.01, y: handle.at[1] };
                walk.send({ type: "move", id: handle.id, ...at, view: "test", number: k });
                while (linlibLive.calls.length) await new Promise((done) => setTimeout(done, 5));
            }
            return linlibLive.took.map(({ ms }) => ms);
        }""",
        name,
    )
    print(f"{name}: {median(took):.0f} ms a move")
    assert min(took) < BUSY * MOVE


def test_a_challenge_is_solved_and_certified(page: Page) -> None:
    name = named("perceptron")
    box = page.box(name)
    box.get_by_label("Points").select_option("AND")
    page.settle(name)
    box.get_by_label("Challenge").select_option("a hundred mistakes")
    page.settle(name)
    assert "18 of 100 mistakes." in page.text(name)
    corner, wrong = (page.start(name, k) for k in (3, 0))
    x, y = (0.48 * (b - a) for a, b in zip(corner, wrong, strict=True))
    page.drag(name, x, y, handle=3)
    page.settle(name)
    assert "Done, and certified." in page.text(name)


@pytest.mark.parametrize("name", PREDICTIONS)
def test_a_prediction_is_committed_and_judged(page: Page, name: str) -> None:
    box = page.box(name)
    assert "Predict first." in page.text(name)
    if box.get_by_role("radio").count():
        box.get_by_role("radio").first.check()
    else:
        page.drag(name, 40, 30)
    page.settle(name)
    box.get_by_role("button", name="Commit").click()
    page.settle(name)
    page.agrees(name)
    assert "Predict first." not in page.text(name)


def test_code_and_state_can_be_copied(page: Page) -> None:
    name = named("margins")
    box = page.box(name)
    box.get_by_text("Copy, paste, save").click()
    assert not box.get_by_role("button", name="Save picture").is_visible()
    box.get_by_role("button", name="Copy as Python").click()
    page.settle(name)
    assert "soft_margin(" in box.locator("textarea").input_value()


def test_fifty_drags_cost_no_memory(page: Page) -> None:
    name, used = named("margins"), []
    count = "[linlibLive.took.at(-1).heap, document.querySelectorAll('*').length]"
    for _ in range(2):
        for k in range(25):
            page.drag(name, 6 if k % 2 else -6, 0)
            page.settle(name)
        used.append(page.page.evaluate(count))
    (heap, nodes), (heap_after, nodes_after) = used
    assert heap_after - heap < 4e6, "bytes of Python's memory"
    assert abs(nodes_after - nodes) < 10, "elements of the page"


def test_a_long_computation_is_stopped_and_the_page_lives_on(page: Page) -> None:
    name, endless = named("perceptron"), named("margins")
    page.agrees(name)
    before = page.text(name)
    page.page.evaluate("name => linlibLive.call('show', name, 'while True: pass\\n0', '')", endless)
    stop = page.box(endless).get_by_role("button", name="Stop")
    stop.wait_for()
    assert page.page.evaluate("1 + 1") == 2, "the page itself goes on"
    stop.click()
    page.settle(name)
    page.settle(endless)
    assert page.text(name) == before
    page.drag(endless, 10, 10)
    page.agrees(endless)


# ---------------------------------------------------------------- exercises


class Written:
    """An exercise in a page."""

    def __init__(self, page: Page, id: str) -> None:
        self.box = page.page.locator(f'[data-exercise="{id}"]')
        self.editor = self.box.locator("textarea")
        self.says = self.box.locator(".exercise-says")

    def press(self, name: str, code: str | None = None) -> str:
        """Write something, press a button, and return what is said."""
        if code is not None:
            self.editor.fill(code)
        self.box.get_by_role("button", name=name, exact=True).click()
        browser.until(lambda: "…" not in self.says.inner_text(), self.says.inner_text)
        return str(self.says.inner_text())


def test_an_exercise_is_failed_with_its_misconception_named_and_solved(page: Page) -> None:
    update = Written(page, "update")
    assert "not written yet" in update.press("Check")
    wrong = "def update(w, x, y):\n    return w"
    assert "A product of 0 is a mistake too" in update.press("Check", wrong)
    broken = "import numpy as np\nw = np.zeros(3)\nprint(w)\nw = w + nothing"
    said = update.press("Run", broken)
    assert "[0. 0. 0.]" in said
    assert "Line 4: NameError: name 'nothing' is not defined" in said
    assert update.box.locator(".exercise-wrong").inner_text().strip() == "w = w + nothing"
    assert "Line 1: SyntaxError" in update.press("Run", "def update(w, x, y)\n    pass")
    right = (
        "import numpy as np\ndef update(w, x, y):\n    z = y * np.array([1, *x])\n"
        "    return w + z if w @ z <= 0 else w"
    )
    assert "All 3 checks pass." in update.press("Check", right)


def test_an_editor_indents_keeps_and_hands_over_what_is_written(page: Page) -> None:
    side, keyboard = Written(page, "side"), page.page.keyboard
    assert side.box.locator(".exercise-keyword").first.inner_text() == "def"
    side.editor.fill("")
    side.editor.focus()
    keyboard.type("if True:\nprint(7)")
    assert side.editor.input_value() == "if True:\n    print(7)"
    keyboard.press("Shift+Enter")
    browser.until(lambda: side.says.inner_text().strip() == "7", side.says.inner_text)
    with page.page.expect_download() as given:
        side.box.get_by_role("button", name="Download").click()
    assert Path(given.value.path()).read_text("utf-8") == "if True:\n    print(7)"
    assert given.value.suggested_filename == "side.py"
    keyboard.press("Escape")
    side.editor.focus()
    keyboard.press("Escape")
    keyboard.press("Tab")
    assert not side.editor.evaluate("node => node === document.activeElement")
    kept = page.page.evaluate("localStorage.getItem('linlib exercise side')")
    assert kept == "if True:\n    print(7)"


def test_an_endless_loop_is_stopped_and_the_page_lives_on(page: Page) -> None:
    radius, name = Written(page, "radius"), named("perceptron")
    said = radius.press("Run", "while True:\n    pass")
    assert "stopped after 5 seconds" in said
    page.settle(name)
    page.agrees(name)
    assert radius.press("Run", "print(2 + 2)").strip() == "4"


# ---------------------------------------------------------------- elsewhere


def test_the_next_page_takes_python_from_the_cache_on_a_phone(
    page: Page, window: Any, server: Server
) -> None:
    """And a finger moves a point there."""
    name = named("hyperplanes")
    server.sent.clear()
    second = Page(window, server.address)
    second.page.set_viewport_size(PHONE)
    second.touch(name, 20, -20)
    second.settle(name)
    second.agrees(name)
    again = [path for path, code in server.sent if path.startswith("/live/") and code == 200]
    assert again == []
    wide = second.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE["width"]
    second.close()


def test_a_folder_is_alive(chromium: Any, folder: Path) -> None:
    window = chromium.new_context(viewport=DESK)
    page, name = Page(window, (folder / "all.html").as_uri()), named("multiclass")
    page.box(name).get_by_role("button", name="Make it live").click()
    page.settle(name)
    page.drag(name, 10, 10)
    page.agrees(name)
    page.close()
    window.close()


def test_on_a_slow_line_the_page_says_how_far_python_is(chromium: Any, server: Server) -> None:
    window = chromium.new_context(viewport=DESK)
    window.route("**/live/*-03.js", lambda route: None)  # it never arrives
    page, name = Page(window, server.address), named("perceptron")
    page.drag(name, 15, -30, handle=3)
    said = re.compile(r"Python is on its way: [1-7]\.\d of 8\.\d MB")
    browser.until(lambda: said.search(page.line(name)), lambda: page.line(name))
    page.box(name).get_by_role("button", name="Step", exact=True).click()
    assert page.text(name).startswith("Update 1:"), "the recording goes on meanwhile"
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
    window = chromium.new_context(viewport=DESK)
    window.add_init_script(script)
    page, name = Page(window, (folder / "all.html").as_uri()), named("perceptron")
    if page.box(name).get_by_role("button", name="Make it live").count():
        page.box(name).get_by_role("button", name="Make it live").click()
    browser.until(lambda: why in page.line(name), lambda: page.line(name))
    page.box(name).get_by_role("button", name="Step", exact=True).click()
    assert page.text(name).startswith("Update 1:")
    assert page.box(name).locator(".linlib-handle").count() == 0
    page.close()
    window.close()


# ---------------------------------------------------------------- the same mathematics


@pytest.mark.parametrize("id", exercises.exercises())
def test_an_exercise_begins_unsolved_and_can_be_solved(id: str) -> None:
    one = exercises.exercises()[id]
    assert any(one.lecture == lecture.slug for lecture in lectures())
    for code, verdict in ((one.start, "All"), (one.start + SOLVED[id], "")):
        names: dict[str, Any] = {}
        exec(code, names)
        assert exercises.check(id, names=names).startswith("All") == (not verdict)
    for check in one.checks:  # a misconception is no right answer
        right = eval(check["is"], vars(linlib) | {"np": np})
        wrong = check.get("wrong", {})
        assert not any(exercises.same(eval(value), right) for value in wrong)
        assert wrong or check["hint"]


SOLVED = {
    "side": "def side(w, w0, x): return 1 if w[0] * x[0] + w[1] * x[1] + w0 > 0 else -1",
    "reflect": "def reflect(h, X): return 2 * h.project(X) - X",
    "update": """
def update(w, x, y):
    z = y * np.array([1, *x])
    return w + z if w @ z <= 0 else w
""",
    "worst_order": """
def worst_order(X, y):
    Z = signed_rows(X, y)
    w = 0 * Z[0]
    while (Z @ w).min() <= 0:
        w = w + Z[(Z @ w).argmin()]
    return w
""",
    "radius": "def radius(Z): return np.linalg.norm(Z, axis=1).max()",
    "first_failure": """
def first_failure(Z, w_star):
    gamma, R = (Z @ w_star).min(), np.linalg.norm(Z, axis=1).max()
    w, k = 0 * Z[0], 0
    while (Z @ w).min() <= 0:
        for z in Z:
            if z @ w > 0:
                continue
            w, k = w + z, k + 1
            chain = [k * gamma, w @ w_star, np.linalg.norm(w), k**0.5 * R]
            for which in range(3):
                if chain[which] > chain[which + 1] + 1e-9:
                    return k, which
""",
}

# ---------------------------------------------------------------- where Python comes from


def test_a_distribution_in_a_folder_takes_the_place_of_the_registry(tmp_path: Path) -> None:
    runtime, packages = live.from_registry()
    lock = {"packages": {name: {"file_name": f"{name}.whl"} for name in live.COMPILED}}
    with pytest.raises(SystemExit, match=r"has no pyodide\.js; give a Pyodide distribution"):
        live.write(tmp_path / "out", str(tmp_path / "elsewhere"))
    for name in (*live.RUNTIME, live.STDLIB):
        (tmp_path / name).write_bytes(runtime[name])
    (tmp_path / "pyodide-lock.json").write_text(json.dumps(lock), "utf-8")
    with pytest.raises(SystemExit, match="has no numpy; give a full distribution"):
        live.write(tmp_path / "out", str(tmp_path))
    for name in live.COMPILED:
        inside = {path: file for path, file in packages.items() if path.startswith(name)}
        (tmp_path / f"{name}.whl").write_bytes(live.zipped(inside))
    given, usual = live.python_bundle(str(tmp_path)), live.python_bundle("")
    assert given.keys() == usual.keys()
    assert given["packages.tar"] == usual["packages.tar"]


def test_an_address_is_left_to_the_pages(tmp_path: Path) -> None:
    told = live.write(tmp_path, "https://pyodide.example/full/")
    assert told["address"] == "https://pyodide.example/full/"
    assert list(told["bundles"]) == ["linlib"]


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
