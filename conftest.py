"""Plain ``pytest`` checks the library, its examples and every notebook: see tests/early.py."""

import pytest

pytest_plugins = ["tests.spent"]
collect_ignore = ["lincourse/lab"]  # what JupyterLab reads, not Python modules
FIRST = ("slow", "needs", "uses")  # marks of what takes longest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files with long tests before all others, so that no worker waits at the end."""
    long = {item.path for item in items if any(map(item.get_closest_marker, FIRST))}
    items.sort(key=lambda item: item.path not in long)
