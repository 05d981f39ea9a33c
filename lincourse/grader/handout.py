"""Makes what students get: a folder and a zip that work on their own, and nothing else.

Only what is listed goes in, and before anything is written each file is searched for what must not
be there: solutions, hidden cases, the grader, and what a source notebook keeps between markers.
"""

from __future__ import annotations

import argparse
import functools
import json
import shutil
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import nbformat

from lincourse.grader import RefusedError
from lincourse.grader.platforms import write_zip
from lincourse.grader.release import RELEASE, assignments, hints, template
from lincourse.grader.source import SOURCE, split_lines
from lincourse.paths import ROOT

TOP = ("LICENSE", "LICENSE-TEXT", "lincourse/__init__.py", "lincourse/paths.py")
KINDS = {".py", ".ipynb", ".js", ".json", ".css", ".png", ".svg", ".csv", ".md", ".toml"}
LEDGER = ("claims.toml", "stability.toml")  # lecture 00 counts what is in them
LEAST = 24  # characters of a line that says enough to be recognised
SITE = "Your lecturer has the address of the course's site"
README = Path(__file__).with_name("student.md")


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the folder and the zip for students."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/student"))
    parser.add_argument("--site", default="", help="where the course's site is, for its README")
    options = parser.parse_args(arguments)
    build(options.out, options.site)


def files() -> Iterator[tuple[str, Path]]:
    """Yield what goes in: the name in the handout, and where it comes from."""
    yield "start.py", ROOT / "lincourse/lab/start.py"
    yield "requirements.txt", ROOT / "requirements-reader.lock"
    for name in TOP:
        yield name, ROOT / name
    for folder in ("linlib", "lincourse/lab"):
        for path in sorted((ROOT / folder).rglob("*")):
            known = path.suffix in KINDS and path.name != "start.py"
            if path.is_file() and known and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), path
    for path in sorted((ROOT / "proofs").glob("*.v")):  # what run.proof() begins with
        yield f"linlib/proofs/{path.name}", path
    for path in sorted((ROOT / "notebooks").iterdir()):
        if path.suffix == ".ipynb" or path.name in LEDGER:
            yield f"notebooks/{path.name}", path
    for path in sorted((ROOT / "notebooks/solutions").glob("*.ipynb")):  # of exercises: they are
        yield f"notebooks/solutions/{path.name}", path  # for everybody, unlike homework's
    for homework in assignments():  # where the lectures' links lead
        name = f"{homework}/{homework}.ipynb"
        yield f"notebooks/homework/release/{name}", RELEASE / name


def build(out: Path, site: str = "") -> Path:
    """Write the folder and the zip, or raise ``RefusedError``; return the zip."""
    today = date.today()
    text = README.read_text(encoding="utf-8").format(
        date=today, site=f"Read on <{site}>" if site else SITE
    )
    chosen = [(name, path.read_bytes()) for name, path in files()]
    chosen.append(("README.md", text.encode()))
    problems = [problem for name, data in chosen for problem in refused(name, data)]
    if problems:
        raise RefusedError("\n".join(["Not for students:", *problems[:20]]))
    archive = out.with_name(f"{out.name}.zip")
    when = (today.year, today.month, today.day, 0, 0, 0)
    write_zip(archive, ((f"{out.name}/{name}", data) for name, data in sorted(chosen)), when)
    shutil.rmtree(out, ignore_errors=True)
    shutil.unpack_archive(archive, out.parent)
    print(f"{len(chosen)} files in {out} and {archive}: nothing in them is a solution.")
    return archive


def refused(name: str, data: bytes) -> Iterator[str]:
    """Yield why a file must not be handed out."""
    parts, homework = Path(name).parts, Path(name).stem
    if any(part in ("source", "questions", "grader", "tests") for part in parts):
        yield f"{name}: this folder is the instructor's."
    if "homework" in parts and nbformat.writes(template(homework)) + "\n" != data.decode():
        yield f"{name}: it is not the template that the source makes: run `make homework`."
    text = data.decode("utf-8", "replace")
    for line in secrets() if "linlib" not in parts else ():
        if line in text:
            yield f"{name}: holds {line!r}, which is part of a solution or a hidden test."


@functools.cache
def secrets() -> list[str]:
    """Return lines that give an answer away: of written answers, hints and hidden tests."""
    found: set[str] = set()
    for homework in assignments():
        source = nbformat.read(SOURCE / homework / f"{homework}.ipynb", as_version=4)
        visible = {line.strip() for cell in source.cells for line in split_lines(cell)[0]}
        written = [cell for cell in source.cells if cell.cell_type == "markdown"]
        found |= {line.strip() for cell in written for line in split_lines(cell)[1]} - visible
        found |= {*hints(homework), f'hidden.tests("{homework}"'}
    found = {line for line in found if len(line) >= LEAST}
    found |= {"### BEGIN SOLUTION", "### BEGIN HIDDEN TESTS"}
    # also as they stand in a notebook file, where a line is a piece of JSON
    return sorted(found | {json.dumps(line, ensure_ascii=False)[1:-1] for line in found})
