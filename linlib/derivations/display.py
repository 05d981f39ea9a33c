"""How a derivation looks: as HTML, as plain text and as words.

A derivation is a numbered list. Each line has its relation, its formula and its reason, and where
the screen is too narrow for both, the reason goes below the formula and a long formula goes on in
the next row. The styles stand in the HTML itself, because it is stored in notebooks and is shown
where no style sheet of ours is. Formulas stand between dollars: whoever shows them sets them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

SHOWN: dict[str, str] = {
    "=": "=",
    "<=": r"\le",
    ">=": r"\ge",
    "<": "<",
    ">": ">",
    "=>": r"\Rightarrow",
    "<=>": r"\Leftrightarrow",
}
SIGNS: dict[str, str] = {"<=": "≤", ">=": "≥", "=>": "⇒", "<=>": "⇔", "=": "=", "<": "<", ">": ">"}
HOW = (
    "Write each line as in Python: w @ z is the product of two vectors, 2*w @ z twice that, "
    "norm(w)**2 the square of a length."
)
SAID: dict[str, str] = {
    "=": "equals",
    "<=": "is at most",
    ">=": "is at least",
    "<": "is less than",
    ">": "is more than",
    "=>": "hence",
    "<=>": "which means that",
}
# The relation keeps its width, so that formulas begin below each other; formula and reason stand
# beside each other where both fit.
LIST = "margin:0.4em 0;padding-left:2em"
LINE = "margin:0.3em 0;display:flex;flex-wrap:wrap;align-items:baseline;gap:0 0.4em"
RELATION = "flex:0 0 1.6em;text-align:center"
BODY = "flex:1 1 0;min-width:0;display:flex;flex-wrap:wrap;align-items:baseline;gap:0.1em 1.5em"
# What is too wide even so can be scrolled.
FORMULA = "flex:2 1 18em;max-width:100%;overflow-x:auto;overflow-y:hidden"
PIECE = "display:inline-block;white-space:nowrap;margin:0.2em 0"
REASON = "flex:1 1 11em;opacity:0.8"


class Row(NamedTuple):
    """A line as it is shown; one without pieces is left blank."""

    number: int
    relation: str
    pieces: list[str]  # LaTeX
    words: str
    text: str  # as its author wrote it
    reason: str


class Premise(NamedTuple):
    """A hypothesis or a definition as it is shown."""

    pieces: list[str]
    words: str
    text: str
    says: str
    line: int | None  # that needs it
    defines: bool = False


# ---------------------------------------------------------------- HTML


def html(premises: Sequence[Premise], rows: Sequence[Row]) -> str:
    """Return a derivation as HTML."""
    return f'<div class="derivation">\n{given(premises)}{lines(rows)}\n</div>'


def lines(rows: Sequence[Row]) -> str:
    """Return lines as a list that is numbered as they are."""
    inside = "\n".join(map(_item, rows))
    return f'<ol start="{rows[0].number}" style="{LIST}">\n{inside}\n</ol>'


def given(premises: Sequence[Premise]) -> str:
    """Return hypotheses and definitions as a list, or nothing."""
    if not premises:
        return ""
    items = []
    for one in premises:
        begin = "Where" if one.defines else "Given"
        needed = f" (line {one.line} needs it)" if one.line else ""
        says = f": {escape(one.says)}{needed}" if one.says else needed
        items.append(f"<li>{begin} {formula(one.pieces, one.words)}{says}</li>")
    inside = "\n".join(items)
    return f'<ul style="{LIST};list-style:none">\n{inside}\n</ul>\n'


def _item(row: Row) -> str:
    begin = formula([SHOWN[row.relation]], SAID[row.relation]) if row.relation else ""
    if row.pieces:
        body = f'<span style="{FORMULA}">{formula(row.pieces, row.words)}</span>'
    else:
        body = f'<span class="blank" data-line="{row.number}">… write line {row.number} …</span>'
    if row.reason:
        body += f'<span class="reason" style="{REASON}">{escape(row.reason)}</span>'
    return (
        f'<li><div style="{LINE}"><span style="{RELATION}">{begin}</span>'
        f'<span style="{BODY}">{body}</span></div></li>'
    )


def formula(pieces: Sequence[str], words: str) -> str:
    """Return a formula that can be broken between its pieces, and that is read as one."""
    inside = "".join(
        f'<span style="{PIECE}">$\\displaystyle {escape(piece)}$</span>' for piece in pieces
    )
    return f'<span role="math" aria-label="{escape(words)}">{inside}</span>'


# ---------------------------------------------------------------- other forms


def plain(premises: Sequence[Premise], rows: Sequence[Row]) -> str:
    """Return a derivation as text, for a terminal."""
    width = max(len(row.text) for row in rows)
    found = []
    for one in premises:
        needed = f" (line {one.line} needs it)" if one.line else ""
        begin = "where" if one.defines else "given"
        says = f", {one.says}{needed}" if one.says else needed
        found.append(f"{begin} {one.text}{says}")
    for row in rows:
        text = row.text or f"… write line {row.number} …"
        found.append(f"{row.number}. {row.relation:3} {text:{width}}   {row.reason}".rstrip())
    return "\n".join(found)


def spoken(premises: Sequence[Premise], rows: Sequence[Row]) -> str:
    """Return a derivation as one reads it aloud."""
    found = []
    for one in premises:
        begin = "where" if one.defines else "given"
        says = f" ({one.says})" if one.says else ""
        found.append(f"{begin} {one.words}{says}")
    for row in rows:
        begin = f"{SAID[row.relation]} " if row.relation else ""
        because = f" ({row.reason})" if row.reason else ""
        found.append(f"{begin}{row.words}{because}")
    return ",\n".join(found) + "."
