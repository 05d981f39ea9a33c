"""A pytest plugin: ``--cpu`` tells at the end how many CPU seconds each test file took.

Counted is what the test process used and what the processes that it started and waited for used:
kernels, servers, browsers. Wall-clock times say little on a machine that does other things, too.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

_spent: Counter[str] = Counter()
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
    _spent[report.location[0]] += getattr(report, "cpu", 0.0)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu", action="store_true", help="tell the CPU seconds of each test file")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.getoption("cpu"):
        terminalreporter.write_sep("=", f"{sum(_spent.values()):.0f} CPU seconds")
        for name, seconds in _spent.most_common():
            if seconds >= 0.5:
                terminalreporter.write_line(f"{seconds:7.1f}  {name}")
