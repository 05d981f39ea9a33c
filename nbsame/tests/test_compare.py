"""The comparison alone: what counts as the same, what does not, and what is said of it."""

from __future__ import annotations

import base64
import io
import re

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbsame.comparison import side_by_side
from nbsame.normalise import TABLE
from nbsame.notebook import WIDGET, merged
from nbsame.refresh import keep_stored
from PIL import Image

from nbsame import Rules, compare, pictures

EXACT = Rules(table={})


def printed(text: str, name: str = "stdout") -> NotebookNode:
    return new_output("stream", name=name, text=text)


def result(text: str, **data: object) -> NotebookNode:
    forms = {mime.replace("_", "/"): content for mime, content in data.items()}
    return new_output("execute_result", data={"text/plain": text, **forms})


def figure(png: str) -> NotebookNode:
    return new_output("display_data", data={"image/png": png, "text/plain": "<Figure size 4x3>"})


def error(name: str, text: str) -> NotebookNode:
    return new_output("error", ename=name, evalue=text, traceback=["somewhere"])


def png(pixels: int = 0, level: int = 0, size: tuple[int, int] = (40, 30), **options: int) -> str:
    """Return a black picture in which this many pixels have this level in one channel."""
    picture = Image.new("RGBA", size, (0, 0, 0, 255))
    for k in range(pixels):
        picture.putpixel((k % size[0], k // size[0]), (0, level, 0, 255))
    file = io.BytesIO()
    picture.save(file, "PNG", **options)
    return base64.b64encode(file.getvalue()).decode()


def table(*rows: tuple[object, ...], style: str = "") -> NotebookNode:
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    html = style + "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
    return result("a table", text_html=html)


def kinds(stored: NotebookNode, fresh: NotebookNode, source: str = "") -> list[str]:
    return [one.kind for one in compare([stored], [fresh], source)]


# ---------------------------------------------------------------- what is the same to a reader

SAME = {
    "colours": (printed("\x1b[31mred\x1b[0m"), printed("red"), ""),
    "progress": (printed("50%|##  | 1/2 [00:01<00:01]\ndone"), printed("done"), ""),
    "timings": (printed("Wall time: 3 ms"), printed("Wall time: 9.5 s"), "%time f()"),
    "dates": (result("2024-01-31"), result("2026-11-19"), "date.today()"),
    "addresses": (result("<f at 0x7f1234567890>"), result("<f at 0x7fabcdefabcd>"), ""),
    "paths": (
        printed("/usr/lib/python3/site-packages/x.py:1: odd"),
        printed("/opt/venv/site-packages/x.py:1: odd"),
        "",
    ),
    "identifiers": (
        result("9f1c2d3e-0000-4000-8000-0123456789ab"),
        result("00000000-1111-4222-8333-444444444444"),
        "",
    ),
    "handles": (
        result("[<matplotlib.lines.Line2D at 0x7f1234567890>]"),
        result("[<matplotlib.lines.Line2D object at 0x7f00aa00bb>]"),
        "",
    ),
    "scalars": (result("0.5"), result("np.float64(0.5)"), ""),
    "unordered": (result("{'b', 'a'}"), result("{'a', 'b'}"), ""),
    "installers": (printed("Collecting numpy\nok\n"), printed("ok\n"), "!pip install numpy"),
    "line-ends": (printed("one  \ntwo\n\n"), printed("one\ntwo"), ""),
    "near": (result("0.30000000000000004"), result("0.3"), ""),
    "space": (result("[1.,  2.]"), result("[1., 2.]"), ""),
    "one-form": (result("x 1", text_latex="$x$"), result("x 2", text_latex="$x$"), ""),
    "cells-of-html": (table(("a", 1)), table(("a", 1), style="<style>td {}</style>"), ""),
    "estimators": (
        result("SVC()", text_html='<div id="sk-1" class="sk-top-container">old</div>'),
        result("SVC()", text_html='<div id="sk-2" class="sk-top-container">new</div>'),
        "",
    ),
}


def test_every_normaliser_has_an_example() -> None:
    assert SAME.keys() == TABLE.keys()


@pytest.mark.parametrize("name", SAME)
def test_a_normaliser_takes_two_outputs_for_the_same_and_can_be_switched_off(name: str) -> None:
    stored, fresh, source = SAME[name]
    assert compare([stored], [fresh], source) == []
    without = {other: rule for other, rule in TABLE.items() if other != name}
    assert compare([stored], [fresh], source, rules=Rules(table=without)) != []


@pytest.mark.parametrize("name", SAME)
def test_nothing_is_taken_for_the_same_without_normalisers(name: str) -> None:
    stored, fresh, source = SAME[name]
    assert compare([stored], [fresh], source, rules=EXACT) != []
    assert compare([stored], [stored], source, rules=EXACT) == []


# ---------------------------------------------------------------- what is not

CHANGED = {
    "a digit": (printed("mean 0.5001\n"), printed("mean 0.5000\n"), "number"),
    "an integer beyond rtol": (result("10000001"), result("10000000"), "number"),
    "a word": (printed("it holds"), printed("it fails"), "text"),
    "white space that was printed": (printed("* *"), printed("**"), "text"),
    "a duration that no clock made": (printed("takes 3 s"), printed("takes 4 s"), "number"),
    "a date that nobody asked for": (result("1999-01-01"), result("1999-01-02"), "number"),
    "an element of a set": (result("{1, 2}"), result("{1, 3}"), "number"),
    "a cell of a table": (table(("a", 1), ("b", 2)), table(("a", 1), ("b", 3)), "number"),
    "a word in a table": (table(("a", "x")), table(("a", "y")), "table"),
    "a row of a table": (table(("a", 1)), table(("a", 1), ("b", 2)), "table"),
    "a picture": (figure(png()), figure(png(9, 255)), "picture"),
    "the size of a picture": (figure(png()), figure(png(size=(41, 30))), "picture"),
    "no picture": (figure(png()), result("4"), "other form"),
    "print or result": (printed("4"), result("4"), "other form"),
    "an error": (printed("4"), error("KeyError", "'a'"), "raises"),
    "no error": (error("KeyError", "'a'"), printed("4"), "raises no more"),
    "another error": (error("KeyError", "'a'"), error("TypeError", "'a'"), "other error"),
    "another message": (error("KeyError", "'a'"), error("KeyError", "'b'"), "other error"),
    "a warning": (printed("old", "stderr"), printed("new", "stderr"), "stderr"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_changed_is_told(name: str) -> None:
    stored, fresh, kind = CHANGED[name]
    assert kind in kinds(stored, fresh)
    assert compare([fresh], [fresh], "") == []


def test_an_output_more_or_less_or_elsewhere_is_told() -> None:
    one, two = printed("1"), result("2")
    assert [d.kind for d in compare([one, two], [one], "")] == ["missing output"]
    assert [d.kind for d in compare([one], [one, two], "")] == ["new output"]
    assert [d.kind for d in compare([one, two], [two, one], "")] == ["other order"]


def test_pictures_that_do_not_count_are_not_compared() -> None:
    stored, fresh, _ = CHANGED["a picture"]
    assert compare([stored], [fresh], "", rules=Rules(pictures=False)) == []


@pytest.mark.parametrize(
    ("stored", "fresh", "says"),
    [
        (
            printed("first\nmean 0.5001\n"),
            printed("first\nmean 0.5000\n"),
            r"output 1 \(stdout\), line 2: now 0.5000, stored 0.5001",
        ),
        (
            table(("fruit", "grams"), ("pear", 880), ("plum", 9)),
            table(("fruit", "grams"), ("pear", 878), ("plum", 9)),
            r"output 1, row 'pear', column grams: now '878', stored '880'",
        ),
        (
            printed("64, then 1,234 of 7"),
            printed("62, then 1,235 of 7"),
            r"now 62, stored 64 \(2 of 3 numbers\); the line is '62, then 1,235 of 7'",
        ),
        (figure(png()), figure(png(9, 255)), r"figure 1: 9 pixels \(0.75%\) differ by more than"),
        (figure(png()), figure(png(size=(41, 30))), "figure 1: now 41 × 30 pixels, stored 40 × 30"),
        (error("KeyError", "'a'"), printed("4"), "now raises nothing, stored \"KeyError: 'a'\""),
        (printed("a " * 400 + "b"), printed("a " * 400 + "c"), "now '….* a c', stored '….* a b'"),
    ],
)
def test_a_difference_says_where_it_is_what_is_now_and_what_is_stored(
    stored: NotebookNode, fresh: NotebookNode, says: str
) -> None:
    found = [str(one) for one in compare([stored], [fresh], "")]
    assert any(re.search(says, one) for one in found), found
    assert all(len(one) < 500 and "\n" not in one for one in found)


def test_a_clock_in_another_cell_hides_durations_and_nothing_else() -> None:
    stored, fresh = printed("took 3 s, mean 0.5"), printed("took 4 s, mean 0.5")
    assert compare([stored], [fresh], "show()") != []
    clock = "start = time.perf_counter()"
    assert compare([stored], [fresh], "show()", notebook=clock) == []
    other = printed("took 4 s, mean 0.6")
    assert compare([stored], [other], "show()", notebook=clock) != []


# ---------------------------------------------------------------- pictures and parts


@pytest.mark.parametrize(
    ("pixels", "level", "same"),
    [(0, 0, True), (2, 255, True), (3, 255, False), (300, 25, True), (300, 26, False)],
)
def test_pictures_are_the_same_up_to_the_stated_tolerance(
    pixels: int, level: int, same: bool
) -> None:
    assert (pictures.difference(png(), png(pixels, level)) is None) == same


def test_what_is_no_picture_is_told() -> None:
    for spoiled in ("not base64", base64.b64encode(b"not a picture").decode(), png()[:40]):
        assert pictures.difference(spoiled, png()) == "cannot be read as a picture"
        assert pictures.side_by_side(spoiled, png()) is None


def test_stored_fresh_and_difference_stand_side_by_side() -> None:
    sheet = pictures.side_by_side(png(), png(1, 255))
    assert sheet is not None
    assert sheet.size == (3 * 40 + 2 * pictures.GAP, 30)
    stored, fresh, changed = (sheet.getpixel((k * (40 + pictures.GAP), 0)) for k in range(3))
    assert (stored[1], fresh[1], changed[1]) == (0, 255, 0)


def test_refresh_keeps_the_stored_bytes_of_a_picture_that_looks_the_same() -> None:
    stored, same, other = (
        figure(picture) for picture in (png(5, 255), png(5, 255, compress_level=0), png(50, 255))
    )
    assert keep_stored([stored], [same], "", Rules()) == [stored] != [same]
    assert keep_stored([stored], [other], "", Rules()) == [other]
    assert keep_stored([], [other], "", Rules()) == [other]


def test_only_neighbouring_writes_to_one_stream_are_joined() -> None:
    one, two, three = map(printed, "123")
    between = result("between")
    assert merged([one, two, between, three]) == [printed("12"), between, three]
    assert one.text == "1"


def test_random_widget_ids_are_no_difference_but_other_content_is() -> None:
    stored, fresh, other = (
        new_output("display_data", data={WIDGET: {"model_id": k}, "text/plain": text})
        for k, text in ((1, "IntSlider(value=7)"), (2, "IntSlider(value=7)"), (2, "IntSlider()"))
    )
    for rules in (EXACT, Rules()):
        assert compare([stored], [fresh], "", rules=rules) == []
        assert compare([stored], [other], "", rules=rules) != []


def test_a_still_picture_stands_for_a_live_view_but_plain_text_does_not() -> None:
    live = figure(png())
    live.data[WIDGET] = {"model_id": "5"}
    assert compare([figure(png())], [live], "") == []
    widget = new_output("display_data", data={WIDGET: {}, "text/plain": "IntSlider()"})
    text = new_output("display_data", data={"text/plain": "IntSlider()"})
    assert compare([text], [widget], "", rules=EXACT) != []


def test_html_stands_for_the_live_view_beside_it() -> None:
    html = {"text/html": "<p>still</p>", "text/plain": "still"}
    stored = new_output("display_data", data=html)
    live = new_output("display_data", data=html | {WIDGET: {"model_id": "5"}})
    assert compare([stored], [live], "", rules=EXACT) == []
    other = new_output("display_data", data=html | {"text/html": "<p>moved</p>"})
    assert compare([other], [live], "", rules=EXACT) != []


def test_a_long_output_is_shown_around_the_first_difference() -> None:
    lines = [f"line {k}" for k in range(100)]
    stored, fresh = (
        [printed("\n".join([*lines[:60], f"mean {value}", *lines[61:]]))]
        for value in ("0.5001", "0.5000")
    )
    shown = side_by_side(stored, fresh)
    mark = "?           ^"
    assert f"\n- mean 0.5001\n{mark}\n+ mean 0.5000\n{mark}\n" in shown
    assert len(shown.splitlines()) <= 35
