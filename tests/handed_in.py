"""Makes submissions for the tests: the reference, the template, and every way of spoiling them."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import nbformat

from lincourse.grader import release
from lincourse.grader.source import model_answers, source

__all__ = ["source"]
reference_answers = model_answers
released = functools.cache(release.released)


@functools.cache
def _text(homework: str) -> str:
    return nbformat.writes(released(homework))


def template(homework: str) -> dict[str, Any]:
    """Return the untouched template, as plain JSON to be spoilt."""
    return json.loads(_text(homework))


def filled(homework: str, **answers: str) -> dict[str, Any]:
    """Return a submission with the reference answers, some of them replaced."""
    notebook = template(homework)
    known = reference_answers(homework) | answers
    for cell in notebook["cells"]:
        label = cell["metadata"]["nbgrader"]["grade_id"]
        if label in known:
            cell["source"] = known[label]
    return notebook


def cell_of(notebook: dict[str, Any], label: str) -> dict[str, Any]:
    cells = notebook["cells"]
    return next(c for c in cells if c["metadata"].get("nbgrader", {}).get("grade_id") == label)


def hand_in(folder: Path, student: str, notebook: dict[str, Any] | str) -> None:
    """Put a submission into a folder as a learning platform would."""
    folder.mkdir(parents=True, exist_ok=True)
    text = notebook if isinstance(notebook, str) else json.dumps(notebook)
    (folder / f"{student}.ipynb").write_text(text, encoding="utf-8")
