"""``pytest --nbsame``: hold every notebook to its stored outputs.

pytest loads this module wherever nbsame is installed: it names the options and the hooks, and
imports nothing more unless ``--nbsame`` is given.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from nbsame import hooks


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("nbsame", "Notebooks held to their stored outputs")
    group.addoption(
        "--nbsame",
        action="store_true",
        help="run every notebook in a fresh kernel and compare each output with the stored one; "
        "settings are in pyproject.toml under [tool.nbsame]; `nbsame refresh` stores outputs anew",
    )
    group.addoption(
        "--nbsame-pictures",
        choices=("auto", "always", "never"),
        help="compare pictures where the recorded Matplotlib is present (auto), always, or never",
    )


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hooks)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "nbsame_cell: runs a cell of a notebook, and those above it")
    if config.getoption("nbsame"):
        config.pluginmanager.register(Active(config), "nbsame-active")


class Active:
    """What is at work once ``--nbsame`` is given."""

    def __init__(self, config: pytest.Config) -> None:
        from dataclasses import replace

        from nbsame.collect import SETTINGS, Notebook
        from nbsame.settings import SettingError, load

        try:
            settings = load(config.rootpath)
        except SettingError as problem:
            raise pytest.UsageError(str(problem)) from None
        if config.getoption("nbsame_pictures"):
            settings = replace(settings, pictures=config.getoption("nbsame_pictures"))
        config.stash[SETTINGS] = settings
        self.settings, self.notebook = settings, Notebook
        self.records: list[dict[str, Any]] = []

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        left_out = {".ipynb_checkpoints", *self.settings.ignore}
        if file_path.suffix != ".ipynb" or left_out.intersection(file_path.parts):
            return None
        return self.notebook.from_parent(parent, path=file_path)

    # ------------------------------------------------------------ reports

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Give a report what the summary needs; it may be made in another process than that."""
        report = yield
        if report.when == "call" and getattr(item, "record", None):
            report.nbsame = item.record  # type: ignore[attr-defined]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "nbsame"):
            self.records.append(report.nbsame)

    def pytest_report_teststatus(
        self, report: pytest.CollectReport | pytest.TestReport
    ) -> tuple[str, str, str] | None:
        """Count cells that another Matplotlib drew apart: they fail in one line, not in forty."""
        if getattr(report, "nbsame", {}).get("repainted"):
            return "redrawn", "P", "REDRAWN"
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from nbsame import summary

        found = list(summary.lines(self.records, self.settings))
        if found:
            terminalreporter.write_sep("=", "nbsame: what was found, by cause")
            for line in found:
                terminalreporter.write_line(line)

    # ------------------------------------------------------------ a notebook is one unit

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Send all cells of a notebook to one worker, in every mode that would split it."""
        from nbsame.schedule import whole_notebooks

        return whole_notebooks(config, log)
