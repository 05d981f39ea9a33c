"""What linters and the type checker say of the sources: beside the other tests, not before them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# JavaScript that is ours. JupyterLab chose the name _JUPYTERLAB; an observer works once it is made.
SCRIPTS = [
    "linlib/explorers",
    "lincourse/lab",
    "lincourse/publish/source/walk",
    "lincourse/publish/source/static",
    "tests",
]
RULES = ["-D", "correctness", "-D", "suspicious", "-A", "no-underscore-dangle", "-A", "no-new"]
COMMANDS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "--quiet", "."],
    "mypy": ["mypy"],
    "oxlint": ["oxlint", "--format=unix", *RULES, *SCRIPTS],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_sources_pass(name: str) -> None:
    program, *arguments = COMMANDS[name]
    tool = Path(sys.executable).with_name(program)
    done = subprocess.run([tool, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{name}:\n{done.stdout}{done.stderr}", pytrace=False)
