"""The pages that list things: lectures, homework, claims, figures, the library's modules."""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from html import escape
from typing import Any

import linlib
from tools import markup
from tools.lectures import NOTEBOOKS, Lecture
from tools.pages import FENCE, directive, raw

VERDICTS = ("wrong as written", "holds if", "holds")


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


def indexes(
    course: list[Lecture], homework: list[Lecture], claims: list[dict[str, Any]]
) -> dict[str, str]:
    """Return the pages that list lectures, homework, claims and figures."""
    return {
        "lectures/index.md": listing(
            "Lectures",
            "Each lecture is a notebook, shown as it is stored. Every number in it was computed, "
            "and is computed again by `make test`.",
            course,
        ),
        "homework/index.md": listing(
            "Homework",
            "The templates as students get them: read them here, download them, answer in "
            "JupyterLab and press *Validate*.",
            homework,
        ),
        "claims.md": claims_page(claims),
        "figures.md": figures_page(course),
        "guide/mistakes.md": handout(claims),
    }


def listing(title: str, words: str, notebooks: list[Lecture]) -> str:
    rows = "\n".join(f"{one.title} <{one.name}>" for one in notebooks)
    return f"# {title}\n\n{words}\n\n{directive('toctree', '', rows, maxdepth='1')}\n"


def claims_page(claims: list[dict[str, Any]]) -> str:
    """Return the ledger: one row a claim, with a field that filters the rows."""
    counts = {verdict: sum(c["verdict"] == verdict for c in claims) for verdict in VERDICTS}
    words = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    columns = ["claim", "what is said", "verdict", "what is true"]
    columns += ["would fail if"] if any(claim["edits"] for claim in claims) else []
    columns += ["other seeds"] if any(claim["stability"] for claim in claims) else []
    body = "\n".join(claim_row(claim, columns) for claim in claims)
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    options = "".join(f"<option>{verdict}</option>" for verdict in VERDICTS)
    form = (
        '<form class="filter" role="search" data-filter="ledger">'
        '<label>Find <input type="search" name="words" autocomplete="off"></label> '
        f'<label>Verdict <select name="verdict"><option value="">all</option>{options}</select>'
        '</label> <output aria-live="polite"></output></form>'
    )
    table = (
        f'<div class="table" tabindex="0"><table id="ledger"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
    return (
        f"# The ledger of claims\n\nWhat the documents behind this course say, and what became of "
        f"it when a computer checked: {len(claims)} claims, {words}. Each links to the cell that "
        f"checks it.\n\n{raw(form)}\n\n{raw(table)}\n"
    )


def claim_row(claim: dict[str, Any], columns: list[str]) -> str:
    where = f"lectures/{claim['notebook']}.html#claim-{claim['id']}"
    cells = {
        "claim": f'<a href="{where}">{claim["id"]}</a>',
        "what is said": f"{escape(claim['statement'])}<br><em>{sources(claim)}</em>",
        "verdict": f'<span class="badge {claim["verdict"].split()[0]}">'
        f"{escape(claim['verdict'])}</span>",
        "what is true": escape(claim.get("correction", "as said")),
        "would fail if": "<br>".join(map(escape, claim["edits"])),
        "other seeds": claim["stability"],
    }
    row = "".join(f"<td>{cells[name]}</td>" for name in columns)
    return f'<tr id="{claim["id"]}" data-verdict="{claim["verdict"]}">{row}</tr>'


def sources(claim: dict[str, Any]) -> str:
    return escape(", ".join(claim["sources"]))


def figures_page(course: list[Lecture]) -> str:
    """Return a page of every figure with its words."""
    parts = ["# Every figure", "Each with the words that a reader who cannot see it gets."]
    for one in course:
        parts.append(f"## {one.title}")
        for cell in one.cells:
            for figure in one.figures(cell):
                source = f"figures/{figure.name}.png"
                image = markup.picture(
                    source, figure.alt, figure.width, figure.height, loading="lazy"
                )
                where = f"lectures/{one.name}.html#{cell.id}"
                words = f'<figcaption>{escape(figure.alt)} <a href="{where}">{figure.name}</a>'
                parts.append(raw(f"<figure>{image}{words}</figcaption></figure>"))
    return "\n\n".join(parts) + "\n"


def handout(claims: list[dict[str, Any]]) -> str:
    """Return the table of what the documents get wrong, to hand out."""
    parts = [
        "# What the five documents get wrong",
        "One table to hand out. A slip in lecture notes is ordinary; what matters is that it can "
        "be found, shown and mended. Each row links to the cell that shows it.",
    ]
    for verdict, title in (
        ("wrong as written", "Wrong as written"),
        ("holds if", "True with a condition"),
    ):
        rows = "".join(
            f'<tr><td><a href="../lectures/{c["notebook"]}.html#claim-{c["id"]}">{c["id"]}</a></td>'
            f"<td>{escape(c['statement'])}</td><td>{escape(c.get('correction', ''))}</td>"
            f"<td>{sources(c)}</td></tr>"
            for c in claims
            if c["verdict"] == verdict
        )
        head = "".join(
            f'<th scope="col">{name}</th>' for name in ("claim", "said", "true", "where it is said")
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        parts += [f"## {title}", raw(f'<div class="table" tabindex="0">{table}</div>')]
    return "\n\n".join(parts) + "\n"


def library() -> dict[str, str]:
    """Return a page for each module of linlib, made from its docstrings."""
    names = ["linlib", *(f"linlib.{info.name}" for info in pkgutil.iter_modules(linlib.__path__))]
    names = [name for name in names if not name.rpartition(".")[2].startswith("_")]
    rows, made = [], {}
    for name in names:
        module = importlib.import_module(name)
        words = (module.__doc__ or name).strip().partition("\n")[0]
        members = "" if name == "linlib" else "   :members:\n   :show-inheritance:\n"
        members += "   :imported-members:\n" if members and hasattr(module, "__path__") else ""
        body = f".. automodule:: {name}\n{members}"
        made[f"api/{name}.md"] = f"# {name}\n\n{FENCE}{{eval-rst}}\n{body}{FENCE}\n"
        rows.append(f"| [{name}]({name}.md) | {words} |")
    tree = directive("toctree", "", "\n".join(names), hidden="")
    table = "\n".join(["| module | in one line |", "|---|---|", *rows])
    made["api/index.md"] = (
        "# The library\n\nFunctions go from data to a frozen result. Every example on these pages "
        f"is run by `make test`.\n\n{table}\n\n{tree}\n"
    )
    return made
