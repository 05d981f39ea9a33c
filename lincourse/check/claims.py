"""Claims: each is a cell of a lecture and one entry of ``claims.toml`` beside the lectures.

The cell has the id and the tag ``claim-<id>`` and asserts the claim. The entry says where it is,
and under which small edit of the lecture that cell must fail:

    [[claim]]
    id = "P6"
    notebook = "02-perceptron"

    [[claim.falsifier]]
    would_fail_if = "the weights began at 1."
    cell = "run"              # where the edit is made; the claim's own cell if none is named
    old = "start=0"           # stands in that cell exactly once …
    new = "start=1"           # … and becomes this

Here everything is read that can be said of a claim before a cell is run. ``lincourse falsify``
makes the edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode

from lincourse.check import asserts, stored
from lincourse.check.outputs import tags

LEDGER = "claims.toml"
Claim = dict[str, Any]


class Falsifier(NamedTuple):
    """An edit under which the cell of a claim must fail."""

    claim: str
    would_fail_if: str
    old: str
    new: str
    cell: str


# ---------------------------------------------------------------- the ledger


def ledger(folder: Path) -> list[Claim]:
    """Return the claims listed in a folder, none without a ledger."""
    claims: list[Claim] = stored(folder / LEDGER).get("claim", [])
    for claim in claims:
        if not {"id", "notebook"} <= claim.keys():
            raise ValueError(f"{LEDGER}: a claim needs an id and a notebook, {claim} lacks one.")
        if not (folder / f"{claim['notebook']}.ipynb").exists():
            raise ValueError(
                f"{LEDGER}: claim {claim['id']} names the notebook {claim['notebook']!r}, "
                f"which is not in {folder}."
            )
        for entry in claim.get("falsifier", []):
            strange = {*entry, "cell"} ^ {*Falsifier._fields} - {"claim"}
            if strange:
                raise ValueError(
                    f"{LEDGER}: a falsifier of claim {claim['id']} lacks or does not need "
                    f"{sorted(strange)}."
                )
    return claims


def falsifiers(claim: Claim) -> list[Falsifier]:
    """Return the falsifiers of a claim; an edit is made in its own cell unless another is named."""
    own = {"claim": claim["id"], "cell": f"claim-{claim['id']}"}
    return [Falsifier(**own | entry) for entry in claim.get("falsifier", [])]


# ---------------------------------------------------------------- what is missing


def claimed(cell: NotebookNode) -> list[str]:
    """Return the claims that a code cell checks, by its tags."""
    found = [tag.removeprefix("claim-") for tag in tags(cell) if tag.startswith("claim-")]
    return found if cell.cell_type == "code" else []


def notebook_problems(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Yield a sentence for everything that the claims of a notebook lack, before a cell is run."""
    here = [claim for claim in ledger(path.parent) if claim["notebook"] == path.stem]
    for claim in here:
        yield from claim_problems(claim, notebook, path)
    known = {claim["id"] for claim in here}
    for cell in notebook.cells:
        for name in claimed(cell):
            if name not in known:
                yield (
                    f"the cell {cell.id} has the tag claim-{name}, but {LEDGER} has no claim "
                    f"{name} in {path.stem}: add it there, or remove the tag."
                )


def claim_problems(claim: Claim, notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Yield what one claim lacks: its cell, an assert in it, an edit that can be made."""
    name = claim["id"]
    cells = [cell for cell in notebook.cells if name in claimed(cell)]
    if not cells:
        yield (
            f"claim {name} has no cell: give the code cell that asserts it the id and the tag "
            f"claim-{name}."
        )
    elif len(cells) > 1:
        yield f"claim {name} has {len(cells)} cells: leave the tag claim-{name} on one of them."
    elif cells[0].id != f"claim-{name}":
        yield f"the cell of claim {name} has the id {cells[0].id}: links need claim-{name}."
    elif not asserts.asserts(cells[0].source):
        yield f"the cell claim-{name} asserts nothing: add an assert of what the claim says."
    if not falsifiers(claim):
        yield (
            f"claim {name} has no falsifier: add below it in {path.parent / LEDGER} a table "
            "[[claim.falsifier]] with would_fail_if, old and new, a small edit of the lecture "
            "under which its cell must fail."
        )
    for entry in falsifiers(claim):
        yield from edit_problems(entry, notebook)


def edit_problems(entry: Falsifier, notebook: NotebookNode) -> Iterator[str]:
    """Yield why an edit cannot be made, or could not matter to the cell of its claim."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    ids = [cell.id for cell in code]
    edit = f"the falsifier of claim {entry.claim} “{entry.would_fail_if}”"
    if entry.cell not in ids:
        if entry.cell != f"claim-{entry.claim}":  # that one is missing has been said
            yield f"{edit} names the cell {entry.cell}, which is not there."
        return
    times = code[ids.index(entry.cell)].source.count(entry.old)
    if times != 1:
        yield (
            f"{edit} finds its old text {times} times in the cell {entry.cell}: it must stand "
            f"there once ({entry.old!r})."
        )
    target = f"claim-{entry.claim}"
    if target in ids and ids.index(entry.cell) > ids.index(target):
        yield f"{edit} edits the cell {entry.cell}, which comes after {target}."
