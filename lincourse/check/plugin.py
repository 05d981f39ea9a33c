"""What this course asks of its notebooks beyond ``pytest --nbsame``, through nbsame's hooks.

nbsame runs the cells and compares their outputs. Here are three checks of the file, each an item of
its own (``form``, ``prose``, ``claims``), and what is asked of a cell that has been run. The root's
conftest.py loads it, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # imported only where notebooks are validated
    from nbformat import NotebookNode
    from nbsame.run import CellRun

    FileCheck = Callable[[NotebookNode, Path], Iterable[str]]

BESIDE = pytest.StashKey["dict[Path, dict[str, tuple[int, int]]]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("notebook_cell_lines", "most lines of a code cell (0: any number)", default="0")
    parser.addini(
        "notebook_alt_text", "fewest characters of a figure's alt text (0: none)", default="0"
    )
    parser.addini("notebook_known", "further tags that hide nothing", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[BESIDE] = {}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark cells as slow: each takes those above it along."""
    if item.get_closest_marker("nbsame_cell"):
        item.add_marker("slow")


@pytest.hookimpl(optionalhook=True)  # readers may have nbval alone
def pytest_nbsame_file_checks(path: Path, config: pytest.Config) -> Mapping[str, FileCheck]:
    from lincourse.check import claims, prose
    from lincourse.check.structure import Rules, form_problems

    lines, alt = (int(config.getini(f"notebook_{key}")) for key in ("cell_lines", "alt_text"))
    rules = Rules(lines, alt, frozenset(config.getini("notebook_known")))

    def form(notebook: NotebookNode, path: Path) -> Iterable[str]:
        return form_problems(notebook, path.parent, rules)

    def held(notebook: NotebookNode, path: Path) -> Iterator[str]:
        try:
            yield from claims.notebook_problems(notebook, path)
        except ValueError as problem:  # a ledger that cannot be read
            yield str(problem)

    ledger = (path.parent / claims.LEDGER).exists()
    checks: dict[str, FileCheck] = {"form": form, "prose": prose.problems}
    return {**checks, "claims": held} if ledger else checks


@pytest.hookimpl(optionalhook=True)  # readers may have nbval alone
def pytest_nbsame_before_first_cell(path: Path, config: pytest.Config) -> str:
    from lincourse.check import cells

    config.stash[BESIDE][path] = cells.files_beside(path.parent)
    return cells.START


@pytest.hookimpl(optionalhook=True)  # readers may have nbval alone
def pytest_nbsame_check_cell(run: CellRun, config: pytest.Config) -> list[str]:
    from lincourse.check import asserts, cells

    before = config.stash[BESIDE][run.path]
    config.stash[BESIDE][run.path] = cells.files_beside(run.path.parent)
    words = config.getoption("nbsame_pictures") != "never"  # another Matplotlib has other ticks
    return [
        *cells.output_problems(run.cell.outputs, run.outputs, words=words),
        *asserts.never_passed(run.cell, set(run.ask(cells.PASSED))),
        *cells.changed_files(before, config.stash[BESIDE][run.path]),
    ]
