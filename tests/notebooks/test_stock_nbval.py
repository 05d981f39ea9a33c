"""``pytest --nbval notebooks/``, as README names it for whoever has nothing of ours but nbval.

All notebooks cost as much again as validation does, so the ordinary run takes two: the opening with
its explorer, tables and figures, and the perceptron. ``nox -s stock``, or this file with
``STOCK_NBVAL=all`` in the environment, takes all of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
SOME = ["notebooks/00-start-here.ipynb", "notebooks/02-perceptron.ipynb"]
ALL = os.environ.get("STOCK_NBVAL") == "all"
STOCK = ["-p", "no:cacheprovider", "--override-ini", "addopts=", "--nbval"]


def stock(*arguments: str) -> str:
    """Run pytest with nbval and none of the project's options; return what it prints."""
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", *STOCK, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=outer, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.slow
def test_stock_nbval_passes() -> None:
    paths = ["notebooks"] if ALL else SOME
    printed = stock("-q", *paths)
    notebooks = [path for path in map(ROOT.joinpath, paths) if path.suffix == ".ipynb"]
    cells = [cell for path in notebooks for cell in nbformat.read(path, as_version=4).cells]
    number = sum(cell.cell_type == "code" for cell in cells)
    assert ALL or f"{number} passed" in printed


def test_stock_nbval_collects_solutions_and_no_templates() -> None:
    listed = stock("--collect-only", "-q", "notebooks/homework")
    assert "source/hw1" in listed
    assert "release/hw1" not in listed, "templates fail, as they should"


def test_no_cell_relies_on_what_stock_nbval_ignores() -> None:
    """nbval shows the result of a line that ends in a semicolon; JupyterLab does not."""
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        assert [cell.id for cell in code if cell.source.rstrip().endswith(";")] == [], path
