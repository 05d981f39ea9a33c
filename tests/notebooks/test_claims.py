"""The ledger ``notebooks/claims.toml`` and the cells that check its claims, held together.

That each claim reads and is checked as stored is an item of validation, tried here on a small one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lincourse.check import asserts, claims
from lincourse.paths import NOTEBOOKS

# The notebook of each claim: by its letter, but for some that are checked in another.
LETTERS = {
    "H": ("01-hyperplanes", 9),
    "P": ("02-perceptron", 17),
    "C": ("03-convergence", 10),
    "G": ("05-gradient-descent", 13),
    "M": ("07-margins", 9),
    "D": ("08-discriminants", 9),
    "L": ("09-logistic", 4),
    "K": ("10-multiclass", 9),
}
ELSEWHERE = {"04-no-line": "P14 P17 C7 C8 C9", "06-least-squares": "G8 G9 G10 G11 G12 G13"}
KNOWN = {
    f"{letter}{number}": notebook
    for letter, (notebook, count) in LETTERS.items()
    for number in range(1, count + 1)
} | {claim: notebook for notebook, names in ELSEWHERE.items() for claim in names.split()}
VERDICTS = {"holds", "holds if", "wrong as written"}
REQUIRED = {"id", "statement", "sources", "verdict", "notebook"}
LEDGER = claims.ledger(NOTEBOOKS)

of_each = pytest.mark.parametrize("claim", LEDGER, ids=lambda claim: claim["id"])


def test_the_ledger_has_the_80_claims_of_the_course() -> None:
    assert sorted(claim["id"] for claim in LEDGER) == sorted(KNOWN)
    assert len(KNOWN) == 80


@of_each
def test_an_entry_says_what_is_claimed_where_and_whether_it_holds(claim: dict[str, Any]) -> None:
    assert claim["notebook"] == KNOWN[claim["id"]]
    assert claim["verdict"] in VERDICTS
    corrected = {"correction"} if claim["verdict"] != "holds" else set()
    assert REQUIRED | corrected <= claim.keys() <= REQUIRED | {"correction"}
    assert all(claim[key].strip() for key in ("statement", "correction") if key in claim)
    assert isinstance(claim["sources"], list)
    assert all(isinstance(source, str) for source in claim["sources"])


@of_each
def test_a_claim_is_asserted_below_its_sentence(claim: dict[str, Any]) -> None:
    cells, tag = claims.read(NOTEBOOKS / f"{claim['notebook']}.ipynb").cells, f"claim-{claim['id']}"
    (at,) = (k for k, cell in enumerate(cells) if tag in cell.metadata.get("tags", []))
    assert cells[at].id == tag, "so that links find it"
    assert asserts.asserts(cells[at].source)
    above = cells[max(0, at - 4) : at]  # small cells may prepare it
    assert any(cell.cell_type == "markdown" for cell in above)


# ---------------------------------------------------------------- what validation says


@pytest.fixture
def found(tmp_path: Path) -> Callable[[str], list[str]]:
    """Return what is said of a small notebook with one claim after some statements about it."""
    cells = [
        new_markdown_cell("# The perceptron"),
        new_code_cell("run = pla(X, y)"),
        new_markdown_cell("On AND it ends at (-4, 3, 2)."),
        new_code_cell("assert run.weights.tolist() == [-4, 3, 2]", id="claim-P6"),
    ]
    cells[3].metadata["tags"] = ["claim-P6"]
    book = new_notebook(cells=cells)
    ledger = '[[claim]]\nid = "P6"\nnotebook = "02-small"\n[[claim]]\nid = "C1"\nnotebook = "03"\n'
    (tmp_path / claims.LEDGER).write_text(ledger, encoding="utf-8")
    nbformat.write(book, tmp_path / "02-small.ipynb")
    nbformat.write(new_notebook(), tmp_path / "03.ipynb")
    claims.main(["--folder", str(tmp_path)])

    def said(step: str) -> list[str]:
        changed = NotebookNode(nbformat.from_dict(book))
        exec(step, {"cells": changed.cells, "new": new_code_cell})
        return list(claims.notebook_problems(changed, tmp_path / "02-small.ipynb"))

    return said


def test_a_good_notebook_has_no_problems(found: Callable[[str], list[str]]) -> None:
    assert found("") == []
    assert found("cells[3].source += ' # as printed'") == []
    assert found("cells.insert(3, new('run.weights'))") == []


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ("cells[3].metadata = {}", "Claim P6 needs exactly one code cell with the tag claim-P6"),
        ("cells.append(cells[3])", "Claim P6 needs exactly one code cell with the tag claim-P6"),
        ("cells[1].metadata['tags'] = ['claim-P60']", "the tag claim-P60 names a claim that"),
        ("cells[1].metadata['tags'] = ['claim-C1']", "the tag claim-C1 names a claim that"),
        ("cells[2].source = 'On AND it does not end at (-4, 3, 2).'", "reads otherwise than"),
        ("cells[3].source = 'assert run.weights[0] == -4'", "is checked by otherwise than"),
        ("cells[3].source += '\\nassert run.converged'", "is checked by otherwise than"),
        (
            "cells[1].source += '\\nassert run.updates == 18'\n"
            "cells[1].metadata, cells[3].metadata = cells[3].metadata, {}",
            "reads otherwise than",
        ),
    ],
)
def test_a_spoilt_notebook_is_noticed(
    found: Callable[[str], list[str]], step: str, complaint: str
) -> None:
    (first, *_) = found(step)
    assert complaint in first


def test_the_stored_sentences_are_read_back_as_they_are() -> None:
    said = new_markdown_cell('Said: "α·w", \\ and\n\n**γ ≤ 1**\nfor all.')
    cell = new_code_cell("assert γ <= 1", metadata={"tags": ["claim-P6"]})
    books = {"02": new_notebook(cells=[said, cell])}
    again = tomllib.loads(claims.text({"P6": "02"}, books))
    assert again["P6"] == {"said": "**γ ≤ 1** for all.", "checked": "γ <= 1"}
    assert list(claims.problems({"P6": "02"}, books, again)) == []
    assert "not in the ledger" in next(claims.problems({}, books, again))
    assert "not in sentences.toml" in next(claims.problems({"P6": "02"}, books, {}))


def test_a_ledger_that_cannot_be_used_gets_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for ledger, complaint in (
        ("", "has no claims.toml with a claim"),
        ('[[claim]]\nid = "A"\nnotebook = "99"\n', "names the notebook '99', which"),
        ('[[claim]]\nid = "A"\n', "a claim needs an id and a notebook"),
    ):
        claims.ledger.cache_clear()
        (tmp_path / claims.LEDGER).write_text(ledger, encoding="utf-8")
        with pytest.raises(SystemExit):
            claims.main(["--folder", str(tmp_path)])
        assert complaint in capsys.readouterr().err
