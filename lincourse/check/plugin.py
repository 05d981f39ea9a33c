"""A pytest plugin that holds every notebook to its stored outputs, figures included.

nbval starts the kernel and runs the cells. What it would let pass is closed here:

- ``form``, one item a notebook, looks at the file: run in order, nothing hidden, nothing from
  outside, links and formulas sound, figures described, no assert that cannot fail;
- ``prose``, one item a lecture, finds every number in the text in a cell nearby;
- ``cell k``, one item a code cell, compares *every* output of a fresh run with the stored one:
  their number, kind and order, text exactly, figures as decoded pixels, and what they say. And
  every assert of the cell was passed at least once.

Tags and comments that make nbval look away have no effect here, and ``form`` rejects them.
Cells are counted as JupyterLab counts them: cell k is the one whose prompt is ``[k]``.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, IPyNbFile

from lincourse.check import asserts, prose
from lincourse.check.kernel import CellFailedError, Kernel
from lincourse.check.outputs import (
    NOT_COLLECTED,
    PNG,
    difference_of_runs,
    figure_difference,
    has_figure,
    keep_stored,
    merged,
    read,
    rendered,
    runs,
    side_by_side,
)
from lincourse.check.structure import form_problems


def relative(path: Path, config: pytest.Config) -> Path:
    return Path(os.path.relpath(path, config.rootpath))


class OfTheFile(pytest.Item):
    """What the stored file itself must be: no cell is run."""

    def runtest(self) -> None:
        path = relative(self.path, self.config)
        problems = self.problems(self.parent.nb)
        if problems:
            pytest.fail("\n".join(f"{path}: {problem}" for problem in problems), pytrace=False)

    def problems(self, notebook: NotebookNode) -> list[str]:
        raise NotImplementedError

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}, {self.name}"


class Form(OfTheFile):
    """See ``form_problems``."""

    def problems(self, notebook: NotebookNode) -> list[str]:
        return form_problems(notebook, self.path.parent)


class Prose(OfTheFile):
    """See ``prose.problems``."""

    def problems(self, notebook: NotebookNode) -> list[str]:
        return prose.problems(notebook, self.path)


class Cell(IPyNbCell):
    """One code cell, run after those before it, with all its outputs compared."""

    stored: list[NotebookNode]

    def setup(self) -> None:
        if self.parent.kernel.timed_out:
            pytest.skip("an earlier cell of this notebook ran out of time")

    def runtest(self) -> None:
        kernel, traceback = self.parent.kernel, ""
        try:
            self.test_outputs = kernel.run(self.cell.source)
            problems = self.problems(self.test_outputs)
            problems += asserts.never_passed(self.cell, kernel.passed_asserts())
        except CellFailedError as failed:
            self.test_outputs, traceback = failed.outputs, failed.traceback
            problems = [f"{failed}."]
        if problems:
            pytest.fail(self.report(problems, traceback), pytrace=False)

    def problems(self, fresh: list[NotebookNode]) -> list[str]:
        pixels = not self.config.getoption("text_only")
        found = difference_of_runs(self.stored, fresh, pixels=pixels)
        figures = [
            (old, new) for old, new in zip(self.stored, fresh, strict=False) if has_figure(new)
        ]
        for number, (old, new) in enumerate(figures, start=1):
            if pixels and has_figure(old):
                found += self.saved_figures(old, new, number)
        return found

    def saved_figures(self, stored: NotebookNode, fresh: NotebookNode, figure: int) -> list[str]:
        """Save two figures that differ for a look at them; return a sentence that says where."""
        change = figure_difference(stored.data[PNG], fresh.data[PNG])
        if not change:
            return []
        folder = self.parent.figures
        folder.mkdir(parents=True, exist_ok=True)
        paths = [
            folder / f"{self.cell_num}-{figure}-{name}.png"
            for name in ("stored", "fresh", "difference")
        ]
        for path, output in zip(paths, (stored, fresh), strict=False):
            with contextlib.suppress(ValueError):  # stored text that is not base64
                path.write_bytes(base64.b64decode(output.data[PNG]))
        if change[1]:
            change[1].save(paths[2])
        saved = [str(relative(path, self.config)) for path in paths if path.exists()]
        return [f"look at {', '.join(saved)}"]

    def report(self, problems: list[str], traceback: str) -> str:
        path = relative(self.path, self.config)
        pixels = not self.config.getoption("text_only")
        fresh = keep_stored(self.stored, self.test_outputs or [], pixels=pixels)
        source = self.cell.source.split("\n")
        return "\n".join(
            [
                *(f"{path}, cell {self.cell_num}: {problem}" for problem in problems),
                "",
                *(f"  {k:2}  {line}" for k, line in enumerate(source, start=1)),
                "",
                side_by_side(rendered(self.stored), rendered(fresh)),
                traceback,
            ]
        ).rstrip()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: None = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}, {self.name}"


class Notebook(IPyNbFile):
    """A notebook: its form and prose, then its code cells in one fresh kernel."""

    def collect(self) -> Iterator[pytest.Item]:
        self.nb = read(self.path)
        yield Form.from_parent(self, name="form")
        yield Prose.from_parent(self, name="prose")
        for number, cell in enumerate(filter(runs, self.nb.cells), start=1):
            item = Cell.from_parent(
                self, name=f"cell {number}", cell_num=number, cell=cell, options={}
            )
            item.stored = merged(cell.outputs)
            item.add_marker("slow")
            yield item

    @property
    def figures(self) -> Path:
        parts = relative(self.path.with_suffix(""), self.config).parts
        inside = [part for part in parts if part != ".."]
        return self.config.rootpath.joinpath(".pytest_cache", "figures", *inside)

    def setup(self) -> None:
        shutil.rmtree(self.figures, ignore_errors=True)

    @functools.cached_property
    def kernel(self) -> Kernel:
        """Start the kernel when the first cell asks for it: form and prose need none."""
        kernel = Kernel(self.path.parent, self.config.getoption("nbval_cell_timeout"))
        kernel.watch_asserts()
        return kernel

    def teardown(self) -> None:
        if "kernel" in vars(self):
            self.kernel.stop()


Collected = Generator[None, list[pytest.Collector], list[pytest.Collector]]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(parent: pytest.Collector) -> Collected:
    """Put a ``Notebook`` wherever nbval collects one."""
    collectors = yield
    return [
        Notebook.from_parent(parent, path=found.path) if type(found) is IPyNbFile else found
        for found in collectors
    ]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if NOT_COLLECTED.intersection(relative(collection_path, config).parts) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--text-only",
        action="store_true",
        help="compare no pixels and texts of figures, for runs with another NumPy or Matplotlib",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("nbval_lax"):
        raise pytest.UsageError("--nbval-lax compares nothing, and is not allowed here.")


TEXT_ONLY = "notebooks: the pixels and texts of figures are NOT compared (--text-only)"


def pytest_report_header(config: pytest.Config) -> str | None:
    return TEXT_ONLY if config.getoption("text_only") else None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say it at the end as well: ``-q`` hides the header."""
    if config.getoption("text_only"):
        terminalreporter.write_line(TEXT_ONLY)
