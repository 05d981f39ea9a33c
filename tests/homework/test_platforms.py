"""The whole way round: exports of learning platforms in, grades and feedback out, rules between."""

from __future__ import annotations

import io
import os
import zipfile
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from lincourse.grader import RefusedError, platforms, records
from lincourse.grader.grading import grade_folder, handed_in
from lincourse.grader.inside import reading
from lincourse.grader.marks import Mark
from lincourse.grader.records import Record
from lincourse.grader.report import Grade, marked
from lincourse.grader.rules import Rules, read_rules
from lincourse.grader.scoring import Options
from lincourse.grader.submission import NO_NOTEBOOK, Submission, find, known_by, unpack

ADA = "Ada Lovelace_123456_assignsubmission_file_"
MARIE = "curiemarie_LATE_77_8899_hw1-2.ipynb"


def test_a_file_that_becomes_a_link_after_it_was_found_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    (folder / "hw1.ipynb").write_text("mine")
    (found,) = find(tmp_path / "class", "hw1")
    assert found.data == b"mine"
    (folder / "hw1.ipynb").unlink()
    (folder / "hw1.ipynb").symlink_to(tmp_path / "secret")
    assert found.data == b""


@pytest.mark.parametrize("linked", ["class/ada", "class/ada/inner"])
def test_a_linked_folder_is_not_entered(tmp_path: Path, linked: str) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/hw1.ipynb").write_text("secret")
    (tmp_path / linked).parent.mkdir(parents=True)
    (tmp_path / linked).symlink_to(tmp_path / "secret")
    assert [one.data for one in find(tmp_path / "class", "hw1")] == [b""]


def laid_out(folder: Path, *places: str) -> dict[str, Submission]:
    """Put files into a folder, each with other content; return what is found there, by student."""
    for place in places:
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"content of {place}", encoding="utf-8")
    return {one.student: one for one in find(folder, "hw1")}


@pytest.mark.parametrize(
    ("places", "student", "name", "said"),
    [
        ([f"{ADA}/hw1.ipynb"], "moodle-123456", "Ada Lovelace", "hw1.ipynb"),
        ([f"{ADA}/deep/hw1.ipynb", f"{ADA}/notes.ipynb"], "moodle-123456", "Ada Lovelace", "deep"),
        ([f"{ADA[:-1]}/hw1.ipynb"], "moodle-123456", "Ada Lovelace", "hw1.ipynb"),  # from 4.1 on
        ([f"{ADA}hw1.ipynb"], "moodle-123456", "Ada Lovelace", "hw1.ipynb"),
        ([f"{ADA}hw1.ipynb", f"{ADA}report.pdf"], "moodle-123456", "Ada Lovelace", "hw1.ipynb"),
        (  # online text beside the file, which Moodle puts into a folder of its own
            [f"{ADA}/hw1.ipynb", f"{ADA.replace('file', 'onlinetext')}/onlinetext.html"],
            *("moodle-123456", "Ada Lovelace", "hw1.ipynb"),
        ),
        ([f"{ADA}/report.pdf"], "moodle-123456", "Ada Lovelace", NO_NOTEBOOK),
        (  # a file that was downloaded from Moodle and handed in again
            [f"{ADA}{ADA}hw1.ipynb"],
            *("moodle-123456", "Ada Lovelace", "hw1.ipynb"),
        ),
        (["x_9_assignsubmission_file_y_8_assignsubmission_file_/hw1.ipynb"], "x_9_*", "", "hw1"),
        (["x_9_assignsubmission_file_y_8_assignsubmission_file_.ipynb"], "x_9_*", "", "x_9"),
        ([f"{ADA}/try {k}/hw1.ipynb" for k in (1, 2)], "moodle-123456", "", "2 notebooks"),
        (["bob.ipynb", "bob/hw1.ipynb"], "bob", "bob", "bob/hw1.ipynb"),
        (["x_7_assignsubmission_files_/hw1.ipynb"], "x_7_assignsubmission_files_", "", "hw1.ipynb"),
        ([MARIE], "canvas-77", "curiemarie", "hw1-2.ipynb"),
        ([MARIE, "curiemarie_LATE_77_8900_notes.pdf"], "canvas-77", "curiemarie", "hw1-2.ipynb"),
        ([MARIE, "curiemarie_LATE_77_8900_hw1-3.ipynb"], "canvas-77", "", "2 notebooks"),
        (["ada_lovelace.ipynb"], "ada_lovelace", "ada_lovelace", "ada_lovelace.ipynb"),
        (["bob/my work.ipynb", "bob/.ipynb_checkpoints/hw1.ipynb"], "bob", "bob", "my work.ipynb"),
        (["bob/hw1.ipynb", "bob/__MACOSX/._hw1.ipynb"], "bob", "bob", "bob/hw1.ipynb"),
        (["two/a.ipynb", "two/b.ipynb"], "two", "two", "2 notebooks (a.ipynb, b.ipynb)"),
        (["two/hw1.ipynb", "two/hw1 (1).ipynb"], "two", "two", "2 notebooks (hw1 (1).ipynb"),
        (["two/hw1.ipynb", "two/hw12.ipynb"], "two", "two", "hw1.ipynb"),
        (["刘洋.ipynb"], "刘洋", "刘洋", "刘洋.ipynb"),
        (["Ольга Петрова/hw1.ipynb"], "Ольга Петрова", "Ольга Петрова", "hw1.ipynb"),
        (["=cmd()/hw1.ipynb"], "-cmd()-*", "=cmd()", "hw1.ipynb"),
        (["notes.txt"], "notes", "notes", NO_NOTEBOOK),
        (["bob/hw1.IPYNB"], "bob", "bob", "hw1.IPYNB"),
        (["bob.Ipynb"], "bob", "bob", "bob.Ipynb"),
        ([f"{ADA}/HW1.ZIP"], "moodle-123456", "Ada Lovelace", "HW1.ZIP"),
        (["bob/work.zip", "bob/hw1.ipynb"], "bob", "bob", "bob/hw1.ipynb"),
        (["two/a.zip", "two/b.zip"], "two", "two", "2 notebooks (a.zip, b.zip)"),
    ],
)  # fmt: skip
def test_each_student_has_one_file_or_a_reason(
    tmp_path: Path, places: list[str], student: str, name: str, said: str
) -> None:
    """A name that can be read as two participants' is neither's."""
    ((found, one),) = laid_out(tmp_path, *places).items()
    assert fnmatchcase(found, student)
    assert one.name == (name or one.name)
    assert said in (one.problem or str(one.path))
    assert bool(one.problem) is (" notebook" in said)


def test_nobody_else_changes_who_a_student_is(tmp_path: Path) -> None:
    """Names that are written alike, and one that no file system can decode."""
    first = set(laid_out(tmp_path, "a:b.ipynb", "刘洋.ipynb"))
    (tmp_path / os.fsdecode(b"\xff.ipynb")).write_text("x")
    everyone = laid_out(tmp_path, "a;b.ipynb", "a-b.ipynb", "李娜.ipynb", "\u00e9.ipynb")
    assert first < set(everyone)
    assert len(everyone) == 7
    assert all(one.name.encode() for one in everyone.values())


def test_what_is_no_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "empty/hw1.ipynb")
    os.mkfifo(tmp_path / "pipe.ipynb")
    found = laid_out(tmp_path, ".DS_Store")
    assert found["empty"].problem == NO_NOTEBOOK
    assert "link" in found["link"].problem
    assert "neither a file nor a folder" in found["pipe"].problem


# ---------------------------------------------------------------- zips


def zipped(path: Path, members: dict[str, bytes], **details: Any) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, (2026, 11, 16, 12, 0, 0))
            for key, value in details.items():
                setattr(info, key, value)
            archive.writestr(info, data)
    return path


def test_no_member_of_a_zip_leaves_its_place(tmp_path: Path) -> None:
    names = ["../../evil.ipynb", "/abs.ipynb", "a/../../b.ipynb", "C:\\w\\x.ipynb", "..\\up.ipynb"]
    names += [
        "ok/hw1.ipynb",
        "__MACOSX/._hw1.ipynb",
        "new\nline.ipynb",
        ".hidden/hw1.ipynb",
        "..",
        ":",
    ]
    archive = zipped(tmp_path / "in.zip", dict.fromkeys(names, b"{}"))
    folder = tmp_path / "deep" / "handed-in"
    folder.mkdir(parents=True)
    unpack(archive, folder)
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    (export,) = folder.iterdir()
    inside = {str((export / name).relative_to(tmp_path)) for name in (
        *("evil.ipynb", "abs.ipynb", "a/b.ipynb", "C/w/x.ipynb", "up.ipynb"),
        *("ok/hw1.ipynb", "newline.ipynb", "__MACOSX/._hw1.ipynb", ".hidden/hw1.ipynb"),
    )}  # fmt: skip
    assert files == inside | {"in.zip"}


def test_a_long_name_in_a_zip_stops_nobody(tmp_path: Path) -> None:
    """File systems count bytes, and a character can have four."""
    long, letters = "\U0001f600" * 250, "\U00020000" * 70
    names = [f"{ADA}/{long}.ipynb", f"{long}_7_assignsubmission_file/hw1.ipynb", f"{letters}.ipynb"]
    archive = zipped(tmp_path / "in.zip", dict.fromkeys(names, b"{}"))
    found = handed_in("hw1", archive, tmp_path / "out")
    assert {one.student for one in found} > {"moodle-123456", "moodle-7"}
    assert all(one.path and not one.problem for one in found)
    for one in found:  # its record, while that is written
        (tmp_path / f".{one.key}.details.json.1234567.tmp").touch()


def test_a_link_in_a_zip_is_a_plain_file(tmp_path: Path) -> None:
    link = 0o120777 << 16
    unpack(zipped(tmp_path / "in.zip", {"a.ipynb": b"/etc/passwd"}, external_attr=link), tmp_path)
    (path,) = tmp_path.glob("export-*/a.ipynb")
    assert not path.is_symlink()
    assert path.read_bytes() == b"/etc/passwd"


def test_a_broken_zip_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "in.zip").write_bytes(b"PK no zip")
    with pytest.raises(RefusedError, match=r"submissions: in\.zip cannot be unpacked"):
        grade_folder("hw1", tmp_path / "in.zip", tmp_path / "out", Options(sandbox=False))


def test_each_export_is_an_attempt_in_its_order(tmp_path: Path) -> None:
    """The same export again is none, and a file that was handed in before is the last again."""
    a, b = b'{"cells": []}', b'{"cells": [1]}'
    first, second, third = (
        zipped(tmp_path / f"{k}.zip", {f"{ADA}/hw1.ipynb": ada, "bob.ipynb": a})
        for k, ada in enumerate((a, b, a + b" "))
    )
    (tmp_path / "out").mkdir()
    for archive in (first, first, second):
        found = handed_in("hw1", archive, tmp_path / "out")
    assert [(s.student, s.attempt, s.data) for s in found] == [
        ("moodle-123456", 1, a),
        ("moodle-123456", 2, b),
        ("bob", 1, a),
    ]
    earlier = {s.key for s in found}
    (tmp_path / "again.zip").write_bytes(third.read_bytes())
    zipped(tmp_path / "again.zip", {f"{ADA}/hw1.ipynb": a, "bob.ipynb": b})
    found = handed_in("hw1", tmp_path / "again.zip", tmp_path / "out")
    assert [s.data for s in found] == [b, a, a, b]
    assert earlier < {s.key for s in found}, "records keep their names"
    assert not any(s.handed_in for s in found), "the time of an export is nobody's"


def test_a_folder_of_ones_own_has_the_times_of_the_exchange(tmp_path: Path) -> None:
    laid_out(tmp_path, "ada/hw1.ipynb", "bob/hw1.ipynb")
    (tmp_path / "ada/timestamp.txt").write_text("2026-11-20 23:00:00.5 UTC\n")
    noted = datetime(2026, 11, 20, 23, 0, 0, 500_000, tzinfo=UTC).timestamp()
    assert [s.handed_in for s in find(tmp_path, "hw1")] == [noted, 0]


# ---------------------------------------------------------------- rules


def rules(tmp_path: Path, text: str) -> Rules:
    (tmp_path / "rules.toml").write_text(text, encoding="utf-8")
    return read_rules(tmp_path / "rules.toml")


RULES = """
due = 2026-11-20T23:00:00+00:00
per_day = 10
at_most = 25
grace = 15
attempts = "best"
[extensions]
"Ada Lovelace" = 2026-11-22T23:00:00+00:00
[handed_in]
"moodle-7" = 2026-11-21T12:00:00+00:00
"""


@pytest.mark.parametrize(
    ("day", "hour", "minute", "name", "percent"),
    [
        (20, 22, 59, "bob", 0),
        (20, 23, 15, "bob", 0),
        (20, 23, 16, "bob", 10),
        (21, 23, 1, "bob", 20),
        (29, 0, 0, "bob", 25),
        (22, 22, 0, "Ada Lovelace", 0),
        (23, 1, 0, "Ada Lovelace", 10),
    ],
)
def test_what_is_late_costs_what_the_rules_say(
    tmp_path: Path, day: int, hour: int, minute: int, name: str, percent: float
) -> None:
    when = datetime(2026, 11, day, hour, minute, tzinfo=UTC).timestamp()
    found, said = rules(tmp_path, RULES).penalty(Record(name, name, "x", handed_in=when))
    assert found == percent
    assert bool(said) == bool(percent)


def test_lateness_is_the_platforms_or_a_rules_never_a_files(tmp_path: Path) -> None:
    assert rules(tmp_path, RULES).penalty(Record("ada", "ada", "x")) == (0.0, "")
    assert rules(tmp_path, RULES).penalty(Record("moodle-7", "Bob", "x"))[0] == 10
    canvas = Record("canvas-77", "curiemarie", "x", platform={"late": "_LATE"})
    for some in (rules(tmp_path, RULES), Rules()):
        assert some.penalty(canvas) == (0, "Canvas calls it late, but its export holds no time.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("due = 3", "due: must be a time"),
        ("due = 2026-11-20", "due: must be a time such as 2026-11-20T23:59:00"),  # a day has no end
        ("due = 2026-11-31T23:00:00", "cannot be read"),
        ("per_day = -1", "per_day: must be a number that is not negative"),
        ("per_day = nan", "per_day: must be a number"),
        ("at_most = 150", "at_most: must be a number from 0 to 100"),
        ("attempts = 'first'", "attempts: must be 'best' or 'last'"),
        ("deu = 2026-11-20T23:00:00", "unknown entry 'deu'; there are due, per_day"),
        ("extensions = 3", "extensions: must be a table"),
        ("extensions.ada = '25.11.2026'", "extensions: 'ada' must have a time such as 2026"),
        ("handed_in.ada = {one = 2026-11-20T23:00:00}", "handed_in: 'ada' must have a time"),
        ("not_yet = 'ada'", "not_yet: must be a list of names"),
        ("due = ", "cannot be read"),
    ],
)
def test_rules_that_cannot_be_followed_get_one_sentence(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(RefusedError, match=said):
        rules(tmp_path, text)
    with pytest.raises(RefusedError, match="cannot be read"):
        read_rules(tmp_path / "none.toml")


TIME = "2026-11-25T23:00:00+00:00"
HERE = [
    Record("moodle-1", "Ada Lovelace", "x"),
    Record("moodle-2", "Bob", "x"),
    Record("moodle-3", "Bob", "x"),
    Record("moodle-4", "Cyd", "x", attempt=1),
    Record("moodle-4", "Cyd", "y", attempt=2),
]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'extensions = {{"Ada Lovelase" = {TIME}}}', "did you mean 'Ada Lovelace'"),
        (f'extensions = {{"Zoe" = {TIME}}}', r"listed so: not_yet = \['Zoe'\]"),
        (f'handed_in = {{"Zoe" = {TIME}}}\nnot_yet = ["Zoe"]', "nobody who handed in is 'Zoe'"),
        (f'extensions = {{"Bob" = {TIME}}}', "2 students; say which: moodle-2, moodle-3"),
        (f'handed_in = {{"Cyd" = {TIME}}}', "2 attempts; say which one is meant: 'Cyd' = { 2 ="),
        (f'handed_in = {{"Cyd" = {{3 = {TIME}}}}}', "'Cyd' has no attempt 3; there are 1, 2"),
    ],
)
def test_a_rule_about_nobody_stops_the_command(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        rules(tmp_path, text).check_names(HERE)


def test_rules_about_somebody_are_followed(tmp_path: Path) -> None:
    """By the name or by the platform's number, and for who has not handed in yet."""
    found = rules(
        tmp_path,
        f"not_yet = ['Zoe']\n[extensions]\n'Ada Lovelace' = {TIME}\nmoodle-2 = {TIME}\n"
        f"Zoe = {TIME}\n[handed_in]\nmoodle-1 = {TIME}\nCyd = {{2 = {TIME}}}",
    )
    found.check_names(HERE)


def test_nothing_is_graded_by_rules_about_nobody(tmp_path: Path) -> None:
    laid_out(tmp_path / "in", "ada.ipynb")
    (tmp_path / "rules.toml").write_text(f"[extensions]\nadda = {TIME}", encoding="utf-8")
    options = Options(sandbox=False, rules=tmp_path / "rules.toml")
    with pytest.raises(RefusedError, match="did you mean 'ada'"):
        grade_folder("hw1", tmp_path / "in", tmp_path / "out", options)
    assert not (tmp_path / "out/records").exists()


def test_a_late_attempt_does_not_make_an_earlier_one_late(tmp_path: Path) -> None:
    found = rules(
        tmp_path, f"due = 2026-11-24T23:00:00+00:00\nper_day = 10\nhanded_in.Cyd = {{2 = {TIME}}}"
    )
    assert [found.penalty(one)[0] for one in HERE if one.name == "Cyd"] == [0, 10]


# ---------------------------------------------------------------- a notebook in a zip


def in_zip(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


NOTEBOOK = b'{"cells": [{"cell_type": "code", "source": "1"}]}'
MAC = {"__MACOSX/._hw1.ipynb": b"x", ".ipynb_checkpoints/hw1.ipynb": b"old"}


@pytest.mark.parametrize(
    "members",
    [
        {"hw1.ipynb": NOTEBOOK},
        {"my work/HW1.IPYNB": NOTEBOOK, **MAC},
        {"anything.ipynb": NOTEBOOK, "notes.txt": b"x"},
        {"a/hw1 (1).ipynb": NOTEBOOK, "a/notes.ipynb": b"x"},
    ],
)
def test_a_zipped_notebook_is_read(members: dict[str, bytes]) -> None:
    (cell,) = reading.read(in_zip(**members), "hw1")
    assert cell["source"] == "1"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (in_zip(**{"a.ipynb": NOTEBOOK, "b.ipynb": NOTEBOOK}), r"2 notebooks in the zip \(a.ipynb"),
        (in_zip(**{"report.pdf": b"x"}), "no notebook in the zip"),
        (in_zip(**{"hw1.ipynb": b"0" * (51 << 20)}), "larger than 50 MB"),
        (in_zip(**{"hw1.ipynb": NOTEBOOK})[:60], "the zip cannot be unpacked"),
    ],
)
def test_a_zip_without_one_notebook_says_so(data: bytes, said: str) -> None:
    with pytest.raises(reading.UnreadableError, match=said):
        reading.read(data, "hw1")


# ---------------------------------------------------------------- back to the platform


def graded(name: str, entry: str, **points: float | None) -> Grade:
    _, _, platform = known_by(Path(entry))
    return Grade(name, Record(name, name, "x", platform=platform), dict(points))


def test_platforms_get_their_tables_and_zips(tmp_path: Path) -> None:
    (tmp_path / "feedback").mkdir()
    grades = [
        graded("Ada Lovelace", ADA, q1=3.0, q2=1.5),
        graded("=HYPERLINK(1)", "=HYPERLINK(1)_5_assignsubmission_file_", q1=3.0, q2=None),
        graded("curiemarie", MARIE, q1=2.0, q2=2.0),
    ]
    grades[0].marks["q2"] = Mark(1.5, comment="Why?")
    for grade in grades:
        (tmp_path / "feedback" / f"{grade.record.student}.html").write_text(grade.key)
    platforms.write(tmp_path, "hw1", grades, {"q1": 3.0, "q2": 2.0})
    moodle = records.read_table(tmp_path / "moodle-grades.csv")
    assert [list(row.items()) for row in moodle] == [  # who is not marked yet is left out
        [
            ("Identifier", "Participant 123456"),
            ("Full name", "Ada Lovelace"),
            ("Grade", "4.5"),
            ("Maximum Grade", "5"),
            ("Last modified (grade)", "-"),  # without this column Moodle refuses the file
            ("Feedback comments", "q2: Why?"),
        ]
    ]
    canvas = records.read_table(tmp_path / "canvas-grades.csv")
    assert list(canvas[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "hw1"]
    assert [(row["Student"].strip(), row["ID"], row["hw1"]) for row in canvas] == [
        ("Points Possible", "", "5"),
        ("curiemarie", "77", "4"),
    ]
    with zipfile.ZipFile(tmp_path / "moodle-feedback.zip") as archive:
        assert f"{ADA}/hw1-feedback.html" in archive.namelist()
        assert all(".." not in name and name[0] != "/" for name in archive.namelist())
    with zipfile.ZipFile(tmp_path / "canvas-feedback.zip") as archive:
        assert archive.namelist() == ["curiemarie_LATE_77_8899_hw1-feedback.html"]


def test_a_late_attempt_is_graded_and_the_best_one_counts(tmp_path: Path) -> None:
    from lincourse.grader import report

    class Grading:
        rules = Rules(due=datetime(2026, 1, 1, tzinfo=UTC), per_day=50, attempts="best")
        possible = {"q1": 4.0}  # noqa: RUF012

    late = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()
    early = Record("ada", "ada", "1", points={"q1": 3.0}, handed_in=1.0)
    second = Record("ada", "ada", "2", attempt=2, points={"q1": 4.0}, handed_in=late)
    broken = Record("ada", "ada", "3", attempt=3, problem="it is empty")
    found = {"ada": early, "ada~2": second, "ada~3": broken}
    assert marked(Grading, "ada~2", second, {}, []).total == 2.0
    (best,) = report.counted(Grading, found, {}, [])
    assert (best.key, best.total) == ("ada", 3.0)
    Grading.rules = Rules()
    (last,) = report.counted(Grading, found, {}, [])
    assert last.key == "ada~3"
