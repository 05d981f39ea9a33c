"""Alike means the same idea in the same steps, whatever the names; short answers alarm nobody."""

from __future__ import annotations

import inspect

import pytest

import linlib
from lincourse.grader.hidden import questions
from lincourse.grader.inside.render import normal_form
from lincourse.grader.records import Details
from lincourse.grader.scoring import Grading, Options
from lincourse.grader.similar import Looks

PLA = questions("hw1")["q5"].right[0]
OTHER = questions("hw1")["q5"].right[1]
RENAMED = (
    PLA.replace("weights", "gewichte")
    .replace("updates", "n")
    .replace("before", "vorher")
    .replace("    for _", "    # go on until it is clean\n    for _")
    .replace("Z = y[:, None] *", "Z = (y[:, None]\n         *")
    .replace("np.ones(len(y)), X])", "np.ones(len(y)), X]))")
)


@pytest.fixture(scope="module")
def grading(tmp_path_factory: pytest.TempPathFactory) -> Grading:
    return Grading("hw1", tmp_path_factory.mktemp("similar"), Options(sandbox=False))


def looks(grading: Grading, **answers: str) -> Looks:
    found = Looks(grading)
    for student, answer in answers.items():
        found.add(student, Details(answers={"q5": answer}, forms={"q5": normal_form(answer)}))
    return found


def test_names_comments_and_layout_do_not_matter() -> None:
    assert RENAMED != PLA
    assert normal_form(RENAMED) == normal_form(PLA)
    assert normal_form("def f(:") == []


@pytest.mark.slow
def test_a_renamed_copy_is_found_and_another_way_is_not(grading: Grading) -> None:
    hidden = f"table = {list(range(9999))}\n{RENAMED}"  # behind a long list
    pairs = looks(grading, ada=PLA, bob=hidden, eve=OTHER).pairs()
    assert [pair[1:] for pair in pairs] == [("q5", "ada", "bob")]


def test_right_answers_written_differently_are_not_alike(grading: Grading) -> None:
    for label, question in questions("hw1").items():
        found = Looks(grading)
        for k, answer in enumerate(question.right):
            found.add(f"s{k}", Details(answers={label: answer}, forms={label: normal_form(answer)}))
        assert found.pairs() == [], label


def test_short_answers_and_templates_alarm_nobody(grading: Grading) -> None:
    short = "def signed_distances(X, w, w0):\n    return (X @ w + w0) / np.linalg.norm(w)"
    found = Looks(grading)
    stub = next(cell["source"] for cell in grading.cells if cell["id"] == "q2")
    for student in ("ada", "bob"):
        forms = {"q2": normal_form(short), "q5": normal_form(stub)}
        found.add(student, Details(answers={"q2": short, "q5": stub}, forms=forms))
    assert found.pairs() == []


def test_what_half_the_class_wrote_is_what_one_writes(grading: Grading) -> None:
    crowd = {f"s{k}": PLA for k in range(12)}
    assert looks(grading, **crowd).pairs() == []


def test_code_of_the_library_is_named(grading: Grading) -> None:
    copied = inspect.getsource(linlib.signed_rows).replace("X", "points")
    found = looks(grading, ada=copied, bob=OTHER)
    assert [(who, label) for who, label, _ in found.borrowed] == [("ada", "q5")]


def test_the_page_shows_two_answers_beside_each_other_as_text(grading: Grading) -> None:
    evil = RENAMED + "\nx = '<script>alert(1)</script>'\n"
    found = looks(grading, ada=PLA, bob=evil)
    page = found.page(found.pairs())
    assert "not a verdict" in page
    assert "gewichte" in page
    assert "<script" not in page
