"""The explorers of the lectures, drawn again without a kernel and compared with what is stored.

``make test`` compares the same pictures when it validates the notebooks, so that it leaves this
file out; ``make mutants`` judges the looks of a still picture by it.
"""

from __future__ import annotations

import pytest

from tools import walks
from tools.lectures import lectures
from tools.outputs import PNG, figure_difference

SHOWN = {one.name: cell for one in lectures() for cell in one.cells if walks.shown(cell)}


@pytest.mark.parametrize("name", SHOWN)
def test_the_still_picture_is_as_stored(name: str) -> None:
    cell = SHOWN[name]
    (stored,) = (output for output in cell.outputs if PNG in output.get("data", {}))
    bundle, metadata = walks.explorer_of(cell.source)._repr_mimebundle_()
    assert figure_difference(stored["data"][PNG], bundle[PNG]) is None
    assert stored["metadata"][PNG] == metadata[PNG]
