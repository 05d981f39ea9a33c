"""Where the class server keeps what, and how it is set: one folder, one file of settings."""

from __future__ import annotations

import math
import os
import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COURSE = "linear"  # the course's name in nbgrader's exchange
NAME = re.compile(r"[a-z][a-z0-9-]{0,30}\Z")  # a name of the class list is also a Unix account
UNITS = {"K": 10, "M": 20, "G": 30}


class WrongError(Exception):
    """What is wrong with settings, class list or machine, in one sentence."""


@dataclass(frozen=True)
class Settings:
    """What ``hub.toml`` can say."""

    instructor: str = "teacher"
    authenticator: str = "firstuse"
    idle_minutes: float = 60
    memory: str = "1G"
    cpu: float = 1.0
    processes: int = 200
    file: str = "1G"
    disk: str = "1G"
    restart_seconds: int = 10
    tuned: bool = True
    traits: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """The folder of a class server; only ``open`` parts of it can be entered by students."""

    folder: Path

    def __getattr__(self, name: str) -> Path:
        """Return one of the folders and files below."""
        # open to students: env, server (settings of their servers), lectures, exchange, homes/own
        # closed to them: hub (database, secrets, passwords), course (submissions, grades),
        # proxy, disks
        known = {"env", "server", "lectures", "exchange", "homes", "hub", "course"}
        if name not in known | {"proxy", "disks"}:
            raise AttributeError(name)
        return self.folder / name

    @property
    def python(self) -> Path:
        """The Python that hub and students share."""
        return self.env / "bin/python"

    def home(self, name: str) -> Path:
        """Return a student's folder."""
        return self.homes / name

    def settings(self) -> Settings:
        """Read ``hub.toml``; a word it does not know is refused."""
        file = self.folder / "hub.toml"
        said = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        unknown = said.keys() - {each.name for each in fields(Settings)}
        if unknown:
            raise WrongError(f"{file}: there is no setting {sorted(unknown)[0]!r}.")
        return Settings(**said)

    def class_list(self) -> list[str]:
        """Return the names of the class list, without the instructor; refuse what is no name."""
        file = self.folder / "class.txt"
        names = []
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            name = line.split("#")[0].strip()
            if name and not NAME.match(name):
                raise WrongError(
                    f"{file}, line {number}: {name!r} must be small letters, digits and hyphens, "
                    "begin with a letter and have at most 31 of them."
                )
            if name and name != self.settings().instructor and name not in names:
                names.append(name)
        return names


def here() -> Place:
    """Return the place named by the environment (``make hub HUB=…``)."""
    return Place(Path(os.environ.get("LINLIB_HUB", "/srv/linlib-hub")).absolute())


def threads(cpu: float) -> dict[str, str]:
    """Return how many threads a library may use that computes in parallel."""
    count = str(max(1, math.floor(cpu)))
    return {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count}


def size(text: str) -> int:
    """Return the bytes of "1G", "512M" or "1000"."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)", text)
    if not match:
        raise WrongError(f"{text!r} is no size: write 512M or 1G.")
    return int(float(match[1]) * (1 << UNITS.get(match[2], 0)))
