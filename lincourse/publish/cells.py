"""What a cell has put out, as HTML: pages, slides and the book show the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape

from lincourse import markup
from lincourse.paths import ROOT
from lincourse.publish import derivations, recordings
from lincourse.publish.lectures import Cell, Figure, Lecture
from lincourse.publish.links import Link, relinked
from linlib.notebook.answers import MIME

# The form for predictions is JupyterLab's too.
PREDICT_JS = ROOT / "lincourse/lab/data/share/jupyter/labextensions/linlib-lab/static/predict.js"


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
            elif derivations.is_derivation(html := data.get("text/html", "")):
                yield self.derivation(cell, html)
            elif html:
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

    def derivation(self, cell: Cell, html: str) -> str:
        """Return a derivation, and where scripts are, with fields for lines that are blank."""
        html = derivations.typeset(html)
        if not (self.root and derivations.is_blank(html)):
            return html
        source = recordings.program(self.lecture, cell)
        return derivations.box(html, source, f"{self.root}walks/")

    def figure(self, cell: Cell, figure: Figure) -> str:
        """Return a picture, or the explorer that it is a picture of."""
        source = f"{self.root}figures/{figure.name}.png"
        image = markup.picture(source, figure.alt, figure.width, figure.height, loading="lazy")
        name, folder = recordings.name_of(self.lecture, cell), f"{self.root}walks/"
        return recordings.box(name, image, folder) if name else image
