"""nbgrader's gradebook, written anew by each run, for its own pages and exports."""

from __future__ import annotations

import functools
import logging
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lincourse.files import replacing

COURSE = "linear-classification"
Grades = tuple[str, dict[str, float | None], dict[str, str], set[str]]


@contextmanager
def _quietly() -> Iterator[None]:
    """Let nbgrader open a gradebook without a word."""
    from sqlalchemy.exc import SAWarning

    logging.getLogger("traitlets").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=SAWarning)
        yield


def _make_tables(address: str) -> None:
    """Make nbgrader's tables and note their version; nbgrader starts a program to learn that.

    The program is not on the path of an environment that is not activated.
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


def write_gradebook(path: Path, homework: str, template: str, grades: Iterable[Grades]) -> None:
    """Write the gradebook anew, in one transaction.

    A grade is a student, points and comments by question, and the questions a person marks.
    """
    from nbgrader.api import Comment, Grade, Gradebook, Student, SubmittedAssignment
    from nbgrader.api import SubmittedNotebook as Notebook

    with replacing(path) as fresh, _quietly():
        fresh.write_bytes(empty_gradebook(homework, template))
        with Gradebook(f"sqlite:///{fresh}", COURSE) as book, book.db.no_autoflush:
            assignment = book.find_assignment(homework)
            notebook = book.find_notebook(homework, homework)
            cells = [(cell.id, cell.name.removesuffix("-tests")) for cell in notebook.grade_cells]
            answers = [(cell.id, cell.name) for cell in notebook.solution_cells]
            for student, points, comments, by_hand in grades:
                whole = SubmittedAssignment(assignment=assignment, student=Student(id=student))
                part = Notebook(notebook=notebook, assignment=whole)
                for cell, label in cells:
                    value = points.get(label)
                    score = {"manual_score" if label in by_hand else "auto_score": value}
                    Grade(cell_id=cell, notebook=part, needs_manual_grade=value is None, **score)
                for cell, label in answers:
                    text = comments.get(label) or None
                    Comment(cell_id=cell, notebook=part, manual_comment=text)
                book.db.add(whole)
            book.db.commit()
