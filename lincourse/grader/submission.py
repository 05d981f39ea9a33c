"""Finds what was handed in, as platforms export it: files, folders, a zip, several attempts.

Moodle names a folder ``Ada Lovelace_123456_assignsubmission_file`` (before 4.1 with ``_`` behind,
or puts that before the name of the file), Canvas a file ``lovelaceada_LATE_123_456_hw1-2.ipynb``:
their number is the student.
Each export holds one attempt of a student at most. Only notebooks are attempts.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
import zipfile
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from lincourse.grader import RefusedError
from lincourse.grader.inside.reading import LARGEST_FILE, bears_name
from lincourse.grader.template_merge import UngradableError

# A student chooses the file's name and perhaps their own: one that holds two numbers is nobody's.
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(file|onlinetext)(_(?P<file>.*))?", re.S
)
CANVAS = re.compile(
    r"(?P<name>[^\W_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<submission>\d+)_(?P<file>.+)", re.S
)
TIMESTAMP = "timestamp.txt"  # nbgrader's exchange writes it when something is handed in
MOST_MEMBERS, LARGEST_ZIP = 100_000, 8 << 30  # files, bytes when unpacked
IGNORED = (".", "__MACOSX")  # how names begin that no student gave


@dataclass(frozen=True)
class Submission:
    """One student's file, or why there is none; ``student`` is unique and safe as a file name."""

    student: str
    name: str
    path: Path | None
    problem: str = ""
    attempt: int = 1
    handed_in: float = 0.0  # seconds since 1970 as a platform recorded it, 0 if none did
    platform: dict[str, str] = field(default_factory=dict)  # how the platform knows it

    @property
    def data(self) -> bytes:
        """The file, never what a link leads to; no more of it than can be read as a notebook."""
        return content(self.path) if self.path else b""

    @property
    def digest(self) -> str:
        """A fingerprint that changes with the file."""
        return hashlib.sha256(self.data or self.problem.encode()).hexdigest()

    @property
    def key(self) -> str:
        """The name of its record, which depends on nobody else and on no other attempt."""
        return f"{self.student}~{self.digest[:12]}"


def content(path: Path) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:  # gone since it was found, or a link in its place
        return b""
    with os.fdopen(file, "rb") as opened:
        return opened.read(LARGEST_FILE + 1)


def find(folder: Path, homework: str) -> list[Submission]:
    """Return the submissions of a folder, or of several exports in numbered folders."""
    exports = sorted(folder.glob("export-[0-9]*"))
    people: dict[str, list[Submission]] = {}
    for export in exports or [folder]:
        entries: dict[str, list[Path]] = {}
        for entry in sorted(export.iterdir(), key=lambda path: path.name):
            if not entry.name.startswith(IGNORED):
                entries.setdefault(known_by(entry)[0], []).append(entry)
        for student, some in entries.items():
            one = handed_in_by(some, homework, bool(exports))
            people.setdefault(student, []).append(one)
    listed = []
    for attempts in people.values():
        # What is no notebook counts only if there is nothing else.
        real = [one for one in attempts if one.problem != NO_NOTEBOOK] or attempts[-1:]
        different: dict[str, Submission] = {}
        for one in real:  # the same file handed in again is the last one
            different.pop(one.digest, None)
            different[one.digest] = one
        listed += [replace(s, attempt=k) for k, s in enumerate(different.values(), 1)]
    return listed


KINDS = (".ipynb", ".zip")  # a zip is unpacked in the sandbox, where its notebook is read
NO_NOTEBOOK = "there is no notebook: hand in the file that ends in .ipynb."


def handed_in_by(entries: list[Path], homework: str, exported: bool) -> Submission:
    """Return what one student's entries of one folder hold; what is no attempt says why."""
    student, name, platform = known_by(entries[0])
    problem, path, handed_in = "", None, 0.0
    try:
        path = chosen([file for entry in entries for file in notebooks(entry)], homework)
        if path and not exported and not platform:
            handed_in = recorded(path.with_name(TIMESTAMP))
    except (UngradableError, OSError) as error:
        problem = str(error) if isinstance(error, UngradableError) else "it cannot be opened."
    problem = problem or ("" if path else NO_NOTEBOOK)
    return Submission(student, name, path, problem, 1, handed_in, platform)


def recorded(path: Path) -> float:
    """Return the time in a file of nbgrader's, 0 if there is none."""
    try:
        text = content(path).decode().strip().removesuffix(" UTC")
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def known_by(entry: Path) -> tuple[str, str, dict[str, str]]:
    """Return who a student is, their name, and what the platform needs to find them again."""
    shown = entry.name.encode("utf-8", "replace").decode()
    numbers = set(re.findall(r"_(\d+)_assignsubmission_", shown))
    for platform, pattern in (("moodle", MOODLE), ("canvas", CANVAS)):
        match = pattern.fullmatch(shown)
        if match and (len(numbers) == 1 if platform == "moodle" else not entry.is_dir()):
            found = match.groupdict("")
            return f"{platform}-{found['id']}", found["name"], {"kind": platform, **found}
    name = shown if entry.is_dir() else Path(shown).stem or shown
    return safe(name), name, {}


def safe(name: str) -> str:
    """Return a file name for a student, in the letters of any language; no two have the same."""
    name = unicodedata.normalize("NFC", name)
    plain = re.sub(r"[^\w .'()-]+", "-", name).strip(" .")[:60]
    plain = plain.encode()[:180].decode("utf-8", "ignore")  # file systems count bytes
    if plain == name:
        return plain
    return f"{plain or 'student'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def notebooks(entry: Path) -> list[tuple[str, Path]]:
    """Return the notebooks of an entry with the names their student gave them."""
    if entry.is_symlink():
        raise UngradableError("it is a link to another file: hand in the file itself.")
    if entry.is_file():
        match = MOODLE.fullmatch(entry.name) or CANVAS.fullmatch(entry.name)
        own = match["file"] or "" if match else entry.name
        return [(own, entry)] if own.lower().endswith(KINDS) else []
    if not entry.is_dir():
        raise UngradableError("it is neither a file nor a folder.")
    files = []
    for path in sorted(entry.rglob("*")):
        if not path.name.lower().endswith(KINDS) or path.is_dir():
            continue
        if any(part.startswith(IGNORED) for part in path.relative_to(entry).parts):
            continue
        if path.is_symlink() or not path.is_file():
            raise UngradableError("it holds a link to another file: hand in the file itself.")
        files.append((path.name, path))
    return files


def chosen(found: list[tuple[str, Path]], homework: str) -> Path | None:
    """Return the notebook that is meant: the only one, or the only one that bears the name."""
    # A zip is looked into only where no notebook lies beside it.
    found = [one for one in found if one[0].lower().endswith(".ipynb")] or found
    named = [one for one in found if bears_name(one[0], homework)] or found
    if len({content(path) for _, path in named}) > 1:
        names = ", ".join(name for name, _ in named[:3])
        raise UngradableError(f"there are {len(named)} notebooks ({names}): leave one.")
    return named[0][1] if named else None


# ---------------------------------------------------------------- a zip


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a zip beside earlier ones, the same one once; return the folder of all of them."""
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    exports = [path.name for path in folder.glob("export-*")]
    if any(name.endswith(digest) for name in exports):
        return folder
    partial = folder / f".unpacking-{digest}"
    partial.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(archive) as members:
            listed = members.infolist()
            if len(listed) > MOST_MEMBERS or sum(one.file_size for one in listed) > LARGEST_ZIP:
                raise zipfile.BadZipFile("it holds more than a class can have handed in")
            for one in listed:  # of which no member leaves its place, and a link is a plain file
                one.filename = "/".join(map(plain, re.split(r"[/\\]", one.filename)))
                if one.filename.strip("./"):
                    members.extract(one, partial)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as problem:
        raise RefusedError(
            f"submissions: {archive.name} cannot be unpacked: {problem}."
        ) from problem
    os.replace(partial, folder / f"export-{len(exports) + 1:03}-{digest}")
    return folder


def plain(part: str) -> str:
    """Return a part of a path without what file systems refuse.

    Of a long name both ends stay: one has the platform's numbers, the other the kind of file.
    """
    kept = "".join(c for c in part if c.isprintable() and c not in '/\\:*?"<>|').encode()
    kept = kept if len(kept) <= 240 else kept[:120] + kept[-120:]
    return kept.decode("utf-8", "ignore")
