"""Grades a folder of submissions, one after another, and can be stopped and taken up again.

Everything is kept in one folder: ``records`` holds what was decided for whom, ``nbgrader`` the
gradebook. A submission is graded again only if its file, the homework or the grader changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

import nbformat
from nbformat import NotebookNode

from grader import judge, report, sandbox
from grader.course import SOURCE, Course, CourseError, assignments
from grader.files import put
from grader.hidden import questions
from grader.release import LeakError, template
from grader.sandbox import Limits
from grader.submission import Submission, UngradableError, find, laid_out, read

WARNING = (
    "WARNING: bubblewrap is not available, so submissions can read your files and use your network "
    "while they run; time, memory and output are limited. Install it (apt install bubblewrap)."
)


class RefusedError(Exception):
    """The command cannot be carried out, and why."""


@dataclass
class Record:
    """What was decided about one submission."""

    student: str
    name: str
    digest: str
    problem: str = ""  # why it could not be graded
    notes: list[str] = field(default_factory=list)
    remarks: dict[str, str] = field(default_factory=dict)  # question: why it has no points
    seconds: float = 0.0


class Grading:
    """One homework, one folder of results."""

    def __init__(self, homework: str, out: Path, limits: Limits, *, isolated: bool) -> None:
        self.homework, self.out, self.limits, self.isolated = homework, out, limits, isolated
        self.questions = questions(homework)
        path = SOURCE / homework / f"{homework}.ipynb"
        self.source: NotebookNode = nbformat.read(path, as_version=4)
        self.template = template(homework)
        self.course = Course(out / "nbgrader", homework, decide=self.decide_now())
        self.fingerprint = fingerprint(homework)
        self.current: Record | None = None
        self.records = out / "records"

    def open(self) -> None:
        """Prepare the folder; a homework that changed since makes all older records void."""
        self.records.mkdir(parents=True, exist_ok=True)
        mark = self.records / ".homework"
        if not mark.exists() or mark.read_text(encoding="utf-8") != self.fingerprint:
            for record in self.records.glob("*.json"):
                record.unlink()
            set_aside(self.course.root)
            self.course.root.mkdir(parents=True)
            self.course.generate(SOURCE / self.homework)
            put(mark, self.fingerprint)

    def known(self, submission: Submission) -> Record | None:
        """Return the record of exactly this file, if there is one."""
        try:
            path = self.records / f"{submission.student}.json"
            record = Record(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        return record if record.digest == submission.digest else None

    def grade(self, submission: Submission) -> Record:
        """Decide about one submission, whatever it is, and write the decision down."""
        record = Record(submission.student, submission.name, submission.digest)
        started = time.monotonic()
        try:
            if submission.path is None:
                raise UngradableError(submission.problem)
            names = {label: question.name for label, question in self.questions.items()}
            notebook, record.notes = laid_out(read(submission.path), self.template, names)
            self.current = record
            self.course.forget(submission.student)  # marks of an earlier file are in written.csv
            self.course.autograde(submission.student, notebook)
        except UngradableError as problem:
            record.problem = str(problem)
        except CourseError as problem:
            record.problem = f"nbgrader failed: {str(problem).splitlines()[-1][:200]}"
        except Exception as problem:  # one submission must not stop the others
            record.problem = f"the grader failed: {type(problem).__name__}: {problem}"[:300]
        if record.problem:
            self.course.forget(submission.student)
        record.seconds = round(time.monotonic() - started, 1)
        put(self.records / f"{submission.student}.json", json.dumps(asdict(record), indent=1))
        return record

    def decide_now(self) -> Callable[..., tuple[NotebookNode, dict[str, Any]]]:
        """Return what nbgrader calls in place of its own execution of the notebook."""

        def decide(notebook: NotebookNode, resources: dict[str, Any]) -> Any:
            assert self.current is not None
            visible = {cell.metadata.nbgrader.grade_id: cell.source for cell in self.template.cells}
            tests = [cell for cell in notebook.cells if judge.is_test(cell)]
            for cell in tests:
                cell.source = visible[cell.metadata.nbgrader.grade_id]
            ended = judge.show(notebook, self.limits, isolated=self.isolated)
            self.current.notes += [f"{cell}: {why}" for cell, why in ended.items()]
            verdicts = judge.judge(
                notebook, self.questions, self.limits, isolated=self.isolated, ended=ended
            )
            for cell in tests:
                label = cell.metadata.nbgrader.grade_id.removesuffix("-tests")
                judge.write_verdict(cell, verdicts[label])
                if not verdicts[label].passed:
                    self.current.remarks[label] = verdicts[label].message
                if verdicts[label].message == sandbox.FATES["late"]:
                    self.current.notes.append(f"{label}: {verdicts[label].message}")
            return notebook, resources

        return decide


def set_aside(folder: Path) -> None:
    """Keep an older gradebook under another name."""
    if folder.exists():
        number = len(list(folder.parent.glob(f"{folder.name}.*"))) + 1
        folder.rename(folder.with_name(f"{folder.name}.{number}"))


def fingerprint(homework: str) -> str:
    """Return a digest of all that a grade depends on besides the submission."""
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), here.parent / "questions" / f"{homework}.py"]
    files.append(SOURCE / homework / f"{homework}.ipynb")
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


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
    limits: Limits | None = None,
    stream: TextIO | None = None,
) -> int:
    """Grade all submissions in a folder; return how many could not be graded."""
    stream = stream or sys.stdout
    if homework not in assignments():
        raise RefusedError(f"HW: there is no {homework!r}; there are {', '.join(assignments())}.")
    if not folder.is_dir():
        raise RefusedError(f"SUBMISSIONS: {folder} is not a folder.")
    submissions = find(folder, homework)
    if not submissions:
        raise RefusedError(f"SUBMISSIONS: there is nothing in {folder}.")
    isolated = sandbox.walls_available()
    if not isolated:
        print(WARNING, file=stream)
    with alone(out):
        try:
            grading = Grading(homework, out, limits or Limits(), isolated=isolated)
        except LeakError as problem:
            raise RefusedError(f"{homework}: {problem}") from problem
        grading.open()
        records = graded(grading, submissions, stream)
        return report.write_all(grading, records, stream)


def graded(grading: Grading, submissions: list[Submission], stream: TextIO) -> list[Record]:
    """Return a record for each submission, with a bar that shows how far it is."""
    records = []
    live = stream.isatty()
    for done, submission in enumerate(submissions):
        record = grading.known(submission)
        again = record is not None
        if live:
            filled = 30 * done // len(submissions)
            bar = "#" * filled + "." * (30 - filled)
            text = f"\r[{bar}] {done}/{len(submissions)} {submission.student}\033[K"
            print(text, end="", file=stream, flush=True)
        record = record or grading.grade(submission)
        records.append(record)
        if not live:
            outcome = record.problem or ("graded before" if again else f"{record.seconds} s")
            count = f"{done + 1}/{len(submissions)}"
            print(f"[{count}] {record.student}: {outcome}", file=stream, flush=True)
    if live:
        print(f"\r[{'#' * 30}] {len(submissions)}/{len(submissions)}\033[K", file=stream)
    return records
