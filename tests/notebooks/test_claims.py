"""The ledger ``notebooks/claims.toml`` and the cells that check its claims, held together.

That each claim reads and is checked as stored is an item of validation, tried here on a small one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lincourse.check import claims, stored
from lincourse.paths import NOTEBOOKS

VERDICTS = {"holds", "holds if", "wrong as written"}
REQUIRED = {"id", "statement", "sources", "verdict", "notebook"}
LEDGER = claims.ledger(NOTEBOOKS)

of_each = pytest.mark.parametrize("claim", LEDGER, ids=lambda claim: claim["id"])


def test_no_two_claims_have_one_id() -> None:
    ids = [claim["id"] for claim in LEDGER]
    assert [name for name in ids if ids.count(name) > 1] == []


@of_each
def test_an_entry_of_the_ledger_is_complete(claim: dict[str, Any]) -> None:
    assert claim["verdict"] in VERDICTS
    corrected = {"correction"} if claim["verdict"] != "holds" else set()
    assert REQUIRED | corrected <= claim.keys() <= REQUIRED | {"correction"}
    assert all(claim[key].strip() for key in ("statement", "correction") if key in claim)
    assert isinstance(claim["sources"], list)
    assert all(isinstance(source, str) for source in claim["sources"])


# ---------------------------------------------------------------- what validation says

TEXTS = {
    "theorem": "# The perceptron\n\n> **Theorem** (Novikoff). There are at most $R^2$ updates.",
    "proof": "Hence $k \\le R^2$, and the mean of $w_0$ is small.",
    "sentence": "On AND it ends at (-4, 3, 2).",
    "answered": "It needs 18 updates, more than most expect.\n\nThey are counted below.",
    "take-away": "## What to take away\n\n- A mistake tells you where to go.\n\n## Exercises",
}
FIGURE = {"image/png": {"alt": "A line between two clouds.", "texts": "0.5 · pocket · average"}}
HEADS = "<table><tr><th>order</th><th>updates</th></tr></table>"


@pytest.fixture
def found(tmp_path: Path) -> Callable[[str], list[str]]:
    """Return what is said of a small notebook with one claim after some statements about it."""
    text = {name: new_markdown_cell(source, id=name) for name, source in TEXTS.items()}
    drawn = new_output("display_data", data={"image/png": ""}, metadata=FIGURE)
    tabled = new_output("execute_result", data={"text/html": HEADS})
    claim = new_code_cell("assert run.weights.tolist() == [-4, 3, 2]", id="claim-P6")
    claim.metadata["tags"] = ["claim-P6"]
    cells = [
        *(text["theorem"], text["proof"], new_code_cell("run = pla(X, y)"), text["sentence"]),
        *(claim, new_code_cell("Answer(run)", metadata={"tags": ["answer"]}), text["answered"]),
        *(new_code_cell("draw(run)", outputs=[drawn, tabled]), text["take-away"]),
    ]
    book = new_notebook(cells=cells)
    ledger = '[[claim]]\nid = "P6"\nnotebook = "02-small"\n[[claim]]\nid = "C1"\nnotebook = "03"\n'
    (tmp_path / claims.LEDGER).write_text(ledger, encoding="utf-8")
    nbformat.write(book, tmp_path / "02-small.ipynb")
    nbformat.write(new_notebook(), tmp_path / "03.ipynb")
    claims.main(["--folder", str(tmp_path)])

    def said(step: str) -> list[str]:
        changed = NotebookNode(nbformat.from_dict(book))
        by_id = {cell.id: cell for cell in changed.cells}
        figure, table = changed.cells[7].outputs
        scope = {"cells": changed.cells, "new": new_code_cell, "table": table.data}
        exec(step, scope | {"text": by_id, "figure": figure.metadata["image/png"]})
        return list(claims.notebook_problems(changed, tmp_path / "02-small.ipynb"))

    return said


@pytest.mark.parametrize(
    "step",
    [
        "",
        "cells[4].source += ' # as printed'",
        "cells.insert(4, new('run.weights'))",
        "text['answered'].source += ' Slowly.'",
        "text['take-away'].source += ' Again.'",
        "figure['texts'] = '0.6 · pocket · average'",
    ],
)
def test_what_may_change_is_left_alone(found: Callable[[str], list[str]], step: str) -> None:
    assert found(step) == []


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ("cells[4].metadata = {}", "code cells with the tag claim-P6: 0, but"),
        ("cells.append(cells[4])", "code cells with the tag claim-P6: 2, but"),
        (
            "cells[2].metadata['tags'] = ['claim-P60']",
            "code cells with the tag claim-P60: 1, but",
        ),
        ("cells[2].metadata['tags'] = ['claim-C1']", "code cells with the tag claim-C1: 1, but"),
        ("text['sentence'].source = 'On AND it ends not.'", "now:    On AND it ends not."),
        ("cells[4].source = 'assert run.weights[0] == -4'", "now:    run.weights[0] == -4"),
        ("cells[4].source += '\\nassert run.converged'", "now:    run.converged"),
        (
            "cells[2].metadata, cells[4].metadata = cells[4].metadata, {}",
            "stored: run.weights.tolist() == [-4, 3, 2]",
        ),
        (
            "text['theorem'].source = text['theorem'].source.replace('most', 'least')",
            "now:    > **Theorem** (Novikoff). There are at least $R^2$ updates.",
        ),
        (
            "text['proof'].source = text['proof'].source.replace('le', 'ge')",
            "stored: k \\le R^2\n  now:    k \\ge R^2",
        ),
        (
            "text['answered'].source = text['answered'].source.replace('more', 'fewer')",
            "now:    It needs 18 updates, fewer than most expect.",
        ),
        (
            "text['take-away'].source = text['take-away'].source.replace('tells', 'hides')",
            "now:    - A mistake hides you where to go.",
        ),
        ("figure['alt'] = 'A line beside both clouds.'", "stored: A line between two clouds."),
        ("figure['texts'] = '0.5 · average · pocket'", "now:    average · pocket"),
        (
            "table['text/html'] = '<th>updates</th><th>order</th>'",
            "stored: order | updates\n  now:    updates | order",
        ),
    ],
)
def test_a_changed_sentence_is_noticed(
    found: Callable[[str], list[str]], step: str, complaint: str
) -> None:
    assert complaint in "\n".join(found(step))


def test_sentences_are_read_back_as_they_are(tmp_path: Path) -> None:
    said = new_markdown_cell('> Said: "α·w", \\ and\n> **γ ≤ 1**', id="said-1")
    (tmp_path / claims.SENTENCES).write_text(claims.text({"a b": new_notebook(cells=[said])}))
    assert stored(tmp_path / claims.SENTENCES) == {
        "a b": {"said-1": ['> Said: "α·w", \\ and > **γ ≤ 1**']}
    }


def test_a_ledger_that_cannot_be_used_gets_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for ledger, complaint in (
        ("", "has no claims.toml with a claim"),
        ('[[claim]]\nid = "A"\nnotebook = "99"\n', "there is no notebook '99'"),
        ('[[claim]]\nid = "A"\n', "a claim needs an id and a notebook"),
    ):
        claims.ledger.cache_clear()
        (tmp_path / claims.LEDGER).write_text(ledger, encoding="utf-8")
        with pytest.raises(SystemExit):
            claims.main(["--folder", str(tmp_path)])
        assert complaint in capsys.readouterr().err
