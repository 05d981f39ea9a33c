"""The part that is nbgrader's: templates, the gradebook, and who has which points."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import NbGraderAPI
from nbgrader.preprocessors import CheckCellMetadata, SaveAutoGrades
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

HOMEWORK = Path(__file__).resolve().parent.parent
SOURCE, RELEASE = HOMEWORK / "source", HOMEWORK / "release"
CODE_STUB = 'raise NotImplementedError("not answered yet")'
TEXT_STUB = "*Your answer here.*"

Preprocessor = Callable[[NotebookNode, dict[str, Any]], tuple[NotebookNode, dict[str, Any]]]


def assignments() -> list[str]:
    """Return the names of all homework, e.g. ``hw1``."""
    return sorted(path.name for path in SOURCE.iterdir() if path.is_dir())


class CourseError(Exception):
    """nbgrader refused, and why."""


@dataclass
class Course:
    """An nbgrader course in its own folder: one gradebook, one homework's submissions."""

    root: Path
    homework: str
    decide: Preprocessor | None = None

    @cached_property
    def api(self) -> NbGraderAPI:
        logging.getLogger("traitlets").setLevel(logging.ERROR)
        warnings.filterwarnings("ignore", category=SAWarning)  # nbgrader's own affair
        beside = str(Path(sys.executable).parent)  # nbgrader starts alembic by its bare name
        os.environ["PATH"] = os.pathsep.join([beside, os.environ.get("PATH", "")])
        config = Config()
        config.CourseDirectory.root = str(self.root)
        config.CourseDirectory.db_url = f"sqlite:///{self.root / 'gradebook.db'}"
        config.CourseDirectory.course_id = "linear-classification"
        config.ClearSolutions.code_stub = {"python": CODE_STUB}
        config.ClearSolutions.text_stub = TEXT_STUB
        if self.decide is not None:
            config.Autograde.autograde_preprocessors = [
                self.decide,
                SaveAutoGrades,
                CheckCellMetadata,
            ]
        return NbGraderAPI(config=config)

    def generate(self, source: Path) -> NotebookNode:
        """Make the template of a source folder; return it as nbgrader wrote it."""
        target = self.root / "source" / self.homework
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*"))
        self._do(self.api.generate_assignment(self.homework, force=True))
        return nbformat.read(self.release / f"{self.homework}.ipynb", as_version=4)

    @property
    def release(self) -> Path:
        """The folder of the template."""
        return self.root / "release" / self.homework

    def autograde(self, student: str, notebook: NotebookNode) -> None:
        """Grade one submission with ``decide``, and enter the points into the gradebook."""
        folder = self.root / "submitted" / student / self.homework
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{self.homework}.ipynb")
        self._do(self.api.autograde(self.homework, student))

    def graded(self, student: str) -> NotebookNode:
        """Return the notebook with the outputs of the first run and the judge's verdicts."""
        folder = self.root / "autograded" / student / self.homework
        return nbformat.read(folder / f"{self.homework}.ipynb", as_version=4)

    def forget(self, student: str) -> None:
        """Take a submission out of the gradebook."""
        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as book:
            try:
                book.remove_submission(self.homework, student)
            except MissingEntry:
                return

    def points(self, student: str) -> dict[str, float | None]:
        """Return the points of each question; None where a person has still to mark it."""
        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as book:
            grades = book.find_submission_notebook(self.homework, self.homework, student).grades
            return {
                grade.name.removesuffix("-tests"): None
                if grade.manual_score is None and grade.auto_score is None
                else float(grade.score)
                for grade in grades
            }

    def mark(self, student: str, label: str, points: float, comment: str) -> None:
        """Enter the points a person gave for a written answer."""
        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as book:
            where = (self.homework, self.homework, student)
            grade = book.find_grade(label, *where)
            grade.manual_score, grade.needs_manual_grade = points, False
            book.find_comment(label, *where).manual_comment = comment or None
            book.db.commit()

    def comment(self, student: str, label: str) -> str:
        """Return what the person who marked a written answer wrote."""
        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as book:
            where = (self.homework, self.homework, student)
            return book.find_comment(label, *where).manual_comment or ""

    def _do(self, result: dict[str, Any]) -> None:
        if not result["success"]:
            if (result.get("error") or "").rstrip().endswith("KeyboardInterrupt"):
                raise KeyboardInterrupt  # nbgrader swallows it
            text = f"{result.get('log') or ''}\n{result.get('error') or ''}".strip()
            raise CourseError(text)
