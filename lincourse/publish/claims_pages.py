"""Pages of what was checked: claims, what would refute them, how often each assert holds."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from html import escape
from typing import Any

from lincourse.paths import NOTEBOOKS
from lincourse.publish.pages import directive, raw

VERDICTS = ("wrong as written", "holds if", "holds")
WRONG = ("wrong as written", "holds if")  # what the handout lists
CLAIMS = """# The ledger of claims

What the documents behind this course say, and what became of it when a computer checked. Of {n}
claims {wrong} are wrong as written, {conditions} need a condition and {right} hold. Each links to
the cell that checks it. *Other seeds* says in how many runs with other random data the claim's
asserts held. [Every edit that must break a claim](falsifiers.md) and
[how often each assert of the course holds](stability.md) have tables of their own.
"""
FALSIFIERS = """# What would refute a claim

A check that cannot fail checks nothing. For each claim of the [ledger](claims.md) there is at least
one small edit of its lecture that makes it false, {n} in all. Under each of them the claim's cell
must end in an `AssertionError`; `make falsify` tries them all.
"""
STABILITY = """# How often each assert holds

`make reseed` ran every lecture {runs} times with all seeds in it moved, and counted in how many
runs each of the {n} asserts held. What speaks of the shown numbers alone says so.
"""
HANDOUT = """# What the five documents get wrong

One table to hand out: {wrong} claims are wrong as written, {conditions} hold if a condition is
added. A slip in lecture notes is ordinary; what matters is that it can be found, shown and mended.
Each row links to the cell that shows it.
"""


def ledger() -> list[dict[str, Any]]:
    """Return the claims, each with the edits that must break it and how it fared with other seeds.

    ``edits`` come from ``falsifiers.toml``, ``stability`` from ``stability.toml``; without the file
    they are empty.
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
    return claims


def stored(name: str) -> dict[str, Any]:
    path = NOTEBOOKS / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def pages(claims: list[dict[str, Any]]) -> dict[str, str]:
    """Return the pages of claims, falsifiers and stability, and the table to hand out."""
    return {
        "claims.md": claims_page(claims),
        "falsifiers.md": falsifiers_page(claims),
        "stability.md": stability_page(),
        "guide/mistakes.md": handout(claims),
    }


# ---------------------------------------------------------------- tables


def table(columns: Iterable[str], rows: Iterable[str], id: str = "") -> str:
    """Return a table in a frame that can be scrolled."""
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    name = f' id="{id}"' if id else ""
    return raw(
        f'<div class="table" tabindex="0"><table{name}><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(cells: Iterable[str], id: str = "", kind: str = "") -> str:
    marks = (f' id="{id}"' if id else "") + (f' data-kind="{kind}"' if kind else "")
    return f"<tr{marks}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def searching(id: str, label: str, choices: Iterable[str]) -> str:
    """Return the form that searches a table, by words and by one choice."""
    options = "".join(f"<option>{choice}</option>" for choice in choices)
    return raw(
        f'<form class="filter" role="search" data-filter="{id}">'
        '<label>Find <input type="search" name="words" autocomplete="off"></label> '
        f'<label>{label} <select name="kind"><option value="">all</option>{options}</select>'
        '</label> <output aria-live="polite"></output></form>'
    )


def cell_link(notebook: str, cell: str, words: str, root: str = "") -> str:
    return f'<a href="{root}lectures/{notebook}.html#{cell}">{words}</a>'


def code(text: str) -> str:
    return f"<code>{escape(text)}</code>" if text.strip() else "<em>nothing</em>"


def sources(claim: dict[str, Any]) -> str:
    return escape(", ".join(claim["sources"]))


# ---------------------------------------------------------------- pages


def claims_page(claims: list[dict[str, Any]]) -> str:
    """Return the ledger: one row a claim, the refuted first, with a field that filters the rows."""
    wrong, conditions, right = counts(claims)
    claims = sorted(claims, key=lambda claim: VERDICTS.index(claim["verdict"]))
    words = CLAIMS.format(n=len(claims), wrong=wrong, conditions=conditions, right=right)
    columns = ["claim", "what is said", "verdict", "what is true", "would fail if", "other seeds"]
    shown = table(columns, map(claim_row, claims), "ledger")
    tree = directive("toctree", "", "falsifiers\nstability", hidden="")
    return "\n\n".join([words, searching("ledger", "Verdict", VERDICTS), shown, tree, ""])


def cards(claims: list[dict[str, Any]]) -> str:
    """Return what is wrong as written, a card each, for the front page."""
    wrong = [claim for claim in claims if claim["verdict"] == "wrong as written"]
    shown = "".join(
        f"<li><p><s>{escape(claim['statement'])}</s></p><p>{escape(claim['correction'])}</p>"
        f"<p>{cell_link(claim['notebook'], 'claim-' + claim['id'], 'See the cell that shows it')}"
        f"<br><em>{sources(claim)}</em></p></li>"
        for claim in wrong
    )
    return f'<ul class="cards refuted">{shown}</ul>'


def counts(claims: list[dict[str, Any]]) -> list[int]:
    return [sum(claim["verdict"] == verdict for claim in claims) for verdict in VERDICTS]


def claim_row(claim: dict[str, Any]) -> str:
    verdict = claim["verdict"]
    cells = [
        cell_link(claim["notebook"], f"claim-{claim['id']}", claim["id"]),
        f"{escape(claim['statement'])}<br><em>{sources(claim)}</em>",
        f'<span class="badge {verdict.split()[0]}">{escape(verdict)}</span>',
        escape(claim.get("correction", "as said")),
        "<br>".join(map(escape, claim["edits"])),
        claim["stability"],
    ]
    return row(cells, claim["id"], verdict)


def falsifiers_page(claims: list[dict[str, Any]]) -> str:
    """Return every edit that must make a claim's cell fail."""
    home = {claim["id"]: claim["notebook"] for claim in claims}
    edits = stored("falsifiers").get("falsifier", [])
    rows = []
    for edit in edits:
        claim, own = edit["claim"], f"claim-{edit['claim']}"
        cell = edit.get("cell", own)
        cells = [
            cell_link(home[claim], own, claim),
            escape(edit["would_fail_if"]),
            cell_link(home[claim], cell, cell),
            code(edit["old"]),
            code(edit["new"]),
        ]
        rows.append(row(cells, kind=home[claim]))
    columns = ["claim", "its cell would fail if", "edit in cell", "this", "becomes this"]
    search = searching("edits", "Lecture", dict.fromkeys(home.values()))
    return "\n\n".join([FALSIFIERS.format(n=len(edits)), search, table(columns, rows, "edits"), ""])


def stability_page() -> str:
    """Return how often each assert holds when the seeds are moved."""
    held = stored("stability")
    runs = held.pop("runs", 0)
    rows = []
    for notebook, entries in held.items():
        for place, entry in entries.items():
            cell = place.rpartition(".")[0]
            words = "of this run only" if entry.get("this_run") else f"{entry['held']} of {runs}"
            cells = [cell_link(notebook, cell, cell), code(entry["test"]), words]
            rows.append(row([notebook[:2], *cells], kind=notebook))
    columns = ["lecture", "cell", "what its assert tests", "held"]
    words = STABILITY.format(runs=runs, n=len(rows))
    search = searching("asserts", "Lecture", held)
    return "\n\n".join([words, search, table(columns, rows, "asserts"), ""])


def handout(claims: list[dict[str, Any]]) -> str:
    """Return the table of what the documents get wrong, to hand out."""
    rows = []
    for claim in (claim for verdict in WRONG for claim in claims if claim["verdict"] == verdict):
        cells = [
            cell_link(claim["notebook"], f"claim-{claim['id']}", claim["id"], "../"),
            f"{escape(claim['statement'])}<br><em>{sources(claim)}</em>",
            claim["verdict"],
            escape(claim.get("correction", "")),
        ]
        rows.append(row(cells))
    wrong, conditions, _ = counts(claims)
    words = HANDOUT.format(wrong=wrong, conditions=conditions)
    return "\n\n".join([words, table(["claim", "said", "verdict", "true"], rows, "handout"), ""])
