"""What pages of the site may ask for: claims, what would refute them, which asserts are not stable.

Every page under ``source`` is a template of Jinja, most of them one without a question.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from lincourse.check import claims as ledger
from lincourse.check import stored
from lincourse.paths import NOTEBOOKS, PAGES
from lincourse.publish.lectures import lectures

TEMPLATES = Environment(loader=FileSystemLoader(PAGES), autoescape=True, keep_trailing_newline=True)
VERDICTS = ("wrong as written", "holds if", "holds")


def checked() -> dict[str, Any]:
    """Return the claims, the edits that must break them, and the asserts that other seeds broke.

    Each claim has its own ``edits``, and its ``stability`` if an assert of it failed once. The
    refuted come first.
    """
    table = stored(NOTEBOOKS / "stability.toml")
    runs = table.pop("runs")
    in_order = ledger.ledger(NOTEBOOKS)
    claims = sorted(in_order, key=lambda claim: VERDICTS.index(claim["verdict"]))
    for claim in claims:
        claim["edits"] = [edit.would_fail_if for edit in ledger.falsifiers(claim)]
        exceptions = table.get(claim["notebook"], {}).get("exceptions", {})
        counts = [
            one["held"]
            for place, one in exceptions.items()
            if place.rpartition(".")[0] == f"claim-{claim['id']}"
        ]
        claim["stability"] = f"held in {min(counts)} of {runs}" if counts else ""
    return {
        "claims": claims,
        "count": Counter(claim["verdict"] for claim in claims),
        "edits": [(claim, edit) for claim in in_order for edit in ledger.falsifiers(claim)],
        "stability": table,
        "exceptions": [
            (notebook, place.rpartition(".")[0], one)
            for notebook, lecture in table.items()
            for place, one in lecture["exceptions"].items()
        ],
        "runs": runs,
    }


def filled(name: str, **values: Any) -> str:
    """Return a template of ``source`` with values, which are escaped."""
    return TEMPLATES.get_template(name).render(taught=taught, **values)


def taught(place: str) -> Markup:
    """Return a link to where a lecture teaches something: its name without number, and a cell.

    >>> str(taught("perceptron#signed"))
    '[02 · The perceptron](lectures/02-perceptron.ipynb#signed)'
    """
    slug, _, cell = place.partition("#")
    found = {one.slug: one for one in lectures()}
    if slug not in found or cell not in {one.id for one in found[slug].cells}:
        raise ValueError(f"{place}: no lecture has this cell; name the one that teaches it now.")
    lecture = found[slug]
    title = lecture.title.partition("? ")[2] or lecture.title.partition(" · ")[2]
    return Markup(f"[{lecture.number} · {title}](lectures/{lecture.name}.ipynb#{cell})")
