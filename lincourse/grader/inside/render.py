"""A student's notebook as harmless HTML: nothing in it runs, asks a network or leaves its place.

This works on a student's text, so it runs in a sandbox, under a clock, with nothing of the site
there but its Markdown and formulas (``lincourse.markup``); nh3 lets through only what is listed.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any
from urllib.parse import unquote

import nh3

from lincourse import markup

MATHML = [
    *("math", "mrow", "mi", "mo", "mn", "mtext", "ms", "mspace", "mfrac", "msqrt", "mroot", "msup"),
    *("msub", "msubsup", "mover", "munder", "munderover", "mtable", "mtr", "mtd", "mstyle"),
    *("mpadded", "mphantom", "menclose", "mmultiscripts", "none"),
]
TEXT = nh3.ALLOWED_TAGS - {"a", "area", "map"} | {"tfoot"}  # no link
DROPPED = {
    *("script", "style", "title", "textarea", "iframe", "svg", "object", "template", "noscript"),
}
SIZES = {
    *("mathvariant", "stretchy", "fence", "separator", "form", "accent", "accentunder"),
    *("displaystyle", "scriptlevel", "linethickness", "lspace", "rspace", "minsize", "maxsize"),
    *("width", "style"),
}
ATTRIBUTES = {
    **dict.fromkeys(MATHML, SIZES),
    **{name: {"class"} for name in ("div", "span", "pre", "code")},
    "math": {"display"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start"},
    "img": {"alt", "src"},
}
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/svg+xml")
PICTURE = re.compile(r"data:image/(png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=\s]*\Z")
# What formulas are aligned and spaced with; no other style, and no length that hides a neighbour.
STYLE = re.compile(
    r"((text-align: (left|right)|justify-items: (start|end)|padding-(left|right): ?(0|1em)"
    r"|width: \d{1,3}%);?)*"
)
VALUE = re.compile(r"[a-z-]+|-?\d?(\.\d+)?(em)?")
LONGEST = 200_000  # characters of one text or one output that are shown


def clean(html: str) -> str:
    """Return HTML with only the listed elements, and pictures that are part of the page."""
    return nh3.clean(
        html,
        tags={*TEXT, *MATHML},
        clean_content_tags=DROPPED,
        attributes=ATTRIBUTES,
        attribute_filter=harmless,
        url_schemes={"data"},
        link_rel=None,
    )


def harmless(tag: str, name: str, value: str) -> str | None:
    """Return an attribute's value if it is one that may be kept."""
    if name == "src":
        return value if PICTURE.match(value) else None
    if tag in MATHML:
        return value if (STYLE if name == "style" else VALUE).fullmatch(value) else None
    return value


def formula(latex: str, *, display: bool = False) -> str:
    """Return a formula as MathML; one that is not understood stays as it was written."""
    try:
        return markup.set_formula(latex, display=display)
    except BaseException:  # a student's formula may be anything, and a parser may panic
        return f"<code>{escape(latex)}</code>"


def markdown(text: str, attachments: dict[str, Any] | None = None) -> str:
    """Return the Markdown of a written answer; pictures are those pasted into its cell."""
    parser = markup.parser(formula)
    tokens = parser.parse(text)
    for token in tokens:
        for child in token.children or ():
            if child.type == "image":
                child.attrs["src"] = pasted(str(child.attrs["src"]), attachments or {})
                if not child.attrs["src"]:
                    child.type = "text"
                    child.content = f"[a picture that is not in the file: {child.content}]"
    return clean(parser.renderer.render(tokens, parser.options, {}))


def pasted(source: str, attachments: dict[str, Any]) -> str:
    """Return where a picture is, nothing if it is in no attachment."""
    if not source.startswith("attachment:"):
        return source
    given = attachments.get(unquote(source.removeprefix("attachment:")), {})
    kind = next((kind for kind in PICTURES if isinstance(given.get(kind), str)), None)
    return f"data:{kind};base64,{given[kind]}" if kind else ""


def verbatim(text: str, kind: str = "output") -> str:
    """Return text as it is."""
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[…]"
    return f"<pre class='{kind}'>{escape(cut)}</pre>"


def output(one: dict[str, Any]) -> str:
    """Return one output of a cell."""
    kind = one.get("output_type")
    if kind == "stream":
        look = "error" if one.get("name") == "stderr" else "output"
        return verbatim(joined(one.get("text")), look)
    if kind == "error":
        return verbatim("\n".join(map(str, one.get("traceback") or [])), "error")
    data = one.get("data") or {}
    details = one.get("metadata") or {}
    words = joined(data.get("text/plain"))
    for kind in PICTURES:
        if kind in data:
            return picture(kind, joined(data[kind]), details.get(kind), words)
    if "text/html" in data:
        return f"<div class='output'>{clean(joined(data['text/html']))}</div>"
    for kind in ("text/markdown", "text/latex"):
        if kind in data:
            return markdown(joined(data[kind]))
    return verbatim(words)


def picture(kind: str, data: str, details: Any, words: str) -> str:
    alt = details.get("alt") if isinstance(details, dict) else None
    if kind == "image/svg+xml":
        data = base64.b64encode(data.encode()).decode()
    alt = alt if isinstance(alt, str) else words
    return clean(f'<img alt="{escape(alt)}" src="data:{kind};base64,{escape(data)}">')


def joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")


def cell(one: dict[str, Any]) -> str:
    """Return one cell with its outputs."""
    outputs = one.get("outputs") or []
    if one["type"] == "markdown":
        return attempt(lambda: markdown(one["source"], one.get("attachments")), one["source"])
    shown = [attempt(partial(output, o), "[an output that cannot be shown]") for o in outputs]
    code = attempt(lambda: clean(markup.code(one["source"])), one["source"])
    return f"<div class='code'>{code}</div>" + "".join(shown)


def attempt(make: Callable[[], str], text: str) -> str:
    try:
        return make()
    except Exception:  # whatever a library makes of a student's text
        return verbatim(text)


def rendered(request: dict[str, Any]) -> dict[str, Any]:
    """Return every cell as HTML, by its id."""
    return {one["id"]: cell(one) for one in request["cells"]}
