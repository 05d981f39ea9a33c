"""Runs the hidden tests inside a source notebook, where the reference answers are."""

from __future__ import annotations

import functools
import importlib.util
import sys
from types import ModuleType
from typing import Any

from lincourse.grader.question import Code, asked
from lincourse.paths import HOMEWORK


@functools.cache
def module(homework: str) -> ModuleType:
    """Return the module of a homework's questions, which is no part of any package."""
    name = f"questions.{homework}"
    spec = importlib.util.spec_from_file_location(name, HOMEWORK / "questions" / f"{homework}.py")
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"There are no questions for {homework!r}.", name=name)
    loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def questions(homework: str) -> dict[str, Code]:
    """Return the code questions of one homework by their labels, e.g. ``q3``."""
    found: dict[str, Code] = module(homework).QUESTIONS
    return found


def tests(homework: str, label: str, namespace: dict[str, Any]) -> None:
    """Assert that the answer in ``namespace`` passes every case of a question."""
    question = questions(homework)[label]
    verdict = question.verdict(asked(question, namespace))
    assert verdict.passed, verdict.message
