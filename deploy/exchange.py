"""Homework through nbgrader's exchange: release, collect, grade with the course's grader, return.

A submission is made by the student's own process, so nothing in it is believed: not the name, not
the time, not that its files are files. It is first taken into custody (moved where the student
cannot reach it, owned by root), then looked at, and only then given to nbgrader.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from deploy import accounts
from deploy.settings import COURSE, ROOT, Place, WrongError

MOST = 20 << 20  # bytes of a file
SENT = re.compile(r"(?P<student>[a-z][a-z0-9-]*)\+(?P<homework>[a-z0-9]+)\+")
NOTED = ("--ExchangeCollect.check_owner=False",)  # it was checked, and refused if wrong
HOMEWORK = re.compile(r"hw\d+\Z")
TIME = "%Y-%m-%d %H:%M:%S.%f UTC"


def nbgrader(place: Place, *words: str, root: Path | None = None) -> None:
    """Run nbgrader on the course's folder."""
    command = [str(Path(sys.executable).with_name("nbgrader")), *words]
    options = {
        "CourseDirectory.root": place.course,
        "CourseDirectory.course_id": COURSE,
        "Exchange.root": root or place.exchange,
        "CourseDirectory.db_url": f"sqlite:///{place.course / 'gradebook.db'}",
        "Application.log_level": 40,
    }
    said = [f"--{name}={value}" for name, value in options.items()]
    here = Path(sys.executable).parent  # nbgrader calls alembic
    path = {**os.environ, "PATH": f"{here}:{os.environ['PATH']}"}
    subprocess.run([*command, *said], cwd=place.course, check=True, env=path)


def known(homework: str) -> str:
    """Return the name of a homework, or refuse it."""
    template = ROOT / "notebooks/homework/release" / homework / f"{homework}.ipynb"
    if not HOMEWORK.match(homework) or not template.exists():
        raise WrongError(f"There is no homework {homework!r}.")
    return homework


def release(place: Place, homework: str) -> None:
    """Hand a homework out: it appears in everybody's list of assignments."""
    source = ROOT / "notebooks/homework/release" / known(homework) / f"{homework}.ipynb"
    target = place.course / "release" / homework
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target / source.name)
    nbgrader(place, "release_assignment", homework, "--force")
    (place.exchange / COURSE / "inbound").chmod(0o1733)
    place.exchange.chmod(0o1777)


def collect(place: Place, homework: str) -> list[str]:
    """Collect what was handed in; return why something was not taken."""
    custody = place.course / "custody"
    inbound = custody / COURSE / "inbound"
    inbound.mkdir(parents=True, exist_ok=True)
    refused = list(taken(place, known(homework), inbound))
    nbgrader(place, "collect", homework, "--update", *NOTED, root=custody)
    custody.chmod(0o700)
    return refused


def taken(place: Place, homework: str, inbound: Path) -> Iterator[str]:
    """Take submissions into custody; yield what is wrong with those that are refused."""
    members = {place.settings().instructor, *place.class_list()}
    for sent, custody in handed_in(place, members):
        match = SENT.match(sent.name)
        if match and match["homework"] != homework:
            continue
        held = custody / f"{sent.name}-{os.urandom(4).hex()}"
        info = sent.lstat()
        sent.rename(held)
        if not stat.S_ISDIR(info.st_mode):
            yield f"{sent.name}: it is no folder."
            continue
        os.chown(held, 0, 0, follow_symlinks=False)
        held.chmod(0o700)  # from here on nobody else can put anything into it
        try:
            student, when = judged(held, match, members, info, homework)
        except WrongError as problem:
            yield f"{sent.name}: {problem}"
            continue
        stamp = datetime.fromtimestamp(when, UTC).strftime(TIME)
        target = inbound / f"{student}+{homework}+{stamp}+{os.urandom(6).hex()}"
        target.mkdir()
        for name in (f"{homework}.ipynb", "submission_secret.txt"):
            (target / name).write_bytes(content(held / name))
        (target / "timestamp.txt").write_text(stamp)
        os.utime(target / f"{homework}.ipynb", (when, when))
        shutil.rmtree(held)


def handed_in(place: Place, members: set[str]) -> list[tuple[Path, Path]]:
    """Return what lies in the exchange or on students' disks, each with root's folder beside it."""
    shared = place.course / "held"
    shared.mkdir(exist_ok=True)
    pairs = {place.exchange / COURSE / "inbound": shared}
    for name in sorted(members):
        accounts.ensure(place, name)
        if (place.disks / name / "inbound").exists():
            pairs[place.disks / name / "inbound"] = place.disks / name / "held"
    return [(sent, held) for inbound, held in pairs.items() for sent in sorted(inbound.iterdir())]


def judged(
    held: Path, match: re.Match[str] | None, members: set[str], info: os.stat_result, homework: str
) -> tuple[str, float]:
    """Return whose submission it is and when it came; the kernel says both."""
    try:
        owner = pwd.getpwuid(info.st_uid).pw_name
    except KeyError:
        owner = "nobody known"
    if match is None or owner not in members:
        raise WrongError(f"it is from {owner}, who is not on the class list.")
    if match["student"] != owner:
        raise WrongError(f"it says {match['student']} and is from {owner}.")
    for name in (f"{homework}.ipynb", "submission_secret.txt"):
        file = held / name
        if not os.path.lexists(file):
            raise WrongError(f"{name} is missing.")
        seen = file.lstat()
        if not stat.S_ISREG(seen.st_mode) or seen.st_nlink != 1 or seen.st_uid != info.st_uid:
            raise WrongError(f"{name} is not a file of {owner}'s own.")
        if seen.st_size > MOST:
            raise WrongError(f"{name} is larger than {MOST >> 20} MB.")
    # the time of a change of the file's entry: no program of the student's can set it back
    return owner, (held / f"{homework}.ipynb").lstat().st_ctime


def content(path: Path) -> bytes:
    """Return a file's bytes, and never those of what it points to."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        return file.read(MOST)


def grade(place: Place, homework: str, options: list[str]) -> int:
    """Grade what was collected with the course's own grader; return its exit status."""
    sheets = place.course / "sheets" / known(homework)
    shutil.rmtree(sheets, ignore_errors=True)
    sheets.mkdir(parents=True)
    for file in sorted(place.course.glob(f"submitted/*/{homework}/{homework}.ipynb")):
        student = file.parent.parent.name
        (sheets / student).mkdir()
        shutil.copy2(file, sheets / student / file.name)
    out = place.course / "graded" / homework
    run = [sys.executable, "-m", "grader", "grade", homework, sheets, "--out", out, *options]
    path = {**os.environ, "PYTHONPATH": str(ROOT / "notebooks/homework")}
    return subprocess.run(run, cwd=ROOT, env=path).returncode


def feedback(place: Place, homework: str) -> int:
    """Return the feedback that grading made, each to its student; return to how many."""
    count = 0
    for page in sorted((place.course / "graded" / known(homework) / "feedback").glob("*.html")):
        submitted = place.course / "submitted" / page.stem / homework
        if not submitted.exists():
            continue
        folder = place.course / "feedback" / page.stem / homework
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, folder / f"{homework}.html")
        for name in ("timestamp.txt", "submission_secret.txt"):
            shutil.copyfile(submitted / name, folder / name)
        count += 1
    nbgrader(place, "release_feedback", homework)
    return count
