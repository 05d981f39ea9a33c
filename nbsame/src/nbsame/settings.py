"""What a course sets in its ``pyproject.toml``, under ``[tool.nbsame]``."""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbsame.comparison import Rules
from nbsame.normalise import TABLE, chosen

LEVELS = ("fail", "warn", "off")
CHOICES = {
    "counts": LEVELS,
    "order": LEVELS,
    "unstable": LEVELS,
    "stderr": LEVELS,
    "missing": ("fail", "skip"),
    "pictures": ("auto", "always", "never"),
    "near_misses": ("off", "warn"),
}


class SettingError(ValueError):
    """A setting that cannot be meant, in a sentence."""


@dataclass(frozen=True)
class Settings:
    """The settings, each with what it is if a course says nothing."""

    counts: str = "fail"  # cells that were never run, outputs without a count
    order: str = "warn"  # cells that were run in another order than they stand in
    unstable: str = "warn"  # what differs between two runs made now
    stderr: str = "warn"  # other warnings and messages than stored
    missing: str = ""  # a package, file or network is missing: skip, but fail where CI is set
    pictures: str = "auto"  # compared where the recorded Matplotlib is the one present
    near_misses: str = "off"  # numbers in the text that nearly are a nearby output
    tags: bool = True  # nbval's tags and comments exempt a cell
    timeout: float = 60  # seconds that a cell may take
    rtol: float = 1e-6  # how far floats may be apart
    off: tuple[str, ...] = ()  # normalisers that are not used; "all" is a name as well
    ignore: tuple[str, ...] = ()  # names of folders and files that are not collected
    refresh: str = "nbsame refresh"  # the command that stores outputs anew, as messages name it
    figures: str = ".pytest_cache/nbsame"  # where pictures that differ are written
    normalisers: dict[str, tuple[str, str]] = field(default_factory=dict)  # the course's own

    def rules(self, *, pictures: bool = True) -> Rules:
        return Rules(chosen(self.off, self.normalisers), self.rtol, pictures)


def load(start: Path) -> Settings:
    """Return the settings of the nearest ``pyproject.toml`` that has some, at or above a folder."""
    for folder in (start.resolve(), *start.resolve().parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            try:
                content = tomllib.loads(path.read_text(encoding="utf-8"))
                found = content.get("tool", {}).get("nbsame")
                if found is not None:
                    return of(found)
            except (ValueError, TypeError) as problem:
                raise SettingError(f"{path}: {problem}") from None
    return of({})


def of(found: dict[str, Any]) -> Settings:
    """Return settings from a table of pyproject.toml.

    >>> of({"order": "never"})
    Traceback (most recent call last):
    nbsame.settings.SettingError: [tool.nbsame] order: 'never' is none of fail, warn, off.
    """
    known = {one.name for one in dataclasses.fields(Settings)}
    for name in found:
        if name not in known:
            raise SettingError(f"[tool.nbsame] has no setting {name!r}; known are {listed(known)}.")
    values = dict(found)
    values.setdefault("missing", "fail" if os.environ.get("CI") else "skip")
    for name, choices in CHOICES.items():
        if name in values and values[name] not in choices:
            raise SettingError(
                f"[tool.nbsame] {name}: {values[name]!r} is none of {', '.join(choices)}."
            )
    for name in ("off", "ignore"):
        values[name] = tuple(values.get(name, ()))
    for name in values["off"]:
        if name not in (*TABLE, "all"):
            raise SettingError(
                f"[tool.nbsame] off: there is no normaliser {name!r}; "
                f"known are {listed(TABLE)} and all."
            )
    values["normalisers"] = own(values.get("normalisers", {}))
    for name in ("timeout", "rtol"):
        if name in values and not isinstance(values[name], int | float):
            raise SettingError(f"[tool.nbsame] {name}: {values[name]!r} is not a number.")
    return Settings(**values)


def own(table: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return a course's own normalisers, each a pattern and what takes its place."""
    found = {}
    for name, rule in table.items():
        if not isinstance(rule, dict) or rule.keys() != {"pattern", "replace"}:
            raise SettingError(
                f"[tool.nbsame.normalisers] {name}: write "
                f"{name} = {{ pattern = '…', replace = '…' }}."
            )
        try:
            re.compile(rule["pattern"])
        except re.error as problem:
            raise SettingError(f"[tool.nbsame.normalisers] {name}: {problem}.") from None
        found[name] = (rule["pattern"], rule["replace"])
    return found


def listed(names: Any) -> str:
    return ", ".join(sorted(names))
