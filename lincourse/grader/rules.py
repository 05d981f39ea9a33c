"""Late penalties, extensions and attempts, from one small file.

A file ``rules.toml`` may say::

    due = 2026-11-20T23:59:00+01:00
    per_day = 10       # percent of the points lost for each day begun
    at_most = 50       # percent
    grace = 15         # minutes
    attempts = "best"  # or "last"

    times = "files"    # a plain folder's file times are those of handing in; else they are not used

    [extensions]
    "Ada Lovelace" = 2026-11-25T23:59:00+01:00

    [handed_in]        # where the platform's export does not tell it
    "moodle-123456" = 2026-11-21T08:00:00+01:00
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lincourse.grader.records import Record


class RulesError(Exception):
    """A file of rules that cannot be followed, and why."""


@dataclass(frozen=True)
class Rules:
    """What a deadline costs, and which attempt counts."""

    due: datetime | None = None
    per_day: float = 0.0
    at_most: float = 100.0
    grace: float = 0.0
    attempts: str = "last"
    times: str = ""
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    handed_in: Mapping[str, datetime] = field(default_factory=dict)

    def penalty(self, record: Record) -> tuple[float, str]:
        """Return the percentage that is lost, and the sentence that says why."""
        names = (record.name, record.student)
        due = next((self.extensions[name] for name in names if name in self.extensions), self.due)
        if due is None or not self.per_day:
            return 0.0, ""
        said = next((self.handed_in[name] for name in names if name in self.handed_in), None)
        seconds = record.handed_in or (record.modified if self.times == "files" else 0.0)
        if said is None and not seconds:
            unknown = bool(record.platform.get("late"))
            return 0.0, "Canvas calls it late, but its export holds no time." if unknown else ""
        late = (said or datetime.fromtimestamp(seconds, UTC)) - due
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
        raise RulesError(f"--rules: {path} cannot be read: {problem}.") from problem
    values = {}
    for name, value in found.items():
        if name not in CHECKS:
            raise RulesError(f"--rules: {path} has an unknown entry {name!r}.")
        try:
            values[name] = CHECKS[name](value)
        except ValueError as problem:
            raise RulesError(f"--rules: {path}: {name}: must be {problem}.") from problem
    return Rules(**values)


def number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError("a number that is not negative")
    return float(value)


def moment(value: Any) -> datetime:
    """Return a time; one without a zone is this machine's."""
    if not isinstance(value, datetime):
        raise ValueError("a time such as 2026-11-20T23:59:00+01:00")
    return value.astimezone(UTC)


def moments(value: Any) -> dict[str, datetime]:
    if not isinstance(value, dict):
        raise ValueError("a table of names and times")
    return {name: moment(one) for name, one in value.items()}


def one_of(*words: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in words:
            raise ValueError(f"{' or '.join(map(repr, words))}, not {value!r}")
        return str(value)

    return check


CHECKS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("per_day", "at_most", "grace"), number),
    **dict.fromkeys(("extensions", "handed_in"), moments),
    "due": moment,
    "attempts": one_of("best", "last"),
    "times": one_of("files"),
}
