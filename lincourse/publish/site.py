"""Make the site: collect the pages, let Sphinx turn them into build/site.

No cell of a notebook is run: pages show what is stored. Explorers are: ``recordings`` draws the
pictures with which their pages begin. The same sources give the same bytes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import nbformat

from lincourse import garbage, markup
from lincourse.files import put
from lincourse.paths import PAGES, ROOT
from lincourse.publish import (
    claims_pages,
    guide,
    live,
    packages,
    pages,
    recordings,
    reference,
    slides,
)
from lincourse.publish.cells import PREDICT_JS
from lincourse.publish.lectures import Lecture, lectures, templates, write_figures
from lincourse.publish.links import REPEATED

STATIC = {"source": ["static", str(PREDICT_JS)], "book": ["book.css"]}


def collect(folder: Path) -> None:
    """Write every page into a folder."""
    values = claims_pages.checked()
    course, homework = lectures(), templates()
    values |= {"course": course, "homework": homework, "explorer": front(course)}
    values |= {"session": guide.session, "packages": packages.PINS, "version": version}
    names = {path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.md")}
    names -= {f"guide/{slug}.md" for slug in guide.sources()}  # these become pages of lectures
    wanted = {name: claims_pages.filled(name, **values) for name in names}
    wanted["guide/syllabi.md"] = guide.with_minutes(wanted["guide/syllabi.md"])
    wanted |= {f"guide/{one.name}.md": guide.page(one) for one in course}
    wanted |= {f"{name}.md": (ROOT / path).read_text("utf-8") for name, path in REPEATED.items()}
    wanted |= {f"lectures/{one.name}.ipynb": nbformat.writes(pages.page(one)) for one in course}
    wanted |= {f"homework/{one.name}.ipynb": nbformat.writes(pages.page(one)) for one in homework}
    wanted |= reference.library()
    for name, text in wanted.items():
        put(folder / name, text)


def front(course: list[Lecture]) -> str:
    """Return the first explorer of the course; its Python comes without being asked for."""
    lecture, cell = next((one, cell) for one in course for cell in one.cells if cell.explores)
    (shown,) = lecture.figures(cell)
    still = markup.picture(f"figures/{shown.name}.png", shown.alt, shown.width, shown.height)
    name = recordings.name_of(lecture, cell)
    return recordings.box(name, still, "walks/", " data-eager")


def sphinx(
    sources: Path, out: Path, builder: str = "html", conf: Path = PAGES, **settings: str
) -> None:
    """Run Sphinx; a warning is an error. Files for all pages may lie beside the sources."""
    static = sources.with_name("static")
    packages.write_fonts(static)
    settings |= {"html_static_path": f"{','.join(STATIC[conf.name])},{static}"}
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", builder]
    command += ["-c", str(conf), "-d", str(sources.with_name("doctrees")), str(sources), str(out)]
    command += [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    plain = {"SOURCE_DATE_EPOCH": "0", "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, env={**os.environ, **plain}, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(f"Sphinx stopped with status {done.returncode}: see above.")


def build(out: Path, pyodide: str = "") -> None:
    """Make the site in ``out``, from nothing, so that the same sources give the same bytes."""
    garbage.seldom()
    shutil.rmtree(out, ignore_errors=True)
    try:
        told = live.write(out / "live", pyodide)
    except packages.MissingError as missing:
        told = None
        print(f"Explorers are recordings, not live: {missing}.")
    recordings.write(out / "walks", live=told)
    with tempfile.TemporaryDirectory() as work:
        collect(Path(work) / "pages")
        sphinx(Path(work) / "pages", Path(work) / "made")
        shutil.copytree(Path(work) / "made", out, dirs_exist_ok=True)
    for one in [*lectures(), *templates()]:
        put(out / "notebooks" / one.path.name, one.path.read_bytes())
    write_figures(out / "figures", [*lectures(), *templates()])
    slides.write(out / "slides", "../")
    for name in (".buildinfo", "objects.inv", "*.map", "webpack-macros.html", "mystnb.*.css"):
        for leftover in out.rglob(name):
            leftover.unlink()
