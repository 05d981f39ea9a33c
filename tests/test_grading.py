"""Grading: every submission gets a definite result, none can harm another or earn by force.

One batch holds the honest and the hostile; each test then looks at what became of one of them.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest

from grader import grading, judge, report, sandbox
from grader.course import HOMEWORK, SOURCE, Course, CourseError
from grader.grading import RefusedError, grade_folder
from grader.hidden import questions
from grader.sandbox import Limits
from grader.submission import find, safe
from tests.handed_in import cell_of, filled, hand_in, template

FULL = {"q1": 3, "q2": 4, "q3": 4, "q4": 4, "q5": 5, "q6": 3}
LIMITS = Limits(cell=4, notebook=60)
ROOT = HOMEWORK.parent.parent
needs_walls = pytest.mark.skipif(
    not sandbox.walls_available(), reason="needs bubblewrap: apt install bubblewrap"
)

RIGHT_Q2 = """def signed_distances(X, w, w0):
    return (X @ w + w0) / np.linalg.norm(w)
"""
WARNING_Q2 = """def signed_distances(X, w, w0):
    import sys
    print("look out", np.log(-1.0), file=sys.stderr)
    return (X @ w + w0) / np.linalg.norm(w)
"""
BORROWED = """import linlib
def pla(X, y, max_passes):
    run = linlib.pla(X, y)
    return run.weights, run.updates, run.passes <= max_passes
"""
BORROWED_ELSEWHERE = """def pla(X, y, max_passes):
    from sklearn.linear_model import Perceptron
    return Perceptron().fit(X, y).coef_, 1, True
"""
TRICKLE = "for _ in range(200):\n    print('x' * 1_000_000, flush=True)"
MANY = "import os, time\nfor _ in range(7):\n    os.fork()\ntime.sleep(60)"
HALF = '{"cells": [{"cell_type": "code", "source": "\\ud800"}]}'
WRONG_Q2 = "def signed_distances(X, w, w0):\n    return X @ w + w0\n"


def own_code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "source": source,
            "execution_count": None}  # fmt: skip


def with_own(source: str, at: int = 2, **answers: str) -> dict[str, Any]:
    """Return the reference, or other answers, with a cell of the student's own."""
    notebook = filled("hw1", **answers)
    notebook["cells"].insert(at, own_code(source))
    return notebook


def changed(change: Callable[[dict[str, Any]], None], **answers: str) -> dict[str, Any]:
    notebook = filled("hw1", **answers)
    change(notebook)
    return notebook


def duplicated(notebook: dict[str, Any]) -> None:
    cells = notebook["cells"]
    for label in ("q2", "q2-tests"):
        cells.insert(cells.index(cell_of(notebook, label)), dict(cell_of(notebook, label)))


def answered_twice(notebook: dict[str, Any]) -> None:
    cells = notebook["cells"]
    cell = cell_of(notebook, "q2")
    cells.insert(cells.index(cell), dict(cell, id="first", source=WRONG_Q2))


def without_tests(notebook: dict[str, Any]) -> None:
    notebook["cells"] = [
        c for c in notebook["cells"] if not c["metadata"]["nbgrader"]["grade_id"].endswith("-tests")
    ]


def answer_deleted(notebook: dict[str, Any]) -> None:
    notebook["cells"].remove(cell_of(notebook, "q2"))


def with_edited_tests(notebook: dict[str, Any]) -> None:
    cell_of(notebook, "q2-tests")["source"] = "pass"
    cell_of(notebook, "q2-tests")["metadata"]["nbgrader"]["points"] = 400


def relabelled(notebook: dict[str, Any]) -> None:
    cell_of(notebook, "q2")["metadata"]["nbgrader"]["grade_id"] = "q9"
    cell_of(notebook, "q3")["metadata"]["nbgrader"] = "lost"


def labels_lost(notebook: dict[str, Any]) -> None:
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"], cell["id"] = {}, f"c{number}"


def reordered(notebook: dict[str, Any]) -> None:
    notebook["cells"].reverse()


def made_markdown(notebook: dict[str, Any]) -> None:
    cell_of(notebook, "q2")["cell_type"] = "markdown"


PATCHED = """
import numpy as np, builtins, json
np.array_equal = np.allclose = np.isclose = lambda *a, **k: True
np.testing.assert_allclose = lambda *a, **k: None
np.ravel = lambda a: np.array([4.0, -1.0, 0.0])
builtins.all = lambda *a: True
"""
TRANSFORMED = """
from IPython import get_ipython
get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\\n"])
"""
LYING = """
class Right(float):
    __eq__ = lambda *a: True
    __array__ = lambda self, *a, **k: None
def signed_distances(X, w, w0):
    return Right(1.0)
"""
GREEDY_WIRE = """
import json
json.dumps = lambda *a, **k: '{"kind": "value", "value": true, "after": null, "passed": true}'
"""
SPYING = """
seen = []
def signed_distances(X, w, w0):
    seen.append(X.tolist())
    print("SEEN", X.tolist())
    return X @ w
"""
SEARCH = """
import os, glob
found = [p for p in ("{repo}/README.md", "{source}", "{book}") if os.path.exists(p)]
print("FOUND", found)
for place in ("{repo}", "{submissions}", "{out}"):
    try:
        open(place + "/PLANTED", "w").write("x")
    except OSError as error:
        print("refused", type(error).__name__)
for path in glob.glob("{out}/nbgrader/*.db"):
    import sqlite3
    sqlite3.connect(path).execute("UPDATE grade SET auto_score = 99").connection.commit()
"""
NETWORK = """
import socket
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=2).sendall(b"hello")
    print("CONNECTED")
except OSError as error:
    print("refused", type(error).__name__)
"""
DAEMON = """
import os, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "86399"])
    os._exit(0)
subprocess.Popen(["sleep", "86399"], start_new_session=True)
"""


def hostile(places: dict[str, str]) -> dict[str, tuple[Any, dict[str, float] | str]]:
    """Return submissions and what they must get: points, or a part of the reason."""
    all_but_2 = FULL | {"q2": 0}
    swallow = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    loop = "def signed_distances(X, w, w0):\n    while True: pass"
    leave = "def signed_distances(X, w, w0):\n    import os\n    os._exit(0)"
    search = SEARCH.format(**places)
    return {
        "reference": (filled("hw1"), FULL),
        "untouched": (template("hw1"), dict.fromkeys(FULL, 0)),
        "warns": (filled("hw1", q2=WARNING_Q2), FULL),
        "endless cell": (with_own("while True: pass"), FULL),
        "endless answer": (filled("hw1", q2=loop), all_but_2),
        "swallows interrupts": (with_own(swallow), FULL),
        "leaves": (with_own("import os; os._exit(0)"), FULL),
        "leaves in the answer": (filled("hw1", q2=leave), all_but_2),
        "exits": (with_own("import sys; sys.exit(3)"), FULL),
        "memory": (with_own("hog = [b'x' * (1 << 28) for _ in range(64)]"), FULL),
        "output": (with_own("print('x' * 200_000_000)"), FULL),
        "output bit by bit": (with_own(TRICKLE), FULL),
        "processes": (with_own(MANY), FULL),
        "duplicated": (changed(duplicated), FULL),
        "answered twice": (changed(answered_twice), FULL),
        "tests deleted": (changed(without_tests), FULL),
        "answer deleted": (changed(answer_deleted), all_but_2),
        "tests edited": (changed(with_edited_tests, q2=WRONG_Q2), all_but_2),
        "relabelled": (changed(relabelled), FULL),
        "labels lost": (changed(labels_lost), FULL),
        "reordered": (changed(reordered), FULL),
        "made markdown": (changed(made_markdown), FULL),
        "invalid": ("{ this is no JSON", "cannot be read"),
        "no notebook": ('{"cells": 3}', "cannot be read"),
        "other homework": (filled("hw2"), "it is hw2"),
        "other notebook": ('{"cells": [], "metadata": {}}', "another notebook"),
        "half a surrogate": (HALF, "cannot be read"),
        "searches": (with_own(search), FULL),
        "network": (with_own(NETWORK.format(**places)), FULL),
        "daemon": (with_own(DAEMON), FULL),
        "patched": (with_own(PATCHED, q2=WRONG_Q2), {"q2": 0}),
        "transformed": (with_own(TRANSFORMED, at=7, q2=WRONG_Q2), {"q2": 0}),
        "lying": (filled("hw1", q2=LYING), all_but_2),
        "greedy": (with_own(GREEDY_WIRE, q2=WRONG_Q2), {"q2": 0}),
        "spying": (with_own("print(seen)", at=12, q2=SPYING), all_but_2),
        "asks": (with_own("input('? ')"), FULL),
        "borrows": (filled("hw1", q5=BORROWED), FULL | {"q5": 0}),
        "borrows elsewhere": (filled("hw1", q5=BORROWED_ELSEWHERE), FULL | {"q5": 0}),
    }  # fmt: skip


@dataclass
class Batch:
    """What a run left behind."""

    out: Path
    folder: Path
    said: str
    status: int
    rows: dict[str, dict[str, str]]
    expected: dict[str, tuple[Any, dict[str, float] | str]]
    visitors: list[bytes]

    def record(self, student: str) -> dict[str, Any]:
        path = self.out / "records" / f"{safe(student)}.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def feedback(self, student: str) -> str:
        return (self.out / "feedback" / f"{safe(student)}.html").read_text(encoding="utf-8")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def leftovers() -> list[str]:
    """Return what a batch must not leave: sleeping processes and private folders."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            found += [" ".join(process.cmdline())] if "86399" in process.cmdline() else []
    return found + [str(p) for p in Path(tempfile.gettempdir()).glob("homework-*")]


def run_batch(root: Path, names: list[str], *, isolated: bool) -> Batch:
    import socket

    folder, out = root / "handed in", root / "out"
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.2)
    places = {
        "repo": str(ROOT),
        "source": str(SOURCE / "hw1" / "hw1.ipynb"),
        "submissions": str(folder),
        "out": str(out),
        "book": str(out / "nbgrader" / "gradebook.db"),
        "port": str(listener.getsockname()[1]),
    }
    expected = hostile(places)
    expected = {name: expected[name] for name in names}
    for name, (notebook, _) in expected.items():
        hand_in(folder, name, notebook)
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "walls_available", lambda: isolated)
        for question in questions("hw1").values():
            patch.setitem(question.__dict__, "seconds", 4.0)
        status = grade_folder("hw1", folder, out, LIMITS, stream)
    visitors = []
    with contextlib.suppress(TimeoutError), listener:
        visitors.append(listener.accept()[0].recv(100))
    rows = {row["name"]: row for row in table(out / "grades.csv")}
    return Batch(out, folder, stream.getvalue(), status, rows, expected, visitors)


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Batch:
    names = NAMES if sandbox.walls_available() else [n for n in NAMES if n not in OUTWARD]
    return run_batch(tmp_path_factory.mktemp("batch"), names, isolated=sandbox.walls_available())


NAMES = list(hostile(dict.fromkeys(("repo", "source", "submissions", "out", "book", "port"), "")))
OUTWARD = ("searches", "network")  # without walls these would do what they try


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=needs_walls if n in OUTWARD else ()) for n in NAMES]
)
def test_each_submission_gets_exactly_what_it_deserves(batch: Batch, name: str) -> None:
    wanted, row = batch.expected[name][1], batch.rows[name]
    if isinstance(wanted, str):
        assert wanted in row["status"]
        assert row["total"] == "" == row["q1"]  # not graded is not the same as 0
    else:
        assert {q: float(row[q]) for q in wanted} == wanted, batch.record(name)


def test_whatever_could_not_be_graded_is_listed_and_counted(batch: Batch) -> None:
    failed = [name for name, (_, wanted) in batch.expected.items() if isinstance(wanted, str)]
    assert batch.status == len(failed) > 3
    for name in failed:
        assert f"NOT GRADED {safe(name)}: " in batch.said


@needs_walls
def test_nothing_is_left_running_or_lying_about(batch: Batch) -> None:
    assert leftovers() == []


@needs_walls
def test_behind_the_walls_nothing_is_found_and_nobody_is_reached(batch: Batch) -> None:
    assert "FOUND []" in batch.feedback("searches")
    assert not list(ROOT.glob("PLANTED")) + list(batch.folder.glob("PLANTED"))
    assert not list(batch.out.glob("PLANTED"))
    assert batch.visitors == []
    assert "refused ConnectionRefusedError" in batch.feedback("network")


def test_hidden_arguments_do_not_reach_the_feedback(batch: Batch) -> None:
    """The visible tests call the function, too: only their points may be seen."""
    seen = batch.feedback("spying")
    assert "[[3.0, 4.0], [0.0, 0.0], [1.0, 0.5]]" in seen
    assert seen.count("SEEN") == 2  # the print in the answer's own source, and one visible call


def test_feedback_opens_offline_runs_nothing_and_shows_no_hidden_test(batch: Batch) -> None:
    for path in (batch.out / "feedback").iterdir():
        page = path.read_text(encoding="utf-8")
        assert "default-src 'none'" in page
        for active in ("http://", "https://", "<script"):
            assert active not in page.replace("http://www.w3.org/1998/Math/MathML", ""), path
        words = re.sub("<[^>]+>", "", page)  # colours would stand between the words
        assert "assert len(sides) == 4" in words, "the visible tests are there"
        for secret in ("hidden.tests", "BEGIN HIDDEN"):
            assert secret not in words, path


def test_feedback_names_the_misconception(batch: Batch) -> None:
    hint = "This is the score, not the distance: divide by the length of w."
    assert hint in batch.feedback("tests edited")
    assert hint in (batch.out / "summary.html").read_text(encoding="utf-8")


def test_a_person_is_told_what_to_look_at(batch: Batch) -> None:
    assert "the answer cell is missing" in batch.rows["answer deleted"]["notes"]
    assert "different answer cells" in batch.rows["answered twice"]["notes"]
    assert "did not finish" in batch.rows["endless cell"]["notes"]
    assert "ended the kernel" in batch.rows["leaves"]["notes"]
    assert "printed more" in batch.rows["output"]["notes"]
    assert "ended the kernel" in batch.rows["processes"]["notes"]  # not by the clock: too many


def test_the_output_kept_is_small(batch: Batch) -> None:
    for path in batch.out.rglob("*"):
        assert not path.is_file() or path.stat().st_size < 5_000_000, path


def test_written_answers_wait_in_a_queue_and_untouched_ones_do_not(batch: Batch) -> None:
    waiting = {row["student"] for row in table(batch.out / "written.csv")}
    assert "reference" in waiting
    assert "untouched" not in waiting
    assert batch.rows["reference"]["status"] == "1 written to mark"
    assert batch.rows["untouched"]["status"] == "complete"
    page = (batch.out / "written.html").read_text(encoding="utf-8")
    assert "Rubric" in page


def test_the_summary_has_a_picture_with_words(batch: Batch) -> None:
    page = (batch.out / "summary.html").read_text(encoding="utf-8")
    assert "<img alt='Mean share of the points: q1 " in page


# ---------------------------------------------------------------- without walls

UNWALLED = ["reference", "endless answer", "leaves", "daemon", "patched", "invalid"]


@pytest.fixture(scope="module")
def unwalled(tmp_path_factory: pytest.TempPathFactory) -> Batch:
    return run_batch(tmp_path_factory.mktemp("unwalled"), UNWALLED, isolated=False)


@pytest.mark.parametrize("name", UNWALLED)
def test_limits_hold_without_walls(unwalled: Batch, name: str) -> None:
    test_each_submission_gets_exactly_what_it_deserves(unwalled, name)


def test_without_walls_there_is_one_warning_and_nothing_is_left(unwalled: Batch) -> None:
    assert unwalled.said.count("WARNING") == 1
    assert "apt install bubblewrap" in unwalled.said
    assert leftovers() == []


# ---------------------------------------------------------------- the work of grading


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "in"
    hand_in(folder, "ada", filled("hw1"))
    hand_in(folder, "bob", filled("hw1", q2=WRONG_Q2))
    return folder, tmp_path / "out"


def graded_now(folder: Path, out: Path) -> tuple[int, str]:
    stream = io.StringIO()
    return grade_folder("hw1", folder, out, LIMITS, stream), stream.getvalue()


def test_grading_can_be_stopped_taken_up_and_marked_by_hand(
    small: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = small
    real = grading.Grading.grade

    def stop_at_bob(self: Any, submission: Any) -> Any:
        if submission.student == "bob":
            raise KeyboardInterrupt
        return real(self, submission)

    monkeypatch.setattr(grading.Grading, "grade", stop_at_bob)
    with pytest.raises(KeyboardInterrupt):
        graded_now(folder, out)
    assert [p.stem for p in (out / "records").glob("*.json")] == ["ada"]
    monkeypatch.setattr(grading.Grading, "grade", real)

    status, said = graded_now(folder, out)
    assert status == 0
    assert "ada: graded before" in said
    assert "bob: graded before" not in said

    # a person marks: one well, one badly
    path = out / "written.csv"
    rows = table(path)
    rows[0] |= {"points": "2,5", "comment": "Good, but why no clean pass?"}
    rows[1] |= {"points": "30"}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    status, said = graded_now(folder, out)
    assert status == 1
    assert "NOT ENTERED bob q7: points '30'" in said
    grades = {row["student"]: row for row in table(out / "grades.csv")}
    assert grades["ada"]["q7"] == "2.5"
    assert grades["ada"]["total"] == "25.5"
    assert grades["ada"]["status"] == "complete"
    assert grades["bob"]["status"] == "1 written to mark"
    assert table(path)[1]["points"] == "30"  # what the person wrote is not lost
    page = (out / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "Good, but why no clean pass?" in page

    # the student hands in again, with another written answer: it is marked anew
    hand_in(folder, "ada", filled("hw1", q7="Because 0 times anything is 0."))
    _, said = graded_now(folder, out)
    assert "ada: graded before" not in said
    assert {row["student"]: row for row in table(path)}["ada"]["points"] == ""
    assert {row["student"]: row for row in table(out / "grades.csv")}["ada"]["q7"] == ""


def test_a_spreadsheet_takes_no_name_and_no_answer_for_a_formula(tmp_path: Path) -> None:
    rows = [{"name": text} for text in ("=1+1", "+1", "-1", "@sum", "\t=1", "plain")]
    report.put_table(tmp_path / "t.csv", ["name"], rows)
    found = [row["name"] for row in table(tmp_path / "t.csv")]
    assert found == ["'=1+1", "'+1", "'-1", "'@sum", "'\t=1", "plain"]
    assert report.same_text("'=1+1", "=1+1")  # an answer so guarded is still the same answer


def test_on_a_screen_one_line_shows_how_far_it_is(tmp_path: Path) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    class Known:
        def known(self, submission: Any) -> grading.Record:
            return grading.Record(submission.student, submission.name, "")

    for name in ("ada", "bob"):
        hand_in(tmp_path, name, "{}")
    screen = Screen()
    grading.graded(Known(), find(tmp_path, "hw1"), screen)
    shown = screen.getvalue().split("\r")[1:]
    assert [line.partition("]")[2].split("\033")[0] for line in shown] == [
        " 0/2 ada",
        " 1/2 bob",
        " 2/2",
    ]
    assert [line.count("#") for line in shown] == [0, 15, 30]


def test_two_graders_do_not_work_into_one_folder(small: tuple[Path, Path]) -> None:
    folder, out = small
    with grading.alone(out), pytest.raises(RefusedError, match="another process"):
        graded_now(folder, out)


def test_submissions_are_found_as_platforms_export_them(tmp_path: Path) -> None:
    text = json.dumps(template("hw1"))
    for place in (
        "Ada Lovelace_12_assignsubmission_file_/hw1.ipynb",
        "bob/my work.ipynb",
        "bob/.ipynb_checkpoints/hw1.ipynb",
        "curieamarie_LATE_123_456_hw1-2.ipynb",
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
    found = {s.name: s for s in find(tmp_path, "hw1")}
    assert found["Ada Lovelace_12"].path.name == "hw1.ipynb"
    assert found["bob"].path.name == "my work.ipynb"
    assert found["curieamarie"].path is not None
    assert found["named"].path.name == "hw1.ipynb"
    assert "2 notebooks" in found["two"].problem
    assert "no notebook" in found["empty"].problem
    assert "link" in found["link"].problem
    assert "not a notebook" in found["notes"].problem
    assert {s.student for s in found.values()} >= {"cmd", "Uni", "Ada-Lovelace-12"}
    assert len({s.student for s in found.values()}) == len(found) == 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["grade", "hw9", "."], "HW: there is no 'hw9'"),
        (["grade", "hw1", "no such folder"], "SUBMISSIONS: no such folder is not a folder"),
        (["grade", "hw1", "{empty}"], "SUBMISSIONS: there is nothing in"),
    ],
)
def test_a_bad_call_gets_one_sentence(arguments: list[str], said: str, tmp_path: Path) -> None:
    call = [a.format(empty=tmp_path) for a in arguments]
    command = [sys.executable, "-m", "grader", *call, "--out", str(tmp_path / "out")]
    environment = os.environ | {"PYTHONPATH": str(HOMEWORK)}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 1
    assert said in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1


def test_ctrl_c_is_not_taken_for_a_failed_submission(tmp_path: Path) -> None:
    swallowed = {"success": False, "error": "Traceback …\nKeyboardInterrupt\n"}
    with pytest.raises(KeyboardInterrupt):
        Course(tmp_path, "hw1")._do(swallowed)
    with pytest.raises(CourseError, match="no such table"):
        Course(tmp_path, "hw1")._do({"success": False, "error": "no such table"})


def test_a_notebook_that_used_up_its_time_is_told_so() -> None:
    notebook = nbformat.reads(json.dumps(filled("hw1")), as_version=4)
    verdicts = judge.judge(notebook, questions("hw1"), Limits(notebook=-1), isolated=False)
    assert {verdict.message for verdict in verdicts.values()} == {sandbox.FATES["late"]}


def test_an_older_gradebook_is_kept(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "nbgrader").mkdir()
        grading.set_aside(tmp_path / "nbgrader")
        assert (tmp_path / f"nbgrader.{number}").is_dir()
