"""What ``--strict-notebooks`` adds to nbval: its items with our comparison, and three of the file.

nbval starts the kernel, runs the cells and asks its items to compare. What it would let pass:

- ``form``, one item a notebook, looks at the file: run in order, nothing hidden, nothing from
  outside, links and formulas sound, no assert that cannot fail;
- ``prose`` finds every number of the text and of alt texts in a cell nearby;
- ``claims``, where a ledger lies beside the notebook, finds the cell of each of its claims;
- ``cell k``, nbval's item of a code cell, compares *every* output of a fresh run with the stored
  one: their number, kind and order, text exactly, figures as decoded pixels, and what they say.
  Every assert of the cell was passed at least once, and no file beside the notebook has changed.

Tags, comments and options that make nbval look away have no effect here.
Cells are counted as JupyterLab counts them: cell k is the one whose prompt is ``[k]``.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import nbval.plugin
import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

from lincourse.check import asserts, claims, prose
from lincourse.check.kernel import SECONDS_FOR_OUTPUT, Kernel, uncoloured
from lincourse.check.outputs import (
    NOT_COLLECTED,
    PNG,
    changed_files,
    comparison,
    difference_of_runs,
    figure_difference,
    files_beside,
    has_figure,
    merged,
    read,
    runs,
)
from lincourse.check.structure import Rules, form_problems

nbval.plugin.RunningKernel = Kernel


def relative(path: Path, config: pytest.Config) -> Path:
    return Path(os.path.relpath(path, config.rootpath))


class FileItem(pytest.Item):
    """What the stored file itself must be: no cell is run."""

    parent: Notebook

    def runtest(self) -> None:
        try:
            problems = list(self.problems())
        except ValueError as problem:  # a ledger that cannot be read
            problems = [str(problem)]
        if problems:
            path = relative(self.path, self.config)
            pytest.fail("\n".join(f"{path}: {problem}" for problem in problems), pytrace=False)

    def problems(self) -> Iterable[str]:
        if self.name == "prose":
            return prose.problems(self.parent.nb, self.path)
        if self.name == "claims":
            return claims.notebook_problems(self.parent.nb, self.path)
        lines, alt = (self.config.getini(f"notebook_{key}") for key in ("cell_lines", "alt_text"))
        rules = Rules(int(lines), int(alt), frozenset(self.config.getini("notebook_known")))
        return form_problems(self.parent.nb, self.path.parent, rules)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}, {self.name}"


class CellItem(IPyNbCell):
    """nbval's item of one code cell, with all its outputs compared."""

    found: Sequence[str] = ()

    def setup(self) -> None:
        if self.parent.timed_out:
            pytest.skip("an earlier cell of this notebook ran out of time")
        self.parent.start()

    def runtest(self) -> None:
        self.found = ()
        self.before = files_beside(self.path.parent)
        self.output_timeout = SECONDS_FOR_OUTPUT
        super().runtest()

    def compare_outputs(
        self, test: list[NotebookNode], ref: list[NotebookNode], skip_compare: Any = None
    ) -> bool:
        """Note in ``found`` all that differs; nbval calls this after a cell that did not raise."""
        kernel, pixels = self.parent.kernel, not self.config.getoption("text_only")
        self.comparison_traceback: list[str] = []  # nbval's words, which ours replace
        self.found = [
            *difference_of_runs(ref, test, pixels=pixels),
            *(self.saved_figures(ref, test) if pixels else ()),
            *asserts.never_passed(self.cell, kernel.passed_asserts()),
            *changed_files(self.before, self.path.parent),
        ]
        return not self.found

    def saved_figures(self, stored: list[NotebookNode], fresh: list[NotebookNode]) -> Iterator[str]:
        """Save figures that differ for a look at them; yield sentences that say where."""
        pairs = zip(filter(has_figure, stored), filter(has_figure, fresh), strict=False)
        for figure, (old, new) in enumerate(pairs, start=1):
            _, pictures = figure_difference(old.data[PNG], new.data[PNG]) or ("", {})
            for name, picture in pictures.items():
                self.parent.figures.mkdir(parents=True, exist_ok=True)
                path = self.parent.figures / f"{self.cell_num}-{figure}-{name}.png"
                picture.save(path)
                yield f"look at {relative(path, self.config)}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        error = excinfo.value
        if not isinstance(error, NbCellError | RuntimeError) or self.parent.kernel is None:
            return pytest.Item.repr_failure(self, excinfo, style)
        problems = self.found or [f"{error}".rstrip(".") + "."]
        path = relative(self.path, self.config)
        stored, fresh = merged(self.cell.outputs), merged(self.test_outputs or [])
        source = self.cell.source.split("\n")
        return "\n".join(
            [
                *(f"{path}, cell {self.cell_num}: {problem}" for problem in problems),
                "",
                *(f"  {k:2}  {line}" for k, line in enumerate(source, start=1)),
                "",
                comparison(stored, fresh),
                uncoloured(getattr(error, "inner_traceback", "") or ""),
                f"This run had {self.parent.kernel.versions()}.",
                f"If what is fresh is right: lincourse refresh {shlex.quote(str(path))}, "
                "and read the difference.",
            ]
        )

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}, {self.name}"


class Notebook(IPyNbFile):
    """nbval's file: form, prose and claims, then its code cells in one fresh kernel."""

    kernel: Kernel | None

    def collect(self) -> Iterator[pytest.Item]:
        self.nb = read(self.path)
        ledger = (self.path.parent / claims.LEDGER).exists()
        for name in ("form", "prose", "claims") if ledger else ("form", "prose"):
            yield FileItem.from_parent(self, name=name)
        options = {"check": True, "check_exception": False, "skip": False}
        for number, cell in enumerate(filter(runs, self.nb.cells), start=1):
            # nbval compares nothing where the count is empty: its item gets one that is not.
            counted = NotebookNode(cell | {"execution_count": number})
            item = CellItem.from_parent(
                self, name=f"cell {number}", cell_num=number, cell=counted, options=options
            )
            item.add_marker("slow")
            yield item

    @property
    def figures(self) -> Path:
        parts = relative(self.path.with_suffix(""), self.config).parts
        inside = [part for part in parts if part != ".."]
        return Path(self.config.rootpath, ".pytest_cache", "figures", *inside)

    def setup(self) -> None:
        shutil.rmtree(self.figures, ignore_errors=True)

    def start(self) -> None:
        """Let nbval start the kernel when the first cell asks for it: form and prose need none."""
        if self.kernel is None:
            super().setup()


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
