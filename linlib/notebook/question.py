"""A question: its cases, its model answer, wrong answers, and how an answer is compared.

There is one form for all that the course asks in code: the exercises of the lectures
(``linlib.notebook.exercises``, checked in the notebook and in the page) and the homework
(``lincourse.grader``). A question is plain data. One whose numbers are drawn is a function that
takes a seed and returns a ``Question``; a fixed one is such a function that ignores its seed.

>>> double = Question(
...     "double",
...     [Case("double(3)", (3,), hint="Add the number to itself.")],
...     answer="def double(x): return 2 * x",
...     wrong={"That is the square.": "def double(x): return x**2"},
... )
>>> double.expected
[6]
>>> hint_for(double, 0, Outcome("value", 9)), hint_for(double, 0, Outcome("value", 8))
('That is the square.', 'Add the number to itself.')
"""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from numbers import Number
from typing import Any

import numpy as np

# Two numbers are equal if they differ by less than one in a million, as the homework prints.
RELATIVE, ABSOLUTE = 1e-6, 1e-9
GIVEN = "import numpy as np"
PLAIN = (type(None), Number, str, np.generic, np.ndarray, list, tuple, dict, Fraction)


@dataclass(frozen=True, eq=False)
class Case:
    """One try of an answer.

    ``label`` says in words, or as the call itself, what is tried; a reader may see it. Where a
    value is asked for rather than a function, the arguments are None.
    """

    label: str
    arguments: tuple[Any, ...] | None
    check: Callable[..., str | None] | None = None  # if this case needs another than its question
    hint: str = ""  # what to do when this case goes wrong for a reason that nobody foresaw

    @property
    def example(self) -> bool:
        """Whether the question itself shows this case, so that its result may be shown, too."""
        return "example of the question" in self.label


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


@dataclass(frozen=True, eq=False)
class Question:
    """A name that the reader defines, and how it is judged.

    What is expected comes from ``expect``, usually a call of the library, else from the model
    answer. Where several answers are right, ``check`` says in words what is wrong with one.

    ``wrong`` lists answers that readers really give, by the sentence that each of them should
    read. They serve twice: a reader whose answer behaves like one is told so, and the tests see
    each of them fail. ``right`` lists answers by another method than the model's.
    """

    name: str
    cases: Sequence[Case]
    answer: str = ""  # the model answer, as code
    expect: Callable[..., Any] | None = None
    check: Callable[..., str | None] | None = None
    wrong: Mapping[str, str] = field(default_factory=dict)  # hint: code
    right: Sequence[str] = ()
    given: str = GIVEN  # code that every answer may rely on
    # For homework only: a mutant (grader/mutants.py) that is right, and why; how long a case may
    # take; of several results, their names and points.
    alike: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 10.0
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_function(self) -> bool:
        """Whether a function is asked for, not a value."""
        return self.cases[0].arguments is not None

    @cached_property
    def expected(self) -> list[Any]:
        """What each case should give; None throughout where a check alone decides."""
        if self.expect:
            return [self.expect(*arguments_of(case)) for case in self.cases]
        if self.check:
            return [None] * len(self.cases)
        return [outcome.value for outcome in outcomes(self, self.answer)]

    @cached_property
    def wrong_outcomes(self) -> list[tuple[str, list[Outcome]]]:
        """What each wrong answer gives in all cases, with its hint."""
        return [(hint, outcomes(self, code)) for hint, code in self.wrong.items()]

    def fault(self, value: Any, number: int) -> str | None:
        """Return what is wrong with the value of a case, without telling the right one.

        None if nothing is; it completes "your function …".
        """
        tried = self.cases[number]
        check = tried.check or self.check
        want = self.expected[number]
        try:
            return check(value, *arguments_of(tried)) if check else disagreement(value, want)
        except Exception:  # of a value that has another form than anyone expects
            return "has not the form that is asked for"


def value_question(name: str, want: Any, **options: Any) -> Question:
    """Return a question that asks for a value rather than for a function."""
    return Question(name, [Case("the value you gave", None)], expect=lambda: want, **options)


def hint_for(question: Question, number: int, outcome: Outcome) -> str:
    """Return the hint for an answer whose first wrong case is this one; empty if there is none.

    A wrong answer explains it that gives the same in this case, best one that was right before,
    too.
    """
    alike = [one for one in question.wrong_outcomes if same(outcome, one[1][number])]
    until_now = [
        one
        for one in alike
        if all(question.fault(one[1][k].value, k) is None for k in range(number))
    ]
    hints = [hint for hint, _ in [*until_now, *alike]]
    return [*hints, question.cases[number].hint][0]


# ---------------------------------------------------------------- trying an answer


Call = Callable[[dict[str, Any], str, Case], Outcome]


def arguments_of(case: Case) -> tuple[Any, ...]:
    """Return the arguments of a case, which may be written to."""
    return copy.deepcopy(case.arguments or ())


def called(names: dict[str, Any], name: str, case: Case) -> Outcome:
    """Return the outcome of one case, tried right here."""
    if name not in names:
        return Outcome("missing")
    try:
        asked_for = names[name]
        is_value = case.arguments is None
        return Outcome("value", asked_for if is_value else asked_for(*arguments_of(case)))
    except Exception as error:
        return Outcome("error", error=type(error).__name__)


def outcomes(question: Question, code: str, call: Call = called) -> list[Outcome]:
    """Return the outcomes of one of OUR answers, run right here; never use it for a student's."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(question.given, names)
        exec(code, names)
        return outcomes_in(question, names, call)


def outcomes_in(question: Question, names: dict[str, Any], call: Call = called) -> list[Outcome]:
    """Return the outcomes of the answer that these names have."""
    return [call(names, question.name, case) for case in question.cases]


# ---------------------------------------------------------------- comparing values


def disagreement(got: Any, want: Any) -> str | None:
    """Return how ``got`` differs from ``want``, without telling ``want``; None if it does not.

    Lists, tuples and arrays are alike, as are Python's and NumPy's numbers; a column is as good
    as a row where one dimension is asked for.

    >>> disagreement([0.1 + 0.2, 1], np.array([0.3, 1.0])), disagreement([[1], [2]], (1, 2))
    (None, None)
    >>> disagreement(None, 3), disagreement(4, 3)
    ('gives None: is a return missing?', 'gives a wrong answer')
    """
    if not isinstance(got, PLAIN):
        return "gives something else than numbers, texts, or lists, arrays and dictionaries of them"
    if want is None:
        return None if got is None else "gives a wrong answer"
    if got is None:
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
    """Return how a number or an array differs from what is expected; None if it does not."""
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
    in_one_line = sum(length != 1 for length in array.shape) <= 1
    if target.ndim <= 1 and array.size == target.size and in_one_line:
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
    if want is None or not isinstance(want, PLAIN):
        return type(one.value) is type(want) and one.value == want
    return disagreement(one.value, want) is None
