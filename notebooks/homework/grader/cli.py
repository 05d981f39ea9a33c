"""The two commands: make the templates, grade what comes back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 if all went well, else how much did not (at most 100)."""
    parser = argparse.ArgumentParser(prog="grader", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("homework", help="make the student templates")
    grade = commands.add_parser("grade", help="grade a folder of submissions")
    grade.add_argument("homework", help="for example hw1")
    grade.add_argument("submissions", type=Path, help="a folder with one file or folder a student")
    grade.add_argument("--out", type=Path, help="where the results go (default: graded/<homework>)")
    options = parser.parse_args(arguments)
    if options.command == "homework":
        from grader.release import build_all

        return min(build_all(), 100)
    from grader.grading import RefusedError, grade_folder

    out = options.out or Path("graded") / options.homework
    try:
        return min(grade_folder(options.homework, options.submissions, out), 100)
    except RefusedError as problem:
        sys.exit(str(problem))
    except KeyboardInterrupt:
        sys.exit("\nStopped. What is graded is kept: the same command goes on from here.")
