"""Small lectures to try the tools on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook


@pytest.fixture(scope="session")
def write_lecture() -> Callable[[Path, Mapping[str, str]], None]:
    """Return how to write a lecture 01-small of code cells, by id, into a folder.

    An id that begins with claim- is the tag of its cell as well.
    """

    def write(folder: Path, cells: Mapping[str, str]) -> None:
        made = [
            new_code_cell(source, id=name, metadata={"tags": [name] if "claim-" in name else []})
            for name, source in cells.items()
        ]
        nbformat.write(new_notebook(cells=made), folder / "01-small.ipynb")

    return write
