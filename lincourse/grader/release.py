"""Makes the student templates, and makes sure that nothing of the solutions is in them.

nbgrader removes what stands between markers. It does not notice a misspelt marker or a remark in
the metadata: a template has only the fields listed here, and ``leaks`` looks for the rest.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from lincourse.files import put
from lincourse.grader import SOME_FAILED, RefusedError, hidden
from lincourse.grader.hidden import questions, renew
from lincourse.grader.source import SOURCE, split_lines, visible_calls
from lincourse.grader.verdicts import packed_arguments
from lincourse.paths import HOMEWORK

RELEASE = HOMEWORK / "release"
CODE_STUB = 'raise NotImplementedError("not answered yet")'
TEXT_STUB = "*Your answer here.*"
# All that an answer in code may show: a signature with its docstring, and the line that raises.
STUB = re.compile(rf'(def [^\n]+:\n    """[^"]*"""\n    )?{re.escape(CODE_STUB)}')
MARKER = re.compile("BEGIN|SOLUTION|HIDDEN")  # is in every marker, and in most misspelt ones
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
LABEL = ("cell_type", "grade", "grade_id", "locked", "points", "schema_version", "solution", "task")


def template(homework: str, source: Path | None = None) -> NotebookNode:
    """Return the student's notebook made from a source folder, or raise ``RefusedError``."""
    source = source or SOURCE / homework
    original = nbformat.read(source / f"{homework}.ipynb", as_version=4)
    if found := list(marker_problems(original)):
        raise RefusedError("\n".join(found))
    made = cleared(original)
    if found := list(leaks(original, made, hints(homework))):
        raise RefusedError("\n".join(found))
    return made


def cleared(source: NotebookNode) -> NotebookNode:
    """Return a source notebook without solutions, hidden tests, outputs and unknown fields.

    These are nbgrader's own steps of ``generate_assignment``, without its folders and its database.
    """
    from nbgrader import preprocessors as steps
    from traitlets.config import Config

    config = Config()
    config.ClearSolutions.code_stub = {"python": CODE_STUB}
    config.ClearSolutions.text_stub = TEXT_STUB
    order = [steps.LockCells, steps.ClearSolutions, steps.CheckCellMetadata]
    order += [steps.ClearHiddenTests, steps.ClearMarkScheme, steps.ComputeChecksums]
    made: NotebookNode = nbformat.v4.new_notebook(metadata=NOTEBOOK_METADATA)
    for cell in source.cells:
        kind = getattr(nbformat.v4, f"new_{cell.cell_type}_cell")
        label = {k: v for k, v in cell.metadata.nbgrader.items() if k in LABEL}
        made.cells.append(kind(cell.source, id=cell.id, metadata={"nbgrader": label}))
    try:
        for step in order:
            made, _ = step(config=config).preprocess(made, {})
    except Exception as problem:  # nbgrader's own errors have no common ancestor
        raise RefusedError(f"nbgrader refuses: {problem}") from problem
    return made


def assignments() -> list[str]:
    """Return the names of all homework, e.g. ``hw1``."""
    return sorted(path.name for path in SOURCE.iterdir() if path.is_dir())


def released(homework: str) -> NotebookNode:
    """Return the template that students got."""
    path = RELEASE / homework / f"{homework}.ipynb"
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def hints(homework: str) -> list[str]:
    """Return the sentences that would tell a student the answers."""
    return [hint for question in questions(homework).values() for hint in question.wrong]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make every template, or write model answers; return 3 if some template was refused."""
    parser = argparse.ArgumentParser(description="Make the student templates of the homework.")
    parser.add_argument("--seed", type=int, help="draw new hidden data, kept out of git")
    parser.add_argument(
        "--answers", metavar="HW", help="write model answers to build/answers, after the deadline"
    )
    options = parser.parse_args(arguments)
    if options.answers:
        path = write_answers(options.answers, Path("build/answers"))
        print(f"Model answers without hidden tests: {path}")
        return 0
    put(hidden.VISIBLE, visible_tests())
    questions.cache_clear()
    if options.seed is not None:
        renew(options.seed)
    status = 0
    for homework in assignments():
        try:
            text = nbformat.writes(template(homework)) + "\n"
            changed = put(RELEASE / homework / f"{homework}.ipynb", text)
            outcome = "written" if changed else "unchanged"
        except RefusedError as problem:
            outcome, status = f"REFUSED\n{problem}", SOME_FAILED
        print(f"{homework}: {outcome}", flush=True)
    return status


def visible_tests() -> str:
    """Return what the visible tests of all homework call, as ``questions/visible.json`` keeps it.

    They are hidden cases as well: an answer that fails on the page it stands on is not right.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for homework in assignments():
        own = hidden.own_questions(homework)
        names = {label: question.name for label, question in own.items()}
        for label, calls in visible_calls(homework, names).items():
            known = {packed_arguments(case) for case in own[label].cases}
            if more := [call for call in calls if call not in known]:
                found.setdefault(homework, {})[label] = more
    return json.dumps(found, indent=1) + "\n"


def write_answers(homework: str, folder: Path) -> Path:
    """Write a homework with its model answers, for students after the deadline; return the file.

    Hidden tests stay hidden: next year's data are drawn by the same program.
    """
    if homework not in assignments():
        raise RefusedError(f"--answers: there is no {homework!r}.")
    made = nbformat.read(SOURCE / homework / f"{homework}.ipynb", as_version=4)
    for cell in made.cells:
        lines = [line for line in cell.source.splitlines() if not MARKER.search(line)]
        shown = lines if cell.metadata.nbgrader.solution else split_lines(cell)[0]
        cell.source = "\n".join(shown).rstrip()
        cell.metadata = NotebookNode()
    path = folder / f"{homework}.ipynb"
    put(path, nbformat.writes(made) + "\n")
    return path


# ---------------------------------------------------------------- leaks


def marker_problems(notebook: NotebookNode) -> Iterator[str]:
    """Yield what is wrong with the labels and markers of a source notebook."""
    for cell in notebook.cells:
        label = cell.metadata.get("nbgrader", {})
        if not label or cell.get("attachments"):
            yield f"cell {cell.id}: has no label of nbgrader's, or attachments."
        hidden = "HIDDEN TESTS" if label.get("grade") else None
        wanted = "SOLUTION" if label.get("solution") else hidden
        marks = [line.strip() for line in cell.source.splitlines() if MARKER.search(line)]
        right = [f"### BEGIN {wanted}", f"### END {wanted}"] if wanted else []
        if marks != right:
            yield f"cell {cell.id}: its markers are {marks}, they should be {right}."


def leaks(original: NotebookNode, made: NotebookNode, hints: list[str]) -> Iterator[str]:
    """Yield one sentence for each thing in a template that must not be there."""
    answers = [cell for cell in made.cells if cell.metadata.nbgrader.solution]
    for cell in answers:
        if cell.source != TEXT_STUB and not STUB.fullmatch(cell.source):
            yield f"cell {cell.id} shows more than a place for an answer: {cell.source!r}."
    text = "\n".join(cell.source for cell in made.cells)
    hidden = {line.strip() for cell in original.cells for line in split_lines(cell)[1]}
    given = [cell for cell in original.cells if cell.cell_type == "code"]
    hidden -= {line.strip() for cell in given for line in split_lines(cell)[0]}
    shown = hidden & {line.strip() for line in text.splitlines()}
    for line in [*sorted(shown), *(hint for hint in hints if hint in text)]:
        if len(line) > 5:
            yield f"a line that must stay hidden is in the template: {line!r}."
