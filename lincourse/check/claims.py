"""What lectures assert in words, stored beside the ledger of claims.

    lincourse claims [--folder notebooks]          (or: make ledger)

writes ``sentences.toml`` beside ``claims.toml`` again: for each cell what must not change unread.
That is every claim and what its cell asserts, theorems and formulas, takeaways, what is said after
a prediction, the words and alt texts of figures, and the heads of tables. Validation compares it
with the lectures, and `lincourse refresh` leaves it as it is: whoever changes such a sentence runs
this and reads the difference.
"""

from __future__ import annotations

import ast
import difflib
import functools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from lincourse.check import asserts, command, stored
from lincourse.check.markdown import MATH
from lincourse.check.outputs import alt_text, has_figure, read, tags, words
from lincourse.files import put

LEDGER, SENTENCES = "claims.toml", "sentences.toml"
HEAD = """\
# What the lectures assert in words, by cell: claims and what their cells assert, theorems and
# formulas, takeaways, answers to predictions, words of figures and heads of tables.
# Written by `lincourse claims`; read the difference before you commit it.
"""
RELATION = re.compile(r"=|<|>|\\(?:[lg]eq?|neq?|in|to|propto|approx|equiv|implies|iff)\b")
TAKEAWAY = re.compile(r"#+ .*take[- ]?aways?\b", re.IGNORECASE)

Sentences = dict[str, list[str]]  # by the id of a cell


@functools.lru_cache(maxsize=4)
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


# ---------------------------------------------------------------- what must not change unread


def sentences(notebook: NotebookNode) -> Sentences:
    """Return by cell, line by line, what must not change unread."""
    found: Sentences = {}
    answered, above = False, NotebookNode(id="", source="")
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            found[cell.id], above = list(weighty(cell.source, answered)), cell
        elif cell.cell_type == "code":
            found[cell.id] = [line for output in cell.outputs for line in labels(output)]
            if claimed(cell):
                tests = [ast.unparse(node.test) for node in asserts.asserts(cell.source)]
                found[cell.id] += [f"claim-{name}" for name in claimed(cell)] + tests
                found[above.id] = found.get(above.id) or paragraphs(above.source)[-1:]
        answered = cell.cell_type == "code" and (answered or "answer" in tags(cell))
    return {cell: lines for cell, lines in found.items() if lines}


def paragraphs(source: str) -> list[str]:
    parts = (re.sub(r"\s+", " ", part).strip() for part in re.split(r"\n\s*\n", source))
    return [part for part in parts if part]


def weighty(source: str, answered: bool) -> Iterator[str]:
    """Yield the quotations and takeaways of a text, its first paragraph if it tells an answer.

    Of all other paragraphs the formulas that relate one thing to another.
    """
    takeaway = False
    for part in paragraphs(source):
        if part.startswith("#"):
            takeaway = bool(TAKEAWAY.match(part))
        if takeaway or answered or part.startswith(">"):
            yield part
        else:
            formulas = (found[1] or found[2] or "" for found in MATH.finditer(part))
            yield from filter(RELATION.search, formulas)
        answered = False


def labels(output: NotebookNode) -> Iterator[str]:
    """Yield alt text and words of a drawn figure, numbers left out, or the heads of a table."""
    if output.output_type == "display_data" and has_figure(output):
        yield alt_text(output)
        yield " · ".join(word for word in words(output) if re.search(r"[^\W\d]", word))
    heads = re.findall(r"<th[^>]*>(.*?)</th>", output.get("data", {}).get("text/html", ""))
    yield from [" | ".join(heads)] if heads else []


# ---------------------------------------------------------------- stored and compared


def notebook_problems(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Yield a sentence for each way in which a notebook and the files beside it disagree."""
    here = {name for name, place in places(path.parent).items() if place == path.stem}
    tagged = Counter(name for cell in notebook.cells for name in claimed(cell))
    for name in sorted(here | tagged.keys()):
        asked = int(name in here)
        if tagged[name] != asked:
            have = f"code cells with the tag claim-{name}: {tagged[name]}"
            yield f"{have}, but {LEDGER} asks for {asked} in this notebook."
    then: Sentences = stored(path.parent / SENTENCES).get(path.stem, {})
    now = sentences(notebook)
    for cell in [*now, *(then.keys() - now.keys())]:
        lines = difflib.ndiff(then.get(cell, []), now.get(cell, []))
        said = {"-": "stored:", "+": "now:   "}
        changed = [f"\n  {said[line[0]]} {line[2:]}" for line in lines if line[0] in said]
        if changed:
            yield (
                f"the cell {cell!r} says otherwise than {SENTENCES} has it: run `lincourse claims` "
                f"if that is meant, and read the difference.{''.join(changed)}"
            )


def text(notebooks: Mapping[str, NotebookNode]) -> str:
    """Return the file anew; a JSON text is a TOML text as well."""
    tables = [HEAD]
    for name, notebook in notebooks.items():
        tables.append(f"\n[{json.dumps(name)}]\n")
        for cell, lines in sentences(notebook).items():
            said = json.dumps(lines, ensure_ascii=False, indent=2)
            tables.append(f"{json.dumps(cell)} = {said}\n")
    return "".join(tables)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command(__doc__, folder="ledger and lectures")
    folder = parser.parse_args(arguments).folder
    try:
        claims = places(folder)
    except ValueError as problem:
        parser.error(str(problem))
    if not claims:
        parser.error(f"{folder} has no {LEDGER} with a claim.")
    notebooks = {path.stem: read(path) for path in sorted(folder.glob("*.ipynb"))}
    put(folder / SENTENCES, text(notebooks))
    print(f"{folder / SENTENCES} is up to date ({len(claims)} claims): read what changed in it.")
    return 0
