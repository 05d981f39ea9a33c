"""Pages with Python in them, as readers meet them: from a server, from a folder, in a real browser.

One page has every explorer, prediction and exercise of the lectures, and most tests share it: to
start Python takes longest. Whatever the browser's Python says must be what the kernel's says in the
same state. Nothing may be asked of another machine, and nothing that a strict server forbids.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright import sync_api

from bench.live import MOVES
from lincourse.publish import in_page, live, packages, recordings
from linlib.notebook import exercises
from tests import live_pages
from tests.helpers import browser
from tests.helpers.shown import alike, shown
from tests.helpers.states import KINDS, states
from tests.live_pages import HYPERPLANE, MARGINS, PERCEPTRON, RULED, WALKS, Server

pytestmark = [pytest.mark.needs("chromium", "npm"), pytest.mark.slow]

ANSWERS = {id: question.answer for id, question in exercises.questions().items()}
DESK, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}
EXPLORERS = [name for name, (_, cell) in WALKS.items() if cell.explores]
PREDICTIONS = [name for name in WALKS if name not in EXPLORERS]
LIVE = [name for name in PREDICTIONS if "sklearn" not in recordings.program(*WALKS[name])]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("live")
    live_pages.write(out)
    return out


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with live_pages.served(folder) as made:
        yield made


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

    def __init__(self, window: Any, address: str, *, held_back: bool = False) -> None:
        self.page = window.new_page()
        self.page.set_default_timeout(1000 * browser.CAP)
        self.complaints = browser.watch(self.page)
        self.held_back = held_back
        self.parts: list[Any] = []  # of Python, asked for and not given
        if held_back:
            self.page.route("**/live/**", self.give)
        self.page.goto(address)

    def give(self, part: Any) -> None:
        """Give a part of Python, or keep it back."""
        if self.held_back:
            self.parts.append(part)
        else:
            part.continue_()

    def let_python_come(self) -> None:
        self.held_back = False
        for part in self.parts:
            part.continue_()

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
        browser.finger(self.page, [(x, y), (x + right / 2, y + down / 2), (x + right, y + down)])

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
    """What the reader has set in the recording stays, and the move that woke it is made.

    On a slow line the page says how far Python is, and the recording goes on meanwhile.
    """
    name, box = PERCEPTRON, page.box(PERCEPTRON)
    line = page.page.context.new_cdp_session(page.page)
    slow = {"offline": False, "latency": 20, "uploadThroughput": -1}
    line.send("Network.emulateNetworkConditions", slow | {"downloadThroughput": 2e6})
    assert "A recording" in page.line(name)
    step = box.get_by_role("button", name="Step", exact=True)
    step.click()
    assert page.text(name).startswith("Update 1:")
    page.says(name, r"Python is on its way: [1-7]\.\d of 8\.\d MB")
    step.click()
    step.click()
    assert page.text(name).startswith("Update 3:")
    before = box.locator("svg").first.bounding_box()
    page.drag(name, 15, -30, handle=3)
    assert "Alive" not in page.line(name)
    line.send("Network.emulateNetworkConditions", slow | {"downloadThroughput": -1})
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


def test_a_challenge_is_solved_and_certified(page: Page) -> None:
    name, box = PERCEPTRON, page.box(PERCEPTRON)
    page.wake(name)
    browser.choose(box, "Points", "AND")
    page.settle(name)
    card = box.get_by_role("group", name="Challenge", exact=True)
    assert "18 mistakes; 100 are asked for." in card.inner_text()
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


# ---------------------------------------------------------------- before Python has come

# How many pixels a knob is away from the line as it is drawn, and in which direction the line goes.
APART = r"""([box, id]) => {
    const numbers = (part, name) => box.querySelector(part).getAttribute(name).match(/-?[\d.]+/g);
    const [a, b, c, d] = numbers('[data-name="line"]', "d").map(Number);
    const [x, y] = numbers(`[data-id="${id}"]`, "transform").map(Number);
    const [right, down] = [c - a, d - b], length = Math.hypot(right, down);
    return [Math.abs(right * (y - b) - down * (x - a)) / length, right / length, down / length];
}"""


def apart(page: Page, name: str, id: str) -> tuple[float, float, float]:
    found = page.page.evaluate(APART, [page.box(name).element_handle(), id])
    return found[0], found[1], found[2]


def rings(page: Page, name: str) -> int:
    return int(page.box(name).locator('.linlib-drawn [data-name="wrong"]').count())


def opacity(page: Page, name: str, part: str) -> float:
    script = "node => Number(getComputedStyle(node).opacity)"
    return float(page.box(name).locator(part).first.evaluate(script))


@pytest.mark.parametrize("hand", ["mouse", "finger", "keyboard"])
def test_a_line_follows_the_hand_before_python_has_come(
    window: Any, server: Server, hand: str
) -> None:
    """The knob lies on the line that is drawn, and the sentence is what Python would say."""
    page = Page(window, server.address("held.html"), held_back=True)
    kernels = {name: in_page.made(recordings.program(*WALKS[name])) for name in RULED}
    for name, kernel in kernels.items():
        ids, before = list(kernel.handles), page.text(name)
        for id in [ids[1], ids[0], ids[1]]:
            reach(page, name, ids.index(id), hand)
            line_follows(page, name, id, kernel)
        assert page.text(name) != before
    assert page.parts, "Python was asked for"
    page.let_python_come()
    for name, kernel in kernels.items():
        page.settle(name)
        page.agrees(name)
        assert page.text(name) == kernel.text
        assert opacity(page, name, ".linlib-far") == 1
    page.close()


def reach(page: Page, name: str, handle: int, hand: str) -> None:
    """Move a handle to the right and up."""
    if hand == "mouse":
        page.drag(name, 31, -44, handle)
    elif hand == "finger":
        page.touch(name, 31, -44, handle)
    else:
        page.start(name, handle)
        page.box(name).locator(".linlib-handle").nth(handle).focus()
        page.page.keyboard.press("Shift+ArrowUp")
        page.page.keyboard.press("Shift+ArrowRight")


def line_follows(page: Page, name: str, id: str, kernel: Any) -> None:
    """Compare what stands in the page with what the kernel shows after the same move."""
    scene = json.loads(page.box(name).locator(".linlib-canvas").evaluate("n => n.linlibScene()"))
    at = next(one["at"] for one in scene["panels"][0]["handles"] if one["id"] == id)
    kernel.move(id, *at)
    far, right, down = apart(page, name, id)
    if id == "normal":  # the line stands at right angles to w
        w = kernel.handles[id]
        assert abs(w[0] * right - w[1] * down) < 0.02 * np.hypot(*w), "the line is askew"
    else:
        assert far < 1, f"{name}: the line is drawn {far:.1f} pixels beside the knob {id!r}"
    assert page.text(name) == kernel.text
    drawn = [item for panel in kernel.scene.panels for item in panel.drawables]
    assert rings(page, name) == sum(item.name == "wrong" for item in drawn)
    assert opacity(page, name, ".linlib-status") == 1


def test_what_python_has_to_compute_is_dimmed_until_it_has(window: Any, server: Server) -> None:
    page = Page(window, server.address("held.html"), held_back=True)
    parts = (".linlib-drawn", ".linlib-status", ".linlib-far")
    for name in (PERCEPTRON, MARGINS):
        assert "computed by Python" in page.line(name) or "A recording" in page.line(name)
        assert [opacity(page, name, part) for part in parts] == [1, 1, 1]
        x, y = page.start(name, 1)
        page.page.mouse.move(x, y)
        page.page.mouse.down()
        page.page.mouse.move(x + 3, y)
        stale = page.box(name).locator(".linlib-stale")
        assert stale.count() == 1, "from the first movement"
        page.page.mouse.up()
        browser.until(lambda name=name: opacity(page, name, parts[0]) < 0.5)
        assert max(opacity(page, name, part) for part in parts) < 0.5
        assert opacity(page, name, ".linlib-handle") == 1, "what is held is where the hand is"
    page.let_python_come()
    for name in (PERCEPTRON, MARGINS):
        page.agrees(name)
        browser.until(lambda name=name: opacity(page, name, parts[0]) == 1)
        assert [opacity(page, name, part) for part in parts] == [1, 1, 1]
    page.close()


def test_escape_takes_back_one_drag_before_python_has_come(window: Any, server: Server) -> None:
    page, name = Page(window, server.address("held.html"), held_back=True), RULED[0]
    line = page.box(name).locator('[data-name="line"]')
    page.drag(name, 20, -60)
    said, drawn = page.text(name), line.get_attribute("d")
    x, y = page.start(name, 1)
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x - 40, y + 90)
    assert line.get_attribute("d") != drawn
    page.page.keyboard.press("Escape")
    page.page.mouse.up()
    assert (page.text(name), line.get_attribute("d")) == (said, drawn)
    page.let_python_come()
    page.agrees(name)
    assert page.text(name) == said
    page.close()


def test_a_click_on_what_is_chosen_already_keeps_nobody_waiting(page: Page) -> None:
    page.wake(*RULED[:1])
    chips = page.box(RULED[0]).locator('.linlib-chip[aria-pressed="true"]')
    for _ in range(2):
        chips.first.click()
    script = (
        "name => !linlibLive.users.get(name).box.querySelector('.linlib-canvas').linlibPending()"
    )
    page.page.wait_for_function(script, arg=RULED[0], timeout=5000)


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
    page.wake(PERCEPTRON)
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
    assert "All checks pass." in update.press("Check", ANSWERS["update"])


@pytest.mark.parametrize("id", ANSWERS)
def test_what_an_exercise_promises_is_there(page: Page, id: str) -> None:
    """The names that stand under the editor, one to a line: a missing one is told by its line."""
    page.wake(PERCEPTRON)
    exercise = Written(page, id)
    assert exercises.PROMISE in exercise.box.inner_text()
    code = "\n".join([*exercises.course(), "print(linlib.pla is pla)"])
    assert exercise.press("Run", code).strip() == "True"
    exercise.box.get_by_role("button", name="Start again").click()


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


# Set when readers are offered to stop Python and when an exercise is stopped; return the old times.
SOONER = """([long, limit]) => {
    const before = [linlibLive.LONG, linlibExercise.LIMIT];
    [linlibLive.LONG, linlibExercise.LIMIT] = [long, limit];
    return before;
}"""


def test_an_endless_loop_is_stopped_and_the_page_lives_on(page: Page) -> None:
    radius = Written(page, "radius")
    page.wake(PERCEPTRON)
    assert page.page.evaluate(SOONER, [200, 500]) == [1500, 5000]
    assert "stopped after 0.5 seconds" in radius.press("Run", "while True:\n    pass")
    page.page.evaluate(SOONER, [1500, 5000])
    page.agrees(PERCEPTRON)
    assert radius.press("Run", "print(2 + 2)").strip() == "4"


# ---------------------------------------------------------------- elsewhere


def test_a_shared_state_opens_on_a_phone_with_python_from_the_cache(
    page: Page, window: Any, server: Server
) -> None:
    page.wake(MARGINS)
    box = page.box(MARGINS)
    box.get_by_role("button", name="Copy as Python").click()
    page.settle(MARGINS)
    assert "soft_margin(" in box.locator("textarea").input_value()
    link = shared(page, MARGINS)
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


def shared(page: Page, name: str) -> str:
    """Return the link that Share hands over."""
    box = page.box(name)
    box.locator("textarea").evaluate("node => { node.value = ''; }")
    box.get_by_role("button", name="Share").click()
    browser.until(lambda: box.locator("textarea").input_value())
    return str(box.locator("textarea").input_value())


def test_a_link_is_short_and_brings_the_state_and_so_does_one_of_the_old_kind(
    page: Page, window: Any, server: Server
) -> None:
    """A moved point and a choice take some letters; all points anew, as many as they must."""
    page.wake(PERCEPTRON)
    page.drag(PERCEPTRON, 14, -12)
    page.settle(PERCEPTRON)
    moved, state = shared(page, PERCEPTRON), page.state(PERCEPTRON)
    assert len(moved.partition("#")[2]) < 150
    browser.choose(page.box(PERCEPTRON), "Points", "random")
    page.drag(PERCEPTRON, 14, -12)
    page.settle(PERCEPTRON)
    rest, anew = page.state(PERCEPTRON), shared(page, PERCEPTRON)
    assert len(anew.partition("#")[2]) < 900
    old = b64encode(json.dumps(state).encode()).decode().rstrip("=")
    old = f"#state-{PERCEPTRON}=" + old.replace("+", "-").replace("/", "_")
    for link, whole in ((moved, state), (old, state), (anew, rest)):
        second = Page(window, f"{server.address('two.html')}#{link.partition('#')[2]}")
        second.settle(PERCEPTRON)
        found = second.state(PERCEPTRON)
        assert np.allclose(found.pop("X"), whole["X"], rtol=0, atol=6e-5)
        assert found == {name: value for name, value in whole.items() if name != "X"}
        second.close()
    stale = Page(window, server.address("two.html"))
    stale.page.evaluate("name => { linlibWalks[name].scenes[0].state.k = 99; }", PERCEPTRON)
    stale.page.evaluate(
        "([hash, name]) => { location.hash = hash; linlibLive.users.get(name).open(); }",
        [moved.partition("#")[2], PERCEPTRON],
    )
    stale.says(PERCEPTRON, "The link was made when this picture began differently")
    stale.close()


def test_a_folder_is_alive(chromium: Any, folder: Path) -> None:
    window = chromium.new_context(viewport=DESK, reduced_motion="reduce")
    page = Page(window, (folder / "two.html").as_uri())
    page.box(HYPERPLANE).get_by_role("button", name="Make it live").click()
    page.settle(HYPERPLANE)
    page.drag(HYPERPLANE, 10, 10)
    page.agrees(HYPERPLANE)
    page.close()
    window.close()


@pytest.mark.parametrize(
    ("policy", "without", "why"),
    [
        (" 'wasm-unsafe-eval'", "", "WebAssembly is not allowed here"),
        ("worker-src blob:", "worker-src 'none'", "workers are not allowed"),
        (" data: blob:; style", "; style", "Failed to fetch"),
    ],
)
def test_where_python_is_forbidden_the_recording_stays_and_says_why(
    chromium: Any, server: Server, monkeypatch: Any, policy: str, without: str, why: str
) -> None:
    """A run is stepped through with the keyboard, and a line follows the hand."""
    assert policy in server.policy
    monkeypatch.setattr(server, "policy", server.policy.replace(policy, without))
    window = chromium.new_context(viewport=DESK, reduced_motion="reduce")
    page = Page(window, server.address("two.html"))
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
    said = [page.text(HYPERPLANE)]
    page.drag(HYPERPLANE, -40, 30)
    said.append(page.text(HYPERPLANE))
    keyboard.press("ArrowRight")
    said.append(page.text(HYPERPLANE))
    assert len(set(said)) == 3
    assert "The line follows your hand" in page.line(HYPERPLANE)
    assert "run the notebook" in page.line(PERCEPTRON)
    assert all("Content Security Policy" in one for one in page.complaints), "the browser's own"
    window.close()


@pytest.mark.parametrize("forbidden", ["by the reader", "by the server"])
def test_where_scripts_are_forbidden_the_still_says_so(
    chromium: Any, server: Server, monkeypatch: Any, forbidden: str
) -> None:
    if forbidden == "by the server":
        monkeypatch.setattr(server, "policy", "script-src 'none'")
    window = chromium.new_context(java_script_enabled=forbidden == "by the server")
    page = Page(window, server.address("two.html"))
    assert "A still picture. It moves where the browser runs scripts." in page.line(PERCEPTRON)
    window.close()


# ---------------------------------------------------------------- where Python comes from


def distribution(folder: Path) -> None:
    """Write the pinned packages as a distribution of Pyodide."""
    runtime, found = live.from_registry()
    for name in (*live.RUNTIME, live.STDLIB):
        (folder / name).write_bytes(runtime[name])
    lock = json.loads(runtime["pyodide-lock.json"])
    lock["packages"] = {}
    for name in live.COMPILED:
        inside = {path: file for path, file in found.items() if path.startswith(name)}
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


def test_a_distribution_takes_the_place_of_the_registry(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no pyodide\.js; give a Pyodide distribution"):
        live.write(tmp_path, str(tmp_path / "elsewhere"))
    distribution(tmp_path)
    assert live.python_bundle(str(tmp_path)) == live.python_bundle("")
    (tmp_path / "pyodide-lock.json").write_text('{"packages": {}}', "utf-8")
    with pytest.raises(SystemExit, match="has no numpy; give a full distribution"):
        live.write(tmp_path, str(tmp_path))


def test_a_package_with_another_hash_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "CACHE", tmp_path)
    (tmp_path / "pyodide-0-25-1").write_bytes(b"something else")
    with pytest.raises(SystemExit, match=r"pyodide@0\.25\.1: its hash is sha512-.* not the pinned"):
        packages.fetched("pyodide")
    assert not list(tmp_path.iterdir())


# Run in the page's Python. What is told goes to the page as an exercise's result does.
IN_WASM = '''
import base64, doctest, importlib, json, pkgutil, re, sys
from pathlib import Path
for path, content in json.loads(FILES).items():
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(base64.b64decode(content))
sys.path.insert(0, "")
import in_page, linlib
from tests.helpers.shown import shown
from tests.helpers.states import KINDS, states
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
told["shown"] = {kind: [shown(one) for one in states(kind, 10, seed=1)] for kind in KINDS}
for id, right in json.loads(ANSWERS).items():
    exec(right, names := exercises.course())
    told["wrong"] += [] if exercises.check(names[id]) == exercises.PASS else [id]
in_page.posts[0]("result", "tests", json.dumps(told))
'''
HEARD = """async (code) => {
    const heard = [], result = (one) => heard.push(one), nothing = () => {};
    linlibLive.users.set("tests", { result, failed: result, long: nothing, idle: nothing });
    linlibLive.call("run", "tests", code, "");
    while (linlibLive.calls.length) await new Promise((done) => setTimeout(done, 50));
    linlibLive.users.delete("tests");
    return heard;
}"""


def test_examples_and_sentences_in_webassembly_are_the_kernels(page: Page) -> None:
    page.wake(PERCEPTRON)
    files = {
        path.relative_to(browser.ROOT).as_posix(): b64encode(path.read_bytes()).decode()
        for path in (browser.ROOT / "tests" / "helpers").glob("*.py")
    }
    given = f"FILES, ANSWERS = {json.dumps(files)!r}, {json.dumps(ANSWERS)!r}\n"
    heard = page.page.evaluate(HEARD, given + IN_WASM)
    assert len(heard) == 2, heard
    told, how = heard
    assert how["error"] == ""
    assert told["wrong"] == []
    assert told["ran"] > 150
    assert set(told["absent"]) <= {"matplotlib"}, "only what draws stills"
    for kind in KINDS:
        here = [shown(explorer) for explorer in states(kind, 10, seed=1)]
        for kernels, pages in zip(here, told["shown"][kind], strict=True):
            assert alike(kernels, pages), f"the kernel shows\n{kernels}\nthe page\n{pages}"


def test_a_long_computation_is_stopped_and_python_may_come_from_another_server(
    page: Page, folder: Path, server: Server, tmp_path: Path
) -> None:
    """All begin where they were, and an exercise that had to wait is run.

    This test is the last: from now on the page has another Python.
    """
    (folder / "full").mkdir()
    distribution(folder / "full")
    told = live.write(tmp_path, server.address("full/", "localhost"))
    assert list(told["bundles"]) == ["linlib"]
    page.wake(PERCEPTRON, MARGINS)
    before = page.text(PERCEPTRON)
    page.page.evaluate("({ address }) => { linlibLive.about.address = address; }", told)
    page.page.evaluate(SOONER, [200, 5000])
    call = "name => linlibLive.call('show', name, 'while True: pass\\n0', '')"
    page.page.evaluate(call, MARGINS)
    stop, radius = page.box(MARGINS).get_by_role("button", name="Stop"), Written(page, "radius")
    radius.editor.fill("print(3 * 3)")
    radius.box.get_by_role("button", name="Run").click()
    stop.wait_for()
    assert page.page.evaluate("1 + 1") == 2, "the page itself goes on"
    stop.click()
    page.settle(PERCEPTRON)
    page.settle(MARGINS)
    assert page.text(PERCEPTRON) == before
    assert radius.said.inner_text().strip() == "9"
    page.drag(MARGINS, 10, 10)
    page.agrees(MARGINS)
    assert ("/full/pyodide.asm.wasm", 200) in server.sent
