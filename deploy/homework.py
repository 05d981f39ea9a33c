"""Homework of the class, run by the instructor on the class server, in a terminal of JupyterLab.

``python deploy/homework.py release hw1``, then ``collect``, ``grade`` (options of the grader may
follow) and ``feedback``. nbgrader carries files, the course's grader grades; all of it stays in
``graded/class`` and ``graded/hw1`` of the instructor's copy of the repository.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COURSE = ROOT / "graded/class"
RELEASE = ROOT / "notebooks/homework/release"


def main() -> int:
    """Carry out one step for one homework."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("release", "collect", "grade", "feedback"))
    parser.add_argument("homework", choices=sorted(path.name for path in RELEASE.iterdir()))
    options, more = parser.parse_known_args()
    step, homework = options.step, options.homework
    COURSE.mkdir(mode=0o700, parents=True, exist_ok=True)
    if step == "release":
        shutil.copytree(RELEASE / homework, COURSE / "release" / homework, dirs_exist_ok=True)
        return nbgrader("release_assignment", homework, "--force", *more)
    if step == "collect":
        return nbgrader("collect", homework, "--update", *more)
    if step == "grade":
        handed_in = str(COURSE / "submitted" / homework)
        run = [sys.executable, "-m", "lincourse", "grade", homework, handed_in, *more]
        return subprocess.run(run, cwd=ROOT).returncode  # this copy's grader and questions
    for page in sorted((ROOT / "graded" / homework / "feedback").glob("*.html")):
        folder = COURSE / "feedback" / homework / page.stem
        shutil.copytree(COURSE / "submitted" / homework / page.stem, folder, dirs_exist_ok=True)
        shutil.copyfile(page, folder / f"{homework}.html")
    return nbgrader("release_feedback", homework, *more)


def nbgrader(*words: str) -> int:
    """Run nbgrader on the course's folder; students may add to ``inbound`` but not rename in it."""
    run = [sys.executable, "-m", "nbgrader", *words, f"--CourseDirectory.root={COURSE}"]
    path = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    status = subprocess.run(run, cwd=COURSE, env=path).returncode
    inbound = Path(sys.prefix).parent / "exchange/linear/inbound"
    if inbound.exists():
        inbound.chmod(0o1733)
    return status


if __name__ == "__main__":
    sys.exit(main())
