"""The ledger ``notebooks/claims.toml`` and the cells that check its claims, held together."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lincourse.check import asserts
from lincourse.check import claims as as_stored
from lincourse.check.claims import Entry
from lincourse.paths import NOTEBOOKS

LEDGER = NOTEBOOKS / "claims.toml"

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
LAST = "10-multiclass"  # once it exists, nothing may be pending
KNOWN = {
    f"{letter}{number}": notebook
    for letter, (notebook, count) in LETTERS.items()
    for number in range(1, count + 1)
} | {claim: notebook for notebook, claims in ELSEWHERE.items() for claim in claims.split()}
VERDICTS = {"holds", "holds if", "wrong as written"}
REQUIRED = {"id", "statement", "sources", "verdict", "notebook"}
OPTIONAL = {"correction", "pending"}

Claim = dict[str, Any]


def problems(
    ledger: list[Claim],
    notebooks: Mapping[str, NotebookNode],
    known: Mapping[str, str] = KNOWN,
    stored: Mapping[str, Entry] | None = None,
) -> list[str]:
    """Return one sentence for each way in which ledger and notebooks disagree.

    ``notebooks`` has those that exist, by name; ``known`` says which claims there are, and where;
    ``stored`` how each reads and is checked.
    """
    found = list(id_problems([claim.get("id") for claim in ledger], known))
    for claim in ledger:
        if claim.get("id") in known:
            entry = [*entry_problems(claim, known), *pending_problems(claim, notebooks)]
            found += entry or check_problems(claim, notebooks)
    places = {name: place for name, place in known.items() if place in notebooks}
    if stored is not None:
        found += as_stored.problems(places, notebooks, stored)
    return found + list(stray_tag_problems(ledger, notebooks))


def id_problems(ids: list[str | None], known: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(known.keys() - set(ids)):
        yield f"Claim {name} is missing from the ledger."
    for name in sorted({str(name) for name in ids if name not in known}):
        yield f"Claim {name} is in the ledger but not a claim of the course."
    for name in sorted({str(name) for name in ids if ids.count(name) > 1}):
        yield f"Claim {name} is in the ledger more than once."


def entry_problems(claim: Claim, known: Mapping[str, str]) -> Iterator[str]:
    """Look at one table of the ledger by itself."""
    name = claim["id"]
    for key in sorted(REQUIRED - claim.keys()):
        yield f"Claim {name} has no {key}."
    for key in sorted(claim.keys() - REQUIRED - OPTIONAL):
        yield f"Claim {name} has a key {key!r} that means nothing."
    for key in ("statement", "correction"):
        if key in claim and not (isinstance(claim[key], str) and claim[key].strip()):
            yield f"Claim {name} has an empty {key}."
    sources = claim.get("sources", [])
    if not (isinstance(sources, list) and all(isinstance(text, str) for text in sources)):
        yield f"Claim {name} needs a list of texts as its sources."
    if claim.get("verdict") not in VERDICTS:
        yield f"Claim {name} has the verdict {claim.get('verdict')!r}, not one of {VERDICTS}."
    elif claim["verdict"] != "holds" and "correction" not in claim:
        yield f"Claim {name} {claim['verdict']}, but has no correction that says what is right."
    if claim.get("notebook") != known[name]:
        yield f"Claim {name} is assigned to {claim.get('notebook')}, but belongs to {known[name]}."
    if not isinstance(claim.get("pending", False), bool):
        yield f"Claim {name} needs pending = true, or no pending at all."


def pending_problems(claim: Claim, notebooks: Mapping[str, NotebookNode]) -> Iterator[str]:
    name, notebook, pending = claim["id"], claim.get("notebook"), claim.get("pending", False)
    if pending and notebook in notebooks:
        yield f"Claim {name} is pending, though {notebook} exists."
    if not pending and notebook not in notebooks:
        yield f"Claim {name} is not pending, though {notebook} does not exist."
    if pending and LAST in notebooks:
        yield f"Claim {name} is pending, though {LAST}, the last with claims, exists."


def check_problems(claim: Claim, notebooks: Mapping[str, NotebookNode]) -> Iterator[str]:
    """Look at the cell that checks a claim which is not pending."""
    if claim.get("pending", False):
        return
    tag = f"claim-{claim['id']}"
    cells = notebooks[claim["notebook"]].cells
    positions = [k for k, cell in enumerate(cells) if tag in tags(cell)]
    if len(positions) != 1:
        yield f"{claim['notebook']} has {len(positions)} cells with the tag {tag} instead of one."
        return
    (position,) = positions
    cell = cells[position]
    place = f"The cell of {claim['notebook']} with the tag {tag}"
    if cell.cell_type != "code":
        yield f"{place} is a {cell.cell_type} cell, which checks nothing."
    elif not asserts.asserts(cell.source):
        yield f"{place} has no assert."
    else:
        yield from (f"{place} {problem}" for problem in asserts.vacuous(cell.source))
    if cell.get("id") != tag:
        yield f"{place} has the id {cell.get('id')!r}: set it to {tag!r} so that links find it."
    above = cells[max(0, position - 4) : position]  # small cells may prepare it
    if not any(neighbour.cell_type == "markdown" for neighbour in above):
        yield f"{place} has no markdown within four cells above it that states the claim."


def stray_tag_problems(ledger: list[Claim], notebooks: Mapping[str, NotebookNode]) -> Iterator[str]:
    """Look from the notebooks to the ledger."""
    claims = {claim.get("id"): claim for claim in ledger}
    for notebook, book in notebooks.items():
        for tag in (tag for cell in book.cells for tag in tags(cell)):
            if tag.startswith("claim-"):
                claim = claims.get(tag.removeprefix("claim-"))
                if claim is None:
                    yield f"{notebook} has the tag {tag}, but the ledger has no such claim."
                elif claim.get("notebook") != notebook:
                    yield f"{notebook} has the tag {tag}, which belongs to {claim.get('notebook')}."
                elif claim.get("pending", False):
                    yield f"{notebook} has the tag {tag}, though that claim is pending."


def tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


# ---------------------------------------------------------------- the course's own ledger


@pytest.fixture(scope="module")
def ledger() -> list[Claim]:
    if not LEDGER.exists():
        pytest.fail("notebooks/claims.toml does not exist: write the ledger.", pytrace=False)
    return tomllib.loads(LEDGER.read_text(encoding="utf-8"))["claim"]


@pytest.fixture(scope="module")
def notebooks() -> dict[str, NotebookNode]:
    return {
        path.stem: nbformat.read(path, as_version=4) for path in sorted(NOTEBOOKS.glob("*.ipynb"))
    }


def test_ledger_and_notebooks_agree(
    ledger: list[Claim], notebooks: dict[str, NotebookNode]
) -> None:
    found = problems(ledger, notebooks, stored=as_stored.load(NOTEBOOKS))
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_the_course_has_80_claims() -> None:
    assert len(KNOWN) == 80
    assert KNOWN["H1"] == "01-hyperplanes"
    assert KNOWN["K9"] == "10-multiclass"


# ---------------------------------------------------------------- the check itself, on small ones

SMALL = {"P6": "02-perceptron", "C1": "03-convergence"}


@pytest.fixture
def small() -> tuple[list[Claim], dict[str, NotebookNode]]:
    """Return a ledger of two claims, one pending, and the notebook of the other."""
    done = {
        "id": "P6",
        "statement": "On AND the perceptron ends at (-4, 3, 2).",
        "sources": ["Machine Learning and Data Mining I"],
        "verdict": "holds",
        "notebook": "02-perceptron",
    }
    pending = {
        "id": "C1",
        "statement": "The number of mistakes is at most R² ‖w‖² / γ.",
        "sources": [],
        "verdict": "wrong as written",
        "correction": "It is at most R² ‖w‖² / γ².",
        "notebook": "03-convergence",
        "pending": True,
    }
    cells = [
        new_markdown_cell("# The perceptron"),
        new_code_cell("run = pla(X, y)"),
        new_markdown_cell("On AND it ends at (-4, 3, 2)."),
        new_code_cell(
            "assert run.weights.tolist() == [-4, 3, 2]",
            id="claim-P6",
            metadata={"tags": ["claim-P6"]},
        ),
    ]
    return [done, pending], {
        "00-start-here": new_notebook(),
        "02-perceptron": new_notebook(cells=cells),
    }


def broken(small: tuple[list[Claim], dict[str, NotebookNode]], *steps: str) -> list[str]:
    """Run statements that break a copy of the small example; return what is then complained of."""
    ledger, notebooks = copy.deepcopy(small)
    scope = {"ledger": ledger, "notebooks": notebooks, "P6": ledger[0], "C1": ledger[1]}
    scope |= {"cells": notebooks["02-perceptron"].cells, "new": new_code_cell}
    scope |= {"text": new_markdown_cell, "book": new_notebook}
    for step in steps:
        exec(step, scope)
    claims = {"P6": "02-perceptron"}
    stored = {name: as_stored.entry(small[1][place], name) for name, place in claims.items()}
    return problems(ledger, notebooks, SMALL, stored)


def test_a_good_ledger_has_no_problems(
    small: tuple[list[Claim], dict[str, NotebookNode]],
) -> None:
    assert broken(small) == []


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ("ledger.remove(C1)", "Claim C1 is missing from the ledger."),
        ("ledger.append({**C1, 'id': 'Q1'})", "Claim Q1 is in the ledger but not a claim"),
        ("ledger.append(C1)", "Claim C1 is in the ledger more than once."),
        ("del P6['statement']", "Claim P6 has no statement."),
        ("P6['statement'] = ' '", "Claim P6 has an empty statement."),
        ("P6['sources'] = 'a book'", "Claim P6 needs a list of texts as its sources."),
        ("P6['verdict'] = 'true'", "Claim P6 has the verdict 'true'"),
        ("P6['verdict'] = 'holds if'", "Claim P6 holds if, but has no correction"),
        ("del C1['correction']", "Claim C1 wrong as written, but has no correction"),
        ("P6['pendng'] = True", "Claim P6 has a key 'pendng' that means nothing."),
        ("C1['notebook'] = '02-perceptron'", "Claim C1 is assigned to 02-perceptron, but"),
        ("P6['pending'] = True", "Claim P6 is pending, though 02-perceptron exists."),
        ("P6['pending'] = True", "has the tag claim-P6, though that claim is pending."),
        ("C1['pending'] = 'yes'", "Claim C1 needs pending = true, or no pending at all."),
        ("del C1['pending']", "Claim C1 is not pending, though 03-convergence does not exist."),
        ("notebooks['03-convergence'] = book()", "Claim C1 is pending, though 03-convergence"),
        ("notebooks['10-multiclass'] = book()", "Claim C1 is pending, though 10-multiclass"),
        ("cells[3].metadata = {}", "02-perceptron has 0 cells with the tag claim-P6 instead"),
        ("cells.append(cells[3])", "02-perceptron has 2 cells with the tag claim-P6 instead"),
        ("cells[3].cell_type = 'markdown'", "is a markdown cell, which checks nothing."),
        ("cells[3].id = 'cell-04'", "has the id 'cell-04': set it to 'claim-P6'"),
        ("del cells[:3]", "has no markdown within four cells above it"),
        ("cells[3:3] = [new(k) for k in '1234']", "has no markdown within four cells above it"),
        ("cells[1].metadata['tags'] = ['claim-P60']", "tag claim-P60, but the ledger has no such"),
        ("cells[1].metadata['tags'] = ['claim-C1']", "tag claim-C1, which belongs to 03-conv"),
        (
            "notebooks['00-start-here'].cells.append(cells[3])",
            "00-start-here has the tag claim-P6, which belongs to 02-perceptron.",
        ),
    ],
)
def test_a_broken_ledger_or_notebook_is_noticed(
    small: tuple[list[Claim], dict[str, NotebookNode]], step: str, complaint: str
) -> None:
    found = broken(small, step)
    assert any(complaint in sentence for sentence in found), found


@pytest.mark.parametrize(
    "source",
    [
        "print(run.weights)",
        "# assert run.converged",
        "'assert run.converged'",
        "assert True",
        "assert 1 + 1 == 2, run.weights",
        "assert (run.converged, 'it ran out')",
        "%timeit pla(X, y)\nassert run.converged",
    ],
)
def test_a_check_must_assert_something_computed(
    small: tuple[list[Claim], dict[str, NotebookNode]], source: str
) -> None:
    found = broken(small, f"cells[3].source = {source!r}")
    assert re.search(r"claim-P6 has (no assert|an assert .* that)", found[0])


def test_a_claim_says_and_checks_what_was_stored(
    small: tuple[list[Claim], dict[str, NotebookNode]],
) -> None:
    steps = {
        "cells[2].source = 'On AND it does not end at (-4, 3, 2).'": "reads otherwise",
        "cells[3].source = 'assert run.weights[0] == -4'": "is checked by otherwise",
        "cells[3].source += '\\nassert run.converged'": "is checked by otherwise",
        "cells[1].source += '\\nassert run.updates == 18';"
        "cells[1].metadata, cells[3].metadata = cells[3].metadata, {};"
        "cells[1].id, cells[3].id = 'claim-P6', 'cell-02'": "reads otherwise",
    }
    for step, complaint in steps.items():
        (found,) = broken(small, step)[:1]
        assert f"Claim P6 in 02-perceptron {complaint} than stored (see the cell tagged" in found
        assert "run `lincourse claims` if that is meant" in found
    assert broken(small, "cells[3].source += ' # as printed'") == []


def test_the_stored_sentences_are_read_back_as_they_are(
    small: tuple[list[Claim], dict[str, NotebookNode]],
) -> None:
    small[1]["02-perceptron"].cells[2].source = 'Said: "α·w", \\ and\n\n**γ ≤ 1**\nfor all.'
    claims = {"P6": "02-perceptron"}
    again = tomllib.loads(as_stored.text(claims, small[1]))
    assert again["P6"]["said"] == "**γ ≤ 1** for all."
    assert list(as_stored.problems(claims, small[1], again)) == []
    assert "not in the ledger" in next(as_stored.problems({}, small[1], again))
    assert "not in sentences.toml" in next(as_stored.problems(claims, small[1], {}))


def test_one_code_cell_may_stand_between_sentence_and_check(
    small: tuple[list[Claim], dict[str, NotebookNode]],
) -> None:
    assert broken(small, "cells.insert(3, new('run.weights'))") == []
