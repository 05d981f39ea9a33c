"""Exercises that check themselves: every hint is what some wrong answer brings up."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any

import pytest

from lincourse.publish.lectures import Lecture, lectures, solutions
from linlib.notebook import exercises
from linlib.notebook.exercises import questions

EVERY = pytest.mark.parametrize("id", questions())


def verdict(id: str, code: str) -> str:
    names: dict[str, Any] = exercises.course()
    exec(code, names)
    return exercises.check(names[id])


def stubs(lecture: Lecture) -> dict[str, str]:
    """Return how each function that a lecture asks for begins."""
    found = [cell.exercise for cell in lecture.cells if cell.exercise]
    return {asked.id: asked.start for asked in found}


def test_every_lecture_has_a_warm_up_and_its_coding_exercise() -> None:
    asked_for: list[str] = []
    for one in lectures():
        found = [cell.exercise for cell in one.cells if cell.exercise]
        titles = ["Warm-up", "Exercise 3"] if one.number != "00" else []
        assert [asked.title.partition(":")[0] for asked in found] == titles, one.name
        for asked in found:
            assert "is not written yet" in verdict(asked.id, asked.start)
            asked_for.append(asked.id)
    assert asked_for == list(questions()), "each question is asked once, in the lectures' order"


def test_what_the_promise_names_is_there() -> None:
    words = set(re.findall(r"\b[A-Za-z]+\b", exercises.PROMISE))
    promised = words - {"and", "all", "that", "offers", "need", "no", "import"}
    assert promised > {"np", "linlib", "Fraction"}
    assert promised <= set(exercises.course())


@EVERY
def test_a_right_answer_needs_no_import(id: str) -> None:
    """A reader who believes the promise writes the answer without its imports, here and in the lab.

    The notebook need not have imported anything either.
    """
    assert "import" not in questions()[id].answer
    names: dict[str, Any] = {"__builtins__": builtins}
    exec(questions()[id].answer, names)
    assert exercises.check(names[id]) == exercises.PASS


@EVERY
def test_a_wrong_answer_is_told_its_own_hint(id: str) -> None:
    question = questions()[id]
    assert len(question.wrong) >= 2
    for hint, code in question.wrong.items():
        said = verdict(id, code)
        assert said.endswith(hint), f"{code}\nshould be told: {hint}\nis told: {said}"


@EVERY
def test_what_goes_wrong_for_no_known_reason_gets_the_hint_of_its_case(id: str) -> None:
    """Right in all cases before, and then something that no listed answer gives."""
    question = questions()[id]
    for number, case in enumerate(question.cases):
        left = [*question.expected[:number], "nothing like it"]
        strange = iter(left)
        answer = {"answer": lambda *given, left=strange: next(left)}["answer"]
        answer.__name__ = id
        assert exercises.check(answer).endswith(case.hint or "."), case.label


# ---- the published solutions


LECTURES = [one for one in lectures() if stubs(one)]
BY_LECTURE = pytest.mark.parametrize("lecture", LECTURES, ids=lambda one: one.name)


def published(lecture: Lecture) -> dict[str, str]:
    """Return the functions that the solutions of a lecture define, by name."""
    found = {}
    for cell in solutions()[lecture.name].cells:
        if cell.kind == "code":
            for node in ast.parse(cell.source).body:
                if isinstance(node, ast.FunctionDef):
                    found[node.name] = ast.unparse(node)
    return found


@BY_LECTURE
def test_the_published_solution_passes_the_check_that_readers_get(lecture: Lecture) -> None:
    solved = published(lecture)
    for id in stubs(lecture):
        assert id in solved, f"the solutions of {lecture.name} define no {id}"
        said = verdict(id, "\n\n\n".join(solved.values()))
        assert said == exercises.PASS, f"the published {id} of {lecture.name}: {said}"


@BY_LECTURE
def test_stub_solution_and_model_answer_have_the_same_arguments(lecture: Lecture) -> None:
    solved = published(lecture)
    for id, start in stubs(lecture).items():
        codes = {"stub": start, "solution": solved[id], "model answer": questions()[id].answer}
        arguments = {
            where: next(
                ast.unparse(node.args)
                for node in ast.parse(code).body
                if isinstance(node, ast.FunctionDef) and node.name == id
            )
            for where, code in codes.items()
        }
        assert len(set(arguments.values())) == 1, f"{id}: {arguments}"
