"""What pages of the site may ask for: claims, what would refute them, how often each assert holds.

Every page under ``source`` is a template of Jinja, most of them one without a question.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from jinja2 import Environment, FileSystemLoader

from lincourse.check import claims as ledger
from lincourse.check import stored
from lincourse.paths import NOTEBOOKS, PAGES

TEMPLATES = Environment(loader=FileSystemLoader(PAGES), autoescape=True, keep_trailing_newline=True)
VERDICTS = ("wrong as written", "holds if", "holds")


def checked() -> dict[str, Any]:
    """Return the claims, the edits that must break them, and how each assert fared when reseeded.

    Each claim has its own ``edits`` and its ``stability``. The refuted come first.
    """
    held = stored(NOTEBOOKS / "stability.toml")
    runs = held.pop("runs")
    in_order = ledger.ledger(NOTEBOOKS)
    claims = sorted(in_order, key=lambda claim: VERDICTS.index(claim["verdict"]))
    for claim in claims:
        claim["edits"] = ledger.falsifiers(claim)
        counts = [
            entry["held"]
            for place, entry in held.get(claim["notebook"], {}).items()
            if place.rpartition(".")[0] == f"claim-{claim['id']}" and not entry.get("this_run")
        ]
        claim["stability"] = f"{min(counts)} of {runs}" if counts else ""
    count = Counter(claim["verdict"] for claim in claims)
    edits = [(claim, edit) for claim in in_order for edit in claim["edits"]]
    return {"claims": claims, "count": count, "edits": edits, "held": held, "runs": runs}


def filled(name: str, **values: Any) -> str:
    """Return a template of ``source`` with values, which are escaped."""
    return TEMPLATES.get_template(name).render(**values)
