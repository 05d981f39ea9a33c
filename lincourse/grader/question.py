"""What a code question asks, which answers count, and which misconception explains a wrong one.

A question is a name the notebook must define and a list of cases. A case is a label that may be
shown to the student and arguments that may not. The expected values come from ``expect``, usually
a call of linlib, or ``check`` says what is wrong with a value where several are right.

``wrong`` lists plausible wrong answers, each with the sentence the student should read. They serve
twice: the tests see each of them lose its points, and a submission that behaves exactly like one
of them is told so. ``right`` lists answers that are written differently and must keep theirs.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import io
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lincourse.grader.inside import protocol

RELATIVE, ABSOLUTE = 1e-6, 1e-9
NOT_THERE = "write it with NumPy (SciPy, scikit-learn and linlib's learners are not available)."
GIVEN = "import numpy as np"


@dataclass(frozen=True)
class Case:
    """``label`` completes "on: …" and may be shown; ``arguments`` stay hidden."""

    label: str
    arguments: tuple[Any, ...] | None
    check: Callable[..., str | None] | None = None  # if this case needs another than its question

    @property
    def example(self) -> bool:
        """Whether the question itself shows this case, so that its result may be shown, too."""
        return "example of the question" in self.label

    @cached_property
    def text(self) -> str:
        return json.dumps(protocol.pack(self.arguments))


def case(label: str, *arguments: Any) -> Case:
    """Return a case that calls the function with these arguments; lists become arrays."""
    return Case(label, tuple(np.array(a) if isinstance(a, list) else a for a in arguments))


@dataclass(frozen=True)
class Outcome:
    """What became of one case: a value, an error's name, or why there is neither."""

    kind: str  # value, error, missing, stopped
    value: Any = None
    error: str = ""
    changed: bool = False  # the arguments were written to


@dataclass(frozen=True)
class Verdict:
    """Whether all is right, else why not and which share of the points is earned all the same."""

    passed: bool
    message: str = ""
    share: float = 0.0
    hint: bool = False  # the message names a misconception that is known


@dataclass(frozen=True)
class Code:
    """A code question; see the module's first lines."""

    name: str
    cases: Sequence[Case]
    expect: Callable[..., Any] | None = None
    check: Callable[..., str | None] | None = None
    wrong: Mapping[str, str] = field(default_factory=dict)  # hint: source
    alike: Mapping[str, str] = field(default_factory=dict)  # mutant (mutants.py): why it is right
    right: Sequence[str] = ()
    given: str = GIVEN
    seconds: float = 10.0  # for one case
    parts: Mapping[str, float] = field(default_factory=dict)  # of several results: name and points

    @property
    def is_function(self) -> bool:
        """Whether a function is asked for, not a value."""
        return self.cases[0].arguments is not None

    @cached_property
    def expected(self) -> list[Any]:
        if self.expect is None:
            return [None] * len(self.cases)
        return [self.expect(*copy.deepcopy(case.arguments or ())) for case in self.cases]

    @cached_property
    def wrong_outcomes(self) -> list[tuple[str, list[Outcome]]]:
        return [(hint, outcomes(self, variant)) for hint, variant in self.wrong.items()]

    def problem(self, outcome: Outcome, case: Case, want: Any) -> str | None:
        """Return what is wrong with one outcome, in words a student may read; None if nothing."""
        if outcome.kind == "missing":
            return f"`{self.name}` is not defined when its tests run: keep the name it was given."
        if outcome.kind == "stopped":
            return f"`{self.name}` did not come back, or took too long, on: {case.label}."
        if outcome.kind == "error" and outcome.error == "NotImplementedError":
            return f"`{self.name}` is not answered yet."
        if outcome.kind == "error" and outcome.error in ("ModuleNotFoundError", "ImportError"):
            return f"`{self.name}` imports what is not there while it is graded: {NOT_THERE}"
        if outcome.kind == "error":
            return f"`{self.name}` raises {shown_error(outcome.error)} on: {case.label}."
        if outcome.changed:
            return f"`{self.name}` changes the data it is given: work on a copy."
        try:
            if check := case.check or self.check:
                fault = check(outcome.value, *copy.deepcopy(case.arguments or ()))
            else:
                fault = disagreement(outcome.value, want)
        except Exception:  # of a value that has another form than anyone expects
            fault = "has not the form that is asked for"
        return None if fault is None else f"`{self.name}` {fault} (on: {case.label})."

    def verdict(self, results: Sequence[Outcome]) -> Verdict:
        """Return whether all cases are right; else the known misconception or the first fault."""
        triples = zip(results, self.cases, self.expected, strict=True)
        faults = [self.problem(*triple) for triple in triples]
        first = next((fault for fault in faults if fault is not None), None)
        if first is None:
            return Verdict(True, share=1.0)
        hint = None
        if any(result.kind == "value" for result in results):  # the one that always behaves alike
            alike = (hint for hint, other in self.wrong_outcomes if all(map(same, results, other)))
            hint = next(alike, None)
        kept = self.right_parts(results)
        said = hint or first
        given = [one for one in results if one.kind != "missing"]
        if len(faults) > 1 and any(one.error != "NotImplementedError" for one in given):
            failed = [case.label for case, fault in zip(self.cases, faults, strict=True) if fault]
            verb = "fails" if len(failed) == 1 else "fail"
            said += f" {len(failed)} of {len(faults)} cases {verb}: {'; '.join(failed)}."
        if kept:
            said += f" Right, and counted: {', '.join(kept)}."
        share = sum(self.parts[name] for name in kept) / (sum(self.parts.values()) or 1.0)
        return Verdict(False, said, share, hint is not None)

    def example(self, replies: Sequence[str | None]) -> str:
        """Return what was found and what is expected where the question itself shows a case."""
        pairs = zip(self.cases, self.expected, strict=True)
        shown = [(case, want) for case, want in pairs if case.example and self.check is None]
        for (case, want), reply in zip(shown, replies, strict=False):
            outcome = decoded(reply, case)
            if self.problem(outcome, case, want):
                found = outcome.error or "nothing"
                if outcome.kind == "value":
                    found = "changed data" if outcome.changed else brief(outcome.value)
                return f"On {case.label}: found {found}, expected {brief(want)}."
        return ""

    def right_parts(self, results: Sequence[Outcome]) -> list[str]:
        """Return which of several results are right in every case."""
        if not all(result.kind == "value" and not result.changed for result in results):
            return []

        def by_name(value: Any) -> dict[str, Any]:
            if isinstance(value, dict):
                return value
            fits = isinstance(value, list | tuple | np.ndarray) and len(value) == len(self.parts)
            return dict(zip(self.parts, value, strict=True)) if fits else {}

        pairs = [
            (by_name(result.value), by_name(want))
            for result, want in zip(results, self.expected, strict=True)
        ]
        return [
            name
            for name in self.parts
            if all(disagreement(got.get(name), want[name]) is None for got, want in pairs)
        ]


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


def value(name: str, want: Any, **options: Any) -> Code:
    """Return a question that asks for a value rather than for a function."""
    return Code(name, [Case("the value you gave", None)], expect=lambda: want, **options)


# ---------------------------------------------------------------- comparing


def disagreement(got: Any, want: Any) -> str | None:
    """Return how ``got`` differs from ``want``, without telling ``want``; None if it does not.

    Lists, tuples and arrays are alike, as are Python's and NumPy's numbers; a column is as good
    as a row where one dimension is asked for.
    """
    if isinstance(got, protocol.Other):
        return "gives something else than numbers, texts, or lists, arrays and dictionaries of them"
    if got is None and want is not None:
        return "gives None: is a return missing?"
    if isinstance(want, dict):
        if not isinstance(got, dict) or set(got) != set(want):
            return "should give a dictionary with the keys that are asked for"
        return next((f for k in want if (f := disagreement(got[k], want[k]))), None)
    if isinstance(want, str):
        agree = isinstance(got, str) and got.strip().casefold() == want.strip().casefold()
        return None if agree else "gives a wrong answer"
    if isinstance(want, tuple):
        things = list(got) if np.iterable(got) and not isinstance(got, dict | str) else []
        if len(things) != len(want):
            return f"should give {len(want)} things"
        pairs = zip(things, want, strict=True)
        return next((f for one, other in pairs if (f := disagreement(one, other))), None)
    return number_disagreement(got, want)


def number_disagreement(got: Any, want: Any) -> str | None:
    target = np.asarray(want)
    try:
        array = np.asarray(got)
        if array.dtype.kind == "O":
            array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        return "should give numbers in a regular array"
    if array.dtype.kind not in "biuf":
        return "should give True or False" if target.dtype.kind == "b" else "should give numbers"
    if target.dtype.kind == "b" and array.dtype.kind != "b" and not np.isin(array, (0, 1)).all():
        return "should give True or False"
    if target.dtype.kind != "b" and array.dtype.kind == "b":
        return "gives True or False where numbers are asked for"
    flat = sum(length != 1 for length in array.shape) <= 1
    if target.ndim <= 1 and array.size == target.size and flat:
        array = array.reshape(target.shape)
    if array.ndim != target.ndim:  # never the shape itself: its numbers could carry a message
        return "gives an array with another number of dimensions than is asked for"
    if array.shape != target.shape:
        return "gives an array of another shape than is asked for"
    near = np.isclose(array, target, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)
    return None if near.all() else "gives a wrong answer"


def same(one: Outcome, other: Outcome) -> bool:
    """Whether two answers behave alike in one case."""
    if (one.kind, one.error, one.changed) != (other.kind, other.error, other.changed):
        return False
    want = tuple(other.value) if isinstance(other.value, list) else other.value
    if want is None or isinstance(want, protocol.Other):
        return type(one.value) is type(want) and one.value == want
    return disagreement(one.value, want) is None


def shown_error(name: str) -> str:
    """Return an error's name, but only one of Python's own: a name can be made to carry text."""
    kind = getattr(builtins, name, None)
    known = isinstance(kind, type) and issubclass(kind, BaseException)
    return name if known or name == "LinAlgError" else "an error"


# ---------------------------------------------------------------- running an answer


def decoded(text: str | None, case: Case) -> Outcome:
    """Return the outcome that ``protocol.answer`` wrote as text, if it did; it may be anyone's."""
    if text is None:
        return Outcome("stopped")
    try:
        reply = json.loads(text)
        kind = reply["kind"]
        if kind == "value":
            changed = reply["after"] != json.loads(case.text)
            return Outcome("value", protocol.unpack(reply["value"]), changed=changed)
        if kind in ("error", "missing"):
            return Outcome(kind, error=str(reply.get("error", ""))[:80])
    except Exception:  # a reply may be anything
        pass
    return Outcome("error", error="an answer that cannot be read")


def outcomes(question: Code, source: str) -> list[Outcome]:
    """Return the outcomes of one of OUR answers, run right here; never use it for a student's."""
    namespace: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(question.given, namespace)
        exec(source, namespace)
        return asked(question, namespace)


def asked(question: Code, namespace: dict[str, Any]) -> list[Outcome]:
    return [
        decoded(protocol.answer(namespace, question.name, case.text), case)
        for case in question.cases
    ]
