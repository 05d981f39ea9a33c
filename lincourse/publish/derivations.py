"""Derivations in a page: their formulas set, and a field to write in where a line is blank.

What a cell has stored is the list that the lab shows, with formulas between dollars. Here they
become MathML. Where lines are blank, the page is told the code that makes the exercise, and
derivation.js asks Python in the page what it says of an answer.
"""

from __future__ import annotations

import re
from html import escape, unescape

from lincourse import markup
from lincourse.publish import recordings

FORMULA = re.compile(r"\$([^$]+)\$")
DERIVATION, BLANK = '<div class="derivation"', 'class="blank"'


def is_derivation(html: str) -> bool:
    """Return whether an output is a derivation."""
    return html.startswith(DERIVATION)


def is_blank(html: str) -> bool:
    """Return whether lines of it are left to the reader."""
    return BLANK in html


def typeset(html: str) -> str:
    """Return a derivation whose formulas are MathML."""
    return FORMULA.sub(lambda found: markup.set_formula(unescape(found[1])), html)


def box(html: str, source: str, folder: str) -> str:
    """Return the place of an exercise: a derivation that derivation.js gives its fields."""
    program = escape(source)
    sheet = f'<link rel="stylesheet" href="{folder}derivation.css">'
    loaded = recordings.scripts(folder, "live", "derivation")
    return f'{sheet}<div class="written" data-derivation="{program}">{html}</div>{loaded}'
