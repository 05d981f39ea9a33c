"""The ledger ``notebooks/claims.toml`` and the cells that check its claims, held together.

That each claim has its cell is an item of validation, tried here on a small one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from lincourse.check import claims
from lincourse.paths import NOTEBOOKS

VERDICTS = {"holds", "holds if", "wrong as written"}
REQUIRED = {"id", "statement", "sources", "verdict", "notebook", "falsifier"}
LEDGER = claims.ledger(NOTEBOOKS)

of_each = pytest.mark.parametrize("claim", LEDGER, ids=lambda claim: claim["id"])


def test_no_two_claims_have_one_name() -> None:
    assert len(LEDGER) == len({claim["id"] for claim in LEDGER})


@of_each
def test_an_entry_of_the_ledger_is_complete(claim: dict[str, Any]) -> None:
    assert claim["verdict"] in VERDICTS
    corrected = {"correction"} if claim["verdict"] != "holds" else set()
    assert REQUIRED | corrected <= claim.keys() <= REQUIRED | {"correction"}
    assert all(claim[key].strip() for key in ("statement", "correction") if key in claim)
    assert isinstance(claim["sources"], list)
    assert all(isinstance(source, str) for source in claim["sources"])


# ---------------------------------------------------------------- what validation says


ENTRIES = """\
[[claim]]
id = "P6"
notebook = "02-small"
[[claim.falsifier]]
would_fail_if = "it ended elsewhere."
old = "-4"
new = "4"
[[claim]]
id = "C1"
notebook = "03"
"""


@pytest.fixture
def found(tmp_path: Path) -> Callable[[str], str]:
    """Return what is said of a small notebook with one claim, after a statement about its cells."""
    claim = new_code_cell("assert run.weights.tolist() == [-4, 3, 2]", id="claim-P6")
    claim.metadata["tags"] = ["claim-P6"]
    book = new_notebook(cells=[new_code_cell("run = pla(X, y)", id="run"), claim])
    (tmp_path / claims.LEDGER).write_text(ENTRIES, encoding="utf-8")
    nbformat.write(book, tmp_path / "02-small.ipynb")
    nbformat.write(new_notebook(), tmp_path / "03.ipynb")

    def said(step: str) -> str:
        changed = NotebookNode(nbformat.from_dict(book))
        exec(step, {"cells": changed.cells})
        return "\n".join(claims.notebook_problems(changed, tmp_path / "02-small.ipynb"))

    return said


def test_a_claim_with_its_cell_and_its_falsifier_is_left_alone(found: Callable[[str], str]) -> None:
    assert found("") == ""


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ("cells[1].metadata = {}", "claim P6 has no cell: give the code cell that asserts it"),
        ("cells.append(cells[1])", "claim P6 has 2 cells: leave the tag claim-P6 on one of them"),
        ("cells[1].id = 'P6'", "the cell of claim P6 has the id P6: links need claim-P6"),
        ("cells[1].source = 'print(-4)'", "the cell claim-P6 asserts nothing: add an assert"),
        ("cells[0].metadata['tags'] = ['claim-P60']", "run has the tag claim-P60, but claims.toml"),
        ("cells[0].metadata['tags'] = ['claim-C1']", "claims.toml has no claim C1 in 02-small"),
        ("cells[1].source = 'assert run.weights[0] < 0'", "finds its old text 0 times in the cell"),
    ],
)
def test_a_claim_and_its_cell_need_each_other(
    found: Callable[[str], str], step: str, complaint: str
) -> None:
    assert complaint in found(step)


def test_a_ledger_that_cannot_be_used_gets_one_sentence(tmp_path: Path) -> None:
    nbformat.write(new_notebook(), tmp_path / "03.ipynb")
    for ledger, complaint in (
        ('[[claim]]\nid = "A"\nnotebook = "99"\n', "claim A names the notebook '99', which is"),
        ('[[claim]]\nid = "A"\n', "a claim needs an id and a notebook"),
        (
            '[[claim]]\nid = "A"\nnotebook = "03"\n[[claim.falsifier]]\nold = "1"\nnews = "2"\n',
            r"a falsifier of claim A lacks or does not need \['new', 'news', 'would_fail_if'\]",
        ),
    ):
        (tmp_path / claims.LEDGER).write_text(ledger, encoding="utf-8")
        with pytest.raises(ValueError, match=complaint):
            claims.ledger(tmp_path)
