"""One real run over a small course with one of each: what is told of it, item by item."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Notebook = dict[str, Any]


def code(source: str, *outputs: dict[str, Any], count: int | None = 0, **metadata: Any) -> Notebook:
    """Return a code cell; a count of 0 is filled in with its place."""
    kind = {"cell_type": "code", "source": source, "metadata": metadata}
    return kind | {"execution_count": count, "outputs": list(outputs)}


def out(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def result(text: str, **data: str) -> dict[str, Any]:
    forms = {mime.replace("_", "/"): content for mime, content in data.items()}
    made = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    return made | {"data": {"text/plain": text, **forms}}


def raised(name: str, text: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": ["there"]}


def write(path: Path, *cells: Notebook, minor: int = 4, **metadata: Any) -> None:
    for number, cell in enumerate((c for c in cells if c["cell_type"] == "code"), start=1):
        if cell["execution_count"] == 0:
            cell["execution_count"] = number
    book = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}
    path.write_text(json.dumps(book), encoding="utf-8")


TABLE = "<table><tr><th>fruit</th><th>grams</th></tr><tr><td>pear</td><td>{}</td></tr></table>"
SHOW_TABLE = f"from IPython.display import HTML\nHTML({TABLE.format(880)!r})"
SHADE = "plt.figure(figsize=(1, 1))\nplt.axes().set_facecolor({!r})\nplt.show()"
PLOT = "import matplotlib.pyplot as plt\n" + SHADE.format("red")

PASS, SKIP = "", "skipped"
# Notebook: what of each of its items, as a pattern of the message; "" passes.
EXPECTED: dict[str, dict[str, str]] = {
    "as-it-was": {
        "counts": PASS,
        **{f"cell-{k}": PASS for k in range(1, 6)},
    },
    "changed": {
        "counts": PASS,
        "cell-1": r"changed.ipynb, cell 1, output 1 \(stdout\): now 0.5, stored 0.4\n",
        "cell-2": r"cell 2, output 1, row 'pear', column grams: now '880', stored '878'",
        "cell-3": "cell 3: now raises nothing, stored 'ZeroDivisionError: division by zero'",
        "cell-4": r"cell 4: now 1 output \(stdout\), stored 0 outputs",
    },
    "counted": {
        "counts": "(?s)cell 2: has outputs and no count.*cell 3: was never run",
        "cell-1": PASS,
        "cell-2": PASS,
        "cell-3": "skipped.*never run: nothing is stored to compare with",
    },
    "disordered": {"counts": PASS, "cell-1": PASS, "cell-2": PASS},
    "lacking": {
        "counts": PASS,
        "cell-1": "skipped.*needs a package that is not installed .No module named 'nosuchthing'",
        "cell-2": "skipped.*follows from cell 1",
        "cell-3": PASS,
        "cell-4": "skipped.*needs a file that is not here .*no-such-file.csv",
        "cell-5": "skipped.*follows from cell 4",
    },
    "cascade": {
        "counts": PASS,
        "cell-1": PASS,
        "cell-2": "cell 2: raises KeyError: 'b'",
        "cell-3": "skipped.*follows from cell 2",
        "cell-4": "skipped.*follows from cell 2",
        "cell-5": PASS,
    },
    "foreign": {"kernel": "skipped.*its kernel is for r: only Python is run"},
    "unstored": {
        "counts": "skipped.*nothing is stored to compare with: run only",
        "cell-1": "skipped.*nothing is stored to compare with: run only",
        "cell-2": "raises NameError: name 'y' is not defined",
    },
    "unsteady": {"counts": PASS, "cell-1": PASS, "cell-2": "now 7, stored 8"},
    "exempt": {
        "counts": PASS,
        "cell-1": "skipped.*a tag or comment asks for it",
        "cell-2": PASS,
        "cell-3": PASS,
        "cell-4": "raises nothing, although a tag or comment says that it does",
        "cell-5": PASS,
    },
    "ending": {
        "counts": PASS,
        "cell-1": "cell 1 took longer than 5 seconds",
        "cell-2": "skipped.*follows from cell 1",
    },
    "dying": {"counts": PASS, "cell-1": "cell 1 ended the kernel: it died"},
    "old": {"file": "this is a notebook of nbformat 3, and only 4 can be read: open it in Jupyter"},
    "broken": {"file": "this is not a notebook: Expecting value"},
    "figures": {
        "counts": PASS,
        "cell-1": PASS,
        "cell-2": r"(?s)cell 2, figure 1: \d+ pixels.*look at pictures/figures/cell-2-figure-1.png",
    },
    "redrawn": {"counts": PASS, "cell-1": PASS, "cell-2": PASS},
}


def corpus(folder: Path) -> None:
    """Write the notebooks, as Jupyter of several years would have."""
    write(
        folder / "as-it-was.ipynb",
        {"cell_type": "markdown", "source": ["# By lines, ", "no ids"], "metadata": {}},
        code("%time x = 1", out("CPU times: user 1 us\nWall time: 2 us\n")),
        code("!echo from a shell", out("from a shell\n")),
        code("1 / 0", raised("ZeroDivisionError", "division by zero")),
        code("{'b', 'a'}", result("{'b', 'a'}")),
        code("x;"),
        minor=0,
        kernelspec={"name": "conda-env-course-py", "language": "python", "display_name": "P"},
    )
    write(
        folder / "changed.ipynb",
        code("print(0.5)", out("0.4\n")),
        code(SHOW_TABLE, result("<table>", text_html=TABLE.format(878))),
        code("1 / 1;", raised("ZeroDivisionError", "division by zero")),
        code("print(3)"),
        nbsame={"versions": {"python": "3.4.0"}},
    )
    write(
        folder / "counted.ipynb",
        code("print(1)", out("1\n")),
        code("print(2)", out("2\n"), count=None),
        code("print(3)", count=None),
    )
    write(folder / "disordered.ipynb", code("x = 1", count=7), code("x", result("1"), count=3))
    write(
        folder / "lacking.ipynb",
        code("import nosuchthing"),
        code("model = nosuchthing.Model()"),
        code("print(3)", out("3\n")),
        code("rows = open('no-such-file.csv').read()"),
        code("len(rows)", result("5")),
    )
    write(
        folder / "cascade.ipynb",
        code("table, log = {'a': 1}, []"),
        code("log.append(table['b'])\nvalue = 1"),
        code("value + 1", result("2")),
        code("log[0]", result("1")),
        code("table['a']", result("1")),
    )
    write(folder / "foreign.ipynb", code("x <- 1"), kernelspec={"name": "ir", "language": "R"})
    write(folder / "unstored.ipynb", code("x = 1", count=None), code("y", count=None))
    write(
        folder / "unsteady.ipynb",
        code("import random\nprint(random.random())", out("0.25\n")),
        code("print(7)", out("8\n")),
    )
    write(
        folder / "exempt.ipynb",
        code("1 / 0", tags=["nbval-skip"]),
        code("# NBVAL_IGNORE_OUTPUT\nprint(2)", out("3\n")),
        code("1 / 0", raised("ZeroDivisionError", "division by zero"), tags=["raises-exception"]),
        code("1", tags=["raises-exception"]),
        code("print(5)", out("6\n"), tags=["nbsame_ignore_output"]),
    )
    write(folder / "ending.ipynb", code("import time\ntime.sleep(60)"), code("1", result("1")))
    write(folder / "dying.ipynb", code("import os\nos._exit(1)"))
    (folder / "old.ipynb").write_text('{"nbformat": 3, "worksheets": []}')
    (folder / "broken.ipynb").write_text("<<<<<<< ours")
    for name in ("figures", "redrawn"):
        write(folder / f"{name}.ipynb", code(PLOT), code(SHADE.format("blue")))
    copies = folder / ".ipynb_checkpoints"
    copies.mkdir()
    write(copies / "copy.ipynb", code("1 / 0"))


SETTINGS = """\
[tool.nbsame]
timeout = 5
figures = "pictures"
[tool.pytest.ini_options]
"""


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    outer = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST") and name != "CI"
    }
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=folder, env=outer | variables, capture_output=True, text=True, check=False
    )


Verdicts = dict[str, dict[str, str]]


def verdicts(folder: Path, *arguments: str, **variables: str) -> tuple[Verdicts, str]:
    """Validate; return the message of each item, and what was printed."""
    options = ["-p", "no:cacheprovider", "-p", "no:nbval", "--nbsame", "--junit-xml=verdicts.xml"]
    done = run(folder, "pytest", *options, *arguments, **variables)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: Verdicts = {}
    for case in ElementTree.parse(folder / "verdicts.xml").iter("testcase"):
        parts = [part for part in case if part.tag in ("failure", "skipped")]
        message = "".join(f"{part.tag} {part.get('message')} {part.text}" for part in parts)
        notebook = case.get("classname", "").rpartition(".")[0] or case.get("classname", "")
        found.setdefault(notebook, {})[case.get("name", "")] = message
    return found, done.stdout


def edit(path: Path, change: Callable[[Notebook], None]) -> None:
    book = json.loads(path.read_text(encoding="utf-8"))
    change(book)
    path.write_text(json.dumps(book), encoding="utf-8")


def repainted(book: Notebook) -> None:
    book["cells"][1]["source"] = SHADE.format("navy")


def older(book: Notebook) -> None:
    repainted(book)
    book["metadata"]["nbsame"]["versions"]["matplotlib"] = "3.1.0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the course; two of its notebooks have their figures stored."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    corpus(folder)
    done = run(folder, "nbsame.cli", "refresh", "figures.ipynb", "redrawn.ipynb")
    assert done.returncode == 0, done.stdout + done.stderr
    edit(folder / "figures.ipynb", repainted)
    edit(folder / "redrawn.ipynb", older)
    return folder


@pytest.fixture(scope="module")
def whole(folder: Path) -> tuple[Verdicts, str]:
    return verdicts(folder)


pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", EXPECTED)
def test_each_item_says_what_it_should(whole: tuple[Verdicts, str], name: str) -> None:
    found = whole[0][name]
    assert list(found) == list(EXPECTED[name])
    for item, pattern in EXPECTED[name].items():
        if pattern:
            assert re.search(pattern, found[item]), found[item]
        else:
            assert found[item] == ""


def test_nothing_else_is_collected(whole: tuple[Verdicts, str]) -> None:
    assert whole[0].keys() == EXPECTED.keys()


def test_a_failure_shows_versions_the_cell_and_both_outputs(whole: tuple[Verdicts, str]) -> None:
    message = whole[0]["changed"]["cell-1"]
    for pattern in (
        r"\n   1  print\(0.5\)\n",
        r"\n- 0.4\n",
        r"\n\+ 0.5\n",
        r"stored with python 3.4.0; here python 3\.\d+",
        "If what is fresh is right: `nbsame refresh changed.ipynb`, and read the difference",
    ):
        assert re.search(pattern, message), message


SUMMARY = [
    "raises KeyError: 'b': 1 in 1 notebook .cascade.ipynb.; 2 later cells follow",
    "errors that are no longer raised: 1 in",
    r"other numbers \(stored with python 3.4.0; here python \S+\): 2 in 1 notebook",
    "other numbers: 1 in 1 notebook .unsteady.ipynb",
    "outputs without a count: 1 in 1 notebook .counted.ipynb",
    "only told: run in another order than the cells stand in: 1 in 1 notebook .disordered",
    "only told: outputs that differ between two runs made now: 1 in 1 notebook .unsteady",
    r"  unsteady.ipynb, cell 1, output 1 \(stdout\): differs between two runs made now; now 0\.\d+",
    r"  disordered.ipynb, cell 2: was run before cell 1: their counts are \[3\] and \[7\]",
    "not validated: needs a package that is not installed .*: 1 in .*; 1 later cell follows",
    "not validated: its kernel is for r: only Python is run: 1 in 1 notebook .foreign.ipynb",
    r"pictures NOT compared: 2 in 1 notebook \(redrawn.ipynb\); drawn with Matplotlib 3.1.0, here",
]


@pytest.mark.parametrize("pattern", SUMMARY)
def test_the_end_of_the_run_groups_by_cause(whole: tuple[Verdicts, str], pattern: str) -> None:
    assert re.search(f"(?m)^{pattern}", whole[1]), whole[1][-3000:]


def test_a_picture_that_differs_is_saved(folder: Path, whole: tuple[Verdicts, str]) -> None:
    assert (folder / "pictures/figures/cell-2-figure-1.png").stat().st_size


def test_another_matplotlib_is_red_in_one_line(folder: Path) -> None:
    found, printed = verdicts(folder, "--nbsame-pictures=always", "redrawn.ipynb")
    assert "pixels" in found["redrawn"]["cell-2"], "a machine reads of every cell"
    lines = [line for line in printed.splitlines() if "pixels" in line or "FAILED" in line]
    assert len(lines) == 1, printed
    assert re.match(
        r"text equal, pixels differ in 1 figure of 1 notebook \(redrawn.ipynb\); stored with "
        r"Matplotlib 3.1.0, here \S+; look at pictures and run `nbsame refresh` if that is all",
        lines[0],
    )
    assert "1 redrawn" in printed


@pytest.mark.parametrize("mode", ["load", "worksteal", "loadgroup"])
def test_a_notebook_stays_whole_in_modes_that_would_split_it(
    folder: Path, whole: tuple[Verdicts, str], mode: str
) -> None:
    pytest.importorskip("xdist")
    names = ["as-it-was", "cascade"]
    paths = [f"{name}.ipynb" for name in names]
    found, printed = verdicts(folder, "-n2", f"--dist={mode}", *paths)
    outcomes = {name: {item: said[:7] for item, said in found[name].items()} for name in names}
    assert outcomes == {
        name: {item: said[:7] for item, said in whole[0][name].items()} for name in names
    }
    assert "2 later cells follow" in printed


def test_one_cell_alone_has_those_above_it_run(folder: Path) -> None:
    found, _ = verdicts(folder, "-k", "cell-4", "cascade.ipynb", "as-it-was.ipynb")
    assert list(found) == ["cascade", "as-it-was"]
    assert found["as-it-was"] == {"cell-4": ""}
    assert list(found["cascade"]) == ["cell-4"]
    assert "IndexError" in found["cascade"]["cell-4"], "nobody has told why yet"


def test_what_is_missing_fails_where_ci_is_set(folder: Path) -> None:
    found, _ = verdicts(folder, "lacking.ipynb", CI="true")
    assert found["lacking"]["cell-1"].startswith("failure")
    assert "needs a package" in found["lacking"]["cell-1"]
    assert found["lacking"]["cell-2"].startswith("skipped")


def test_stock_nbval_stands_beside_it(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("nbval")
    write(tmp_path / "both.ipynb", code("print(1)", out("1\n")), code("{2}", result("{2}")))
    done = run(tmp_path, "pytest", "-p", "no:cacheprovider", "--nbval", "--nbsame", "-v")
    assert done.returncode == 0, done.stdout + done.stderr
    for item in ("Cell 0", "Cell 1", "counts", "cell-1", "cell-2"):
        assert f"::{item} PASSED" in done.stdout


# ---------------------------------------------------------------- settings and hooks

CONFTEST = """\
def pytest_nbsame_file_checks(path):
    def titled(notebook, path):
        if not notebook.cells[0].source.startswith("# "):
            yield "the first cell is no title"
    return {"title": titled}

def pytest_nbsame_before_first_cell(path):
    return "greeting = 'hello'"

def pytest_nbsame_check_cell(run):
    if "print" in run.cell.source and run.ask("greeting") != "bye":
        yield f"prints {run.outputs[0].text!r} before it says {run.ask('greeting')}"
"""


def test_a_course_adds_checks_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.nbsame]\nstderr = 'fail'\n[tool.nbsame.normalisers]\n"
        "money = { pattern = '\\d+ euros', replace = '… euros' }\n"
    )
    write(
        tmp_path / "own.ipynb",
        code("print('30 euros', greeting)", out("20 euros hello\n")),
        code("greeting = 'bye'\nprint(1)", out("1\n")),
        code("import sys\nx = sys.stderr.write('odd')"),
    )
    found, _ = verdicts(tmp_path)
    assert list(found["own"]) == ["counts", "title", "cell-1", "cell-2", "cell-3"]
    assert "own.ipynb: the first cell is no title" in found["own"]["title"]
    assert "cell 1: prints '30 euros hello\\n' before it says hello" in found["own"]["cell-1"]
    assert found["own"]["cell-2"] == ""
    assert "cell 3, stderr: now 'odd', stored ''" in found["own"]["cell-3"]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("oder = 'fail'", "has no setting 'oder'; known are counts, "),
        ("order = 'never'", "order: 'never' is none of fail, warn, off"),
        ("off = ['timing']", "there is no normaliser 'timing'; known are addresses, "),
        ("timeout = 'long'", "timeout: 'long' is not a number"),
        ("normalisers = { a = '(' }", "write a = { pattern = '…', replace = '…' }"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_one_sentence(
    tmp_path: Path, table: str, says: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.nbsame]\n{table}\n")
    done = run(tmp_path, "pytest", "--nbsame")
    assert done.returncode == 4
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_option_next_to_nothing_is_imported() -> None:
    heavy = ("nbclient", "nbformat", "PIL", "jupyter_client", "ipykernel")
    program = f"import sys, nbsame.plugin; print([n for n in {heavy} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


# ---------------------------------------------------------------- refresh


def test_refresh_stores_outputs_counts_and_versions_and_then_changes_no_byte(
    tmp_path: Path,
) -> None:
    path = tmp_path / "stale.ipynb"
    write(
        path,
        code("import numpy as np\nprint(np.pi > 3)", out("False\n"), count=9),
        code("np.float64(0.5)", result("0.5"), count=None),
        code("1 / 0", tags=["raises-exception"]),
        code("1 / 0", out("left alone\n"), tags=["nbval-skip"], count=None),
        minor=2,
    )
    assert "stale.ipynb: rewritten" in run(tmp_path, "nbsame.cli", "refresh").stdout
    first = path.read_bytes()
    book = json.loads(first)
    assert book["nbformat_minor"] == 2
    assert [cell["execution_count"] for cell in book["cells"]] == [1, 2, 3, None]
    assert book["cells"][0]["outputs"] == [out("True\n") | {"text": ["True\n"]}]
    assert book["cells"][1]["outputs"][0]["data"] == {"text/plain": ["0.5"]}, "it counts as same"
    assert book["cells"][2]["outputs"][0]["ename"] == "ZeroDivisionError"
    assert book["cells"][3]["outputs"][0]["text"] == ["left alone\n"]
    assert {"python", "numpy"} <= book["metadata"]["nbsame"]["versions"].keys()
    assert "stale.ipynb: unchanged" in run(tmp_path, "nbsame.cli", "refresh").stdout
    assert path.read_bytes() == first


def test_refresh_refuses_an_error_that_nobody_meant(tmp_path: Path) -> None:
    write(tmp_path / "fails.ipynb", code("print('before')"), code("x = 1 / 0"))
    write(tmp_path / "foreign.ipynb", code("1"), language_info={"name": "R"})
    (tmp_path / "broken.ipynb").write_text("{}")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = run(tmp_path, "nbsame.cli", "refresh")
    assert done.returncode == 1
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    for part in (
        "fails.ipynb: REFUSED and left as it was: cell 2 raises ZeroDivisionError",
        "foreign.ipynb: REFUSED and left as it was: its kernel is for r",
        "broken.ipynb: REFUSED and left as it was: it cannot be read: this is not a notebook",
    ):
        assert part in done.stdout
