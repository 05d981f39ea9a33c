"""The form that all lectures share: minutes, path, claims, predictions, exercises, plain code."""

from __future__ import annotations

import ast
import math
import re
import statistics
from collections.abc import Iterator
from io import BytesIO

import pytest
from matplotlib.image import imread

from lincourse.check import asserts, names
from lincourse.check.claims import ledger
from lincourse.paths import NOTEBOOKS
from lincourse.publish.lectures import (
    Cell,
    Lecture,
    lectures,
    minutes,
    split_at_headings,
)

LECTURES = {lecture.name: lecture for lecture in lectures()}
TAUGHT = {name: one for name, one in LECTURES.items() if one.number != "00"}
SOLUTIONS = NOTEBOOKS / "solutions"
PREDICT = re.compile(r"\*\*Predict first")
LONGEST = 75  # minutes of a lecture path
SLIDES = {"slide", "subslide", "fragment", "-", "skip"}
FORMS = {
    "holds": "> **Claim {0}**",
    "holds if": "> **Holds if** · **Claim {0}**",
    "wrong as written": "> **Refuted as written** · **Claim {0}**",
}

of_each = pytest.mark.parametrize("lecture", TAUGHT.values(), ids=TAUGHT)


def total(lecture: Lecture) -> float:
    return minutes([(cell, cell.source) for cell in lecture.cells])


# ---- minutes and path


def stated(lecture: Lecture) -> int:
    found = re.search(
        rf"^\*Lecture (\d+) of {len(TAUGHT)} · about (\d+) minutes\*$", opening(lecture), re.M
    )
    assert found, f"{lecture.name} does not open with its number and its minutes."
    assert int(found[1]) == int(lecture.number)
    return int(found[2])


def opening(lecture: Lecture) -> str:
    """Return the text before the first section; a picture may stand in the middle of it."""
    (_, parts), *_ = lecture.sections()
    return "\n".join(source for cell, source in parts if cell.kind == "markdown")


@of_each
def test_the_minutes_are_those_of_the_lecture_path(lecture: Lecture) -> None:
    assert stated(lecture) == 5 * math.ceil(total(lecture) / 5)
    assert total(lecture) <= LONGEST


@of_each
def test_it_opens_with_objectives_needs_and_symbols(lecture: Lecture) -> None:
    text = opening(lecture)
    objectives = re.findall(r"^\d\. ", text.partition("**After it you can**")[2], re.M)
    assert 3 <= len(objectives) <= 4
    assert "**You need**" in text
    assert "**Symbols**" in text


@of_each
def test_every_cell_says_whether_it_is_on_the_path(lecture: Lecture) -> None:
    assert [cell.id for cell in lecture.cells if cell.slide not in SLIDES] == []


def says_self_study(cell: Cell) -> bool:
    """Does a cell tell its reader that it is off the lecture path?"""
    if cell.kind == "code":
        return cell.source.startswith("# Self-study")
    return bool(re.match(r"(?:#+ .*\n+)?\*Self-study\.\*", cell.source))


def exempt(cell: Cell) -> bool:
    """Imports and exercises need not say that nobody reads them out."""
    return "plotting.use_style()" in cell.source or "## Exercises" in cell.source


@of_each
def test_cells_off_the_path_are_marked_for_self_study(lecture: Lecture) -> None:
    before, unmarked = "", []
    for cell in lecture.cells:
        if (
            cell.slide == "skip"
            and before != "skip"
            and not says_self_study(cell)
            and not exempt(cell)
        ):
            unmarked.append(cell.id)
        if cell.slide != "skip":
            assert not says_self_study(cell), f"{cell.id} is on the path"
        before = "" if exempt(cell) else cell.slide
    assert unmarked == []


# ---- said and true


@pytest.mark.parametrize("claim", ledger(NOTEBOOKS), ids=lambda claim: claim["id"])
def test_a_claim_is_asserted_below_its_sentence(claim: dict[str, str]) -> None:
    cells, tag = LECTURES[claim["notebook"]].cells, f"claim-{claim['id']}"
    (at,) = (k for k, cell in enumerate(cells) if tag in cell.tags)
    assert cells[at].id == tag, "so that links find it"
    assert asserts.asserts(cells[at].source)
    before = cells[max(0, at - 4) : at]  # small cells may prepare it
    above = next(cell.source for cell in before[::-1] if cell.kind == "markdown")
    begins = FORMS[claim["verdict"]].format(claim["id"])
    quoted = [quote for quote in quotes(above) if quote.startswith(begins)]
    assert quoted, f"{begins} … does not stand above its cell."
    if claim["verdict"] == "wrong as written":
        assert re.search(r"~~.+~~", quoted[0], re.DOTALL), "What is false is not struck through."


def quotes(source: str) -> list[str]:
    return re.findall(r"^>.*(?:\n>.*)*", source, re.M)


@of_each
def test_every_quotation_is_a_claim_or_a_theorem(lecture: Lecture) -> None:
    known = re.compile(
        r"> \*\*(?:Theorem\*\*|Claim [A-Z]\d+\*\*|(?:Holds if|Refuted as written)\*\* · \*\*Claim )"
    )
    strange = [
        quote
        for cell in lecture.cells
        if cell.kind == "markdown"
        for quote in quotes(cell.source)
        if not known.match(quote)
    ]
    assert strange == []


# ---- predictions


@of_each
def test_a_prediction_has_one_form_and_a_folded_answer(lecture: Lecture) -> None:
    asked = False
    for cell in lecture.cells:
        if cell.kind == "markdown":
            assert not asked, f"{cell.id}: the prediction before it has no answer"
            asked = "predict" in cell.tags
            says = bool(PREDICT.search(cell.source))
            assert asked == says, f"{cell.id}: tag a cell `predict` if it says *Predict first*"
            wrong = re.findall(r"\*\*Predict[^*]*\*\*", cell.source)
            assert set(wrong) <= {"**Predict first.**", "**Predict.**"}
        elif "answer" in cell.tags:
            asked = False
    assert not asked


@of_each
def test_a_prediction_can_be_compared_with_what_is_true(lecture: Lecture) -> None:
    """An ``Answer`` is shown by the cells that answer, or a widget asks, before the next text."""
    at = {cell.id: k for k, cell in enumerate(lecture.cells)}
    widgets = {cell.id for cell in lecture.cells if "predict-explorer" in cell.tags}
    for question in lecture.questions:
        start = at[question.asked.id] + 1
        stop = next(k for k, cell in enumerate(lecture.cells) if k >= start and cell.kind != "code")
        asked = widgets & {cell.id for cell in lecture.cells[start:stop]}
        assert question.truths or asked, f"{question.asked.id}: nothing tells how far off one is"


@of_each
def test_an_answer_is_short_and_computed(lecture: Lecture) -> None:
    for question in lecture.questions:
        for truth in question.truths:
            assert len(truth["ask"] + truth["truth"]) < 100, "one line of a slide"
        for cell in question.cells:
            for call in ast.walk(ast.parse(cell.source)):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Answer":
                    assert not isinstance(call.args[1], ast.Constant), ast.unparse(call)


# ---- exercises and solutions


def exercises(lecture: Lecture) -> list[str]:
    (text,) = (cell.source for cell in lecture.cells if "## Exercises" in cell.source)
    return re.findall(r"^\d\. \*\*\w+\.\*\*", text.partition("## Exercises")[2], re.M)


@of_each
def test_there_are_four_exercises(lecture: Lecture) -> None:
    assert len(exercises(lecture)) == 4
    assert "## What to take away" in "".join(cell.source for cell in lecture.cells)
    assert "**One limitation.**" in "".join(cell.source for cell in lecture.cells)


@of_each
def test_every_exercise_and_prediction_is_solved(lecture: Lecture) -> None:
    solved = Lecture(SOLUTIONS / f"{lecture.name}.ipynb")
    assert solved.title == f"Solutions to {lecture.title}"
    headings = [text for _, level, text in solved.headings if level == 2]
    assert headings == ["Warm-up", *(f"Exercise {k}" for k in range(1, 5)), "Predictions"]
    (*_, (_, parts)) = solved.sections()
    text = "\n".join(source for cell, source in parts if cell.kind == "markdown")
    answered = re.findall(r"^(?:\d+\. |- )?\*\*(.+?)\.?\*\*", text, re.M)
    assert answered == list(predictions(lecture))


def test_the_opening_has_slides_and_solutions_too() -> None:
    (opening,) = (one for one in LECTURES.values() if one.number == "00")
    assert {cell.slide for cell in opening.cells} <= SLIDES
    solved = Lecture(SOLUTIONS / f"{opening.name}.ipynb")
    assert solved.title == f"Solutions to {opening.title}"
    headings = [text for _, level, text in solved.headings if level == 2]
    assert headings == [f"Exercise {k}" for k in range(1, 1 + len(exercises(opening)))]


def predictions(lecture: Lecture) -> Iterator[str]:
    """Yield the heading over each prediction, in order."""
    heading = lecture.title
    for cell in lecture.cells:
        if cell.kind == "markdown":
            for piece in split_at_headings(cell.source, levels=(1, 2, 3)):
                found = re.match(r"#+ (.+)", piece)
                heading = found[1].strip().rstrip(".") if found else heading
                yield from (heading for _ in PREDICT.findall(piece))


# ---- what tells the site, the book and the slides what a cell is


@of_each
def test_goals_and_exercises_are_in_cells_that_say_so(lecture: Lecture) -> None:
    for tag, words in (("goals", "**After it you can**"), ("exercises", "## Exercises")):
        tagged = [cell.id for cell in lecture.cells if tag in cell.tags]
        said = [cell.id for cell in lecture.cells if words in cell.source]
        assert tagged == said, f"the cell with {words!r} needs the tag `{tag}`, and no other"
        assert len(tagged) == 1


@of_each
def test_the_words_of_an_answer_are_folded_with_it(lecture: Lecture) -> None:
    """The text after an answer begins with its words, unless with a heading or a quotation."""
    for question in lecture.questions:
        at = lecture.cells.index(question.cells[-1]) + 1
        after = next(cell for cell in lecture.cells[at:] if cell.kind == "markdown")
        answers = not after.source.startswith(("#", ">"))
        assert ("said" in after.tags) == answers, f"{after.id}: tag it `said` if it answers"


@of_each
def test_code_that_only_draws_or_shows_an_explorer_is_folded(lecture: Lecture) -> None:
    serves = re.compile(r"plotting\.(?:show|use_style)\(|\bexplorers\.")
    for cell in lecture.cells:
        if cell.kind == "code" and serves.search(cell.source):
            assert cell.plumbing, f"{cell.id}: give it the tag `hide-input`"
        if "explorer" in cell.tags:
            last = cell.source.splitlines()[-1]
            assert last.isidentifier(), f"{cell.id} has the tag `explorer` and shows {last!r}"


# ---- code that a student can read


@of_each
def test_a_typical_cell_has_five_lines(lecture: Lecture) -> None:
    lines = (cell.source.splitlines() for cell in lecture.cells if cell.kind == "code")
    lengths = [sum(bool(line.strip()) for line in cell) for cell in lines]
    assert statistics.median(lengths) <= 5


def rebound(sources: list[str]) -> list[str]:
    """Return a sentence for each name that would be another one if a cell were run again."""
    binders, readers = (list(map(look, sources)) for look in (names.bound, names.taken))
    found = []
    for name in sorted(set().union(*binders)):
        made = [k for k, known in enumerate(binders, start=1) if name in known]
        used = [k for k, known in enumerate(readers, start=1) if name in known]
        if used and (len(made) > 1 or made[0] in used):
            found.append(f"{name} is bound in cells {made} and read in {used}")
    return found


@of_each
def test_running_a_cell_twice_changes_nothing(lecture: Lecture) -> None:
    """A name that one cell takes from another is bound once."""
    assert rebound([cell.source for cell in lecture.cells if cell.kind == "code"]) == []
    assert rebound(["x = 1", "x += 1"]) == ["x is bound in cells [1, 2] and read in [2]"]


@pytest.mark.parametrize("lecture", LECTURES.values(), ids=LECTURES)
def test_the_path_uses_no_name_of_a_self_study_cell(lecture: Lecture) -> None:
    path: set[str] = set()
    aside: dict[str, str] = {}
    borrowed = []
    for cell in lecture.cells:
        if cell.kind != "code":
            continue
        if cell.slide == "skip" and not exempt(cell):
            aside |= dict.fromkeys(names.bound(cell.source), cell.id)
            continue
        missing = names.taken(cell.source) - path
        borrowed += [f"{cell.id} takes {name} from {aside[name]}" for name in missing & set(aside)]
        path |= names.bound(cell.source)
    assert sorted(borrowed) == []


@of_each
def test_the_algorithm_is_not_clever(lecture: Lecture) -> None:
    """No cell assigns three things at once, or zips what was zipped."""
    for cell in lecture.cells:
        if cell.kind == "code":
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                    several = isinstance(node.value, ast.Tuple) and len(node.value.elts) > 2
                    assert not several, f"{cell.id}: {ast.unparse(node)}"
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "zip":
                    inner = [
                        ast.unparse(n.func)
                        for a in node.args
                        for n in ast.walk(a)
                        if isinstance(n, ast.Call)
                    ]
                    assert "zip" not in inner, f"{cell.id}: {ast.unparse(node)}"


# ---- figures


@pytest.mark.parametrize("lecture", LECTURES.values(), ids=LECTURES)
def test_no_figure_is_cut_off(lecture: Lecture) -> None:
    """A legend or a label that reaches the edge of the picture has lost a part."""
    for cell in lecture.cells:
        for figure in lecture.figures(cell):
            grey = imread(BytesIO(figure.png))[..., :3].mean(axis=2)
            edge = [*grey[0], *grey[-1], *grey[:, 0], *grey[:, -1]]
            assert min(edge) > 0.8, f"{cell.id}: something reaches the edge of the picture"
