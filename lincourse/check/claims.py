"""How each claim reads in its lecture and what its cell asserts, stored beside the ledger.

    lincourse claims [--folder notebooks]          (or: make ledger)

writes ``sentences.toml`` beside ``claims.toml`` again. Validation compares it with the lectures, so
that a sentence negated, an assert weakened or a tag moved to another cell does not pass unseen:
whoever changes one runs this and reads the difference, sentence and check side by side.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from lincourse.check import asserts
from lincourse.check.outputs import read, tags
from lincourse.files import put

LEDGER, SENTENCES = "claims.toml", "sentences.toml"
HEAD = """\
# How each claim of claims.toml reads in its lecture, and what the cell below it asserts.
# Written by `lincourse claims`; read the difference before you commit it.
"""

Entry = dict[str, str]


@functools.lru_cache(maxsize=4)
def ledger(folder: Path) -> list[dict[str, Any]]:
    """Return the claims listed in a folder, none without a ledger."""
    path = folder / LEDGER
    if not path.exists():
        return []
    claims = tomllib.loads(path.read_text(encoding="utf-8")).get("claim", [])
    for claim in claims:
        if not {"id", "notebook"} <= claim.keys():
            raise ValueError(f"{LEDGER}: a claim needs an id and a notebook, {claim} lacks one.")
    return list(claims)


def places(folder: Path) -> dict[str, str]:
    """Return the notebook of each claim."""
    return {claim["id"]: claim["notebook"] for claim in ledger(folder)}


def notebook_problems(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Yield a sentence for each way in which a notebook and the ledger beside it disagree."""
    claims, stored = places(path.parent), load(path.parent)
    here = {name: place for name, place in claims.items() if place == path.stem}
    for name in here:
        if entry(notebook, name) is None:
            yield f"Claim {name} needs exactly one code cell with the tag claim-{name} here."
    for tag in sorted({tag for cell in notebook.cells for tag in tags(cell)}):
        if tag.startswith("claim-") and tag.removeprefix("claim-") not in here:
            yield f"the tag {tag} names a claim that {LEDGER} does not have for this notebook."
    known = {name: stored[name] for name in stored if name in here or name not in claims}
    yield from problems(here, {path.stem: notebook}, known)


def entry(notebook: NotebookNode, claim: str) -> Entry | None:
    """Return how a claim reads and what is asserted of it; None without just one such cell."""
    tag = f"claim-{claim}"
    found = [k for k, cell in enumerate(notebook.cells) if tag in tags(cell)]
    if len(found) != 1:
        return None
    checked = [ast.unparse(node.test) for node in asserts.asserts(notebook.cells[found[0]].source)]
    return {"said": said(notebook, found[0]), "checked": "; ".join(checked)}


def said(notebook: NotebookNode, position: int) -> str:
    """Return the emphasised paragraphs of the text above a cell, or its last if none has bold."""
    texts = (
        cell.source for cell in notebook.cells[:position][::-1] if cell.cell_type == "markdown"
    )
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", next(texts, "")) if part.strip()]
    chosen = [part for part in paragraphs if "**" in part or part.startswith(">")]
    chosen = [part for part in chosen if not part.startswith("**Predict first")]
    return re.sub(r"\s+", " ", " ".join(chosen or paragraphs[-1:]))


def problems(
    claims: Mapping[str, str], notebooks: Mapping[str, NotebookNode], stored: Mapping[str, Entry]
) -> Iterator[str]:
    """Yield a sentence for each claim (by id, with its notebook) that is not as it was stored."""
    for name, place in claims.items():
        now = entry(notebooks[place], name) if place in notebooks else None
        if now is None:
            continue
        if name not in stored:
            yield f"Claim {name} is not in sentences.toml: run `lincourse claims`."
            continue
        for key, what in (("said", "reads"), ("checked", "is checked by")):
            old, new = stored[name].get(key, ""), now[key]
            if old != new:
                yield (
                    f"Claim {name} in {place} {what} otherwise than stored (see the cell tagged "
                    f"claim-{name} and the text above it): run `lincourse claims` if "
                    f"that is meant, and read the difference.\n  stored: {old}\n  now:    {new}"
                )
    for name in sorted(stored.keys() - claims.keys()):
        yield f"Claim {name} is in sentences.toml but not in the ledger: run `lincourse claims`."


def load(folder: Path) -> dict[str, Entry]:
    path = folder / SENTENCES
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def text(claims: Mapping[str, str], notebooks: Mapping[str, NotebookNode]) -> str:
    """Return the file anew; a JSON text is a TOML text as well."""
    tables = [HEAD]
    for name, place in claims.items():
        found = entry(notebooks[place], name)
        if found:
            lines = [f"{key} = {json.dumps(found[key], ensure_ascii=False)}" for key in found]
            tables.append("\n".join([f"[{name}]", *lines]) + "\n")
    return "\n".join(tables)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("notebooks"), help="where they are")
    folder = parser.parse_args(arguments).folder
    try:
        claims = places(folder)
    except ValueError as problem:
        parser.error(str(problem))
    if not claims:
        parser.error(f"{folder} has no {LEDGER} with a claim.")
    notebooks = {path.stem: read(path) for path in sorted(folder.glob("*.ipynb"))}
    lost = sorted(set(claims.values()) - notebooks.keys())
    if lost:
        parser.error(f"{LEDGER} names the notebook {lost[0]!r}, which {folder} does not have.")
    before, stored = load(folder), text(claims, notebooks)
    put(folder / SENTENCES, stored)
    changed = [name for name, found in load(folder).items() if before.get(name) != found]
    print(f"{len(claims)} claims; changed: {', '.join(changed) or 'none'}")
    return 0
