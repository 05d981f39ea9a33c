"""Finds what was handed in, as platforms export it: files, folders, a zip, several attempts.

Moodle names a folder ``Ada Lovelace_123456_assignsubmission_file_`` (or puts that before the name
of the file), Canvas a file ``lovelaceada_LATE_123_456_hw1-2.ipynb``. A folder may hold
``attempt-1``, ``attempt-2`` and so on; of two exports of the same student the later one is a
further attempt.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
import unicodedata
import zipfile
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from lincourse.grader.reading import LARGEST_FILE
from lincourse.grader.template_merge import UngradableError

MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)\Z", re.S)
CANVAS = re.compile(
    r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<submission>\d+)_(?P<file>.+)\Z", re.S
)
ATTEMPT = re.compile(r"attempt[-_ ]?(\d+)\Z", re.I)
MOST_MEMBERS, LARGEST_ZIP = 100_000, 8 << 30  # files, bytes when unpacked
CHECKPOINTS, IGNORED = ".ipynb_checkpoints", (".", "__MACOSX")


@dataclass(frozen=True)
class Submission:
    """One student's file, or why there is none; ``student`` is unique and safe as a file name."""

    student: str
    name: str
    path: Path | None
    problem: str = ""
    attempt: int = 1
    handed_in: float = 0.0  # seconds since 1970
    platform: dict[str, str] = field(default_factory=dict)  # how the platform knows it

    @property
    def data(self) -> bytes:
        """The file, never what a link leads to; no more of it than can be read as a notebook."""
        if self.path is None:
            return b""
        try:
            file = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError:  # gone since it was found, or a link in its place
            return b""
        with os.fdopen(file, "rb") as opened:
            return opened.read(LARGEST_FILE + 1)

    @property
    def digest(self) -> str:
        """A fingerprint that changes with the file."""
        return hashlib.sha256(self.data or self.problem.encode()).hexdigest()

    @property
    def key(self) -> str:
        """The name of its record; attempts after the first have a number."""
        return self.student if self.attempt == 1 else f"{self.student}~{self.attempt}"


def find(folder: Path, homework: str) -> list[Submission]:
    """Return the submissions of a folder, or of several exports in numbered folders."""
    exports = sorted(folder.glob("export-[0-9]*")) or [folder]
    found: dict[tuple[str, str], list[Submission]] = {}
    for export in exports:
        for entry in sorted(export.iterdir(), key=lambda path: path.name):
            if not entry.name.startswith(IGNORED):
                for submission in tried(entry, homework):
                    who = (submission.name, submission.platform.get("id", ""))
                    found.setdefault(who, []).append(submission)
    taken: set[str] = set()
    listed = []
    for attempts in found.values():
        student = unique(safe(attempts[0].name), taken)
        different = {one.digest: one for one in attempts}.values()
        listed += [replace(s, student=student, attempt=k + 1) for k, s in enumerate(different)]
    return listed


def tried(entry: Path, homework: str) -> list[Submission]:
    """Return the attempts in one entry of a folder; what is none says why."""
    name, platform = known_by(entry)
    attempts = [entry]
    if entry.is_dir() and not entry.is_symlink():
        inner = [path for path in entry.iterdir() if ATTEMPT.match(path.name)]
        attempts = sorted(inner, key=lambda p: int(ATTEMPT.match(p.name)[1])) or attempts  # type: ignore[index]
    found = []
    for attempt in attempts:
        try:
            path = located(attempt, homework)
            when = path.stat().st_mtime
            found.append(Submission("", name, path, handed_in=when, platform=platform))
        except (UngradableError, OSError) as problem:
            said = str(problem) if isinstance(problem, UngradableError) else "it cannot be opened."
            found.append(Submission("", name, None, said, platform=platform))
    return found


def known_by(entry: Path) -> tuple[str, dict[str, str]]:
    """Return a student's name, and what the platform that exported the file needs to find them."""
    for platform, pattern in (("moodle", MOODLE), ("canvas", CANVAS)):
        match = pattern.match(entry.name)
        if match:
            details = {"kind": platform, "id": match["id"], "entry": entry.name}
            if platform == "canvas":
                details |= {"submission": match["submission"], "late": match["late"] or ""}
            return match["name"], details
    return (entry.name if entry.is_dir() else entry.stem) or entry.name, {}


def safe(name: str) -> str:
    """Return a file name made of letters, digits, hyphens and dots inside."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.]+", "-", plain).strip("-.")[:60] or "student"


def unique(name: str, taken: set[str]) -> str:
    candidate, count = name, 1
    while candidate.casefold() in taken:
        count += 1
        candidate = f"{name}-{count}"
    taken.add(candidate.casefold())
    return candidate


def located(entry: Path, homework: str) -> Path:
    """Return the notebook that is meant: the file, or the one in the folder that bears the name."""
    if entry.is_symlink():
        raise UngradableError("it is a link to another file: hand in the file itself.")
    if entry.is_file():
        if entry.suffix != ".ipynb":
            raise UngradableError(
                f"{entry.name[-60:]} is not a notebook: hand in the file that ends in .ipynb."
            )
        return entry
    if not entry.is_dir():
        raise UngradableError("it is neither a file nor a folder.")
    files = [path for path in sorted(entry.rglob("*.ipynb")) if CHECKPOINTS not in path.parts]
    if any(path.is_symlink() or not path.is_file() for path in files):
        raise UngradableError("it holds a link to another file: hand in the file itself.")
    named = [path for path in files if path.name == f"{homework}.ipynb"] or files
    if not named:
        raise UngradableError("there is no notebook in the folder: hand in the file .ipynb.")
    if len(named) > 1:
        names = ", ".join(str(path.relative_to(entry)) for path in named[:3])
        raise UngradableError(f"there are {len(named)} notebooks ({names}): leave one.")
    return named[0]


# ---------------------------------------------------------------- a zip


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a platform's zip beside earlier ones; return the folder of all of them.

    The same zip is unpacked once. A member cannot leave its place, be a link, or be larger than a
    notebook may be.
    """
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    if list(folder.glob(f"export-*-{digest}")):
        return folder
    number = len(list(folder.glob("export-*"))) + 1
    target = folder / f"export-{number:03}-{digest}"
    partial = folder / f".unpacking-{digest}"
    try:
        with zipfile.ZipFile(archive) as members:
            extract(members, partial)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as problem:
        raise UngradableError(f"{archive.name} cannot be unpacked: {problem}.") from problem
    os.replace(partial, target)
    return folder


def extract(members: zipfile.ZipFile, target: Path) -> None:
    """Write the plain files of a zip into a folder."""
    listed = members.infolist()
    if len(listed) > MOST_MEMBERS or sum(one.file_size for one in listed) > LARGEST_ZIP:
        raise UngradableError("the zip holds more than a class can have handed in.")
    target.mkdir(parents=True, exist_ok=True)
    for one in listed:
        kind = stat.S_IFMT(one.external_attr >> 16)
        parts = [plain(part) for part in PurePosixPath(one.filename.replace("\\", "/")).parts]
        parts = [part for part in parts if part]
        if one.is_dir() or not parts or any(part.startswith(IGNORED) for part in parts):
            continue
        path = target.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b""
        if kind in (0, stat.S_IFREG):  # a link becomes an empty file, which says so itself
            with members.open(one) as file:
                data = file.read(LARGEST_FILE + 1)
        path.write_bytes(data)
        when = time.mktime((*one.date_time, 0, 0, -1))
        os.utime(path, (when, when))


def plain(part: str) -> str:
    """Return a part of a path without anything that leads elsewhere."""
    part = "".join(c for c in part if c.isprintable() and c not in '/\\:*?"<>|')[:150]
    return "" if part in ("", ".", "..") else part
