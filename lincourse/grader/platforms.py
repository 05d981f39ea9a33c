"""Files that Moodle and Canvas take back: grades as their tables, feedback as their zips.

Moodle knows a submission by the number in its folder's name, Canvas by two numbers in its file's
name; both were kept when it was found.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lincourse.files import replacing
from lincourse.grader.records import put_table
from lincourse.grader.submission import plain

if TYPE_CHECKING:
    from lincourse.grader.report import Grade

COLUMNS = {
    "moodle": "Identifier,Full name,Grade,Maximum Grade,Last modified (grade),Feedback comments",
    "canvas": "Student,ID,SIS User ID,SIS Login ID,Section",
}
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same grades give the same zip


def write(out: Path, homework: str, grades: list[Grade], possible: dict[str, float]) -> None:
    """Write what the platform of these submissions takes back, if they come from one."""
    of = f"{sum(possible.values()):g}"
    for kind, row, first in (
        ("moodle", moodle_row, []),
        ("canvas", canvas_row, [{"Student": "    Points Possible", homework: of}]),
    ):
        mine = [grade for grade in grades if grade.record.platform.get("kind") == kind]
        if not mine:
            continue
        # An empty grade would delete one that is there: who has none yet is left out.
        done = [grade for grade in mine if not grade.left and not grade.record.problem]
        columns = [*COLUMNS[kind].split(","), *[homework] * len(first)]
        rows = [*first, *(row(grade, homework, of) for grade in done)]
        put_table(out / f"{kind}-grades.csv", columns, rows)
        pages = ((grade, out / "feedback" / f"{grade.record.student}.html") for grade in mine)
        files = ((place(g, homework), page.read_bytes()) for g, page in pages if page.exists())
        write_zip(out / f"{kind}-feedback.zip", files)


def moodle_row(grade: Grade, homework: str, of: str) -> dict[str, str]:
    """Return a line of Moodle's worksheet; it refuses one without the time of the last grade."""
    said = [f"{label}: {mark.comment}" for label, mark in grade.marks.items() if mark.comment]
    values = [f"Participant {grade.record.platform['id']}", grade.record.name]
    values += [f"{grade.total:g}", of, "-", " ".join(filter(None, [grade.late, *said]))]
    return dict(zip(COLUMNS["moodle"].split(","), values, strict=True))


def canvas_row(grade: Grade, homework: str, of: str) -> dict[str, str]:
    """Return a line of Canvas's gradebook; its second line holds what can be earned."""
    record = grade.record
    return {"Student": record.name, "ID": record.platform["id"], homework: f"{grade.total:g}"}


def place(grade: Grade, homework: str) -> str:
    """Return where a platform looks for a feedback file: by the name it gave the submission."""
    platform, name = grade.record.platform, plain(grade.record.name) or "x"
    if platform["kind"] == "moodle":
        return f"{name}_{platform['id']}_assignsubmission_file_/{homework}-feedback.html"
    numbers = f"{platform['id']}_{platform['submission']}"
    return f"{name}{platform['late']}_{numbers}_{homework}-feedback.html"


def write_zip(
    path: Path, files: Iterable[tuple[str, bytes]], when: tuple[int, ...] = EPOCH
) -> None:
    """Write a zip; the same files give the same bytes."""
    with replacing(path) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, when), data)  # type: ignore[arg-type]
