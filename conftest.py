"""Plain ``pytest`` checks the library, its examples and every notebook: see tests/early.py."""

from collections import defaultdict

import pytest

pytest_plugins = ["tests.cpu_seconds"]
# What JupyterLab and Sphinx read, not Python modules; homework that nobody has solved yet.
collect_ignore = ["lincourse/lab", "lincourse/publish/source", "notebooks/homework/release"]
collect_ignore_glob = ["tests/*/conftest.py"]  # they have no examples, and all the same name
LONG = ("slow", "early", "needs", "uses")  # marks of what takes longest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start files of long tests first, then files with some: no worker waits at the end."""
    long = defaultdict(list)
    for item in items:
        long[item.path].append(any(map(item.get_closest_marker, LONG)))
    items.sort(key=lambda item: (not all(long[item.path]), not any(long[item.path])))
