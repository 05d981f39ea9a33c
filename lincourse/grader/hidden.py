"""The questions of a homework, their hidden tests, and the seed of their random cases.

``lincourse homework --seed …`` writes the seed into a file that git ignores. Without it the data
are those that anyone can read in a public repository.
"""

from __future__ import annotations

import functools
import json
import runpy
from typing import Any

import numpy as np

from lincourse.files import put
from lincourse.grader.question import Code, asked, outcomes
from lincourse.paths import HOMEWORK

FILE = HOMEWORK / ".seed.json"
TRIED: list[int] = []  # a seed that is tried before anything is written


@functools.cache
def questions(homework: str) -> dict[str, Code]:
    """Return the code questions of one homework by their labels, e.g. ``q3``."""
    names = runpy.run_path(str(HOMEWORK / "questions" / f"{homework}.py"))
    found: dict[str, Code] = names["QUESTIONS"]
    return found


def tests(homework: str, label: str, namespace: dict[str, Any]) -> None:
    """Assert that the answer in ``namespace`` passes every case of a question."""
    question = questions(homework)[label]
    verdict = question.verdict(asked(question, namespace))
    assert verdict.passed, verdict.message


# ---------------------------------------------------------------- data of one's own


def current() -> list[int]:
    """Return the seed in use, an empty list if there is none."""
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
    return [int(part) for part in TRIED or kept]


def hidden_rng(number: int) -> np.random.Generator:
    """Return the random numbers of one homework, whose own number it is."""
    extra = current()
    return np.random.default_rng([number, *extra] if extra else number)


def renew(seed: int) -> None:
    """Draw new hidden data and keep the seed; data that let a wrong answer pass are drawn again."""
    from lincourse.grader.release import assignments

    try:
        for attempt in range(50):
            TRIED[:] = [seed, attempt]
            questions.cache_clear()
            if all(fair(questions(name)) for name in assignments()):
                put(FILE, json.dumps(TRIED))
                print(f"--seed: new hidden data from {seed}, in use from now on ({FILE.name}).")
                return
    finally:
        TRIED.clear()
        questions.cache_clear()  # what is asked for next has the data in use then
    raise SystemExit(
        f"--seed: {seed} gives no data that tell right answers from wrong; try another."
    )


def fair(questions: dict[str, Code]) -> bool:
    """Return whether every right answer passes and every wrong one fails for its own reason."""
    for question in questions.values():
        if not all(question.verdict(outcomes(question, text)).passed for text in question.right):
            return False
        for hint, text in question.wrong.items():
            verdict = question.verdict(outcomes(question, text))
            if verdict.passed or not verdict.message.startswith(hint):
                return False
    return True
