"""A pytest plugin: tests that need an optional program, and skips that nobody expects.

A test marked ``needs("chromium")`` is skipped without it, with the reason and the remedy. With
``--strict-skips``, or where ``CI=true`` is set, a skip whose reason does not begin like a line of
``expected_skips`` in pyproject.toml is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TypeVar

import pytest

from lincourse import optional  # tests.early, loaded before, makes it importable

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("expected_skips", "how the reasons of expected skips begin", type="linelist")
    parser.addoption(
        "--strict-skips",
        action="store_true",
        default=os.environ.get("CI") == "true",
        help="fail on a skip that is not in expected_skips",
    )


def pytest_configure() -> None:
    try:
        optional.hidden()
    except SystemExit as problem:
        raise pytest.UsageError(str(problem)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for name in (name for mark in item.iter_markers("needs") for name in mark.args):
        found = optional.tool(name)
        if not found:
            pytest.skip(found.why)


def judged(report: Report, config: pytest.Config) -> Report:
    """Return a report as it is, or as a failure if it is a skip that is not expected."""
    if not (config.getoption("strict_skips") and report.skipped) or hasattr(report, "wasxfail"):
        return report
    reason = str(report.longrepr[2]).removeprefix("Skipped: ")  # type: ignore[index]
    if not reason.startswith(tuple(config.getini("expected_skips"))):
        report.outcome = "failed"
        report.longrepr = f"Skipped, but not in expected_skips of pyproject.toml: {reason}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return judged((yield), item.config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return judged((yield), collector.config)
