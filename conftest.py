"""Plain ``pytest`` checks the library, its examples and every notebook."""

import pytest

pytest_plugins = ["lincourse.check.plugin", "tests.spent"]
collect_ignore = ["lincourse/lab"]  # what JupyterLab reads, not Python modules

# What takes longest begins first, so that at the end no worker waits for another.
LONGEST = [
    "test_hub",
    *("test_browser", "test_site", "test_reseed", "test_falsify"),
    *("test_cluster", "test_handed_out", "test_separability", "test_grading", "test_homework"),
    *(
        "test_reopened",
        "test_firefox",
        "test_sklearn",
        "10-on-real-data",
        "test_validation",
        "test_perceptron",
        "test_slides",
    ),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files of ``LONGEST`` before all others."""
    rank = {name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(LONGEST)))
