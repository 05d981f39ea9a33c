"""A small course on another subject, held by ``pytest --nbval --strict-notebooks`` elsewhere.

It lies in an empty folder, without settings of its own. What is spoilt must be caught with a
message that says which cell, what was stored and what came out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.notebooks.test_validation import patched

ROOT = Path(__file__).resolve().parents[2]

LEDGER = """\
[[claim]]
id = "doubling"
notebook = "01-savings"

[[claim.falsifier]]
would_fail_if = "the rate were two per cent."
cell = "savings"
old = "1.05"
new = "1.02"
"""
SAVINGS = """\
import numpy as np
from IPython.display import HTML

balances = 100 * 1.05 ** np.arange(21)
print(f"{balances[10]:.2f} after 10 years")"""
TABLE = """\
rows = "".join(f"<tr><td>{k}</td><td>{balances[k]:.2f}</td></tr>" for k in (5, 15))
HTML(f"<table><tr><th>year</th><th>euros</th></tr>{rows}</table>")"""
DOUBLING = """\
doubled = int(np.argmax(balances >= 200))
print(f"doubled in year {doubled}")
assert doubled == 15"""
CURVE = """\
import matplotlib.pyplot as plt
from linlib.notebook import plotting

fig, ax = plt.subplots(figsize=(3, 2))
ax.plot([1.05**k for k in range(21)])
ax.set_title("one euro")
plotting.show(fig, "One euro at five per cent grows faster every year.")"""
PLAIN = "plt.figure(figsize=(2, 2))\nplt.plot([3, 1, 2])\nplt.show()"
# Cells that nbval would let pass, each after what was done to it.
TRICKS = {
    "print(1)\nprint(2)": "cell.metadata['tags'] = ['nbval-skip']; out[0].text = '1\\n3\\n'",
    "# NBVAL_IGNORE_OUTPUT\nprint(4)": "out[0].text = '5\\n'",
    "print(6)": "cell.execution_count = None; out.clear()",
    "1 / 1": "cell.source = '1 / 0'; cell.metadata['tags'] = ['raises-exception']",
    "print(7); display(8); print(9)": "out[0].text += out.pop().text",
    "for k in [0][:n]:\n    assert k == 0": "cell.source = cell.source.replace('[:n]', '[n:]')",
    "print(10)": 'cell.source += \'\\nopen("left.txt", "w").close()\'',
    "print(11)": "cell.source += '\\nimport os\\nos._exit(1)'",
}


def book(*cells: NotebookNode) -> NotebookNode:
    return new_notebook(cells=list(cells))


def course(folder: Path) -> None:
    """Write two notebooks as JupyterLab would, unrun, and a ledger with one claim."""
    folder.mkdir()
    claim = new_code_cell(DOUBLING, id="claim-doubling", metadata={"tags": ["claim-doubling"]})
    savings = book(
        new_markdown_cell("# Savings\n\nAt 5 % a hundred euros become 162.89 in 10 years."),
        new_code_cell(SAVINGS, id="savings"),
        new_code_cell(TABLE),
        new_markdown_cell("**Money at this rate doubles in 15 years.**"),
        claim,
    )
    curve = book(new_markdown_cell("# The curve"), new_code_cell(CURVE), new_code_cell(PLAIN))
    nbformat.write(savings, folder / "01-savings.ipynb")
    nbformat.write(curve, folder / "02-curve.ipynb")
    (folder / "claims.toml").write_text(LEDGER, encoding="utf-8")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    if folder != ROOT:  # a person's own settings, which must not matter
        (folder / "matplotlibrc").write_text("axes.facecolor: red", encoding="utf-8")
        outer |= {"MPLBACKEND": "agg", "MATPLOTLIBRC": str(folder / "matplotlibrc")}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=folder, env=outer, capture_output=True, text=True, check=False
    )


def validate(folder: Path, *paths: str) -> dict[str, dict[str, str]]:
    """Validate as a stranger would; return {notebook: {item: message or ''}}."""
    (folder / "rules.cfg").write_text("[all]\nregex: .\nreplace: -\n", encoding="utf-8")
    hiding = ["--nbval-lax", "--nbval-sanitize-with=rules.cfg"]  # which does not work
    options = ["--nbval", "--strict-notebooks", *hiding, "--junit-xml", "verdicts.xml"]
    done = run(folder, "pytest", *options, *paths)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: dict[str, dict[str, str]] = {}
    for case in ElementTree.parse(folder / "verdicts.xml").iter("testcase"):
        name = case.get("classname", "").removesuffix(".ipynb")
        message = "".join(part.text or part.tag for part in case)
        found.setdefault(name, {})[case.get("name", "")] = message
    return found


def edit(path: Path, step: str) -> None:
    """Change a stored notebook by statements about its cells; ``code`` are those that run."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    exec(step, {"cells": notebook.cells, "code": code, "patched": patched, "output": new_output})
    nbformat.write(notebook, path)


# Name: notebook, what is done to it, and what every failing item says, line by line. Other ways to
# spoil a notebook are in test_validation.py; here is what only a whole run has: the report of a
# failing cell, pictures of a figure that differs, a ledger beside the notebooks.
SPOILT: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    "digit": (
        "01-savings",
        "code[0].outputs[0].text = '162.88 after 10 years\\n'\n"
        "table = code[1].outputs[0].data\n"
        "table['text/html'] = table['text/html'].replace('207', '206')",
        {
            "prose": ["says '162.89' in “.*”, but the cell savings has no such number any more"],
            "cell 1": [
                r"digit/01-savings.ipynb, cell 1: output 1 \(stdout\) has other text\.",
                r'   5  print\(f"{balances\[10\]:.2f} after 10 years"\)',
                "^- 162.88 after 10 years$",
                r"^\?      \^$",
                r"^\+ 162.89 after 10 years$",
                r"This run had Python 3\.\S+, numpy \d\S+\.",
                r"If what is fresh is right: lincourse refresh digit/01-savings.ipynb, and read",
            ],
            "cell 2": ["output 1 has other text/html", "^- <td>206.89<", r"^\+ <td>207.89<"],
        },
    ),
    "pixels": (
        "02-curve",
        "data = code[1].outputs[0].data; data['image/png'] = patched(data['image/png'])",
        {
            "cell 2": [
                r"figure 1 differs in 4 pixels by more than 10% \(2 may\)",
                r"look at \.pytest_cache/figures/pixels/02-curve/2-1-difference.png",
                r"This run had .*, matplotlib \d",
            ]
        },
    ),
    "claim": (
        "01-savings",
        "code[2].metadata['tags'] = []",
        {"claims": ["claim doubling has no cell: give the code cell that asserts it the id and"]},
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty folder with the course, refreshed."""
    folder = tmp_path_factory.mktemp("elsewhere")
    course(folder / "notebooks")
    tricks = book(new_code_cell("n = 1"), *map(new_code_cell, TRICKS))
    nbformat.write(tricks, folder / "tricks.ipynb")
    names = ["notebooks/01-savings.ipynb", "notebooks/02-curve.ipynb", "tricks.ipynb"]
    done = run(folder, "lincourse", "refresh", *names)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def verdicts(folder: Path) -> dict[str, dict[str, str]]:
    """Return the verdicts of one run over the course, its spoilt copies and the tricks."""
    for name, (notebook, step, _) in SPOILT.items():
        shutil.copytree(folder / "notebooks", folder / name)
        edit(folder / name / f"{notebook}.ipynb", step)
    steps = (
        f"cell = code[{k}]; out = cell.outputs; {step}"
        for k, step in enumerate(TRICKS.values(), start=1)
    )
    edit(folder / "tricks.ipynb", "\n".join(steps))
    for skipped in (".ipynb_checkpoints", "release"):
        (folder / skipped).mkdir()
        nbformat.write(book(new_code_cell("1 / 0")), folder / skipped / "skipped.ipynb")
    spoilt = [
        path if any("cell" in item for item in items) else f"{path}::{item}"
        for name, (notebook, _, items) in SPOILT.items()
        for path in [f"{name}/{notebook}.ipynb"]
        for item in ("form", "prose", "claims")  # what needs no kernel
    ]
    return validate(folder, "notebooks", *spoilt, "tricks.ipynb", "release")


pytestmark = pytest.mark.slow


def failed(verdicts: dict[str, str]) -> list[str]:
    return [item for item, message in verdicts.items() if message]


def test_the_course_passes(verdicts: dict[str, dict[str, str]]) -> None:
    savings, curve = (verdicts[f"notebooks.{name}"] for name in ("01-savings", "02-curve"))
    assert list(savings) == ["form", "prose", "claims", "cell 1", "cell 2", "cell 3"]
    assert failed(savings) == failed(curve) == []


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_copy_is_caught_in_words_for_a_stranger(
    verdicts: dict[str, dict[str, str]], name: str
) -> None:
    notebook, _, expected = SPOILT[name]
    found = verdicts[f"{name}.{notebook}"]
    assert failed(found) == list(expected)
    for item, patterns in expected.items():
        for pattern in patterns:
            assert re.search(f"(?m){pattern}", found[item]), found[item]


def test_a_figure_that_differs_is_saved(folder: Path, verdicts: dict[str, dict[str, str]]) -> None:
    saved = re.findall(r"\S+\.png", verdicts["pixels.02-curve"]["cell 2"])
    assert len(saved) == 3
    assert all((folder / path.rstrip(",")).stat().st_size for path in saved)


def test_what_makes_nbval_look_away_does_not_work(verdicts: dict[str, dict[str, str]]) -> None:
    found = verdicts["tricks"]
    patterns = {
        "form": "(?s)cell 2 has the tag 'nbval-skip'.*cell 4 was not run",
        "cell 2": r"\n- 3\n\+ 2\n",
        "cell 3": r"\n- 5\n\+ 4\n",
        "cell 4": r"there are 1 outputs \(stdout\), stored are 0 \(none\)",
        "cell 5": "(?s)caused an exception.*ZeroDivisionError: division by zero",
        "cell 6": r"there are 3 outputs \(stdout, display of text/plain, stdout\), stored are 2",
        "cell 7": "the assert in line 2 never ran: its loop is empty, or its branch is not taken",
        "cell 8": "the run adds or removes the file 'left.txt' beside the notebook",
        "cell 9": "The kernel died",
    }
    assert failed(found) == list(patterns)
    for item, pattern in patterns.items():
        assert re.search(pattern, found[item]), found[item]


def test_copies_and_templates_are_not_collected(verdicts: dict[str, dict[str, str]]) -> None:
    assert not any("skipped" in name for name in verdicts)


def test_figures_that_are_not_compared_are_mentioned(tmp_path: Path) -> None:
    done = run(tmp_path, "pytest", "-q", "--nbval", "--strict-notebooks", "--text-only")
    assert "the pixels and texts of figures are NOT compared (--text-only)" in done.stdout


def test_without_the_option_nothing_is_imported() -> None:
    code = (
        "import sys, lincourse.check.plugin\n"
        "print([name for name in ('nbval', 'nbformat', 'PIL', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_stock_nbval_passes_on_this_course() -> None:
    """As an outsider runs it: nbval, without the strict options (all notebooks: `nox -s stock`)."""
    stock = ["-p", "no:cacheprovider", "--nbval"]
    path = "notebooks/00-start-here.ipynb"  # an explorer, tables, figures
    done = run(ROOT, "pytest", *stock, path)
    assert done.returncode == 0, done.stdout
    cells = nbformat.read(ROOT / path, as_version=4).cells
    assert f"{sum(cell.cell_type == 'code' for cell in cells)} passed" in done.stdout
    listed = run(ROOT, "pytest", *stock, "--collect-only", "-q", "notebooks/homework").stdout
    assert "source/hw1" in listed
    assert "release/hw1" not in listed, "templates fail, as they should"


def test_no_cell_relies_on_what_stock_nbval_ignores() -> None:
    """nbval shows the result of a line that ends in a semicolon; JupyterLab does not."""
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        assert [cell.id for cell in code if cell.source.rstrip().endswith(";")] == [], path
