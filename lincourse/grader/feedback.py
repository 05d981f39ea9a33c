"""Pages: one file each, which asks no network for anything; a policy in its head forbids it.

What comes from a student arrives here as harmless HTML (``inside.pages``) or is escaped.
"""

from __future__ import annotations

import re
from html import escape

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; color: #111; }
body { margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid #999; padding: .3rem .7rem; text-align: left; vertical-align: top; }
td.number { text-align: right; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.code { background: #f5f5f5; border-left: 3px solid #bbb; }
.code { padding: .4rem .7rem; margin: .6rem 0; }
.error, .verdict { color: #8a2a00; }
.student { overflow: auto; contain: content; }
img { max-width: 100%; }
math { font-size: 1.1em; }
.formula { margin: .8rem 0; }
"""


def document(title: str, body: str, *, head: str = "", policy: str = POLICY) -> str:
    """Return a whole page that asks no network for anything."""
    return (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{policy}\">"
        f"<title>{escape(title)}</title><style>{STYLE}{colours()}</style>{head}</head><body>"
        f"<h1>{escape(title)}</h1>{body}</body></html>"
    )


def page(
    title: str,
    rows: list[tuple[str, str, str, str]],
    cells: list[dict[str, str]],
    verdicts: dict[str, str],
    limits: str,
) -> str:
    """Return a student's page; a row is question, points, of, remark."""
    there = {cell["id"] for cell in cells}
    body = "".join(
        f"<tr><td>{linked(question, there)}</td><td class='number'>{escape(points)}</td>"
        f"<td class='number'>{escape(of)}</td><td>{code(remark)}</td></tr>"
        for question, points, of, remark in rows
    )
    head = "<tr><th>question</th><th>points</th><th>of</th><th>remark</th></tr>"
    shown = "".join(
        f"<div id='cell-{escape(cell['id'], quote=True)}'>{cell['html']}</div>"
        f"{verdict(verdicts.get(cell['id'], ''))}"
        for cell in cells
    )
    notebook = f"<h2>Your notebook</h2><div class='student'>{shown}</div>"
    body = f"<table>{head}{body}</table><p>{escape(limits)}</p>"
    return document(title, f"{body}{notebook if cells else ''}")


def linked(question: str, there: set[str]) -> str:
    """Return the name of a question as a link to its cell, if that is on the page."""
    name = escape(question, quote=True)
    return f"<a href='#cell-{name}'>{name}</a>" if question in there else name


def verdict(text: str) -> str:
    return f"<p class='verdict'>Hidden tests: {code(text)}</p>" if text else ""


def code(text: str) -> str:
    """Return text with `names` set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def colours() -> str:
    from pygments.formatters import HtmlFormatter

    return str(HtmlFormatter().get_style_defs(".highlight"))
