"""Claims: each is a cell of a lecture and one entry of ``claims.toml`` beside the lectures.

The cell has the id and the tag ``claim-<id>`` and asserts the claim. The entry says what is claimed
and where:

    [[claim]]
    id = "P6"
    notebook = "02-perceptron"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from lincourse.check import stored
from lincourse.check.outputs import tags

LEDGER = "claims.toml"


def ledger(folder: Path) -> list[dict[str, Any]]:
    """Return the claims listed in a folder, none without a ledger."""
    claims: list[dict[str, Any]] = stored(folder / LEDGER).get("claim", [])
    for claim in claims:
        if not {"id", "notebook"} <= claim.keys():
            raise ValueError(f"{LEDGER}: a claim needs an id and a notebook, {claim} lacks one.")
        if not (folder / f"{claim['notebook']}.ipynb").exists():
            raise ValueError(f"{LEDGER}: there is no notebook {claim['notebook']!r} in {folder}.")
    return claims


def places(folder: Path) -> dict[str, str]:
    """Return the notebook of each claim."""
    return {claim["id"]: claim["notebook"] for claim in ledger(folder)}


def claimed(cell: NotebookNode) -> list[str]:
    """Return the claims that a code cell checks, by its tags."""
    found = [tag.removeprefix("claim-") for tag in tags(cell) if tag.startswith("claim-")]
    return found if cell.cell_type == "code" else []


def notebook_problems(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Yield a sentence for each claim that a notebook and the ledger do not both have once."""
    here = {name for name, place in places(path.parent).items() if place == path.stem}
    tagged = Counter(name for cell in notebook.cells for name in claimed(cell))
    for name in sorted(here | tagged.keys()):
        asked = int(name in here)
        if tagged[name] != asked:
            have = f"code cells with the tag claim-{name}: {tagged[name]}"
            yield f"{have}, but {LEDGER} asks for {asked} in this notebook."
