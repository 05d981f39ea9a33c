"""The explorers in JupyterLab, in a real browser: dragged, driven by keys, compared with linlib.

Each test of a lecture sees the still picture before anything runs, runs what the explorer needs,
and then acts with mouse and keyboard. What the picture and the text line show must be what linlib
says when called here, nothing may appear on the browser's console, and no request may leave the
machine. The tests after these do what else readers do, with fingers, in other themes, on other
screens, without a kernel. All of them share one JupyterLab: to load it costs more than ten tests.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import numpy as np
import pytest
from playwright import sync_api

import linlib
from lincourse.check.names import needed
from linlib import (
    Hyperplane,
    certify,
    data,
    fit_lda,
    fit_qda,
    least_squares,
    linear_machine,
    one_vs_one,
    one_vs_rest,
    pla,
    soft_margin,
)
from linlib.explorers.descent.long_run import exact_descent
from linlib.explorers.kit.sentences import brief, say, vector
from linlib.margins.linear_svm import street
from linlib.multiclass.schemes import Learner
from tests import browser
from tests.site.test_site import NAMES, WHOLE

pytestmark = pytest.mark.needs("chromium")

FIRST, TOGETHER, ALL = "01-hyperplanes", "explorers", "all"
CELLS = {
    "start": "from linlib import Hyperplane, data, explorers",
    "hyperplane": "explorers.HyperplaneExplorer()",
    "perceptron": "e = explorers.PerceptronExplorer()\nfor _ in range(11):\n    e.step()\ne",
    "proof": "explorers.ProofExplorer()",
    "descent": "explorers.DescentExplorer()",
    "margin": "explorers.MarginExplorer()",
    "logistic": "explorers.LogisticExplorer()",
    "gaussians": "explorers.GaussianExplorer()",
    "classes": "explorers.ClassesExplorer()",
    "predict": (
        "question = 'Where does the widest street between the gates of AND lie?'\n"
        "explorers.PredictLine(question, *data.and_gate(), lambda: Hyperplane([2, 2], -3))"
    ),
}
LAPTOP = {"width": 1366, "height": 657}  # what a browser leaves of 1366×768


def fill(folder: Path) -> None:
    """Put the lectures there, a notebook with the explorers of all of them, and one of our own."""
    browser.copy_notebooks(folder)
    (folder / "homework" / "source").mkdir(parents=True)
    nbformat.write(our_own(), folder / f"{ALL}.ipynb")
    cells = []
    for path in [*sorted(folder.glob("0[1-9]-*.ipynb")), *folder.glob("10-*.ipynb")]:
        lecture = nbformat.read(path, as_version=4)
        sources = [cell.source if cell.cell_type == "code" else "" for cell in lecture.cells]
        at = next(k for k, cell in enumerate(lecture.cells) if cell.id == "explore")
        for cell in (lecture.cells[k] for k in needed(sources, at)):
            cell.id += f"-{path.stem[:2]}"
            cells.append(cell)
    lecture.cells = cells
    nbformat.write(lecture, folder / f"{TOGETHER}.ipynb")


def our_own() -> nbformat.NotebookNode:
    """Return a notebook with every explorer as it is without a lecture."""
    # JupyterLab shows the explorers where outputs were.
    before = [nbformat.v4.new_output("stream", text="not run yet\n")]
    cells = [
        nbformat.v4.new_code_cell(source, id=name, outputs=before) for name, source in CELLS.items()
    ]
    spec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    metadata = {"kernelspec": spec, "language_info": {"name": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


class Lab:
    """One server, one browser and one page, for all tests here.

    The first lecture is opened itself, and with ``SITE_PAGES=all`` the others are, too; otherwise
    their explorers are looked at in one notebook, which takes half the time.
    """

    def __init__(self, window: sync_api.BrowserContext, address: str) -> None:
        self.window, self.address = window, address
        self.shown: browser.Lecture | None = None

    def explorer(self, name: str) -> browser.Lecture:
        """Return the explorer of a lecture, in the lecture or beside the others."""
        itself = WHOLE or name == FIRST
        return self.open(*((name, "explore") if itself else (TOGETHER, f"explore-{name[:2]}")))

    def open(
        self, file: str, cell: str, kind: type[browser.Lecture] = browser.Lecture
    ) -> browser.Lecture:
        """Return a notebook, open and in sight of a cell."""
        shown, self.shown = self.shown, None  # it is used again only after a test that passed
        if shown and shown.name == file:
            shown.turn(cell)
            return shown
        page = shown.put_away() if shown else None
        return kind(self.window, self.address, file, cell=cell, page=page)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("lab")
    with browser.jupyterlab(home, fill) as address, sync_api.sync_playwright() as playwright:
        chromium = browser.chromium(playwright)
        yield Lab(browser.window(chromium), address)
        chromium.close()


@pytest.fixture
def lecture(lab: Lab, request: pytest.FixtureRequest) -> Iterator[browser.Lecture]:
    """Return an explorer that was seen without a kernel's help and then brought to life.

    The first lecture was run from top to bottom, of the others what the explorer needs is.
    """
    shown = lab.explorer(request.param)
    assert shown.still.count() == 1
    assert shown.still.evaluate("image => image.complete && image.naturalWidth") > 400
    assert "Error displaying widget" not in shown.output.inner_text()
    browser.until(lambda: len(shown.still.get_attribute("alt") or "") >= 40)
    if request.param == FIRST:
        a_prediction_is_committed_before_its_answer_is_shown(shown)
        shown.wait_for_life()
    else:
        shown.run_needed()
    assert shown.still.count() == 0, "the live explorer takes the picture's place"
    assert browser.violations(shown.page, {"include": [[shown.place_on_page]]}) == []
    yield shown
    assert shown.complaints == []
    lab.shown = shown


def a_prediction_is_committed_before_its_answer_is_shown(shown: browser.Lecture) -> None:
    """Where a lecture asks, there is a form; answers are folded until it is committed.

    Then it tells how far off the prediction was. Running all cells unfolds no answer before. The
    code that answers is folded with the answer, but no longer than until somebody unfolds it.
    """
    page, cells = shown.page, "jupyterapp.shell.currentWidget.content"
    hidden = f"{cells}.widgets.filter((one) => one.%s).map((one) => one.model.id)"
    folded, code = f"() => {hidden % 'outputHidden'}", f"() => {hidden % 'inputHidden'}"
    written = """() => jupyterapp.shell.currentWidget.context.model.toJSON().cells.map(
        ({ source, metadata: { trusted, ...others } }) => [source, others])"""  # as it is saved
    text = page.evaluate(written)
    changed = "() => jupyterapp.shell.currentWidget.context.model.dirty"
    number, before = page.evaluate(f"() => {cells}.widgets.length"), page.evaluate(folded)
    assert {"one-rule-scores", "all-lines-count", "all-lines-figure"} <= set(before)
    browser.until(lambda: page.evaluate(code) == before)  # every answer here belongs to a question
    page.evaluate(
        f"""async () => await {cells}.scrollToItem(
            {cells}.widgets.findIndex((one) => one.model.id === 'all-lines'), 'start')"""
    )
    box = page.locator(".linlib-predict", has_text="How many of the 16 labellings")
    line = box.get_by_label("How many of the 16 labellings can lines make?")
    words = page.locator("p", has_text="Fourteen. The two that are missing")
    line.wait_for()
    page.get_by_text("Predicted? Show the answer in words").first.wait_for(state="attached")
    assert not words.is_visible()
    unnamed = page.locator(".jp-Notebook .cm-content:not([aria-label])")
    browser.until(lambda: unnamed.count() == 0)  # editors that were drawn just now
    assert browser.violations(page, {"include": [[".jp-Notebook"]]}) == []
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
    unfold = page.get_by_role("button", name="Show the code of the answer")
    unfold.first.focus()
    page.keyboard.press("Enter")
    assert set(page.evaluate(folded)) == set(before) - answers, "the code alone was asked for"
    by_hand = {*answers, "one-rule-scores"}
    assert set(page.evaluate(code)) == set(before) - by_hand
    assert page.evaluate(f"() => {cells}.widgets.length") == number
    assert not page.evaluate(changed), "neither opening a lecture nor predicting changes it"
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    browser.until(shown.ready)
    assert set(page.evaluate(folded)) == set(before) - answers, "what is run stays folded"
    assert set(page.evaluate(code)) == set(before) - by_hand, "and what was unfolded, unfolded"
    page.evaluate(
        """async () => {
            const { content, sessionContext } = jupyterapp.shell.currentWidget;
            await sessionContext.session.kernel.requestExecute({ code: "del data" }).done;
            content.activeCellIndex = content.widgets.findIndex(
                (one) => one.model.id === 'curved-by-hand');
            await jupyterapp.commands.execute('notebook:run-cell');
        }"""
    )
    seen = {"curved-by-hand", *answers}
    browser.until(lambda: set(page.evaluate(folded)) == set(before) - seen)  # an error is shown
    assert page.evaluate(written) == text, "all of this is nowhere in the notebook"
    shown.show()


def near(found: object, expected: object, tolerance: float = 0.03) -> bool:
    """Tell whether places agree to about a pixel."""
    return np.allclose(found, expected, atol=tolerance)


def lies_on(h: Hyperplane, ends: list[tuple[float, float]], tolerance: float = 0.03) -> bool:
    return bool(np.all(np.abs(h.distance(ends)) < tolerance))


def place_of(scene: dict, id: str) -> tuple[float, float]:
    """Return where a handle is, as Python said."""
    places = {item["id"]: item["at"] for panel in scene["panels"] for item in panel["handles"]}
    return tuple(places[id])


# ---------------------------------------------------------------- 01


@pytest.mark.parametrize("lecture", ["01-hyperplanes"], indirect=True)
def test_hyperplane(lecture: browser.Lecture) -> None:
    def agrees(h: Hyperplane, point: tuple[float, float]) -> None:
        side = {1: "positive", -1: "negative"}[int(h.predict(point))]
        assert f"The point {vector(point)} is on the {side} side" in lecture.text
        assert f"signed distance {say(h.distance(point))}" in lecture.text
        assert f"projection {vector(h.project(point))}" in lecture.text
        assert lies_on(h, lecture.ends(lecture.drawn("line")))
        assert near(lecture.ends(lecture.drawn("distance")), [point, h.project(point)])
        assert near(lecture.centre(lecture.handle("point").locator("path")), point)

    agrees(Hyperplane([2, 1], -3), (-2.0, 2.0))  # cells below make explorers of their own

    lecture.handle("normal").focus()
    for key in ["Shift+ArrowLeft"] * 4 + ["Shift+ArrowDown"] * 2:  # faster than Python answers
        lecture.page.keyboard.press(key)
    browser.until(lambda: "w is the zero vector" in lecture.text, lambda: lecture.text)
    assert lecture.drawn("line").count() == lecture.handle("offset").count() == 0

    lecture.drag("normal", 1.0, -2.0)
    w = place_of(lecture.scene(), "normal")
    assert near(w, (1, -2))
    agrees(Hyperplane(w, -3), (-2.0, 2.0))

    pictures, moves = lecture.count, 60
    lecture.sweep("point", 3.0, 2.5, moves=moves)
    assert lecture.count - pictures < moves / 2, "places already left behind are not fitted"
    point = place_of(lecture.scene(), "point")
    assert near(point, (3, 2.5))
    agrees(Hyperplane(w, -3), point)

    lecture.handle("point").focus()
    lecture.press("ArrowRight", "ArrowDown", "Shift+ArrowLeft")
    x, y = point[0] + 0.1 - 0.5, point[1] - 0.1
    agrees(Hyperplane(w, -3), (x, y))

    lecture.page.keyboard.press("n")  # from the last handle to the first, the tip of w
    assert lecture.handle("normal").evaluate("node => node === document.activeElement")
    lecture.page.keyboard.press("n")
    before = np.array(place_of(lecture.scene(), "offset"))
    lecture.press("ArrowRight", "ArrowRight")
    offset = np.array(place_of(lecture.scene(), "offset"))
    assert near(offset - before, 0.2 * np.array(w) / np.linalg.norm(w), 1e-3)
    agrees(Hyperplane(w, -float(np.dot(w, offset))), (x, y))


# ---------------------------------------------------------------- 02


@pytest.mark.parametrize("lecture", ["02-perceptron"], indirect=True)
def test_perceptron(lecture: browser.Lecture) -> None:
    X, y = data.and_gate()
    run = pla(X, y)

    def agrees(k: int) -> None:
        """Picture and text show the state after k updates of pla."""
        row = run.mistakes[k - 1]
        assert f"Update {k}: row {row} at {vector(run.Z[row, 1:] * run.Z[row, 0])}" in lecture.text
        assert f"to {vector(run.path[k])}." in lecture.text
        counts = np.bincount(run.mistakes[:k], minlength=len(run.Z))
        shown = lecture.drawn("count").all_text_contents()
        assert shown == [f"{count}×" for count in counts if count]
        place = run.Z[row, 1:] * run.Z[row, 0]
        assert near(lecture.centre(lecture.drawn("mistake")), place)
        for name, weights in (("line", run.path[k]), ("old-line", run.path[k - 1])):
            for ends in lecture.all_ends(lecture.drawn(name)):
                assert lies_on(Hyperplane.from_weights(weights), ends)

    for _ in range(12):
        lecture.button("Step")
    agrees(12)
    lecture.button("Back")
    lecture.button("Back")
    agrees(10)
    lecture.button("To the end")
    agrees(18)
    assert f"It has converged: pass {run.passes}" in lecture.text
    lecture.button("To the start")
    assert lecture.text.startswith("Before the first update the weights are (0, 0, 0).")
    assert lecture.drawn("line").count() == 0

    cells = lecture.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length")
    lecture.output.get_by_role("button", name="Step", exact=True).focus()
    lecture.press("Enter", "Space")
    agrees(2)
    lecture.page.keyboard.press("Shift+Tab")
    lecture.press("Enter")  # Back
    agrees(1)
    for _ in range(5):  # Step, Play, To the end, Speed, and into the picture
        lecture.page.keyboard.press("Tab")
    assert lecture.handle("p0").evaluate("node => node === document.activeElement")
    lecture.page.keyboard.type("ddbx")  # JupyterLab's own commands: delete, insert and cut cells
    left = lecture.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length")
    assert left == cells
    lecture.button("To the start")

    lecture.button("Play")
    browser.until(lambda: "Update 2:" in lecture.text, lambda: lecture.text)
    lecture.button("Pause")

    lecture.choose("Points", "XOR")
    verdict = certify(*data.xor_gate())
    assert (
        f"It can never end: with λ = {vector(verdict.multipliers)} on rows 0, 1, 2, 3"
        in lecture.text
    )
    assert lecture.drawn("lambda").count() == 4

    lecture.drag("p0", 1.5, 0.25)  # now row 0 is separable from rows 1 and 2, but row 3 is with it
    X, y = data.xor_gate()
    X[0] = place_of(lecture.scene(), "p0")
    assert near(X[0], (1.5, 0.25))
    verdict = certify(X, y)
    assert ("It can never end" in lecture.text) == (not verdict.separable)

    lecture.choose("Points", "AND")
    lecture.handle("p3").focus()
    lecture.press("l", "a", "l", "Shift+ArrowUp", "ArrowLeft")
    assert lecture.handle("p4").evaluate("node => node === document.activeElement")
    X, y = np.vstack([data.and_gate().X, [0.45, 0.75]]), [-1, -1, -1, -1, -1]
    assert near(place_of(lecture.scene(), "p4"), X[4], 1e-9)
    lecture.press("l")
    y[4] = 1
    lecture.click(1.5, -0.5)
    X, y = np.vstack([X, place_of(lecture.scene(), "p5")]), [*y, 1]
    lecture.handle("p3").focus()
    lecture.press("Delete")
    X, y = np.delete(X, 3, axis=0), np.delete(y, 3)
    lecture.choose("Order", "worst")
    lecture.button("To the end")
    run = pla(X, y, order="worst", max_updates=1000)
    agrees(run.updates)
    assert re.search("has converged|never end", lecture.text)


# ---------------------------------------------------------------- 03


@pytest.mark.parametrize("lecture", ["03-convergence"], indirect=True)
def test_proof(lecture: browser.Lecture) -> None:
    X, y = data.and_gate()

    def agrees(k: int | None, scale: Callable[..., np.ndarray] = np.log10) -> float:
        """Picture and text show both proofs after k updates (None: all); return the bound."""
        run = pla(X, y, max_updates=1000)
        table = linlib.proof_table(run, linlib.max_margin(X, y, augmented=True).weights)
        k = run.updates if k is None else k
        floor, alignment = brief(table.alignment_floor[k]), brief(table.alignment[k])
        said = f"After {k} of {run.updates} updates: kγ = {floor} ≤ w·w* = {alignment} ≤ "
        assert said in lecture.text
        now, bound = brief(table.potential[k]), brief(table.bound)
        assert f"fell from {brief(table.potential[0])} to {now};" in lecture.text
        assert f"the bound R²/γ² is {bound}; the run makes {run.updates} " in lecture.text
        assert lecture.drawn("bound").text_content() == f"R²/γ² = {bound}"

        tolerance = 0.03 if scale is np.log10 else 0.02 * table.bound
        length = np.sqrt(table.squared_length[k])
        for name, value in (("alignment", table.alignment[k]), ("length", length)):
            tip = lecture.ends(lecture.drawn(name), 1)[1]
            assert near(tip, scale([k, value]), tolerance)
        tip = lecture.ends(lecture.drawn("potential"), 2)[1]
        share = 100 * table.potential[k] / table.potential[0]
        assert near(tip[0], scale(k), tolerance)
        assert near(tip[1], share, 1.0)
        for panel in (1, 2):
            wall = lecture.all_ends(lecture.drawn("wall"), panel)[panel - 1]
            assert near([x for x, _ in wall], scale(table.bound), tolerance)
        for ends in lecture.all_ends(lecture.drawn("line")):
            assert lies_on(Hyperplane.from_weights(run.path[k]), ends)
        return table.bound

    for _ in range(12):
        lecture.button("Step")
    agrees(12)
    lecture.button("Back")
    lecture.button("Back")
    agrees(10)
    lecture.button("To the end")
    assert round(agrees(18)) == 51

    lecture.drag("p3", 0.6, 0.6)
    X[3] = place_of(lecture.scene(), "p3")
    assert near(X[3], 0.6)
    assert agrees(None) > 10 * 51
    assert pla(X, y).updates < 3 * 18
    lecture.handle("p3").focus()
    lecture.press("ArrowDown", "Shift+ArrowRight")
    assert near(place_of(lecture.scene(), "p3"), X[3] + (0.25, -0.05), 1e-4)
    X[3] = place_of(lecture.scene(), "p3")
    agrees(None)
    lecture.choose("Axes", "plain")
    agrees(None, np.asarray)

    lecture.button("To the start")
    assert lecture.text.startswith("Before the first update: ")
    assert lecture.drawn("line").count() == 0
    lecture.output.get_by_role("button", name="Step", exact=True).focus()
    lecture.press("Enter", "Space", "Enter")
    agrees(3, np.asarray)

    lecture.choose("Points", "XOR")
    shares = vector(certify(*data.xor_gate()).multipliers)
    assert f"there is no w*, so no bound and no end: with λ = {shares} on rows" in lecture.text
    assert lecture.drawn("wall").count() == 0
    assert lecture.drawn("note").count() == 2
    lecture.handle("p3").focus()
    lecture.press("l")  # now it is OR, and a line separates
    lecture.choose("Axes", "logarithmic")
    lecture.button("To the end")
    X, y = data.xor_gate().X, np.array([-1, 1, 1, 1])
    agrees(None)


# ---------------------------------------------------------------- 05


@pytest.mark.parametrize("lecture", ["05-gradient-descent"], indirect=True)
def test_descent(lecture: browser.Lecture) -> None:
    losses = {
        loss.name: loss for loss in (linlib.squared_loss, linlib.perceptron_loss, linlib.hinge_loss)
    }
    y = [-1, -1, 1, 1]

    def agrees(k: int | None, eta: float, loss: str = "squared", pick: str = "all") -> None:
        """Picture and text show the descent after k steps (None: all)."""
        shown = lecture.scene()
        start, bias = place_of(shown, "start"), len(y) == 4
        places = np.array([place_of(shown, f"p{row}") for row in range(len(y))])
        target = linlib.objective(places[:, :1] if bias else places, y, losses[loss], bias=bias)
        options = {"step": eta, "start": start, "order": pick, "max_updates": 120}
        exact = exact_descent(target, **options)  # where there are kinks
        run = exact[0] if exact else linlib.gradient_descent(target, tolerance=1e-9, **options)
        k = len(run.path) - 1 if k is None else k
        weights = run.path[k]
        assert f"η = {brief(eta)}: {k} step" in lecture.text
        at = ", ".join(map(brief, weights))
        assert f"from ({', '.join(map(brief, start))}) to ({at}) and the loss from " in lecture.text
        assert f" to {brief(target.value(weights))}; " in lecture.text
        if loss == "squared" and pick == "all":
            limit = 2 / np.linalg.eigvalsh(target.Z.T @ target.Z)[-1]
            side = "It diverges: η is above" if eta > limit else "η is below"
            assert f"{side} 2/λmax = {brief(limit)}" in lecture.text
        first, last = lecture.ends(lecture.drawn("path"))
        assert near(first, start, 0.04)
        if np.abs(weights).max() <= 4:
            assert near(last, weights, 0.04)
            assert near(lecture.centre(lecture.drawn("now")), weights, 0.04)
        else:
            assert np.abs(last).max() > 4, "it leaves the picture"
            assert lecture.drawn("now").count() == 0
        # Over one feature the line is the graph of the score: w1 x − height + w0 = 0.
        rule = Hyperplane([weights[1], -1], weights[0]) if bias else Hyperplane(weights)
        assert lies_on(rule, lecture.ends(lecture.drawn("line"), 1), 0.04)

    assert ": at the start (" in lecture.text
    lecture.choose("Points", "four on a line")
    lecture.choose("Loss", "squared")
    slider = lecture.output.get_by_role("slider")
    slider.focus()
    lecture.press(*["ArrowLeft"] * 20)
    agrees(None, 0.15)
    assert slider.get_attribute("aria-label") == "Step η"
    lecture.press(*["ArrowRight"] * 4)
    agrees(None, 0.17)
    lecture.press(*["ArrowLeft"] * 6)
    agrees(None, 0.14)

    lecture.drag("start", 2.0, -3.0)
    before = place_of(lecture.scene(), "start")
    assert near(before, (2, -3), 0.04)
    agrees(None, 0.14)
    lecture.handle("start").focus()
    lecture.press("ArrowUp", "Shift+ArrowLeft")
    assert near(place_of(lecture.scene(), "start"), np.add(before, (-0.5, 0.1)), 1e-4)
    agrees(None, 0.14)

    lecture.button("To the start")
    assert ": at the start (" in lecture.text
    assert lecture.drawn("path").count() == 0
    lecture.button("Step")
    lecture.button("Step")
    agrees(2, 0.14)
    lecture.button("Back")
    agrees(1, 0.14)
    lecture.button("To the end")
    lecture.choose("Rows", "one by one")
    agrees(None, 0.14, pick="cyclic")
    turn = linlib.pass_map([[-1], [0], [1], [3]], y, step=0.14)
    assert f"the passes settle at ({', '.join(map(brief, turn.resting_point))}), " in lecture.text
    lecture.choose("Rows", "all at once")

    old = lecture.drawn("contour").first.get_attribute("d")
    lecture.drag("p3", 1.8, -2.0, panel=1)  # it can move along the line only
    assert near(place_of(lecture.scene(), "p3"), (1.8, 1), 0.04)
    assert lecture.drawn("contour").first.get_attribute("d") != old
    agrees(None, 0.14)

    y[:] = [1, 1, 1, -1, -1, -1]
    lecture.choose("Points", "six points")
    for name in ("perceptron", "hinge"):
        lecture.choose("Loss", name)
        agrees(None, 0.14, name)
        assert f"The {name} loss is piecewise linear and never below 0: no step" in lecture.text
    lecture.drag("p1", 3.0, -0.5, panel=1)
    assert near(place_of(lecture.scene(), "p1"), (3, -0.5), 0.04)
    agrees(None, 0.14, "hinge")


# ---------------------------------------------------------------- 06


@pytest.mark.parametrize("lecture", ["06-least-squares"], indirect=True)
def test_lms(lecture: browser.Lecture) -> None:
    y = [-1, -1, 1, 1]
    assert ": at the start (" in lecture.text
    lecture.output.get_by_role("slider").focus()
    lecture.press(*["ArrowRight"] * 14)
    lecture.button("To the end")
    assert "It diverges: η is above 2/λmax = 0.165" in lecture.text

    def agrees() -> None:
        """Picture and text show where passes over single points settle."""
        shown = lecture.scene()
        X = np.array([place_of(shown, f"p{row}")[:1] for row in range(4)])
        turn = linlib.pass_map(X, y, step=0.17)
        bottom = least_squares(X, y).weights
        at, away = turn.resting_point, float(np.linalg.norm(turn.resting_point - bottom))
        said = f"the passes settle at ({', '.join(map(brief, at))}), {brief(away)} from the least"
        assert said in lecture.text
        assert near(lecture.centre(lecture.drawn("rest")), at, 0.04)
        assert near(lecture.centre(lecture.drawn("bottom")), bottom, 0.04)

    lecture.choose("Rows", "one by one")
    agrees()
    lecture.drag("p3", 2.0, 0.0, panel=1)
    assert near(place_of(lecture.scene(), "p3"), (2, 1), 0.04)
    agrees()
    lecture.choose("Show", "surface")
    assert lecture.drawn("net").count() > 20
    for name in ("path", "bottom", "rest"):
        assert lecture.drawn(name).count() == 1
    lecture.choose("Challenge", "wrong and right")
    assert "least squares gets 0 points wrong, the perceptron 0." in lecture.text
    lecture.button("Reset")
    assert "η is below 2/λmax = 0.165" in lecture.text


# ---------------------------------------------------------------- 07


@pytest.mark.parametrize("lecture", ["07-margins"], indirect=True)
def test_margin(lecture: browser.Lecture) -> None:
    def agrees(X: np.ndarray, y: np.ndarray, lam: float) -> None:
        """Picture and text show what soft_margin says of these points."""
        fit = soft_margin(X, y, penalty=lam)
        held = street(fit, X, y, lam)
        h = Hyperplane.from_weights(held.weights)
        assert f"λ = {lam:.3g}: the street is {say(2 / h.norm)} wide" in lecture.text
        assert f"{len(held.support)} of {len(X)} points support it" in lecture.text
        assert f"{int(np.sum(h.predict(X) != y))} of them wrong" in lecture.text
        assert f"makes {brief(fit.value)}." in lecture.text
        for name, level in (("line", 0), ("edge-1", -1), ("edge+1", 1)):
            for ends in lecture.all_ends(lecture.drawn(name)):
                assert lies_on(Hyperplane(h.w, h.w0 - level), ends)
        assert near(lecture.centres(lecture.drawn("support")), X[held.support])

    start = data.clouds([[-1.9, 0.0], [1.9, 0.6]], 14, np.random.default_rng(26), spread=0.85)
    X, y = start.X.copy(), np.where(start.y == 1, 1, -1)
    agrees(X, y, 0.001)

    slider = lecture.output.get_by_role("slider")
    slider.focus()
    lecture.press("ArrowRight", "ArrowRight", "ArrowRight")
    agrees(X, y, 10**-2.7)
    slider.press("Home")
    browser.until(lambda: "λ = 0.001:" in lecture.text, lambda: lecture.text)
    lecture.settle()
    agrees(X, y, 0.001)
    box = slider.bounding_box()
    with lecture.answered():
        lecture.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        lecture.page.mouse.down()
        lecture.page.mouse.move(box["x"] + 100, box["y"] + box["height"] / 2, steps=6)
        lecture.page.mouse.up()
    readout = lecture.output.locator(".widget-readout")
    browser.until(
        lambda: lecture.text.startswith(f"λ = {float(readout.inner_text()):.3g}:"),
        lambda: f"{readout.inner_text()}: {lecture.text}",
    )
    lecture.settle()
    lams = {f"λ = {10 ** (k / 10):.3g}:": 10 ** (k / 10) for k in range(-30, 11)}
    lam = lams[lecture.text[: lecture.text.index(":") + 1]]
    assert 0.005 < lam < 5
    agrees(X, y, lam)

    lecture.drag("p0", 1.5, -1.5)
    X[0] = place_of(lecture.scene(), "p0")
    assert near(X[0], (1.5, -1.5))
    agrees(X, y, lam)
    lecture.handle("p20").focus()
    lecture.press("ArrowLeft", "Shift+ArrowUp")
    X[20] = X[20] + [-0.1, 0.5]
    assert near(place_of(lecture.scene(), "p20"), X[20], 1e-3)
    agrees(X, y, lam)
    lecture.press("l")
    y[20] = -1
    agrees(X, y, lam)
    lecture.click(-3.5, 3.0)
    X, y = np.vstack([X, place_of(lecture.scene(), "p28")]), np.append(y, 1)
    agrees(X, y, lam)
    lecture.handle("p28").focus()
    lecture.press("Delete")
    agrees(X[:-1], y[:-1], lam)

    lecture.button("Reset")
    agrees(start.X, np.where(start.y == 1, 1, -1), 0.001)
    lecture.choose("Points", "overlapping")
    agrees(*data.two_clouds(40, np.random.default_rng(7), distance=2.6), 0.001)


# ---------------------------------------------------------------- 08


@pytest.mark.parametrize("lecture", ["08-discriminants"], indirect=True)
def test_gaussians(lecture: browser.Lecture) -> None:
    def agrees(prior: float) -> tuple[np.ndarray, np.ndarray]:
        """Line, curve and counted errors are those of the sample shown; return both shapes."""
        items = lecture.scene()["panels"][0]["drawables"]
        clouds = [item["xy"] for k in (0, 1) for item in items if item["name"] == f"sample{k}"]
        X, y = np.vstack(clouds), np.repeat([0, 1], [len(cloud) for cloud in clouds])
        assert len(X) == 200, "the whole sample is inside the picture"
        lda, qda = fit_lda(X, y), fit_qda(X, y)
        assert np.isclose(lda.priors[1], prior)
        for k in (0, 1):
            assert lecture.drawn(f"sample{k}").count() == len(clouds[k])
            assert near(qda.means[k], place_of(lecture.scene(), f"mean{k}"), 1e-4)
            assert near(lecture.centre(lecture.drawn(f"ellipse{k}")), qda.means[k])
        line, curve = (int(np.sum(model.predict(X) != y)) for model in (lda, qda))
        assert f"points LDA gets {line} ({say(line / 2, 1)} %) wrong" in lecture.text
        assert f"QDA {curve} ({say(curve / 2, 1)} %)." in lecture.text
        assert f"w = {vector(lda.hyperplane.w)} and w₀ = {say(lda.hyperplane.w0)}" in lecture.text
        assert lies_on(lda.hyperplane, lecture.ends(lecture.drawn("lda")))
        assert lecture.drawn("qda").count() > 0
        for spots in map(np.array, lecture.all_ends(lecture.drawn("qda"))):
            slope = np.linalg.norm(2 * spots @ qda.A + qda.b, axis=1)
            assert np.all(np.abs(qda.log_odds(spots)) < 0.04 * slope)
        return qda.means, qda.covariances

    agrees(0.5)
    slider = lecture.output.get_by_role("slider")
    slider.focus()
    lecture.press("ArrowLeft", "ArrowLeft", "ArrowLeft")
    agrees(0.35)

    lecture.drag("mean1", 1.0, 0.4)
    means, _ = agrees(0.35)
    assert near(means[1], (1.0, 0.4))
    lecture.drag("axis1", 1.9, 1.0)
    means, shapes = agrees(0.35)
    reach = np.array(place_of(lecture.scene(), "axis1")) - means[1]
    assert near(reach, (0.9, 0.6))
    assert np.allclose(shapes[1] @ reach, (reach @ reach) * reach, atol=1e-3)  # a principal axis
    assert np.isclose(np.linalg.eigvalsh(shapes[1])[0], 0.25, atol=1e-3)

    lecture.handle("wide1").focus()
    lecture.press("ArrowUp", "ArrowUp", "ArrowUp")
    _, shapes = agrees(0.35)
    assert np.isclose(np.linalg.eigvalsh(shapes[1])[0], 0.8**2, atol=1e-3)
    lecture.handle("mean0").focus()
    lecture.press("ArrowRight", "Shift+ArrowUp")
    means, _ = agrees(0.35)
    assert near(means[0], (-1.3, -0.3), 1e-3)

    lecture.button("Equal shapes")
    _, shapes = agrees(0.35)
    assert np.allclose(shapes[0], shapes[1], atol=1e-4)
    assert "QDA draws the same line as LDA" in lecture.text
    lecture.button("Reset")
    means, _ = agrees(0.5)
    assert near(means, [(-1.4, -0.8), (1.2, 0.6)], 1e-4)

    lecture.choose("Start with", "small in large")
    assert "QDA's boundary is an ellipse." in lecture.text


# ---------------------------------------------------------------- 09


@pytest.mark.parametrize("lecture", ["09-logistic"], indirect=True)
def test_logistic(lecture: browser.Lecture) -> None:
    def agrees(lam: float) -> None:
        """Lines and text are those of linlib's logistic regression on the points shown."""
        handles = lecture.scene()["panels"][0]["handles"]
        X = np.array([item["at"] for item in handles])
        y = np.array([1 if item["legend"] == "y = +1" else -1 for item in handles])
        fit = linlib.logistic(X, y, penalty=lam)
        h = Hyperplane.from_weights(fit.weights)
        assert f"λ = {lam:.3g}: even odds on the line with w = {vector(h.w)}" in lecture.text
        assert f"within {brief(2 * np.log(9) / h.norm)}. {fit.errors} of {len(X)}" in lecture.text
        assert f"makes {brief(fit.value)}, after" in lecture.text
        assert lies_on(h, lecture.ends(lecture.drawn("line")))
        sides = [Hyperplane(h.w, h.w0 + shift) for shift in (np.log(9), -np.log(9))]
        for ends in lecture.all_ends(lecture.drawn("level")):
            assert any(lies_on(side, ends) for side in sides)

    agrees(0.01)
    lecture.output.get_by_role("slider").focus()
    lecture.press("ArrowLeft", "ArrowLeft")
    agrees(10**-2.5)
    lecture.drag("p0", 2.5, 0.5)
    assert near(place_of(lecture.scene(), "p0"), (2.5, 0.5))
    agrees(10**-2.5)
    lecture.choose("Penalty", "none")
    assert "no minimum exists" not in lecture.text, "now no line separates"
    lecture.handle("p0").focus()
    lecture.press("Control+z", "Control+z")
    lecture.choose("Penalty", "none")
    assert "no minimum exists, for the classes can be separated" in lecture.text
    assert lecture.drawn("limit").count() == 1


# ---------------------------------------------------------------- 10


@pytest.mark.parametrize("lecture", ["10-multiclass"], indirect=True)
def test_classes(lecture: browser.Lecture) -> None:
    names = ["one against the rest", "pair by pair", "linear machine"]
    side = np.linspace(-5.98, 5.98, 300)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)

    def shown() -> tuple[np.ndarray, np.ndarray]:
        """Return the points and their classes as the picture has them."""
        handles = lecture.scene()["panels"][0]["handles"]
        labels = [int(item["legend"].removeprefix("class ")) for item in handles]
        return np.array([item["at"] for item in handles]), np.array(labels)

    def agrees(learn: Learner = lambda X, y: soft_margin(X, y, penalty=1e-3)) -> None:
        """All three pictures and shares are those of linlib's schemes on the points shown."""
        X, y = shown()
        kind = "least_squares" if learn is least_squares else "perceptron"
        rest, pairs = one_vs_rest(X, y, learn), one_vs_one(X, y, learn)
        machine = linear_machine(X, y, learner=kind, max_updates=300)
        for k, (name, scheme) in enumerate(zip(names, (rest, pairs, machine), strict=True)):
            said = re.search(rf"{name}: (under )?([\d.]+) % of the square", lecture.text, re.I)
            counted = scheme.ambiguous(grid)
            assert abs(float(said[2]) - 100 * counted.mean()) < 0.6
            frame = lecture.output.locator(".linlib-panel").nth(k)
            in_doubt = frame.locator('[data-name^="doubt"]').count()
            assert (in_doubt > 0) == (said[2] != "0")
            wrong = int(np.sum(scheme.predict(X) != y))
            assert f", {wrong} wrong." in lecture.text[said.start() : said.start() + 190]
        for k, h in enumerate(rest.hyperplanes):
            for ends in lecture.all_ends(lecture.drawn(f"line-{k}")):
                assert lies_on(h, ends, 0.08)
        for (a, b), h in pairs.hyperplanes.items():
            for ends in lecture.all_ends(lecture.drawn(f"line-{a}{b}"), 1):
                assert lies_on(h, ends, 0.08)
            for ends in lecture.all_ends(lecture.drawn(f"border-{a}{b}"), 2):
                assert lies_on(machine.boundary(a, b), ends, 0.08)

    agrees()
    tops = [box["y"] for box in (panel.bounding_box() for panel in panels_of(lecture))]
    assert len(tops) == 3
    assert np.ptp(tops) < 1, "side by side"

    lecture.drag("p0", 0.5, 0.5)
    assert near(shown()[0][0], (0.5, 0.5), 0.06)
    agrees()
    before = shown()[0][7]
    lecture.handle("p7").focus()
    lecture.press("Shift+ArrowRight", "ArrowDown")
    assert near(shown()[0][7], before + np.array([0.5, -0.1]), 1e-4)
    agrees()
    lecture.choose("Learner", "least squares")
    agrees(least_squares)

    lecture.choose("A new point is", "class 3")
    lecture.click(-4.5, -5.0)
    X, y = shown()
    assert y[-1] == 3
    assert near(X[-1], (-4.5, -5.0), 0.06)
    agrees(least_squares)
    lecture.handle("p18").focus()
    lecture.press("l")
    assert shown()[1][-1] == 0
    lecture.press("Delete")
    assert len(shown()[0]) == 18

    lecture.choose("Points", "four classes")
    agrees(least_squares)
    lecture.choose("Show", "pair by pair")
    assert lecture.output.locator(".linlib-panel").count() == 1
    assert lecture.text.startswith("Pair by pair: ")
    lecture.drag("p3", 1.0, 0.0)
    assert near(shown()[0][3], (1, 0), 0.04)
    pairs = one_vs_one(*shown(), least_squares)
    said = re.match(r"Pair by pair: (?:under )?([\d.]+) % of the square", lecture.text)
    assert abs(float(said[1]) - 100 * pairs.ambiguous(grid).mean()) < 0.6

    lecture.button("Reset")
    assert len(set(shown()[1].tolist())) == 3, "as the cell first showed it"
    agrees()
    lecture.choose("Points", "pinwheel")
    assert "Its perceptron has not converged within 300 updates." in lecture.text
    agrees()


def panels_of(lecture: browser.Lecture) -> list[sync_api.Locator]:
    return lecture.output.locator(".linlib-panel").all()


# ---------------------------------------------------------------- all of a lecture


@pytest.mark.parametrize("name", NAMES if WHOLE else NAMES[:1])
def test_no_lecture_has_an_accessibility_violation(lab: Lab, name: str) -> None:
    """Scroll through a lecture as it is stored, and let axe look at each cell once."""
    path = browser.ROOT / "notebooks" / f"{name}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    seen = (c for c in cells if c.get("outputs") and "answer" not in c.metadata.get("tags", []))
    shown = lab.open(name, next(seen).id)
    at, found = 0, []
    while at < (len(cells) if WHOLE else 1):
        page = shown.page.evaluate(
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
        assert page > at, f"cell {at} of {name} is not drawn"
        here = ".jp-NotebookPanel:not(.lm-mod-hidden)"
        seen = [[f'{here} [data-windowed-list-index="{k}"]'] for k in range(at, page)]
        found += browser.violations(shown.page, {"include": seen})
        at = page
    assert found == []
    assert shown.complaints == []
    lab.shown = shown


# ---------------------------------------------------------------- by other means


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

    def touch(self, *path: tuple[float, float]) -> None:
        """Put a finger down, move it along a path, and lift it."""
        kinds = ["touchStart", *["touchMove"] * (len(path) - 1), "touchEnd"]
        with self.answered():
            for kind, spot in itertools.zip_longest(kinds, path):
                places = [{"x": float(spot[0]), "y": float(spot[1])}] if spot is not None else []
                self.cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def lab(self, script: str) -> object:
        return self.page.evaluate(f"async () => {{ {script} }}")


@pytest.fixture(scope="module")
def explorers(lab: Lab) -> Shown:
    """Return every explorer, alive, on a laptop whose screen can be touched."""
    opened = lab.open(ALL, "perceptron", Shown)
    opened.window = lab.window
    opened.cdp = lab.window.new_cdp_session(opened.page)
    opened.cdp.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    opened.page.set_viewport_size(LAPTOP)
    opened.page.set_default_timeout(60_000)
    assert not opened.lab("return jupyterapp.shell.currentWidget.context.model.dirty"), (
        "opening a notebook must not change it"
    )
    opened.run_all()
    return opened


@pytest.fixture
def shown(explorers: Shown) -> Iterator[Shown]:
    yield explorers
    assert explorers.complaints == []


def test_the_readers_lab_shows_no_solutions_and_no_assignment_tools(shown: Shown) -> None:
    for words in ("Create Assignment", "Nbgrader", "Validate", "Formgrader"):
        assert shown.page.get_by_text(words).count() == 0
    shelf = [f"{name}.ipynb" for name in sorted([*NAMES, ALL, TOGETHER])]
    listed = shown.page.locator(".jp-DirListing-itemText").all_inner_texts()
    assert listed == ["homework", *shelf], "no claims.toml, no falsifiers.toml"
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
    before = place_of(shown.scene(), id)
    shown.touch(*np.linspace(shown.pixels(*before), shown.pixels(*to), 15))
    assert np.allclose(place_of(shown.scene(), id), to, atol=0.05), "the drag was cut short"
    shown.press_tool("undo")
    assert place_of(shown.scene(), id) == before, "one drag is one step of undo"


def test_a_pen_drags_a_point(shown: Shown) -> None:
    shown.turn("perceptron")
    kinds = ["mousePressed", *["mouseMoved"] * 6, "mouseReleased"]
    path = np.linspace(
        shown.pixels(*place_of(shown.scene(), "p3")), shown.pixels(0.6, 1.4), len(kinds)
    )
    with shown.answered():
        for kind, (x, y) in zip(kinds, path.tolist(), strict=True):
            pen = {"pointerType": "pen", "button": "left", "buttons": 1, "clickCount": 1}
            shown.cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y} | pen)
    assert np.allclose(place_of(shown.scene(), "p3"), (0.6, 1.4), atol=0.1)
    shown.press_tool("undo")


def test_points_are_added_relabelled_and_removed_without_a_keyboard(shown: Shown) -> None:
    shown.turn("perceptron")
    shown.touch(shown.pixels(1.4, 0.4))
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
    shown.touch(shown.pixels(-3.5, 3.0))
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
    shown.run_needed()
    assert note.inner_text() == ""
    shown.button("Step")

    shown.button("To the end")
    shown.lab("await jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    browser.until(lambda: asleep in note.inner_text(), note.inner_text)


def test_saved_and_reopened_without_its_kernel_it_shows_the_still(shown: Shown) -> None:
    shown.turn("perceptron")
    shown.lab("await jupyterapp.shell.currentWidget.context.save()")
    page = shown.put_away()
    again = Shown(shown.window, "", ALL, cell="perceptron", page=page)
    asleep = "This explorer is asleep: run its cell again (Shift+Enter) to bring it to life."
    browser.until(lambda: asleep in again.output.inner_text(), again.output.inner_text)
    assert again.still.evaluate("image => image.complete && image.naturalWidth") > 400
    assert len(again.still.get_attribute("alt")) >= 40
    # ipywidgets notes down the error that it has caught itself; nothing else, nothing uncaught
    assert all("widget model not found" in complaint for complaint in again.complaints)
