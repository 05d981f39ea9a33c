"""Late penalties, extensions and attempts, from one small file.

The instructor's page, notebooks/homework/README.md, shows one with every entry.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lincourse.grader import RefusedError

if TYPE_CHECKING:
    from lincourse.grader.records import Record


class Attempt(Protocol):
    """One attempt of one student, whose name is the platform's."""

    @property
    def student(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def attempt(self) -> int: ...


ONLY = 0  # the number that stands for an attempt where there is no other


@dataclass(frozen=True)
class Rules:
    """What a deadline costs, and which attempt counts."""

    due: datetime | None = None
    per_day: float = 0.0
    at_most: float = 100.0
    grace: float = 0.0
    attempts: str = "last"
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    handed_in: Mapping[str, Mapping[int, datetime]] = field(default_factory=dict)  # by attempt
    not_yet: Collection[str] = ()  # who has an extension and is not in the folder

    def penalty(self, record: Record) -> tuple[float, str]:
        """Return the percentage that is lost, and the sentence that says why."""
        student, name = record.student, record.name
        due = self.extensions.get(name) or self.extensions.get(student) or self.due
        times = self.handed_in.get(name) or self.handed_in.get(student) or {}
        when = times.get(record.attempt) or times.get(ONLY)
        if when is None and record.handed_in:
            when = datetime.fromtimestamp(record.handed_in, UTC)
        if when is None and record.platform.get("late"):
            return 0.0, "Canvas calls it late, but its export holds no time."
        if due is None or not self.per_day or when is None:
            return 0.0, ""
        late = when - due
        if late.total_seconds() <= 60 * self.grace:
            return 0.0, ""
        days = math.ceil(late.total_seconds() / 86400)
        percent = min(self.at_most, days * self.per_day)
        unit = "day" if days == 1 else "days"
        return percent, f"Handed in {days} {unit} late: {percent:g} % less."

    def check_names(self, attempts: Iterable[Attempt]) -> None:
        """Refuse a name that is nobody's or several students', and a time of no one attempt."""
        known: dict[str, dict[str, list[int]]] = {}  # name or number: student: attempts
        for one in attempts:
            for name in {one.student, one.name}:
                known.setdefault(name, {}).setdefault(one.student, []).append(one.attempt)
        for entry in ("extensions", "handed_in"):
            for name in getattr(self, entry):
                if name not in known and not (entry == "extensions" and name in self.not_yet):
                    raise RefusedError(f"--rules: {entry}: {nobody(name, known, entry)}")
                if len(known.get(name, {})) > 1:
                    raise RefusedError(
                        f"--rules: {entry}: {name!r} is the name of {len(known[name])} students; "
                        f"say which: {', '.join(sorted(known[name]))}."
                    )
        for name, times in self.handed_in.items():
            ((_, numbers),) = known[name].items()
            if ONLY in times and len(numbers) > 1:
                raise RefusedError(
                    f"--rules: handed_in: {name!r} has {len(numbers)} attempts; say which one is "
                    f"meant: {name!r} = {{ {max(numbers)} = <time> }}."
                )
            if wrong := sorted(set(times) - {ONLY, *numbers}):
                raise RefusedError(
                    f"--rules: handed_in: {name!r} has no attempt {wrong[0]}; there are "
                    f"{', '.join(map(str, sorted(numbers)))}."
                )


def nobody(name: str, known: Collection[str], entry: str) -> str:
    """Return the sentence about a name that nobody has."""
    near = difflib.get_close_matches(name, known, n=1)
    said = f"nobody who handed in is {name!r}"
    said += f"; did you mean {near[0]!r}?" if near else "."
    if entry == "extensions":
        said += f" Who has not handed in yet is listed so: not_yet = [{name!r}]."
    return said


def read_rules(path: Path | None) -> Rules:
    """Return the rules of a file; none without a file."""
    if path is None:
        return Rules()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise RefusedError(f"--rules: {path} cannot be read: {problem}.") from problem
    for name, value in found.items():
        if name not in CHECKS:
            raise RefusedError(
                f"--rules: {path} has an unknown entry {name!r}; there are {', '.join(CHECKS)}."
            )
        wanted, right = CHECKS[name]
        if not right(value):
            raise RefusedError(f"--rules: {path}: {name}: must be {wanted}, not {value!r}.")
    for name in ("extensions", "handed_in"):
        for student, value in found.get(name, {}).items():
            if not (is_time(value) or (name == "handed_in" and are_attempts(value))):
                raise RefusedError(
                    f"--rules: {path}: {name}: {student!r} must have {TIME}, not {value!r}."
                )
    if times := found.get("handed_in"):
        found["handed_in"] = {
            student: {int(k): one for k, one in value.items()}
            if isinstance(value, dict)
            else {ONLY: value}
            for student, value in times.items()
        }
    return Rules(**{name: in_utc(value) for name, value in found.items()})


def in_utc(value: Any) -> Any:
    """Return times in one zone; a time without a zone is this machine's."""
    if isinstance(value, dict):
        return {name: in_utc(one) for name, one in value.items()}
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf


def is_time(value: Any) -> bool:
    return isinstance(value, datetime)  # a day alone is none: it does not say when it ends


def are_attempts(value: Any) -> bool:
    """Return whether these are times by the numbers of attempts."""
    return isinstance(value, dict) and all(
        number.isdecimal() and int(number) >= 1 and is_time(one) for number, one in value.items()
    )


TIME = "a time such as 2026-11-20T23:59:00+01:00"
NUMBER = "a number that is not negative"
CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "due": (TIME, is_time),
    "per_day": (NUMBER, is_number),
    "at_most": ("a number from 0 to 100", lambda value: is_number(value) and value <= 100),
    "grace": (NUMBER, is_number),
    "attempts": ("'best' or 'last'", lambda value: value in ("best", "last")),
    "extensions": ("a table of names and times", lambda value: isinstance(value, dict)),
    "handed_in": ("a table of names and times", lambda value: isinstance(value, dict)),
    "not_yet": (
        "a list of names",
        lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    ),
}
