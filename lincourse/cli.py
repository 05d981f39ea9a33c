"""The command of the course. It does what the Makefile's targets do, also where there is no make.

``lincourse <command> --help`` is the manual of each. For one lecture, name it: ``lincourse refresh
notebooks/02-perceptron.ipynb`` stores its outputs, ``lincourse check`` with the same path holds it
to them. What is made goes to ``build``, grades to ``graded``.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Sequence

from lincourse.grader import RefusedError
from lincourse.paths import ROOT

PUBLISH = "lincourse.publish"  # it is told the name too
# What `lincourse check` gives to pytest: every notebook is held to its stored outputs, and
# everything at once is spread over workers, a file at a time in the order of conftest.py.
NOTEBOOKS = ["--nbsame"]
WORKERS = ["-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]
# name: module whose main(arguments) carries it out, and what it does
COMMANDS = {
    "lab": ("lincourse.lab", "open JupyterLab on the notebooks"),
    "check": (
        "",
        "run every check; with paths of notebooks or tests, only those (pytest's options)",
    ),
    "refresh": ("lincourse.check.refresh", "run notebooks top to bottom and store their outputs"),
    "accept": ("lincourse.check.accept", "say where a number of a text comes from"),
    "falsify": ("lincourse.check.falsify", "break each claim and see the cell that checks it fail"),
    "reseed": ("lincourse.check.reseed", "run lectures with every seed moved"),
    "site": (PUBLISH, "make the site, in build/site"),
    "lite": (PUBLISH, "make a JupyterLite of the lectures, in build/lite"),
    "slides": (PUBLISH, "make a deck for each lecture, in build/slides"),
    "animation": ("lincourse.publish.animation", "draw the picture of the README again"),
    "book": (PUBLISH, "make the whole course to print, in build/book"),
    "homework": ("lincourse.grader.release", "make the student templates of the homework"),
    "student": ("lincourse.grader.handout", "make the folder and the zip for students"),
    "grade": ("lincourse.grader.cli", "grade a folder or a zip of submissions"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command; return its exit code."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help"):
        print(usage())
        return 0
    if name not in COMMANDS:
        print(f"lincourse: there is no command {name!r}.\n\n{usage()}", file=sys.stderr)
        return 2
    module = COMMANDS[name][0]
    if not module:
        return check(rest)
    sys.argv[0] = f"lincourse {name}"  # as --help says it
    words = [name, *rest] if module == PUBLISH else rest
    try:
        return int(importlib.import_module(module).main(words) or 0)
    except RefusedError as problem:
        sys.exit(str(problem))


def check(arguments: Sequence[str]) -> int:
    """Let pytest check what is named, or else everything; return its exit code."""
    named = any((ROOT / word.partition("::")[0]).exists() for word in arguments)
    options = NOTEBOOKS if named else [*NOTEBOOKS, *WORKERS]
    command = [sys.executable, "-m", "pytest", *options, *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def usage() -> str:
    """Return what this is and the list of commands."""
    lines = [f"  {name:9} {words}" for name, (_, words) in COMMANDS.items()]
    return "\n".join(["usage: lincourse <command> [options]", "", __doc__ or "", *lines])
