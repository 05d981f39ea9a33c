"""The matrix: rows can be chosen, outcomes are told truly, and the made-up processor is one."""

import ast
import os
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

from lincourse.check.kernel import kernel_home, plain_environment
from tools.matrix import __main__ as matrix
from tools.matrix import lastbits, places, rows
from tools.matrix.places import MissingError

NAMES = [row.name for row in rows.ROWS]


def test_there_are_at_least_24_rows_that_can_be_told_apart():
    assert len({name.casefold() for name in NAMES}) == len(NAMES) >= 24
    assert not [name for name in NAMES if re.search(r"[,|]|^[\d-]+$", name)], (
        "ROWS= could not say it"
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", NAMES),
        ("1", NAMES[:1]),
        ("haswell", ["Haswell"]),
        ("3-5, 1,2", NAMES[:5]),
        ("Long TMPDIR,1", [NAMES[0], "long TMPDIR"]),
    ],
)
def test_rows_are_chosen_by_number_range_or_name(words, expected):
    assert [row.name for row in matrix.chosen(words)] == expected


@pytest.mark.parametrize("words", ["0", "5-3", "1-99", "Pentium"])
def test_an_unknown_row_is_refused_with_the_choices(words):
    with pytest.raises(SystemExit, match=rf"^ROWS: there is no row '{words}'; .*Haswell"):
        matrix.chosen(words)


CASE = '<testcase classname="{}" name="{}">{}</testcase>'
PASSED = [
    CASE.format("tests.test_data", "test_a", ""),
    CASE.format("tests.test_data", "test_b", "<skipped/>"),
    CASE.format("notebooks.02-perceptron.ipynb", "cell 1", ""),
]
FAILED = [
    CASE.format("tests.test_data", "test_c", "<failure/>"),
    CASE.format("notebooks.02-perceptron.ipynb", "cell 2", "<error/>"),
]


def verdict(folder, cases):
    report = folder / "report.xml"
    report.write_text(f"<testsuites>{''.join(cases)}</testsuites>", "utf-8")
    return matrix.verdict(report, matrix.ROOT / "build" / "row.log")


def test_a_row_that_passed_counts_tests_and_cells(tmp_path):
    assert verdict(tmp_path, PASSED) == (True, "passed: 1 tests, 1 cells, 1 skipped")


def test_a_row_that_failed_names_the_test_and_the_cell(tmp_path):
    passed, sentence = verdict(tmp_path, PASSED + FAILED)
    assert not passed
    assert sentence.startswith("2 DIFFER of 2 tests, 2 cells, 1 skipped: ")
    assert "tests/test_data.py test_c; notebooks/02-perceptron.ipynb cell 2 (see" in sentence


def test_a_row_without_any_test_has_not_passed(tmp_path):
    assert verdict(tmp_path, []) == (False, "nothing was tested")


def test_a_failure_does_not_stop_the_others_and_the_table_has_no_date(
    tmp_path, monkeypatch, capsys
):
    outcomes = {
        "Haswell": (False, "2 DIFFER"),
        "Zen": (None, "not tested: no"),
        "hash 0": (True, "ok"),
    }
    monkeypatch.setattr(matrix, "run", lambda row, tests, show: outcomes[row.name])
    monkeypatch.setattr(matrix, "BUILD", tmp_path)
    monkeypatch.setattr(matrix, "TABLE", tmp_path / "matrix.md")
    assert matrix.main(["--rows", "Haswell,Zen,hash 0"]) == 1
    assert "1 of 2 rows without a difference, 1 not tested" in capsys.readouterr().out
    lines = (tmp_path / "matrix.md").read_text("utf-8").splitlines()
    assert [line.rsplit(" | ", 1)[1] for line in lines if re.match(r"\| \d", line)] == [
        "2 DIFFER |",
        "not tested: no |",
        "ok |",
    ]
    assert not re.search(r"\d{4}-\d\d|\d\d:\d\d", "\n".join(lines))
    assert lines[-1].startswith("Not run: as it is, ")
    assert matrix.main(["--rows", "hash 0"]) == 0
    assert matrix.main(["--rows", "Zen"]) == 1, "it was asked for and could not be tested"
    assert [path.name for path in tmp_path.iterdir()] == ["matrix.md"]


def test_what_the_machine_lacks_is_said(monkeypatch):
    def prepare(place):
        raise MissingError("there is no Python 4 here")

    outcome = matrix.run(rows.Row("Python 4", "", prepare), [], lambda log: None)
    assert outcome == (None, "not tested: there is no Python 4 here")


def test_a_row_runs_the_library_and_the_notebooks_and_not_the_tools():
    chosen = matrix.everything(places.ROOT)
    assert {"linlib", "notebooks", "tests/test_perceptron.py", "tests/test_widgets.py"} <= set(
        chosen
    )
    assert not {"tests/test_browser.py", "tests/test_grading.py", "tests/test_home.py"} & set(
        chosen
    )
    for name in matrix.ELSEWHERE:
        assert (places.ROOT / "tests" / f"test_{name}.py").exists(), f"{name} is no longer there"


@pytest.mark.slow
def test_a_row_from_beginning_to_end_in_a_copy(tmp_path, monkeypatch):
    if not (places.ROOT / ".git").exists():
        pytest.skip("this is not a git checkout: there is nothing to copy")
    monkeypatch.setattr(matrix, "BUILD", tmp_path)
    seen = []

    def prepare(place):
        place.folder, place.home = tmp_path / "a copy", tmp_path / "home"
        place.set(PYTHONHASHSEED="0")

    row = rows.Row("hash 0", "", prepare, cannot="pixels")
    passed, sentence = matrix.run(row, ["-n", "0", "linlib/base/features.py"], seen.append)
    assert passed, sentence
    assert re.fullmatch(r"passed: [1-9]\d* tests, 0 cells, 0 skipped \(pixels\)", sentence)
    assert (tmp_path / "a copy" / "linlib" / "base" / "features.py").exists()
    assert seen, "progress can be shown"


# --- the made-up processor ---------------------------------------------------------------------

X = np.random.default_rng(7).normal(size=(40, 3))


def rewritten(source, **names):
    """Return the value of an expression on the made-up processor."""
    tree = lastbits.Rewriter().visit(ast.parse(source, mode="eval"))
    tools = {"__last_bits_product__": lastbits.product, "__last_bits_call__": lastbits.called}
    return eval(compile(tree, "test", "eval"), {"np": np, **tools, **names})


@pytest.mark.parametrize("source", ["X @ X.T", "X.sum(axis=0)", "np.exp(X)", "np.linalg.qr(X)[0]"])
def test_what_is_inexact_ends_in_other_last_bits_and_only_there(source):
    plain, other = eval(source), rewritten(source, X=X)
    assert not np.array_equal(plain, other)
    assert np.allclose(plain, other, rtol=1e-14, atol=1e-14)
    assert np.array_equal(other, rewritten(source, X=X.copy())), "equal operands, equal results"
    assert type(other) is type(plain)


@pytest.mark.parametrize("factor", [-1, 8, -0.25])
def test_signs_and_powers_of_two_change_no_digit(factor):
    w = np.array([0.1, 0.2, 0.3])
    expected = factor * rewritten("X @ w", X=X, w=w)
    assert np.array_equal(rewritten("X @ w", X=factor * X, w=w), expected)


@pytest.mark.parametrize("source", ["Z @ Z.T", "Z.sum()", "Z.mean()", "len(Z)", "np.exp(0 * Z)"])
def test_what_is_exact_stays(source):
    Z = np.array([[1, 0.5, -2], [3, 4, 0.25]])
    assert np.array_equal(rewritten(source, Z=Z), eval(source, {"np": np, "Z": Z}))


def test_a_comparison_with_one_over_root_17_depends_on_last_bits():
    """The mistake that the row was made for: on some processors this is False."""
    w = np.array([-3.0, 2.0, 2.0])
    found = {
        bool(1 / rewritten("np.linalg.norm(w * k)", w=w, k=k) >= 1 / (17**0.5 * k))
        for k in range(1, 9)
    }
    assert found == {True, False}


# --- kernels start the same way for everybody --------------------------------------------------


def test_a_kernel_starts_without_a_persons_start_up_files(monkeypatch, tmp_path):
    for name in ("PYTHONSTARTUP", "MPLBACKEND", "IPYTHONDIR", "MATPLOTLIBRC"):
        monkeypatch.setenv(name, "mine")
    with plain_environment(str(tmp_path)):
        assert "mine" not in [os.environ.get(n) for n in ("PYTHONSTARTUP", "MPLBACKEND")]
        assert os.environ["IPYTHONDIR"] == str(tmp_path)
    assert os.environ["PYTHONSTARTUP"] == "mine", "it is put back"


@pytest.mark.parametrize("writable", [True, False])
def test_matplotlib_gets_a_folder_where_the_home_is_read_only(monkeypatch, tmp_path, writable):
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    monkeypatch.setattr(os, "access", lambda path, mode: writable)
    with plain_environment(str(tmp_path)):
        assert os.environ.get("MPLCONFIGDIR") == (None if writable else str(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="kernels have no sockets on Windows")
def test_a_kernels_folder_is_short_enough_for_sockets(monkeypatch, tmp_path):
    long = tmp_path / "-".join(["long"] * 30)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with kernel_home() as home:
        assert len(os.fsencode(f"{home}/kernel-5")) < 104
        assert Path(home).is_dir()
    assert not Path(home).exists()
