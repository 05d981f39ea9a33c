"""The programs that the course can use but does not need: where they are, and how to get them.

Chromium prints PDFs and shows pages to the tests, bubblewrap is the grader's sandbox, npm fetches
what live pages, slides and fonts need, and Coq checks proofs.
"""

from __future__ import annotations

import shutil
import sys

# Under which names a program may be found, and the system's package that brings it: where these
# are not just its own name.
NAMES = {"chromium": ["chromium", "chromium-browser", "google-chrome"]}
PACKAGES = {"bwrap": "bubblewrap", "coqc": "coq", "node": "nodejs"}


def find(program: str) -> str | None:
    """Return the path of a program, or None if it is not on this machine."""
    paths = map(shutil.which, NAMES.get(program, [program]))
    return next(filter(None, paths), None)


def missing(program: str) -> str:
    """Return why a program cannot be used and what to do about it; nothing if it can be used."""
    path = find(program)
    if path:
        return no_sandbox(path) if program == "bwrap" else ""
    if program == "bwrap" and sys.platform != "linux":
        return "bwrap is not on this machine: it is for Linux only"
    package = PACKAGES.get(program, program)
    return f"{program} is not on this machine: install the package {package}"


def no_sandbox(path: str) -> str:
    """Return what keeps bubblewrap from making the grader's sandbox here, and the remedy."""
    from lincourse.grader import bwrap

    problem = bwrap.problem(path)
    if problem is None:
        return ""
    return f"{path} does not work here ({problem or 'it says nothing'}): {bwrap.remedy(problem)}"
