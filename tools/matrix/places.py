"""Where a row of the matrix runs: a copy of the checkout, an interpreter, an environment."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "matrix"


class MissingError(Exception):
    """What this machine lacks for a row, in a phrase."""


def plain() -> dict[str, str]:
    """Return this environment without what make and an activated environment add."""
    ours = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHONHOME", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in ours}


@dataclass
class Place:
    """One run of the tests, which a row may change before it begins."""

    folder: Path = BUILD / "checkout"
    python: Path = Path(sys.executable)
    home: Path = BUILD / "home"
    variables: dict[str, str] = field(default_factory=plain)
    wrapper: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        path = [str(self.folder), *self.variables.get("PYTHONPATH", "").split(os.pathsep)]
        added = {"HOME": str(self.home), "PYTHONPATH": os.pathsep.join(filter(None, path))}
        return self.variables | added

    def set(self, **variables: str) -> None:
        self.variables |= variables

    def ask(self, code: str) -> str:
        """Return what a line of Python prints in this place."""
        command = [*self.wrapper, str(self.python), "-c", code]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, encoding="utf-8"
        )
        if done.returncode:
            raise MissingError(f"Python does not start: {last_line(done.stderr)}")
        return done.stdout.strip()

    def fill(self) -> None:
        """Copy the checkout, as git would hand it to somebody else, and make an empty home."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in tracked():
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        self.home.mkdir(parents=True, exist_ok=True)

    def install(self, python: str, *what: str) -> None:
        """Use an environment of its own with another Python; ``what`` goes to ``uv pip``."""
        folder = (
            BUILD / f"venv-{re.sub(r'[^a-z0-9]+', '-', ' '.join([python, *what]).lower())[:60]}"
        )
        uv("venv", "--quiet", "--clear", "--python", interpreter(python), str(folder))
        self.python = folder / "bin" / "python"
        self.pip(*what)

    def pip(self, *what: str) -> None:
        uv("pip", *what, "--quiet", "--compile-bytecode", "--python", str(self.python))


def tracked() -> list[str]:
    """Return the files that are, or are about to be, in the repository."""
    if not (ROOT / ".git").exists():
        raise SystemExit("make matrix copies what git knows: this is not a git checkout.")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file())


def uv(*words: str) -> str:
    command = [str(Path(sys.executable).with_name("uv")), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        reason = re.sub(r"\s+", " ", done.stderr).strip()
        raise MissingError(f"`uv {' '.join(words[:2])}` failed: {reason[:200]}")
    return done.stdout.strip()


@functools.cache
def interpreter(release: str) -> str:
    """Return a Python of this release: here already, of pyenv, or one that uv can fetch."""
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if release == own:
        return sys.executable
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for found in sorted(versions.glob(f"{release}.*/bin/python"), reverse=True):
        return str(found)
    try:
        return uv("python", "find", release)
    except MissingError:
        pass
    try:
        uv(
            "python",
            "install",
            "--quiet",
            "--no-bin",
            "--install-dir",
            str(BUILD / "python"),
            release,
        )
    except MissingError:
        raise MissingError(f"there is no Python {release} here, and uv can fetch none") from None
    return str(next((BUILD / "python").glob(f"*{release}*/bin/python")))


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it printed nothing"])[-1]
