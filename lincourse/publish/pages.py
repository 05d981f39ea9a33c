"""Notebooks as pages of the site: MyST text, made from what is stored."""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from typing import Any

from docutils.nodes import make_id

from lincourse import markup
from lincourse.publish import crosslinks, recordings
from lincourse.publish.lectures import Cell, Lecture, Question, answer_first, html_of, text_of
from linlib.notebook import exercises
from linlib.notebook.answers import MIME

FENCE = "```````"
SAID = '<details class="answer said" id="{}-said"><summary>{}</summary>'
IN_WORDS = "Predicted? Show the answer in words"
# A link to a file of the repository that is no notebook: its words stay.
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*(?<!\.ipynb)\)")
NOTEBOOK = re.compile(r'href="([\w./-]+\.ipynb)(?:#cell-id=([\w-]+))?"')  # a link in stored HTML


def directive(name: str, argument: str, body: str, **options: str) -> str:
    """Return a MyST directive."""
    lines = [f":{key.rstrip('_')}: {value}" for key, value in options.items()]
    return "\n".join([f"{FENCE}{{{name}}} {argument}".rstrip(), *lines, body.strip("\n"), FENCE])


def raw(html: str) -> str:
    return directive("raw", "html", html)


def page_of(link: str) -> str:
    """Return the page of the site that a link between notebooks means.

    >>> page_of("../../02-perceptron.ipynb"), page_of("homework/release/hw1/hw1.ipynb")
    ('/lectures/02-perceptron.md', '/homework/hw1.md')
    """
    found = re.fullmatch(r"(?:[\w./-]*/)?(\d\d-[\w-]+|\w+)\.ipynb", link)
    if not found:
        return link
    folder = "lectures" if found[1][:2].isdigit() else "homework"
    return f"/{folder}/{found[1]}.md"


def prose(source: str, root: str) -> str:
    """Return the Markdown of a cell with links that work on the site."""

    def mend(found: re.Match[str]) -> str:
        words, link, mark, anchor = found.groups()
        page = page_of(link)
        if not anchor or page == link:
            return f"[{words}]({page}{mark or ''}{anchor or ''})"
        target = root + page.removeprefix("/").removesuffix(".md") + ".html#" + anchor
        return f'<a href="{target}">{words}</a>'

    source = re.sub(r"\]\(\.\./linlib/(\w+)(/\w+)?\.py\)", r"](/api/linlib.\1.md)", source)
    source = OUTSIDE.sub(r"\1", source)
    return re.sub(r"\[([^\]]*)\]\(([\w./-]+\.ipynb)(?:(#cell-id=|#)([\w-]+))?\)", mend, source)


def page(lecture: Lecture, ledger: dict[str, dict[str, Any]], *, root: str = "../") -> str:
    """Return a notebook as a page: prose, code, outputs, answers folded, explorers to walk in."""
    parts = []
    taken = {make_id(text) for _, _, text in lecture.headings}  # a heading is an anchor already
    asked = {one.cells[0].id: one for one in lecture.questions if one.truths}
    for number, cell in enumerate(lecture.cells):
        if cell.kind == "markdown":
            if number and cell.id not in taken:
                parts.append(raw(f'<span class="anchor" id="{cell.id}"></span>'))
            words = cell.source
            if cell.id in lecture.said:
                answer, words = answer_first(words)
                parts += [
                    raw(SAID.format(cell.id, IN_WORDS)),
                    prose(answer, root),
                    raw("</details>"),
                ]
            parts.append(prose(words, root))
            if not number:
                parts.append(downloads(lecture, root))
            if re.search(r"^## Exercises", cell.source, re.MULTILINE):
                parts += written(lecture, root)
        elif cell.kind == "code":
            if cell.id in asked:
                parts.append(raw(predict(asked[cell.id])))
            parts += code_cell(lecture, cell, ledger, root)
    return "\n\n".join(parts) + "\n"


def written(lecture: Lecture, root: str) -> list[str]:
    """Return the exercises of a lecture that are written in the page; elsewhere they are read."""
    parts = []
    for one in exercises.exercises().values():
        if one.lecture == lecture.slug:
            parts += [
                raw(f'<div class="exercise" data-exercise="{one.id}"><h3>{escape(one.title)}</h3>'),
                prose(one.ask, root),
                raw(f"<pre>{escape(one.start)}</pre></div>"),
            ]
    folder = f"{root}walks/"
    sheet = f'<link rel="stylesheet" href="{folder}exercise.css">'
    return [*parts, raw(sheet + recordings.scripts(folder, "live", "exercise"))] if parts else []


def predict(question: Question) -> str:
    """Return the place where predict.js asks, and what it opens once a prediction is committed."""
    opened = [f"#{cell.id} > details" for cell in question.cells]
    opened += [f"#{question.words.id}-said"] if question.words else []
    facts = json.dumps(question.truths, ensure_ascii=False)
    told = f'data-answers="{escape(facts)}" data-opens="{", ".join(opened)}"'
    return f'<div class="linlib-predict" {told} hidden></div>'


def downloads(lecture: Lecture, root: str) -> str:
    links = [f'<a href="{root}notebooks/{lecture.path.name}" download>Download the notebook</a>']
    if lecture.number.isdigit():
        links.append(f'<a href="{root}slides/{lecture.name}.html">Slides</a>')
    return raw(f'<p class="downloads">{" · ".join(links)}</p>')


def code_cell(
    lecture: Lecture, cell: Cell, ledger: dict[str, dict[str, Any]], root: str
) -> list[str]:
    outputs = [shown for output in cell.outputs for shown in show(lecture, cell, output, root)]
    code = raw(crosslinks.linked(cell.source, names(lecture), root))
    folded = cell.id in lecture.answers
    parts = [f'<div class="cell" id="{cell.id}">']
    if folded:
        parts[0] += '<details class="answer"><summary>Predicted? Show the answer</summary>'
    parts = [raw(parts[0]), code, *outputs]
    if cell.claim in ledger:
        parts.append(raw(verdict(ledger[cell.claim], root)))
    return [*parts, raw("</details></div>" if folded else "</div>")]


@cache
def names(lecture: Lecture) -> dict[str, str]:
    """Return what the whole notebook imports from linlib."""
    code = (cell for cell in lecture.cells if cell.kind == "code")
    return {
        name: whole for cell in code for name, whole in crosslinks.imported(cell.source).items()
    }


def verdict(claim: dict[str, Any], root: str) -> str:
    """Return the line under a claim's cell: what became of it, and what would make it fail."""
    words = f'<a href="{root}claims.html#{claim["id"]}">Claim {claim["id"]}</a>: '
    words += escape(claim["verdict"])
    words += "".join(f". This cell would fail if {escape(edit)}" for edit in claim["edits"][:1])
    return f'<p class="verdict {claim["verdict"].split()[0]}">{words}</p>'


def show(lecture: Lecture, cell: Cell, output: dict[str, Any], root: str) -> list[str]:
    """Return one output: a walk, a picture, a table, an answer or text."""
    if figure := lecture.figure(cell, output):
        source = f"{root}figures/{figure.name}.png"
        size = (figure.width, figure.height)
        image = markup.picture(source, figure.alt, *size, loading="lazy")
        name, folder = recordings.name_of(lecture, cell), f"{root}walks/"
        if name:
            image = recordings.styles(folder) + recordings.box(name, image, folder)
        return [raw(f'<div class="output">{image}</div>')]
    data = output.get("data", {})
    if html := html_of(output):
        html = NOTEBOOK.sub(lambda found: f'href="{address(found, root)}"', html)
        return [raw(f'<div class="output">{tables(html)}</div>')]
    if MIME in data:
        ask, truth = (escape(data[MIME][part]) for part in ("ask", "truth"))
        return [raw(f'<p class="output truth">{ask} <strong>{truth}</strong></p>')]
    words = text_of(output)
    return [directive("code-block", "text", words, class_="output")] if words.strip() else []


def address(found: re.Match[str], root: str) -> str:
    """Return where a link of stored HTML to a notebook or one of its cells leads on the site."""
    page = root + page_of(found[1]).removeprefix("/").removesuffix(".md") + ".html"
    return f"{page}#{found[2]}" if found[2] else page


def tables(html: str) -> str:
    """Return stored HTML with every table in a frame of its own."""
    return re.sub(r"<table>.*?</table>", lambda found: markup.table(found[0]), html, flags=re.S)
