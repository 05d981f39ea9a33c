"""Grades a class: several submissions at once, each whatever it is, and can be taken up again.

Everything is kept in one folder: ``records`` holds what was decided for whom. A submission is
graded again only if its file, the homework or the grader changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TextIO

from lincourse.grader import RefusedError, report, workers
from lincourse.grader.fork_server import Limits
from lincourse.grader.hidden import questions
from lincourse.grader.judge import Assessment
from lincourse.grader.records import Record
from lincourse.grader.release import RELEASE, SOURCE, assignments
from lincourse.grader.scoring import Grading, Options
from lincourse.grader.submission import Submission, find, unpack
from lincourse.grader.template_merge import UngradableError
from lincourse.optional import tool
from lincourse.paths import HOMEWORK

REFUSAL = (
    "--sandbox: {}; or say --sandbox no to grade without one: submissions can then read your "
    "files, hidden tests included, and use your network."
)
WARNING = (
    "WARNING: no sandbox, as you asked: submissions can read your files and use your network while "
    "they run; only time, memory and output are limited."
)


class Progress:
    """Counts what is done, a line for each; the time left is reckoned from this run alone."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total, self.stream = total, stream
        self.count = self.fresh = 0
        self.started = time.monotonic()

    def step(self, student: str, outcome: str, *, fresh: bool = True) -> None:
        self.count += 1
        self.fresh += fresh
        each = (time.monotonic() - self.started) / max(self.fresh, 1)
        left = timedelta(seconds=round((self.total - self.count) * each))
        text = f"{self.count}/{self.total}" + (f", {left} left" if self.fresh else "")
        print(f"[{text}] {student}: {outcome}", file=self.stream, flush=True)


def fingerprint(homework: str, limits: Limits) -> str:
    """Return a digest of all that a grade depends on besides the submission."""
    here = Path(__file__).parent
    files = [here.parent / "markup.py", *sorted(here.glob("*.py"))]
    files += sorted((here / "inside").glob("*.py"))
    files += [place / homework / f"{homework}.ipynb" for place in (SOURCE, RELEASE)]
    files += [HOMEWORK / "questions" / f"{homework}.py"]
    hidden = [case.text for question in questions(homework).values() for case in question.cases]
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
    if not folder.is_dir() and not (folder.suffix == ".zip" and folder.is_file()):
        raise RefusedError(f"submissions: {folder} is not a folder and not a zip.")
    with alone(out):
        report.enter_marks(out)  # first, so that nothing that happens now can lose them
        submissions = handed_in(homework, folder, out)
        grading = Grading(homework, out, options)
        # Last, so that a wrong argument is called wrong on every machine.
        if options.sandbox and not options.scheduler and not (bwrap := tool("bwrap")):
            raise RefusedError(REFUSAL.format(bwrap.why))
        if not options.sandbox:
            print(WARNING, file=stream)
        changed = grading.records.open(fingerprint(homework, options.limits))
        records = graded(grading, submissions, stream)
        reason = "the homework or the grader changed" if changed else "marked, or other rules"
        return report.write_all(grading, records, reason, stream)


def handed_in(homework: str, folder: Path, out: Path) -> list[Submission]:
    """Return the submissions; those of a zip are unpacked beside the results first."""
    place = folder
    if folder.suffix == ".zip":
        place = out / "handed-in"
        place.mkdir(exist_ok=True)
        try:
            unpack(folder, place)
        except (UngradableError, OSError) as problem:
            raise RefusedError(f"submissions: {problem}") from problem
    found = find(place, homework)
    if not found:
        raise RefusedError(f"submissions: there is nothing in {folder}.")
    return found


def graded(grading: Grading, submissions: list[Submission], stream: TextIO) -> dict[str, Record]:
    """Return a record for each submission, by its key."""
    if grading.rules.attempts == "last":
        submissions = list({one.student: one for one in submissions}.values())
    found: dict[str, Record] = {}
    progress = Progress(len(submissions), stream)
    left = []
    for submission in submissions:
        record = grading.records.known(submission.key, submission.digest)
        if record is None and submission.path is None:
            record = grading.save(submission, Assessment(problem=submission.problem), {})
        if record is None:
            left.append(submission)
        else:
            # The same file may be another attempt now, or have another time.
            found[submission.key] = replace(
                record, attempt=submission.attempt, handed_in=submission.handed_in
            )
            outcome = record.problem or "graded before"
            progress.step(submission.student, outcome, fresh=False)
    if not left:
        return found
    with workers.workers(grading.options.jobs, grading.options.scheduler) as (executor, width):
        for one, record in workers.results(map(grading.task, left), executor, width):
            found[one.key] = record
            progress.step(one.student, record.problem or f"{record.seconds:.1f} s")
    return {one.key: found[one.key] for one in submissions}
