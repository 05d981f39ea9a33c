"""The questions of a homework, their hidden tests, and the seed of their random cases.

``lincourse homework --seed …`` writes the seed into a file that git ignores. Without it the data
are those that anyone can read in a public repository.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import runpy
import signal
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from lincourse.files import put
from lincourse.grader.inside import protocol
from lincourse.grader.mutants import mutants
from lincourse.grader.source import model_answers
from lincourse.grader.verdicts import outcomes, outcomes_in, problem, travelled, verdict_on
from lincourse.paths import HOMEWORK
from linlib.notebook.question import Case, Question

FILE = HOMEWORK / ".seed.json"
VISIBLE = HOMEWORK / "questions" / "visible.json"  # written by `make homework`
TRIED: list[int] = []  # a seed that is tried before anything is written


def own_questions(homework: str) -> dict[str, Question]:
    """Return the code questions of one homework as its file describes them."""
    names = runpy.run_path(str(HOMEWORK / "questions" / f"{homework}.py"))
    found: dict[str, Question] = names["QUESTIONS"]
    return found


@functools.cache
def questions(homework: str) -> dict[str, Question]:
    """Return the code questions of one homework by their labels, e.g. ``q3``.

    The model answer of each stands in the source notebook. To the cases of its file a question
    adds what its visible tests call.
    """
    visible = json.loads(VISIBLE.read_text(encoding="utf-8")) if VISIBLE.exists() else {}
    calls = visible.get(homework, {})
    found = {}
    for label, question in own_questions(homework).items():
        more = [
            Case(f"call {number} of the visible tests", tuple(protocol.unpack(json.loads(call))))
            for number, call in enumerate(calls.get(label, ()), 1)
        ]
        answer = model_answers(homework)[label]
        found[label] = replace(question, answer=answer, cases=[*question.cases, *more])
    return found


def tests(homework: str, label: str, namespace: dict[str, Any]) -> None:
    """Assert that the answer in ``namespace`` passes every case of a question."""
    question = questions(homework)[label]
    verdict = verdict_on(question, outcomes_in(question, namespace))
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

    passed: list[str] = []
    try:
        for attempt in range(50):
            TRIED[:] = [seed, attempt]
            questions.cache_clear()
            passed = [problem for name in assignments() for problem in unfair(name)]
            if not passed:
                put(FILE, json.dumps(TRIED))
                print(f"--seed: new hidden data from {seed}, in use from now on ({FILE.name}).")
                return
    finally:
        TRIED.clear()
        questions.cache_clear()  # what is asked for next has the data in use then
    raise SystemExit(
        f"--seed: {seed} gives no data that tell right answers from wrong; try another. "
        f"The last ones: {'; '.join(passed[:5])}."
    )


def unfair(homework: str) -> Iterator[str]:
    """Yield each wrong answer that the data in use let pass, and each right one that they do not.

    Wrong are the answers that a question lists, each for its own reason, and every mutant of the
    model answer that the question does not list as ``alike``.
    """
    before = ""
    for label, question in questions(homework).items():
        place = f"{homework} {label}"
        if not passes(question, before, question.answer):
            yield f"{place} refuses the model answer"
        for number, text in enumerate(question.right, 1):
            if not verdict_on(question, outcomes(question, text)).passed:
                yield f"{place} refuses right answer {number}"
        for hint, text in question.wrong.items():
            verdict = verdict_on(question, outcomes(question, text))
            if verdict.passed or not verdict.message.startswith(hint):
                yield f"{place} does not know: {hint}"
        if question.is_function:
            for name, text in mutants(question.answer).items():
                if name not in question.alike and passes(question, before, text):
                    yield f"{place} lets pass: {name}"
        before += f"{question.answer}\n"


def passes(question: Question, before: str, answer: str) -> bool:
    """Return whether an answer of ours is right in every case; one that takes long is not.

    ``before`` has the answers to earlier questions. Only for answers made by program: one may
    never end, and is stopped by a signal.
    """
    with stopped_after(min(question.seconds, 2.0)), contextlib.suppress(TooLongError):
        namespace: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(f"import numpy as np\n{before}\n{question.given}\n{answer}", namespace)
            except Exception:
                return False
            for number, case in enumerate(question.cases):
                result = travelled(namespace, question.name, case)
                if problem(question, result, number) is not None:
                    return False
        return True
    return False


class TooLongError(BaseException):
    """An answer does not end."""


@contextlib.contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise ``TooLongError`` in what takes longer, once: it may be caught there."""

    def stop(*signal_and_frame: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
