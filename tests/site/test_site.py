"""The site: complete, whole, the same twice, and readable by everyone in a real browser.

It is built once for all tests here. Those that need a browser look at one page of each kind;
``SITE_PAGES=all`` makes them look at every page.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from PIL import Image

from lincourse import markup
from lincourse.check.numbers import numbers
from lincourse.check.prose import SMALL
from lincourse.check.values import constants, printed, stands_in
from lincourse.paths import PAGES
from lincourse.publish import (
    animation,
    claims_pages,
    guide,
    in_page,
    lectures,
    pages,
    recordings,
)
from linlib import explorers
from linlib.explorers.kit.points import Stepper

ROOT = Path(__file__).resolve().parents[2]
WHOLE = os.environ.get("SITE_PAGES") == "all"
NAMES = [one.name for one in lectures.lectures()]
LINES = 12  # of each solution are looked for on the site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site, built by the command that ``make site`` runs, without npm."""
    out = tmp_path_factory.mktemp("built") / "site"
    made = subprocess.run(
        [sys.executable, "-m", "lincourse", "site", "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": ""},
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert "Explorers are recordings, not live: npm is not on this machine" in made.stdout
    assert not (out / "live").exists()
    return out


class Seen(HTMLParser):
    """What a page holds: ids, links, pictures, and whether its elements are closed in order."""

    VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta"})
    LOOSE = frozenset(("p", "li"))  # HTML closes these by itself
    BLOCKS = frozenset(("p", "div", "ul", "ol", "dl", "table", "pre", "blockquote", "figure"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.pictures: list[dict[str, str | None]] = []
        self.formulas, self.tangled = 0, []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"]] if found.get("id") else []
        self.links += [(tag, found[key] or "") for key in ("href", "src") if key in found]
        self.pictures += [found] if tag == "img" else []
        self.formulas += tag == "math"
        if tag in self.BLOCKS and self.open[-1:] == ["p"]:
            self.open.pop()  # a paragraph ends where a block begins
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and self.open[-1] in self.LOOSE:
            self.open.pop()
        if self.open and self.open[-1] == tag:
            self.open.pop()
        elif tag not in self.VOID:
            self.tangled.append(f"</{tag}> at line {self.getpos()[0]} closes {self.open[-2:]}")


@cache
def seen(path: Path) -> Seen:
    return Seen(path.read_text("utf-8"))


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


def lecture_pages(site: Path) -> Iterator[tuple[lectures.Lecture, str]]:
    for one in lectures.lectures():
        yield one, text_of(site / "lectures" / f"{one.name}.html")


def html(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


# ---------------------------------------------------------------- whole


def test_every_lecture_homework_and_module_has_its_page(site: Path) -> None:
    expected = {f"lectures/{name}.html" for name in NAMES}
    expected |= {f"guide/{name}.html" for name in NAMES}
    expected |= {f"slides/{name}.html" for name in NAMES}
    expected |= {f"homework/{one.name}.html" for one in lectures.templates()}
    parts = (ROOT / "linlib").glob("*/__init__.py")
    expected |= {f"api/linlib.{path.parent.name}.html" for path in parts}
    assert expected <= {path.relative_to(site).as_posix() for path in html(site)}
    for one in [*lectures.lectures(), *lectures.templates()]:
        assert (site / "notebooks" / one.path.name).read_bytes() == one.path.read_bytes()


def test_links_and_anchors_lead_somewhere_inside_the_folder(site: Path) -> None:
    problems = []
    for path in html(site):
        for tag, link in seen(path).links:
            parts = urlsplit(link)
            if parts.scheme:
                if tag != "a" and link != "data:,":  # no icon
                    problems.append(f"{path.name} asks for {link}")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists() or site.resolve() not in [target, *target.parents]:
                problems.append(f"{path.name}: {link} leads nowhere")
            elif parts.fragment and parts.fragment not in seen(target).ids:
                problems.append(f"{path.name}: {link} has no such anchor")
    assert problems == []


def test_elements_are_closed_in_order_and_ids_are_unique(site: Path) -> None:
    problems = []
    for path in html(site):
        page = seen(path)
        problems += [f"{path.name}: {one}" for one in page.tangled + page.open]
        problems += [f"{path.name}: id {id} twice" for id, n in Counter(page.ids).items() if n > 1]
    assert problems == []


def test_every_figure_is_there_with_its_alt_text_and_size(site: Path) -> None:
    listed = {(p["src"], p["alt"]) for p in seen(site / "figures.html").pictures}
    for one in lectures.lectures():
        shown = {p["src"]: p for p in seen(site / "lectures" / f"{one.name}.html").pictures}
        for cell in one.cells:
            for figure in one.figures(cell):
                picture = shown[f"../figures/{figure.name}.png"]
                assert picture["alt"] == figure.alt
                assert len(figure.alt) >= 40
                assert int(picture["width"] or 0) == figure.width
                assert (f"figures/{figure.name}.png", figure.alt) in listed
                assert (site / "figures" / f"{figure.name}.png").read_bytes() == figure.png


def test_every_formula_is_mathml_and_none_is_left_as_tex(site: Path) -> None:
    for one in [*lectures.lectures(), *lectures.templates()]:
        folder = "lectures" if one.number.isdigit() else "homework"
        path = site / folder / f"{one.name}.html"
        worked = lectures.solutions().get(one.name)
        cells = [*one.cells, *(worked.cells[1:] if worked else [])]
        prose = "\n\n".join(cell.source for cell in cells if cell.kind == "markdown")
        text = path.read_text("utf-8")
        article = text[text.index("<article") : text.index("</article>")]
        assert article.count("<math") == markup.markdown(prose).count("<math")
        outside = re.sub(r"<(pre|code)\b.*?</\1>", "", article, flags=re.DOTALL)
        assert not re.search(r"\$[^$\s][^$]*\$|\\(mathbf|frac|cdot)", outside)


def test_claims_are_listed_and_linked_both_ways(site: Path) -> None:
    claims = tomllib.loads((ROOT / "notebooks" / "claims.toml").read_text("utf-8"))["claim"]
    ledger = (site / "claims.html").read_text("utf-8")
    handout = (site / "guide" / "mistakes.html").read_text("utf-8")
    for claim in claims:
        where = f"lectures/{claim['notebook']}.html"
        assert f'href="{where}#claim-{claim["id"]}"' in ledger
        assert f'href="../claims.html#{claim["id"]}"' in (site / where).read_text("utf-8")
        wrong = claim["verdict"] != "holds"
        assert (f'{where}#claim-{claim["id"]}"' in handout) == wrong


def test_every_edit_and_every_unstable_assert_has_its_row(site: Path) -> None:
    checked = claims_pages.checked()
    edits = (site / "falsifiers.html").read_text("utf-8")
    assert edits.count('<tr data-kind="') == len(checked["edits"])
    asserts = (site / "stability.html").read_text("utf-8")
    rows = asserts[asserts.index('<table id="asserts"') :]
    assert rows[: rows.index("</table>")].count("<tr><td>") == len(checked["exceptions"])


def test_the_site_is_as_large_as_it_says(site: Path) -> None:
    text = (PAGES / "howto" / "deploy.md").read_text("utf-8")
    said = int(re.findall(r"The folder holds about (\d+) MB", text)[0])
    size = sum(path.stat().st_size for path in site.rglob("*")) / 1e6
    assert size == pytest.approx(said, rel=0.1)


def test_what_the_lectures_call_has_an_example_in_the_reference(site: Path) -> None:
    """Each function and class that a lecture's code links to is called by its module's examples."""
    text = "".join(text for _, text in lecture_pages(site))
    linked = set(re.findall(r'href="\.\./(api/[\w.]+\.html)#linlib\.[a-z_.]+\.(\w+)"', text))
    assert len(linked) > 70
    parts = {f"api/linlib.{name}.html" for name in ("base", "data", "notebook", "explorers")}
    assert parts <= {page for page, _ in linked}
    plain = re.compile(r"<[^>]+>")
    examples = {
        page: "\n".join(
            re.findall(r"(?:>>>|\.\.\.) .*", unescape(plain.sub("", text_of(site / page))))
        )
        for page, _ in linked
    }
    assert (
        sorted(f"{page} {name}" for page, name in linked if f"{name}(" not in examples[page]) == []
    )


def test_the_reference_names_types_as_the_source_does(site: Path) -> None:
    """What stands for a name inside Sphinx, or an object in memory, tells a reader nothing."""
    pages = sorted((site / "api").glob("*.html"))
    words = {path.name: unescape(re.sub(r"<[^>]+>", "", path.read_text("utf-8"))) for path in pages}
    found = re.compile(r"\w*ForwardRef\([^)]*\)|<\w[^>]* object at 0x\w+>")
    assert [f"{name}: {one}" for name, text in words.items() for one in found.findall(text)] == []
    assert "Iterator[Event]" in words["linlib.perceptron.html"]


def test_answers_and_solutions_are_folded_until_asked_for(site: Path) -> None:
    """One fold for a question, one for an exercise; what answers in words is inside."""
    for one, text in lecture_pages(site):
        assert text.count(" data-answers=") == sum(bool(q.truths) for q in one.questions)
        folds = re.findall(r'<details class="answer" id="answer-([\w-]+)">', text)
        assert all(f'data-opens="#answer-{id}"' in text for id in folds) or one.number == "00"
        first = {question.cells[0].id for question in one.questions if question.cells}
        assert first <= set(folds)
        asked = sum("**Predict first.**" in cell.source for cell in one.cells)
        assert len(one.said) >= 0.8 * asked, "the words below a folded answer give it away"
        for number in range(1, 5):
            assert f"<summary>Solution of exercise {number}</summary>" in text
        assert text.count("<summary>Solution of the warm-up</summary>") == (one.number != "00")


def test_goals_are_folded_and_solutions_stand_below_their_exercise(site: Path) -> None:
    for one, text in lecture_pages(site):
        goals = re.findall(r'<details class="goals">(.*?)</details>', text, re.DOTALL)
        tagged = [cell for cell in one.cells if "goals" in cell.tags]
        assert [("After it you can" in fold, "You need" in fold) for fold in goals] == [
            (True, True) for _ in tagged
        ]
        article = text[text.index("<article") : text.index("</article>")]
        assert article.count("After it you can") == len(tagged)
        exercises = article[article.index('<section id="exercises">') :]
        asked, *rest = re.split(r"<summary>Solution of exercise (\d)</summary>", exercises)
        assert rest[::2] == ["1", "2", "3", "4"]
        assert all('<ol class="arabic' in before for before in [asked, *rest[1:-1:2]])
        for number, inside in zip(rest[::2], rest[1::2], strict=True):
            for cell in worked(one.name, int(number)):
                assert f'id="solution-{cell.id}"' in inside, f"{one.name}: exercise {number}"


def test_a_text_whose_tag_promises_a_list_and_has_none_is_refused() -> None:
    with pytest.raises(ValueError, match="the tag `goals` has no numbered list"):
        pages.first_list([], "goals")


def worked(name: str, number: int) -> list[lectures.Cell]:
    """Return the code that works an exercise of a lecture."""
    begun, found = 0, []
    for cell in lectures.solutions()[name].cells:
        begun += "solution" in cell.tags
        if begun == number and cell.kind == "code":
            found.append(cell)
    return found


def test_plumbing_is_folded_and_can_be_unfolded(site: Path) -> None:
    """Imports and what draws are inside a fold, beside what they draw; nothing is lost."""
    for one, text in lecture_pages(site):
        opened = re.sub(r'<details class="code">.*?</details>', "", text, flags=re.DOTALL)
        shown, every = (set(re.findall(r'class="cell" id="([\w-]+)"', t)) for t in (opened, text))
        code = [cell for cell in one.cells if cell.kind == "code" and not cell.exercise]
        assert {cell.id for cell in code} <= every
        for cell in code:
            assert cell.id not in shown or not cell.plumbing or cell.outputs, cell.id
        assert "use_style" not in re.sub(r"<[^>]+>", "", opened)


def test_no_homework_is_answered_on_the_site(site: Path) -> None:
    """Model answers are looked for line by line, and by the mark of nbgrader."""
    private = [
        lectures.Lecture(path)
        for path in sorted((ROOT / "notebooks" / "homework" / "source").glob("*/*.ipynb"))
    ]
    told = [line for one in private for line in own(one)[:LINES]]
    assert len(private) == len(lectures.templates())
    assert len(told) == LINES * len(private)
    for path in site.rglob("*"):
        if path.suffix in (".html", ".ipynb") or path.name in ("searchindex.js", "texts.js"):
            text = path.read_text("utf-8")
            marks = ["### BEGIN SOLUTION", "### BEGIN HIDDEN TESTS"] * (path.suffix == ".ipynb")
            assert [line for line in [*told, *marks, str(ROOT)] if line in text] == [], path


def own(solution: lectures.Lecture) -> list[str]:
    """Return the lines of a model answer that no student has read, the longest first."""
    lines = (line for cell in solution.cells for line in cell.source.splitlines())
    plain = (re.sub(r"[$*`\[\"'<&].*", "", line).strip() for line in lines)  # markup changes words
    return sorted({line for line in plain if line not in read_by_students()}, key=len)[::-1]


@cache
def read_by_students() -> str:
    shown = [*lectures.lectures(), *lectures.templates(), *lectures.solutions().values()]
    return "\n".join(cell.source for one in shown for cell in one.cells)


def test_the_same_sources_give_the_same_bytes(site: Path, tmp_path: Path) -> None:
    """Sphinx is not run a second time here: some walks are recorded again, pages are searched."""
    recordings.write(
        tmp_path, [one for one in lectures.lectures() if one.slug in ("margins", "perceptron")]
    )
    again = sorted(path.name for path in tmp_path.iterdir())
    assert len(again) == 14
    for name in again:
        assert (site / "walks" / name).read_bytes() == (tmp_path / name).read_bytes(), name
    # No time of day, no address in memory. The page about grading shows deadlines.
    passing = re.compile(r"\b20\d\d-\d\d-\d\dT?\d\d:\d\d|\bat 0x[0-9a-f]{6}")
    found = [path for path in html(site) if passing.search(path.read_text("utf-8"))]
    assert [path for path in found if path.name != "grade.html"] == []


# ---------------------------------------------------------------- parts


def test_quotations_stand_for_said_true_and_refuted() -> None:
    for words, kind in markup.STANDINGS.items():
        assert f'<blockquote class="{kind}">' in markup.markdown(f"> **{words}** It is so.")
    assert "<s>false <math>" in markup.markdown("> **Refuted as written** ~~false $x$~~")
    assert "<blockquote>" in markup.markdown("> **Some** other words.")


def test_each_standing_has_a_frame_and_a_sign_of_its_own() -> None:
    text = (PAGES / "common.css").read_text("utf-8")
    kinds = set(markup.STANDINGS.values())
    rules = [re.findall(rf"blockquote\.{kind} {{([^}}]*)}}", text)[0] for kind in kinds]
    frames = {re.sub(r"#\w+|var\([^)]*\)", "", rule) for rule in rules}
    signs = re.findall(r'strong:first-child::before { content: "([^"]+)"', text)
    assert len(frames) == len(kinds), "they differ without their colours"
    assert len(set(signs)) == len(kinds)
    assert "blockquote.refuted :is(s, del) math {" in text, "formulas are struck as words are"


def test_a_formula_that_cannot_be_set_is_refused_with_its_source() -> None:
    with pytest.raises(ValueError, match=r"formula: .*nonsense.* cannot be set"):
        markup.set_formula(r"\nonsense{x}")


def test_the_how_to_pages_name_commands_that_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for path in PAGES.rglob("*.md"):
        named = re.findall(r"`make ([a-z]+)", path.read_text("utf-8"))
        assert set(named) <= targets, path


@pytest.mark.parametrize("one", lectures.lectures(), ids=lambda one: one.name)
def test_the_guide_has_notes_for_the_whole_path_and_numbers_of_the_lecture(one: Any) -> None:
    words = guide.notes(one, guide.WRONG)
    slips = re.findall(r"^\d\. \*\*.*", words, re.MULTILINE)
    assert len(slips) == 3
    for slip in slips:
        assert ".ipynb#" in slip, f"link the cell that shows it: {slip}"
    assert guide.notes(one, guide.LATE)
    spoken = {head for head, parts in one.sections() if lectures.minutes(parts)}
    told, known = set(guide.sources()[one.slug]), {text for _, _, text in one.headings}
    assert spoken - {one.title, "Exercises"} <= told, "say or ask something there"
    strays = {head for head in told - known if not head.startswith("Guide to ")}
    assert strays <= set(guide.WHOLE), "the lecture has no such headings"
    assert unfounded(one) == [], "no cell of the section has these numbers"


# A number that is a name.
NAMED = re.compile(r"(homework|exercises?|lectures?|line) \(?\d+\)?( and \d+)?", re.IGNORECASE)


def unfounded(lecture: lectures.Lecture) -> list[str]:
    """Return the numbers of a lecture's guide that do not stand in the section they speak of.

    A number above twelve may stand elsewhere in the lecture, as it is written.
    """
    sections = {head: values(parts) for head, parts in lecture.sections()}
    anywhere = frozenset().union(*sections.values())
    return [
        f"{heading}: {number.excerpt}"
        for heading, words in guide.sources()[lecture.slug].items()
        for number in numbers(NAMED.sub("", words))
        if not (number.spelt and number.value <= SMALL)
        if not stands_in(number, sections.get(heading, anywhere))
        if not (number.value > SMALL and number.value in anywhere)
    ]


def values(parts: list[tuple[lectures.Cell, str]]) -> frozenset[float]:
    """Return the numbers of a section: written, printed or computed with."""
    found: set[float] = set()
    for cell, source in parts:
        if cell.kind == "code":
            shown = [one.get("text") or one.data.get("text/plain", "") for one in cell.outputs]
            found |= constants(cell.source) | printed("\n".join(shown))
        else:
            found |= {number.value for number in numbers(source)}
    return frozenset(found)


def test_every_session_of_a_syllabus_fits_into_its_time() -> None:
    source = (PAGES / "guide" / "syllabi.md").read_text("utf-8")
    sessions = re.findall(r"\{([^{}]+)\}", source)
    named = {part.strip().split(" ")[0] for one in sessions for part in one.split(";")}
    assert named == {one.slug for one in lectures.lectures()}
    assert "Sessions of 90 minutes" in source
    assert [one for one in sessions if not 25 <= guide.session(one) <= 90] == []


def test_a_syllabus_counts_parts_of_lectures() -> None:
    whole = guide.session("perceptron")
    first, rest = "perceptron to The algorithm", "perceptron after The algorithm"
    assert guide.session(f"{first}; {rest}") == pytest.approx(whole)
    assert guide.session("perceptron without What one update does") < whole
    assert guide.session("perceptron at Press Step / XOR never ends") < whole / 2
    for wrong in ("perceptron to Nowhere", "cooking"):
        with pytest.raises(ValueError, match=f"there is no '{wrong}'"):
            guide.session(wrong)


def test_a_number_in_the_guide_that_no_cell_has_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    page = {"XOR never ends": "Ask: how many? Answer: 7391, in lecture 02."}
    monkeypatch.setattr(guide, "sources", lambda: {"perceptron": page})
    (one,) = [one for one in lectures.lectures() if one.slug == "perceptron"]
    (found,) = unfounded(one)
    assert "7391" in found


def test_a_recording_holds_the_steps_of_a_run_with_their_states() -> None:
    scenes = recordings.recording("explorers.PerceptronExplorer()")["scenes"]
    assert len(scenes) == 19, "AND takes 18 updates"
    for scene in scenes:
        again = explorers.PerceptronExplorer()
        again.put(scene["state"])
        assert again.text == scene["text"]


def test_what_a_cell_shows_is_recorded_as_its_notebook_stores_it(site: Path) -> None:
    for one in lectures.lectures():
        for cell in (cell for cell in one.cells if recordings.name_of(one, cell)):
            name = recordings.name_of(one, cell)
            text = (site / "walks" / f"{name}.js").read_text("utf-8")
            found = json.loads(text.partition("] = ")[2].rstrip(";\n"))
            (figure,) = one.figures(cell)
            program = recordings.program(one, cell)
            first = in_page.made(program)
            assert first.text == figure.alt
            assert found["source"] == ("" if "sklearn" in program else program)
            assert (len(found["scenes"]) > 1) == isinstance(first, Stepper), (
                "only runs are recorded"
            )
            page = (site / "lectures" / f"{one.name}.html").read_text("utf-8")
            assert f'data-walk="{name}"' in page


# ---------------------------------------------------------------- in a browser


KINDS = ["index.html", "claims.html", f"lectures/{NAMES[1]}.html"]  # all colours are on these
MORE = ["howto/grade.html", "search.html", "api/linlib.perceptron.html", f"guide/{NAMES[1]}.html"]


def shown_pages(site: Path, *, few: bool = False) -> list[str]:
    every = [path.relative_to(site).as_posix() for path in html(site)]
    return every if WHOLE else KINDS if few else KINDS + MORE


# Of the page, and of the frame in it that would be moved sideways with all that is too wide.
WIDTH = """Math.max(...[...document.querySelectorAll('html, .bd-article-container')].map(
    (one) => one.scrollWidth))"""

# Blocks of code are coloured alike, and axe would look at every word: some of them must do. Of
# formulas it looks at nothing, but would go through every sign.
ALIKE = """some => {
    [...document.querySelectorAll('.highlight')].slice(some).forEach((block) => block.remove());
    document.querySelectorAll('math').forEach((one) => { one.textContent = one.textContent; });
}"""


@pytest.mark.needs("chromium")
def test_pages_fit_a_phone_and_have_no_accessibility_violation(site: Path, page: Any) -> None:
    """In the light, and where colours are at stake in the dark; each page is loaded once."""
    from tests.helpers import browser

    problems = []
    page.on("request", lambda request: problems.append(request.url) if _leaves(request.url) else 0)
    page.on("pageerror", lambda error: problems.append(str(error)))
    for name in shown_pages(site):
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 360, "height": 740})
        page.goto((site / name).as_uri())
        slides = name.startswith("slides/")
        if slides:
            page.wait_for_function("window.deckReady === true")
        wide = page.evaluate(WIDTH)
        problems += [f"{name} is {wide} pixels wide"] * (wide > 360 and not slides)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.evaluate(ALIKE, 10**6 if WHOLE else 12)
        found = browser.violations(page, {})
        if name in shown_pages(site, few=True):
            if not slides:
                in_the_dark(page)
            found += browser.violations(page, {}, runOnly=["color-contrast"])
        problems += [f"{name}: {id}: {where}" for id, where in found]
    assert problems == []


def in_the_dark(page: Any) -> None:
    """Let night fall, and wait until every colour has changed."""
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "document.documentElement.dataset.theme === 'dark'"
        " && document.getAnimations().every((one) => one.playState === 'finished')"
    )


def _leaves(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:"))


@pytest.mark.needs("chromium")
def test_a_prediction_is_told_how_far_off_it_was(site: Path, page: Any) -> None:
    """With the keyboard alone, on a phone; until then the page shows no truth."""
    from tests.helpers import browser

    page.set_viewport_size({"width": 360, "height": 740})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((site / "lectures" / "01-hyperplanes.html").as_uri())
    asked = lectures.Lecture(ROOT / "notebooks" / "01-hyperplanes.ipynb").questions
    boxes = page.locator(".linlib-predict")
    assert boxes.locator("form").count() == sum(bool(one.truths) for one in asked)
    (at,) = (k for k, one in enumerate(asked) if "sixteen labellings" in one.asked.source)
    box, answer = boxes.nth(at), page.locator("#answer-all-lines-count")
    words = page.get_by_text("Fourteen. The two that are missing")
    printed = page.get_by_text("How many of the 16 labellings can lines make? 14")
    assert not words.is_visible()
    assert not printed.is_visible()
    line = box.get_by_label("How many of the 16 labellings can lines make?")
    line.focus()
    page.keyboard.press("Enter")
    assert (
        box.get_by_role("alert").inner_text().startswith("Write a number first: How many of the 16")
    )
    assert line.evaluate("node => node === document.activeElement")
    page.evaluate(ALIKE, 10**6)
    forms = {"include": [[".linlib-predict"]]}
    assert browser.violations(page, forms) == []
    in_the_dark(page)
    assert browser.violations(page, forms, runOnly=["color-contrast"]) == []
    line.fill("10")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    told = box.get_by_role("status")
    assert told.inner_text().endswith("You said 10; it is 14: 4 too low.")
    assert told.evaluate("node => node === document.activeElement"), "it is read out"
    assert answer.evaluate("node => node.open")
    assert words.is_visible()
    assert printed.is_visible()
    assert page.locator("details.answer[open]").count() == 1, "no others"
    first = boxes.first
    first.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert "Choose one: " in first.get_by_role("alert").inner_text(), "all parts are asked for"
    assert page.evaluate(WIDTH) <= 360
    assert problems == []


# A word, the term of the glossary that it leads to, and the number of its lecture.
FOUND = {
    "support vector machine": ("support-vector-machine", "07"),
    "svm": ("SVM", "07"),
    "lda": ("LDA", "08"),
    "softmax": ("softmax", "10"),
    "cross-validation": ("cross-validation", "11"),
    "regularization": ("regularization", ""),
    "accuracy": ("accuracy", ""),
}


@pytest.mark.needs("chromium")
def test_search_and_the_ledger_filter_work_from_files(site: Path, page: Any) -> None:
    """A word leads to its definition first, then to its lecture; both show some of their words."""
    results = page.locator("#search-results li")
    for words, (term, number) in FOUND.items():
        page.goto((site / "search.html").as_uri() + f"?q={words.replace(' ', '+')}")
        first = results.nth(0)
        first.locator("p.context").wait_for(timeout=60_000)
        assert (first.locator("a").get_attribute("href") or "").endswith(f"words.html#term-{term}")
        assert len(first.locator("p.context").inner_text()) > 40, f"{words} is not defined"
        if number:
            second = results.nth(1).locator("a").get_attribute("href") or ""
            assert f"lectures/{number}-" in second, f"{words}: {second}"
    page.goto((site / "claims.html").as_uri())
    rows = page.locator("#ledger tbody tr:not([hidden])")
    every = rows.count()
    page.get_by_label("Verdict").select_option("wrong as written")
    assert 0 < rows.count() < every
    page.get_by_label("Find").fill("XOR nowhere to be found")
    assert rows.count() == 0
    page.goto((site / "falsifiers.html").as_uri())
    page.get_by_label("Find").fill("length of w")
    assert 0 < page.locator("#edits tbody tr:not([hidden])").count() < 20


# Of an article: pixels of code, and of folded code's summaries; pixels of all of it.
CODE = """() => {
  const article = document.querySelector("article");
  const code = [...article.querySelectorAll(".highlight, details.code > summary")];
  const seen = code.filter((one) => one.checkVisibility());
  const high = (one) => one.getBoundingClientRect().height;
  return [seen.reduce((sum, one) => sum + high(one), 0), high(article)];
}"""


# How many screens above the first explorer, or the first prediction that one can make.
TO_TOUCH = """() => Math.min(
    ...[...document.querySelectorAll(".walk, .linlib-predict form")].map(
        (one) => one.getBoundingClientRect().top + scrollY)
) / innerHeight"""
LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}


@pytest.mark.needs("chromium")
def test_a_lecture_page_is_mostly_for_reading_and_prints_whole(site: Path, page: Any) -> None:
    """And there is something to touch within two screens. Each page is loaded once."""
    problems = []
    for name in NAMES:
        page.goto((site / "lectures" / f"{name}.html").as_uri())
        for size in (PHONE, LAPTOP):
            page.set_viewport_size(size)
            screens = page.evaluate(TO_TOUCH)
            late = f"{name}: {screens:.2f} screens of {size} come before something to touch"
            problems += [late] * (screens > 2)
        for kind in ("none", "answer"):
            page.evaluate(f"document.querySelectorAll('.{kind}').forEach(one => one.open = true)")
            code, every = page.evaluate(CODE)
            problems += [f"{name}: {code:.0f} of {every:.0f} pixels are code"] * (3 * code > every)
    page.get_by_role("button", name="Show all code").click()
    assert page.evaluate(CODE)[0] > code
    page.set_viewport_size({"width": 680, "height": 900})  # A4 without its margins
    page.emulate_media(media="print")
    for name in (f"lectures/{NAMES[-1]}", "claims", "falsifiers", "guide/mistakes"):
        page.goto((site / f"{name}.html").as_uri())
        wide = page.evaluate(WIDTH)
        problems += [f"{name} is printed {wide} pixels wide"] * (wide > 680)
    assert problems == []


def test_the_glossary_defines_each_word_and_says_where_it_is_taught(site: Path) -> None:
    text = text_of(site / "words.html")
    glossary = text[text.index('<dl class="simple glossary">') :]
    terms = re.findall(r'<dt id="term-[^"]+">(.*?)<a class="headerlink"', glossary)
    both = {"regularisation", "regularization", "bias", "intercept", "support vector machine"}
    assert both <= set(terms)
    for meaning in re.findall(r"<dd>(.*?)</dd>", glossary, re.DOTALL):
        words = re.sub(r"<a .*?</a>|<[^>]+>", "", meaning)
        assert len(words.split()) >= 6, f"this defines nothing: {words}"
        assert re.search(r'<a [^>]*href="lectures/[\w-]+.html#', meaning), f"taught where? {words}"
    with pytest.raises(ValueError, match="perceptron#cooking: no lecture has this cell"):
        claims_pages.taught("perceptron#cooking")


def test_the_picture_of_the_readme_shows_the_explorer() -> None:
    with Image.open(animation.PATH) as stored:
        for number, fresh in enumerate(animation.frames()):
            stored.seek(number)
            apart = np.abs(np.asarray(stored.convert("RGB"), float) - np.asarray(fresh, float))
            assert np.mean(apart > 40) < 0.01, f"picture {number}: run lincourse animation"
