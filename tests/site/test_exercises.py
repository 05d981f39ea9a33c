"""Exercises that check themselves: every hint is what some wrong answer brings up."""

from __future__ import annotations

import ast
import builtins
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lincourse.publish.lectures import lectures
from linlib.notebook import exercises

ANSWERS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text("utf-8"))


def verdict(id: str, code: str) -> str:
    names: dict[str, Any] = exercises.course()
    exec(code, names)
    return exercises.check(names[id])


def test_every_lecture_has_a_warm_up_and_its_coding_exercise() -> None:
    tries = set(exercises.tries())
    for one in lectures():
        found = [cell.exercise for cell in one.cells if cell.exercise]
        titles = ["Warm-up", "Exercise 3"] if one.number != "00" else []
        assert [asked.title.partition(":")[0] for asked in found] == titles, one.name
        for asked in found:
            assert "is not written yet" in verdict(asked.id, asked.start)
            tries.remove(asked.id)
    assert not tries, "no cell asks for these"


def test_what_the_promise_names_is_there() -> None:
    words = set(re.findall(r"\b[A-Za-z]+\b", exercises.PROMISE))
    promised = words - {"and", "all", "that", "offers", "need", "no", "import"}
    assert promised > {"np", "linlib", "Fraction"}
    assert promised <= set(exercises.course())


@pytest.mark.parametrize("id", ANSWERS)
def test_a_right_answer_needs_no_import(id: str) -> None:
    """A reader who believes the promise writes the answer without its imports, here and in the lab.

    The notebook need not have imported anything either.
    """
    tree = ast.parse(ANSWERS[id]["right"])
    tree.body = [one for one in tree.body if not isinstance(one, ast.Import | ast.ImportFrom)]
    names: dict[str, Any] = {"__builtins__": builtins}
    exec(compile(tree, id, "exec"), names)
    assert exercises.check(names[id]) == exercises.PASS


@pytest.mark.parametrize("id", ANSWERS)
def test_a_right_answer_passes_and_wrong_ones_bring_up_every_hint(id: str) -> None:
    assert verdict(id, ANSWERS[id]["right"]) == exercises.PASS
    said = [verdict(id, code) for code in ANSWERS[id]["wrong"]]
    tries = exercises.tries()[id]
    hints = [hint for one in tries for hint in [*one.get("wrong", {}).values(), *[one.get("hint")]]]
    unused = [hint for hint in hints if hint and not any(hint in words for words in said)]
    assert unused == []
    assert [words for words in said if not any(hint and hint in words for hint in hints)] == []
