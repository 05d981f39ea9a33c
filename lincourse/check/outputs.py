"""What is in a notebook: nbsame's words for it, and what this course's figures say besides."""

from __future__ import annotations

from nbformat import NotebookNode
from nbsame.notebook import PNG, WIDGET, has_figure, kind, live_view, merged, read, runs, tags

__all__ = [
    "PNG",
    "WIDGET",
    "alt_text",
    "has_figure",
    "kind",
    "live_view",
    "merged",
    "read",
    "runs",
    "tags",
    "words",
]


def alt_text(output: NotebookNode) -> str:
    return str(output.get("metadata", {}).get(PNG, {}).get("alt", "")).strip()


def words(output: NotebookNode) -> list[str]:
    """Return the titles, labels, ticks and notes of a figure in the order they were drawn."""
    texts: str = output.get("metadata", {}).get(PNG, {}).get("texts", "")
    return texts.split(" · ")
