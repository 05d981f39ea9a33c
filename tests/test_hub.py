"""A class server on the loopback address: a lecture, homework there and back, and break-ins."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml
from traitlets.config import Config

from tests import class_server
from tests.class_server import ROOT, Server, Student
from tests.handed_in import filled

DEPLOY = ROOT / "deploy"
HOMEWORK = "homework/release/hw1/hw1.ipynb"
STAMP = "2030-01-01 00:00:00.000000 UTC"


@pytest.fixture(scope="module")
def hub() -> Iterator[Server]:
    if reason := class_server.missing():
        pytest.skip(reason)
    if os.getuid() == 0 and not class_server.namespace():
        pytest.skip("root cannot make a namespace here, and students must not run as root")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", class_server.look_up)
        with Server() as server:
            yield server


@pytest.fixture(scope="module")
def ada(hub: Server) -> Student:
    return hub.student("ada")


@pytest.fixture(scope="module")
def bob(hub: Server) -> Student:
    return hub.student("bob")


@pytest.fixture(scope="module")
def teacher(hub: Server) -> Student:
    return hub.student("teacher")


@pytest.fixture
def apart(hub: Server) -> None:
    if not hub.apart:
        pytest.skip("needs an account for each student: no namespaces for this user here")


# ---- log in, read, run


def test_only_the_class_gets_in_and_nobody_chooses_a_password_first(hub: Server) -> None:
    for name in ("mallory", "root", "teacher", "ada"):
        assert not Student(hub.address, name, "a password of my own").log_in(), name
    assert Student(hub.address, "ada", hub.passwords["ada"]).log_in()
    assert (hub.folder / "state").stat().st_mode & 0o777 == 0o700


def test_a_student_runs_a_lecture(ada: Student) -> None:
    notebook = ada.open("01-hyperplanes.ipynb")
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(cells) > 10
    for cell in cells:
        ada.run(cell)
    assert ada.run("import linlib; print(linlib.pla(*linlib.data.and_gate()).updates)") == "18\n"


def test_a_student_s_own_copy_is_kept(hub: Server, bob: Student) -> None:
    notebook = bob.open("02-perceptron.ipynb")
    notebook["cells"][0]["source"] = "My own words"
    bob.save("02-perceptron.ipynb", notebook)
    bob.run("import os; os.remove('03-convergence.ipynb')")
    copy = 'HOME=%s sh -c "$(grep -E ^cp start.sh)"' % bob.run("print(os.environ['HOME'])").strip()
    assert "status" in bob.shell(f"cd {hub.folder}; here=.; export here; {copy}")
    assert bob.open("02-perceptron.ipynb")["cells"][0]["source"] == "My own words"
    assert bob.open("03-convergence.ipynb")["cells"]


# ---- homework


def test_homework_goes_out_and_comes_back(
    hub: Server, teacher: Student, ada: Student, bob: Student
) -> None:
    def homework(step: str, options: str = "") -> str:
        said = teacher.shell(f"cd ~/repository && python deploy/homework.py {step} hw1 {options}")
        assert "status 0" in said, said
        return said

    homework("release")
    for student in (ada, bob):
        assert [one["status"] for one in student.assignments()] == ["released"]
        assert [one["status"] for one in student.assignments("fetch")] == ["fetched"]
    ada.save(HOMEWORK, filled("hw1"))
    ada.assignments("submit")
    bob.assignments("submit")  # nothing answered

    spoilt = forged(hub, bob)
    said = homework("collect")
    refused = set(re.findall(r"Refused: (\S+\+x\w+)", said.replace(STAMP, "")))
    assert refused == spoilt, said
    collected = "~/repository/graded/class/submitted/hw1"
    assert teacher.shell(f"ls {collected}").split()[:2] == ["ada", "bob"]
    if not shutil.which("bwrap"):
        pytest.skip("grading needs bubblewrap")
    homework("grade", "--jobs 1")
    points = teacher.shell("cat ~/repository/graded/hw1/grades.csv").splitlines()
    rows = {line.split(",")[0].strip(): line for line in points}
    assert "ada" in rows, points
    assert "bob" in rows, points
    homework("feedback")
    listed = ada.assignments("fetch_feedback")
    assert [one["submissions"][0]["has_local_feedback"] for one in listed] == [True]
    shown = ada.run(
        "import glob; p, = glob.glob(f'{os.environ[\"HOME\"]}/course/homework/release/hw1/feedback/*/hw1.html')"
        "; print(open(p).read())"
    )
    kept = teacher.shell("cat ~/repository/graded/hw1/feedback/ada.html")
    assert shown.strip() in kept
    assert len(shown) > 5000


def forged(hub: Server, bob: Student) -> set[str]:
    return set()
