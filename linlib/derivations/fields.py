"""A derivation with text fields in place of its blank lines, where a notebook can show them.

Needs ipywidgets, which JupyterLab has. Where it is not installed, nothing is live.
"""

from __future__ import annotations

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
    rows = blank.derivation.rows(blank.lines)
    parts = [ipywidgets.HTMLMath(display.given(blank.derivation.premises()))]
    shown: list[display.Row] = []
    for row in rows:
        if row.number not in blank.lines:
            shown.append(row)
            continue
        if shown:
            parts.append(ipywidgets.HTMLMath(display.lines(shown)))
            shown = []
        parts += _field(blank, row)
    if shown:
        parts.append(ipywidgets.HTMLMath(display.lines(shown)))
    words = f"{display.HOW} The names are {blank.names}. Enter asks whether a line is right."
    parts.append(ipywidgets.HTML(f"<p>{escape(words)}</p>"))
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
        says.value = f'<p role="status">{mark} {escape(answer.said)}</p>'

    field.observe(ask, "value")
    return [field, says]
