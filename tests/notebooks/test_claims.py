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
REQUIRED = {"id", "statement", "sources", "verdict", "notebook"}
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


@pytest.fixture
def found(tmp_path: Path) -> Callable[[str], list[str]]:
    """Return what is said of a small notebook with one claim, after a statement about its cells."""
    claim = new_code_cell("assert run.weights.tolist() == [-4, 3, 2]", id="claim-P6")
    claim.metadata["tags"] = ["claim-P6"]
    book = new_notebook(cells=[new_code_cell("run = pla(X, y)"), claim])
    ledger = '[[claim]]\nid = "P6"\nnotebook = "02-small"\n[[claim]]\nid = "C1"\nnotebook = "03"\n'
    (tmp_path / claims.LEDGER).write_text(ledger, encoding="utf-8")
    nbformat.write(book, tmp_path / "02-small.ipynb")
    nbformat.write(new_notebook(), tmp_path / "03.ipynb")

    def said(step: str) -> list[str]:
        changed = NotebookNode(nbformat.from_dict(book))
        exec(step, {"cells": changed.cells})
        return list(claims.notebook_problems(changed, tmp_path / "02-small.ipynb"))

    return said


def test_a_claim_with_its_cell_is_left_alone(found: Callable[[str], list[str]]) -> None:
    assert found("") == []


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ("cells[1].metadata = {}", "code cells with the tag claim-P6: 0, but"),
        ("cells.append(cells[1])", "code cells with the tag claim-P6: 2, but"),
        ("cells[0].metadata['tags'] = ['claim-P60']", "with the tag claim-P60: 1, but"),
        ("cells[0].metadata['tags'] = ['claim-C1']", "with the tag claim-C1: 1, but"),
    ],
)
def test_a_claim_and_its_cell_need_each_other(
    found: Callable[[str], list[str]], step: str, complaint: str
) -> None:
    assert complaint in "\n".join(found(step))


def test_a_ledger_that_cannot_be_used_gets_one_sentence(tmp_path: Path) -> None:
    for ledger, complaint in (
        ('[[claim]]\nid = "A"\nnotebook = "99"\n', "there is no notebook '99'"),
        ('[[claim]]\nid = "A"\n', "a claim needs an id and a notebook"),
    ):
        (tmp_path / claims.LEDGER).write_text(ledger, encoding="utf-8")
        with pytest.raises(ValueError, match=complaint):
            claims.ledger(tmp_path)
