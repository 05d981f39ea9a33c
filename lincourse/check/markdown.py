"""What is written in markdown: links that lead somewhere, formulas that parse, no HTML."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from nbformat import NotebookNode

from lincourse.check.outputs import read
from lincourse.markup import set_formula

CODE = re.compile(r"```.*?```|~~~.*?~~~|(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
MATH = re.compile(r"(?<!\\)\$\$(.*?)(?<!\\)\$\$|(?<!\\)\$(?!\$)(.*?)(?<!\\)\$", re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(\s*<?([^)\s>]*)>?[^)]*\)")
HTML = re.compile(r"<(?!https?://)[A-Za-z/!?][^>]*>?|&#?\w+;|javascript:", re.IGNORECASE)
ACTIVE = re.compile(
    r"<\s*/?\s*(script|iframe|object|embed|link|img|svg|form|input|meta|base|video|audio)\b"
    r"|\bon\w+\s*=|javascript:|\bsrc\s*=|url\(|display\s*:\s*none|visibility\s*:\s*hidden|<[^>]*\shidden\b",
    re.IGNORECASE,
)
HEADER = re.compile(r"^\|(.*)\|[ \t]*\n\|[ :|-]+\|[ \t]*$", re.MULTILINE)  # of a table
OUTSIDE = re.compile(r"^([a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
BASELESS = re.compile(r"<(msup|msub|msubsup)><m(row|i)(/>|></)")


def problems(source: str, notebook: NotebookNode, folder: Path) -> Iterator[str]:
    """Yield one sentence for each thing that a markdown cell must not have."""
    text = CODE.sub(blank, source)
    formulas = [part.group(1) or part.group(2) or "" for part in MATH.finditer(text)]
    words = MATH.sub(blank, text)
    if re.search(r"(?<!\\)\$", words):
        yield "has a $ without its partner, so that a formula is not shown as one."
    for formula in formulas:
        if reason := why_broken(formula):
            yield f"has a formula that cannot be read ({reason}): ${formula.strip()[:60]}$"
    for found in HTML.finditer(words):
        yield f"has HTML in its text ({found.group()[:40]!r}): write markdown."
    for header in HEADER.findall(source):
        if not all(cell.strip() for cell in header.split("|")):
            yield "has a table with a column without a name: a screen reader needs one."
    for image, label, target in LINK.findall(words):
        if image:
            yield f"shows the picture {target!r}: let a cell draw it, so that it can be compared."
        else:
            yield from link_problems(target, label, notebook, folder)


def blank(found: re.Match[str]) -> str:
    return re.sub(r"\S", " ", found.group())


def page_problems(html: str, notebook: NotebookNode, folder: Path) -> Iterator[str]:
    """Yield a sentence if stored HTML could act, fetch or hide something, or leads nowhere."""
    for target in re.findall(r"href\s*=\s*[\"']?([^\"'\s>]+)", html):
        yield from link_problems(target, "", notebook, folder)
    if re.search(r"<th[^>]*>\s*</th>", html):
        yield "shows a table with a column without a name: a screen reader needs one."
    found = ACTIVE.search(html)
    if found:
        yield f"has an HTML output with {found.group()!r}, which acts, fetches or hides."


# ---------------------------------------------------------------- formulas


def why_broken(formula: str) -> str | None:
    """Return what is wrong with a formula in LaTeX, or None."""
    if not formula.strip():
        return "it is empty"
    if len(re.findall(r"\\bigl\b", formula)) != len(re.findall(r"\\bigr\b", formula)):
        return r"\bigl and \bigr do not match"
    try:
        shown = set_formula(formula)
    except ValueError as error:
        return str(error).rpartition(": ")[2].rstrip(".")
    return "a part of it is missing" if BASELESS.search(shown) else None


# ---------------------------------------------------------------- links


def link_problems(target: str, label: str, notebook: NotebookNode, folder: Path) -> Iterator[str]:
    file, _, anchor = target.partition("#")
    if not target:
        yield f"has a link {label!r} that leads nowhere."
    elif OUTSIDE.match(target):
        if not target.lower().startswith(("https://", "http://", "mailto:")):
            yield f"has a link to {target!r}, which is no page."
    else:
        path = folder / unquote(file)
        if not path.exists():
            yield f"has a link to {file!r}, which does not exist."
            return
        if re.fullmatch(r"\d\d", label) and not path.name.startswith(label):
            yield f"has a link that says {label} and leads to {file!r}."
        inside = anchors_of(path) if file else set(anchors(notebook))
        if anchor and inside is not None and unquote(anchor) not in inside:
            yield f"has a link to {target!r}: there is no such heading or cell."


@functools.lru_cache(maxsize=32)
def anchors_of(path: Path) -> set[str] | None:
    if path.suffix != ".ipynb":
        return None
    return set(anchors(read(path)))


def anchors(notebook: NotebookNode) -> Iterator[str]:
    """Yield what a link may name: headings as JupyterLab writes them, and cells by their id."""
    for cell in notebook.cells:
        yield f"cell-id={cell.get('id')}"
        yield str(cell.get("id"))
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^#{1,6} +(.+?) *#*$", cell.source, re.MULTILINE):
                yield heading.replace(" ", "-")
