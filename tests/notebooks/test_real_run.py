"""``pytest`` on notebooks of a folder elsewhere, with this course's settings and checks.

What nbsame itself tells is tested in nbsame/tests. Here one notebook has all that this course asks
besides, and what would make another checker look away.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow

LEDGER = """\
[[claim]]
id = "doubling"
notebook = "tricks"

[[claim.falsifier]]
would_fail_if = "it were two."
cell = "first"
old = "n = 1"
new = "n = 2"
"""
FIGURE = """\
import matplotlib.pyplot as plt
from linlib.notebook import plotting

fig, ax = plt.subplots(figsize=(3, 2))
ax.set_title("one euro")
plotting.show(fig, "One euro at five per cent grows faster every year.")"""
# Each cell, what is done to it once its outputs are stored, and what its item says then.
TRICKS = [
    (
        "print(1)\nprint(2)",
        "cell.metadata['tags'] = ['nbval-skip']; out[0].text = '1\\n3\\n'",
        r"cell 2, output 1 \(stdout\), line 2: now 2, stored 3",
    ),
    (
        "# NBVAL_IGNORE_OUTPUT\nprint(4)",
        "out[0].text = '5\\n'",
        r"cell 3, output 1 \(stdout\), line 1: now 4, stored 5",
    ),
    (
        "1 / 1",
        "cell.source = '1 / 0'; cell.metadata['tags'] = ['raises-exception']",
        "cell 4: raises ZeroDivisionError: division by zero",
    ),
    (
        "print(7); display(8); print(9)",
        "out[0].text += out.pop().text",
        r"cell 5: now 3 outputs \(stdout, display of text/plain, stdout\), stored 2 outputs",
    ),
    (
        "for k in [0][:n]:\n    assert k == 0",
        "cell.source = cell.source.replace('[:n]', '[n:]')",
        "cell 6: the assert in line 2 never ran: its loop is empty, or its branch is not taken",
    ),
    (
        "print(10)",
        'cell.source += \'\\nopen("left.txt", "w").close()\'',
        "cell 7: adds or removes the file 'left.txt' beside the notebook",
    ),
    (
        FIGURE,
        "cell.source = cell.source.replace('one euro', 'one Euro')",
        "cell 8: output 1 says 'one Euro' where 'one euro' is stored",
    ),
    (
        "print(11)",
        "cell.source += '\\nimport sys\\nprint(11, file=sys.stderr)'",
        "cell 9: writes to stderr: cure the cause of that message",
    ),
    ("print(12)", "cell.source += '\\nimport os\\nos._exit(1)'", "cell 10 ended the kernel"),
]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    (folder / "own-matplotlibrc").write_text("axes.facecolor: red", encoding="utf-8")
    # A person's own settings, which must not matter.
    outer |= {"MPLBACKEND": "agg", "MATPLOTLIBRC": str(folder / "own-matplotlibrc")}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=folder, env=outer, capture_output=True, text=True, check=False
    )


def validate(folder: Path) -> dict[str, str]:
    """Validate with this course's checks; return the message of each item, '' if it passed."""
    options = ["-p", "lincourse.check.plugin", "--nbsame", "--junit-xml", "verdicts.xml"]
    done = run(folder, "pytest", *options, "tricks.ipynb", "release")
    assert done.returncode in (0, 1), done.stdout + done.stderr
    cases = ElementTree.parse(folder / "verdicts.xml").iter("testcase")
    return {case.get("name", ""): "".join(part.text or part.tag for part in case) for case in cases}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the notebook, refreshed, a ledger and this course's settings."""
    folder = tmp_path_factory.mktemp("elsewhere")
    settings = re.search(r"(?ms)^\[tool\.nbsame\].*?(?=^\[)", (ROOT / "pyproject.toml").read_text())
    assert settings
    (folder / "pyproject.toml").write_text(settings[0] + "[tool.pytest.ini_options]\n")
    (folder / "release").mkdir()
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0")]), folder / "release" / "x.ipynb")
    claim = new_code_cell("assert n == 1", id="claim-doubling")
    claim.metadata["tags"] = ["claim-doubling"]
    code = [
        new_code_cell("n = 1", id="first"),
        *(new_code_cell(source) for source, _, _ in TRICKS),
        claim,
    ]
    text = [new_markdown_cell("# Savings"), *code[:-1], new_markdown_cell("**Doubled.**"), code[-1]]
    nbformat.write(new_notebook(cells=text), folder / "tricks.ipynb")
    (folder / "claims.toml").write_text(LEDGER, encoding="utf-8")
    done = run(folder, "lincourse", "refresh", "tricks.ipynb")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_it_passes_and_then_every_trick_is_caught(folder: Path) -> None:
    before = validate(folder)
    asked = ["counts", "form", "prose", "claims", *(f"cell-{k}" for k in range(1, 12))]
    assert list(before) == asked, "nothing of the folder release, and nothing else"
    assert {item: message for item, message in before.items() if message} == {}

    notebook = nbformat.read(folder / "tricks.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, (_, step, _) in zip(code[1:], TRICKS, strict=False):
        exec(step, {"cell": cell, "out": cell.outputs})
    nbformat.write(notebook, folder / "tricks.ipynb")
    after = validate(folder)
    assert "cell 2 has the tag 'nbval-skip'" in after["form"]
    assert after["cell-1"] == ""
    for number, (_, _, pattern) in enumerate(TRICKS, start=2):
        assert re.search(pattern, after[f"cell-{number}"]), after[f"cell-{number}"]
    assert "If what is fresh is right: `lincourse refresh tricks.ipynb`, and" in after["cell-2"]
    assert "follows from cell 10" in after["cell-11"]


def test_the_checks_are_loaded_only_where_they_are_asked_for() -> None:
    """Whoever merely has linlib installed gets no checks of this course with every pytest."""
    loaded = {entry.value for entry in importlib.metadata.entry_points(group="pytest11")}
    assert "nbsame.plugin" in loaded
    assert "lincourse.check.plugin" not in loaded
