"""The source notebooks of the homework: their model answers, and what their visible tests call."""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import json
import warnings
from collections.abc import Callable
from typing import Any

import nbformat
from nbformat import NotebookNode

from lincourse.grader.inside import protocol
from lincourse.paths import HOMEWORK

SOURCE = HOMEWORK / "source"


@functools.cache
def source(homework: str) -> NotebookNode:
    """Return the source notebook of a homework, which nobody may change."""
    path = SOURCE / homework / f"{homework}.ipynb"
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def split_lines(cell: NotebookNode) -> tuple[list[str], list[str]]:
    """Return the lines outside and inside the marked regions of a source cell."""
    outside: list[str] = []
    inside: list[str] = []
    current = outside
    for line in cell.source.splitlines():
        if "### BEGIN" in line:
            current = inside
        elif "### END" in line:
            current = outside
        else:
            current.append(line)
    return outside, inside


@functools.cache
def model_answers(homework: str) -> dict[str, str]:
    """Return the model answers, in code and in words, by their labels."""
    found = {}
    for cell in source(homework).cells:
        if cell.metadata.nbgrader.solution:
            outside, inside = split_lines(cell)
            found[cell.metadata.nbgrader.grade_id] = "\n".join([*outside, *inside])
    return found


def visible_calls(homework: str, names: dict[str, str]) -> dict[str, list[str]]:
    """Return the arguments with which each question's visible tests call its function, packed.

    ``names`` tells the function of a question. The notebook is run with the model answers.
    """
    import matplotlib as mpl

    from linlib.notebook import plotting

    mpl.use("agg")
    found: dict[str, list[str]] = {}
    calls: list[str]
    namespace: dict[str, Any] = {}
    show = plotting.show
    plotting.show = lambda figure, alt: mpl.pyplot.close(figure)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for cell in source(homework).cells:
                label = cell.metadata.nbgrader.grade_id
                question = label.removesuffix("-tests")
                if cell.cell_type != "code":
                    continue
                if label != question and callable(namespace.get(names.get(question, ""))):
                    name, calls = names[question], []
                    function = namespace[name]
                    namespace[name] = recorded(function, calls)
                    exec("\n".join(split_lines(cell)[0]), namespace)
                    namespace[name] = function
                    found[question] = list(dict.fromkeys(calls))
                else:
                    text = "\n".join(split_lines(cell)[0])
                    exec(model_answers(homework).get(label) or text, namespace)
    finally:
        plotting.show = show
    return found


def recorded(function: Callable[..., Any], calls: list[str]) -> Callable[..., Any]:
    """Return the function; what it is called with is put down before."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        calls.append(json.dumps(protocol.pack(copy.deepcopy(arguments))))
        return function(*arguments)

    return call
