"""What explorers say and draw on a walk through their states is what was stored and read."""

from __future__ import annotations

import pytest

from tests.fuzz import KINDS
from tests.shown import EXPLORERS, FOLDER, differences, story, walk


@pytest.mark.parametrize("name", [*EXPLORERS, "predict"])
def test_sentences_and_pictures_are_as_stored(name: str) -> None:
    stored = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    found = differences(stored, story(name))
    assert not found, "python -m tests.shown writes it anew:\n" + "\n".join(found[:5])


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPLORERS)
def test_every_stored_sentence_is_true(name: str) -> None:
    for how, explorer in walk(name):
        assert KINDS[name][1](explorer) == [], how


MARK = "  1 in 0.00 to 0.25, 1.00 to 1.50 {colour: #111111, kind: path, name: line, width: 2.2}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0 of 4 points are wrong.", "1 of 4 points are wrong."),
        ("a length of 0.25.", "a length of 0.27."),
        ("It will end.", "It never ends."),
        ("weights (−1, 0)", "weights (1, 0)"),
        (MARK, MARK.replace("width: 2.2", "width: 2.3")),
        (MARK, MARK.replace("1 in", "2 in")),
        (MARK, MARK.replace("1.50", "1.52")),
    ],
)
def test_another_word_number_or_look_is_noticed(old: str, new: str) -> None:
    assert differences([old], [new]) == [f"line 1:\n- {old}\n+ {new}"]
    assert differences([old], [old, new])


@pytest.mark.parametrize(
    ("old", "new"),
    [("a length of 0.25.", "a length of 0.26."), (MARK, MARK.replace("1.50", "1.51"))],
)
def test_rounding_is_not(old: str, new: str) -> None:
    assert not differences([old], [new])
