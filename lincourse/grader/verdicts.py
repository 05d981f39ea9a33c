"""The verdict on one answer: what its replies say, and which known mistake explains them.

A question (``linlib.notebook.question``) says what is asked for. Here a student's replies, which
come out of a sandbox as text and may be anyone's, become outcomes, outcomes a verdict, and the
verdict a sentence that the student may read. The arguments of hidden cases are in no sentence.
"""

from __future__ import annotations

import builtins
import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lincourse.grader.inside import protocol
from linlib.notebook import question as common
from linlib.notebook.question import Case, Outcome, Question, disagreement, same

NOT_THERE = "write it with NumPy (SciPy, scikit-learn and linlib's learners are not available)."


@dataclass(frozen=True)
class Verdict:
    """Whether all is right, else why not and which share of the points is earned all the same."""

    passed: bool
    message: str = ""
    share: float = 0.0
    hint: bool = False  # the message names a misconception that is known


def verdict_on(question: Question, results: Sequence[Outcome]) -> Verdict:
    """Return whether all cases are right; else the known misconception or the first fault."""
    faults = [problem(question, result, number) for number, result in enumerate(results)]
    first = next((fault for fault in faults if fault is not None), None)
    if first is None:
        return Verdict(True, share=1.0)
    known = known_misconception(question, results)
    kept = right_parts(question, results)
    said = known or first
    if len(faults) > 1 and any(answered(result) for result in results):
        cases = zip(question.cases, faults, strict=True)
        failed = [case.label for case, fault in cases if fault]
        verb = "fails" if len(failed) == 1 else "fail"
        said += f" {len(failed)} of {len(faults)} cases {verb}: {'; '.join(failed)}."
    if kept:
        said += f" Right, and counted: {', '.join(kept)}."
    earned = sum(question.parts[name] for name in kept)
    share = earned / (sum(question.parts.values()) or 1.0)
    return Verdict(False, said, share, known is not None)


def answered(result: Outcome) -> bool:
    """Whether there was an answer at all: the name is defined, and not as the template has it."""
    return result.kind != "missing" and result.error != "NotImplementedError"


def problem(question: Question, result: Outcome, number: int) -> str | None:
    """Return what is wrong in one case, in words a student may read; None if nothing is."""
    name, label = question.name, question.cases[number].label
    if result.kind == "missing":
        return f"`{name}` is not defined when its tests run: keep the name it was given."
    if result.kind == "stopped":
        return f"`{name}` did not come back, or took too long, on: {label}."
    if result.error == "NotImplementedError":
        return f"`{name}` is not answered yet."
    if result.error in ("ModuleNotFoundError", "ImportError"):
        return f"`{name}` imports what is not there while it is graded: {NOT_THERE}"
    if result.kind == "error":
        return f"`{name}` raises {shown_error(result.error)} on: {label}."
    if result.changed:
        return f"`{name}` changes the data it is given: work on a copy."
    fault = question.fault(result.value, number)
    return None if fault is None else f"`{name}` {fault} (on: {label})."


def known_misconception(question: Question, results: Sequence[Outcome]) -> str | None:
    """Return the hint of the wrong answer that behaves like these results in every case."""
    if all(result.kind != "value" for result in results):
        return None
    for hint, others in wrong_outcomes(question):
        if all(map(same, results, others)):
            return hint
    return None


@functools.lru_cache(maxsize=512)
def wrong_outcomes(question: Question) -> list[tuple[str, list[Outcome]]]:
    """Return what each known wrong answer gives in all cases, with its hint."""
    return [(hint, outcomes(question, code)) for hint, code in question.wrong.items()]


def right_parts(question: Question, results: Sequence[Outcome]) -> list[str]:
    """Return which of several results are right in every case."""
    if any(result.kind != "value" or result.changed for result in results):
        return []
    names = list(question.parts)
    right = []
    for name in names:
        pairs = [
            (by_name(result.value, names), by_name(want, names))
            for result, want in zip(results, question.expected, strict=True)
        ]
        if all(disagreement(got.get(name), want[name]) is None for got, want in pairs):
            right.append(name)
    return right


def by_name(value: Any, names: list[str]) -> dict[str, Any]:
    """Return several results by the names of their parts; nothing if they are not as many."""
    if isinstance(value, dict):
        return value
    fits = isinstance(value, list | tuple | np.ndarray) and len(value) == len(names)
    return dict(zip(names, value, strict=True)) if fits else {}


def shown_error(name: str) -> str:
    """Return an error's name, but only one of Python's own: a name can be made to carry text."""
    kind = getattr(builtins, name, None)
    known = isinstance(kind, type) and issubclass(kind, BaseException)
    return name if known or name == "LinAlgError" else "an error"


# ---------------------------------------------------------------- what may be shown


def found_and_expected(question: Question, replies: Sequence[str | None]) -> str:
    """Return both where the question itself shows a case, for the first that is wrong.

    ``replies`` are those to the shown cases, in order.
    """
    if question.check is not None:
        return ""
    shown = [number for number, case in enumerate(question.cases) if case.example]
    for number, reply in zip(shown, replies, strict=False):
        case = question.cases[number]
        result = decoded(reply, case)
        if problem(question, result, number):
            found = result.error or "nothing"
            if result.kind == "value":
                found = "changed data" if result.changed else brief(result.value)
            return f"On {case.label}: found {found}, expected {brief(question.expected[number])}."
    return ""


def brief(value: Any) -> str:
    """Return a value as a student would write it, cut where it is long."""
    if isinstance(value, protocol.Other):
        return "something else"
    if isinstance(value, dict):
        text = ", ".join(f"{key}: {brief(item)}" for key, item in list(value.items())[:8])
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(map(brief, value[:12]))}]"
    elif isinstance(value, np.ndarray):
        text = brief(value[:12].tolist() if value.ndim else value.item())
    else:
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 200 else f"{text[:200]} …"


# ---------------------------------------------------------------- replies become outcomes


@functools.lru_cache(maxsize=4096)
def packed_arguments(case: Case) -> str:
    """Return the arguments of a case as they travel into a sandbox."""
    return json.dumps(protocol.pack(case.arguments))


def decoded(reply: str | None, case: Case) -> Outcome:
    """Return the outcome that ``protocol.answer`` wrote as text, if it did; it may be anyone's."""
    if reply is None:
        return Outcome("stopped")
    try:
        told = json.loads(reply)
        kind = told["kind"]
        if kind == "value":
            changed = told["after"] != json.loads(packed_arguments(case))
            return Outcome("value", protocol.unpack(told["value"]), changed=changed)
        if kind in ("error", "missing"):
            return Outcome(kind, error=str(told.get("error", ""))[:80])
    except Exception:  # a reply may be anything
        pass
    return Outcome("error", error="an answer that cannot be read")


def travelled(names: dict[str, Any], name: str, case: Case) -> Outcome:
    """Return the outcome of one case, packed and unpacked as a student's is."""
    return decoded(protocol.answer(names, name, packed_arguments(case)), case)


def outcomes(question: Question, code: str) -> list[Outcome]:
    """Return the outcomes of one of OUR answers, run right here; never use it for a student's."""
    return common.outcomes(question, code, travelled)


def outcomes_in(question: Question, names: dict[str, Any]) -> list[Outcome]:
    """Return the outcomes of the answer that these names have; never use it for a student's."""
    return common.outcomes_in(question, names, travelled)
