"""Pages of what was checked: claims, what would refute them, how often each assert holds."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader

from lincourse.paths import NOTEBOOKS, PAGES

VERDICTS = ("wrong as written", "holds if", "holds")


def ledger() -> list[dict[str, Any]]:
    """Return the claims, each with the edits that must break it and how it fared with other seeds.

    ``edits`` come from ``falsifiers.toml``, ``stability`` from ``stability.toml``; without the file
    they are empty. The refuted come first.
    """
    edits, held = stored("falsifiers").get("falsifier", []), stored("stability")
    runs = held.pop("runs", 0)
    claims: list[dict[str, Any]] = stored("claims")["claim"]
    for claim in claims:
        own = (one["would_fail_if"] for one in edits if one["claim"] == claim["id"])
        claim["edits"] = list(own)
        counts = [
            entry["held"]
            for place, entry in held.get(claim["notebook"], {}).items()
            if place.rpartition(".")[0] == f"claim-{claim['id']}" and not entry.get("this_run")
        ]
        claim["stability"] = f"{min(counts)} of {runs}" if counts else ""
    return sorted(claims, key=lambda claim: VERDICTS.index(claim["verdict"]))


def stored(name: str) -> dict[str, Any]:
    path = NOTEBOOKS / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


@cache
def templates() -> Environment:
    return Environment(loader=FileSystemLoader(PAGES / "tables"), autoescape=True)


def filled(name: str, **values: Any) -> str:
    """Return a template of ``source/tables`` with values, which are escaped."""
    return templates().get_template(name).render(**values) + "\n"


def pages(claims: list[dict[str, Any]], **more: Any) -> dict[str, str]:
    """Return the front page, those of claims, falsifiers, stability, figures, and the hand-out."""
    held = stored("stability")
    runs = held.pop("runs", 0)
    known = Counter(claim["verdict"] for claim in claims)
    values = {
        "claims": claims,
        "count": {verdict: known[verdict] for verdict in VERDICTS},
        "edits": stored("falsifiers").get("falsifier", []),
        "homes": {claim["id"]: claim["notebook"] for claim in claims},
        "held": held,
        "runs": runs,
    }
    names = ("index", "claims", "falsifiers", "stability", "figures", "guide/mistakes")
    return {
        f"{name}.md": filled(f"{name.rpartition('/')[2]}.md.jinja", **values, **more)
        for name in names
    }
