"""The commands: make the templates, make what students get, grade what comes back."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from lincourse.grader import RefusedError

ANSWERS = Path("build/answers")
SOME_FAILED = 3  # the exit code if some submission could not be graded; 1 is a refusal


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 if all went well, 1 if it was refused, 3 if some of it failed."""
    options = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):  # a student's name stops nothing
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    commands = {"homework": homework, "student": student, "grade": grade}
    try:
        return SOME_FAILED if commands[options.command](options) else 0
    except RefusedError as problem:
        sys.exit(str(problem))
    except KeyboardInterrupt:
        sys.exit("\nStopped. What is graded is kept: the same command goes on from here.")


def homework(options: argparse.Namespace) -> int:
    from lincourse.grader.hidden import renew
    from lincourse.grader.release import build_all, model_answers

    if options.answers:
        print(f"Model answers without hidden tests: {model_answers(options.answers, ANSWERS)}")
        return 0
    if options.seed is not None:
        renew(options.seed)
    return build_all()


def student(options: argparse.Namespace) -> int:
    from lincourse.grader.handout import build

    build(options.out, options.site)
    return 0


def grade(options: argparse.Namespace) -> int:
    if sys.platform == "win32":
        sys.exit("grade: needs Linux or macOS; on Windows run it in WSL.")
    from lincourse.grader.grading import grade_folder
    from lincourse.grader.scoring import Options

    out = options.out or Path("graded") / options.homework
    how = Options(
        jobs=options.jobs or None,
        scheduler=options.scheduler or None,
        sandbox=options.sandbox == "yes",
        rules=options.rules,
    )
    return grade_folder(options.homework, options.submissions, out, how)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="lincourse", description=__doc__)
    commands = made.add_subparsers(dest="command", required=True)
    homework = commands.add_parser("homework", help="make the student templates")
    homework.add_argument("--seed", type=int, help="draw new hidden data, kept out of git")
    homework.add_argument(
        "--answers", metavar="HW", help="write model answers to build/answers, after the deadline"
    )
    student = commands.add_parser("student", help="make the folder and the zip for students")
    student.add_argument("--out", type=Path, default=Path("build/student"))
    student.add_argument("--site", default="", help="where the course's site is, for its README")
    grade = commands.add_parser("grade", help="grade a folder of submissions")
    grade.add_argument("homework", help="for example hw1")
    grade.add_argument("submissions", type=Path, help="a folder, or a zip as a platform exports it")
    grade.add_argument("--out", type=Path, help="where the results go (default: graded/<homework>)")
    grade.add_argument("--jobs", type=int, default=0, help="how many at once (default: all cores)")
    grade.add_argument("--scheduler", help="grade on a Dask cluster: tcp://…")
    grade.add_argument("--rules", type=Path, help="late penalties, extensions, attempts (TOML)")
    grade.add_argument(
        "--sandbox",
        choices=("yes", "no"),
        default="yes",
        help="no: run submissions without isolation, only where you trust all of them",
    )
    return made
