"""Lays a student's answers on the template, so that what worked in JupyterLab works when graded.

Nothing of a submission is taken on trust: given cells are the template's, whatever became of them.
The student's answers stand in their places, the student's own cells between them. A given cell
that was changed is run as the student left it, and then as it was given; a changed test is not run.
Whatever was replaced is noted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

CellDict = dict[str, Any]
FEWEST = 3  # labels or given texts by which a homework is recognised


class UngradableError(Exception):
    """A submission that cannot be graded, and why, in a sentence its student can act on."""


def is_answer(cell: CellDict) -> bool:
    return bool(cell["solution"])


def is_test(cell: CellDict) -> bool:
    """Whether this is a cell of tests that carry points."""
    return bool(cell["grade"] and not cell["solution"])


def answers_of(cells: list[CellDict]) -> dict[str, str]:
    """Return what was answered to each question; an answer in several cells is one."""
    found: dict[str, str] = {}
    for cell in filter(is_answer, cells):
        label = cell["id"].partition("-part-")[0]
        found[label] = f"{found.get(label, '')}\n\n{cell['source']}".strip()
    return found


def given_sources(template: list[CellDict]) -> set[str]:
    return {cell["source"].strip() for cell in template if not is_answer(cell)}


def merge_with_template(
    cells: list[CellDict],
    template: list[CellDict],
    names: Mapping[str, str],
    others: Mapping[str, set[str]],
) -> tuple[list[CellDict], list[str]]:
    """Return the cells to be run and shown, and notes on what a person should look at.

    ``names`` tells which function an answer defines: by it an answer is recognised whose labels
    were lost on the way. ``others`` holds the given texts of every other homework.
    """
    sources = {cell["source"].strip() for cell in cells}
    shared = len(sources & given_sources(template))
    closest = max(others, key=lambda name: len(sources & others[name]), default="")
    if closest and len(sources & others[closest]) > shared:
        raise UngradableError(f"it is {closest}, another homework: hand in this one's notebook.")
    place = matched(cells, template, names)
    answers = {cell["id"] for cell in template if is_answer(cell)}
    known = shared + sum(cell["label"] == place.get(k) is not None for k, cell in enumerate(cells))
    if not answers & set(place.values()) or known < FEWEST:
        raise UngradableError(
            "the given cells of this homework are not in it: is it a lecture or another notebook?"
        )
    late = after_their_tests(place, answers)
    extras = between(cells, place, late)
    notes: list[str] = []
    result = extras["0"]
    for cell in template:
        label = cell["id"]
        mine = [own for k, own in enumerate(cells) if place.get(k) == label and k not in late]
        result += placed(cell, mine, notes) + extras[label]
    return result, notes


def placed(cell: CellDict, mine: list[CellDict], notes: list[str]) -> list[CellDict]:
    """Return what is run in the place of one cell of the template."""
    label, given = cell["id"], cell["source"].strip()
    changed = [own for own in mine if own["source"].strip() != given]
    if is_answer(cell):
        return answered(cell, mine, changed, notes)
    if not changed or cell["type"] != "code":
        return [cell]
    if is_test(cell):
        notes.append(f"{label}: these tests were changed; the given ones were run instead.")
        return [cell]
    notes.append(f"{label}: this given cell was changed; yours was run, then the given one.")
    first = [own_cell(own, f"own-{label}-before-{k}") for k, own in enumerate(changed)]
    return [*first, cell]


def answered(
    cell: CellDict, mine: list[CellDict], changed: list[CellDict], notes: list[str]
) -> list[CellDict]:
    """Return an answer; one that was split or copied is run whole, first cell to last."""
    label = cell["id"]
    if not mine:
        notes.append(f"{label}: the answer cell is missing.")
        return [{**cell, "source": ""}] if cell["type"] == "code" else [cell]
    if any(own["type"] != cell["type"] for own in mine):
        notes.append(f"{label}: the answer cell was turned into another type of cell.")
    if len({own["source"] for own in changed}) > 1:
        notes.append(
            f"{label}: there are {len(changed)} different answer cells; all were run in order."
        )
    if not changed:
        return [cell]
    if cell["type"] == "markdown":
        text = "\n\n".join(dict.fromkeys(own["source"] for own in changed))
        pictures = {name: data for own in changed for name, data in own["attachments"].items()}
        return [{**cell, "source": text, "attachments": pictures}]
    first = [
        {**cell, "source": own["source"], "id": f"{label}-part-{k + 1}"}
        for k, own in enumerate(changed[:-1])
    ]
    return [*first, {**cell, "source": changed[-1]["source"]}]


def matched(
    cells: list[CellDict], template: list[CellDict], names: Mapping[str, str]
) -> dict[int, str]:
    """Return which template cell each cell is, by its position; own cells are left out."""
    known = {cell["id"] for cell in template}
    place = {k: cell["label"] for k, cell in enumerate(cells) if cell["label"] in known}
    sources = {cell["source"].strip(): cell["id"] for cell in template if not is_answer(cell)}
    missing = known
    for k, cell in enumerate(cells):
        missing = known - set(place.values())
        if k in place:
            continue
        if cell["id"] in missing:
            place[k] = cell["id"]
        elif cell["source"].strip() in sources:
            place[k] = sources[cell["source"].strip()]
        else:
            named = [q for q, name in names.items() if q in missing and defines(cell, name)]
            if named:
                place[k] = named[0]
    # A written answer has no name: it is the first text after the cell it follows in the template.
    for before, answer in pairwise(template):
        if answer["type"] == "markdown" and is_answer(answer) and answer["id"] in missing:
            k = next((k for k, label in place.items() if label == before["id"]), len(cells))
            after = cells[k + 1] if k + 1 < len(cells) and k + 1 not in place else None
            if after and after["type"] == "markdown":
                place[k + 1] = answer["id"]
    return place


def defines(cell: CellDict, name: str) -> bool:
    pattern = rf"^(def {re.escape(name)}\b|{re.escape(name)}\s*=)"
    return cell["type"] == "code" and re.search(pattern, cell["source"], re.M) is not None


def after_their_tests(place: dict[int, str], answers: set[str]) -> set[int]:
    """Return copies of an answer that stand below its tests: there they ran in JupyterLab, too."""
    late = set()
    for label in answers:
        tests = [k for k, where in place.items() if where == f"{label}-tests"]
        copies = [k for k, where in place.items() if where == label]
        above = [k for k in copies if tests and k < min(tests)]
        late |= {k for k in copies if above and k > min(tests)}
    return late


def between(
    cells: list[CellDict], place: dict[int, str], late: set[int]
) -> dict[str, list[CellDict]]:
    """Return the student's own cells by the template cell they follow; "0" is the start."""
    extras: dict[str, list[CellDict]] = defaultdict(list)
    after = "0"
    for k, cell in enumerate(cells):
        if k in place and k not in late:
            after = place[k]
        elif cell["type"] in ("code", "markdown") and cell["source"].strip():
            extras[after].append(own_cell(cell, f"own-{after}-{len(extras[after])}"))
    return extras


def own_cell(cell: CellDict, identity: str) -> CellDict:
    kind = "code" if cell["type"] == "code" else "markdown"
    return {
        "id": identity[:64],
        "type": kind,
        "source": cell["source"],
        "attachments": cell["attachments"] if kind == "markdown" else {},
        "grade": False,
        "solution": False,
        "points": 0,
    }
