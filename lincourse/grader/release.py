"""Makes the student templates, and makes sure that nothing of the solutions is in them.

nbgrader removes what stands between markers. It does not notice a misspelt marker, a file that lies
beside the notebook, or a remark in the metadata. ``leaks`` does, by admitting only what it knows.
"""

from __future__ import annotations

import ast
import copy
import difflib
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from lincourse.files import put
from lincourse.grader.hidden import questions
from lincourse.paths import HOMEWORK

SOURCE, RELEASE = HOMEWORK / "source", HOMEWORK / "release"
CODE_STUB = 'raise NotImplementedError("not answered yet")'
TEXT_STUB = "*Your answer here.*"
MARKERS = [f"{edge} {what}" for edge in ("BEGIN", "END") for what in ("SOLUTION", "HIDDEN TESTS")]
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_FIELDS = {
    *("attachments", "cell_type", "execution_count", "id", "metadata", "outputs", "source"),
}
CELL_METADATA = {"nbgrader", "deletable", "editable"}
LABEL_METADATA = {
    *("cell_type", "checksum", "grade", "grade_id", "locked", "points"),
    *("schema_version", "solution", "task"),
}


class LeakError(Exception):
    """A template that must not be handed out, and why."""


def template(homework: str, source: Path | None = None) -> NotebookNode:
    """Return the student's notebook made from a source folder, or raise ``LeakError``."""
    source = source or SOURCE / homework
    original = nbformat.read(source / f"{homework}.ipynb", as_version=4)
    problems = [*region_problems(original), *stray_files(source, homework)]
    if problems:
        raise LeakError("\n".join(problems))
    made = cleared(original)
    made.metadata = NotebookNode(NOTEBOOK_METADATA) if plain_metadata(made) else made.metadata
    problems = leaks(original, made, hints(homework))
    if problems:
        raise LeakError("\n".join(problems))
    return made


def cleared(source: NotebookNode) -> NotebookNode:
    """Return a copy of a source notebook without solutions, hidden tests and outputs.

    These are nbgrader's own steps of ``generate_assignment``, without its folders and its database.
    """
    from nbgrader import preprocessors as steps
    from traitlets.config import Config

    config = Config()
    config.ClearSolutions.code_stub = {"python": CODE_STUB}
    config.ClearSolutions.text_stub = TEXT_STUB
    order = [steps.LockCells, steps.ClearSolutions, steps.ClearOutput, steps.CheckCellMetadata]
    order += [steps.ClearHiddenTests, steps.ClearMarkScheme, steps.ComputeChecksums]
    made = copy.deepcopy(source)
    try:
        for step in order:
            made, _ = step(config=config).preprocess(made, {})
    except Exception as problem:  # nbgrader's own errors have no common ancestor
        raise LeakError(f"nbgrader refuses: {problem}") from problem
    return made


def assignments() -> list[str]:
    """Return the names of all homework, e.g. ``hw1``."""
    return sorted(path.name for path in SOURCE.iterdir() if path.is_dir())


def hints(homework: str) -> list[str]:
    """Return the sentences that would tell a student the answers."""
    return [hint for question in questions(homework).values() for hint in question.wrong]


def build(homework: str, release: Path = RELEASE) -> bool:
    """Write the template of one homework; return whether the file changed."""
    text = nbformat.writes(template(homework)) + "\n"
    path = release / homework / f"{homework}.ipynb"
    return put(path, text)


def build_all() -> int:
    """Make every template; return how many could not be made."""
    refused = 0
    for homework in assignments():
        try:
            outcome = "written" if build(homework) else "unchanged"
        except LeakError as problem:
            outcome, refused = f"REFUSED\n{problem}", refused + 1
        print(f"{homework}: {outcome}", flush=True)
    return refused


def model_answers(homework: str, folder: Path) -> Path:
    """Write a homework with its model answers, for students after the deadline; return the file.

    Hidden tests stay hidden: next year's data are drawn by the same program.
    """
    made = nbformat.read(SOURCE / homework / f"{homework}.ipynb", as_version=4)
    for cell in made.cells:
        lines = [line for line in cell.source.splitlines() if not looks_like_a_marker(line)]
        shown = lines if cell.metadata.nbgrader.solution else open_lines(cell)
        cell.source = "\n".join(shown).rstrip()
        cell.metadata = NotebookNode()
    path = folder / f"{homework}.ipynb"
    put(path, nbformat.writes(made) + "\n")
    return path


# ---------------------------------------------------------------- leaks


def stray_files(folder: Path, homework: str) -> Iterator[str]:
    """Yield a sentence for each file that would be handed out beside the notebook."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and str(name) != f"{homework}.ipynb" and name.parts[0][0] != ".":
            yield f"{name}: this file would be handed out with the notebook; move it elsewhere."


def plain_metadata(notebook: NotebookNode) -> bool:
    return set(notebook.metadata) <= set(NOTEBOOK_METADATA)


def leaks(original: NotebookNode, made: NotebookNode, secrets: list[str]) -> list[str]:
    """Return one sentence for each thing in a template that must not be there."""
    found = []
    if made.metadata != NOTEBOOK_METADATA:
        found.append(f"the notebook has metadata of its own: {sorted(made.metadata)}.")
    for cell in made.cells:
        place = f"cell {cell.id}"
        found += [f"{place} {problem}" for problem in cell_leaks(cell)]
    text = "\n".join(cell.source for cell in made.cells)
    hidden = [line for cell in original.cells for line in hidden_lines(cell)]
    given = [cell for cell in original.cells if cell.cell_type == "code"]
    visible = {line.strip() for cell in given for line in open_lines(cell)}
    lines = {line.strip() for line in text.splitlines()}
    for line in [*hidden, *secrets]:
        if (
            len(line) > 5
            and line not in visible
            and (line in lines or (line in secrets and line in text))
        ):
            found.append(f"a line that must stay hidden is in the template: {line!r}.")
    return found


def cell_leaks(cell: NotebookNode) -> Iterator[str]:
    """Yield what is wrong with one cell of a template."""
    label = cell.metadata.get("nbgrader", {})
    if not label:
        yield "has no label of nbgrader's."
    for what, there, known in (
        ("metadata", cell.metadata, CELL_METADATA),
        ("a label", label, LABEL_METADATA),
        ("fields", cell, CELL_FIELDS),
    ):
        if set(there) - known:
            yield f"has {what} of its own: {sorted(set(there) - known)}."
    for what in ("outputs", "execution_count", "attachments"):
        if cell.get(what):
            yield f"has {what}."
    for line in cell.source.splitlines():
        if looks_like_a_marker(line):
            yield f"shows a marker: {line.strip()!r}."
    if label.get("solution") and cell.cell_type == "code":
        yield from stub_problems(cell.source)
    elif label.get("solution") and cell.source.strip() != TEXT_STUB:
        yield "is a written answer that shows more than its place."


def stub_problems(source: str) -> Iterator[str]:
    """Yield why an answer cell is more than signatures, docstrings and the line that raises."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        yield "is not Python."
        return
    raises = ast.dump(ast.parse(CODE_STUB).body[0])
    inside = [node.body if isinstance(node, ast.FunctionDef) else [node] for node in body]
    statements = [one for some in inside for one in some]
    kept = [one for one in statements if not is_docstring(one) and ast.dump(one) != raises]
    if kept or raises not in map(ast.dump, statements):
        shown = ast.unparse(kept[0]) if kept else "nothing to answer"
        yield f"is an answer cell that shows more than its stub: {shown!r}."


def is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def looks_like_a_marker(line: str) -> bool:
    """Whether a line resembles one of nbgrader's markers, well or badly spelt."""
    words = re.sub(r"[^A-Z ]", "", line.upper()).strip()
    return bool(difflib.get_close_matches(words, MARKERS, n=1, cutoff=0.75))


def region_problems(notebook: NotebookNode) -> Iterator[str]:
    """Yield what is wrong with the markers of a source notebook."""
    for cell in notebook.cells:
        label = cell.metadata.get("nbgrader", {})
        solution, grade = label.get("solution", False), label.get("grade", False)
        wanted = "SOLUTION" if solution else "HIDDEN TESTS" if grade else None
        lines = [line.strip() for line in cell.source.splitlines()]
        marks = [line for line in lines if looks_like_a_marker(line)]
        right = [f"### BEGIN {wanted}", f"### END {wanted}"] if wanted else []
        if marks != right:
            yield f"cell {cell.id}: its markers are {marks}, they should be {right}."
        if set(label) - LABEL_METADATA:  # of which nbgrader would only say that something is wrong
            yield f"cell {cell.id}: has a label of its own: {sorted(set(label) - LABEL_METADATA)}."


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


def hidden_lines(cell: NotebookNode) -> list[str]:
    return [line.strip() for line in split_lines(cell)[1]]


def open_lines(cell: NotebookNode) -> list[str]:
    return split_lines(cell)[0]
