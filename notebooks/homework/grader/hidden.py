"""Runs the hidden tests inside a source notebook, where the reference answers are."""

from __future__ import annotations

import importlib
from typing import Any

from grader.question import Code, asked


def questions(homework: str) -> dict[str, Code]:
    """Return the code questions of one homework by their labels, e.g. ``q3``."""
    return importlib.import_module(f"questions.{homework}").QUESTIONS


def tests(homework: str, label: str, namespace: dict[str, Any]) -> None:
    """Assert that the answer in ``namespace`` passes every case of a question."""
    question = questions(homework)[label]
    verdict = question.verdict(asked(question, namespace))
    assert verdict.passed, verdict.message
