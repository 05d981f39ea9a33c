"""A wrong answer loses its points whatever the random data are.

Mutants are made by program from the model answers (``lincourse/grader/mutants.py``). Most fall to
cases that are the same for every seed; the others have to fall with every one of twenty seeds.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from lincourse.grader import hidden, release
from lincourse.grader.hidden import own_questions, passes, questions, unfair
from lincourse.grader.mutants import mutants
from lincourse.grader.source import model_answers
from lincourse.grader.verdicts import packed_arguments
from linlib.notebook.question import Question

HOMEWORK = ("hw1", "hw2", "hw3", "hw4", "hw5", "hw6", "hw7")
SEEDS = range(20)


def drawn(homework: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Question]:
    """Return the questions of a homework with the data of a seed."""
    monkeypatch.setattr(hidden, "TRIED", [seed, 0])
    return questions.__wrapped__(homework)


@pytest.mark.slow
@pytest.mark.parametrize("homework", HOMEWORK)
def test_no_mutant_passes_with_any_of_twenty_seeds(
    homework: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_seed = [drawn(homework, seed, monkeypatch) for seed in SEEDS]
    before = ""
    let_pass = []
    for label, question in by_seed[0].items():
        model = model_answers(homework)[label]
        if question.is_function:
            same = {packed_arguments(case) for case in question.cases}
            for other in by_seed[1:3]:
                same &= {packed_arguments(case) for case in other[label].cases}
            fixed = [case for case in question.cases if packed_arguments(case) in same]
            for name, mutant in mutants(model).items():
                if name in question.alike or not passes(only(question, fixed), before, mutant):
                    continue
                for seed, other in zip(SEEDS, by_seed, strict=True):
                    if passes(other[label], before, mutant):
                        let_pass.append(f"{homework} {label}, seed {seed}: {name}")
        before += f"{model}\n"
    assert let_pass == []


def only(question: Question, cases: list[hidden.Case]) -> Question:
    return replace(question, cases=cases)


@pytest.mark.parametrize("homework", HOMEWORK)
def test_what_is_alike_is_a_mutant_of_the_model_answer(homework: str) -> None:
    """Else an excuse would outlive the line that it excuses."""
    for label, question in questions(homework).items():
        assert set(question.alike) <= set(mutants(model_answers(homework)[label])), label


def test_what_the_visible_tests_call_is_among_the_hidden_cases() -> None:
    assert hidden.VISIBLE.read_text(encoding="utf-8") == release.visible_tests(), (
        "run `make homework`"
    )
    added = len(questions("hw6")["q7"].cases) - len(own_questions("hw6")["q7"].cases)
    assert added == 2


def test_a_question_whose_cases_let_a_mutant_pass_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lax = dict(questions("hw1"))
    easy = [case for case in lax["q5"].cases if "hundreds" not in case.label]
    lax["q5"] = only(lax["q5"], easy)
    monkeypatch.setattr(hidden, "questions", lambda homework: lax)
    assert list(unfair("hw1")) == [
        "hw1 q5 lets pass: for _ in range(max_passes): became for _ in range(min(max_passes, 50)):"
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a):\n    return a < 0", {"return a <= 0", "return a > 0", "return a < 1"}),
        (
            "def f(a):\n    return a.sum(axis=1)",
            {"return a.mean(axis=1)", "return a.sum(axis=None)"},
        ),
        ("def f(a):\n    a = np.array(a)", {"a = np.asarray(a)"}),
        ("def f(n):\n    for _ in range(n):\n        pass", {"for _ in range(min(n, 50)):"}),
        ("def f(a):\n    return -a + 2.5", {"return +a + 2.5", "return -a - 2.5"}),
        ("def f(a, b):\n    return a and b", {"return a or b", "return a", "return b"}),
    ],
)
def test_mutants_change_one_thing(source: str, expected: set[str]) -> None:
    made = {line.strip() for text in mutants(source).values() for line in text.splitlines()}
    assert expected <= made
