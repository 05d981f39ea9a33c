"""What pytest collects: notebooks, the checks of their files, and their cells.

All cells of a notebook run in one fresh kernel, which starts with the first that is asked for; a
cell that is run alone (``-k``) has those before it run first. What differs from the stored outputs
is run once more in a second kernel before anybody is told: what differs between these two runs is
unstable, not changed.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from nbsame import causes, counts, near_misses, pictures
from nbsame.comparison import Difference, compare, side_by_side
from nbsame.kernel import StoppedError, uncoloured
from nbsame.notebook import (
    JPEG,
    PNG,
    UnreadableError,
    asked,
    code_cells,
    error_of,
    language,
    never_run,
    read,
    stored_versions,
    stores_nothing,
)
from nbsame.run import CellRun, Run
from nbsame.settings import Settings

SETTINGS = pytest.StashKey[Settings]()
NOTHING_STORED = "nothing is stored to compare with: run only"


class Notebook(pytest.File):
    """A notebook: an item for each check of its file, and one for each cell that runs."""

    def collect(self) -> Iterator[pytest.Item]:
        try:
            self.nb = read(self.path)
        except UnreadableError as problem:
            yield Unfit.from_parent(self, name="file", failure=str(problem))
            return
        if language(self.nb) not in ("python", "python3", "ipython"):
            reason = f"its kernel is for {language(self.nb)}: only Python is run"
            yield Unfit.from_parent(self, name="kernel", skipped=reason)
            return
        if not code_cells(self.nb):
            yield Unfit.from_parent(self, name="cells", skipped="it has no cell to run")
        if not self.settings.counts == self.settings.order == "off":
            yield Counts.from_parent(self, name="counts")
        for checks in self.ihook.pytest_nbsame_file_checks(path=self.path, config=self.config):
            for name, check in checks.items():
                yield FileItem.from_parent(self, name=name, check=check)
        if self.settings.near_misses == "warn":
            yield NearMisses.from_parent(self, name="near-misses")
        for number in range(1, 1 + len(code_cells(self.nb))):
            yield Cell.from_parent(self, name=f"cell-{number}", number=number)

    @property
    def settings(self) -> Settings:
        return self.config.stash[SETTINGS]

    @property
    def shown_path(self) -> Path:
        return Path(os.path.relpath(self.path, self.config.rootpath))

    @property
    def refresh(self) -> str:
        """Return the command that stores the notebook's outputs anew."""
        return f"{self.settings.refresh} {shlex.quote(str(self.shown_path))}"

    @cached_property
    def code(self) -> str:
        return "\n".join(cell.source for cell in code_cells(self.nb))

    @cached_property
    def other_matplotlib(self) -> tuple[str, str] | None:
        return causes.other_matplotlib(self.nb)

    @property
    def pictures_count(self) -> bool:
        wanted = self.settings.pictures
        return wanted == "always" or (wanted == "auto" and self.other_matplotlib is None)

    @cached_property
    def failures(self) -> causes.Failures:
        return causes.Failures()

    @cached_property
    def first(self) -> Run:
        return self.run()

    @cached_property
    def second(self) -> Run:
        return self.run()

    def teardown(self) -> None:
        """Stop the kernels, and forget the runs: the notebook may be asked for once more."""
        for name in ("first", "second", "failures"):
            run = self.__dict__.pop(name, None)
            if isinstance(run, Run):
                run.stop()

    def run(self) -> Run:
        hook = self.ihook.pytest_nbsame_before_first_cell
        return Run(
            self.nb,
            self.path.parent,
            seconds=self.settings.timeout,
            before=lambda: "\n".join(hook(path=self.path, config=self.config)),
            tags=self.settings.tags,
        )


class Item(pytest.Item):
    """An item of a notebook; ``record`` is what the summary at the end is made from."""

    parent: Notebook

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.record: dict[str, Any] = {}

    def note(self, **values: Any) -> None:
        self.record |= {"path": str(self.parent.shown_path), "item": self.name, **values}

    def fail(self, differences: Iterable[Difference], *more: str) -> None:
        """Fail with one line for each difference, and what may help to mend them below."""
        lines = [f"{self.parent.shown_path}, {one}" for one in differences]
        pytest.fail("\n".join([*lines, *more]), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}, {self.name}"


class Unfit(Item):
    """A notebook that cannot be run here, and why."""

    def __init__(self, *, failure: str = "", skipped: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.failure, self.skipped = failure, skipped

    def runtest(self) -> None:
        self.note(skipped=self.skipped)
        if self.failure:
            pytest.fail(f"{self.parent.shown_path}: {self.failure}.", pytrace=False)
        pytest.skip(self.skipped)


class Counts(Item):
    """Cells that were never run, outputs without a count, and cells run in another order."""

    def runtest(self) -> None:
        if stores_nothing(self.parent.nb):
            pytest.skip(NOTHING_STORED)
        settings, notebook = self.parent.settings, self.parent.nb
        failing: list[Difference] = []
        told: list[Difference] = []
        for level, found in (
            (settings.counts, counts.uncounted(notebook)),
            (settings.order, counts.out_of_order(notebook)),
        ):
            failing += found if level == "fail" else []
            told += found if level == "warn" else []
        self.note(found=list(map(list, failing)), told=list(map(list, told)))
        if failing:
            self.fail(failing, "", self.remedy())

    def remedy(self) -> str:
        return f"`{self.parent.refresh}` runs all in order."


class FileItem(Item):
    """A check of the stored file that the course adds."""

    def __init__(self, *, check: Any, **options: Any) -> None:
        super().__init__(**options)
        self.check = check

    def runtest(self) -> None:
        found = list(self.check(self.parent.nb, self.path))
        if found:
            path = self.parent.shown_path
            pytest.fail("\n".join(f"{path}: {problem}" for problem in found), pytrace=False)


class NearMisses(Item):
    """Numbers of the text that nearly are a nearby output: told at the end, never a failure."""

    def runtest(self) -> None:
        found = near_misses.near_misses(self.parent.nb)
        self.note(told=list(map(list, found)))


class Cell(Item):
    """A cell that runs: its fresh outputs are compared with the stored ones."""

    def __init__(self, *, number: int, **options: Any) -> None:
        super().__init__(**options)
        self.number = number
        self.add_marker("nbsame_cell")

    @property
    def cell(self) -> NotebookNode:
        return code_cells(self.parent.nb)[self.number - 1]

    @property
    def wishes(self) -> set[str]:
        return asked(self.cell) if self.parent.settings.tags else set()

    def runtest(self) -> None:
        self.note(number=self.number, stored=stored_versions(self.parent.nb))
        if "skip" in self.wishes:
            self.skip("a tag or comment asks for it")
        try:
            fresh = self.parent.first.upto(self.number)
        except StoppedError as reason:
            self.end_with(str(reason))
            return
        self.unexpected_error(fresh)
        if stores_nothing(self.parent.nb):
            self.skip(NOTHING_STORED)
        if never_run(self.cell):
            self.skip("never run: nothing is stored to compare with")
        self.judge(fresh)

    def skip(self, reason: str, **values: Any) -> None:
        self.note(skipped=reason, **values)
        pytest.skip(f"cell {self.number}: {reason}" if values else reason)

    # ------------------------------------------------------------ what ends a cell

    def end_with(self, reason: str) -> None:
        """Fail the cell at which the run stopped; those below follow from it."""
        if not reason.startswith(f"cell {self.number} "):
            cause = int(reason.split()[1])
            self.skip(f"follows from cell {cause}", cause=cause)
        difference = Difference("stopped", "", reason)
        self.note(found=[list(difference)])
        self.fail([difference])  # the reason names the cell

    def unexpected_error(self, fresh: list[NotebookNode]) -> None:
        """Skip a cell that raises only because of an earlier one, or for want of something."""
        error = error_of(fresh)
        if error is None or error_of(self.cell.outputs) or "raises" in self.wishes:
            return
        cause = self.parent.failures.cause(self.cell, error)
        self.parent.failures.add(self.cell, cause or self.number)
        if cause:
            self.skip(f"follows from cell {cause}", cause=cause)
        lacking = causes.missing(error)
        if lacking and self.parent.settings.missing == "skip":
            self.skip(lacking, missing=True)
        raises = f"{error.ename}: {' '.join(error.evalue.split())}"
        kind, detail = ("missing", lacking) if lacking else ("raises", f"raises {raises}")
        difference = Difference(kind, "", detail)
        self.note(found=[list(difference)])
        traceback = uncoloured("\n".join(error.traceback))
        self.fail([self.here(difference)], "", traceback, self.versions())

    # ------------------------------------------------------------ what differs

    def judge(self, fresh: list[NotebookNode]) -> None:
        """Compare, run once more what differs, and tell what is left."""
        changed, unstable = self.differences(fresh)
        failing, told = self.by_level(changed, unstable)
        run = CellRun(self.path, self.number, self.cell, fresh, self.parent.first.ask)
        for sentences in self.ihook.pytest_nbsame_check_cell(run=run, config=self.config):
            failing += [Difference("check", "", sentence) for sentence in sentences]
        self.note(
            found=list(map(list, failing)),
            told=list(map(list, told)),
            not_compared=0 if self.parent.pictures_count else count_pictures(self.cell.outputs),
            matplotlib=list(self.parent.other_matplotlib or ()),
        )
        if failing:
            present = self.parent.first.versions()
            self.note(present=present, repainted=self.repainted(failing))
            self.fail(
                map(self.here, failing),
                *self.saved_pictures(failing, fresh),
                *self.shown(failing, fresh),
                self.versions(),
                f"If what is fresh is right: `{self.parent.refresh}`, and read the difference.",
            )

    def differences(self, fresh: list[NotebookNode]) -> tuple[list[Difference], list[Difference]]:
        """Return what changed since it was stored, and what differs between two runs made now."""
        if "raises" in self.wishes and error_of(fresh) is None:
            detail = "raises nothing, although a tag or comment says that it does"
            return [Difference("raises no more", "", detail)], []
        if "ignore output" in self.wishes:
            return [], []
        rules = self.parent.settings.rules(pictures=self.parent.pictures_count)

        def between(stored: list[NotebookNode], now: list[NotebookNode]) -> list[Difference]:
            source, notebook = self.cell.source, self.parent.code
            return compare(stored, now, source, notebook=notebook, rules=rules)

        found = between(self.cell.outputs, fresh)
        if not found or self.parent.settings.unstable == "off":
            return found, []
        try:
            again = self.parent.second.upto(self.number)
        except StoppedError:
            return found, []
        shaky = {output_of(one) for one in between(fresh, again)}
        changed = [one for one in found if output_of(one) not in shaky]
        return changed, [one for one in found if output_of(one) in shaky]

    def by_level(
        self, changed: list[Difference], unstable: list[Difference]
    ) -> tuple[list[Difference], list[Difference]]:
        """Return what fails and what is only told, by the levels of the course."""
        settings = self.parent.settings
        failing = [one for one in changed if one.kind != "stderr"]
        told: list[Difference] = []
        warnings = [one for one in changed if one.kind == "stderr"]
        words = "differs between two runs made now"
        shaky = [one._replace(kind="unstable", detail=f"{words}; {one.detail}") for one in unstable]
        for level, found in ((settings.stderr, warnings), (settings.unstable, shaky)):
            failing += found if level == "fail" else []
            told += found if level == "warn" else []
        return failing, told

    def repainted(self, failing: list[Difference]) -> bool:
        """Tell whether nothing but pixels differs, and another Matplotlib drew them."""
        stored, present = self.parent.other_matplotlib or ("", "")
        other = bool(stored) and stored != present
        return other and all(one.kind == "picture" for one in failing)

    # ------------------------------------------------------------ telling it

    def here(self, difference: Difference) -> Difference:
        """Return the difference with its cell in its place."""
        count = self.cell.get("execution_count")
        prompt = f" [{count}]" if count not in (None, self.number) else ""
        inside = f", {difference.where}" if difference.where else ""
        return difference._replace(where=f"cell {self.number}{prompt}{inside}")

    def saved_pictures(self, failing: list[Difference], fresh: list[NotebookNode]) -> list[str]:
        """Write stored, fresh and difference of each figure side by side; say where they are."""
        old, new = (list(pictures_of(outputs)) for outputs in (self.cell.outputs, fresh))
        lines = []
        for one in failing:
            if one.kind != "picture" or not one.where.startswith("figure "):
                continue
            figure = int(one.where.split()[1].rstrip(","))
            sheet = pictures.side_by_side(old[figure - 1], new[figure - 1])
            if sheet is not None:
                path = self.picture_folder() / f"cell-{self.number}-figure-{figure}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                sheet.save(path)
                shown = os.path.relpath(path, self.config.rootpath)
                lines.append(f"look at {shown} (stored, fresh, difference)")
        return lines

    def picture_folder(self) -> Path:
        parts = self.parent.shown_path.with_suffix("").parts
        folder = self.config.rootpath / self.parent.settings.figures
        return folder.joinpath(*(part for part in parts if part != ".."))

    def shown(self, failing: list[Difference], fresh: list[NotebookNode]) -> list[str]:
        """Return the cell, and both outputs with marks where they differ."""
        source = self.cell.source.split("\n")
        lines = ["", *(f"  {number:2}  {line}" for number, line in enumerate(source, start=1)), ""]
        if any(one.kind not in ("picture", "check") for one in failing):
            lines += [side_by_side(self.cell.outputs, fresh), ""]
        return lines

    def versions(self) -> str:
        stored, present = stored_versions(self.parent.nb), self.parent.first.versions()
        return f"Outputs were {causes.versions_differ(stored, present)}."


def output_of(difference: Difference) -> str:
    """Return the output in which a difference is, without the place inside it."""
    return difference.where.partition(",")[0]


def pictures_of(outputs: Iterable[NotebookNode]) -> Iterator[str]:
    for output in outputs:
        if PNG in output.get("data", {}):
            yield output.data[PNG]


def count_pictures(outputs: Iterable[NotebookNode]) -> int:
    return sum(bool({PNG, JPEG} & set(output.get("data", {}))) for output in outputs)
