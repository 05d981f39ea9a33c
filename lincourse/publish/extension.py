"""What Sphinx needs for all pages: formulas, folds, frames, summaries of search results."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from lincourse import markup

LINK = re.compile(r"</?[as]\b[^>]*>")  # links, and what is struck out
SAID = (nodes.title, nodes.paragraph, nodes.term, addnodes.desc_signature)
NAMESPACE = 'xmlns="http://www.w3.org/1998/Math/MathML"'
# Files forbid to fetch a page for the summary of a result: the text of all pages is a script.
TEXTS: dict[str, str] = {}


class Fold(nodes.General, nodes.Element):  # type: ignore[misc]
    """What opens when its ``summary`` is pressed."""


class Box(nodes.General, nodes.Element):  # type: ignore[misc]
    """A frame around what belongs together; one that ``scrolls`` is reached with the keyboard."""


def visit_fold(translator: HTML5Translator, node: Fold) -> None:
    translator.body.append(translator.starttag(node, "details", ""))
    translator.body.append(f"<summary>{escape(node['summary'])}</summary>\n")


def depart_fold(translator: HTML5Translator, node: Fold) -> None:
    translator.body.append("</details>\n")


def visit_box(translator: HTML5Translator, node: Box) -> None:
    reached = {"tabindex": "0"} if node.get("scrolls") else {}
    translator.body.append(translator.starttag(node, "div", "", **reached))


def depart_box(translator: HTML5Translator, node: Box) -> None:
    translator.body.append("</div>\n")


def formula(translator: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    display = isinstance(node, nodes.math_block)
    made = markup.set_formula(node.astext(), display=display)
    translator.body.append(markup.scrollable(made) if display else made)
    raise nodes.SkipNode


def set_apart(app: Sphinx, doctree: nodes.document) -> None:
    """Give quotations their standing, and wide tables a frame that can be scrolled."""
    for quotation in doctree.findall(nodes.block_quote):
        strong = next(iter(quotation.findall(nodes.strong)), None)
        if strong is not None and quotation.astext().startswith(strong.astext()):
            kind = markup.standing(strong.astext())
            quotation["classes"] += [kind] if kind else []
    for table in list(doctree.findall(nodes.table)):
        frame = Box("", classes=["table"], scrolls=True)
        table.replace_self(frame)
        frame += table


def finish(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Mend what the theme and docutils leave for readers who do not see the page."""
    body = context.get("body")
    if not body:
        return
    body = body.replace('<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">')
    if app.builder.name == "epub":
        body = body.replace("<math", f"<math {NAMESPACE}")
    context["body"] = markup.heads(body)


def set_name_apart(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Give the title of a lecture, a question and a name, a line for each."""
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is None:
        return
    question, mark, name = title.astext().partition("? ")
    if mark and " · " in question:  # a lecture has a number, a question and a name
        title.children = [nodes.Text(f"{question}? "), nodes.inline("", name, classes=["name"])]


def keep_text(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Keep the words of a page, by what a result may lead to: a section, a term of the glossary."""
    found = {}
    for section in doctree.findall(nodes.section):
        parts = [one for one in section.children if not isinstance(one, nodes.section)]
        found[section["ids"][0]] = spoken(parts)
    for item in doctree.findall(nodes.definition_list_item):
        found |= {id: spoken([item]) for term in item.findall(nodes.term) for id in term["ids"]}
    TEXTS[page] = "".join(f'<p id="{id}">{escape(words)}</p>' for id, words in found.items())


def spoken(parts: list[nodes.Node]) -> str:
    said = (one for part in parts for one in part.findall(nodes.TextElement))
    words = " ".join(one.astext() for one in said if isinstance(one, SAID))
    return markup.plain(LINK.sub("", words))


def write_texts(app: Sphinx, problem: Exception | None) -> None:
    if not problem and app.builder.name == "html":
        texts = json.dumps(dict(sorted(TEXTS.items())), ensure_ascii=False)
        (app.outdir / "_static" / "texts.js").write_text(f"linlibTexts({texts});\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    app.add_node(Fold, html=(visit_fold, depart_fold))
    app.add_node(Box, html=(visit_box, depart_box))
    sheets = app.registry.css_files
    sheets[:] = [sheet for sheet in sheets if not sheet[0].startswith("mystnb.")]  # we have our own
    app.connect("doctree-read", set_apart)
    app.connect("doctree-resolved", set_name_apart)
    app.connect("html-page-context", finish)
    app.connect("doctree-resolved", keep_text)
    app.connect("build-finished", write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
