"""Checks that can fail: every claim has an edit under which its cell does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lincourse.check import falsify
from lincourse.paths import NOTEBOOKS, ROOT

Write = Callable[[Path, dict[str, str]], None]

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="falsifiers fork a process, which this system cannot"
)


def run_tool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run it in a process of its own: it forks, and a pytest worker has threads."""
    command = [sys.executable, "-m", "lincourse", "falsify", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.slow
def test_every_claim_has_a_falsifier_and_its_cell_notices_it() -> None:
    result = run_tool()
    if result.returncode:
        pytest.fail(result.stdout + result.stderr, pytrace=False)
    tried = [line for line in result.stdout.splitlines() if " would fail if " in line]
    assert len(tried) == len(falsify.read(NOTEBOOKS / falsify.EDITS))
    assert result.stdout.endswith(" claims, 0 problems.\n")


def test_a_falsifier_reads_as_the_end_of_a_sentence() -> None:
    for entry in falsify.read(NOTEBOOKS / falsify.EDITS):
        text = entry.would_fail_if
        assert text.endswith((".", "?")), entry
        assert not text.startswith(("if ", "the cell ")), entry
        assert entry.old != entry.new, entry


def test_a_lecture_without_claims_has_no_problems() -> None:
    result = run_tool(NOTEBOOKS / "11-on-real-data.ipynb")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "0 claims, 0 problems.\n"


# ---------------------------------------------------------------- the tool, on a small lecture

CELLS = {
    "start": "x = 2\ny = [1, 2, 3]",
    "middle": "z = y[x]\nassert z == 3",
    "claim-A1": "assert x + 1 == z\nassert len(y) == 3",
    "claim-A2": "assert x > 0 or x <= 0",
}
# Sentence: (claim, cell, old, new, what becomes of it)
EDITS = {
    "its own cell": ("A1", "claim-A1", "x + 1", "x + 2", "assert x + 2 == z"),
    "an earlier cell": ("A1", "start", "y = [1, 2, 3]", "y = [1, 2, 4, 5]", "assert x + 1 == z"),
    "unnoticed": ("A2", "start", "x = 2", "x = 1", "PROBLEM: the cell does not notice it."),
    "raises": ("A1", "start", "[1, 2, 3]", "[1]", "PROBLEM: middle raises IndexError: list index"),
    "in the cell": ("A1", "claim-A1", "len(y)", "len(x)", "PROBLEM: claim-A1 raises TypeError"),
    "not there": ("A1", "start", "x = 3", "x = 1", "PROBLEM: there is no cell start with its old"),
    "there twice": ("A1", "start", "2", "1", "PROBLEM: there is no cell start with its old text"),
    "no such cell": ("A1", "begin", "x", "y", "PROBLEM: there is no cell begin with its old text"),
    "later": ("A1", "claim-A2", "x > 0", "x > 1", "PROBLEM: there is no cell claim-A2 with its"),
    "ends": ("A1", "middle", "z = y[x]", "import os; os._exit(0)", "PROBLEM: the cell ran for"),
}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory, write_lecture: Write) -> str:
    folder = tmp_path_factory.mktemp("small")
    write_lecture(folder, CELLS)
    claim = '[[claim]]\nid = "{}"\nnotebook = "01-small"\n'
    ledger = "".join(claim.format(name) for name in ("A1", "A2", "A3"))
    (folder / "claims.toml").write_text(ledger, encoding="utf-8")
    keys = ("claim", "cell", "old", "new")
    edits = "".join(
        f"[[falsifier]]\nwould_fail_if = '{sentence}'\n"
        + "".join(f"{key} = '{value}'\n" for key, value in zip(keys, edit, strict=False))
        for sentence, edit in (EDITS | {"a stranger": ("B1", "start", "x", "y")}).items()
    )
    (folder / "falsifiers.toml").write_text(edits, encoding="utf-8")
    result = run_tool("--folder", folder)
    assert result.returncode == 1, result.stderr
    return result.stdout


@pytest.mark.parametrize("sentence", EDITS)
def test_what_becomes_of_an_edit(output: str, sentence: str) -> None:
    assert f" would fail if {sentence}\n    {EDITS[sentence][-1]}" in output


def test_claims_and_falsifiers_need_each_other(output: str) -> None:
    assert "PROBLEM: A3 has no falsifier in falsifiers.toml." in output
    assert "PROBLEM: B1 has no claim in claims.toml." in output


def test_a_lecture_that_fails_by_itself_is_an_error(tmp_path: Path, write_lecture: Write) -> None:
    write_lecture(tmp_path, {"claim-A1": "assert 1 == 2"})
    (tmp_path / "claims.toml").write_text('[[claim]]\nid = "A1"\nnotebook = "01-small"\n')
    edit = "[[falsifier]]\nclaim = 'A1'\nwould_fail_if = 'so.'\nold = '2'\nnew = '3'\n"
    (tmp_path / "falsifiers.toml").write_text(edit)
    result = run_tool("--folder", tmp_path)
    assert result.returncode == 1
    assert "    PROBLEM: the lecture itself fails in claim-A1" in result.stdout
