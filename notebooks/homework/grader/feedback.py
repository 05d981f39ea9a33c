"""One page for each student: points, reasons, and the notebook as it ran.

The page is one file, asks no network for anything and runs no script: a policy in its head forbids
both, whatever a submission holds.
"""

from __future__ import annotations

import re
from html import escape

from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; color: #111; }
body { margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid #999; padding: .3rem .7rem; text-align: left; }
td.number { text-align: right; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.prompt, .anchor-link { display: none; }
.input_area { background: #f5f5f5; border-left: 3px solid #bbb; }
.input_area { padding: .4rem .7rem; margin: .6rem 0; }
.output_error, .output_stderr { color: #8a2a00; }
img { max-width: 100%; }
math { font-size: 1.1em; }
"""
MATH = re.compile(  # code comes first, so that a dollar in code is no formula
    r"(`+).*?\1|\$\$(?P<display>.+?)\$\$|\$(?P<inline>[^$\n](?:[^$]*?[^$\s])?)\$", re.S
)


def page(title: str, rows: list[tuple[str, str, str, str]], notebook: NotebookNode) -> str:
    """Return the page; a row is question, points, of, remark."""
    body = "".join(
        f"<tr><td>{escape(question)}</td><td class='number'>{escape(points)}</td>"
        f"<td class='number'>{escape(of)}</td><td>{code(remark)}</td></tr>"
        for question, points, of, remark in rows
    )
    table = (
        f"<table><tr><th>question</th><th>points</th><th>of</th><th>remark</th></tr>{body}</table>"
    )
    return document(title, f"{table}<h2>Your notebook</h2>{rendered(notebook)}")


def document(title: str, body: str) -> str:
    """Return a whole page that asks no network for anything and runs nothing."""
    return (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{POLICY}\">"
        f"<title>{escape(title)}</title><style>{STYLE}{colours()}</style></head><body>"
        f"<h1>{escape(title)}</h1>{body}</body></html>"
    )


def rendered(notebook: NotebookNode) -> str:
    """Return the cells as HTML, with formulas as MathML."""
    copy = NotebookNode({**notebook, "cells": [NotebookNode({**cell}) for cell in notebook.cells]})
    for cell in copy.cells:
        if cell.cell_type == "markdown":
            cell.source = MATH.sub(mathml, cell.source)
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(copy)
    return str(body)


def mathml(match: re.Match[str]) -> str:
    """Return a formula as MathML; what is no formula, or no good one, stays as it is."""
    formula = match["display"] or match["inline"]
    if formula is None:
        return match[0]
    try:
        return str(convert(formula.strip(), display="block" if match["display"] else "inline"))
    except Exception:  # a student's formula may be anything
        return match[0]


def code(text: str) -> str:
    """Return text with `names` set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def colours() -> str:
    return str(HtmlFormatter().get_style_defs(".highlight"))
