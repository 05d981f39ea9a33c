"""A derivation with text fields in place of its blank lines, where a notebook can show them.

Needs ipywidgets, which JupyterLab has. Where it is not installed, nothing is live.
"""

from __future__ import annotations

import itertools
from html import escape
from typing import TYPE_CHECKING, Any

from linlib.derivations import display

if TYPE_CHECKING:
    from linlib.derivations.exercise import Blank


def live(blank: Blank) -> dict[str, Any]:
    """Return what a notebook stores of the fields: a live view, or nothing without ipywidgets."""
    try:
        import ipywidgets
    except ImportError:
        return {}

    def text(html: str) -> Any:
        return ipywidgets.HTMLMath(html, layout=ipywidgets.Layout(width="98%"))

    parts = [text(display.given(blank.derivation.premises()))]
    rows = blank.derivation.rows(blank.lines)
    for is_blank, together in itertools.groupby(rows, lambda row: row.number in blank.lines):
        if is_blank:
            parts += [part for row in together for part in _field(blank, row)]
        else:
            parts.append(text(display.lines(list(together))))
    words = f"{display.HOW} The names are {blank.names}. Enter asks whether a line is right."
    parts.append(text(f"<p>{escape(words)}</p>"))
    found: dict[str, Any] = ipywidgets.VBox(parts)._repr_mimebundle_() or {}
    return found


def _field(blank: Blank, row: display.Row) -> list[Any]:
    """Return a field for one line, and the place where its answer is said."""
    import ipywidgets

    sign = display.SIGNS.get(row.relation, "")
    field = ipywidgets.Text(
        description=f"{row.number}. {sign}",
        placeholder="write this line",
        continuous_update=False,  # Enter, or leaving the field, asks
        layout=ipywidgets.Layout(width="min(40em, 95%)"),
        style={"description_width": "3.4em"},
        tooltip=f"Line {row.number}",
    )
    says = ipywidgets.HTML()

    def ask(change: Any) -> None:
        text = change["new"]
        if not text.strip():
            says.value = ""
            return
        answer = blank.answer(text, line=row.number)
        mark = "✓" if answer.right else "✗"
        says.value = (
            f'<p role="status" style="margin:0 0 0.4em 4em">{mark} {escape(answer.said)}</p>'
        )

    field.observe(ask, "value")
    return [field, says]
