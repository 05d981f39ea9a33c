"""The marking page in a browser: offline, by keyboard, and nothing of a student's runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from lincourse.grader import pages
from lincourse.grader.report import mark_key, read_marks
from lincourse.grader.scoring import Grading, Options
from tests.helpers import browser

EVIL = "=1+1 <script>document.title = 'ran'</script>"


def rows() -> list[dict[str, str]]:
    common = {"question": "q6", "points": "", "of": "3", "comment": ""}
    return [
        {
            **common,
            "student": "ada",
            "answer": EVIL,
            "html": f"<p>x</p><pre class='raw'>another</pre>{EVIL}",  # as if it got in
        },
        {
            **common,
            "student": "bob",
            "answer": 'He said "0", then\nleft.',
            "html": "<p>He said</p>",
        },
    ]


@pytest.fixture(scope="module")
def page_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    return pages.marking(
        Grading("hw1", tmp_path_factory.mktemp("m"), Options(sandbox=False)), rows()
    )


def test_the_page_keeps_rubric_answer_and_points_together(page_text: str) -> None:
    assert page_text.count("<article") == 2
    assert page_text.count("the product with label 0 is always 0") == 2, "the rubric, in each"
    assert "http://" not in page_text.replace("http://www.w3.org/1998/Math/MathML", "")
    assert "default-src 'none'" in page_text


@pytest.mark.needs("chromium")
def test_a_class_is_marked_with_the_keyboard_alone(page_text: str, tmp_path: Path) -> None:
    path = tmp_path / "written.html"
    path.write_text(page_text, encoding="utf-8")
    asked: list[str] = []
    with sync_playwright() as playwright:
        chromium = browser.chromium(playwright)
        page = chromium.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        assert page.title() == "hw1: written answers", "a student's script did not run"
        assert page.locator("#status").inner_text() == "0 of 2 marked"
        page.keyboard.press("a")  # the first two lines of the rubric
        page.keyboard.press("b")
        page.keyboard.press(".")
        page.keyboard.press("j")
        page.keyboard.press("9")  # more than there is
        page.keyboard.press("c")
        page.keyboard.type("Why j? =2")
        page.keyboard.press("Escape")
        assert "2 of 2 marked, kept in this browser" in page.locator("#status").inner_text()
        for _ in range(50):  # as after a crash, once the browser has written its storage
            page.reload()
            if "2 of 2 marked, kept in this browser" in page.locator("#status").inner_text():
                break
            page.wait_for_timeout(100)
        else:
            pytest.fail("the marks are not kept")
        page.locator("#anonymous").check()
        assert not page.get_by_text("ada").is_visible()
        assert page.get_by_role("heading", name="Answer 1").is_visible()
        page.locator("article").last.evaluate("one => one.style.paddingBottom = '300vh'")
        assert page.evaluate("scrollTo(0, 1200), scrollY") > 600
        assert page.locator(".model").first.is_visible()
        box = page.locator(".model").bounding_box()
        assert -1 <= box["y"] <= 1, "the model stays in sight"
        page.locator("article").first.focus()
        with page.expect_download() as download:
            page.keyboard.press("s")
        download.value.save_as(tmp_path / "written.csv")
        assert page.locator("#status").inner_text() == "2 of 2 marked"
        chromium.close()
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    marks = read_marks(tmp_path / "written.csv")
    ada, bob = (marks[mark_key(row["student"], "q6", row["answer"])] for row in rows())
    assert ada["points"] == "2.5"
    assert ada["answer"] == f"'{EVIL}", "no formula for a spreadsheet"
    assert (bob["points"], bob["comment"]) == ("3", "Why j? =2")
    assert bob["answer"] == rows()[1]["answer"]
