"""Marking by hand: an assistant's evening at the page, and what the student reads afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from lincourse.grader import RefusedError, pages
from lincourse.grader.marks import QUEUE, Again, MarkError, mark_key, read_mark, read_marks
from lincourse.grader.records import Details, Record, put_table, read_table
from lincourse.grader.report import Grade, enter_marks
from lincourse.grader.rubric import Line, Written, written_questions
from lincourse.grader.scoring import Grading, Options
from tests.helpers import browser

EVIL = "=1+1 <script>document.title = 'ran'</script>"
EMPTY = dict.fromkeys(("points", "met", "comment", "asked", "before", "instead", "empty"), "")
THREE = Written("", "", tuple(Line(points, f"line {points}") for points in (1.0, 1.0, 2.0)))


def row(student: str, answer: str, **more: str) -> dict[str, str]:
    """Return one answer to hw1 q6, as the marking page is given it."""
    known = {"student": student, "name": student.title(), "question": "q6", "of": "3"}
    return EMPTY | known | {"answer": answer, "html": f"<p>{answer[:20]}</p>"} | more


CLASS = [
    # as if it got in
    row("ada", EVIL, html=f"<p>x</p><pre class='raw'>another</pre>{EVIL}"),
    row("bob", 'He said "0", then\nleft.'),
    row("cyd", '"quoted", first'),
    row("dan", "", empty="empty", html=""),
    row("eve", "", empty="empty", html="<p>a plot</p>"),
]


@pytest.fixture(scope="module")
def grading(tmp_path_factory: pytest.TempPathFactory) -> Grading:
    return Grading("hw1", tmp_path_factory.mktemp("m"), Options(sandbox=False))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = browser.chromium(playwright)
        yield opened
        opened.close()


class Assistant:
    """Somebody with a browser of their own, at the marking page."""

    def __init__(self, chromium: Browser, path: Path) -> None:
        self.asked: list[str] = []
        self.page: Page = chromium.new_context(viewport={"width": 1366, "height": 768}).new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    @property
    def status(self) -> str:
        return self.page.locator("#status").inner_text()

    @property
    def note(self) -> str:
        return self.page.locator("article.now .note").inner_text()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def go_to(self, student: str) -> None:
        """Go to a card with the keys alone."""
        cards = self.page.locator("article").all()
        order = [card.get_attribute("data-student") for card in cards]
        self.press(*["k"] * len(order), *["j"] * order.index(student))
        assert self.page.locator("article.now").get_attribute("data-student") == student

    def comment(self, text: str) -> None:
        self.press("c")
        self.page.keyboard.type(text)
        self.press("Escape")

    def save(self, path: Path) -> Path:
        with self.page.expect_download() as download:
            self.press("s")
        download.value.save_as(path)
        return path

    def open(self, path: Path) -> None:
        """Ask for a file by its key, then give it: without windows Chromium may open no dialog."""
        self.page.evaluate(
            "() => { document.querySelector('#file').onclick = () => { window.asked = true } }"
        )
        self.press("o")
        assert self.page.evaluate("window.asked === true"), "the key o did not ask for a file"
        self.page.locator("#file").set_input_files(path)

    def reload(self, status: str) -> None:
        """Load the page again until it says this: a browser writes its storage a little later."""

        def reloaded() -> bool:
            self.page.reload()
            self.page.wait_for_timeout(200)
            return self.status == status

        self.page.wait_for_timeout(500)
        browser.until(reloaded, lambda: f"after a reload it says {self.status!r}, not {status!r}")


@pytest.fixture
def place(grading: Grading, tmp_path: Path) -> Path:
    path = tmp_path / "written.html"
    path.write_text(pages.marking(grading, CLASS), encoding="utf-8")
    return path


UNSAVED = ", kept in this browser, not in a file yet"


@pytest.mark.needs("chromium")
def test_a_class_is_marked_with_the_keyboard_alone(
    chromium: Browser, place: Path, tmp_path: Path
) -> None:
    ada = Assistant(chromium, place)
    assert ada.page.title() == "hw1: written answers", "a student's script did not run"
    assert ada.status == "0 of 5 marked"

    ada.go_to("ada")
    ada.press("1", "2", "1", "3")  # the first one taken back
    assert ada.page.locator("article.now .points").input_value() == "2", "the sum of the lines"
    ada.go_to("bob")
    ada.press("a", "p")
    ada.page.keyboard.type("9")
    ada.press("Escape")
    assert ada.note == "not a number from 0 to 3"
    assert ada.status == f"1 of 5 marked, 1 to mend{UNSAVED}"
    ada.press("p")
    ada.page.keyboard.type("2,5")
    ada.press("Escape")
    assert ada.note == "by hand, and the lines make 3: say in a comment why"
    ada.comment("Why j? =2")
    assert ada.note == "by hand; the lines make 3"
    ada.press("3")
    assert ada.page.locator("article.now .points").input_value() == "2,5", "changed by hand"
    ada.press("=")
    assert ada.page.locator("article.now .points").input_value() == "2"

    # an empty answer says so, and is decided like any other
    assert ada.page.locator(".empty").count() == 2
    ada.go_to("cyd")
    ada.press("n")
    assert "Nothing is written here" in ada.page.locator("article.now").inner_text()
    ada.press("x")
    assert ada.status == f"4 of 5 marked{UNSAVED}", "all empty answers, none of the others"
    ada.press("n")
    assert ada.page.locator("article.now").get_attribute("data-student") == "cyd"

    # a comment is used again
    ada.press("1", "r", "1")
    assert ada.page.locator("article.now textarea").input_value() == "Why j? =2"

    ada.reload(f"5 of 5 marked{UNSAVED}")
    lines = ada.page.locator("article[data-student=ada] input:checked")
    assert [line.get_attribute("data-line") for line in lines.all()] == ["2", "3"]

    marks = read_marks(ada.save(tmp_path / "saved.csv"))
    assert ada.status == "5 of 5 marked"
    ada.reload("5 of 5 marked")
    found = {r["student"]: (r["points"], r["met"], r["comment"]) for r in marks.values()}
    assert found == {
        "ada": ("2", "2 3", ""),
        "bob": ("2", "1 2", "Why j? =2"),
        "cyd": ("1", "1", "Why j? =2"),
        "dan": ("0", "", ""),
        "eve": ("0", "", ""),
    }
    for one in CLASS:  # every answer came through the file as it was, and none is a formula
        assert mark_key(one["student"], "q6", one["answer"]) in marks
    assert all(not r["answer"].startswith("=") for r in marks.values())
    outside = [url for url in ada.asked if not url.startswith(("file:", "blob:", "data:"))]
    assert outside == []


@pytest.mark.needs("chromium")
def test_a_second_assistant_goes_on_and_differences_are_decided(
    chromium: Browser, place: Path, tmp_path: Path
) -> None:
    first, second = Assistant(chromium, place), Assistant(chromium, place)
    first.go_to("ada")
    first.press("1")
    first.go_to("bob")
    first.press("a")
    first.comment('Good,\n"very" good.')
    first.go_to("cyd")
    first.press("1")
    second.go_to("bob")
    second.press("1")
    second.go_to("cyd")
    second.press("2")
    second.go_to("dan")
    second.press("0")
    second.open(first.save(tmp_path / "first.csv"))
    merged = f"4 of 5 marked, 2 where the files differ{UNSAVED}"
    browser.until(lambda: second.status == merged, lambda: second.status)
    second.reload(merged)
    second.go_to("ada")
    assert second.page.locator("article.now .points").input_value() == "1", "taken over"
    second.go_to("bob")
    said = second.page.locator("article.now .theirs").inner_text()
    assert '3 of 3, lines 1 2 3, “Good, "very" good.”' in said
    second.press("t")
    second.go_to("cyd")
    second.press("m")
    assert second.status == f"4 of 5 marked{UNSAVED}"
    marks = read_marks(second.save(tmp_path / "both.csv"))
    found = {r["student"]: (r["met"], r["comment"]) for r in marks.values()}
    assert found == {
        "ada": ("1", ""),
        "bob": ("1 2 3", 'Good,\n"very" good.'),
        "cyd": ("2", ""),
        "dan": ("", ""),
    }


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("width", [1366, 390])
def test_question_and_model_answer_stay_in_sight(
    chromium: Browser, place: Path, width: int
) -> None:
    page = Assistant(chromium, place).page
    page.set_viewport_size({"width": width, "height": 768})
    page.reload()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("article").last.evaluate("one => one.scrollIntoView()")
    box = page.locator(".model").bounding_box()
    assert 0 <= box["y"] < 100, "the model answer has left the window"
    assert page.locator(".model").get_by_text("A friend runs your").is_visible() is (width > 600)
    assert page.locator(".model math").count() > 3
    assert page.locator(".rubric math, .model p").count() > 0
    page.get_by_label("hide names").check()
    page.reload()
    assert page.get_by_label("hide names").is_checked(), "the choice is kept"
    assert not page.get_by_text("Ada").is_visible()
    assert page.get_by_role("heading", name="Answer 1 of 5").is_visible()
    assert browser.violations(page, {"include": [["article"], [".bar"], [".model"]]}) == []


def test_no_formula_of_a_rubric_is_left_as_it_was_typed() -> None:
    for homework in ("hw1", "hw2", "hw3", "hw4", "hw5", "hw6", "hw7"):
        for label, question in written_questions(homework).items():
            assert question.rubric, f"{homework} {label} has no rubric"
            assert label.removeprefix("q") in question.question, f"{homework} {label}: which one?"
            for html in (question.model, *(line.html for line in question.rubric)):
                assert "$" not in html, f"{homework} {label}: {html[:200]}"


# ---------------------------------------------------------------- what a mark may be


def mark_row(**given: str) -> dict[str, str]:
    return dict.fromkeys(QUEUE, "") | given


@pytest.mark.parametrize(
    ("given", "points"),
    [
        ({"met": "1 3"}, 3),
        ({"met": "1, 3", "points": "3"}, 3),
        ({"points": "0"}, 0),
        ({"points": "4"}, 4),
        ({"points": "'2,5", "met": "1", "comment": "half of line 3"}, 2.5),
        ({"points": "-", "met": "1"}, None),
        ({"comment": "to be seen"}, None),
    ],
)
def test_points_are_the_sum_of_the_lines_or_explained(
    given: dict[str, str], points: float | None
) -> None:
    mark = read_mark(mark_row(**given), 4.0, THREE)
    assert (mark and mark.points) == points


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"points": "2"}, "tick the lines, or say in a comment why"),
        ({"points": "2", "met": "1"}, r"not the sum of the lines that are met \(1\)"),
        ({"points": "5"}, "points '5' are not a number from 0 to 4"),
        ({"met": "4"}, "met '4' names a line that the rubric does not have: it has 3"),
    ],
)
def test_a_mark_that_nobody_could_understand_is_not_entered(
    given: dict[str, str], said: str
) -> None:
    with pytest.raises(MarkError, match=said):
        read_mark(mark_row(**given), 4.0, THREE)


def feedback(grading: Grading, **given: str) -> str:
    mark = read_mark(mark_row(**given), 3.0, grading.written["q6"])
    points: dict[str, float | None] = {"q6": mark.points if mark else None}
    points = dict.fromkeys(grading.possible, 4.0) | points
    grade = Grade("", Record("ada", "Ada", "x"), points, {"q6": mark} if mark else {})
    return pages.feedback(grading, grade, Details())


def test_the_student_reads_line_by_line_what_was_met(grading: Grading) -> None:
    page = feedback(grading, met="1 3", comment="What is $0\\cdot x$?")
    assert page.count("✓ Met, 1 point: ") == 2
    assert "✗ Not met, 0 of 1 point: the update adds a multiple 0 of the point" in page
    assert "What is <math>" in page
    assert feedback(grading, points="3").count("✓ Met") == 3
    assert feedback(grading, points="0").count("✗ Not met") == 3
    by_hand = feedback(grading, points="1.5", met="1", comment="Half of line 3.")
    assert "The lines that are met make 1 point; the comment says why" in by_hand
    whole = feedback(grading, points="1.5", comment="Half of it.")
    assert "Met" not in whole
    assert whole.count("1 point for: ") == 3
    assert "marked by a person" in feedback(grading, comment="not yet")
    assert "1 point for: " not in feedback(grading, comment="not yet"), "nothing before a decision"


# ---------------------------------------------------------------- a student asks again


def test_a_message_stands_beside_the_old_and_the_new_mark(grading: Grading) -> None:
    question = grading.written["q6"]
    old = mark_row(student="ada", question="q6", answer="0", met="1", comment="And then?")
    marks = {mark_key("ada", "q6", "0"): old}
    Again("ada", "q6", "I said so.", met="1 2").entered(marks, "0", 1.0, 3.0, question)
    (kept,) = marks.values()
    assert [kept[k] for k in ("asked", "before", "points", "met")] == [
        "I said so.",
        "1",
        "2",
        "1 2",
    ]
    assert kept["comment"] == "And then?"
    mark = read_mark(kept, 3.0, question)
    page = feedback(grading, **{k: kept[k] for k in ("points", "met", "asked", "before")})
    assert "You wrote: “I said so.” Before that: 1 of 3 points." in page
    assert mark is not None
    Again("ada", "q6", "Why?", comment="See line 3.").entered(marks, "0", 2.0, 3.0, question)
    (kept,) = marks.values()
    assert [kept[k] for k in ("asked", "before", "points")] == ["Why?", "2", "2"], "the mark stays"
    assert "The mark stays." in feedback(grading, **{k: v for k, v in kept.items() if k in EMPTY})


@pytest.mark.parametrize(
    ("again", "before", "said"),
    [
        (Again("ada", "q6", "x", met="7"), 1.0, "--again: ada q6: met '7' names a line"),
        (Again("ada", "q6", "x", points="2"), 1.0, "say in a comment why"),
        (Again("ada", "q6", "x"), None, "--again: ada q6: it is not marked yet"),
    ],
)
def test_a_decision_that_cannot_be_entered_changes_nothing(
    grading: Grading, again: Again, before: float | None, said: str
) -> None:
    marks: dict[Any, Any] = {}
    with pytest.raises(RefusedError, match=said):
        again.entered(marks, "0", before, 3.0, grading.written["q6"])
    assert marks == {}


def test_a_file_saved_before_somebody_asked_again_forgets_no_message(tmp_path: Path) -> None:
    kept = mark_row(student="ada", question="q6", met="1", answer="0", asked="Why?", before="0")
    put_table(tmp_path / "marks.csv", QUEUE, [kept])
    put_table(tmp_path / "written.csv", QUEUE, [kept | {"met": "1 2", "asked": "", "before": ""}])
    enter_marks(tmp_path)
    (found,) = read_table(tmp_path / "marks.csv")
    assert (found["met"], found["asked"], found["before"]) == ("1 2", "Why?", "0")
