"""Grading: every submission gets a definite result, none can harm another or earn by force.

One batch holds the honest and the hostile; each test then looks at what became of one of them.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from lincourse import cli
from lincourse.grader import (
    RefusedError,
    grading,
    judge,
    marks,
    records,
    report,
    session,
    workers,
)
from lincourse.grader.grading import grade_folder
from lincourse.grader.hidden import questions
from lincourse.grader.pages import distribution
from lincourse.grader.sandbox import Limits
from lincourse.grader.scoring import Options
from lincourse.grader.source import SOURCE
from lincourse.grader.submission import safe
from lincourse.grader.verdicts import Verdict
from lincourse.paths import HOMEWORK, NOTEBOOKS
from lincourse.programs import missing
from tests.handed_in import cell_of, filled, hand_in, reference_answers, source, template

LECTURE = NOTEBOOKS / "02-perceptron.ipynb"
FULL = {"q1": 4, "q2": 4, "q3": 4, "q4": 4, "q5": 5}
LIMITS = Limits(cell=6, notebook=60, page=3, memory=1 << 30)  # hostile work uses up all of it
ROOT = HOMEWORK.parent.parent
needs_bwrap = pytest.mark.needs("bwrap")

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
SYNTAX_Q2 = "x = 1\ndef signed_distances(X, w, w0)\n    return X @ w\n"
SCIPY_Q2 = "import scipy.linalg\n" + reference_answers("hw1")["q2"]
SCIPY_IN_Q2 = """def signed_distances(X, w, w0):
    from scipy.linalg import norm
    return (X @ w + w0) / norm(w)
"""
LEAK_Q2 = """def signed_distances(X, w, w0):
    return type(f"LEAK{X.ravel()[0]:.0f}", (), {})()
"""
MATH_Q2 = "def signed_distances(X, w, w0):\n    return (X @ w + w0) / math.sqrt(w @ w)\n"
OLD_Q4 = "def one_pas(X, y, weights):\n    return None\n"
PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()
WITH_PICTURE = {
    "source": "See ![image.png](attachment:image.png) and ![gone](attachment:gone.png)",
    "attachments": {"image.png": {"image/png": PICTURE}},
}
HELPER = "def helper(X, y, weights):\n    return one_pass(X, y, weights)\n"
HELPED_Q5 = reference_answers("hw1")["q5"].replace("one_pass(", "helper(")
SETUP = "".join(cell_of(template("hw1"), "setup")["source"]) + "\nimport math"
META = """from IPython.display import HTML
HTML('<meta http-equiv="refresh" content="0;url=//evil.test"><form action="//evil.test">'
     '<input name="secret"></form><b onclick="x()" style="position:fixed">shown</b>')
"""
COVER = r"$\style{position:fixed;top:0;left:0;width:100%;height:100%;background:red}{x}$ and $a<b$"
MANY = "import os, time\nfor _ in range(7):\n    os.fork()\ntime.sleep(60)"
HALF = '{"cells": [{"cell_type": "code", "source": "\\ud800"}]}'
WRONG_Q4 = """def one_pass(X, y, weights):
    weights, updates = np.array(weights, dtype=float), 0
    for x, label in zip(X, y):
        if label * (weights[0] + weights[1:] @ x) < 0:
            weights += label * np.append(1, x)
            updates += 1
    return weights, updates
"""
WRONG_Q2 = "def signed_distances(X, w, w0):\n    return X @ w + w0\n"


Change = Callable[[dict[str, Any]], None]


def changed(*changes: Change, **answers: str) -> dict[str, Any]:
    """Return the reference, or other answers, after some changes."""
    notebook = filled("hw1", **answers)
    for change in changes:
        change(notebook)
    return notebook


def with_own(source: str, at: int = 2, **answers: str) -> dict[str, Any]:
    """Return the reference, or other answers, with a cell of the student's own."""
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "source": source}
    return changed(lambda notebook: notebook["cells"].insert(at, own), **answers)


def copied(label: str, source: str, after: str = "") -> Change:
    """Copy a cell, as JupyterLab does it: both keep the label. Other text stands in the copy."""

    def change(notebook: dict[str, Any]) -> None:
        cells, cell = notebook["cells"], cell_of(notebook, label)
        place = cells.index(cell_of(notebook, after)) + 1 if after else cells.index(cell)
        cells.insert(place, dict(cell, id="copy", source=source))

    return change


def put(label: str, **fields: Any) -> Change:
    return lambda notebook: cell_of(notebook, label).update(fields)


def without(*endings: str) -> Change:
    def change(notebook: dict[str, Any]) -> None:
        name = lambda cell: cell["metadata"]["nbgrader"]["grade_id"]  # noqa: E731
        notebook["cells"] = [c for c in notebook["cells"] if not name(c).endswith(endings)]

    return change


def each(edit: Callable[[int, dict[str, Any]], dict[str, Any]]) -> Change:
    def change(notebook: dict[str, Any]) -> None:
        for number, cell in enumerate(notebook["cells"]):
            cell |= edit(number, cell)

    return change


def labelled(**labels: Any) -> dict[str, Any]:
    return {"nbgrader": {"grade": False, "solution": False, "locked": True, **labels}}


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
for path in glob.glob("{out}/*/*.json"):
    open(path, "w").write("")
"""
NETWORK = """
import socket
for port in ({port}, 0):  # of this machine, and one of its own
    try:
        if port:
            socket.create_connection(("127.0.0.1", port), timeout=2).sendall(b"hello")
        else:
            socket.create_server(("127.0.0.1", 0))
        print("CONNECTED")
    except OSError as error:
        print("refused", error.strerror)
"""
SURROGATE = "print(chr(0xd800)); print({chr(0xdfff): 1}); raise ValueError(chr(0xd800))"
BRACES = '{"cells": [' + "{}," * (8 << 20) + "{}]}"  # 25 MB, some of them more than a GB in memory
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
    swallow = "import time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass"
    loop = "def signed_distances(X, w, w0):\n    import time\n    while True: time.sleep(9)"
    leave = "def signed_distances(X, w, w0):\n    import os\n    os._exit(0)"
    search = SEARCH.format(**places)
    return {
        "reference": (filled("hw1"), FULL),
        "untouched": (template("hw1"), dict.fromkeys(FULL, 0)),
        "warns": (filled("hw1", q2=WARNING_Q2), FULL),
        "endless answer": (filled("hw1", q2=loop), all_but_2),
        "swallows interrupts": (with_own(swallow), FULL),
        "leaves": (with_own("import os; os._exit(0)"), FULL),
        "leaves in the answer": (filled("hw1", q2=leave), all_but_2),
        "memory": (with_own("hog = [b'x' * (1 << 28) for _ in range(64)]"), FULL),
        "output": (with_own("print('x' * 200_000_000)"), FULL),
        "processes": (with_own(MANY), FULL),
        "answered twice": (changed(copied("q2", WRONG_Q2)), FULL),
        "tests deleted": (changed(without("-tests")), FULL),
        "answer deleted": (changed(without("q2")), all_but_2),
        "tests edited": (changed(
            put("q2-tests", source="pass", metadata=labelled(grade_id="q2-tests", points=400)),
            q2=WRONG_Q2), all_but_2),
        "relabelled": (changed(put("q2", metadata=labelled(grade_id="q9")),
                               put("q3", metadata={"nbgrader": "lost"})), FULL),
        "labels lost": (changed(each(lambda k, cell: {"metadata": {}, "id": f"c{k}"})), FULL),
        "from Windows": (changed(each(
            lambda k, cell: {"source": "".join(cell["source"]).replace("\n", "\r\n")})), FULL),
        "surrogates": (with_own(SURROGATE), FULL),
        "braces": (BRACES, "more memory or time to be read"),
        "lecture": (LECTURE.read_text(encoding="utf-8"), "is it a lecture or another notebook?"),
        "reordered": (changed(lambda notebook: notebook["cells"].reverse()), FULL),
        "made markdown": (changed(put("q2", cell_type="markdown")), FULL),
        "invalid": ("{ this is no JSON", "cannot be read"),
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
        "brackets": (filled("hw1", q6="[" * 50_000), FULL),
        "spaces": (filled("hw1", q6="a$b" + " " * 300_000 + "c"), FULL),
        "covers the page": (filled("hw1", q6=COVER), FULL),
        "picture": (changed(put("q6", **WITH_PICTURE)), FULL),
        "syntax error": (filled("hw1", q2=SYNTAX_Q2), all_but_2),
        "imports scipy": (filled("hw1", q2=SCIPY_Q2), all_but_2),
        "imports scipy inside": (filled("hw1", q2=SCIPY_IN_Q2), all_but_2),
        "leaks by a name": (filled("hw1", q2=LEAK_Q2), all_but_2),
        "refreshes": (with_own(META), FULL),
        "split answer": (changed(copied("q5", HELPER), put("q5", source=HELPED_Q5)), FULL),
        "old try below": (changed(copied("q4", OLD_Q4, after="q4-tests")), FULL),
        "imports in setup": (changed(put("setup", source=SETUP), q2=MATH_Q2), FULL),
        "with a mark": ("\ufeff" + json.dumps(filled("hw1")), FULL),
        "format 3": ('{"nbformat": 3, "worksheets": []}', "open it in JupyterLab"),
        "one mistake": (with_own("import os; os._exit(0)", q4=WRONG_Q4), FULL | {"q4": 0}),
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
        found = (self.out / "records").glob(f"{safe(student)}~*.json")
        (path,) = (path for path in found if "details" not in path.name)
        return json.loads(path.read_text(encoding="utf-8"))

    def feedback(self, student: str) -> str:
        return (self.out / "feedback" / f"{safe(student)}.html").read_text(encoding="utf-8")


table = records.read_table


def private(root: Path) -> Path:
    """Return a temporary folder of this batch alone."""
    folder = root / "tmp"
    folder.mkdir(exist_ok=True)
    return folder


def leftovers(batch: Batch) -> list[str]:
    """Return what a batch must not leave: sleeping processes and private folders."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found += [" ".join(process.cmdline())] if "86399" in process.cmdline() else []
    return found + [str(p) for p in (batch.out.parent / "tmp").iterdir()]


def run_batch(root: Path, names: list[str], *, isolated: bool) -> Batch:
    folder, out = root / "handed in", root / "out"
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.2)
    places = {
        "repo": str(ROOT),
        "source": str(SOURCE / "hw1" / "hw1.ipynb"),
        "submissions": str(folder),
        "out": str(out),
        "book": str(out / "records"),
        "port": str(listener.getsockname()[1]),
    }
    expected = hostile(places)
    expected = {name: expected[name] for name in names}
    for name, (notebook, _) in expected.items():
        hand_in(folder, name, notebook)
    stream = io.StringIO()
    options = Options(LIMITS, jobs=2, sandbox=isolated)
    with pytest.MonkeyPatch.context() as patch:
        for question in questions("hw1").values():
            patch.setitem(question.__dict__, "seconds", 6.0)
        patch.setattr(tempfile, "tempdir", str(private(root)))
        status = grade_folder("hw1", folder, out, options, stream)
    visitors = []
    with contextlib.suppress(TimeoutError), listener:
        visitors.append(listener.accept()[0].recv(100))
    rows = {row["name"]: row for row in table(out / "grades.csv")}
    return Batch(out, folder, stream.getvalue(), status, rows, expected, visitors)


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Batch:
    names = NAMES if not missing("bwrap") else [n for n in NAMES if n not in OUTWARD]
    return run_batch(tmp_path_factory.mktemp("batch"), names, isolated=not missing("bwrap"))


NAMES = list(hostile(dict.fromkeys(("repo", "source", "submissions", "out", "book", "port"), "")))
OUTWARD = ("searches", "network")  # without a sandbox these would do what they try


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=needs_bwrap if n in OUTWARD else ()) for n in NAMES]
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


@needs_bwrap
def test_nothing_is_left_running_or_lying_about(batch: Batch) -> None:
    assert leftovers(batch) == []


@needs_bwrap
def test_in_the_sandbox_nothing_is_found_and_nobody_is_reached(batch: Batch) -> None:
    assert "FOUND []" in batch.feedback("searches")
    assert not list(ROOT.glob("PLANTED")) + list(batch.folder.glob("PLANTED"))
    assert not list(batch.out.glob("PLANTED"))
    assert batch.visitors == []
    assert batch.feedback("network").count("refused Operation not permitted") == 2
    assert "CONNECTED\n" not in batch.feedback("network")


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
        graded = "Not graded:" not in words
        assert ("assert len(sides) == 4" in words) is graded, "the visible tests are there"
        for secret in ("hidden.tests", "BEGIN HIDDEN"):
            assert secret not in words, path


NOTED = {
    "answer deleted": "the answer cell is missing",
    "answered twice": "different answer cells",
    "swallows interrupts": "did not finish",
    "leaves": "ended the kernel",
    "output": "printed more",
    "tests edited": "tests were changed; the given ones were run",
    "imports in setup": "setup: this given cell was changed",
    "split answer": "2 different answer cells; all were run",
    "from Windows": "",
    "labels lost": "",
}
SAID = {
    "syntax error": "its cell has a SyntaxError in line 2: expected &#39;:&#39;.",
    "imports scipy": "its cell imports scipy: write it with NumPy",
    "imports scipy inside": "imports what is not there while it is graded: write it with NumPy",
    "borrows": "imports what is not there",
    "leaks by a name": "gives something else than numbers, texts, or lists",
    "endless answer": "did not come back",
    "one mistake": "A score of exactly 0 is a mistake: compare with &lt;= 0",
}


@pytest.mark.parametrize("name", NOTED)
def test_what_a_person_should_look_at_is_noted(batch: Batch, name: str) -> None:
    notes = batch.rows[name]["notes"]
    assert NOTED[name] in notes if NOTED[name] else notes == ""


@pytest.mark.parametrize("name", SAID)
def test_feedback_says_why(batch: Batch, name: str) -> None:
    page = re.sub("</?code>", "", batch.feedback(name))
    assert SAID[name] in page, batch.record(name)["remarks"]
    assert "LEAK" not in re.sub("<[^>]+>", "", page).partition("Your notebook")[0]


@pytest.mark.parametrize("name", ["reference", "asks"])
def test_a_given_picture_is_shown(batch: Batch, name: str) -> None:
    """Drawn once for all who ran nothing of their own before it, and anew for the others."""
    assert batch.feedback(name).count('<img alt="A rising line through (0, -1)') == 1
    notebook = batch.out / "notebooks" / f"{name}.ipynb"
    assert '"image/png": "iVBOR' in notebook.read_text(encoding="utf-8")


def test_feedback_counts_compares_links_and_states_limits(batch: Batch) -> None:
    page, hint = batch.feedback("tests edited"), "This is the score, not the distance: divide"
    assert hint in page
    assert "4 of 5 cases fail: the example of the question; a line that does not" in page
    assert "On the example of the question: found [20, -5, 0], expected [4, -1, 0]." in page
    assert "<a href='#cell-q2'>q2</a>" in page
    assert page.count("id='cell-q2'") == 1
    assert "A cell may run for 6 seconds, the whole notebook for 60" in page
    summary = (batch.out / "summary.html").read_text(encoding="utf-8")
    assert hint in summary
    assert "<summary>one of them</summary>" in summary, "a misconception with an example"
    assert "<meter max='100' value='9" in summary


def test_one_mistake_costs_once_and_no_answer_is_called_so(batch: Batch) -> None:
    remarks = batch.record("one mistake")["remarks"]
    assert remarks["q5"] == "Judged with our answer to q4 in place of yours."
    assert batch.record("one mistake")["points"]["q5"] == 5
    remarks = batch.record("untouched")["remarks"]
    assert remarks["q1"] == "`sides` is not answered yet."
    assert remarks["q2"] == "`signed_distances` is not answered yet."


# Right answers that call an earlier one, which is wrong.
BUILT = {
    ("hw1", "q3", "q4"): (
        "def mistakes(X, y, weights):\n    return np.arange(len(y))\n",
        """
def one_pass(X, y, weights):
    weights, updates = np.array(weights, dtype=float), 0
    for k in range(len(y)):
        if len(mistakes(X[k : k + 1], y[k : k + 1], weights)):
            weights = weights + y[k] * np.append(1, X[k])
            updates += 1
    return weights, updates
""",
    ),
    ("hw2", "q2", "q3"): (
        "def promise(X, y, weights):\n    return 0.0, 0.0, 0.0\n",
        """
def chain(Z, rows, w_star):
    R, gamma, bound = promise(Z[:, 1:] * Z[:, :1], Z[:, 0], w_star)
    path, k = np.cumsum(Z[rows], axis=0), np.arange(1, len(rows) + 1)
    unit = w_star / np.linalg.norm(w_star)
    return np.column_stack([k * gamma, path @ unit, np.linalg.norm(path, axis=1), np.sqrt(k) * R])
""",
    ),
}


@pytest.mark.parametrize(("homework", "earlier", "later"), BUILT)
def test_a_right_answer_on_a_wrong_earlier_one_loses_nothing(
    homework: str, earlier: str, later: str, tmp_path: Path
) -> None:
    wrong, right = BUILT[homework, earlier, later]
    hand_in(tmp_path / "in", "ada", filled(homework, **{earlier: wrong, later: right}))
    options = Options(LIMITS, sandbox=not missing("bwrap"))
    grade_folder(homework, tmp_path / "in", tmp_path / "out", options, io.StringIO())
    (row,) = table(tmp_path / "out" / "grades.csv")
    points = {c.metadata.nbgrader.grade_id: c.metadata.nbgrader for c in source(homework).cells}
    assert float(row[later]) == points[f"{later}-tests"].points
    assert float(row[earlier]) < points[f"{earlier}-tests"].points


def test_only_what_a_student_calls_is_put_in_its_place(tmp_path: Path) -> None:
    made = grading.Grading("hw1", tmp_path, Options(LIMITS))
    wrong = dict.fromkeys(questions("hw1"), Verdict(False))
    answers = reference_answers("hw1")
    cells = [{**cell, "source": answers.get(cell["id"], cell["source"])} for cell in made.cells]
    assert made.earlier_wrong(judge.Assessment(cells=cells), wrong) == {"q5": ["q4"]}
    own = {"id": "own-q2-0", "type": "code", "source": "help = mistakes", "solution": False}
    assert made.earlier_wrong(judge.Assessment(cells=[*cells, own]), wrong) == {
        "q4": ["q3"],
        "q5": ["q3", "q4"],
    }


def test_nothing_of_a_student_leaves_its_place_on_a_page(batch: Batch) -> None:
    pages = [batch.feedback("covers the page"), batch.feedback("refreshes")]
    pages.append((batch.out / "written.html").read_text(encoding="utf-8"))
    for page in pages:
        body = page.partition("</style></head>")[2] or page.partition("<h1>")[2]
        shown = re.sub(r"<pre class='raw'>.*?</pre>", "", body, flags=re.S)
        shown = re.sub(r"<div class=.code.>.*?</div>", "", shown, flags=re.S)
        shown = re.sub(r"<code>[^<]*</code>", "", shown)  # a formula that is shown as it was typed
        for active in ("position:fixed", "onclick=", "<form", "http-equiv", "<input name"):
            assert active not in shown
    assert "<b>shown</b>" in batch.feedback("refreshes")
    less = "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"
    assert all(less in page for page in (pages[0], pages[2])), "a formula with < stays one"


def test_a_pasted_picture_is_shown(batch: Batch) -> None:
    for page in (batch.feedback("picture"), (batch.out / "written.html").read_text("utf-8")):
        assert f'src="data:image/png;base64,{PICTURE}"' in page
        assert "a picture that is not in the file: gone" in page


@pytest.mark.parametrize("name", ["brackets", "spaces"])
def test_what_cannot_be_drawn_costs_no_more_than_its_form(batch: Batch, name: str) -> None:
    text = batch.expected[name][0]["cells"][-1]["source"]
    assert text[:1000] in batch.feedback(name) or "could not be drawn" in batch.rows[name]["notes"]
    assert len(list((batch.out / "feedback").iterdir())) == len(batch.rows)


def test_the_output_kept_is_small(batch: Batch) -> None:
    for path in batch.out.rglob("*"):
        assert not path.is_file() or path.stat().st_size < 5_000_000, path


def test_written_answers_wait_for_a_person_and_an_empty_one_is_called_empty(batch: Batch) -> None:
    waiting = {row["student"]: row for row in table(batch.out / "written.csv")}
    assert {"reference", "labels lost", "untouched"} <= set(waiting)
    for name in ("reference", "untouched"):
        assert (batch.rows[name]["status"], batch.rows[name]["q6"]) == ("1 written to mark", "")
    assert waiting["untouched"]["answer"] == ""
    page = (batch.out / "written.html").read_text(encoding="utf-8")
    _, card = page.split("data-student='untouched'")
    assert "Nothing is written here" in card.partition("</article>")[0]


def test_what_is_hard_is_judged_by_what_is_marked() -> None:
    shares = {"q1": [100.0] * 4, "q2": [0.0, 0.0, 100.0, 0.0], "q6": [0.0]}
    assert [row["label"] for row in distribution(shares) if row["hard"]] == ["q2"]
    assert not any(row["hard"] for row in distribution({"q1": [50.0], "q2": []}))


# ---------------------------------------------------------------- without a sandbox

UNWALLED = ["endless answer", "swallows interrupts"]


def test_without_a_sandbox_limits_hold_and_nothing_is_left(tmp_path: Path) -> None:
    unsandboxed = run_batch(tmp_path, UNWALLED, isolated=False)
    for name in UNWALLED:
        test_each_submission_gets_exactly_what_it_deserves(unsandboxed, name)
    assert unsandboxed.said.count("WARNING") == 1
    assert leftovers(unsandboxed) == []


def test_without_a_sandbox_nothing_is_graded_unless_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(tmp_path / "in", "ada", template("hw1"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        RefusedError, match=r"^--sandbox: bwrap is not on this machine: .*; or say --sandbox no"
    ):
        grade_folder("hw1", tmp_path / "in", tmp_path / "out", Options(LIMITS))


def test_a_failure_of_the_grader_itself_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Any, data: bytes, call: Any) -> Any:
        raise RuntimeError("no sandbox")

    hand_in(tmp_path / "in", "ada", filled("hw1"))
    monkeypatch.setattr(grading.Grading, "judged", fails)
    options = Options(LIMITS, sandbox=False)
    for _ in range(2):
        said = io.StringIO()
        assert grade_folder("hw1", tmp_path / "in", tmp_path / "out", options, said) == 1
        assert "[1/1] ada: the grader failed: RuntimeError: no sandbox" in said.getvalue()


# ---------------------------------------------------------------- the work of grading


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "in"
    hand_in(folder, "ada", filled("hw1"))
    hand_in(folder, "bob", filled("hw1", q2=WRONG_Q2))
    return folder, tmp_path / "out"


def graded_now(folder: Path, out: Path, **options: Any) -> tuple[int, str]:
    stream = io.StringIO()
    options = Options(LIMITS, sandbox=not missing("bwrap"), **options)
    return grade_folder("hw1", folder, out, options, stream), stream.getvalue()


def test_grading_can_be_stopped_taken_up_and_marked_by_hand(
    small: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = small
    real = grading.Grading.judge

    def stop_at_bob(self: Any, label: str, replies: Any, assessment: Any) -> Any:
        if any(cell["source"] == WRONG_Q2 for cell in assessment.cells):
            raise KeyboardInterrupt
        return real(self, label, replies, assessment)

    monkeypatch.setattr(grading.Grading, "judge", stop_at_bob)
    with pytest.raises(KeyboardInterrupt):
        graded_now(folder, out, jobs=1)  # ada comes first
    assert {p.name.partition("~")[0] for p in (out / "records").glob("*.json")} == {"ada"}
    monkeypatch.setattr(grading.Grading, "judge", real)

    status, said = graded_now(folder, out)
    assert status == 0
    assert "[1/2] ada: graded before" in said
    assert "[2/2] bob: " in said
    assert "bob: graded before" not in said

    # a person marks: one well, one badly
    path = out / "written.csv"
    rows = table(path)
    rows[0] |= {"points": "2,5", "met": "1 2", "comment": "Half of line 3: why no clean pass?"}
    rows[1] |= {"points": "30"}
    records.put_table(path, list(rows[0]), rows)
    status, said = graded_now(folder, out)
    assert status == 1
    assert "NOT ENTERED bob q6: points '30'" in said
    grades = {row["student"]: row for row in table(out / "grades.csv")}
    assert grades["ada"]["q6"] == "2.5"
    assert grades["ada"]["total"] == "23.5"
    assert grades["ada"]["status"] == "complete"
    assert grades["bob"]["status"] == "1 written to mark"
    assert table(path)[1]["points"] == "30"  # what the person wrote is not lost
    page = (out / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "Half of line 3: why no clean pass?" in page
    assert page.count("✓ Met, 1 point: ") == 2
    page = (out / "written.html").read_text(encoding="utf-8")
    assert page.count(" checked>") == 2, "the marking page knows which lines were met"

    # the student asks again, first without success
    for given, mark in (({"comment": "See line 3."}, "2.5"), ({"met": "1 2 3"}, "3")):
        again = marks.Again("ada", "q6", "But I wrote it, $x$.", **given)
        graded_now(folder, out, again=again)
        assert table(out / "grades.csv")[0]["q6"] == mark
    logged = [row for row in table(out / "changes.csv") if "But I wrote it" in row["why"]]
    assert [(row["question"], row["before"], row["after"]) for row in logged] == [
        ("q6", "2.5", "2.5"),  # listed, because it was decided again
        ("q6", "2.5", "3"),
        ("total", "23.5", "24"),
    ]
    (kept,) = [row for row in table(out / "marks.csv") if row["student"] == "ada"]
    assert [kept[k] for k in ("asked", "before", "points")] == ["But I wrote it, $x$.", "2.5", "3"]
    assert "You wrote: “But I wrote it" in (out / "feedback/ada.html").read_text(encoding="utf-8")
    with pytest.raises(RefusedError, match="'adda'; did you mean 'ada'"):
        graded_now(folder, out, again=marks.Again("adda", "q6", "?"))

    # a question that the hidden tests decide, where a person overrules them
    again = marks.Again("bob", "q2", "It is right.", points="3", comment="A slip, nothing more.")
    graded_now(folder, out, again=again)
    assert table(out / "grades.csv")[1]["q2"] == "3"
    assert "A slip, nothing more." in (out / "feedback/bob.html").read_text(encoding="utf-8")

    # another folder, and the student hands in another answer: it is marked anew
    elsewhere = folder.with_name("elsewhere")
    hand_in(elsewhere, "ada", filled("hw1", q6="Because 0 times anything is 0."))
    path.unlink()  # a crash, or somebody tidied up
    _, said = graded_now(elsewhere, out)
    assert "ada: graded before" not in said
    assert "NOT THERE bob (bob)" in said
    grades = {row["student"]: row for row in table(out / "grades.csv")}
    assert (grades["ada"]["q6"], grades["bob"]["q1"]) == ("", "4")
    assert grades["bob"]["status"].startswith("not in the folder any more")
    assert (out / "feedback" / "bob.html").exists()

    # with the first folder everything is as it was, marks and comments included
    _, said = graded_now(folder, out)
    assert said.count("graded before") == 2
    grades = {row["student"]: row for row in table(out / "grades.csv")}
    assert (grades["ada"]["q6"], grades["bob"]["q6"]) == ("3", "")
    assert table(path)[0]["comment"] == "See line 3."
    rows = table(path)
    rows[0] |= {"points": "-"}  # taken back
    rows[1] |= {"points": ""}
    records.put_table(path, list(rows[0]), rows)
    _, said = graded_now(folder, out)
    assert "NOT ENTERED ada" not in said
    assert table(out / "grades.csv")[0]["q6"] == ""


def test_a_spreadsheet_takes_no_name_and_no_answer_for_a_formula(tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-1", "@sum", "\t=1", "plain"]
    records.put_table(tmp_path / "t.csv", ["name"], [{"name": text} for text in texts])
    found = [row["name"] for row in table(tmp_path / "t.csv")]
    assert found == [*(f"'{text}" for text in texts[:-1]), "plain"]
    assert marks.mark_key("a", "q", "'=1+1") == marks.mark_key("a", "q", "=1+1")


def test_two_graders_do_not_work_into_one_folder(small: tuple[Path, Path]) -> None:
    folder, out = small
    with grading.alone(out), pytest.raises(RefusedError, match="another process"):
        graded_now(folder, out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["grade", "hw9", "."], "homework: there is no 'hw9'"),
        (
            ["grade", "hw1", "no such folder"],
            "submissions: no such folder is not a folder and not a zip",
        ),
        (["grade", "hw1", "none.zip"], "submissions: none.zip is not a folder and not a zip"),
        (["grade", "hw1", "{0}/empty"], "submissions: there is nothing in"),
        (["grade", "hw1", "{0}/in", "--rules", "none.toml"], "--rules: none.toml cannot be read"),
    ],
)
def test_a_bad_call_gets_one_sentence(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with it, that is, even where there is no sandbox either."""
    (tmp_path / "empty").mkdir()
    hand_in(tmp_path / "in", "ada", template("hw1"))
    monkeypatch.setenv("PATH", "")
    call = [a.format(tmp_path) for a in arguments]
    with pytest.raises(SystemExit) as refused:
        cli.main([*call, "--out", str(tmp_path / "out")])
    assert said in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_windows_is_told_where_to_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(SystemExit, match="on Windows run it in WSL"):
        cli.main(["grade", "hw1", "in"])


def test_the_exit_code_says_that_some_could_not_be_graded(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "ada", "no notebook")
    call = ["grade", "hw1", str(tmp_path / "in"), "--out", str(tmp_path / "out")]
    assert cli.main([*call, "--sandbox", "yes" if not missing("bwrap") else "no"]) == 3


def test_a_notebook_that_used_up_its_time_is_told_so(tmp_path: Path) -> None:
    made = grading.Grading("hw1", tmp_path, Options(LIMITS))
    late = judge.Assessment(late=True)
    assert made.judge("q2", [], late).message == session.FATES["late"]


def test_a_worker_that_dies_costs_no_submission() -> None:
    class KilledWorker(Exception):  # noqa: N818  # its name at Dask's
        pass

    tries: list[int] = []

    def dies_twice() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise KilledWorker
        return "done"

    with workers.workers(1, None) as (threads, call):
        assert threads.submit(call, dies_twice).result() == "done"
    assert len(tries) == 3


def test_every_change_to_a_grade_is_logged(tmp_path: Path) -> None:
    def log(digest: str, grader: str, **points: float | None) -> None:
        record = records.Record("=ada", "Ada", digest, made_by=grader)
        report.write_grades(tmp_path, [report.Grade("", record, points)], {"q1": 4, "q6": 3})

    log("1", "x", q1=3.0, q6=None)
    log("1", "x", q1=3.0, q6=None)
    log("1", "y", q1=3.0, q6=None)
    log("1", "y", q1=3.0, q6=2.0)
    log("2", "y", q1=0.0, q6=2.0)
    log("2", "z", q1=1.0, q6=2.0)
    rows = [row for row in table(tmp_path / "changes.csv") if row["question"] != "total"]
    assert [(r["student"], r["question"], r["before"], r["after"], r["why"]) for r in rows] == [
        ("'=ada", "q1", "", "3", "graded for the first time"),
        ("'=ada", "q6", "", "2", "marked, or other rules"),
        ("'=ada", "q1", "3", "0", "another file counts"),
        ("'=ada", "q1", "0", "1", "the homework or the grader changed"),
    ]


# ---------------------------------------------------------------- the visible tests alone


def test_the_visible_tests_answer_whoever_hands_in(tmp_path: Path) -> None:
    """Nothing is kept, nothing hidden is said, and what fails has the words of its test."""
    overfitted = "def signed_distances(X, w, w0):\n    return np.array([4, -1, 0])"
    one = filled("hw1", q2=overfitted, q3="def mistakes(X, y, weights):\n    return [1]", q6="")
    cell_of(one, "q4")["source"] = 'raise NotImplementedError("not answered yet")'
    hand_in(tmp_path / "in", "ada", one)
    hand_in(tmp_path / "in", "bob", "no notebook")
    options = Options(LIMITS, sandbox=not missing("bwrap"), visible=True)
    for place, failed in ((tmp_path / "in", 1), (tmp_path / "in/ada.ipynb", 0)):
        said = io.StringIO()
        assert grade_folder("hw1", place, tmp_path / "out", options, said) == failed
        lines = said.getvalue().splitlines()
        at = lines.index("ada: the visible tests of 8 of 21 points pass.")
        assert lines[at + 1] == "  q3: AssertionError: Expected [1, 2], found [1]."
        assert lines[at + 2] == "  q4: not answered yet."
        assert lines[at + 3].startswith("  q5: ")
        assert lines[at + 4] == "  q6: nothing is written."
        assert "hidden" not in said.getvalue()
        assert not any("case" in line for line in lines)
        assert not (tmp_path / "out").exists()
    (broken,) = [line for line in lines if line.startswith("bob: ")] or ["bob: it is not JSON"]
    assert "it is not JSON" in broken


# ---------------------------------------------------------------- work beside a written answer

WRONG_ESTIMATE = """def estimate(X, y):
    raise ValueError("mine")
"""


@pytest.mark.slow
def test_work_that_needs_a_wrong_function_is_shown_with_ours(tmp_path: Path) -> None:
    """A plot to be marked by hand is not lost with an earlier mistake."""
    (label,) = [q for q, one in source_functions("hw4").items() if one == "estimate"]
    hand_in(tmp_path / "in", "ada", filled("hw4", **{label: WRONG_ESTIMATE}))
    hand_in(tmp_path / "in", "bob", filled("hw4"))
    out = tmp_path / "out"
    grade_folder("hw4", tmp_path / "in", out, Options(sandbox=not missing("bwrap")), io.StringIO())
    page = (out / "written.html").read_text(encoding="utf-8")
    shown = {}
    for card in page.split("<article ")[1:]:
        (student,) = re.findall(r"data-student='(\w+)'", card)
        shown[student] = card.partition("</article>")[0].partition("class='instead'")
    own, _, instead = shown["ada"]
    assert "ValueError" in own
    assert "data:image/png" not in own
    assert "data:image/png" in instead, "the student's plot, drawn with our estimates"
    assert "ValueError" not in instead
    own, _, instead = shown["bob"]
    assert "data:image/png" in own
    assert instead == "", "nothing is wrong, nothing is shown twice"
    feedback = (out / "feedback/ada.html").read_text(encoding="utf-8")
    assert "with our functions in place of those that are wrong" in feedback


def source_functions(homework: str) -> dict[str, str]:
    return {label: one.name for label, one in questions(homework).items()}
