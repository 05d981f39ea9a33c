"""What is in a notebook file: cells, their tags, and outputs as a reader would name them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat.v4
from nbformat import NotebookNode

PNG = "image/png"
JPEG = "image/jpeg"
WIDGET = "application/vnd.jupyter.widget-view+json"

OURS = "nbsame"  # the key of a notebook's metadata under which versions are kept


class UnreadableError(ValueError):
    """A file that is no notebook we can read; the message says why and what to do."""


def read(path: Path) -> NotebookNode:
    """Read a notebook of nbformat 4.0 to 4.5 as it is, without mending what is wrong with it."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UnreadableError(f"this is not a notebook: {error}") from None
    if not isinstance(raw, dict) or "nbformat" not in raw:
        raise UnreadableError("this is not a notebook: it has no nbformat")
    if raw["nbformat"] != 4:
        raise UnreadableError(
            f"this is a notebook of nbformat {raw['nbformat']}, and only 4 can be read: "
            "open it in Jupyter and save it, or run `jupyter nbconvert --to notebook --inplace`"
        )
    for key in ("cells", "metadata"):
        if key not in raw:
            raise UnreadableError(f"this is not a notebook: it has no {key}")
    notebook: NotebookNode = nbformat.v4.to_notebook(raw)
    return notebook


def runs(cell: NotebookNode) -> bool:
    """Tell whether there is anything in a cell to run."""
    return cell.cell_type == "code" and bool(cell.source.strip())


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the cells that run, in order: cell k of every message is the k-th of these."""
    return list(filter(runs, notebook.cells))


def language(notebook: NotebookNode) -> str:
    """Return the language of a notebook's kernel; one that says none is taken for Python."""
    spec = notebook.metadata.get("kernelspec", {})
    info = notebook.metadata.get("language_info", {})
    return str(info.get("name") or spec.get("language") or "python").lower()


def never_run(cell: NotebookNode) -> bool:
    return cell.get("execution_count") is None and not cell.outputs


def stores_nothing(notebook: NotebookNode) -> bool:
    """Tell whether no cell of a notebook was ever run, so that there is nothing to compare."""
    return all(map(never_run, code_cells(notebook)))


def stored_versions(notebook: NotebookNode) -> dict[str, str]:
    """Return the versions that made the stored outputs, as ``nbsame refresh`` recorded them."""
    return dict(notebook.metadata.get(OURS, {}).get("versions", {}))


# ---------------------------------------------------------------- tags and comments


def tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


# What a tag means. nbval's and nbclient's are honoured, with "_" and "-" alike.
MEANINGS = {
    "nbsame-skip": "skip",
    "nbval-skip": "skip",
    "skip-execution": "skip",
    "nbsame-ignore-output": "ignore output",
    "nbval-ignore-output": "ignore output",
    "nbsame-check-output": "check output",
    "nbval-check-output": "check output",
    "raises-exception": "raises",
    "nbval-raises-exception": "raises",
}
COMMENTS = {
    "NBVAL_SKIP": "skip",
    "NBVAL_IGNORE_OUTPUT": "ignore output",
    "PYTEST_VALIDATE_IGNORE_OUTPUT": "ignore output",
    "NBVAL_CHECK_OUTPUT": "check output",
    "NBVAL_RAISES_EXCEPTION": "raises",
}
COMMENT = re.compile(rf"^\s*#\s*({'|'.join(COMMENTS)})\b", re.MULTILINE)


def asked(cell: NotebookNode) -> set[str]:
    r"""Return what the author asks for by tags and comments: skip, ignore output, raises.

    >>> cell = NotebookNode(source="# NBVAL_SKIP\n1", metadata={"tags": ["raises-exception"]})
    >>> sorted(asked(cell))
    ['raises', 'skip']
    """
    by_tag = {MEANINGS.get(tag.lower().replace("_", "-")) for tag in tags(cell)}
    by_comment = {COMMENTS[name] for name in COMMENT.findall(cell.source)}
    found = by_comment.union(meaning for meaning in by_tag if meaning)
    if "check output" in found:  # the narrower wish wins, as in nbval
        found -= {"ignore output"}
    return found


# ---------------------------------------------------------------- outputs


def merged(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring writes to one stream: where they are split depends on timing."""
    result: list[NotebookNode] = []
    for output in outputs:
        output = NotebookNode(output)  # a copy, so that joining leaves the notebook as it is
        last = result[-1] if result else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            result.append(output)
    return result


def kind(output: NotebookNode) -> str:
    """Return what a reader would call this output, e.g. ``stdout`` or ``display of image/png``."""
    if output.output_type == "stream":
        return str(output.name)
    if output.output_type == "error":
        return "error"
    role = "result" if output.output_type == "execute_result" else "display"
    return f"{role} of {' + '.join(sorted(set(output.data) - live_view(output)))}"


def live_view(output: NotebookNode) -> set[str]:
    """Return the live view of a widget, if a still picture or its HTML lies beside it.

    A live view needs a running kernel, so a notebook may store what is still; a run has both.
    """
    data = output.get("data", {})
    return {WIDGET} & set(data) if has_figure(output) or "text/html" in data else set()


def has_figure(output: NotebookNode) -> bool:
    return PNG in output.get("data", {})


def error_of(outputs: Iterable[NotebookNode]) -> NotebookNode | None:
    """Return the error that ended a cell, None if it ran to its end."""
    return next((output for output in outputs if output.output_type == "error"), None)


# ---------------------------------------------------------------- names that cells hand on


def names(source: str) -> tuple[set[str], set[str]]:
    r"""Return the names that a cell reads, and those that it binds or may change.

    Magics and shell lines are left out; a cell that is not Python reads and binds nothing.

    >>> reads, changes = names("%matplotlib inline\nfit = model(X)\nrows.append(fit)\n!ls")
    >>> sorted(reads), sorted(changes)
    (['X', 'fit', 'model', 'rows'], ['fit', 'rows'])
    """
    try:
        tree = ast.parse(re.sub(r"(?m)^\s*[%!?].*$|\?+\s*$", "", source))
    except SyntaxError:
        return set(), set()
    reads: set[str] = set()
    changes: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (reads if isinstance(node.ctx, ast.Load) else changes).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            changes.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            changes |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        else:
            changes |= changed_in_place(node)
    return reads, changes


def changed_in_place(node: ast.AST) -> set[str]:
    """Return the object that a statement changes: ``a.b = 1``, ``a[0] = 1``, ``a.append(1)``."""
    whole: Any = None
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
        whole = node
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        whole = node.value.func if isinstance(node.value.func, ast.Attribute) else None
    while isinstance(whole, ast.Attribute | ast.Subscript):
        whole = whole.value
    return {whole.id} if isinstance(whole, ast.Name) else set()
