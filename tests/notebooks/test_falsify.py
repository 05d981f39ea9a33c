"""Checks that can fail: every claim has an edit under which its cell does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from lincourse.check import claims
from lincourse.paths import NOTEBOOKS, ROOT

Write = Callable[[Path, dict[str, str]], None]
EVERY = [edit for claim in claims.ledger(NOTEBOOKS) for edit in claims.falsifiers(claim)]

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
    assert len(tried) == len(EVERY)
    assert result.stdout.endswith(" claims, 0 problems.\n")


def test_a_falsifier_reads_as_the_end_of_a_sentence() -> None:
    for entry in EVERY:
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
    "ends": ("A1", "middle", "z = y[x]", "import os; os._exit(0)", "PROBLEM: the cell ran for"),
}
# What an edit must not be is said before any is tried.
IMPOSSIBLE = {
    "not there": ("A1", "start", "x = 3", "x = 1", "finds its old text 0 times in the cell start"),
    "there twice": ("A1", "start", "2", "1", "finds its old text 2 times in the cell start: it"),
    "no such cell": ("A1", "begin", "x", "y", "names the cell begin, which is not there."),
    "later": ("A1", "claim-A2", "x > 0", "x > 1", "edits the cell claim-A2, which comes after"),
}


def ledger(claims: Sequence[str], edits: Mapping[str, tuple[str, ...]]) -> str:
    """Return a ledger of claims in 01-small with their falsifiers."""
    text = ""
    for claim in claims:
        text += f'[[claim]]\nid = "{claim}"\nnotebook = "01-small"\n'
        for sentence, (of, cell, old, new, *_) in edits.items():
            if of == claim:
                text += f"[[claim.falsifier]]\nwould_fail_if = '{sentence}'\n"
                text += f"cell = '{cell}'\nold = '{old}'\nnew = '{new}'\n"
    return text


def tried(folder: Path, write_lecture: Write, text: str) -> str:
    write_lecture(folder, CELLS)
    (folder / "claims.toml").write_text(text, encoding="utf-8")
    result = run_tool("--folder", folder)
    assert result.returncode == 1, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory, write_lecture: Write) -> str:
    folder = tmp_path_factory.mktemp("small")
    return tried(folder, write_lecture, ledger(["A1", "A2"], EDITS))


@pytest.mark.parametrize("sentence", EDITS)
def test_what_becomes_of_an_edit(output: str, sentence: str) -> None:
    assert f" would fail if {sentence}\n    {EDITS[sentence][-1]}" in output


def test_all_that_is_missing_is_said_at_once_and_nothing_is_run(
    tmp_path: Path, write_lecture: Write
) -> None:
    output = tried(tmp_path, write_lecture, ledger(["A1", "A3"], IMPOSSIBLE))
    for sentence, (*_, complaint) in IMPOSSIBLE.items():
        assert f"the falsifier of claim A1 “{sentence}” {complaint}" in output
    assert "claim A3 has no cell: give the code cell that asserts it the id and the tag" in output
    assert "claim A3 has no falsifier: add below it in" in output
    assert "the cell claim-A2 has the tag claim-A2, but claims.toml has no claim A2" in output
    assert output.endswith("7 problems: nothing was run.\n")


def test_a_lecture_that_fails_by_itself_is_an_error(tmp_path: Path, write_lecture: Write) -> None:
    write_lecture(tmp_path, {"claim-A1": "assert 1 == 2"})
    edits = {"so.": ("A1", "claim-A1", "2", "3")}
    (tmp_path / "claims.toml").write_text(ledger(["A1"], edits), encoding="utf-8")
    result = run_tool("--folder", tmp_path)
    assert result.returncode == 1
    assert "    PROBLEM: the lecture itself fails in claim-A1" in result.stdout
