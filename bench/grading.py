"""CPU seconds a submission, ours beside nbgrader's, on the same submissions in the same run.

``python -m bench.grading 40 8`` grades so many submissions of homework 1 with this course's grader,
by one, two and four workers, and so many with ``nbgrader autograde``. The CPU seconds are those of
every process that takes part; if they do not grow with the workers, the work is shared evenly.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from lincourse.grader import sandbox
from lincourse.grader.grading import grade_folder
from lincourse.grader.hidden import questions
from lincourse.grader.scoring import Options
from lincourse.grader.source import SOURCE
from lincourse.paths import ROOT
from tests.handed_in import filled, hand_in

WRONG = [
    {label: answer}
    for label, question in questions("hw1").items()
    for answer in list(question.wrong.values())[:3]
]


def submissions(count: int) -> list[dict]:
    """Return as many notebooks: every third is right throughout, the others have one mistake."""
    mixed = [{} if k % 3 == 0 else WRONG[k % len(WRONG)] for k in range(count)]
    return [filled("hw1", **answers) for answers in mixed]


def ours(count: int, folder: Path, jobs: int) -> tuple[float, float]:
    """Return the CPU seconds of this process and of every sandbox, and the seconds passed."""
    for k, notebook in enumerate(submissions(count)):
        hand_in(folder / "in", f"s{k:03}", notebook)
    spent: list[float] = []
    end_tree = sandbox.end_tree

    def measured(process: subprocess.Popen[bytes]) -> None:
        """Bubblewrap does not wait for what it starts, so look at it before it ends."""
        for one in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                spent.append(sum(one.cpu_times()[:4]))
        end_tree(process)

    sandbox.end_tree = measured
    before, started = sum(os.times()[:4]), time.monotonic()
    try:
        grade_folder("hw1", folder / "in", folder / "out", Options(jobs=jobs), io.StringIO())
    finally:
        sandbox.end_tree = end_tree
    passed = time.monotonic() - started
    return sum(os.times()[:4]) - before + sum(spent), passed


def nbgraders(count: int, folder: Path) -> float:
    """Return the CPU seconds of nbgrader and its kernels."""
    for k, notebook in enumerate(submissions(count)):
        place = folder / "submitted" / f"s{k:03}" / "hw1"
        place.mkdir(parents=True)
        (place / "hw1.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (folder / "source").mkdir()
    os.symlink(SOURCE / "hw1", folder / "source" / "hw1")
    paths = {"PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    before = sum(os.times()[2:4])
    for step in ("generate_assignment", "autograde"):
        command = [sys.executable, "-m", "nbgrader", step, "hw1", "--create", "--force"]
        command = command if step == "autograde" else command[:-2]
        subprocess.run(
            [*command, "--CourseDirectory.course_id=x"],
            cwd=folder,
            env=os.environ | paths,
            capture_output=True,
            check=True,
        )
        before = before if step == "autograde" else sum(os.times()[2:4])
    return sum(os.times()[2:4]) - before


if __name__ == "__main__":
    many, few = (int(word) for word in [*sys.argv[1:], "40", "8"][:2])
    by_jobs = {}
    for jobs in (1, 2, 4):
        with tempfile.TemporaryDirectory() as folder:
            cpu, passed = (seconds / many for seconds in ours(many, Path(folder), jobs))
        by_jobs[jobs] = cpu
        by = f"{many} of them by {jobs} worker{'s' if jobs > 1 else ''}"
        print(f"ours: {cpu:.2f} CPU seconds a submission, {passed:.2f} s passed, {by}")
    with tempfile.TemporaryDirectory() as folder:
        spent = nbgraders(few, Path(folder)) / few
        print(f"nbgrader: {spent:.2f} CPU seconds a submission, {few} of them")
    print(f"ours costs {by_jobs[1] / spent:.0%} of nbgrader's CPU time by one worker")
