"""The form of a stored notebook: nothing hidden, nothing from outside, plain code."""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from lincourse.check import asserts, markdown
from lincourse.check.outputs import PNG, WIDGET, alt_text, has_figure, live_view, runs, tags

# A tag that nobody knows hides something from a reader elsewhere, or is a misspelt one. A course
# that uses another one names it in its settings (notebook_known).
TAGS = {
    "answer",  # answers a "Predict first": its outputs are folded, and validated as ever
    "hide-input",  # slides leave its code off, lab and site fold it until somebody asks
}
HIDING = {"collapsed", "hide_input", "hide_output", "jupyter"}  # metadata that folds a cell
FOLDED = {"outputs_hidden": True}  # how JupyterLab is told to fold the outputs of an answer
MIMES = re.compile(rf"text/(plain|html|latex)|{PNG}|application/vnd\..+\+json")


class Rules(NamedTuple):
    """What a course may ask besides; 0 asks for nothing."""

    lines: int = 0  # a code cell has at most so many
    alt: int = 0  # a figure's alt text has at least so many characters
    known: frozenset[str] = frozenset()  # further tags that hide nothing


def form_problems(notebook: NotebookNode, folder: Path, rules: Rules) -> list[str]:
    """Return one sentence for each thing about the stored file that must not be.

    Links are followed from ``folder``, where the notebook lies.
    """
    problems = list(notebook_problems(notebook))
    count = 0
    for cell in notebook.cells:
        count += runs(cell)
        place = f"cell {count}" if runs(cell) else f"the {cell.cell_type} cell after cell {count}"
        found = [metadata_problems(cell, rules)]
        if runs(cell):
            found += [code_problems(cell, rules), asserts.vacuous(cell.source)]
            pages = (output.get("data", {}).get("text/html", "") for output in cell.outputs)
            found += [markdown.page_problems(page, notebook, folder) for page in pages]
        if cell.cell_type == "markdown":
            found += [markdown.problems(cell.source, notebook, folder)]
        problems += [f"{place} {problem}" for problem in itertools.chain(*found)]
    return problems


def notebook_problems(notebook: NotebookNode) -> Iterator[str]:
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    if kernel != "python3":
        yield f"the kernel is named {kernel!r} instead of 'python3': run `lincourse refresh`."
    for name, times in Counter(cell.get("id") for cell in notebook.cells).items():
        if times > 1:
            yield f"{times} cells have the id {name!r}: run `lincourse refresh`."


def metadata_problems(cell: NotebookNode, rules: Rules) -> Iterator[str]:
    for tag in tags(cell):
        claims = tag.startswith("claim-") and cell.cell_type == "code"
        if not claims and tag not in TAGS | rules.known:
            yield (
                f"has the tag {tag!r}, which nobody here knows: mend or remove it, or name it in "
                "the setting notebook_known."
            )
    folds = cell.cell_type == "code" and "answer" in tags(cell)
    if folds and cell.metadata.get("jupyter") != FOLDED:
        yield "answers a prediction and is not folded: run `lincourse refresh`."
    for key in sorted(HIDING & cell.metadata.keys() - ({"jupyter"} if folds else set())):
        yield f"has the metadata {key!r}, which may hide it or its outputs: remove that entry."
    if cell.cell_type == "raw":
        yield "is raw: nothing checks it. Make it markdown or code."
    if cell.get("outputs") and not runs(cell):
        yield "is empty but has stored outputs: delete the cell."
    if cell.get("attachments"):
        yield "has an attachment: let a cell draw the picture instead."


def code_problems(cell: NotebookNode, rules: Rules) -> Iterator[str]:
    lines = cell.source.rstrip().splitlines()
    if len(lines) > rules.lines > 0:
        yield f"has {len(lines)} lines, more than {rules.lines}: split it, or use a module."
    try:
        ast.parse(cell.source)
    except SyntaxError:
        yield "is not plain Python (a magic command?): only plain Python can be checked."
    if re.search(r"\b(clear_output|update_display)\(", cell.source):
        yield "clears or changes what was shown, which no stored output can tell."
    for output in cell.outputs:  # what comparing with a run would not show
        data = output.get("data", {})
        for mime in sorted(mime for mime in data if not MIMES.fullmatch(mime)):
            yield f"has an output of the kind {mime}: show text or a PNG with its alt text."
        if has_figure(output) and len(alt_text(output)) < rules.alt:
            yield (
                f"has a figure whose alt text ({alt_text(output)!r}) is shorter than "
                f"{rules.alt} characters: state the figure's conclusion."
            )
        if live_view(output):
            yield "stores the live view of an explorer, not a still: run `lincourse refresh`."
        if WIDGET in data and "Output(" in data.get("text/plain", ""):
            yield "shows an Output widget, whose content cannot be compared: display it directly."
