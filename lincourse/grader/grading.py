"""Grades a class: several submissions at once, each whatever it is, and can be taken up again.

Everything is kept in one folder: ``records`` holds what was decided for whom. A submission is
graded again only if its file, the homework or the grader changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import sys
from collections.abc import Iterator
from concurrent.futures import as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from lincourse.grader import RefusedError, report, visible, workers
from lincourse.grader.hidden import questions
from lincourse.grader.judge import Assessment
from lincourse.grader.marks import enter_marks
from lincourse.grader.records import Record
from lincourse.grader.release import RELEASE, assignments
from lincourse.grader.sandbox import Limits
from lincourse.grader.scoring import Grading, Options
from lincourse.grader.source import SOURCE
from lincourse.grader.submission import Submission, find, unpack
from lincourse.grader.verdicts import packed_arguments
from lincourse.paths import HOMEWORK
from lincourse.programs import missing
from linlib.notebook import question as comparing

REFUSAL = (
    "--sandbox: {}; or say --sandbox no to grade without one: submissions can then read your "
    "files, hidden tests included, and use your network."
)
WARNING = (
    "WARNING: no sandbox, as you asked: submissions can read your files and use your network while "
    "they run; only time, memory and output are limited."
)


def fingerprint(homework: str, limits: Limits) -> str:
    """Return a digest of all that a grade depends on besides the submission."""
    here = Path(__file__).parent
    files = [here.parent / "markup.py", *sorted(here.rglob("*.py"))]
    files += [place / homework / f"{homework}.ipynb" for place in (SOURCE, RELEASE)]
    files += [HOMEWORK / "questions" / f"{homework}.py", Path(comparing.__file__)]
    every = [case for question in questions(homework).values() for case in question.cases]
    hidden = [packed_arguments(case) for case in every]
    parts = [path.read_bytes() for path in files] + [text.encode() for text in hidden]
    return hashlib.sha256(b"".join([*parts, repr(limits).encode()])).hexdigest()


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Hold the folder for this process; a second one is turned away."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RefusedError(f"another process is grading into {out}: wait for it.") from error
        yield


def grade_folder(
    homework: str,
    folder: Path,
    out: Path,
    options: Options | None = None,
    stream: TextIO | None = None,
) -> int:
    """Grade all submissions in a folder or a zip; return how many could not be graded."""
    options, stream = options or Options(), stream or sys.stdout
    if homework not in assignments():
        raise RefusedError(
            f"homework: there is no {homework!r}; there are {', '.join(assignments())}."
        )
    one_file = options.visible and folder.is_file()
    if not folder.is_dir() and not one_file and not (folder.suffix == ".zip" and folder.is_file()):
        raise RefusedError(f"submissions: {folder} is not a folder and not a zip.")
    if options.visible:
        walled(options, stream)
        return visible.check(homework, folder, options, stream)
    with alone(out):
        enter_marks(out)  # first, so that nothing that happens now can lose them
        submissions = handed_in(homework, folder, out)
        grading = Grading(homework, out, options)
        away = grading.records.gone({one.student for one in submissions})
        grading.rules.check_names([*counting(grading, submissions), *away.values()])
        if options.again:
            options.again.check({one.student for one in submissions}, grading.possible)
        walled(options, stream)  # last: a wrong argument is called wrong on every machine
        grading.records.fingerprint = fingerprint(homework, options.limits)
        records = graded(grading, submissions, stream)
        return report.write_all(grading, records, stream)


def walled(options: Options, stream: TextIO) -> None:
    """Refuse to run submissions where there is no sandbox, unless that is what was asked for."""
    if options.sandbox and not options.scheduler and (why_not := missing("bwrap")):
        raise RefusedError(REFUSAL.format(why_not))
    if not options.sandbox:
        print(WARNING, file=stream)


def handed_in(homework: str, folder: Path, out: Path) -> list[Submission]:
    """Return the submissions; those of a zip are unpacked beside the results first."""
    zipped = folder.suffix == ".zip"
    found = find(unpack(folder, out / "handed-in") if zipped else folder, homework)
    if not found:
        raise RefusedError(f"submissions: there is nothing in {folder}.")
    return found


def counting(grading: Grading, submissions: list[Submission]) -> list[Submission]:
    """Return the attempts that may count: all, or the last of each student."""
    if grading.rules.attempts == "last":
        return list({one.student: one for one in submissions}.values())
    return submissions


def graded(grading: Grading, submissions: list[Submission], stream: TextIO) -> dict[str, Record]:
    """Return a record for each submission, by its key."""
    submissions = counting(grading, submissions)
    found: dict[str, Record] = {}
    left = []

    def enter(one: Submission, record: Record, outcome: str) -> None:
        found[one.key] = record
        count = f"[{len(found)}/{len(submissions)}]"
        print(f"{count} {one.student}: {record.problem or outcome}", file=stream, flush=True)

    for submission in submissions:
        record = grading.records.known(submission.key, submission.digest)
        if record is None and submission.path is None:
            record = grading.save(submission, Assessment(problem=submission.problem), {})
        if record is None:
            left.append(submission)
        else:
            # The same file may be another attempt now, or have another time.
            record.attempt, record.handed_in = submission.attempt, submission.handed_in
            enter(submission, record, "graded before")
    if not left:
        return found
    with workers.workers(grading.options.jobs, grading.options.scheduler) as (threads, call):
        running = {threads.submit(lambda s: grading.judged(s.data, call), s): s for s in left}
        for done in as_completed(running):
            one = running.pop(done)
            try:
                record = grading.save(one, *done.result())
            except Exception as problem:  # whatever goes wrong with one, the others go on
                said = f"the grader failed: {type(problem).__name__}: {problem}"[:300]
                record = grading.save(one, Assessment(problem=said), {}, final=False)
            enter(one, record, f"{record.seconds:.1f} s")
    return {one.key: found[one.key] for one in submissions}
