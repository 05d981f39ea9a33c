"""A cell as HTML: what site, slides and book show of it, and where its links lead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import escape

from lincourse import markup
from lincourse.paths import ROOT
from lincourse.publish import recordings
from lincourse.publish.lectures import Cell, Figure, Lecture
from linlib.notebook.answers import MIME

# From the name of a notebook, and of one of its cells or "", to an address; empty: the words stay.
Link = Callable[[str, str], str]
# The form for predictions is JupyterLab's too.
PREDICT_JS = ROOT / "lincourse/lab/data/share/jupyter/labextensions/linlib-lab/static/predict.js"
NOTEBOOK = re.compile(r"(?:[\w./-]*/)?([\w-]+)\.ipynb(?:#(?:cell-id=)?([\w-]+))?")
MARKDOWN_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#|/)([^)\s]+)\)")
HTML_LINK = re.compile(r'<a href="(?!https?:|#)([^"]+)">(.*?)</a>', re.DOTALL)


def relinked(source: str, link: Link) -> str:
    """Return Markdown or HTML whose links between notebooks lead where ``link`` says.

    >>> relinked("[a](../02-no.ipynb#cell-id=c), [b](../LICENSE)", lambda name, id: f"{name}#{id}")
    '<a href="02-no#c">a</a>, b'
    """

    def mend(target: str, words: str) -> str:
        found = NOTEBOOK.fullmatch(target)
        address = link(found[1], found[2] or "") if found else ""
        return f'<a href="{address}">{words}</a>' if address else words

    source = HTML_LINK.sub(lambda found: mend(found[1], found[2]), source)
    return MARKDOWN_LINK.sub(lambda found: mend(found[2], found[1]), source)


class Renderer:
    """The cells of one lecture as HTML; ``root`` leads to the folders of figures and walks."""

    def __init__(self, lecture: Lecture, root: str, link: Link) -> None:
        self.lecture, self.root, self.link = lecture, root, link
        self.asked = {one.cells[0].id: one.truths for one in lecture.questions if one.truths}

    def form(self, cell: Cell) -> str:
        """Return where predict.js asks before a cell answers, and what a prediction opens."""
        facts = escape(json.dumps(self.asked.get(cell.id), ensure_ascii=False))
        opens = f'data-opens="#answer-{cell.id}" hidden'
        form = f'<div class="linlib-predict" data-answers="{facts}" {opens}></div>'
        return form if cell.id in self.asked else ""

    def outputs(self, cell: Cell) -> Iterator[str]:
        """Yield what a cell has put out, piece by piece."""
        figures = iter(self.lecture.figures(cell))
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                yield self.figure(cell, next(figures))
            elif html := data.get("text/html"):
                html = relinked(html.replace("<br>", "<br/>"), self.link)
                yield re.sub(
                    r"<table>.*?</table>", lambda found: markup.table(found[0]), html, flags=re.S
                )
            elif answer := data.get(MIME):
                ask, truth = escape(answer["ask"]), escape(answer["truth"])
                yield f'<p class="truth">{ask} <strong>{truth}</strong></p>'
            else:
                words = (output.get("text") or data.get("text/plain", "")).rstrip()
                yield f'<pre class="printed" tabindex="0">{escape(words)}</pre>' if words else ""

    def figure(self, cell: Cell, figure: Figure) -> str:
        """Return a picture, or the explorer that it is a picture of."""
        source = f"{self.root}figures/{figure.name}.png"
        image = markup.picture(source, figure.alt, figure.width, figure.height, loading="lazy")
        name, folder = recordings.name_of(self.lecture, cell), f"{self.root}walks/"
        return recordings.box(name, image, folder) if name else image
