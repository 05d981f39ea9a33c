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

if TYPE_CHECKING:
    from lincourse.grader.report import Grade

EPOCH = (1980, 1, 1, 0, 0, 0)  # the same grades give the same zip


def write(out: Path, homework: str, grades: list[Grade], possible: dict[str, float]) -> None:
    """Write what the platform of these submissions takes back, if they come from one."""
    for kind, table, place in (
        ("moodle", moodle_table, moodle_place),
        ("canvas", canvas_table, canvas_place),
    ):
        mine = [grade for grade in grades if grade.record.platform.get("kind") == kind]
        if mine:
            # An empty grade would delete one that is there: who has none yet is left out.
            done = [grade for grade in mine if grade.complete and not grade.record.problem]
            table(out / f"{kind}-grades.csv", homework, done, sum(possible.values()))
            pages = ((grade, out / "feedback" / f"{grade.record.student}.html") for grade in mine)
            files = ((place(g, homework), page.read_bytes()) for g, page in pages if page.exists())
            write_zip(out / f"{kind}-feedback.zip", files)


def moodle_table(path: Path, homework: str, grades: list[Grade], of: float) -> None:
    """Write Moodle's grading worksheet; Moodle refuses one without the time of the last grade."""
    columns = ["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)"]
    columns += ["Feedback comments"]
    rows = []
    for grade in grades:
        said = [f"{label}: {comment}" for label, comment in grade.comments.items() if comment]
        values = [f"Participant {grade.record.platform['id']}", grade.record.name]
        values += [f"{grade.total:g}", f"{of:g}", "-", " ".join(filter(None, [grade.late, *said]))]
        rows.append(dict(zip(columns, values, strict=True)))
    put_table(path, columns, rows)


def canvas_table(path: Path, homework: str, grades: list[Grade], of: float) -> None:
    """Write Canvas's gradebook; the second line holds what can be earned."""
    columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", homework]
    rows = [{"Student": "    Points Possible", homework: f"{of:g}"}]
    rows += [
        {"Student": g.record.name, "ID": g.record.platform["id"], homework: f"{g.total:g}"}
        for g in grades
    ]
    put_table(path, columns, [dict.fromkeys(columns, "") | row for row in rows])


def moodle_place(grade: Grade, homework: str) -> str:
    """Return where Moodle looks for a feedback file: in the folder it exported."""
    platform = grade.record.platform
    name = f"{safe(grade.record.name)}_{platform['id']}_assignsubmission_file_"
    return f"{name}/{homework}-feedback.html"


def canvas_place(grade: Grade, homework: str) -> str:
    """Return the name Canvas knows the submission by."""
    platform = grade.record.platform
    late = platform.get("late", "")
    numbers = f"{platform['id']}_{platform['submission']}"
    return f"{safe(grade.record.name)}{late}_{numbers}_{homework}-feedback.html"


def safe(name: str) -> str:
    """Return a name without what would lead to another place in the zip."""
    return "".join(c for c in name if c.isprintable() and c not in '/\\:*?"<>|').strip(". ") or "x"


def write_zip(
    path: Path, files: Iterable[tuple[str, bytes]], when: tuple[int, ...] = EPOCH
) -> None:
    """Write a zip; the same files give the same bytes."""
    with replacing(path) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, when), data)  # type: ignore[arg-type]
