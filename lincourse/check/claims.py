"""How each claim reads in its lecture and what its cell asserts, stored beside the ledger.

    lincourse claims          (or: make ledger)

writes ``notebooks/sentences.toml`` again. Validation compares it with the lectures, so that a
sentence negated, an assert weakened or a tag moved to another cell does not pass unseen: whoever
changes one runs this and reads the difference, sentence and check side by side.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nbformat import NotebookNode

from lincourse.check import asserts
from lincourse.check.outputs import read
from lincourse.files import put
from lincourse.paths import NOTEBOOKS

SENTENCES = NOTEBOOKS / "sentences.toml"
HEAD = """\
# How each claim of claims.toml reads in its lecture, and what the cell below it asserts.
# Written by `make ledger`; read the difference before you commit it.
"""

Entry = dict[str, str]


def entry(notebook: NotebookNode, claim: str) -> Entry | None:
    """Return how a claim reads and what is asserted of it; None without just one such cell."""
    tag = f"claim-{claim}"
    found = [k for k, cell in enumerate(notebook.cells) if tag in cell.metadata.get("tags", [])]
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
            yield f"Claim {name} is not in sentences.toml: run `make ledger`."
            continue
        for key, what in (("said", "reads"), ("checked", "is checked by")):
            old, new = stored[name].get(key, ""), now[key]
            if old != new:
                yield (
                    f"Claim {name} in {place} {what} otherwise than stored: run `make ledger` if "
                    f"that is meant, and read the difference.\n  stored: {old}\n  now:    {new}"
                )
    for name in sorted(stored.keys() - claims.keys()):
        yield f"Claim {name} is in sentences.toml but not in the ledger: run `make ledger`."


def load(path: Path = SENTENCES) -> dict[str, Entry]:
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
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args(arguments)
    ledger = tomllib.loads((NOTEBOOKS / "claims.toml").read_text(encoding="utf-8"))["claim"]
    claims = {claim["id"]: claim["notebook"] for claim in ledger if not claim.get("pending")}
    notebooks = {path.stem: read(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
    before, stored = load(), text(claims, notebooks)
    put(SENTENCES, stored)
    changed = [name for name, found in load().items() if before.get(name) != found]
    print(f"{len(claims)} claims; changed: {', '.join(changed) or 'none'}")
    return 0
