"""What a course may add of its own: hooks for a ``conftest.py`` or a plugin.

Write functions of these names, with any of their arguments, in the course's ``conftest.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # pytest reads this module wherever nbsame is installed
    from nbformat import NotebookNode

    from nbsame.run import CellRun

    FileCheck = Callable[[NotebookNode, Path], Iterable[str]]


@pytest.hookspec
def pytest_nbsame_file_checks(path: Path, config: pytest.Config) -> Mapping[str, FileCheck]:
    """Return checks of the stored file by name; no cell is run for them.

    Each becomes an item ``notebook.ipynb::name``. It is given the notebook and its path, and fails
    with one line for each sentence that it returns.
    """
    raise NotImplementedError


@pytest.hookspec
def pytest_nbsame_before_first_cell(path: Path, config: pytest.Config) -> str:
    """Return code to run in the kernel before the first cell of a notebook; it leaves no output."""
    raise NotImplementedError


@pytest.hookspec
def pytest_nbsame_check_cell(run: CellRun, config: pytest.Config) -> Iterable[str]:
    """Return a sentence for each thing that is wrong with a cell that has just been run.

    ``run`` has the notebook's path, the cell as it is stored, its fresh outputs, and ``ask``, which
    returns the value of an expression in the kernel.
    """
    raise NotImplementedError
