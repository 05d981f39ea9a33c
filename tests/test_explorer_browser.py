"""What readers do with explorers besides dragging them by mouse, in a real JupyterLab."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import nbformat
import numpy as np
import pytest

from linlib import data, pla
from linlib.widgets.scene import vector

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests import browser  # noqa: E402
from tests.test_site import WHOLE  # noqa: E402

if not browser.CHROMIUM:
    pytest.skip(browser.MISSING, allow_module_level=True)

CELLS = {
    "start": "from linlib import Hyperplane, data, widgets",
    "hyperplane": "widgets.HyperplaneExplorer()",
    "perceptron": "e = widgets.PerceptronExplorer()\nfor _ in range(11):\n    e.step()\ne",
    "proof": "widgets.ProofExplorer()",
    "descent": "widgets.DescentExplorer()",
    "margin": "widgets.MarginExplorer()",
    "logistic": "widgets.LogisticExplorer()",
    "gaussians": "widgets.GaussianExplorer()",
    "classes": "widgets.ClassesExplorer()",
    "predict": (
        "question = 'Where does the widest street between the gates of AND lie?'\n"
        "widgets.PredictLine(question, *data.and_gate(), lambda: Hyperplane([2, 2], -3))"
    ),
}
LAPTOP = {"width": 1366, "height": 657}  # what a browser leaves of 1366×768


def fill(folder: Path) -> None:
    before = [
        nbformat.v4.new_output("stream", text="not run yet\n")
    ]  # JupyterLab shows outputs only
    cells = [
        nbformat.v4.new_code_cell(source, id=name, outputs=before) for name, source in CELLS.items()
    ]
    spec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    metadata = {"kernelspec": spec, "language_info": {"name": "python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    (folder / "homework" / "source").mkdir(parents=True)
    (folder / "falsifiers.toml").touch()
    nbformat.write(notebook, folder / "all.ipynb")


class Shown(browser.Lecture):
    """The notebook with all explorers; :meth:`turn` looks at another of them."""

    def turn(self, cell: str) -> Shown:
        super().turn(cell)
        self.output.locator(".linlib-canvas[data-count]").wait_for()
        return self

    def tool(self, name: str) -> sync_api.Locator:
        return self.output.locator(f'[data-tool="{name}"]')

    def press_tool(self, name: str) -> None:
        with self.answered():
            self.tool(name).click()

    def lab(self, script: str) -> object:
        return self.page.evaluate(f"async () => {{ {script} }}")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    home = tmp_path_factory.mktemp("explorers")
    with browser.jupyterlab(home, fill) as address, sync_api.sync_playwright() as playwright:
        chromium = browser.chromium(playwright)
        window = chromium.new_context(viewport=LAPTOP, has_touch=True, reduced_motion="reduce")
        page = Shown(window, address, "all", cell="perceptron")
        page.window = window
        page.page.set_default_timeout(60_000)
        assert not page.lab("return jupyterapp.shell.currentWidget.context.model.dirty"), (
            "opening a notebook must not change it"
        )
        page.run_all()
        yield page
        chromium.close()


@pytest.fixture(autouse=True)
def silence(shown: Shown) -> Iterator[None]:
    yield
    assert shown.complaints == []


def test_the_readers_lab_shows_no_solutions_and_no_assignment_tools(shown: Shown) -> None:
    for words in ("Create Assignment", "Nbgrader", "Validate", "Formgrader"):
        assert shown.page.get_by_text(words).count() == 0
    assert shown.page.locator(".jp-DirListing-itemText").all_inner_texts() == [
        "homework",
        "all.ipynb",
    ]
    shown.page.locator(".jp-DirListing-itemText").first.dblclick()
    shown.page.wait_for_function(
        "() => document.querySelectorAll('.jp-DirListing-itemText').length === 0"
    )


@pytest.mark.parametrize("cell", [name for name in CELLS if name not in ("start", "predict")])
def test_picture_and_sentence_fit_on_a_laptop_together(shown: Shown, cell: str) -> None:
    shown.turn(cell)
    needed, room = shown.output.locator(".linlib-canvas").evaluate(
        """canvas => {
            const [panel, status] = ['.linlib-panel', '.linlib-status']
                .map(part => canvas.querySelector(part).getBoundingClientRect());
            const room = canvas.closest('.jp-WindowedPanel-outer').getBoundingClientRect();
            const top = Math.min(panel.top, status.top);
            const bottom = Math.max(panel.bottom, status.bottom);
            return [bottom - top, room.height];
        }"""
    )
    assert needed < room


@pytest.mark.parametrize(
    ("cell", "id", "to"),
    [("perceptron", "p3", (0.6, 0.6)), ("logistic", "p0", (1.5, 1.5))],
)
def test_a_finger_drags_a_point_all_the_way(
    shown: Shown, cell: str, id: str, to: tuple[float, float]
) -> None:
    shown.turn(cell)
    cdp = shown.window.new_cdp_session(shown.page)
    before = place_of(shown, id)
    path = np.linspace(shown.pixels(*before), shown.pixels(*to), 15)

    def touch(kind: str, *spots: np.ndarray) -> None:
        places = [{"x": float(x), "y": float(y)} for x, y in spots]
        cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    with shown.answered():
        touch("touchStart", path[0])
        for spot in path[1:]:
            touch("touchMove", spot)
        touch("touchEnd")
    assert np.allclose(place_of(shown, id), to, atol=0.05), "the drag was cut short"
    shown.press_tool("undo")
    assert place_of(shown, id) == before, "one drag is one step of undo"


def test_a_pen_drags_a_point(shown: Shown) -> None:
    shown.turn("perceptron")
    cdp = shown.window.new_cdp_session(shown.page)
    kinds = ["mousePressed", *["mouseMoved"] * 6, "mouseReleased"]
    path = np.linspace(shown.pixels(*place_of(shown, "p3")), shown.pixels(0.6, 1.4), len(kinds))
    with shown.answered():
        for kind, (x, y) in zip(kinds, path.tolist(), strict=True):
            pen = {"pointerType": "pen", "button": "left", "buttons": 1, "clickCount": 1}
            cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y} | pen)
    assert np.allclose(place_of(shown, "p3"), (0.6, 1.4), atol=0.1)
    shown.press_tool("undo")


def place_of(shown: Shown, id: str) -> list[float]:
    """Return where a handle is, as Python said."""
    return next(item["at"] for item in shown.scene()["panels"][0]["handles"] if item["id"] == id)


def test_points_are_added_relabelled_and_removed_without_a_keyboard(shown: Shown) -> None:
    shown.turn("perceptron")
    with shown.answered():
        shown.page.touchscreen.tap(*shown.pixels(1.4, 0.4))
    assert len(shown.scene()["panels"][0]["handles"]) == 5
    shown.press_tool("relabel")
    shown.press_tool("remove")
    assert len(shown.scene()["panels"][0]["handles"]) == 4
    shown.press_tool("add")
    assert shown.handle("p4").evaluate("node => node.classList.contains('linlib-chosen')")
    shown.press_tool("reset")
    assert shown.text.startswith("Update 11: row 1 at (0, 1) was a mistake"), "as first shown"
    assert shown.tool("reset").is_disabled()


def test_escape_takes_a_drag_back_and_undo_and_redo_travel(shown: Shown) -> None:
    shown.turn("perceptron")
    before = shown.text
    x, y = shown.pixels(1, 1)
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    with shown.answered():
        shown.page.mouse.move(*shown.pixels(0.5, 1.5), steps=4)
    assert shown.text != before
    with shown.answered():
        shown.page.keyboard.press("Escape")
    shown.page.mouse.move(*shown.pixels(0, 1.5))
    shown.page.mouse.up()
    shown.settle()
    assert shown.text == before
    assert shown.tool("redo").is_disabled(), "what was cancelled leaves no trace"
    shown.handle("p3").focus()
    shown.press("ArrowLeft", "ArrowLeft", "Control+z", "Control+z")
    assert shown.text == before
    shown.press("Control+y", "Control+Shift+z")
    assert shown.handle("p3").get_attribute("aria-label").endswith("at 0.90, 1.00")
    shown.press_tool("reset")


def test_the_focus_survives_a_removal_down_to_the_last_point(shown: Shown) -> None:
    shown.turn("perceptron")
    shown.handle("p3").focus()
    shown.press("Delete")
    assert shown.handle("p2").evaluate("node => node === document.activeElement")
    shown.press("Delete", "Delete", "Delete")
    assert "There are no points" in shown.text
    assert shown.tool("add").evaluate("node => node === document.activeElement")
    shown.press_tool("reset")


def test_a_number_in_the_sentence_lights_up_its_mark(shown: Shown) -> None:
    shown.turn("hyperplane")
    number = shown.output.locator('.linlib-number[data-for="distance"]')
    assert number.inner_text() == "−2.24"
    number.hover()
    assert shown.output.locator('[data-name="distance"].linlib-lit').count() == 1
    shown.output.locator(".linlib-hint").hover()
    assert shown.output.locator(".linlib-lit").count() == 0


def test_sliders_have_names_and_speak_round_numbers(shown: Shown) -> None:
    shown.turn("margin")
    slider = shown.output.get_by_role("slider")
    slider.focus()
    shown.press("ArrowRight")
    assert slider.get_attribute("aria-label") == "λ"
    assert slider.get_attribute("aria-valuetext") == "0.126"
    shown.turn("gaussians")
    shown.output.get_by_role("slider", name="prior of class 1, π₁", exact=True).wait_for()


def test_points_move_in_every_picture_of_them(shown: Shown) -> None:
    shown.turn("classes")
    twin = shown.output.locator('.linlib-handle[data-id="p0"]').nth(2)
    box = twin.locator("path").bounding_box()
    with shown.answered():
        shown.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        shown.page.mouse.down()
        shown.page.mouse.move(*shown.pixels(0.5, 0.5, 2), steps=5)
        shown.page.mouse.up()
    place = shown.scene()["panels"][0]["handles"][0]["at"]
    assert np.allclose(place, 0.5, atol=0.08)


def test_a_state_is_copied_into_another_explorer_and_into_python(shown: Shown) -> None:
    shown.turn("perceptron")
    shown.output.locator("summary").click()
    shown.press_tool("python")
    code = shown.output.locator("textarea").input_value()
    names: dict = {}
    exec(code, names)
    assert np.array_equal(names["run"].path[11], pla(*data.and_gate()).path[11])
    shown.press_tool("state")
    state = shown.output.locator("textarea").input_value()
    assert json.loads(state)["explorer"] == "PerceptronExplorer"
    shown.turn("margin")
    shown.output.locator("summary").click()
    shown.output.locator("textarea").fill(state)
    shown.press_tool("paste")
    assert "of 4 points support it" in shown.text
    with shown.page.expect_download() as saved:
        shown.tool("picture").click()
    assert saved.value.suggested_filename == "margin-explorer.png"
    assert b"Description" in Path(saved.value.path()).read_bytes()


def test_the_odds_by_keyboard_and_finger_with_legend_challenge_and_python(shown: Shown) -> None:
    shown.turn("logistic")
    before = shown.text
    legend = shown.output.locator(".linlib-legend").inner_text()
    for words in ("y = +1", "y = −1", "even odds", "odds 9 to 1"):
        assert words in legend
    shown.handle("p0").focus()
    shown.press("ArrowRight", "Shift+ArrowUp", "l")
    assert shown.text != before
    shown.press("Control+z", "Control+z", "Control+z")
    assert shown.text == before
    with shown.answered():
        shown.page.touchscreen.tap(*shown.pixels(-3.5, 3.0))
    assert " of 41 points " in shown.text
    shown.press_tool("remove")
    shown.choose("Penalty", "none")
    shown.choose("Points", "apart but for a line")
    shown.choose("Challenge", "no minimum")
    assert "quasi-complete separation. Done, and certified." in shown.text
    shown.output.locator("summary").click()
    shown.press_tool("python")
    names: dict = {}
    exec(shown.output.locator("textarea").input_value(), names)
    assert names["fit"].overlap.kind == "quasi-complete"
    shown.output.locator("summary").click()
    shown.press_tool("reset")
    assert shown.text == before


def test_every_explorer_fits_a_telephone(shown: Shown) -> None:
    shown.lab("jupyterapp.shell.collapseLeft();")
    shown.page.set_viewport_size({"width": 360, "height": 740})
    try:
        for cell in CELLS:
            if cell == "start":
                continue
            shown.turn(cell)
            beyond = shown.output.locator(".linlib-canvas").evaluate(
                """canvas => Math.max(...[...canvas.querySelectorAll(
                    '.linlib-panel, .linlib-status, .linlib-tools, .linlib-legend')]
                    .map(node => node.getBoundingClientRect().right - innerWidth))"""
            )
            assert beyond <= 0, f"{cell} is {beyond} pixels too wide"
            cut = shown.output.locator(".linlib-canvas").evaluate(
                """canvas => [...canvas.querySelectorAll('.linlib-frame text')].filter(text => {
                    const { left, right } = text.getBoundingClientRect();
                    const edge = canvas.getBoundingClientRect().left;
                    return text.textContent && (left < edge || right > innerWidth);
                }).map(text => text.textContent)"""
            )
            assert not cut, f"{cell} shows only parts of {cut}"
    finally:
        shown.page.set_viewport_size(LAPTOP)
        shown.lab("jupyterapp.shell.expandLeft();")


def themed(shown: Shown, theme: str) -> None:
    """Change JupyterLab's theme; wait until the page has its colours, and no curtain before it."""
    shown.lab(f"jupyterapp.commands.execute('apputils:change-theme', {{ theme: '{theme}' }});")
    name = "() => document.body.dataset.jpThemeName"
    curtain = shown.page.locator("#jupyterlab-splash")
    browser.until(lambda: shown.page.evaluate(name) == theme and not curtain.count())


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
DRAWN = [name for name in CELLS if name != "start"]
THEMES = ["JupyterLab Dark", "JupyterLab Dark High Contrast"]


@pytest.mark.parametrize("theme", THEMES if WHOLE else THEMES[:1])
def test_every_explorer_can_be_read_in_every_theme(shown: Shown, theme: str) -> None:
    themed(shown, theme)
    try:
        for cell in DRAWN:
            shown.turn(cell)
            look = shown.output.locator(".linlib-canvas").evaluate(ON_PAPER)
            assert look == {"paper": "255,255,255,255", "lost": []}, cell
            where = {"include": [[f"{shown.place_on_page} .jp-Cell-outputWrapper"]]}
            assert browser.violations(shown.page, where, runOnly=["color-contrast"]) == [], cell
    finally:
        themed(shown, "JupyterLab Light")


def test_forced_colours_leave_the_picture_alone_and_give_every_control_an_edge(
    shown: Shown,
) -> None:
    shown.page.emulate_media(forced_colors="active", color_scheme="dark")  # white on black
    try:
        for cell in DRAWN:
            shown.turn(cell)
            look = shown.output.locator(".linlib-canvas").evaluate(ON_PAPER)
            assert look == {"paper": "255,255,255,255", "lost": []}, cell
            bare = shown.output.locator("button, select, .noUi-target").evaluate_all(
                """nodes => nodes.filter((node) => node.checkVisibility()
                    && parseFloat(getComputedStyle(node).borderTopWidth) < 1)
                    .map((node) => node.outerHTML.slice(0, 80))"""
            )
            assert bare == [], cell
    finally:
        shown.page.emulate_media(forced_colors="none", color_scheme="light")


def test_every_explorer_uses_the_room_of_a_projector(shown: Shown) -> None:
    """At the size of a projector words stand beside or below the picture, and none is small."""
    shown.page.set_viewport_size({"width": 1920, "height": 1080})
    try:
        for cell in DRAWN:
            shown.turn(cell)
            smallest, beyond = shown.output.locator(".linlib-canvas").evaluate(
                """canvas => {
                    const seen = [...canvas.querySelectorAll('.linlib-panel text, .linlib-status')]
                        .filter((node) => node.textContent.trim());
                    const edge = canvas.closest('.jp-WindowedPanel-outer').getBoundingClientRect();
                    const size = (node) => {
                        const { a, b } = node.getScreenCTM?.() ?? { a: 1, b: 0 };
                        return parseFloat(getComputedStyle(node).fontSize) * Math.hypot(a, b);
                    };
                    return [Math.min(...seen.map(size)),
                        Math.max(...seen.map((node) => node.getBoundingClientRect().right))
                        - edge.right];
                }"""
            )
            assert beyond <= 0, cell
            assert smallest >= 12, cell
    finally:
        shown.page.set_viewport_size(LAPTOP)


def test_a_prediction_is_committed_before_the_truth_is_shown(shown: Shown) -> None:
    shown.turn("predict")
    assert "Predict first." in shown.text
    assert shown.drawn("truth").count() == 0
    assert "1.5" not in json.dumps(shown.scene()["panels"][0]["drawables"])
    shown.drag("from", 1.0, 0.4)
    shown.drag("to", 0.4, 1.0)
    shown.button("Commit")
    assert shown.drawn("truth").count() == 1
    assert "° off" in shown.text
    assert shown.output.locator(".linlib-handle").count() == 0


def test_without_its_kernel_an_explorer_keeps_its_state_and_says_how_to_wake_it(
    shown: Shown,
) -> None:
    shown.turn("perceptron")
    shown.button("To the end")
    last = shown.text
    assert vector(pla(*data.and_gate()).weights) in last
    note = shown.output.locator(".linlib-note")
    asleep = "run its cell again (Shift+Enter) to bring it to life"
    shown.lab("await jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    browser.until(lambda: asleep in note.inner_text(), note.inner_text)
    assert shown.text == last
    box = shown.handle("p0").bounding_box()
    shown.page.mouse.move(box["x"] + 20, box["y"] + 20)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + 60, box["y"])
    shown.page.mouse.up()
    assert shown.handle("p0").bounding_box() == box, "nothing moves that cannot be answered"
    shown.run_all()
    assert note.inner_text() == ""
    shown.button("Step")

    shown.button("To the end")
    shown.lab("await jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    browser.until(lambda: asleep in note.inner_text(), note.inner_text)


def test_saved_and_reopened_without_its_kernel_it_shows_the_still(shown: Shown) -> None:
    shown.turn("perceptron")
    shown.lab("await jupyterapp.shell.currentWidget.context.save()")
    page = shown.put_away()
    again = Shown(shown.window, "", "all", cell="perceptron", page=page)
    asleep = "This explorer is asleep: run its cell again (Shift+Enter) to bring it to life."
    browser.until(lambda: asleep in again.output.inner_text(), again.output.inner_text)
    assert again.still.evaluate("image => image.complete && image.naturalWidth") > 400
    assert len(again.still.get_attribute("alt")) >= 40
    # ipywidgets notes down the error that it has caught itself; nothing else, nothing uncaught
    assert all("widget model not found" in complaint for complaint in again.complaints)
