"""What holds for all tests: programs that may be absent, skips that nobody expects, an order."""

import os
from collections.abc import Generator

import pytest

from lincourse import garbage, programs

# Tests run side by side already: threads within one product would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
garbage.seldom()

pytest_plugins = ["lincourse.check.plugin"]  # what this course asks of notebooks

# What JupyterLab and Sphinx read, not Python modules; homework that nobody has solved yet.
collect_ignore = [
    *("lincourse/lab", "lincourse/publish/source", "lincourse/hatch_build.py"),
    "notebooks/homework/release",
]
collect_ignore_glob = ["tests/*/conftest.py"]  # they have no examples, and all the same name

# How the reasons of skips begin that continuous integration accepts; any other skip fails there.
EXPECTED_SKIPS = (
    "bwrap is not on this machine",
    "chromium is not on this machine",
    "coqc is not on this machine",
    "node is not on this machine",
    "npm is not on this machine",
    "the packages of JupyterLite cannot be fetched here",
    "SCIPY_ARRAY_API is not set",  # for scikit-learn's array API checks, at the start of SciPy
    "an ordinary user ",  # test_sandbox.py: root tries both
)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test marked ``needs("chromium")`` without Chromium, before its fixtures are made."""
    for mark in item.iter_markers("needs"):
        for program in mark.args:
            if why_not := programs.missing(program):
                pytest.skip(why_not)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where ``CI=true`` is set, as hosts of continuous integration do, fail on other skips."""
    report = yield
    skipped = report.skipped and not hasattr(report, "wasxfail")
    if skipped and os.environ.get("CI") == "true":
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        if not reason.startswith(EXPECTED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"skipped, but not expected in conftest.py: {reason}"
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start files with long tests first: no worker waits for one at the end."""
    long = {
        item.path
        for item in items
        if item.get_closest_marker("slow") or item.get_closest_marker("needs")
    }
    items.sort(key=lambda item: item.path not in long)
