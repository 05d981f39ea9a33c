"""The pages that list things: the field's words, the library's modules."""

from __future__ import annotations

import importlib
import pkgutil
import re
from types import ModuleType
from typing import NamedTuple

import linlib
from lincourse.paths import PAGES
from lincourse.publish.claims_pages import filled
from lincourse.publish.lectures import Lecture
from lincourse.publish.links import Link, relinked

SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z*(\[$])|\n\n+(?:- |\d\. )?|\n- |\n\d\. ")

FORMULA = re.compile(r"\s*\$\$[^$]+\$\$")
# The head of a lecture and its tables name words that it introduces elsewhere.
NAMED = re.compile(
    r"^\*(?:Lecture|Start) .*$|^\*\*After it you can[\s\S]*?(?=\*\*You)|^\*\*Symbols.*$|^\|.*$",
    re.MULTILINE,
)


class Entry(NamedTuple):
    """A word of the field: its names, and the sentence of a cell that introduces it."""

    names: list[str]
    lecture: Lecture
    cell: str
    sentence: str


def words(course: list[Lecture]) -> list[Entry]:
    """Return the words of ``words.txt``, each where a lecture first sets it apart.

    Else where a heading has it, else where it first occurs.
    """
    listed = (PAGES / "words.txt").read_text("utf-8").splitlines()
    return [entry(line.split(", "), course) for line in listed if line and line[0] != "#"]


def entry(names: list[str], course: list[Lecture]) -> Entry:
    said = r"\b(?:" + "|".join(re.escape(name).replace(r"\ ", "[ -]") for name in names) + ")"
    apart = rf"^[^#\n].*\*{said}\w*"
    for how in (rf"{apart}\*", rf"{apart} \w+\*", rf"^#.*{said}", said):
        for one in course:
            for cell in (cell for cell in one.cells if cell.kind == "markdown"):
                source = NAMED.sub("", cell.source).replace("$k$-", "k-")
                found = re.search(how, source, re.IGNORECASE | re.MULTILINE)
                if found:
                    return Entry(names, one, cell.id, sentence(source, found.end() - 1))
    raise ValueError(f"words.txt: no lecture says {names[0]!r}; take it out or say it.")


def sentence(source: str, at: int) -> str:
    """Return the sentence around a place; a heading has the sentence after it.

    >>> sentence("So. This is the **margin**. And on.", 18)
    'This is the **margin**.'
    """
    if source.startswith("#", source.rfind("\n", 0, at) + 1):
        at = len(source) - len(source[source.find("\n", at) :].lstrip())
    cuts = [(0, 0), *(found.span() for found in SENTENCE.finditer(source))]
    begin = max(end for _, end in cuts if end <= at)
    end = min((start for start, _ in cuts if start > at), default=len(source))
    formula = FORMULA.match(source, end) if source[end - 1] not in ".?!;" else None
    return source[begin : formula.end() if formula else end].strip()


def words_page(course: list[Lecture], link: Link) -> str:
    """Return the index of words as a glossary: what the lecture says where it introduces each."""
    return filled("words.md.jinja", words=words(course), link=link, relinked=relinked)


def library() -> dict[str, str]:
    """Return a page for each part of linlib: of what it re-exports, or of all its modules."""
    parts = {name: importlib.import_module(name) for name in ["linlib", *submodules(linlib)]}
    made = {"api/index.md": filled("api/index.md.jinja", parts=parts)}
    for name, part in parts.items():
        exports = hasattr(part, "__all__")
        modules = [name] if exports else [name, *submodules(part)]
        page = filled("api/part.md.jinja", exports=exports, modules=modules)
        made[f"api/{name}.md"] = page
    return made


def submodules(module: ModuleType) -> list[str]:
    """Return the names of the modules inside a package; a plain module has none."""
    found = pkgutil.iter_modules(getattr(module, "__path__", []))
    return [f"{module.__name__}.{one.name}" for one in found if not one.name.startswith("_")]
