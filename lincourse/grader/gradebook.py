"""The part that is nbgrader's: clearing solutions from a notebook, and the gradebook."""

from __future__ import annotations

import copy
import functools
import logging
import tempfile
import warnings
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from lincourse.files import replacing
from lincourse.paths import HOMEWORK

SOURCE, RELEASE = HOMEWORK / "source", HOMEWORK / "release"
CODE_STUB = 'raise NotImplementedError("not answered yet")'
TEXT_STUB = "*Your answer here.*"
COURSE = "linear-classification"
Grades = tuple[str, dict[str, float | None], dict[str, str], set[str]]


def assignments() -> list[str]:
    """Return the names of all homework, e.g. ``hw1``."""
    return sorted(path.name for path in SOURCE.iterdir() if path.is_dir())


class CourseError(Exception):
    """nbgrader refused, and why."""


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
        raise CourseError(str(problem)) from problem
    return made


# ---------------------------------------------------------------- the gradebook


@contextmanager
def _quietly() -> Any:
    """Let nbgrader open a gradebook without a word."""
    from sqlalchemy.exc import SAWarning

    logging.getLogger("traitlets").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=SAWarning)
        yield


def _make_tables(address: str) -> None:
    """Make nbgrader's tables and note their version.

    nbgrader would do the same, but starts a program to learn the version: that takes a second.
    """
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR
    from sqlalchemy import create_engine

    engine = create_engine(address)
    Base.metadata.create_all(engine)
    with engine.begin() as connection:
        MigrationContext.configure(connection).stamp(ScriptDirectory(ALEMBIC_DIR), "head")
    engine.dispose()


@functools.lru_cache(maxsize=8)
def empty_gradebook(homework: str, template: str) -> bytes:
    """Return the file of a gradebook that knows the questions of one homework and nobody yet."""
    import nbformat
    from nbgrader.api import Gradebook
    from nbgrader.preprocessors import SaveCells

    with tempfile.TemporaryDirectory() as folder, _quietly():
        path = Path(folder) / "gradebook.db"
        address = f"sqlite:///{path}"
        _make_tables(address)
        with Gradebook(address, COURSE) as book:
            book.update_or_create_assignment(homework)
        names = {"notebook": homework, "assignment": homework, "db_url": address}
        SaveCells().preprocess(nbformat.reads(template, as_version=4), {"nbgrader": names})
        return path.read_bytes()


def write_gradebook(
    path: Path,
    homework: str,
    template: str,
    grades: Iterable[Grades],
) -> None:
    """Write the gradebook anew, in one transaction.

    A grade is a student, points and comments by question, and the questions a person marks.
    """
    with replacing(path) as fresh, _quietly():
        fresh.write_bytes(empty_gradebook(homework, template))
        _enter(fresh, homework, grades)


def _enter(
    path: Path,
    homework: str,
    grades: Iterable[Grades],
) -> None:
    from nbgrader.api import Comment, Grade, Gradebook, Student, SubmittedAssignment
    from nbgrader.api import SubmittedNotebook as Notebook

    with Gradebook(f"sqlite:///{path}", COURSE) as book:
        assignment = book.find_assignment(homework)
        notebook = book.find_notebook(homework, homework)
        cells = [(cell.id, cell.name.removesuffix("-tests")) for cell in notebook.grade_cells]
        answers = [(cell.id, cell.name) for cell in notebook.solution_cells]
        with book.db.no_autoflush:
            for student, points, comments, by_hand in grades:
                whole = SubmittedAssignment(assignment=assignment, student=Student(id=student))
                part = Notebook(notebook=notebook, assignment=whole)
                for identity, label in cells:
                    value = points.get(label)
                    kind = "manual_score" if label in by_hand else "auto_score"
                    Grade(
                        cell_id=identity,
                        notebook=part,
                        needs_manual_grade=value is None,
                        **{kind: value},
                    )
                for identity, label in answers:
                    text = comments.get(label) or None
                    Comment(cell_id=identity, notebook=part, manual_comment=text)
                book.db.add(whole)
        book.db.commit()
