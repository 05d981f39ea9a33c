"""What students get: complete, and free of solutions; hidden data that nobody can look up."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from lincourse.grader import RefusedError, handout, hidden, release
from lincourse.grader.hidden import questions
from lincourse.grader.source import SOURCE
from lincourse.grader.verdicts import packed_arguments
from lincourse.paths import ROOT

LAB = ROOT / "lincourse/lab"


@pytest.mark.slow
def test_the_handout_is_complete_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    """A browser test starts it, runs it and clicks."""
    archive = handout.build(tmp_path / "student", "https://course.test")
    files = [p for p in (tmp_path / "student").rglob("*") if p.is_file()]
    with zipfile.ZipFile(archive) as packed:
        assert set(packed.namelist()) == {p.relative_to(tmp_path).as_posix() for p in files}
        assert {one.date_time[0] for one in packed.infolist()} == {date.today().year}
    names = {p.relative_to(tmp_path / "student").as_posix() for p in files}
    assert {"README.md", "start.py"} <= names
    for pattern in ("linlib/**/*.*", "notebooks/*.ipynb", "notebooks/solutions/*.ipynb"):
        found = (path for path in ROOT.glob(pattern) if path.is_file() and path.name[0] != ".")
        used = [path for path in found if path.suffix != ".pyc"]
        assert len(used) >= 12
        for path in used:
            name = path.relative_to(ROOT).as_posix()
            assert name in names
            assert (tmp_path / "student" / name).read_bytes() == path.read_bytes(), name
    private = ("source", "questions", "grader", "homework/solutions", "tests", "Makefile", ".lock")
    assert not any(word in name for word in private for name in names)
    readme = (tmp_path / "student/README.md").read_text(encoding="utf-8")
    assert f"{date.today()}" in readme
    assert "https://course.test" in readme
    needs = (tmp_path / "student/requirements.txt").read_text(encoding="utf-8")
    assert all(f"\n{name}==" in needs for name in ("jupyterlab", "nbgrader", "numpy"))
    assert not re.search("^(playwright|ruff|mypy|distributed|dask)==", needs, re.M)
    for path in (tmp_path / "student").rglob("*.ipynb"):
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r"[(\"]([\w/.-]+\.ipynb)[)#\\]", text):
            assert (path.parent / link).exists(), f"{path.name}: {link}"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("notebooks/homework/source/hw1/hw1.ipynb", "instructor's"),
        ("notebooks/solutions/hw1.ipynb", "BEGIN SOLUTION"),
        ("notebooks/homework/hw1/hw1.ipynb", "not the template"),
        ("notebooks/01-lecture.ipynb", "part of a solution"),
        ("notebooks/notes.py", "part of a solution"),
        ("tests/test_x.py", "instructor's"),
    ],
)
def test_whatever_is_not_for_students_is_refused(name: str, why: str) -> None:
    data = (SOURCE / "hw1" / "hw1.ipynb").read_bytes()
    assert any(why in problem for problem in handout.refused(name, data)), name


def test_one_leaking_file_stops_the_whole_handout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leak = tmp_path / "leak.toml"
    leak.write_text(f"hint = {next(iter(questions('hw1')['q3'].wrong))!r}", encoding="utf-8")
    real = list(handout.files())
    monkeypatch.setattr(handout, "files", lambda: iter([*real[:3], ("notebooks/leak.toml", leak)]))
    with pytest.raises(RefusedError, match=r"leak\.toml: holds"):
        handout.build(tmp_path / "student")
    assert not (tmp_path / "student").exists()
    assert not list(tmp_path.glob("*.zip"))


def test_model_answers_show_solutions_and_no_hidden_test(tmp_path: Path) -> None:
    text = release.write_answers("hw1", tmp_path).read_text(encoding="utf-8")
    assert "return (X @ w + w0) / np.linalg.norm(w)" in text
    assert "**Rubric**" in text
    assert not any(word in text for word in ("HIDDEN", "hidden.tests", "SOLUTION", "nbgrader"))
    refused = handout.refused("notebooks/solutions/hw1.ipynb", text.encode())
    assert any("part of a solution" in problem for problem in refused), "not before its deadline"


def test_a_seed_changes_hidden_data_and_without_one_they_are_the_published_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hidden, "FILE", Path("no such file"))
    plain = hidden.hidden_rng(11).integers(1 << 30)
    assert plain == np.random.default_rng(11).integers(1 << 30)
    monkeypatch.setattr(hidden, "TRIED", [5, 0])
    assert hidden.hidden_rng(11).integers(1 << 30) != plain


def test_new_data_are_kept_only_if_they_tell_right_from_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = []

    def unfair(homework: str) -> list[str]:
        tried.append(hidden.current())
        return [f"{homework} q1 lets pass: a < b became a <= b"] * (hidden.current()[1] < 2)

    monkeypatch.setattr(hidden, "FILE", tmp_path / "hidden.json")
    monkeypatch.setattr(hidden, "unfair", unfair)
    hidden.renew(2027)
    assert json.loads((tmp_path / "hidden.json").read_text()) == [2027, 2]
    assert tried[0] == [2027, 0]
    assert "new hidden data from 2027" in capsys.readouterr().out


def test_a_seed_without_fair_data_is_refused_and_what_passed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden, "FILE", tmp_path / "hidden.json")
    monkeypatch.setattr(hidden, "unfair", lambda homework: [f"{homework} q1 lets pass: this"])
    with pytest.raises(SystemExit, match=r"^--seed: 7 gives no data .* hw1 q1 lets pass: this"):
        hidden.renew(7)
    assert not (tmp_path / "hidden.json").exists()


def test_other_data_tell_right_from_wrong_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(hidden, "TRIED", [2027, 0])
        other = hidden.questions.__wrapped__("hw1")
        patch.setattr(hidden, "questions", lambda homework: other)
        assert list(hidden.unfair("hw1")) == []
    assert [packed_arguments(c) for c in other["q3"].cases] != [
        packed_arguments(c) for c in questions("hw1")["q3"].cases
    ]


@pytest.mark.parametrize("homework", [True, False])
def test_students_are_not_shown_how_to_make_an_assignment(homework: bool) -> None:
    """In JupyterLab as `make lab`, start.py and the class server start it."""
    folders = [LAB] if homework else [LAB, LAB / "lectures"]
    asked = "from jupyterlab_server.config import get_page_config as get; import json; "
    asked += "print(json.dumps(get([])['disabledExtensions']))"
    said = subprocess.run(
        [sys.executable, "-c", asked],
        env={**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
        check=True,
    )
    off = json.loads(said.stdout)
    off = off if isinstance(off, list) else [name for name, is_off in off.items() if is_off]
    assert "@jupyter/nbgrader:create-assignment" in off
    assert ("@jupyter/nbgrader:validate-assignment" in off) is not homework
