"""Numbers in prose: which there are, where they stand, and how long a wrong one stays wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lincourse.check import accept, outputs, prose
from lincourse.check.language import ENGLISH, GERMAN
from lincourse.check.numbers import numbers
from lincourse.check.values import constants, printed, stands_in
from tests import planted_numbers

# ---------------------------------------------------------------- the numbers of a text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("after 18 updates, 0.16 and 1e-9", ["18", "0.16", "1e-9"]),
        ("20 000 directions, 400 001 points", ["20_000", "400_001"]),
        ("$x_1^2 + \\tfrac12 = 3$", ["3"]),
        ("$10^{-3}$ and $(-4, 3, 2)$", ["10", "4", "3", "2"]),
        ("1. first\n2. the 7 points", ["7"]),
        ("## Exercise 3\n\n## 02 · Perceptron\n\n## Two more", ["Two"]),
        ("[03](03-convergence.ipynb), claim P6, x1, w₀", []),
        ("lecture 03, [the 5 lines](03-convergence.ipynb)", ["03", "5"]),
        (
            "three of seven, forty-two, three hundred",
            ["three", "seven", "forty-two", "three_hundred"],
        ),
        ("someone, atone, 3rd, often, the weight, one", ["3"]),
    ],
)
def test_the_numbers_of_a_text(text: str, expected: list[str]) -> None:
    assert [number.text for number in numbers(text)] == expected


@pytest.mark.parametrize(
    ("text", "printed_text", "stands"),
    [
        ("0.16 of them", "0.1634", True),
        ("0.18 of them", "0.1634", False),
        ("0.16 of them", "share 0.16", True),
        ("0.50", "0.5", True),
        ("16 % of them", "0.1634", True),
        ("18 % of them", "0.1634", False),
        ("16 of them", "16.34", False),
        ("about 2500", "2494", True),
        ("2500", "2494", False),
        ("about 2600", "2494", False),
        ("20 000 directions", "20000", True),
        ("twenty-one seeds", "21 runs", True),
        ("three quarters", "3", True),
        ("half of them", "0.5", True),
        ("3/4 of them", "3/4", True),
        ("35° apart", "34.7", True),
        ("$-3.5$", "[-3.5  2. ]", True),
    ],
)
def test_a_number_stands_where_it_is_printed(text: str, printed_text: str, stands: bool) -> None:
    (number, *_) = numbers(text)
    assert stands_in(number, printed(printed_text)) == stands


def test_a_language_has_its_own_decimal_sign_and_words() -> None:
    text = "0,50 von 1.000, etwa 2500, einundzwanzig Punkte, 16 Prozent"
    assert [number.value for number in numbers(text, GERMAN)] == [0.5, 1000, 2500, 21, 16]
    assert [number.value for number in numbers("0,50", ENGLISH)] == [0, 50]
    about, share = numbers("etwa 2500", GERMAN)[0], numbers("16 Prozent", GERMAN)[0]
    assert stands_in(about, printed("2494"))
    assert stands_in(share, printed("0.1634"))


def test_an_unknown_language_is_named_with_the_known_ones(tmp_path: Path) -> None:
    book = new_notebook(cells=[new_markdown_cell("1,5")], metadata={"lang": "eo"})
    prose.tie(book, tmp_path / "x.ipynb")
    problem = the_one(prose.problems(book, tmp_path / "x.ipynb"))
    assert "name the language 'eo', known are ['de', 'en']: add its numbers to" in problem


def test_a_lecture_in_german_is_tied_with_its_own_signs(tmp_path: Path) -> None:
    text = new_markdown_cell("Von 1.000 Punkten ist der Anteil 0,16, also 16 %.", id="text")
    cells = [text, cell("run", "0.1634 of 1000\n")]
    book = new_notebook(cells=cells, metadata={"lang": "de"})
    prose.tie(book, tmp_path / "x.ipynb")
    assert text.metadata["numbers"] == "1.000@run 0,16@run 16@run"
    assert list(prose.problems(book, tmp_path / "x.ipynb")) == []


def test_digits_in_strings_and_comments_are_no_values() -> None:
    assert constants('title = "300 sets"  # 17\nn = 5') == {5}


# ---------------------------------------------------------------- a small lecture

TEXT = "After 18 updates it stops; 0.16 of two thousand points are wrong, as in 2001."
RUN = "18 updates, 19 at most\n0.1634 of 2000\n"
NOTE = "Again 18, in two of 7 lines."


def cell(name: str, printed_text: str) -> NotebookNode:
    shown = [new_output("stream", text=printed_text)]
    return new_code_cell("show()", id=name, outputs=shown, execution_count=1)


def small() -> NotebookNode:
    return new_notebook(
        cells=[
            new_markdown_cell(TEXT, id="text"),
            cell("run", RUN),
            new_markdown_cell(NOTE, id="note"),
            cell("later", "7 lines, 2 of them, 18\n"),
            new_markdown_cell("No number.", id="between"),
            cell("far", "19 and 44\n"),
        ]
    )


def prose_problems(path: Path) -> list[str]:
    return list(prose.problems(outputs.read(path), path))


@pytest.fixture
def tied(tmp_path: Path) -> Path:
    """Return a lecture whose numbers are tied, the year by its author."""
    path = tmp_path / "01-small.ipynb"
    book = small()
    prose.tie(book, path)
    nbformat.write(book, path)
    assert accept.main([str(path), "2001", "--is", "year"]) == 0
    assert prose_problems(path) == []
    return path


def refreshed(path: Path, change: Callable[[dict[str, NotebookNode]], None]) -> list[str]:
    """Change the cells of a lecture, tie anew as refresh does, and return what is still wrong."""
    book = outputs.read(path)
    change({cell.id: cell for cell in book.cells})
    prose.tie(book, path)
    nbformat.write(book, path)
    return list(prose.problems(book, path))


def replaced(cells: dict[str, NotebookNode], name: str, old: str, new: str) -> None:
    assert old in cells[name].source
    cells[name].source = cells[name].source.replace(old, new)


def prints(cells: dict[str, NotebookNode], name: str, text: str) -> None:
    cells[name].outputs[0].text = text


def the_one(problems: Iterable[str]) -> str:
    """Return the one problem that there should be."""
    found = list(problems)
    assert len(found) == 1, "\n".join(found) or "nothing is wrong"
    return found[0]


def numbers_of(path: Path, position: int = 0) -> str:
    return str(outputs.read(path).cells[position].metadata["numbers"])


def test_a_number_is_tied_to_a_cell_or_its_author_says_what_it_is(tied: Path) -> None:
    assert numbers_of(tied) == "18@run 0.16@run two_thousand@run 2001=year"
    assert numbers_of(tied, 2) == "18@later two@later 7@later"


def test_the_number_of_a_lecture_is_no_value(tied: Path) -> None:
    text = new_markdown_cell("As in lecture 01, lectures 01 and 02, after 18.", id="named")
    book = new_notebook(cells=[text, cell("run", "1 2 18\n")])
    prose.tie(book, tied)
    assert text.metadata["numbers"] == "01=lecture 01=lecture 02@run 18@run", "02 is not there"


def test_a_number_that_stands_nowhere_asks_for_its_author(tmp_path: Path) -> None:
    book = small()
    book.cells[0].source += " Then 44 more."  # it stands in the cell far, which is not beside it
    prose.tie(book, tmp_path / "01-small.ipynb")
    found = list(prose.problems(book, tmp_path / "01-small.ipynb"))
    assert len(found) == 2, found
    year, more = found
    assert (
        "the text after cell 0 says '2001' in “points are wrong, as in 2001. Then 44 more.”, wh"
        in year
    )
    assert "compute it, or name the cell that has it (`lincourse accept " in more
    assert more.endswith("01-small.ipynb --text text 44 --is WORD`).")


def test_refresh_keeps_a_wrong_number_wrong_though_the_cell_has_it_too(tied: Path) -> None:
    problem = the_one(refreshed(tied, lambda cells: replaced(cells, "text", "18", "19")))
    assert "says '19' in “After 19 updates it stops;" in problem
    assert "where '18' from the cell run is stored: mend the sentence, or" in problem
    assert f"`lincourse accept {os.path.relpath(tied)} --text text 19 run`" in problem
    assert refreshed(tied, lambda cells: None) == [problem], "a second refresh changes nothing"
    assert refreshed(tied, lambda cells: replaced(cells, "text", "19", "18")) == []


def test_refresh_keeps_red_what_a_cell_has_lost_though_another_has_it(tied: Path) -> None:
    lost = refreshed(tied, lambda cells: prints(cells, "run", "20 updates\n0.1634 of 2000\n"))
    problem = the_one(lost)
    assert "says '18' in “After 18 updates" in problem
    assert "but the cell run has no such number any more: mend the sentence or the cell" in problem
    assert refreshed(tied, lambda cells: None) == lost
    assert accept.main([str(tied), "18", "later"]) == 0
    assert numbers_of(tied).startswith("18@later ")
    assert prose_problems(tied) == []


def test_a_number_changed_in_text_and_cell_moves_on(tied: Path) -> None:
    def change(cells: dict[str, NotebookNode]) -> None:
        replaced(cells, "text", "18", "21")
        prints(cells, "run", "21 updates, 19 at most\n0.1634 of 2000\n")

    assert refreshed(tied, change) == []
    assert numbers_of(tied).startswith("21@run ")


def test_another_way_to_write_a_number_is_no_change(tied: Path) -> None:
    def change(cells: dict[str, NotebookNode]) -> None:
        replaced(cells, "text", "two thousand", "2000")
        replaced(cells, "note", "two", "2")

    assert refreshed(tied, change) == []


def test_words_added_and_deleted_around_a_wrong_number_do_not_hide_it(tied: Path) -> None:
    def change(cells: dict[str, NotebookNode]) -> None:
        replaced(cells, "text", "After 18", "With 2000 points, after 19")
        replaced(cells, "text", ", as in 2001", "")

    problem = the_one(refreshed(tied, change))
    assert "where '18' from the cell run is stored" in problem


def test_two_numbers_that_change_places_are_noticed(tied: Path) -> None:
    swapped = refreshed(
        tied, lambda cells: replaced(cells, "note", "18, in two of 7", "7, in two of 18")
    )
    assert [problem.partition(" in “")[0][-9:] for problem in swapped] == [" says '7'", "says '18'"]


def test_what_an_author_said_holds_for_that_number_only(tied: Path) -> None:
    problem = the_one(refreshed(tied, lambda cells: replaced(cells, "text", "2001", "2010")))
    assert "where '2001' from “year” is stored" in problem
    assert problem.endswith("--text text 2010 --is year`.")


def test_before_refresh_every_change_is_said(tied: Path) -> None:
    book = outputs.read(tied)
    book.cells[0].source = "In 2001 it was 0.16 of 2000."
    assert any("run `lincourse refresh`" in said for said in prose.problems(book, tied))
    book.cells[0].source = TEXT
    del book.cells[0].metadata["numbers"]
    said = list(prose.problems(book, tied))
    assert "says '18' in “After 18 updates it stops; 0.16”, which is new: run `lincourse" in said[0]


def test_a_notebook_of_an_old_format_is_told_to_get_ids(tmp_path: Path) -> None:
    book = small()
    for one in book.cells:
        del one["id"]
    assert "its cells have no ids" in the_one(prose.problems(book, tmp_path / "old.ipynb"))


def test_a_cell_that_is_gone_is_named(tied: Path) -> None:
    book = outputs.read(tied)
    book.cells[1].id = "renamed"
    said = list(prose.problems(book, tied))
    assert (
        "says '18' in “After 18 updates it stops; 0.16”, tied to the cell run, which is" in said[0]
    )


# ---------------------------------------------------------------- what an author accepts


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    with pytest.raises(SystemExit) as stopped:
        accept.main([*map(str, arguments)])
    return f"{stopped.value} {capsys.readouterr().err}"


def test_a_cell_that_has_no_such_number_is_not_accepted(
    tied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refreshed(tied, lambda cells: replaced(cells, "text", "18", "44"))
    assert "The cell run is not there, or has no 44." in refused(capsys, tied, "44", "run")
    assert accept.main([str(tied), "44", "far"]) == 0, "an author may name a cell far away"
    assert prose_problems(tied) == []


def test_only_what_is_open_is_accepted_and_in_one_text(
    tied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "There is no 18 in 01-small.ipynb that waits" in refused(capsys, tied, "18", "later")

    def change(cells: dict[str, NotebookNode]) -> None:
        replaced(cells, "text", "18", "19")
        replaced(cells, "note", "18", "19")

    refreshed(tied, change)
    assert "Say with --text which 19 is meant: it is open in note, text." in refused(
        capsys, tied, "19", "far"
    )
    assert accept.main([str(tied), "--text", "text", "19", "run"]) == 0
    left = the_one(prose_problems(tied))
    assert left.startswith("the text after cell 1 says '19' in “Again 19")


def test_a_number_of_another_lecture_is_tied_to_its_cell(tied: Path) -> None:
    other = tied.with_name("02-other.ipynb")
    book = new_notebook(cells=[new_markdown_cell("It took 44 steps.", id="steps")])
    prose.tie(book, other)
    nbformat.write(book, other)
    assert accept.main([str(other), "44", "01-small#far"]) == 0
    assert numbers_of(other) == "44@01-small#far"
    assert prose_problems(other) == []
    refreshed(tied, lambda cells: prints(cells, "far", "45\n"))
    prose.other_values.cache_clear()
    problem = the_one(prose_problems(other))
    assert "but the cell 01-small#far has no such number any more" in problem


def test_a_command_that_lacks_something_says_what(
    tied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "must be one word, got 'a year'" in refused(capsys, tied, "2001", "--is", "a year")
    assert "name a number and then its cell" in refused(capsys, tied, "2001")


# ---------------------------------------------------------------- the lectures


def test_nine_of_ten_wrong_numbers_planted_in_the_lectures_are_caught() -> None:
    """In every eleventh place; `python -m tests.planted_numbers` plants one in each."""
    found = planted_numbers.in_all_lectures(step=11)
    missed = [one.where for one in found if not one.changed]
    assert len(found) > 100
    assert len(missed) <= 0.1 * len(found), "\n".join(missed)
