"""The whole way round: exports of learning platforms in, grades and feedback out, rules between."""

from __future__ import annotations

import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lincourse.grader import platforms, tables
from lincourse.grader.grading import RefusedError, grade_folder, handed_in
from lincourse.grader.records import Record
from lincourse.grader.report import Grade, marked
from lincourse.grader.rules import Rules, RulesError, read_rules
from lincourse.grader.scoring import Options
from lincourse.grader.submission import find, known_by, unpack
from lincourse.grader.template_merge import UngradableError
from tests.handed_in import template

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


@pytest.mark.parametrize("linked", ["class/ada", "class/ada/attempt-1", "class/ada/inner"])
def test_a_linked_folder_is_not_entered(tmp_path: Path, linked: str) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/hw1.ipynb").write_text("secret")
    (tmp_path / linked).parent.mkdir(parents=True)
    (tmp_path / linked).symlink_to(tmp_path / "secret")
    assert [one.data for one in find(tmp_path / "class", "hw1")] == [b""]


def test_submissions_are_found_as_platforms_export_them(tmp_path: Path) -> None:
    text = json.dumps(template("hw1"))
    for place in (
        f"{ADA}/hw1.ipynb",
        "bob/my work.ipynb",
        "bob/.ipynb_checkpoints/hw1.ipynb",
        MARIE,
        "two/a.ipynb",
        "two/b.ipynb",
        "named/hw1.ipynb",
        "named/scratch.ipynb",
        "=cmd()/hw1.ipynb",
        "Ünï.ipynb",
        "notes.txt",
        ".DS_Store",
    ):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "Ünï.ipynb")
    os.mkfifo(tmp_path / "pipe.ipynb")
    found = {s.name: s for s in find(tmp_path, "hw1")}
    assert found["Ada Lovelace"].path.name == "hw1.ipynb"
    assert found["Ada Lovelace"].platform == {"kind": "moodle", "id": "123456", "entry": ADA}
    assert found["bob"].path.name == "my work.ipynb"
    assert found["curiemarie"].platform["submission"] == "8899"
    assert found["named"].path.name == "hw1.ipynb"
    assert "2 notebooks" in found["two"].problem
    assert "no notebook" in found["empty"].problem
    assert "link" in found["link"].problem
    assert "neither a file nor a folder" in found["pipe"].problem
    assert "not a notebook" in found["notes"].problem
    assert {s.student for s in found.values()} >= {"cmd", "Uni", "Ada-Lovelace"}
    assert len({s.student for s in found.values()}) == len(found) == 11


@pytest.mark.parametrize(
    ("entry", "name", "kind"),
    [
        (ADA, "Ada Lovelace", "moodle"),
        ("Ada_Lovelace_9_assignsubmission_file_hw1.ipynb", "Ada_Lovelace", "moodle"),
        (MARIE, "curiemarie", "canvas"),
        ("ada_1_2_hw1.ipynb", "ada", "canvas"),
        ("ada_lovelace.ipynb", "ada_lovelace", None),
    ],
)
def test_a_platform_is_known_by_its_names(entry: str, name: str, kind: str | None) -> None:
    found, platform = known_by(Path(entry))
    assert (found, platform.get("kind")) == (name, kind)


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
    names += ["ok/hw1.ipynb", "__MACOSX/._hw1.ipynb", "new\nline.ipynb", ".hidden/hw1.ipynb"]
    archive = zipped(tmp_path / "in.zip", dict.fromkeys(names, b"{}"))
    folder = tmp_path / "deep" / "handed-in"
    folder.mkdir(parents=True)
    unpack(archive, folder)
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    (export,) = folder.iterdir()
    inside = {str((export / name).relative_to(tmp_path)) for name in (
        *("evil.ipynb", "abs.ipynb", "a/b.ipynb", "C/w/x.ipynb", "up.ipynb"),
        *("ok/hw1.ipynb", "newline.ipynb"),
    )}  # fmt: skip
    assert files == inside | {"in.zip"}


def test_a_link_in_a_zip_is_an_empty_file(tmp_path: Path) -> None:
    archive = zipped(
        tmp_path / "in.zip", {"ada.ipynb": b"/etc/passwd"}, external_attr=0o120777 << 16
    )
    unpack(archive, tmp_path)
    (path,) = tmp_path.glob("export-*/ada.ipynb")
    assert not path.is_symlink()
    assert path.read_bytes() == b""


def test_a_broken_zip_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "in.zip").write_bytes(b"PK no zip")
    with pytest.raises(UngradableError, match="cannot be unpacked"):
        unpack(tmp_path / "in.zip", tmp_path)
    with pytest.raises(RefusedError, match=r"SUBMISSIONS: in\.zip cannot be unpacked"):
        grade_folder("hw1", tmp_path / "in.zip", tmp_path / "out", Options(walls=False))


def test_a_second_export_is_a_further_attempt_and_the_same_one_is_not(tmp_path: Path) -> None:
    first, second = b'{"cells": []}', b'{"cells": [1]}'
    one = zipped(tmp_path / "1.zip", {f"{ADA}/hw1.ipynb": first, "bob.ipynb": first})
    two = zipped(tmp_path / "2.zip", {f"{ADA}/hw1.ipynb": second, "bob.ipynb": first})
    (tmp_path / "out").mkdir()
    for archive in (one, one, two):
        found = handed_in("hw1", archive, tmp_path / "out")
    assert [(s.key, s.attempt) for s in found] == [
        ("Ada-Lovelace", 1),
        ("Ada-Lovelace~2", 2),
        ("bob", 1),
    ]
    noon = datetime.fromtimestamp(found[0].handed_in)
    assert (noon.year, noon.hour) == (2026, 12)


def test_attempts_in_a_folder_are_taken_in_their_order(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        path = tmp_path / "ada" / f"attempt-{number}" / "hw1.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(str(number))
    assert [s.path.read_text() for s in find(tmp_path, "hw1")] == ["1", "2", "10"]


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
    found, said = rules(tmp_path, RULES).penalty(when, name)
    assert found == percent
    assert bool(said) == bool(percent)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("due = 3", "due: must be a time"),
        ("per_day = -1", "per_day: must be a number that is not negative"),
        ("per_day = nan", "per_day: must be a number"),
        ("attempts = 'first'", "attempts: must be 'best' or 'last'"),
        ("deu = 2026-11-20T23:00:00", "unknown entry 'deu'"),
        ("extensions = 3", "extensions: must be a table"),
        ("due = ", "cannot be read"),
    ],
)
def test_rules_that_cannot_be_followed_get_one_sentence(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(RulesError, match=said):
        rules(tmp_path, text)
    with pytest.raises(RulesError, match="cannot be read"):
        read_rules(tmp_path / "none.toml")


# ---------------------------------------------------------------- back to the platform


def graded(name: str, entry: str, **points: float | None) -> Grade:
    _, platform = known_by(Path(entry))
    return Grade(name, Record(name, name, "x", platform=platform), dict(points))


def test_platforms_get_their_tables_and_zips(tmp_path: Path) -> None:
    (tmp_path / "feedback").mkdir()
    grades = [
        graded("Ada Lovelace", ADA, q1=3.0, q2=1.5),
        graded("=HYPERLINK(1)", "=HYPERLINK(1)_5_assignsubmission_file_", q1=3.0, q2=None),
        graded("curiemarie", MARIE, q1=2.0, q2=2.0),
    ]
    for grade in grades:
        (tmp_path / "feedback" / f"{grade.record.student}.html").write_text(grade.key)
    platforms.write(tmp_path, "hw1", grades, {"q1": 3.0, "q2": 2.0})
    moodle = tables.read_table(tmp_path / "moodle-grades.csv")
    assert [(row["Identifier"], row["Grade"], row["Maximum Grade"]) for row in moodle] == [
        ("Participant 123456", "4.5", "5"),
        ("Participant 5", "", "5"),  # not all is marked yet
    ]
    assert moodle[1]["Full name"] == "'=HYPERLINK(1)"
    canvas = tables.read_table(tmp_path / "canvas-grades.csv")
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
        cells = ({"id": "q1-tests", "grade": True, "solution": False, "points": 4.0},)

    late = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()
    early = Record("ada", "ada", "1", points={"q1": 3.0}, handed_in=1.0)
    second = Record("ada", "ada", "2", attempt=2, points={"q1": 4.0}, handed_in=late)
    broken = Record("ada", "ada", "3", attempt=3, problem="it is empty")
    found = {"ada": (None, early), "ada~2": (None, second), "ada~3": (None, broken)}
    assert marked(Grading, "ada~2", second, {}, []).total == 2.0
    (best,) = report.counted(Grading, found, {}, [])
    assert (best.key, best.total) == ("ada", 3.0)
    Grading.rules = Rules()
    (last,) = report.counted(Grading, found, {}, [])
    assert last.key == "ada~3"
