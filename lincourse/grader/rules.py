"""Late penalties, extensions and attempts, from one small file.

The instructor's page, notebooks/homework/README.md, shows one with every entry.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lincourse.grader import RefusedError

if TYPE_CHECKING:
    from lincourse.grader.records import Record


@dataclass(frozen=True)
class Rules:
    """What a deadline costs, and which attempt counts."""

    due: datetime | None = None
    per_day: float = 0.0
    at_most: float = 100.0
    grace: float = 0.0
    attempts: str = "last"
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    handed_in: Mapping[str, datetime] = field(default_factory=dict)

    def penalty(self, record: Record) -> tuple[float, str]:
        """Return the percentage that is lost, and the sentence that says why."""
        student, name = record.student, record.name
        due = self.extensions.get(name) or self.extensions.get(student) or self.due
        when = self.handed_in.get(name) or self.handed_in.get(student)
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
            raise RefusedError(f"--rules: {path} has an unknown entry {name!r}.")
        wanted, right = CHECKS[name]
        if not right(value):
            raise RefusedError(f"--rules: {path}: {name}: must be {wanted}, not {value!r}.")
    return Rules(**{name: in_utc(value) for name, value in found.items()})


def in_utc(value: Any) -> Any:
    """Return times in one zone; a time without a zone is this machine's."""
    if isinstance(value, dict):
        return {name: in_utc(one) for name, one in value.items()}
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf


def are_times(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, datetime) for one in value.values())


CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("per_day", "at_most", "grace"), ("a number that is not negative", is_number)),
    **dict.fromkeys(("extensions", "handed_in"), ("a table of names and times", are_times)),
    "due": ("a time such as 2026-11-20T23:59:00+01:00", lambda value: isinstance(value, datetime)),
    "attempts": ("'best' or 'last'", lambda value: value in ("best", "last")),
}
