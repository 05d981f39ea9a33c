"""Lectures and explorers in JupyterLab, in a real browser: what only a browser can show.

What explorers say is recomputed in tests/explorers. Here a reader drags, types, touches and clicks;
then the browser must hold the sentence and the picture of the same explorer called here, in the
same state, and have drawn it in its place. Nothing may appear on the browser's console, and no
request may leave the machine. All tests share one page: to load JupyterLab takes longest.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import numpy as np
import pytest
from playwright import sync_api

from lincourse.check.names import needed
from linlib import data, explorers, pla
from linlib.explorers.kit.sentences import vector
from tests.helpers import browser
from tests.helpers.browser import Lab
from tests.site.test_site import NAMES, WHOLE

pytestmark = pytest.mark.needs("chromium")

LECTURE, ALL = "01-hyperplanes", "explorers"
PREDICT = """\
question = "Where does the widest street between the gates of AND lie?"
explorers.PredictLine(question, *data.and_gate(), lambda: Hyperplane([2, 2], -3))"""
CELLS = [f"explore-{name[:2]}" for name in NAMES if name < "11"]
SCREEN = {"width": 1366, "height": 657}  # what a browser leaves of a laptop of 1366×768
ASLEEP = "This explorer is asleep: run its cell again (Shift+Enter) to bring it to life."
LIVE = "application/vnd.jupyter.widget-view+json"


def all_explorers() -> nbformat.NotebookNode:
    """Return a notebook with the explorers of all lectures, what they need, and one prediction."""
    start = "from linlib import Hyperplane, data, explorers"
    cells = [nbformat.v4.new_code_cell(start)]
    for name in NAMES[: len(CELLS)]:
        lecture = nbformat.read(browser.ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
        sources = [cell.source if cell.cell_type == "code" else "" for cell in lecture.cells]
        at = next(k for k, cell in enumerate(lecture.cells) if cell.id == "explore")
        for cell in (lecture.cells[k] for k in needed(sources, at)):
            cell.id += f"-{name[:2]}"
            cells.append(cell)
    # JupyterLab shows an explorer where an output was.
    before = [nbformat.v4.new_output("stream", text="not run yet\n")]
    cells.append(nbformat.v4.new_code_cell(PREDICT, id="predict", outputs=before))
    lecture.cells = cells
    return lecture


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the lectures, and a notebook with the explorers of all of them."""
    home = tmp_path_factory.mktemp("lab")
    ignored = shutil.ignore_patterns("homework")
    shutil.copytree(browser.ROOT / "notebooks", home / "notebooks", ignore=ignored)
    (home / "notebooks/homework/source").mkdir(parents=True)
    nbformat.write(all_explorers(), home / "notebooks" / f"{ALL}.ipynb")
    return home


@pytest.fixture(scope="module")
def page(home: Path) -> Iterator[Lab]:
    with browser.jupyterlab(home) as address, sync_api.sync_playwright() as playwright:
        chromium = browser.chromium(playwright)
        yield Lab(chromium, address, SCREEN)
        chromium.close()


@pytest.fixture
def lab(page: Lab) -> Iterator[Lab]:
    """Return JupyterLab, of which nobody has to complain afterwards."""
    yield page
    complaints, page.complaints[:] = page.complaints[:], []
    assert complaints == []


@pytest.fixture(scope="module")
def alive(page: Lab) -> None:
    """Open the notebook with every explorer and run it."""
    page.open(ALL, CELLS[0])
    assert not page.do("return jupyterapp.shell.currentWidget.context.model.dirty")
    page.run()


def agrees(lab: Lab) -> None:
    """See the sentence and the picture of the same explorer called here, each mark in its place."""
    state = json.loads(lab.copied("state"))
    twin = getattr(explorers, state["explorer"])()
    twin.put(state)
    here, there = json.loads(json.dumps(twin.scene.plain())), lab.scene()
    for part in ("text", "panels", "legend"):
        assert there[part] == here[part]
    assert lab.canvas.evaluate(browser.MISPLACED) == []


def near(found: object, expected: object, tolerance: float = 0.06) -> bool:
    """Tell whether places agree to about two pixels."""
    return np.allclose(found, expected, atol=tolerance)


def focused(lab: Lab, id: str) -> bool:
    return lab.handle(id).evaluate("node => node === document.activeElement")


# ---------------------------------------------------------------- a lecture


def test_whoever_starts_jupyterlab_gets_the_part_of_the_course() -> None:
    """Wherever lincourse is installed, also without the settings of ``make lab``."""
    import jupyterlab_server.config
    from jupyter_core.paths import jupyter_path

    found = jupyterlab_server.config.get_federated_extensions(jupyter_path("labextensions"))
    assert found["linlib-lab"]["jupyterlab"]["_build"]["load"] == "static/describe.js"


def test_a_stored_lecture_shows_stills_with_alt_text(lab: Lab) -> None:
    lab.open(LECTURE, "explore")
    assert lab.still.count() == 1
    assert lab.still.evaluate("image => image.complete && image.naturalWidth") > 400
    browser.until(lambda: len(lab.still.get_attribute("alt") or "") >= 40)


def test_a_prediction_is_committed_before_its_answer_is_shown(lab: Lab) -> None:
    """Where a lecture asks, there is a form; answers are folded until it is committed.

    Then it tells how far off the prediction was. Running all cells unfolds no answer before. The
    code that answers is folded with the answer, but no longer than until somebody unfolds it; so
    is code that only imports or draws.
    """
    page, cells = lab.page, "jupyterapp.shell.currentWidget.content"
    tag = "(one.model.getMetadata('tags') ?? []).includes('%s')"
    answer = f"{cells}.widgets.filter((one) => {tag % 'answer'})"
    hidden = f"{answer}.filter((one) => one.%s).map((one) => one.model.id)"
    drawing = f"""() => [{cells}.widgets[1], ...{cells}.widgets.filter(
        (one) => {tag % "hide-input"} && !{tag % "answer"})].map((one) => one.inputHidden)"""
    folded, code = f"() => {hidden % 'outputHidden'}", f"() => {hidden % 'inputHidden'}"
    written = """() => jupyterapp.shell.currentWidget.context.model.toJSON().cells.map(
        ({ source, metadata: { trusted, ...others } }) => [source, others])"""  # as it is saved
    text = page.evaluate(written)
    before = page.evaluate(folded)
    assert {"one-rule-scores", "all-lines-count", "all-lines-figure"} <= set(before)
    browser.until(lambda: page.evaluate(code) == before)  # every answer here belongs to a question
    assert len(page.evaluate(drawing)) > 10
    assert all(page.evaluate(drawing))
    lab.do(
        f"""await {cells}.scrollToItem(
            {cells}.widgets.findIndex((one) => one.model.id === 'all-lines'), 'start')"""
    )
    box = page.locator(".linlib-predict", has_text="How many of the 16 labellings")
    line = box.get_by_label("How many of the 16 labellings can lines make?")
    words = page.locator("p", has_text="Fourteen. The two that are missing")
    line.wait_for()
    page.get_by_text("Predicted? Show the answer in words").first.wait_for(state="attached")
    assert not words.is_visible()
    lines = page.locator(".linlib-folds .jp-OutputPlaceholder .jp-PlaceholderText")
    assert lines.count()
    assert not any(one.is_visible() for one in lines.all()), "a folded answer shows no line"
    line.focus()
    page.keyboard.type("dd")  # d d would delete the cell
    page.keyboard.press("Enter")
    assert box.get_by_role("alert").inner_text().startswith("“dd” is no number")
    page.keyboard.press("Control+a")
    page.keyboard.type("10")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    box.get_by_text("You said 10; it is 14: 4 too low.").wait_for()
    words.wait_for()
    answers = {"all-lines-count", "all-lines-chosen", "all-lines-figure"}
    assert set(page.evaluate(folded)) == set(page.evaluate(code)) == set(before) - answers
    lab.do(
        f"""{cells}.widgets.find((one) => one.model.id === 'one-rule-scores')
            .node.querySelector('.jp-InputPlaceholder[role=button]').focus()"""
    )
    page.keyboard.press("Enter")
    assert set(page.evaluate(folded)) == set(before) - answers, "the code alone was asked for"
    by_hand = {*answers, "one-rule-scores"}
    assert set(page.evaluate(code)) == set(before) - by_hand
    dirty = lab.do("return jupyterapp.shell.currentWidget.context.model.dirty")
    assert not dirty, "neither opening a lecture nor predicting changes it"
    lab.run()
    assert set(page.evaluate(folded)) == set(before) - answers, "what is run stays folded"
    assert set(page.evaluate(code)) == set(before) - by_hand, "and what was unfolded, unfolded"
    assert lab.still.count() == 0, "the live explorer takes the picture's place"
    lab.do(
        """const { content, sessionContext } = jupyterapp.shell.currentWidget;
        await sessionContext.session.kernel.requestExecute({ code: "del data" }).done;
        content.activeCellIndex = content.widgets.findIndex(
            (one) => one.model.id === 'curved-by-hand');
        await jupyterapp.commands.execute('notebook:run-cell');"""
    )
    seen = {"curved-by-hand", *answers}
    browser.until(lambda: set(page.evaluate(folded)) == set(before) - seen)  # an error is shown
    assert page.evaluate(written) == text, "all of this is nowhere in the notebook"


@pytest.mark.parametrize("name", NAMES if WHOLE else [LECTURE])
def test_no_lecture_has_an_accessibility_violation(lab: Lab, name: str) -> None:
    """Scroll through a lecture, and let axe look at each cell once, or at the first screen."""
    cells = nbformat.read(browser.ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    lab.open(name, "explore" if name < "11" else next(c.id for c in cells if c.get("outputs")))
    unnamed = lab.page.locator(".jp-Notebook .cm-content:not([aria-label])")
    at, found = 0, []
    while at < (len(cells) if WHOLE else 1):
        end = lab.page.evaluate(
            """async at => {
                const { content } = jupyterapp.shell.currentWidget;
                await content.scrollToItem(at, 'start');
                await new Promise((done) => setTimeout(done, 300));
                const drawn = (k) => content.widgets[k]?.node.isConnected
                    && content.widgets[k].node.offsetHeight > 0;
                let end = at;
                while (drawn(end)) end += 1;
                return end;
            }""",
            at,
        )
        assert end > at, f"cell {at} of {name} is not drawn"
        browser.until(lambda: unnamed.count() == 0)  # editors that were drawn just now
        here = ".jp-NotebookPanel:not(.lm-mod-hidden)"
        seen = [[f'{here} [data-windowed-list-index="{k}"]'] for k in range(at, end)]
        found += browser.violations(lab.page, {"include": seen})
        at = end
    assert found == []
    lab.put_away()


def test_the_readers_lab_shows_no_homework_solutions_and_no_assignment_tools(lab: Lab) -> None:
    for words in ("Create Assignment", "Nbgrader", "Validate", "Formgrader"):
        assert lab.page.get_by_text(words).count() == 0
    shelf = [f"{name}.ipynb" for name in sorted([*NAMES, ALL])]
    listed = lab.page.locator(".jp-DirListing-itemText")
    assert listed.all_inner_texts() == ["homework", "solutions", *shelf]  # no claims.toml
    listed.first.dblclick()
    browser.until(lambda: listed.count() == 0)  # where solutions are


# ---------------------------------------------------------------- one path through each explorer


@pytest.fixture
def shown(lab: Lab, alive: None, request: pytest.FixtureRequest) -> Lab:
    """Return the explorer of a lecture: it fits on a laptop, and axe finds nothing to mend."""
    lab.turn(f"explore-{request.param}")
    assert browser.violations(lab.page, {"include": [[lab.place_on_page]]}) == []
    needed, room = lab.canvas.evaluate(
        """canvas => {
            const [panel, status] = ['.linlib-panel', '.linlib-status']
                .map(part => canvas.querySelector(part).getBoundingClientRect());
            const room = canvas.closest('.jp-WindowedPanel-outer').getBoundingClientRect();
            const top = Math.min(panel.top, status.top);
            const bottom = Math.max(panel.bottom, status.bottom);
            return [bottom - top, room.height];
        }"""
    )
    assert needed < room, "picture and sentence are not in sight together"
    agrees(lab)
    return lab


@pytest.mark.parametrize("shown", ["00"], indirect=True)
def test_line(shown: Lab) -> None:
    id = next(handle["id"] for handle in shown.scene()["panels"][0]["handles"])
    before = shown.place(id)
    shown.press("ArrowRight", on=id)
    assert shown.place(id) != before
    agrees(shown)


@pytest.mark.parametrize("shown", ["01"], indirect=True)
def test_hyperplane(shown: Lab) -> None:
    shown.drag("normal", 1.0, -2.0)
    w = np.array(shown.place("normal"))
    assert near(w, (1, -2))
    agrees(shown)
    shown.page.keyboard.press("n")
    assert focused(shown, "offset")
    before = np.array(shown.place("offset"))
    shown.press("ArrowRight", "ArrowRight")  # along its rail
    assert near(shown.place("offset") - before, 0.2 * w / np.linalg.norm(w), 1e-3)
    agrees(shown)
    shown.button("Reset")
    shown.handle("normal").focus()
    for key in ["Shift+ArrowLeft"] * 4 + ["Shift+ArrowDown"] * 2:  # faster than Python answers
        shown.page.keyboard.press(key)
    browser.until(lambda: "w is the zero vector" in shown.text, lambda: shown.text)
    # The sentence follows the hand at once, the handles follow when Python has answered.
    browser.until(lambda: shown.handle("offset").count() == 0, lambda: shown.text)
    agrees(shown)
    shown.button("Reset")
    number = shown.output.locator('.linlib-number[data-for="distance"]')
    number.hover()
    assert shown.output.locator('[data-name="distance"].linlib-lit').count() == 1
    shown.output.locator(".linlib-task").hover()
    assert shown.output.locator(".linlib-lit").count() == 0


@pytest.mark.parametrize("shown", ["02"], indirect=True)
def test_perceptron(shown: Lab) -> None:
    cells = "return jupyterapp.shell.currentWidget.content.widgets.length"
    number = shown.do(cells)
    shown.output.get_by_role("button", name="Step", exact=True).focus()
    shown.press("Enter", "Space")
    assert shown.text.startswith("Update 2:")
    shown.page.keyboard.press("Shift+Tab")
    shown.press("Enter")  # Back
    assert shown.text.startswith("Update 1:")
    for _ in range(3):  # To the start, which is not enabled any more, Back, and the picture
        shown.page.keyboard.press("Shift+Tab")
        if focused(shown, "p0"):
            break
    assert focused(shown, "p0")
    shown.page.keyboard.type("ddbx")  # JupyterLab's own commands: delete, insert and cut cells
    assert shown.do(cells) == number
    shown.button("Play")
    browser.until(lambda: not shown.text.startswith("Update 1:"), lambda: shown.text)
    shown.button("Pause")
    agrees(shown)
    shown.press("l", "a", "l", "Shift+ArrowUp", "ArrowLeft", on="p3")
    assert focused(shown, "p4")
    shown.click(1.5, -0.5)
    shown.choose("Order", "worst")
    shown.button("To the end")
    agrees(shown)
    shown.button("Reset")


@pytest.mark.parametrize("shown", ["03"], indirect=True)
def test_proof(shown: Lab) -> None:
    shown.button("To the end")
    shown.drag("p3", 0.6, 0.6)
    assert near(shown.place("p3"), 0.6)
    agrees(shown)
    shown.choose("Points", "XOR")
    assert shown.drawn("note").count() == 2
    agrees(shown)


@pytest.mark.parametrize("shown", ["04"], indirect=True)
def test_no_line(shown: Lab) -> None:
    shown.drag("p0", 1.5, 0.25)
    agrees(shown)
    shown.button("Reset")


@pytest.mark.parametrize("shown", ["05"], indirect=True)
def test_descent(shown: Lab) -> None:
    slider = shown.output.get_by_role("slider", name="Step size η")
    slider.focus()
    shown.press("ArrowLeft", "ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "0.24"
    scrubber = shown.output.get_by_role("slider", name="steps shown")
    scrubber.focus()
    shown.press("ArrowRight", "ArrowRight")
    assert scrubber.get_attribute("aria-valuetext").startswith("step 2 of ")
    shown.button("Step")
    shown.drag("start", 2.0, -3.0)
    before = shown.place("start")
    assert near(before, (2, -3))
    shown.press("ArrowUp", "Shift+ArrowLeft", on="start")
    assert near(shown.place("start"), np.add(before, (-0.5, 0.1)), 1e-4)
    shown.drag("p1", 3.0, -0.5, panel=1)
    agrees(shown)


@pytest.mark.parametrize("shown", ["06"], indirect=True)
def test_least_squares(shown: Lab) -> None:
    shown.choose("Rows", "one by one")
    shown.drag("p3", 2.0, 0.0, panel=1)
    assert near(shown.place("p3"), (2, 1)), "it can move along its line only"
    shown.button("To the end")
    agrees(shown)
    card = shown.output.get_by_role("group", name="Challenge", exact=True)
    assert "Least squares gets no point wrong, the perceptron none either." in card.inner_text()
    agrees(shown)


@pytest.mark.parametrize("shown", ["07"], indirect=True)
def test_margin(shown: Lab) -> None:
    shown.output.get_by_role("slider").scroll_into_view_if_needed()
    box = shown.output.get_by_role("slider").bounding_box()
    with shown.answered():
        shown.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        shown.page.mouse.down()
        shown.page.mouse.move(box["x"] + 100, box["y"] + box["height"] / 2, steps=6)
        shown.page.mouse.up()
    readout = shown.output.locator(".linlib-slide output")
    browser.until(
        lambda: shown.text.startswith(f"λ = {readout.inner_text()}:"),
        lambda: f"{readout.inner_text()}: {shown.text}",
    )
    shown.drag("p0", 1.5, -1.5)
    shown.press("ArrowLeft", "Shift+ArrowUp", "l", on="p20")
    agrees(shown)
    shown.press("Delete", on="p0")
    shown.choose("Points", "overlapping")
    agrees(shown)


@pytest.mark.parametrize("shown", ["08"], indirect=True)
def test_gaussians(shown: Lab) -> None:
    shown.drag("mean1", 1.0, 0.4)
    shown.drag("axis1", 1.9, 1.0)
    reach = np.subtract(shown.place("axis1"), shown.place("mean1"))
    assert near(reach, (0.9, 0.6))
    shown.press("ArrowUp", "ArrowUp", on="wide1")
    agrees(shown)
    shown.button("Equal shapes")
    agrees(shown)


@pytest.mark.parametrize("shown", ["09"], indirect=True)
def test_logistic(shown: Lab) -> None:
    shown.drag("p0", 2.5, 0.5)
    shown.choose("Penalty", "none")
    agrees(shown)
    shown.press("Control+z", "Control+z", on="p0")
    shown.choose("Penalty", "none")
    assert shown.drawn("limit").count() == 1
    agrees(shown)


@pytest.mark.parametrize("shown", ["10"], indirect=True)
def test_classes(shown: Lab) -> None:
    tops = [panel.bounding_box()["y"] for panel in shown.output.locator(".linlib-panel").all()]
    assert len(tops) == 3
    assert np.ptp(tops) < 1, "side by side"
    shown.drag("p0", 0.5, 0.5, panel=2)  # points move in every picture of them
    assert near(shown.place("p0"), 0.5)
    shown.choose("A new point is", "class 3")
    shown.click(-4.5, -5.0)
    agrees(shown)
    shown.choose("Show", "pair by pair")
    agrees(shown)
    shown.button("Reset")


def test_a_line_is_predicted_before_the_truth_is_shown(lab: Lab, alive: None) -> None:
    lab.turn("predict")
    assert "Predict first." in lab.text
    assert "1.5" not in json.dumps(lab.scene()["panels"][0]["drawables"])
    lab.drag("from", 1.0, 0.4)
    lab.drag("to", 0.4, 1.0)
    lab.button("Commit")
    assert lab.drawn("truth").count() == 1
    assert "° off" in lab.text
    assert lab.output.locator(".linlib-handle").count() == 0


# ---------------------------------------------------------------- by other means


@pytest.fixture
def perceptron(lab: Lab, alive: None) -> Lab:
    """Return the explorer of AND as its cell first showed it."""
    lab.turn("explore-02")
    if lab.tool("reset").is_enabled():
        lab.press_tool("reset")
    return lab


def test_a_finger_and_a_pen_drag_a_point_all_the_way(perceptron: Lab) -> None:
    lab, before, to = perceptron, perceptron.place("p3"), (0.6, 0.6)
    lab.touch(*np.linspace(lab.pixels(*before), lab.pixels(*to), 15))
    assert near(lab.place("p3"), to), "the drag was cut short"
    lab.press_tool("undo")
    assert lab.place("p3") == before, "one drag is one step of undo"
    kinds = ["mousePressed", *["mouseMoved"] * 6, "mouseReleased"]
    path = np.linspace(lab.pixels(*before), lab.pixels(*to), len(kinds))
    with lab.answered():
        for kind, (x, y) in zip(kinds, path.tolist(), strict=True):
            pen = {"pointerType": "pen", "button": "left", "buttons": 1, "clickCount": 1}
            lab.cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y} | pen)
    assert near(lab.place("p3"), to, 0.1)


def test_points_are_added_relabelled_and_removed_without_a_keyboard(perceptron: Lab) -> None:
    def points() -> int:
        return len(perceptron.scene()["panels"][0]["handles"])

    perceptron.touch(perceptron.pixels(1.4, 0.4))
    assert points() == 5
    perceptron.press_tool("relabel")
    perceptron.press_tool("remove")
    assert points() == 4
    perceptron.press_tool("add")
    chosen = perceptron.handle("p4").evaluate("node => node.classList.contains('linlib-chosen')")
    assert chosen
    perceptron.press_tool("reset")
    assert points() == 4
    assert perceptron.tool("reset").is_disabled()


def test_escape_takes_a_drag_back_and_undo_and_redo_travel(perceptron: Lab) -> None:
    lab, before = perceptron, perceptron.text
    lab.page.mouse.move(*lab.pixels(1, 1))
    lab.page.mouse.down()
    with lab.answered():
        lab.page.mouse.move(*lab.pixels(0.5, 1.5), steps=4)
    assert lab.place("p3") != (1, 1)
    with lab.answered():
        lab.page.keyboard.press("Escape")
    lab.page.mouse.move(*lab.pixels(0, 1.5))
    lab.page.mouse.up()
    lab.settle()
    assert lab.place("p3") == (1, 1)
    assert lab.tool("redo").is_disabled(), "what was cancelled leaves no trace"
    lab.press("ArrowLeft", "ArrowLeft", "Control+z", "Control+z", on="p3")
    assert lab.text == before
    lab.press("Control+y", "Control+Shift+z")
    assert lab.handle("p3").get_attribute("aria-label").endswith("at 0.90, 1.00")


def test_the_focus_survives_a_removal_down_to_the_last_point(perceptron: Lab) -> None:
    perceptron.press("Delete", on="p3")
    assert focused(perceptron, "p2")
    perceptron.press("Delete", "Delete", "Delete")
    assert "There are no points" in perceptron.text
    assert perceptron.tool("add").evaluate("node => node === document.activeElement")


def test_a_state_is_copied_and_pasted_and_becomes_python(perceptron: Lab) -> None:
    perceptron.button("To the end")
    names: dict = {}
    exec(perceptron.copied("python"), names)
    assert np.array_equal(names["run"].weights, pla(*data.and_gate()).weights)
    state = perceptron.copied("state")
    perceptron.press_tool("reset")
    assert perceptron.text.startswith("Before the first update")
    perceptron.output.locator("details").evaluate("one => { one.open = true; }")
    perceptron.output.locator("textarea").fill(state)
    perceptron.press_tool("paste")
    assert perceptron.text.startswith("Update 18:")


# ---------------------------------------------------------------- on other screens

BEYOND = """canvas => {
    const parts = '.linlib-panel, .linlib-status, .linlib-tools, .linlib-legend, text';
    const seen = [...canvas.querySelectorAll(parts)].filter((node) => node.textContent);
    const edge = canvas.closest('.jp-WindowedPanel-outer').getBoundingClientRect().right;
    return Math.max(...seen.map((node) => node.getBoundingClientRect().right))
        - Math.min(innerWidth, edge);
}"""
SMALLEST = """canvas => {
    const seen = [...canvas.querySelectorAll('.linlib-panel text, .linlib-status')];
    return Math.min(...seen.filter((node) => node.textContent.trim()).map((node) => {
        const { a, b } = node.getScreenCTM?.() ?? { a: 1, b: 0 };
        return parseFloat(getComputedStyle(node).fontSize) * Math.hypot(a, b);
    }));
}"""
# The picture is paper in every theme: white, with marks in the colours that Python gave them.
ON_PAPER = """canvas => {
    const rgb = (colour) => {
        const pen = document.createElement('canvas').getContext('2d');
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        return String(pen.getImageData(0, 0, 1, 1).data);
    };
    const paper = getComputedStyle(canvas.querySelector('.linlib-paper')).backgroundColor;
    const wanted = new Set(JSON.parse(canvas.linlibScene()).panels
        .flatMap(({ drawables, handles }) => [...drawables, ...handles])
        .map(({ colour }) => colour).filter(Boolean).map(rgb));
    const drawn = new Set([...canvas.querySelectorAll('.linlib-panel *')]
        .flatMap((node) => [getComputedStyle(node).stroke, getComputedStyle(node).fill])
        .filter((colour) => colour !== 'none').map(rgb));
    return { paper: rgb(paper), lost: [...wanted].filter((colour) => !drawn.has(colour)) };
}"""
PAPER = {"paper": "255,255,255,255", "lost": []}


def each(lab: Lab) -> Iterator[str]:
    """Turn to every explorer; yield its cell. In 04 it is that of 02, without a line."""
    for cell in [*CELLS, "predict"]:
        if cell != "explore-04":
            lab.turn(cell)
            yield cell


def fits(lab: Lab, cell: str) -> None:
    """Wait until the explorer lies within the window: it is laid out again after a resize."""
    browser.until(lambda: lab.canvas.evaluate(BEYOND) <= 0, lambda: f"{cell} is too wide")


def test_every_explorer_fits_a_telephone(lab: Lab, alive: None) -> None:
    lab.do("jupyterapp.shell.collapseLeft();")
    lab.page.set_viewport_size({"width": 360, "height": 740})
    try:
        for cell in each(lab):
            fits(lab, cell)
    finally:
        lab.page.set_viewport_size(SCREEN)
        lab.do("jupyterapp.shell.expandLeft();")


def test_every_explorer_can_be_read_on_a_projector(lab: Lab, alive: None) -> None:
    lab.page.set_viewport_size({"width": 1920, "height": 1080})
    try:
        for cell in each(lab):
            fits(lab, cell)
            assert lab.canvas.evaluate(SMALLEST) >= 12, cell
    finally:
        lab.page.set_viewport_size(SCREEN)


def themed(lab: Lab, theme: str) -> None:
    """Change JupyterLab's theme; wait until the page has its colours, and no curtain before it."""
    lab.do(f"jupyterapp.commands.execute('apputils:change-theme', {{ theme: '{theme}' }});")
    name = "() => document.body.dataset.jpThemeName"
    curtain = lab.page.locator("#jupyterlab-splash")
    browser.until(lambda: lab.page.evaluate(name) == theme and not curtain.count())


@pytest.mark.parametrize(
    "theme", ["JupyterLab Dark", *(["JupyterLab Dark High Contrast"] if WHOLE else [])]
)
def test_every_explorer_can_be_read_in_every_theme(lab: Lab, alive: None, theme: str) -> None:
    themed(lab, theme)
    try:
        for cell in each(lab):
            assert lab.canvas.evaluate(ON_PAPER) == PAPER, cell
            where = {"include": [[f"{lab.place_on_page} .jp-Cell-outputWrapper"]]}
            assert browser.violations(lab.page, where, runOnly=["color-contrast"]) == [], cell
    finally:
        themed(lab, "JupyterLab Light")


def test_forced_colours_leave_the_picture_alone_and_give_every_control_an_edge(
    lab: Lab, alive: None
) -> None:
    lab.page.emulate_media(forced_colors="active", color_scheme="dark")  # white on black
    try:
        for cell in each(lab):
            assert lab.canvas.evaluate(ON_PAPER) == PAPER, cell
            bare = lab.output.locator("button, select").evaluate_all(
                """nodes => nodes.filter((node) => node.checkVisibility()
                    && parseFloat(getComputedStyle(node).borderTopWidth) < 1)
                    .map((node) => node.outerHTML.slice(0, 80))"""
            )
            assert bare == [], cell
    finally:
        lab.page.emulate_media(forced_colors="none", color_scheme="light")


# ---------------------------------------------------------------- without a kernel


def test_without_its_kernel_an_explorer_keeps_its_state_and_says_how_to_wake_it(
    perceptron: Lab,
) -> None:
    perceptron.button("To the end")
    last = perceptron.text
    assert vector(pla(*data.and_gate()).weights) in last
    note = perceptron.output.locator(".linlib-note")
    perceptron.do("await jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    browser.until(lambda: note.inner_text() == ASLEEP, note.inner_text)
    assert perceptron.text == last
    box = perceptron.handle("p0").bounding_box()
    perceptron.page.mouse.move(box["x"] + 20, box["y"] + 20)
    perceptron.page.mouse.down()
    perceptron.page.mouse.move(box["x"] + 60, box["y"])
    perceptron.page.mouse.up()
    assert perceptron.handle("p0").bounding_box() == box, "nothing moves that cannot be answered"
    perceptron.do("await jupyterapp.commands.execute('notebook:run-all-above')")
    perceptron.run("run-cell")
    assert note.inner_text() == ""
    perceptron.button("To the end")
    perceptron.do("await jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    browser.until(lambda: note.inner_text() == ASLEEP, note.inner_text)


def test_saved_and_reopened_without_its_kernel_it_shows_the_still(lab: Lab, home: Path) -> None:
    lab.turn("explore-02")
    lab.do("await jupyterapp.shell.currentWidget.context.save()")
    lab.put_away()
    lab.open(ALL, "explore-02")
    browser.until(lambda: ASLEEP in lab.output.inner_text(), lab.output.inner_text)
    assert "Error displaying widget" not in lab.output.inner_text()
    assert lab.still.evaluate("image => image.complete && image.naturalWidth") > 400
    assert len(lab.still.get_attribute("alt")) >= 40
    # What ipywidgets notes down when it has caught the error itself; nothing else is.
    assert all("widget model not found" in complaint for complaint in lab.complaints)
    assert not any(complaint.startswith("raised") for complaint in lab.complaints)
    lab.complaints.clear()

    import nbconvert

    saved = nbformat.read(home / "notebooks" / f"{ALL}.ipynb", as_version=4)
    saved.cells = [cell for cell in saved.cells if cell.id == "explore-02"]
    (kept,) = (output.data for output in saved.cells[0].outputs if LIVE in output.get("data", {}))
    page, _ = nbconvert.HTMLExporter().from_notebook_node(saved)
    assert "".join(kept["image/png"].split()) in "".join(page.split()), "exported, it is a still"
    assert f'type="{LIVE}"' not in page, "which needs no script from the network"
