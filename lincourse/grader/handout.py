"""Makes what students get: a folder and a zip with lectures, templates, library and environment.

Only what is listed goes in, and before anything is written each file is searched for what must not
be there: solutions, hidden cases, the grader, and what a source notebook keeps between markers.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat

from lincourse.grader.gradebook import RELEASE, SOURCE, assignments
from lincourse.grader.hidden import questions
from lincourse.grader.platforms import write_zip
from lincourse.grader.release import (
    LeakError,
    hidden_lines,
    hints,
    looks_like_a_marker,
    open_lines,
    template,
)
from lincourse.paths import ROOT

TOP = (
    "LICENSE",
    "LICENSE-TEXT",
    "Makefile",
    "environment.yml",
    "pyproject.toml",
    "requirements.lock",
)
KINDS = {".py", ".ipynb", ".toml", ".js", ".css", ".png", ".svg", ".csv"}
LEAST = 24  # characters of a line that says enough to be recognised
README = """# Linear classification

Executable lectures and homework. You need Python 3.11 or newer and `make`.

    make lab

sets everything up (once) and opens JupyterLab on `00-start-here`. Without `make`:

    python3 -m venv .venv
    .venv/bin/pip install -r requirements.lock
    .venv/bin/pip install --no-deps -e .
    .venv/bin/jupyter lab notebooks

Homework is in `notebooks/homework`: answer in place, press *Validate*, hand in the one file.
"""


class HandoutError(Exception):
    """A handout that must not be handed out, and why."""


def files() -> Iterator[tuple[str, Path]]:
    """Yield what goes in: the name in the handout, and where it comes from."""
    for name in TOP:
        if (ROOT / name).exists():
            yield name, ROOT / name
    for path in sorted((ROOT / "linlib").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield str(path.relative_to(ROOT)), path
    # How `make lab` serves the course; but Validate stays, and with it all tools for assignments.
    for path in sorted((ROOT / "lincourse" / "lab").rglob("*")):
        if path.is_file() and not {"__pycache__", "lectures"} & set(path.parts):
            yield str(path.relative_to(ROOT)), path
    for path in sorted((ROOT / "notebooks").iterdir()):
        if path.is_file() and path.suffix in KINDS and "solution" not in path.stem:
            yield f"notebooks/{path.name}", path
    for homework in assignments():
        yield (
            f"notebooks/homework/{homework}/{homework}.ipynb",
            RELEASE / homework / f"{homework}.ipynb",
        )


def build(out: Path) -> Path:
    """Write the folder and the zip, or raise ``HandoutError``; return the zip."""
    chosen = [(name, path.read_bytes()) for name, path in files()]
    chosen.append(("README.md", README.encode()))
    problems = [problem for name, data in chosen for problem in refused(name, data)]
    if problems:
        raise HandoutError("\n".join(["Not for students:", *problems[:20]]))
    partial = out.with_name(f".{out.name}")
    shutil.rmtree(partial, ignore_errors=True)
    for name, data in chosen:
        (partial / name).parent.mkdir(parents=True, exist_ok=True)
        (partial / name).write_bytes(data)
    archive = out.with_name(f"{out.name}.zip")
    write_zip(archive, ((f"{out.name}/{name}", data) for name, data in sorted(chosen)))
    shutil.rmtree(out, ignore_errors=True)
    partial.replace(out)
    print(f"{len(chosen)} files in {out} and {archive}: nothing in them is a solution.")
    return archive


def refused(name: str, data: bytes) -> Iterator[str]:
    """Yield why a file must not be handed out."""
    parts = Path(name).parts
    if any(part in ("source", "questions", "grader", "tests", "solutions") for part in parts):
        yield f"{name}: this folder is the instructor's."
    if Path(name).suffix == ".ipynb":
        yield from (f"{name}: {problem}" for problem in in_notebook(name, data))
    text = data.decode("utf-8", "replace")
    for line in secrets() if "linlib" not in parts else ():
        if line in text:
            yield f"{name}: holds {line!r}, which is part of a solution or a hidden test."


def in_notebook(name: str, data: bytes) -> Iterator[str]:
    """Yield what a notebook for students must not have; a template must be the one that is made."""
    notebook = nbformat.reads(data.decode(), as_version=4)
    for cell in notebook.cells:
        if any(looks_like_a_marker(line) for line in cell.source.splitlines()):
            yield f"cell {cell.id} shows a marker."
        if "solution" in cell.metadata.get("tags", []):
            yield f"cell {cell.id} is tagged as a solution."
    homework = Path(name).stem
    if "homework" in Path(name).parts:
        try:
            made = nbformat.writes(template(homework)) + "\n"
        except LeakError as problem:
            yield str(problem)
            return
        if made.encode() != data:
            yield "it is not the template that the source makes: run `make homework`."


def secrets() -> list[str]:
    """Return lines that give an answer away: of written answers, hints and hidden tests."""
    if not _secrets:
        found: set[str] = set()
        for homework in assignments():
            source = nbformat.read(SOURCE / homework / f"{homework}.ipynb", as_version=4)
            visible = {line.strip() for cell in source.cells for line in open_lines(cell)}
            for cell in source.cells:
                if cell.cell_type == "markdown":
                    found |= {line for line in hidden_lines(cell) if line not in visible}
            found |= set(hints(homework))
            found |= {f'hidden.tests("{homework}"' for _ in questions(homework)}
        # as they stand in a notebook file, where a line is a piece of JSON
        texts = {json.dumps(line, ensure_ascii=False)[1:-1] for line in found if len(line) >= LEAST}
        _secrets.extend(sorted(texts | {line for line in found if len(line) >= LEAST}))
    return _secrets


_secrets: list[str] = []
