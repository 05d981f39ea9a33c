"""A pytest plugin: ``--cpu`` tells how many CPU seconds test files and the dearest tests took.

Counted is what the test process used and what the processes that it started and waited for used:
kernels, servers, browsers. Wall-clock times say little on a machine that does other things, too.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

_files: Counter[str] = Counter()
_tests: Counter[str] = Counter()
_LEAST, _MOST = 0.5, 25  # seconds of a line, and lines about tests
_mark = 0.0


def used() -> float:
    """Return the CPU seconds of this process and of its ended children so far."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):  # type: ignore[no-untyped-def]
    """Give a report what was used since the one before it, fixtures and collection included."""
    global _mark
    report = yield
    now = used()
    report.cpu, _mark = now - _mark, now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _files[report.location[0]] += getattr(report, "cpu", 0.0)
    _tests[report.nodeid] += getattr(report, "cpu", 0.0)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu", action="store_true", help="tell the CPU seconds of files and tests")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if not config.getoption("cpu"):
        return
    terminalreporter.write_sep("=", f"{sum(_files.values()):.0f} CPU seconds")
    for name, seconds in _files.most_common() + _tests.most_common(_MOST):
        if seconds >= _LEAST:
            terminalreporter.write_line(f"{seconds:7.1f}  {name}")
