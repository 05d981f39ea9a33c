"""The command that grades; what it needs of Unix is imported only once that can be there."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from lincourse.grader import SOME_FAILED


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade submissions; return 0 if all went well, 3 if some of them could not be graded."""
    parser = argparse.ArgumentParser(description="Grade a folder of submissions.")
    parser.add_argument("homework", help="for example hw1")
    parser.add_argument(
        "submissions", type=Path, help="a folder, or a zip of a platform's export (or one notebook)"
    )
    parser.add_argument(
        "--visible",
        action="store_true",
        help="only say what the tests that students see find, in seconds; nothing is kept",
    )
    parser.add_argument("--out", type=Path, help="where results go (default: graded/<homework>)")
    parser.add_argument("--jobs", type=int, help="how many at once (default: all cores)")
    parser.add_argument("--scheduler", help="grade on a Dask cluster: tcp://…")
    parser.add_argument("--rules", type=Path, help="late penalties, extensions, attempts (TOML)")
    parser.add_argument(
        "--sandbox",
        choices=("yes", "no"),
        default="yes",
        help="no: run submissions without isolation, only where you trust all of them",
    )
    asked = parser.add_argument_group(
        "a student asks again",
        "The message is kept beside the old and the new mark. Without --met and --points it stays.",
    )
    asked.add_argument("--again", nargs=3, metavar=("STUDENT", "QUESTION", "MESSAGE"))
    asked.add_argument("--met", help='the lines of the rubric that are met: "1 3"; "" for none')
    asked.add_argument("--points", help="points that are not the sum of the lines")
    asked.add_argument("--comment", help="what the student reads")
    options = parser.parse_args(arguments)
    decided = {name: getattr(options, name) for name in ("met", "points", "comment")}
    if not options.again and any(value is not None for value in decided.values()):
        parser.error("--met, --points and --comment belong to --again.")
    if sys.platform == "win32":
        sys.exit("grade: needs Linux or macOS; on Windows run it in WSL.")
    from lincourse.grader.grading import grade_folder
    from lincourse.grader.marks import Again
    from lincourse.grader.scoring import Options

    for stream in (sys.stdout, sys.stderr):  # a student's name stops nothing
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    how = Options(
        jobs=options.jobs,
        scheduler=options.scheduler,
        sandbox=options.sandbox == "yes",
        rules=options.rules,
        again=Again(*options.again, **decided) if options.again else None,
        visible=options.visible,
    )
    out = options.out or Path("graded") / options.homework
    try:
        failed = grade_folder(options.homework, options.submissions, out, how)
    except KeyboardInterrupt:
        sys.exit("\nStopped. What is graded is kept: the same command goes on from here.")
    return SOME_FAILED if failed else 0
