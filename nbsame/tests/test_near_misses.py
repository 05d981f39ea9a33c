"""Numbers in the text: which of them are told as perhaps a slip."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbsame.near_misses import near_misses


@pytest.mark.parametrize(
    ("text", "printed", "told"),
    [
        ("The error is 14.5%.", "0.134", True),
        ("The error is 13.4%.", "0.134", False),
        ("The mean is 0.163.", "0.16299", False),
        ("The mean is 0.162.", "0.16299", False),  # cut off instead of rounded
        ("The mean is 0.158.", "0.16299", True),
        ("The total is 4,880 grams.", "4878", True),
        ("The total is 4,880 grams.", "4880", False),
        ("The total is about 4,880 grams.", "4878", False),
        ("The total is 4,880 grams.", "6500", False),
        ("See Figure 4.31 for the rest.", "4.35", False),
        ("It was 1936 then.", "1940", False),
        ("Take `x[4880]` of it, or $4880$.", "4878", False),
        ("Take 4880 of them.", "n = 4880", False),
        ("Take 88 of them.", "87", False),
    ],
)
def test_a_number_that_nearly_is_an_output_is_told(text: str, printed: str, told: bool) -> None:
    code = new_code_cell(outputs=[new_output("stream", text=printed)], source="show()")
    found = near_misses(new_notebook(cells=[code, new_markdown_cell(text)]))
    assert len(found) == told, found
    after = near_misses(new_notebook(cells=[new_markdown_cell(text), code]))
    assert len(after) == told, "the cell may stand before the text or after it"


def test_a_number_of_the_code_is_meant_and_text_ends_the_neighbourhood() -> None:
    shows = new_code_cell(outputs=[new_output("stream", text="4878")], source="n = 4880")
    text = new_markdown_cell("There are 4880.")
    assert near_misses(new_notebook(cells=[shows, text])) == []
    shows.source = "show()"
    assert len(near_misses(new_notebook(cells=[shows, text]))) == 1
    between = [shows, new_markdown_cell("No number."), text]
    assert near_misses(new_notebook(cells=between)) == []
